import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadEngine } from "../../src/entry/node.js";
import { createReplay } from "../../src/replay/index.js";
import { append, end, modelOf, start } from "../contract/base.js";
import { eventsIn, message } from "../replay/logs.js";

const PAGE = readFileSync(new URL("../../docs/replay.md", import.meta.url), "utf8");

it("docs/replay.md does what it says", async () => {
  const code = /```js\n([\s\S]*?)```/.exec(PAGE)![1]!.replaceAll(/^import .*$/gm, "");
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<void>;
  const on = { stream_id: "answer" };
  const log = [
    message(start(modelOf({ id: "a", type: "text", content: "A" }), on), "1"),
    ...Array.from({ length: 60 }, (_, i) => message(append(i + 2, "a", "x", on), `${i + 2}`)),
    message(end(62, on), "62"),
  ];
  const written: Uint8Array[] = [];
  const names = {
    loadEngine,
    createReplay,
    log,
    lastEventId: "60",
    response: { write: (bytes: Uint8Array) => written.push(bytes) },
  };
  await new AsyncFunction(...Object.keys(names), code)(...Object.values(names));
  expect(written.length).toBe(2);
  expect(eventsIn(written[0]!).map(({ op, seq }) => [op, seq])).toEqual([
    ["start", 60],
    ["append", 61],
    ["end", 62],
  ]);
  const latest = new TextDecoder()
    .decode(written[1]!)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(latest.map(({ op, seq }) => [op, seq])).toEqual([
    ["start", 62],
    ["end", 62],
  ]);
  expect(latest[0].model.blocks[0].content.length).toBe(61);
});
