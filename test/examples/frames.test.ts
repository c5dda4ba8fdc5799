import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { loadEngine } from "../../src/entry/node.js";
import { modelOf } from "../contract/base.js";
import { framed, ndjsonOf } from "../frames/frames.js";
import { text, utf8 } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";

it("the example program keeps a model in small rows", () => {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["examples/frames.mjs"], { cwd, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  const [rows, ...rest] = stdout.split("\n");
  expect(rows).toMatch(/^\d+ rows of at most 10(1\d|2[0-4]) bytes$/);
  expect(rest).toEqual([
    "resolved: true",
    expect.stringMatching(/^log lacks \[\[(\d+),\1\]\] of \d+$/),
    "log whole: true",
    "body whole: true",
    "materialized: 4800 characters",
    "",
  ]);
});

it("the examples of docs/frames.md run", async () => {
  const doc = readFileSync(new URL("../../docs/frames.md", import.meta.url), "utf8");
  const code = [...doc.matchAll(/```js\n([\s\S]*?)```/g)].map((match) => match[1]!).join("\n");
  const engine = await loadEngine();
  const block = { id: "b", type: "text", content: "x".repeat(200_000) };
  const inline = (id: string) => JSON.stringify({ id, type: "text", content: "" });
  const frames = [
    ...framed(inline("body"), [9], "body"),
    ...framed(inline("answer"), [3, 20], "answer"),
    ...framed(inline("result"), [5, 6, 7], "result").slice(1),
  ].map((frame) => ({ ...frame, id: `${frame.block_id}/${frame.seq}` }));
  const rows = everyN(ndjsonOf(["nonsense", ...frames]), 100);
  const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson" });
  reducer.load(modelOf({ id: "body", ref: "rows" }));
  const stored = utf8(JSON.stringify(modelOf(...frames.slice(2, 5))));
  const said: string[] = [];
  const given = { engine, block, rows, reducer, stored, seq: 7, console: { warn: (line: string) => said.push(line) } };
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<{ again: Uint8Array; missing: unknown; text: Uint8Array; body: unknown }>;
  const run = new AsyncFunction(
    ...Object.keys(given),
    `${code.replace("reducer.load", "const body = reducer.snapshot();\nreducer.load")}\nreturn { again, missing, text, body };`,
  );
  const answers = await run(...Object.values(given));
  expect(text(answers.again)).toBe(JSON.stringify(block));
  expect(answers.missing).toEqual([{ blockId: "result", total: 4, missing: [[0, 0]] }]);
  expect(text(answers.text)).toBe(inline("answer"));
  expect(answers.body).toEqual(modelOf(JSON.parse(inline("body"))));
  expect(reducer.snapshot()).toEqual(modelOf(JSON.parse(inline("answer"))));
  expect(reducer.seq()).toBe(7);
  expect(said).toEqual([expect.stringMatching(/not well-formed JSON/)]);
  engine.close();
});
