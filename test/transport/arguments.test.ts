import { describe, expect, it } from "vitest";
import {
  createEncoder,
  encodeEvent,
  encodeEvents,
  encodeSse,
  mediaTypeOf,
  negotiate,
  transportOfMediaType,
} from "../../src/index.js";
import { failing } from "../reducer/expect-error.js";
import { engine, KINDS } from "../support/engines.js";

/** Values that no message can be made of without care: JSON has no BigInt, a symbol is no string, and these objects throw when they are asked. */
const AWKWARD: readonly unknown[] = [
  1n,
  Symbol("s"),
  {
    toString() {
      throw new Error("mine");
    },
  },
  Object.create(null),
  revoked(),
];
const event = { op: "ping", seq: 1 };

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** An object whose member throws when it is read. */
function throwing(name: string, others: object = {}): never {
  const get = () => {
    throw new Error("mine");
  };
  return Object.defineProperty(others, name, { get, enumerable: true }) as never;
}

describe("names of wires that are no names", () => {
  it.each(AWKWARD.map((value, i) => [i, value] as const))("number %i", (_, value) => {
    const name = value as never;
    failing(() => mediaTypeOf(name), "unsupported_transport");
    expect(transportOfMediaType(name)).toBeUndefined();
    failing(() => negotiate(null, { protocol: "ag-ui", transports: [name] }), "unsupported_transport");
    for (const wrong of [{ protocol: name }, name, { protocol: "ag-ui", transports: name } as never])
      failing(() => negotiate(null, wrong), "bad_argument");
    failing(() => negotiate(name, { protocol: "ag-ui" }), "bad_argument");
    failing(() => encodeEvent(event, { transport: name }), "bad_argument");
    failing(() => encodeEvent(event, { transport: "sse", depth: name }), "bad_argument");
    failing(() => encodeEvents(name, { transport: "sse" }), "bad_argument");
    failing(() => encodeSse(event, { id: name }), "bad_argument");
    failing(() => encodeSse(event, { retry: name }), "bad_argument");
  });

  it.each(KINDS)("formats and event types (%s)", (kind) => {
    const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
    for (const value of AWKWARD) {
      failing(() => reducer.snapshotBytes({ format: value as never }), "unsupported_transport");
      const options = { protocol: "ag-ui", transport: "sse", eventTypes: [value as never] } as const;
      expect(failing(() => engine(kind).createReducer(options), "bad_argument").message).toContain("eventTypes names");
    }
    reducer.close();
  });
});

describe("options and fields that throw when they are read", () => {
  it.each<[string, () => unknown]>([
    ["the wire", () => encodeEvent(event, throwing("transport"))],
    ["the protocol", () => encodeEvents([event], throwing("protocol", { transport: "sse" }))],
    ["the depth", () => encodeEvent(event, throwing("depth", { transport: "sse" }))],
    ["the pool", () => createEncoder(throwing("pool", { transport: "sse" }))],
    ["the wires to choose from", () => negotiate(null, throwing("transports", { protocol: "ag-ui" }))],
    ["one of them", () => negotiate(null, { protocol: "ag-ui", transports: throwing("0", []) })],
    ["the protocol to choose for", () => negotiate(null, throwing("protocol"))],
    ["the id", () => encodeSse(event, throwing("id"))],
    ["the retry", () => encodeSse(event, throwing("retry", { id: "1" }))],
    ["the names of fields", () => encodeSse(event, revoked())],
    ["the names of options", () => encodeEvent(event, revoked() as never)],
  ])("%s", (_, call) => {
    const { cause } = failing(call, "bad_argument");
    expect(cause).toBeInstanceOf(Error);
  });

  it("leave the encoder as it was", () => {
    const encoder = createEncoder({ transport: "sse" });
    encoder.add(event, { id: "1" });
    failing(() => encoder.add(event, throwing("id")), "bad_argument");
    encoder.add(event);
    const data = 'data: {"op":"ping","seq":1}\n\n';
    expect(Buffer.from(encoder.take()).toString()).toBe(`id: 1\n${data}${data}`);
  });
});
