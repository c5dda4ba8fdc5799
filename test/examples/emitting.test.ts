import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createEmitter } from "../../src/agentue/index.js";
import { engine } from "../support/engines.js";

describe("the example program of the emitter", () => {
  it("emits an answer and an update, and is understood", () => {
    const cwd = fileURLToPath(new URL("../../", import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, ["examples/emitter.mjs"], { cwd, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).not.toContain("sk-123");
    const ids = [...stdout.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(ids.map((_, i) => i + 1));
    expect(stdout).toContain("refused: The block is malformed: a member is missing (at /block/type)");
    expect(stdout).toContain('consumer: complete, [{"id":"answer","type":"text","content":"The key is ***. Done."},');
  });
});

describe("the example of docs/emitting.md", () => {
  const doc = readFileSync(new URL("../../docs/emitting.md", import.meta.url), "utf8");
  const code = /```js\n([\s\S]*?)```/.exec(doc)![1]!.replaceAll(/^import .*$/gm, "");
  const answer = new Function("createEmitter", `${code}\nreturn answer;`)(createEmitter) as (
    tokens: Iterable<string>,
    send: (bytes: Uint8Array) => void,
  ) => unknown;

  it.each([
    ["an answer", Array.from({ length: 500 }, (_, i) => `token ${i} 😀 `), "complete"],
    [
      "an answer that breaks off",
      (function* () {
        yield "so far";
        throw new Error("no more");
      })(),
      "complete",
    ],
  ])("%s is understood, and its messages are few", (_, tokens, status) => {
    const reducer = engine("js").createReducer({ protocol: "agentue", transport: "sse", sequence: "strict" });
    let events = 0;
    const model = answer(tokens, (bytes) => {
      events += reducer.push(bytes);
    });
    expect(reducer.finish().status).toBe(status);
    expect(reducer.snapshot({ streamId: "message-1" })).toEqual(model);
    expect(events).toBeLessThan(200);
    reducer.close();
  });
});
