import { EventEncoder } from "@ag-ui/encoder";
import { describe, expect, it } from "vitest";
import { mediaTypeOf, type NegotiateOptions, negotiate, type Transport } from "../../src/index.js";
import { failing } from "../reducer/expect-error.js";
import { Rng } from "../support/rng.js";

const PROTO = mediaTypeOf("protobuf");
const EVENTS = "text/event-stream";

/** The media type that is chosen, `406` for none. */
function choose(accept: string | null | undefined, options: NegotiateOptions): string {
  const chosen = negotiate(accept, options);
  if (chosen === undefined) return "406";
  expect(chosen.mediaType).not.toBe("");
  return `${chosen.transport} ${chosen.mediaType}`;
}

const usual = (transport: Transport): string => `${transport} ${mediaTypeOf(transport)}`;

// What clients send: Accept, the wire of AgentUE, the wire of AG-UI.
const CLIENTS: [string, string | null | undefined, string, string][] = [
  ["no header", undefined, usual("sse"), usual("sse")],
  ["no header, as Headers.get says it", null, usual("sse"), usual("sse")],
  ["EventSource", EVENTS, usual("sse"), usual("sse")],
  ["fetch, curl, axios without settings", "*/*", usual("sse"), usual("protobuf")],
  ["axios", "application/json, text/plain, */*", usual("json"), usual("protobuf")],
  [
    "a page load in Chrome",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    usual("sse"),
    usual("protobuf"),
  ],
  [
    "a page load in Firefox",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    usual("sse"),
    usual("protobuf"),
  ],
  [
    "a page load in Safari",
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    usual("sse"),
    usual("protobuf"),
  ],
  [
    "an image in Chrome",
    "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
    usual("sse"),
    usual("protobuf"),
  ],
  [
    "HttpURLConnection of Java",
    "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
    usual("sse"),
    usual("protobuf"),
  ],
  ["the AG-UI client", EVENTS, usual("sse"), usual("sse")],
  ["an AG-UI client that reads both", `${PROTO}, ${EVENTS}`, usual("sse"), usual("protobuf")],
  ["one that prefers SSE", `${EVENTS};q=1, ${PROTO};q=0.1`, usual("sse"), usual("protobuf")],
  ["one that does not want protobuf", `*/*, ${PROTO};q=0`, usual("sse"), usual("sse")],
  ["a client that reads JSON or SSE", `application/json, ${EVENTS}`, usual("sse"), usual("sse")],
];

// What the header means by itself, for AgentUE with all of its wires.
const RULES: [string, string][] = [
  // weights
  ["application/x-ndjson;q=0.9, text/event-stream;q=0.8", usual("ndjson")],
  ["application/x-ndjson;q=0.8, text/event-stream;q=0.9", usual("sse")],
  ["text/event-stream;q=0.001, application/json;q=0", usual("sse")],
  ["application/json;q=1.000, text/event-stream;q=0.999", usual("json")],
  ['application/vnd.msgpack; Q="0.5", application/json;q=0.4', usual("msgpack")],
  ["application/json;q=.7, application/vnd.msgpack;q=0.65", usual("json")],
  ["application/json;q=0.12345, application/vnd.msgpack;q=0.1234", usual("json")],
  // specificity
  ["text/*;q=0.1, text/event-stream;q=0.9, application/json;q=0.5", usual("sse")],
  ["text/*;q=0.9, text/event-stream;q=0.1, application/json;q=0.5", usual("json")],
  ["*/*;q=0.1, application/*;q=0.9", usual("ndjson")],
  ["*/*, application/vnd.msgpack", usual("msgpack")],
  ["*/*, application/*", usual("ndjson")],
  ["application/*, application/json", usual("json")],
  ["*/*, text/event-stream;q=0", usual("ndjson")],
  ["*/*, text/*;q=0", usual("ndjson")],
  ["*/*, text/event-stream;q=0, application/x-ndjson;q=0", usual("json")],
  ["*/*;q=0, application/json", usual("json")],
  ["text/event-stream;q=0.2, text/event-stream;q=0.6, application/json;q=0.5", usual("sse")],
  // other names
  ["application/jsonl", "ndjson application/jsonl"],
  ["application/ndjson;q=0.5, application/x-ndjson;q=0.4", "ndjson application/ndjson"],
  ["application/x-msgpack, application/msgpack;q=0.9", "msgpack application/x-msgpack"],
  ["application/*, application/x-ndjson;q=0", usual("json")],
  // parameters
  ["application/json; charset=utf-8", usual("json")],
  ['text/event-stream; charset="UTF8"; q=0.5', usual("sse")],
  ["application/json; charset=latin1", "406"],
  ["application/json; odata=verbose", "406"],
  ["application/vnd.msgpack; charset=utf-8", "406"],
  ['application/json; profile="a, b; q=1"; q=0.9, text/event-stream; q=0.1', usual("sse")],
  ["application/json; q=0.3; level=1", usual("json")],
  ["text/event-stream;;q=0.3; ;", usual("sse")],
  // case and space
  ["TEXT/Event-Stream", usual("sse")],
  [" \t text/event-stream \t;\tq=0.5 , ,,", usual("sse")],
  // nothing that can be written
  ["text/html", "406"],
  ["text/html, image/*;q=0.5", "406"],
  ["*/*;q=0", "406"],
  ["text/event-stream;q=0", "406"],
  ["text/event-stream;q=0.0, application/json;q=0.000", "406"],
  ["application/vnd.ag-ui.event+proto", "406"],
  // malformed members say nothing
  ["application/json;q=2, application/vnd.msgpack;q=0.1", usual("msgpack")],
  ["application/json;q=-1, application/vnd.msgpack;q=0.1", usual("msgpack")],
  ["application/json;q=x, application/vnd.msgpack;q=0.1", usual("msgpack")],
  ["application/json;q=, application/vnd.msgpack;q=0.1", usual("msgpack")],
  ["application/json;q, application/vnd.msgpack;q=0.1", usual("msgpack")],
  [
    "*/json, json, /json, application/, app lication/json, application/json/x, application/vnd.msgpack",
    usual("msgpack"),
  ],
  ["*, application/vnd.msgpack", usual("msgpack")],
  ['application/json; x="open, application/vnd.msgpack', usual("sse")],
  // with no member left there is no header
  ["", usual("sse")],
  [" , ;,", usual("sse")],
  ["garbage", usual("sse")],
  ["\u0000\ud800/\ufffd", usual("sse")],
];

