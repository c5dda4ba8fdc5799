import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmitter } from "../../src/agentue/index.js";
import type { Reducer, Transport } from "../../src/engine/contract.js";
import { loadEngine, loadEngineSync, mediaTypeOf, negotiate } from "../../src/entry/node.js";
import { loadEngine as loadSlim } from "../../src/entry/slim-node.js";
import { createReplay } from "../../src/replay/index.js";
import { reduceBody } from "../../src/stream/index.js";
import { append, end, modelWith, START, sse, start } from "../reducer/wire.js";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** Runs the first example under a heading, its imports taken away, with these names; gives what `result` comes to there. */
function run(heading: string, names: Record<string, unknown>, result: string): Promise<unknown> {
  const section = README.slice(README.indexOf(`\n## ${heading}`));
  const code = /```js\n([\s\S]*?)```/.exec(section)![1]!.replaceAll(/^import .*$/gm, "");
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<unknown>;
  return new AsyncFunction(...Object.keys(names), `${code}\nreturn ${result};`)(...Object.values(names));
}

const quiet = (lines: unknown[]) => ({
  log: (...line: unknown[]) => lines.push(line),
  error: (line: string) => lines.push(line),
});

describe("the README's server", () => {
  interface Server {
    follow(upstream: AsyncIterable<Uint8Array>): Promise<{ status: string } | undefined>;
    join(response: unknown): void;
    reducer: Reducer;
  }

  async function serve(lines: unknown[]) {
    const { follow, join, reducer } = (await run(
      "For a server",
      { loadEngine, console: quiet(lines) },
      "{ follow, join, reducer }",
    )) as Server;
    const server = createServer((_request, response) => join(response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const client = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/`);
      return async () => {
        const errors: string[] = [];
        const mine = loadEngineSync({ kind: "js" }).createReducer({
          protocol: "agentue",
          transport: "sse",
          onError: ({ code }) => errors.push(code),
        });
        const result = await reduceBody(mine, response.body);
        const models = Object.fromEntries(mine.streamIds().map((streamId) => [streamId, mine.snapshot({ streamId })]));
        return { ...result, models, errors };
      };
    };
    return { follow, reducer, client };
  }

  it.each(["\n", "\r\n", "\r"])("takes joiners at every byte, line ends %j", async (lineEnd) => {
    const events = [START, start("b"), append(2, ", wor"), append(2, "?", "b"), append(3, "ld"), end(3, "b"), end(4)];
    const body = Buffer.from(new TextDecoder().decode(sse(...events)).replaceAll("\n", lineEnd));
    const lines: unknown[] = [];
    const { follow, client } = await serve(lines);
    const readers: (() => Promise<unknown>)[] = [];
    async function* upstream() {
      for (let at = 0; at < body.length; at += 1) {
        if (at % 8 === 0) readers.push(await client());
        yield body.subarray(at, at + 1);
      }
    }
    expect(await follow(upstream())).toMatchObject({ status: "complete" });
    const models = { "": modelWith("Hello, world"), b: modelWith("Hello?") };
    for (const read of readers) expect(await read()).toMatchObject({ status: "complete", errors: [], models });
    expect(lines).toEqual([]);
  });

  it("survives a failed connection, and one that comes after it", async () => {
    const lines: unknown[] = [];
    const { follow, client, reducer } = await serve(lines);
    const upstream = Readable.from([sse(START), sse(append(2, "!"), "{]", append(3, "lost")), sse(end(4))]);
    const early = await client();
    expect(await follow(upstream)).toBeUndefined();
    expect(upstream.destroyed).toBe(true);
    expect(lines.length).toBeGreaterThan(0);
    expect(String(lines[0])).toContain("not well-formed JSON");
    expect(await early()).toMatchObject({ status: "truncated", errors: [], models: { "": START.model } });
    reducer.load(START.model, { streamId: "stored" });
    const late = await client();
    expect(await follow(Readable.from([sse(append(3, "?"), end(4), end(0, "stored"))]))).toMatchObject({
      status: "complete",
    });
    expect(await late()).toMatchObject({
      status: "complete",
      errors: [],
      models: { "": modelWith("Hello!?"), stored: START.model },
    });
  });

  it("writes no more to clients of an earlier connection, gone or not", async () => {
    const { follow, join } = (await run(
      "For a server",
      { loadEngine, console: quiet([]) },
      "{ follow, join }",
    )) as Server;
    let ended = false;
    const client = {
      writeHead: () => client,
      flushHeaders: () => {},
      on: () => client,
      write: () => expect(ended).toBe(false),
      end: () => {
        ended = true;
      },
    };
    join(client);
    await follow(Readable.from([sse(START)]));
    expect(ended).toBe(true);
    expect(await follow(Readable.from([sse(append(2, "!"), end(3))]))).toMatchObject({ status: "complete" });
  });
});

describe("the README's small client", () => {
  it("draws what has changed, chunk by chunk", async () => {
    const drawn: unknown[] = [];
    const chunks = [sse(START), sse(append(2, "!")), sse({ op: "ping", seq: 2 }), sse(append(3, "?"), end(4))];
    const names = {
      loadEngine: loadSlim,
      fetch: async () => ({ body: Readable.from(chunks) }),
      draw: (model: unknown, changes: { kind: string }[]) => drawn.push([model, changes.map(({ kind }) => kind)]),
    };
    expect(await run("For a small client", names, "status")).toBe("complete");
    expect(drawn).toEqual([
      [START.model, ["start"]],
      [modelWith("Hello!"), ["append"]],
      [modelWith("Hello!?"), ["append"]],
    ]);
  });
});

describe("the README's client", () => {
  it("asks for the rest when the network fails, with what came before", async () => {
    const asked: unknown[] = [];
    async function* body() {
      yield Buffer.from("id: 7\n");
      yield sse(START);
      throw new TypeError("terminated");
    }
    const names = { loadEngine, reduceBody, console, fetch: async () => ({ body: body() }) };
    const draw = { drawAll: () => {}, showReconnect: (id: unknown) => asked.push(id) };
    const reducer = (await run("For a client", { ...names, ...draw }, "reducer")) as Reducer;
    expect(asked).toEqual(["7"]);
    expect(reducer.snapshot()).toEqual(START.model);
  });

  it("draws every stream as it is, whatever the cuts", async () => {
    type Block = Record<string, unknown>;
    type Model = { blocks: Block[]; meta: unknown };
    const recording = readFileSync(new URL("../../examples/support-session.sse", import.meta.url));
    for (const size of [500, 7919, recording.length]) {
      // What stands on the screen: kept up by the calls of the example alone.
      const screen = new Map<string, Model>();
      const truncated: unknown[] = [];
      const blockOf = (model: Model, id: string) => model.blocks.find((block) => block.id === id)!;
      const reducer = (await run(
        "For a client",
        {
          loadEngine: () => loadEngine({ kind: "js" }),
          reduceBody,
          console,
          fetch: async () => ({
            body: Readable.from(
              Array.from({ length: Math.ceil(recording.length / size) }, (_, i) =>
                recording.subarray(i * size, (i + 1) * size),
              ),
            ),
          }),
          showReconnect: (id: unknown) => truncated.push(id),
          drawAll: (streamId: string, model: Model) => screen.set(streamId, structuredClone(model)),
          drawMeta: (streamId: string, meta: unknown) => (screen.get(streamId)!.meta = meta),
          appendText(streamId: string, id: string, field: string, text: string) {
            blockOf(screen.get(streamId)!, id)[field] += text;
          },
          redraw(streamId: string, id: string, model: Model) {
            const { blocks } = screen.get(streamId)!;
            const at = blocks.findIndex((block) => block.id === id);
            blocks[at < 0 ? blocks.length : at] = blockOf(model, id);
          },
        },
        "reducer",
      )) as Reducer;
      expect(truncated).toEqual([]);
      expect(screen.size).toBe(6);
      for (const [streamId, model] of screen) expect(model).toEqual(reducer.snapshot({ streamId }));
      reducer.close();
    }
  });
});

describe("the README's gateway", () => {
  it("answers on the wire that is asked for", async () => {
    const recording = readFileSync(new URL("../../examples/research.agui.sse", import.meta.url));
    const lines: string[] = [];
    const relay = (await run(
      "For a gateway",
      {
        loadEngine,
        mediaTypeOf,
        negotiate,
        console: { warn: (line: string) => lines.push(line), error: (line: string) => lines.push(line) },
      },
      "relay",
    )) as (upstream: AsyncIterable<Uint8Array>, request: unknown, response: unknown) => Promise<void>;
    const server = createServer((request, response) => {
      const broken = request.url === "/broken" ? [Buffer.from("data: {]\n\n")] : [];
      void relay(Readable.from([recording.subarray(0, 5000), ...broken, recording.subarray(5000)]), request, response);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const get = async (accept: string, path = "/") => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept } });
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    };
    const fold = (transport: Transport, bytes: Uint8Array) => {
      const reducer = loadEngineSync({ kind: "js" }).createReducer({ protocol: "ag-ui", transport });
      reducer.push(bytes);
      return { ...reducer.finish(), model: reducer.snapshot() };
    };
    const wanted = fold("sse", recording);
    const protobuf = await get("application/vnd.ag-ui.event+proto");
    expect(protobuf.response.headers.get("content-type")).toBe("application/vnd.ag-ui.event+proto");
    expect(fold("protobuf", protobuf.bytes)).toEqual(wanted);
    expect(lines).toEqual([expect.stringContaining("digits of a number")]);
    expect(fold("sse", (await get("text/event-stream")).bytes)).toEqual(wanted);
    expect((await get("text/event-stream;q=0")).response.status).toBe(406);
    lines.length = 0;
    const broken = await get("application/msgpack", "/broken");
    expect(fold("msgpack", broken.bytes).status).toBe("truncated");
    expect(lines).toContainEqual(expect.stringContaining("not well-formed JSON"));
  });
});

describe("the README's producer", () => {
  it.each([
    ["an answer", ["a", "b", "😀"], "ab😀", null],
    [
      "an answer that fails",
      ["a", new Error("the model has gone")],
      "a",
      { code: "failed", message: "the model has gone" },
    ],
    ["a token that no consumer takes", ["a", 5], "a", expect.objectContaining({ code: "failed" })],
  ])("writes %s", async (_, tokens, content, error) => {
    const answer = (await run(
      "For an AgentUE producer",
      {
        createEmitter,
        model: async function* () {
          for (const token of tokens as unknown[]) {
            if (token instanceof Error) throw token;
            yield token;
          }
        },
      },
      "answer",
    )) as (question: string, response: unknown) => Promise<void>;
    const server = createServer((_request, response) => void answer("?", response)).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { body } = await fetch(`http://127.0.0.1:${port}/`);
    const reducer = loadEngineSync({ kind: "wasm" }).createReducer({
      protocol: "agentue",
      transport: "sse",
      sequence: "strict",
    });
    expect((await reduceBody(reducer, body)).status).toBe("complete");
    const { meta, blocks } = reducer.snapshot() as { meta: { error?: unknown }; blocks: unknown[] };
    expect(blocks).toEqual([{ id: "answer", type: "text", content }]);
    expect(meta.error ?? null).toEqual(error);
  });
});

describe("the README's store", () => {
  it("gives a client everything behind what it has seen, and a new one the latest state", async () => {
    const { record, resume, modelAt } = (await run(
      "For a store",
      { loadEngine, createReplay, console: quiet([]) },
      "{ record, resume, modelAt }",
    )) as {
      record(chunk: Uint8Array): void;
      resume(request: unknown, response: unknown): void;
      modelAt(seq: number): unknown;
    };
    const events = [START, append(2, "1"), append(3, "2"), end(4)];
    const bytes = Buffer.concat(events.flatMap((event, i) => [Buffer.from(`id: c${i}\n`), sse(event)]));
    for (let at = 0; at < bytes.length; at += 7) record(bytes.subarray(at, at + 7));
    const ask = (id?: string) => {
      const parts: Uint8Array[] = [];
      const response = { writeHead: () => response, end: (part: Uint8Array) => void parts.push(part) };
      resume({ headers: id === undefined ? {} : { "last-event-id": id } }, response);
      const reducer = loadEngineSync({ kind: "js" }).createReducer({ protocol: "agentue", transport: "sse" });
      const applied = parts.reduce((sum, part) => sum + reducer.push(part), 0);
      return { applied, status: reducer.finish().status, model: reducer.snapshot() };
    };
    const latest = ask();
    expect(latest).toMatchObject({ applied: 2, status: "complete" });
    expect(ask("c1")).toEqual({ ...latest, applied: 3 });
    expect(ask("of another log")).toEqual(latest);
    expect(modelAt(4)).toEqual(latest.model);
    expect(modelAt(2)).not.toEqual(latest.model);
  });
});

describe("the README's benchmark", () => {
  it("finds one answer", async () => {
    const lines: unknown[] = [];
    const names = { readFileSync, isDeepStrictEqual, loadEngineSync, console: quiet(lines) };
    await run("For a benchmark", names, "answers");
    expect(lines).toHaveLength(4);
    expect(lines[3]).toEqual([true]);
  });
});
