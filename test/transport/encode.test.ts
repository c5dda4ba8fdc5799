import { EventEncoder } from "@ag-ui/encoder";
import { AGUI_MEDIA_TYPE, decode as decodeProto, encode as encodeProto } from "@ag-ui/proto";
import { describe, expect, it } from "vitest";
import { MsgpackFault, readMsgpack } from "../../src/codec/msgpack/index.js";
import { readProtobuf } from "../../src/codec/protobuf/read.js";
import { createEncoder, encodeEvent, encodeEvents, encodeSse, type Transport } from "../../src/index.js";
import { stringify } from "../../src/json/exact.js";
import { EVENT_TYPES, type Event, randomEvent, randomJson, SAMPLES, toHex } from "../codec/support/protobuf.js";
import { type CoreMessage, CoreMsgpack } from "../core/support/msgpack.js";
import { Probe } from "../core/support/probe.js";
import { append, end, modelWith, START } from "../reducer/wire.js";
import { concat, text, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { COMMON, decode, TRANSPORTS } from "./support/wires.js";

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Each operation of AgentUE, and members that are read in more than one way. */
const AGENTUE: Event[] = [
  { ...START },
  {
    op: "start",
    seq: 2 ** 53 - 1,
    stream_id: "客服-7",
    ts: 1_767_600_000_000,
    model: { version: "1.1", biz: "b", meta: { "": null, "10": 1, "2": [[], {}] }, blocks: [{ id: "r", ref: "x" }] },
  },
  { op: "set", seq: 2, block: { id: "a", type: "tool", args: { n: [0, -1, 1.5, 1e300, -5e-324, true, null] } } },
  { op: "set", seq: 3, mask: "meta.title.sub", meta: { title: { sub: '"quoted" \\ \n\u0001\u007f é 中 😀' } } },
  { ...append(4, " token"), stream_id: "" },
  { op: "append", seq: 5, mask: "block.items", block: { id: "a", items: [{ x: {} }, []] } },
  { op: "error", seq: 6, mask: "meta.error", meta: { error: { code: "c", message: "m", detail: null } } },
  { op: "end", seq: 7 },
  { op: "ping", seq: 7 },
];

describe.each(COMMON)("every operation of AgentUE over %s", (transport) => {
  it.each(AGENTUE)("%j", (event) => {
    const bytes = encodeEvent(event, { transport, protocol: "agentue" });
    expect(decode(transport, bytes)).toEqual([event]);
    expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
    expect(encodeEvent(event, { transport })).toEqual(bytes);
  });
});

describe.each(COMMON)("every type of AG-UI over %s", (transport) => {
  it.each(EVENT_TYPES)("%s", (type) => {
    const rng = new Rng(7);
    for (let i = 0; i < 25; i++) {
      const event = randomEvent(rng, type);
      expect(decode(transport, encodeEvent(event, { transport, protocol: "ag-ui" })), JSON.stringify(event)).toEqual([
        event,
      ]);
    }
  });
});

describe("every type of AG-UI over protobuf", () => {
  it.each(EVENT_TYPES)("%s", (type) => {
    const rng = new Rng(8);
    const official = new EventEncoder({ accept: AGUI_MEDIA_TYPE });
    for (let i = 0; i < 25; i++) {
      const event = randomEvent(rng, type, true);
      const bytes = encodeEvent(event, { transport: "protobuf" });
      expect(toHex(bytes), JSON.stringify(event)).toBe(toHex(official.encodeBinary(event as never)));
      expect(decode("protobuf", bytes)).toEqual([asJson(decodeProto(encodeProto(event as never)))]);
      const back = readProtobuf(bytes.subarray(4), { depth: 512 });
      expect("value" in back && JSON.parse(stringify(back.value))).toEqual(decode("protobuf", bytes)[0]);
    }
  });

  it("M4: is a length and the payload", () => {
    for (const [payload, event] of SAMPLES) {
      const hex = payload.replaceAll(" ", "");
      const length = (hex.length / 2).toString(16).padStart(8, "0");
      expect(toHex(encodeEvent(event, { transport: "protobuf", protocol: "ag-ui" }))).toBe(length + hex);
    }
  });

  it("leaves out what has no field, and writes maps in their order", () => {
    const event = { type: "STATE_SNAPSHOT", snapshot: { b: 1, a: { z: 0, y: 0 } }, extra: { of: "mine" } };
    const { extra: _, ...known } = event;
    const bytes = encodeEvent(event, { transport: "protobuf" });
    expect(bytes).toEqual(encodeEvent(known, { transport: "protobuf" }));
    const back = readProtobuf(bytes.subarray(4), { depth: 512 });
    expect("value" in back && JSON.stringify(back.value)).toBe(JSON.stringify(known));
  });
});

describe("texts of the wires", () => {
  const event = { type: "CUSTOM", name: "\n\r\u2028é", value: [1.0, 1e21, 0.1] };
  const json = '{"type":"CUSTOM","name":"\\n\\r\u2028é","value":[1,1e+21,0.1]}';

  it("L3, L4: are JSON in their frames", () => {
    expect(text(encodeEvent(event, { transport: "json" }))).toBe(json);
    expect(text(encodeEvent(event, { transport: "ndjson" }))).toBe(`${json}\n`);
    expect(text(encodeEvent(event, { transport: "sse" }))).toBe(`data: ${json}\n\n`);
    expect(encodeSse(event)).toEqual(encodeEvent(event, { transport: "sse" }));
  });

  it("are those of JSON.stringify, for strings of every kind and length", () => {
    const rng = new Rng(3);
    const units = [
      "a", "Z", " ", '"', "\\", "/", "\b", "\f", "\n", "\r", "\t", "\0", "\u001f", "\u007f", "\u0080", "é", "\u07ff",
      "\u0800", "中", "\ud7ff", "\ue000", "\uffff", "\u2028", "😀", "\u{10ffff}", "\ud800", "\udc00", "\udfff",
    ]; // biome-ignore format: one line is easier to read
    for (let i = 0; i < 4000; i++) {
      const least = rng.pick([0, 0, 20, 60, 90, 120, 250, 2000]);
      const plain = rng.chance(0.4);
      let string = "";
      for (let n = least + rng.int(20); n > 0; n--) string += plain || rng.chance(0.7) ? "x" : rng.pick(units);
      const value = { [string]: string, list: [string] };
      expect(text(encodeEvent(value, { transport: "json" }))).toBe(JSON.stringify(value));
      const [back] = decode("msgpack", encodeEvent(value, { transport: "msgpack" }));
      const repaired = new TextDecoder().decode(new TextEncoder().encode(string));
      expect(back).toEqual({ [repaired]: repaired, list: [repaired] });
    }
  });

  it("are those of JSON.stringify, for numbers of every kind", () => {
    const rng = new Rng(4);
    const numbers = [0, 1, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 1e8, 1e8 - 1, 99999999.5, 1e15, 2 ** 53 - 1];
    for (let i = 0; i < 5000; i++) {
      numbers.push(Math.floor(rng.next() * 10 ** rng.int(16)), (rng.next() - 0.5) * 10 ** rng.between(-30, 30));
    }
    const value = {
      n: [...numbers, ...numbers.map((n) => -n).filter((n) => n !== 0)].filter(
        (n) => Math.abs(n) < 2 ** 53 || Math.abs(n) > 1e21,
      ),
    };
    expect(text(encodeEvent(value, { transport: "json" }))).toBe(JSON.stringify(value));
    expect(decode("msgpack", encodeEvent(value, { transport: "msgpack" }))).toEqual([value]);
  });

  it("keep the sign of zero and the digits of large integers, where JSON.stringify does not", () => {
    const value = { n: [-0, 2 ** 60, -(2 ** 53), 1e20, 1.2345678901234567e19, 1e21] };
    expect(text(encodeEvent(value, { transport: "json" }))).toBe(
      '{"n":[-0,1152921504606846976,-9007199254740992,100000000000000000000,12345678901234567168,1e+21]}',
    );
    for (const transport of COMMON) {
      const { n } = decode(transport, encodeEvent(value, { transport }))[0] as { n: (number | bigint)[] };
      expect(n.map(Number)).toEqual(value.n);
    }
  });
});

describe("what is written reads back", () => {
  it.each(KINDS)("into the reducers (%s)", (kind) => {
    const events = [START, append(2, ", wörld"), append(3, "\ud83d"), append(4, "\ude00"), end(5)];
    for (const transport of ["sse", "ndjson"] as const) {
      const reducer = engine(kind).createReducer({ protocol: "agentue", transport });
      expect(reducer.push(encodeEvents(events, { transport }))).toBe(events.length);
      expect(reducer.finish().status).toBe("complete");
      expect(reducer.snapshot()).toEqual(modelWith("Hello, wörld😀"));
      reducer.close();
    }
    const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "json" });
    for (const event of events) expect(reducer.push(encodeEvent(event, { transport: "json" }))).toBe(1);
    expect(reducer.snapshot()).toEqual(modelWith("Hello, wörld😀"));
    reducer.close();
  });

  it("through the readers of MessagePack", () => {
    const rng = new Rng(5);
    const core = new CoreMsgpack(new Probe("simd"));
    for (let i = 0; i < 400; i++) {
      const event = { op: "set", seq: i, block: { id: "a", value: randomJson(rng, 5) } };
      const bytes = encodeEvent(event, { transport: "msgpack" });
      const back = readMsgpack(bytes, { depth: 512, replace: false });
      expect(back instanceof MsgpackFault ? back : JSON.parse(stringify(back.value))).toEqual(event);
      expect(JSON.parse((core.read(bytes) as CoreMessage).text)).toEqual(event);
      expect(core.write(text(encodeEvent(event, { transport: "json" })))).toEqual(bytes);
    }
    core.free();
  });
});