describe("negotiation", () => {
  it.each(CLIENTS)("answers %s", (_, accept, agentue, agui) => {
    expect(choose(accept, { protocol: "agentue" })).toBe(agentue);
    expect(choose(accept, { protocol: "ag-ui" })).toBe(agui);
  });

  it.each(RULES)("reads %j", (accept, expected) => {
    expect(choose(accept, { protocol: "agentue" })).toBe(expected);
    // AG-UI without its binary wire: the same, but that it answers SSE where nothing else is asked for.
    const transports = ["sse", "ndjson", "json", "msgpack"] as const;
    const refusesSse =
      negotiate(accept, { protocol: "agentue", transports: ["sse"] }) === undefined && /event-stream;q=0/.test(accept);
    expect(choose(accept, { protocol: "ag-ui", transports })).toBe(
      expected === "406" && !refusesSse ? usual("sse") : expected,
    );
  });

  it("keeps to what the server can write, in its order", () => {
    const agentue = (accept: string | undefined, ...transports: Transport[]) =>
      choose(accept, { protocol: "agentue", transports });
    expect(agentue("*/*", "ndjson", "sse")).toBe(usual("ndjson"));
    expect(agentue(undefined, "msgpack", "sse")).toBe(usual("msgpack"));
    expect(agentue("application/json, text/event-stream", "json", "sse")).toBe(usual("json"));
    expect(agentue("application/json, text/event-stream", "ndjson")).toBe("406");
    expect(agentue("text/event-stream;q=0.1, application/json", "sse")).toBe(usual("sse"));
    const agui = (accept: string | undefined, ...transports: Transport[]) =>
      choose(accept, { protocol: "ag-ui", transports });
    expect(agui("*/*", "sse", "ndjson")).toBe(usual("sse"));
    expect(agui("*/*", "sse", "protobuf")).toBe(usual("protobuf"));
    // Nobody has asked for it, unless there is nothing else.
    expect(agui(undefined, "protobuf", "sse")).toBe(usual("sse"));
    expect(agui(undefined, "protobuf")).toBe(usual("protobuf"));
    expect(agui("text/event-stream", "protobuf")).toBe("406");
    expect(agui("text/html", "protobuf", "ndjson")).toBe("406");
  });

  it("M1, M2: admits protobuf where the reference does", () => {
    const rng = new Rng(1);
    const names = [
      PROTO,
      PROTO.toUpperCase(),
      "application/*",
      "*/*",
      EVENTS,
      "text/*",
      "application/json",
      "image/png",
    ];
    const weights = ["", ";q=1", ";q=0.5", ";q=0", "; q=0.001", ";q=0.0", ";v=1", ";v=1;q=0.3"];
    let admitted = 0;
    for (let i = 0; i < 3000; i++) {
      const members = Array.from({ length: rng.between(1, 5) }, () => rng.pick(names) + rng.pick(weights));
      const accept = members.join(rng.pick([",", ", "]));
      const reference = new EventEncoder({ accept }).getContentType() === PROTO;
      expect(negotiate(accept, { protocol: "ag-ui" })?.transport === "protobuf", accept).toBe(reference);
      if (reference) admitted++;
    }
    expect(admitted).toBeGreaterThan(500);
    expect(admitted).toBeLessThan(2500);
  });

  it("answers every text, in time that grows with its length", () => {
    const rng = new Rng(2);
    const pieces = ["a/b", "*/*", "text/event-stream", ",", ";", "q", "=", "0", ".5", '"', "\\", " ", "é", "/", "*"];
    for (let i = 0; i < 5000; i++) {
      const accept = Array.from({ length: rng.int(20) }, () => rng.pick(pieces)).join("");
      const chosen = negotiate(accept, { protocol: "agentue" });
      if (chosen !== undefined) expect(mediaTypeOf(chosen.transport)).not.toBe("");
    }
    for (const piece of [",", ";", '"', "\\", "a/b;", 'a/b;c="\\', "*/*;q=0,"])
      expect(() => negotiate(piece.repeat(100_000), { protocol: "agentue" })).not.toThrow();
  });

  it("refuses options that are not as described", () => {
    const call =
      (options: unknown, accept: unknown = "*/*") =>
      () =>
        negotiate(accept as string, options as NegotiateOptions);
    for (const options of [
      undefined,
      null,
      5,
      {},
      { protocol: "x" },
      { protocol: "ag-ui", transports: [] },
      { protocol: "ag-ui", transports: "sse" },
    ])
      failing(call(options), "bad_argument");
    failing(call({ protocol: "agentue" }, ["*/*"]), "bad_argument");
    for (const transports of [["protobuf"], ["sse", "x"], ["sse", undefined]])
      failing(call({ protocol: "agentue", transports }), "unsupported_transport");
  });
});
