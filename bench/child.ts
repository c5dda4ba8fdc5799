import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The built program that starts child processes; from the sources it is the one in dist/. */
function program(): string {
  const here = fileURLToPath(import.meta.url);
  return here.endsWith(".ts") ? fileURLToPath(new URL("../dist/bench.js", import.meta.url)) : here;
}

/**
 * Runs one task in a fresh process and gives back what it printed as JSON.
 *
 * @param task a name that `run.ts` knows
 * @param input handed over as JSON
 * @throws Error when the program is not built or the process fails
 */
export function runChild<T>(task: string, input: unknown): T {
  const script = program();
  if (!existsSync(script)) throw new Error(`${script} is not there: build the package first`);
  // The heap of the memory baselines exceeds the default limit of a small machine.
  const node = ["--expose-gc", "--max-old-space-size=4096"];
  const child = spawnSync(process.execPath, [...node, script, "--child", task, JSON.stringify(input)], {
    encoding: "utf8",
    env: { ...process.env, STREAMFOLD_ENGINE: "" },
  });
  if (child.error) throw child.error;
  if (child.status !== 0) {
    throw new Error(
      `${task} ${JSON.stringify(input)} failed (${child.signal ?? child.status}): ${child.stderr.trim().split("\n").at(-1)}`,
    );
  }
  return JSON.parse(child.stdout) as T;
}