describe("maps of every size", () => {
  it.each([0, 1, 15, 16, 17, 65_535, 65_536])("%i members, and as many that are undefined", (n) => {
    const members = Array.from({ length: n }, (_, i) => [`k${i}`, i] as const);
    const gaps = Object.fromEntries(
      members.flatMap(([name, member]) => [
        [name, member],
        [`${name}?`, undefined],
      ]),
    );
    for (const transport of n < 1000 ? TRANSPORTS : COMMON) {
      const value = { type: "STATE_SNAPSHOT", snapshot: { m: Object.fromEntries(members), after: [1] } };
      const bytes = encodeEvent(value, { transport });
      const others = encodeEvent({ ...value, snapshot: { ...value.snapshot, m: gaps } }, { transport });
      expect(Buffer.compare(bytes, others)).toBe(0);
      const [back] = decode(transport, bytes) as [typeof value];
      expect(JSON.stringify(back.snapshot) === JSON.stringify(value.snapshot)).toBe(true);
    }
  });
});

describe("batches", () => {
  const rng = new Rng(6);
  const events = EVENT_TYPES.flatMap((type) => Array.from({ length: 20 }, () => randomEvent(rng, type, true)));

  it.each(TRANSPORTS.filter((transport) => transport !== "json"))(
    "are the messages behind each other (%s)",
    (transport: Transport) => {
      const messages = events.map((event) => encodeEvent(event, { transport }));
      const whole = concat(messages);
      expect(encodeEvents(events, { transport })).toEqual(whole);
      expect(encodeEvents(new Set(events), { transport })).toEqual(whole);
      expect(encodeEvents([], { transport })).toEqual(new Uint8Array(0));
      for (const pool of [false, true]) {
        const encoder = createEncoder({ transport, pool });
        const given: Uint8Array[] = [];
        const wanted: Uint8Array[] = [];
        let batch: Uint8Array[] = [];
        for (const [i, event] of events.entries()) {
          const kind = (i * 7) % 5;
          if (kind < 3) {
            encoder.add(event);
            batch.push(messages[i]!);
          } else {
            // One by itself, whatever is pending.
            given.push(encoder.encode(event));
            wanted.push(messages[i]!);
          }
          expect(encoder.pending).toBe(batch.reduce((sum, { length }) => sum + length, 0));
          if (kind === 2 && i % 3 === 0) {
            given.push(encoder.take());
            wanted.push(concat(batch));
            batch = [];
          }
        }
        given.push(encoder.take(), encoder.take());
        wanted.push(concat(batch), new Uint8Array(0));
        // Nothing that came later has changed what was given before.
        expect(given.map(toHex)).toEqual(wanted.map(toHex));
        if (!pool) for (const bytes of given) expect(bytes.byteLength).toBe(bytes.buffer.byteLength);
      }
    },
  );

  it("hold one message of json", () => {
    expect(encodeEvents([START], { transport: "json" })).toEqual(utf8(JSON.stringify(START)));
  });
});
