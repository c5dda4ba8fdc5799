import { expect } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { append, end, modelOf, set, start } from "../contract/base.js";
import {
  messagesSnapshot,
  started,
  stateDelta,
  stateSnapshot,
  textContent,
  textStart,
  toolArgs,
  toolStart,
} from "../support/agui-events.js";
import { type BinaryTransport, msgpackOf, protobufOf } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { thrown } from "../support/fold.js";
import { hex } from "../support/msgpack.js";

/** One of the three pairs of protocol and wire. */
export interface Wire {
  name: string;
  transport: BinaryTransport;
  options: ReducerOptions;
  encode(event: unknown): Uint8Array;
  /** Bytes that cannot be read. */
  broken: Uint8Array;
  /** A stream that grows, from its beginning. */
  begin: readonly unknown[];
  token(i: number, text: string): unknown;
  /** Everything that builds something. */
  everything: readonly unknown[];
}

export const X = { id: "x", type: "t", content: "" };
const AGENTUE: Pick<Wire, "begin" | "token" | "everything"> = {
  begin: [start(modelOf(X))],
  token: (i, text) => append(2 + i, "x", text),
  everything: [
    start(modelOf(X, { id: "list", type: "t", items: [1, { a: "b" }] })),
    append(2, "x", "é\n"),
    set(3, { id: "y", type: "t", deep: { er: [null, "x".repeat(3000)] } }),
    end(4),
  ],
};
const AGUI: Pick<Wire, "begin" | "token" | "everything"> = {
  begin: [started(), textStart("m")],
  token: (_, text) => textContent("m", text),
  everything: [
    started(),
    textStart("m", { role: "assistant" }),
    textContent("m", "é\n"),
    toolStart("c"),
    toolArgs("c", '{"a":'),
    stateSnapshot({ list: [1, 2], text: "x".repeat(3000) }),
    stateDelta([{ op: "add", path: "/list/0", value: { a: [null] } }]),
    messagesSnapshot([{ id: "u", role: "user", content: "hello" }]),
  ],
};
export const msgpack = (event: unknown): Uint8Array => msgpackOf(JSON.stringify(event));
const protobuf = (event: unknown): Uint8Array => protobufOf(JSON.stringify(event));
export const WIRES: readonly Wire[] = [
  {
    name: "AgentUE over MessagePack",
    transport: "msgpack",
    options: { protocol: "agentue", transport: "msgpack" },
    encode: msgpack,
    broken: hex("82 a1 61 c1"),
    ...AGENTUE,
  },
  {
    name: "AG-UI over MessagePack",
    transport: "msgpack",
    options: { protocol: "ag-ui", transport: "msgpack" },
    encode: msgpack,
    broken: hex("82 a1 61 c1"),
    ...AGUI,
  },
  {
    name: "AG-UI over protobuf",
    transport: "protobuf",
    options: { protocol: "ag-ui", transport: "protobuf" },
    encode: protobuf,
    broken: hex("00 00 00 02 12 05"),
    ...AGUI,
  },
];

/** What a reducer may live through; all of it is to be given back. */
export const LIVES: Record<string, (reducer: Reducer, wire: Wire) => void> = {
  "everything that builds something": (reducer, { everything, encode }) => {
    for (const event of everything) reducer.push(encode(event));
  },
  "tokens of every kind, in pieces": (reducer, { begin, token, encode }) => {
    const tokens = Array.from({ length: 400 }, (_, i) =>
      token(i, ["a", " the", '"\n', "é", "long ".repeat(200)][i % 5] as string),
    );
    for (const chunk of everyN(concat([...begin, ...tokens].map(encode)), 777)) reducer.push(chunk);
  },
  "a large token that needs escapes": (reducer, { begin, token, encode }) => {
    for (const event of [...begin, token(0, "a"), token(1, "\n".repeat(10_000))]) reducer.push(encode(event));
  },
  "half a message": (reducer, { everything, encode }) => {
    reducer.push(encode(everything[0]).subarray(0, 20));
  },
  "a large half message in small pieces": (reducer, { transport }) => {
    reducer.push(transport === "msgpack" ? hex("81 a1 61 db 00 ff ff ff") : hex("00 ff ff ff"));
    for (let i = 0; i < 1000; i++) reducer.push(new Uint8Array(1000));
  },
  "a failed connection": (reducer, { begin, encode, broken }) => {
    reducer.push(concat(begin.map(encode)));
    expect(thrown(() => reducer.push(broken))).toBeDefined();
    expect(thrown(() => reducer.push(broken))).toBeDefined();
  },
  "a queue": (reducer, { begin, token, encode }) => {
    reducer.push(concat(begin.map(encode)));
    reducer.pause();
    for (let i = 0; i < 100; i++) reducer.push(encode(token(i, "queued\n".repeat(30))));
  },
  "a queue that was applied": (reducer, { begin, token, encode }) => {
    reducer.push(concat(begin.map(encode)));
    reducer.pause();
    for (let i = 0; i < 100; i++) reducer.push(encode(token(i, "queued\n".repeat(30))));
    reducer.resume();
  },
  "checkpoints, in the middle of a message": (reducer, { begin, token, encode }) => {
    const half = encode(token(0, "half\n"));
    reducer.push(concat([...begin.map(encode), half.subarray(0, 9)]));
    const saved = reducer.checkpoint();
    for (let i = 0; i < 20; i++) {
      reducer.restore(saved);
      expect(thrown(() => reducer.restore(saved.subarray(0, saved.length - 1 - i)))?.code).toBe("bad_checkpoint");
    }
    reducer.push(half.subarray(9));
  },
  "models that are read": (reducer, { everything, encode }) => {
    for (const event of everything) reducer.push(encode(event));
    for (let i = 0; i < 10; i++) {
      reducer.snapshotBytes({ format: "msgpack" });
      reducer.snapshot();
      reducer.changes({ since: 1 });
    }
  },
};

export const ENDS: Record<string, (reducer: Reducer, wire: Wire) => void> = {
  close: (reducer) => reducer.close(),
  "reset, use, close": (reducer, { begin, encode }) => {
    reducer.reset();
    reducer.push(concat(begin.map(encode)));
    reducer.close();
  },
  "finish, reconnect, close": (reducer) => {
    reducer.finish();
    reducer.reconnect();
    reducer.close();
  },
};
