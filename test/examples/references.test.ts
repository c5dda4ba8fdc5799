import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createResolver } from "../../src/agentue/index.js";
import type { Reducer } from "../../src/engine/contract.js";
import { loadEngine } from "../../src/entry/node.js";
import { reduceBody } from "../../src/stream/index.js";
import { append, end, modelOf, start } from "../contract/base.js";
import { sseBody } from "../support/sse.js";

describe("the example program of references", () => {
  it("waits, loads and goes on", () => {
    const cwd = fileURLToPath(new URL("../../", import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, ["examples/references.mjs"], {
      cwd,
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")).toEqual([
      "waits at seq 2 with 3 events",
      "loading report (blob:7)",
      "went on to seq 5, complete",
      "title: Report, final",
      "report: Chapter 1 … Chapter 2 …",
      "",
    ]);
  });
});

describe("the example of docs/references.md", () => {
  it("resolves, retries and skips", async () => {
    const doc = readFileSync(new URL("../../docs/references.md", import.meta.url), "utf8");
    const code = /```js\n([\s\S]*?)```/.exec(doc)![1]!.replaceAll(/^import .*$/gm, "");
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<{ reducer: Reducer; status: string }>;
    const said: string[] = [];
    const asked: string[] = [];
    const answers = [404, 503, 200];
    const events = [
      start(modelOf({ id: "r", ref: "k1" }, { id: "s", ref: "k2" })),
      append(2, "r", "lost"),
      append(3, "s", "!"),
      end(4),
    ];
    const names = {
      loadEngine,
      createResolver,
      reduceBody,
      console: {
        error: (line: unknown) => said.push(line instanceof Error ? (line as { code?: string }).code! : String(line)),
      },
      body: new Response(sseBody(events.map((event) => JSON.stringify(event))).slice()).body,
      giveUp: (error: { cause?: Error }) => error.cause?.message.startsWith("404"),
      fetchBlock: async (key: string) => {
        asked.push(key);
        const status = answers.shift()!;
        const block = new TextEncoder().encode(JSON.stringify({ id: "s", type: "text", content: "body" }));
        return { ok: status === 200, status, arrayBuffer: async () => block.buffer };
      },
    };
    const run = new AsyncFunction(...Object.keys(names), `${code}\nreturn { reducer, status };`);
    const { reducer, status } = await run(...Object.values(names));
    expect(status).toBe("complete");
    expect(asked).toEqual(["chat/k1", "chat/k2", "chat/k2"]);
    expect(said).toEqual([expect.stringContaining("could not be loaded"), "unresolved_reference", expect.any(String)]);
    expect(reducer.snapshot()).toEqual(modelOf({ id: "r", ref: "k1" }, { id: "s", type: "text", content: "body!" }));
    reducer.close();
  });
});
