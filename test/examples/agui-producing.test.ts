import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as agui from "../../src/agui/index.js";
import { loadEngineSync, negotiate } from "../../src/entry/node.js";
import { reduceBody } from "../../src/stream/index.js";

const DOC = readFileSync(new URL("../../docs/agui-producing.md", import.meta.url), "utf8");
const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The first example under a heading, its imports taken away. */
function codeOf(page: string, heading: string): string {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`));
  return /```js\n([\s\S]*?)```/.exec(section)![1]!.replaceAll(/^import .*$/gm, "");
}

/** Runs an example; gives what stands under these names in it. */
function example(heading: string, given: Record<string, unknown>, ...names: string[]): Record<string, never> {
  const code = codeOf(DOC, heading);
  const all = { ...agui, ...given };
  return new Function(...Object.keys(all), `${code}\nreturn { ${names.join(", ")} };`)(...Object.values(all));
}

const said: string[] = [];
const console = { warn: (text: string) => said.push(text), error: (text: string) => said.push(text) };

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part as Uint8Array);
  return Buffer.concat(parts);
}

describe("the agent and the client of docs/agui-producing.md", () => {
  const { answer } = example("An agent", { negotiate, bodyOf, console }, "answer") as {
    answer?: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;
  };
  const server = createServer((request, response) => void answer!(request, response));
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
  });
  afterAll(() => void server.close());

  const talk = (consent: boolean, asked: string[]) => {
    const ask = async (question: string) => asked.push(question) > 0 && consent;
    const client = example("A client", { reduceBody, ask }, "talk") as {
      talk?: (engine: unknown, url: string, text: string) => Promise<agui.AGUIModel>;
    };
    return client.talk!(loadEngineSync({ kind: "auto" }), url, "Send the report to Ada");
  };

  it.each([true, false])("talk to each other, the user's answer being %s", async (consent) => {
    const asked: string[] = [];
    const { messages, run } = await talk(consent, asked);
    expect(asked).toEqual(["confirm"]);
    expect(run.status).toBe("finished");
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "Send the report to Ada"],
      ["assistant", "Looking it up."],
      ["tool", "ada@example.com"],
      ["assistant", "Send it to ada@example.com?"],
      ["assistant", consent ? "Sent." : "Not sent."],
    ]);
    expect(said).toEqual([]);
  });

  it("L8: the agent answers what is no run input with a status and no stream", async () => {
    const post = (body: string, headers: Record<string, string>) => fetch(url, { method: "POST", headers, body });
    const json = { "content-type": "application/json" };
    for (const [body, headers, status] of [
      ["{", json, 400],
      ['{"threadId":"t"}', json, 400],
      ["{}", { "content-type": "text/plain" }, 415],
      ['{"threadId":"t","runId":"r","messages":[]}', { ...json, accept: "text/event-stream;q=0" }, 406],
    ] as const) {
      const response = await post(body, headers);
      expect(response.status).toBe(status);
      expect(await response.text()).not.toContain("RUN_");
    }
  });

  it("L2, L8: a run that has started answers 200, and its failure is a RUN_ERROR", async () => {
    const body = '{"threadId":"t","runId":"r","messages":[]}';
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const types = [...(await response.text()).matchAll(/^data: .*"type":"(\w+)"/gm)].map(([, type]) => type);
    expect(types).toEqual(["RUN_STARTED", "TEXT_MESSAGE_START", "RUN_ERROR"]);
    expect(said).toHaveLength(1);
  });
});

describe("examples/agui-approval.mjs", () => {
  it.each([
    [[], "yes", "The report is sent."],
    [["--refuse"], "no", "The report stays here."],
  ])("runs to its end with %j", (args, reply, last) => {
    const root = fileURLToPath(new URL("../../", import.meta.url));
    const command = ["examples/agui-approval.mjs", ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout.split("\n")).toEqual([
      "[run 1] finished: I need the address for this.",
      "[tool] ada@example.com",
      "[run 2] interrupted: The report would go to ada@example.com.",
      `[ask] Send the report? ${reply}`,
      `[run 3] finished: ${last}`,
      "[log] 32 events, compacted 18; the run is finished",
      "",
    ]);
  });
});

describe("the README's agent", () => {
  it("answers with a run that a consumer takes", async () => {
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>;
    const reducer = loadEngineSync({ kind: "js" }).createReducer({ protocol: "ag-ui", transport: "sse" });
    const write = (bytes: Uint8Array) => reducer.push(bytes);
    async function* model() {
      yield "Hel";
      yield "lo";
    }
    const code = codeOf(README, "For an AG-UI agent: events that every consumer takes");
    const body = '{"threadId":"t","runId":"r","messages":[]}';
    const names = ["createProducer", "events", "readRunInput", "body", "response", "model"];
    const response = { write, end: write };
    await new AsyncFunction(...names, code)(agui.createProducer, agui.events, agui.readRunInput, body, response, model);
    expect(reducer.finish().status).toBe("complete");
    expect(reducer.snapshot<agui.AGUIModel>()?.messages).toEqual([{ id: "m-1", role: "assistant", content: "Hello" }]);
  });
});

describe("the log of docs/agui-producing.md", () => {
  it("is compacted, as a whole and as it grows", () => {
    const log = [
      agui.events.runStarted({ threadId: "t", runId: "r" }),
      agui.events.textMessageStart({ messageId: "m" }),
      agui.events.textMessageContent({ messageId: "m", delta: "a" }),
      agui.events.textMessageContent({ messageId: "m", delta: "b" }),
    ];
    const more = [agui.events.textMessageContent({ messageId: "m", delta: "c" })];
    const result = example("Compacting a log", { log, more }, "stored", "again", "batch");
    const compacted = (delta: string) => [...log.slice(0, 2), { ...log[2], delta }];
    expect(result).toEqual({ stored: compacted("ab"), again: compacted("abc"), batch: compacted("ab") });
  });
});
