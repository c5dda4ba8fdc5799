import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createEncoder, negotiate, transportOfMediaType } from "../../src/index.js";
import { text } from "../support/bytes.js";
import { decode } from "../transport/support/wires.js";

const DOC = readFileSync(new URL("../../docs/transports.md", import.meta.url), "utf8");

/** The example under a heading, its imports taken away; gives the function of that name. */
function example<T>(heading: string, name: string): T {
  const section = DOC.slice(DOC.indexOf(`\n## ${heading}`));
  const code = /```js\n([\s\S]*?)```/.exec(section)![1]!.replaceAll(/^import .*$/gm, "");
  return new Function("createEncoder", "negotiate", `${code}\nreturn ${name};`)(createEncoder, negotiate) as T;
}

const EVENTS = [
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "hello" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r" },
];

describe("the examples of docs/transports.md", () => {
  it("write a tick to every client", () => {
    const tick = example<(events: object[], clients: object[]) => void>("Writing events", "tick");
    const got: [number, string][] = [];
    const clients = [0, 1].map((client) => ({ write: (bytes: Uint8Array) => got.push([client, text(bytes)]) }));
    tick([{ event: { op: "ping", seq: 1 }, id: "1" }, { event: { op: "end", seq: 2 } }], clients);
    tick([], clients.slice(1));
    const bytes = 'id: 1\ndata: {"op":"ping","seq":1}\n\ndata: {"op":"end","seq":2}\n\n';
    expect(got).toEqual([
      [0, bytes],
      [1, bytes],
      [1, ""],
    ]);
  });

  it("answer a request in the wire that it asks for", async () => {
    const answer = example<(request: Request, events: AsyncIterable<unknown>) => Response>("Choosing a wire", "answer");
    async function* events() {
      yield* EVENTS;
    }
    for (const [accept, transport] of [
      ["text/event-stream", "sse"],
      ["application/x-ndjson", "ndjson"],
      ["*/*", "protobuf"],
    ] as const) {
      const response = answer(new Request("http://localhost/", { headers: { accept } }), events());
      expect(transportOfMediaType(response.headers.get("content-type"))).toBe(transport);
      expect(decode(transport, new Uint8Array(await response.arrayBuffer()))).toEqual(EVENTS);
    }
    const refused = answer(
      new Request("http://localhost/", { headers: { accept: "text/event-stream;q=0" } }),
      events(),
    );
    expect(refused.status).toBe(406);
  });
});
