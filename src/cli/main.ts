import { readFileSync } from "node:fs";
import { runCli } from "./program.js";

// A reader that has seen enough (head, less) closes the pipe: that is no failure of this program.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
process.stderr.on("error", () => {});

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

process.exitCode = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  version,
});
