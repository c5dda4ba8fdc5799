import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createEmitter, createResolver } from "../../src/agentue/index.js";
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

describe("the example of references in docs/emitting.md", () => {
  it("sends a patch of a reference, which consumers apply when they have its body", async () => {
    const doc = readFileSync(new URL("../../docs/emitting.md", import.meta.url), "utf8");
    const code = [...doc.matchAll(/```js\n([\s\S]*?)```/g)][1]![1]!.replaceAll(/^import .*$/gm, "");
    const review = new Function("createEmitter", `${code}\nreturn review;`)(createEmitter) as (
      store: Map<string, object>,
      send: (bytes: Uint8Array) => void,
    ) => unknown;
    const store = new Map([["blob:7", { id: "report", type: "text", content: "Chapter 1." }]]);
    const reducer = engine("wasm-simd").createReducer({ protocol: "agentue", transport: "sse", unresolved: "pause" });
    const resolver = createResolver(reducer, {
      load: async ({ ref }) => store.get(ref),
      onError(error) {
        throw error;
      },
    });
    const model = review(store, (bytes) => void reducer.push(bytes));
    await resolver.idle();
    expect(reducer.finish().status).toBe("complete");
    expect(reducer.snapshot()).toEqual(model);
    expect(model).toMatchObject({ blocks: [{ content: "Chapter 1. Chapter 2." }, { content: "One chapter more." }] });
    reducer.close();
  });
});
