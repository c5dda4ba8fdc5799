import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { closingLine } from "./reporter.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Runs the suite's own configuration of reporters over a folder of test files and returns the last line and exit code. */
function run(
  files: Record<string, string>,
  engines?: string,
): { last: string | undefined; above: string | undefined; status: number | null } {
  mkdirSync(path.join(ROOT, "build"), { recursive: true });
  const folder = mkdtempSync(path.join(ROOT, "build", "reporter-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(
      path.join(folder, name),
      `import { afterAll, beforeAll, describe, expect, it } from "vitest";\n${text}\n`,
    );
  }
  const reporter = path.join(ROOT, "test", "support", "reporter.ts");
  const config = { test: { include: ["*.test.ts"], reporters: ["default", reporter] } };
  writeFileSync(path.join(folder, "vitest.config.mjs"), `export default ${JSON.stringify(config)};\n`);
  const { VITEST, STREAMFOLD_TEST_ENGINES, ...env } = process.env;
  if (engines !== undefined) env.STREAMFOLD_TEST_ENGINES = engines;
  const args = [path.join(ROOT, "node_modules", "vitest", "vitest.mjs"), "run", `--root=${folder}`];
  const child = spawnSync(process.execPath, args, { encoding: "utf8", env });
  const lines = child.stdout.trimEnd().split("\n");
  return { last: lines.at(-1), above: lines.at(-2), status: child.status };
}

const PASSES = 'it("passes", () => { expect(1).toBe(1); });';

it("writes the skipped only when there are some", () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed");
  expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe("3 passed, 1 failed, 2 skipped");
});

it("ends a good run with its count", () => {
  const { above, ...end } = run({ "a.test.ts": PASSES, "b.test.ts": PASSES });
  expect(end).toEqual({ last: "2 passed, 0 failed", status: 0 });
  expect(above).not.toMatch(/Narrowed/);
});

it("says above the count that engines were left out", () => {
  const { last, above } = run({ "a.test.ts": PASSES }, "js");
  expect(last).toBe("1 passed, 0 failed");
  expect(above).toMatch(/^Narrowed: STREAMFOLD_TEST_ENGINES .*: js$/);
});

it("counts failures inside and outside of tests", () => {
  const failing = {
    "failed.test.ts": `${PASSES} it("fails", () => { expect(1).toBe(2); });`,
    "lost.test.ts": `import "./nowhere.js"; ${PASSES}`,
    "hook.test.ts": `describe("suite", () => { afterAll(() => { throw new Error("hook"); }); ${PASSES} });`,
    "late.test.ts": `it("passes", async () => {
      setTimeout(() => { throw new Error("late"); }, 0);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });`,
  };
  expect(run(failing)).toMatchObject({ last: "3 passed, 4 failed", status: 1 });
});
