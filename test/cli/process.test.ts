import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { append, end, modelWith, ndjson, START, sse } from "../reducer/wire.js";

const EXAMPLES = fileURLToPath(new URL("../../examples/", import.meta.url));
const CLI = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

describe("the built command line", () => {
  it("reads standard input and writes the model", async () => {
    const child = spawn(process.execPath, [CLI, "reduce"], { stdio: ["pipe", "pipe", "inherit"] });
    child.stdin.end(sse(START, append(2, "!"), end(3)));
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    expect(await once(child, "close")).toEqual([0, null]);
    expect(JSON.parse(out)).toEqual(modelWith("Hello!"));
  });

  it("tells its version", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, "--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("ends quietly when its reader has seen enough", async () => {
    const child = spawn(process.execPath, [CLI, "verify", "--from", "ndjson"]);
    let errors = "";
    child.stderr.on("data", (chunk) => (errors += chunk));
    child.stdin.on("error", () => {});
    child.stdout.once("data", () => child.stdout.destroy());
    const flood = Buffer.from("{}\n".repeat(20_000));
    const exit = once(child, "exit");
    for (let i = 0; i < 200 && child.exitCode === null; i++) {
      const drained = new Promise((resolve) => child.stdin.once("drain", resolve));
      if (!child.stdin.write(flood)) await Promise.race([drained, exit]);
    }
    child.stdin.end();
    await exit;
    expect([child.exitCode, errors]).toEqual([0, ""]);
  });

  it("transcodes through pipes, and ends quietly when its reader has gone", async () => {
    const from = path.join(EXAMPLES, "research.agui.sse");
    const reader = spawn(process.execPath, [CLI, "reduce", "-", "--protocol", "ag-ui", "--from", "protobuf"]);
    const writer = spawn(process.execPath, [CLI, "transcode", from, "--protocol", "ag-ui", "--to", "protobuf"]);
    writer.stdout.pipe(reader.stdin);
    let out = "";
    reader.stdout.on("data", (chunk) => (out += chunk));
    expect(await once(reader, "close")).toEqual([0, null]);
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, "reduce", from, "--protocol", "ag-ui"]);
    // The wire has doubles only.
    expect(JSON.parse(out)).toEqual(JSON.parse(stdout));

    const flood = spawn(process.execPath, [CLI, "transcode", "--from", "ndjson", "--to", "msgpack", "--no-enforce"]);
    let errors = "";
    flood.stderr.on("data", (chunk) => (errors += chunk));
    flood.stdin.on("error", () => {});
    flood.stdout.once("data", () => flood.stdout.destroy());
    const exit = once(flood, "exit");
    const body = Buffer.from(`{"x":"${"y".repeat(1000)}"}\n`.repeat(500));
    for (let i = 0; i < 200 && flood.exitCode === null; i++) {
      const drained = new Promise((resolve) => flood.stdin.once("drain", resolve));
      if (!flood.stdin.write(body)) await Promise.race([drained, exit]);
    }
    flood.stdin.end();
    await exit;
    expect([flood.exitCode, errors]).toEqual([0, ""]);
  });

  it("does not hold a large file in memory", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "streamfold-cli-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const name = path.join(folder, "large.ndjson");
    const file = createWriteStream(name);
    file.write(ndjson(START));
    const ping = Buffer.from(`${JSON.stringify({ op: "ping", seq: 1, ts: 1 })}${" ".repeat(4000)}\n`.repeat(250));
    for (let i = 0; i < 200; i++) if (!file.write(ping)) await once(file, "drain");
    file.end(ndjson(end(2)));
    await once(file, "close");
    const { stdout } = await promisify(execFile)(process.execPath, ["--max-old-space-size=40", CLI, "verify", name]);
    expect(stdout).toMatch(/^50002 events: 50002 applied, .* complete\n$/);
  });
});
