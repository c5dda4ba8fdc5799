import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import type { FinishResult } from "../../src/engine/contract.js";
import { loadEngineSync } from "../../src/entry/node.js";
import { append, end, modelWith, START, sse, start } from "../reducer/wire.js";

interface Gateway {
  url: string;
  relay(chunk: Uint8Array): boolean;
  reconnect(): void;
  end(): FinishResult;
  close(): void;
}

const script = new URL("../../examples/gateway.mjs", import.meta.url).href;
const { createGateway } = (await import(/* @vite-ignore */ script)) as {
  createGateway(engine: unknown, log: (line: string) => void): Promise<Gateway>;
};
const engine = loadEngineSync({ kind: "js" });
afterAll(() => engine.close());

/** A client that has its headers; `fold()` reads its body to the end. */
async function join(gateway: Gateway) {
  const response = await fetch(gateway.url);
  expect(response.status).toBe(200);
  return {
    async fold() {
      const body = new Uint8Array(await response.arrayBuffer());
      const errors: string[] = [];
      const reducer = engine.createReducer({
        protocol: "agentue",
        transport: "sse",
        onError: (error) => errors.push(error.code),
      });
      reducer.push(body);
      const { status } = reducer.finish();
      const models = Object.fromEntries(
        reducer.streamIds().map((streamId) => [
          streamId,
          {
            status: reducer.status({ streamId }),
            seq: reducer.seq({ streamId }),
            model: reducer.snapshot({ streamId }),
          },
        ]),
      );
      reducer.close();
      return { status, errors, models, text: new TextDecoder().decode(body) };
    },
  };
}

async function open(log: string[] = []): Promise<Gateway> {
  return createGateway(engine, (line) => log.push(line));
}

const ALL = [START, start("b"), append(2, ", wor"), append(2, "?", "b"), append(3, "ld"), end(4), end(3, "b")];
const MODELS = {
  "": { status: "ended", seq: 4, model: modelWith("Hello, world") },
  b: { status: "ended", seq: 3, model: modelWith("Hello?") },
};

describe("the gateway", () => {
  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("a client may join at every byte of a body with %s line ends", async (_name, lineEnd) => {
    const body = Buffer.from(new TextDecoder().decode(sse(...ALL)).replaceAll("\n", lineEnd));
    const log: string[] = [];
    const gateway = await open(log);
    const first = await join(gateway);
    const clients = [];
    for (let at = 0; at < body.length; at++) {
      gateway.relay(body.subarray(at, at + 1));
      // Each of the last bytes of an event, and some in its middle.
      if (at % 16 === 0 || /[}\r\n]/.test(String.fromCharCode(body[at]!))) clients.push(await join(gateway));
    }
    expect(gateway.end().status).toBe("complete");
    const early = await first.fold();
    expect(early).toMatchObject({ status: "complete", errors: [], models: MODELS });
    expect(early.text).toBe(body.toString());
    for (const client of clients) expect(await client.fold()).toMatchObject({ errors: [], models: MODELS });
    expect(log).toEqual([]);
    gateway.close();
  });

  it("passes events on before the next ones come", async () => {
    const gateway = await open();
    const response = await fetch(gateway.url);
    const reader = response.body!.getReader();
    for (const lineEnd of ["\n", "\r\n", "\r"]) {
      const event = `data: ${JSON.stringify(START)}${lineEnd}${lineEnd}`;
      gateway.relay(Buffer.from(`${event}data: {"op":`));
      expect(Buffer.from((await reader.read()).value!).toString()).toBe(event);
      gateway.reconnect();
    }
    await reader.cancel();
    gateway.close();
  });

  it("sends the sound events of a chunk before a faulty one, then ends", async () => {
    for (const fault of ['{"op":]', "[]", '{"op":"ping"', '{"stream_id":5}']) {
      const log: string[] = [];
      const gateway = await open(log);
      const early = await join(gateway);
      expect(gateway.relay(sse(START))).toBe(true);
      const late = await join(gateway);
      expect(gateway.relay(Buffer.concat([sse(append(2, "!")), sse(fault, append(3, "lost"))]))).toBe(false);
      expect(gateway.relay(sse(append(4, "lost")))).toBe(false);
      const afterwards = await join(gateway);
      for (const client of [early, late, afterwards]) {
        const { status, errors, models } = await client.fold();
        expect({ status, errors }).toEqual({ status: "truncated", errors: [] });
        expect(models).toEqual({ "": { status: "open", seq: 2, model: modelWith("Hello!") } });
      }
      expect(log).toHaveLength(1);
      expect(gateway.end().status).toBe("truncated");
      gateway.reconnect();
      const next = await join(gateway);
      expect(gateway.relay(sse(append(3, "?"), end(4)))).toBe(true);
      expect(gateway.end().status).toBe("complete");
      expect(await next.fold()).toMatchObject({
        status: "complete",
        models: { "": { status: "ended", model: modelWith("Hello!?") } },
      });
      gateway.close();
    }
  });

  it("does not show a stream that is refused to those who join late", async () => {
    const gateway = await open();
    gateway.relay(sse(START, start("b"), { op: "jump", seq: 2 }));
    const client = await join(gateway);
    gateway.relay(sse(START, append(2, "!"), end(3), end(2, "b")));
    gateway.end();
    expect(await client.fold()).toMatchObject({
      status: "complete",
      errors: [],
      models: { "": { model: modelWith("Hello!") }, b: { model: START.model } },
    });
    gateway.close();
  });

  it("sends the tail of a body, closed when it is a whole event", async () => {
    const last = `data: ${JSON.stringify(end(2))}`;
    for (const [tail, status, sent] of [
      [last, "complete", `${last}\n\n`],
      [last.slice(0, -1), "truncated", last.slice(0, -1)],
    ] as const) {
      const gateway = await open();
      const client = await join(gateway);
      gateway.relay(Buffer.concat([sse(START), Buffer.from(tail)]));
      expect(gateway.end().status).toBe(status);
      const folded = await client.fold();
      expect(folded.status).toBe(status);
      expect(folded.text.endsWith(sent)).toBe(true);
      gateway.close();
    }
  });

  it("lets a client join a recorded session in its middle", async () => {
    const body = readFileSync(new URL("../../examples/support-session.sse", import.meta.url));
    const gateway = await open();
    const early = await join(gateway);
    gateway.relay(body.subarray(0, 400_001));
    const late = await join(gateway);
    gateway.relay(body.subarray(400_001));
    gateway.end();
    const [first, second] = await Promise.all([early.fold(), late.fold()]);
    expect(first.status).toBe("complete");
    expect(second.models).toEqual(first.models);
    gateway.close();
  });
});
