import { describe, expect, it } from "vitest";
import type { Engine, Protocol, Reducer, Transport } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import type { StreamfoldError } from "../../src/errors.js";
import { encodeEvent } from "../../src/transport/encode.js";
import { failing } from "../reducer/expect-error.js";
import { append, end, modelWith, ndjson, START, sse } from "../reducer/wire.js";
import * as agui from "../support/agui-events.js";
import { concat, utf8 } from "../support/bytes.js";
import { freshEngine, KINDS, openCore, WASM_KINDS } from "../support/engines.js";

const AGENTUE = [START, ...Array.from({ length: 60 }, (_, i) => append(i + 2, `${i} é `))];
const AGUI = [
  agui.started(),
  agui.textStart("m"),
  ...Array.from({ length: 60 }, (_, i) => agui.textContent("m", `${i} é `)),
];

const WIRES: [Protocol, Transport][] = [
  ["agentue", "sse"],
  ["agentue", "ndjson"],
  ["agentue", "msgpack"],
  ["ag-ui", "sse"],
  ["ag-ui", "ndjson"],
  ["ag-ui", "msgpack"],
  ["ag-ui", "protobuf"],
];

const eventsOf = (protocol: Protocol): object[] => (protocol === "agentue" ? AGENTUE : AGUI);
const bytesOf = (protocol: Protocol, transport: Transport, events: readonly object[]): Uint8Array[] =>
  events.map((event) => encodeEvent(event, { protocol, transport }));

describe.each(WASM_KINDS)("chunks of one event (%s)", (kind) => {
  it.each(WIRES)(
    "%s over %s: tokens are folded before the call begins, unless something is under way",
    (protocol, transport) => {
      const { core, engine } = openCore(kind);
      const reducer = engine.createReducer({ protocol, transport });
      const chunks = bytesOf(protocol, transport, eventsOf(protocol));
      for (const chunk of chunks) expect(reducer.push(chunk)).toBe(1);
      // the first ones teach their form
      expect(coreCounters(core).openedTokens).toBeGreaterThan(55);
      const before = coreCounters(core).openedTokens;
      const again = engine.createReducer({ protocol, transport });
      const body = concat(chunks);
      const cut = chunks[0]!.length + 3;
      again.push(body.subarray(0, cut));
      again.push(body.subarray(cut));
      expect(coreCounters(core).openedTokens).toBe(before);
      expect(again.snapshot()).toEqual(reducer.snapshot());
      engine.close();
    },
  );
});

describe.each(WASM_KINDS)("messages of one event (%s)", (kind) => {
  it.each(["agentue", "ag-ui"] as const)(
    "%s: tokens are folded before the call begins, if they are lines",
    (protocol) => {
      const { core, engine } = openCore(kind);
      const options = { protocol, transport: "json" } as const;
      const reducer = engine.createReducer(options);
      const chunks = bytesOf(protocol, "json", eventsOf(protocol));
      for (const chunk of chunks.slice(0, 40)) expect(reducer.push(chunk)).toBe(1);
      const opened = coreCounters(core).openedTokens;
      expect(opened).toBeGreaterThan(33);
      // white space around an event belongs to its message
      for (const [before, behind] of [
        ["", "\n"],
        ["\n", ""],
        ["", " "],
        [" ", "\r\n"],
      ] as const) {
        const again = engine.createReducer(options);
        again.push(chunks[0]!);
        for (const chunk of chunks.slice(1, 40)) {
          expect(again.push(concat([utf8(before), chunk, utf8(behind)]))).toBe(1);
        }
        expect(again.snapshot()).toEqual(reducer.snapshot());
      }
      expect(coreCounters(core).openedTokens).toBe(opened);
      // two lines are no message
      const before = reducer.snapshot();
      const two = concat([chunks[40]!, utf8("\n"), chunks[41]!]);
      const { byteOffset, eventIndex, applied } = failing(() => reducer.push(two), "bad_json");
      const bytes = chunks.slice(0, 41).reduce((sum, { length }) => sum + length, 0);
      expect({ byteOffset, eventIndex, applied }).toEqual({ byteOffset: bytes + 1, eventIndex: 40, applied: 0 });
      expect(reducer.snapshot()).toEqual(before);
      reducer.reconnect();
      for (const chunk of chunks.slice(40)) expect(reducer.push(chunk)).toBe(1);
      const plain = freshEngine("js").createReducer(options);
      for (const chunk of chunks) plain.push(chunk);
      expect(reducer.snapshot()).toEqual(plain.snapshot());
      engine.close();
    },
  );

  it("nothing is learned from a message in which bytes were replaced, since it was read in a copy", () => {
    const { core, engine } = openCore(kind);
    const options = { protocol: "agentue", transport: "json", utf8: "replace" } as const;
    // the copy lies far behind the window
    engine.createReducer(options).load(modelWith("x".repeat(3_000_000)));
    const reducer = engine.createReducer(options);
    const [first, ...tokens] = bytesOf("agentue", "json", AGENTUE);
    reducer.push(first!);
    const { held } = engine.memory();
    for (const token of tokens) {
      const text = new TextDecoder().decode(token);
      const cut = text.indexOf("é");
      expect(reducer.push(concat([utf8(text.slice(0, cut)), Uint8Array.of(0xff), utf8(text.slice(cut + 1))]))).toBe(1);
    }
    expect(engine.memory().held - held).toBeLessThan(200_000);
    expect(coreCounters(core).openedTokens).toBe(0);
    engine.close();
  });

  it.each(["agentue", "ag-ui"] as const)(
    "%s: a transcoder passes tokens on from where they lie, judged or not",
    (protocol) => {
      for (const enforce of [true, false]) {
        const { core, engine } = openCore(kind);
        const chunks = bytesOf(protocol, "json", eventsOf(protocol));
        const from = (made: Engine, wire: Transport, pieces: readonly Uint8Array[]) => {
          const transcoder = made.createTranscoder({ protocol, from: wire, to: "sse", enforce });
          return concat(pieces.map((piece) => transcoder.push(piece)));
        };
        const written = from(engine, "json", chunks);
        expect(coreCounters(core).relayedTokens).toBeGreaterThan(55);
        expect(written).toEqual(from(freshEngine("js"), "json", chunks));
        expect(written).toEqual(from(engine, "ndjson", bytesOf(protocol, "ndjson", eventsOf(protocol))));
        engine.close();
      }
    },
  );
});

const STATES = [
  agui.started(),
  agui.stateSnapshot({ n: 0 }),
  ...Array.from({ length: 60 }, (_, i) => agui.stateDelta([{ op: "replace", path: "/n", value: i }])),
];
const SETS = [
  START,
  ...Array.from({ length: 60 }, (_, i) => ({
    op: "set",
    seq: i + 2,
    mask: "block.content",
    block: { id: "answer", content: `${i} é ` },
  })),
];

describe.each(WASM_KINDS)("chunks of one patch (%s)", (kind) => {
  it.each([
    ["agentue", "sse"],
    ["agentue", "ndjson"],
    ["agentue", "msgpack"],
    ["agentue", "json"],
    ["ag-ui", "sse"],
    ["ag-ui", "ndjson"],
    ["ag-ui", "json"],
    ["ag-ui", "msgpack"],
    ["ag-ui", "protobuf"],
  ] as const)(
    "%s over %s: patches of one value are taken before the call begins, and mean the same",
    (protocol, transport) => {
      const { core, engine } = openCore(kind);
      const events = protocol === "agentue" ? SETS : STATES;
      const chunks = bytesOf(protocol, transport, events);
      const reducer = engine.createReducer({ protocol, transport });
      for (const chunk of chunks) expect(reducer.push(chunk)).toBe(1);
      expect(coreCounters(core).openedTokens).toBe(60);
      const plain = freshEngine("js").createReducer({ protocol, transport });
      for (const chunk of chunks) plain.push(chunk);
      expect(reducer.snapshot()).toEqual(plain.snapshot());
      const { memory, ...stats } = plain.stats();
      expect(reducer.stats()).toMatchObject(stats);
      engine.close();
    },
  );
});

describe.each(KINDS)("chunks that begin with tokens (%s)", (kind) => {
  it.each(WIRES)("%s over %s: places, counters and what follows are those of the whole body", (protocol, transport) => {
    const chunks = bytesOf(protocol, transport, eventsOf(protocol));
    const broken =
      transport === "msgpack"
        ? Uint8Array.of(0xc1)
        : transport === "protobuf"
          ? Uint8Array.of(0, 0, 0, 1, 0xff)
          : utf8(transport === "sse" ? "data: {]\n\n" : "{]\n");
    const fault =
      transport === "msgpack" || transport === "protobuf"
        ? transport === "msgpack"
          ? "bad_msgpack"
          : "bad_protobuf"
        : "bad_json";
    const open = (): Reducer => freshEngine(kind).createReducer({ protocol, transport });
    const seen = (reducer: Reducer, pieces: readonly Uint8Array[]): Partial<StreamfoldError> => {
      let applied = 0;
      const {
        code,
        byteOffset,
        eventIndex,
        applied: last,
      } = failing(() => {
        for (const piece of pieces) applied += reducer.push(piece);
      }, fault);
      expect(applied + last!).toBe(chunks.length);
      // a failed connection takes nothing more
      const before = reducer.snapshot();
      failing(() => reducer.push(chunks.at(-1)!), fault);
      expect(reducer.snapshot()).toEqual(before);
      return { code, byteOffset, eventIndex };
    };
    const whole = open();
    const expected = seen(whole, [concat([...chunks, broken])]);
    const single = open();
    // two tokens and the fault come together
    expect(seen(single, [...chunks.slice(0, -2), concat([...chunks.slice(-2), broken])])).toEqual(expected);
    expect(single.snapshot()).toEqual(whole.snapshot());
    const { memory, ...stats } = whole.stats();
    expect(single.stats()).toMatchObject(stats);
    // an event whose end comes later
    const parted = open();
    for (const chunk of chunks.slice(0, -2)) parted.push(chunk);
    const rest = concat(chunks.slice(-2));
    const cut = chunks.at(-2)!.length + 4;
    expect(parted.push(rest.subarray(0, cut))).toBe(1);
    expect(parted.push(rest.subarray(cut))).toBe(1);
    expect(parted.snapshot()).toEqual(whole.snapshot());
  });

  it("a chunk of several windows has an allowance of reports of its own, also where the first window holds tokens alone", () => {
    const warnings: unknown[] = [];
    const reducer = freshEngine(kind).createReducer({
      protocol: "agentue",
      transport: "ndjson",
      limits: { reports: 1 },
      onWarning: ({ code, eventIndex }) => warnings.push([code, eventIndex]),
    });
    // events of 128 bytes: 512 of them fill the window of the core
    const sized = (seq: number) => append(seq, "x".repeat(127 - JSON.stringify(append(seq, "")).length));
    const tokens = Array.from({ length: 526 }, (_, i) => sized(i + 2));
    reducer.push(ndjson(START, ...tokens.slice(0, 8), tokens[7], ...tokens.slice(8, 14)));
    const chunk = ndjson(...tokens.slice(14), tokens.at(-1));
    expect(chunk.length).toBe(513 * 128);
    expect(reducer.push(chunk)).toBe(512);
    expect(warnings).toEqual([
      ["duplicate_seq", 9],
      ["duplicate_seq", 528],
    ]);
  });

  it("an id that came alone is the last one from the next event on", () => {
    const reducer = freshEngine(kind).createReducer({ protocol: "agentue", transport: "sse" });
    for (const event of AGENTUE.slice(0, 20)) reducer.push(sse(event));
    reducer.push(utf8("id: 7\n"));
    expect(reducer.lastEventId).toBe(undefined);
    reducer.push(sse(AGENTUE[20]));
    expect(reducer.lastEventId).toBe("7");
  });

  it("the next body counts from its beginning", () => {
    const reducer = freshEngine(kind).createReducer({ protocol: "agentue", transport: "sse" });
    for (const event of AGENTUE.slice(0, 30)) reducer.push(sse(event));
    reducer.finish();
    const next = sse(AGENTUE[30]);
    reducer.push(next);
    expect(failing(() => reducer.push(utf8("data: {]\n\n")), "bad_json").byteOffset).toBe(next.length + 7);
  });

  it("reducers of one engine keep to their own options, whoever was last", () => {
    const engine = freshEngine(kind);
    const events: unknown[] = [];
    const plain = engine.createReducer({ protocol: "agentue", transport: "sse" });
    const heard = engine.createReducer({
      protocol: "agentue",
      transport: "sse",
      onEvent: (event) => events.push(event),
    });
    const narrow = engine.createReducer({ protocol: "agentue", transport: "sse", limits: { messageBytes: 150 } });
    const tokens = AGENTUE.slice(0, 40);
    for (const event of tokens) for (const reducer of [plain, heard, narrow]) reducer.push(sse(event));
    expect(events).toEqual(tokens);
    failing(() => narrow.push(sse(append(41, "x".repeat(150)))), "too_large");
    expect(plain.push(sse(append(40, "again")))).toBe(0);
    expect(plain.push(sse(append(41, "!"), append(42, "?"), end(43)))).toBe(3);
    const text = tokens
      .slice(1)
      .map((_, i) => `${i} é `)
      .join("");
    expect(heard.snapshot()).toEqual(modelWith(`Hello${text}`));
    expect(plain.snapshot()).toEqual(modelWith(`Hello${text}!?`));
    heard.close();
    plain.close();
    // the address of a closed connection comes back with other options
    const strict = engine.createReducer({
      protocol: "agentue",
      transport: "sse",
      sequence: "strict",
      onViolation: "skip-event",
    });
    for (const event of tokens) strict.push(sse(event));
    failing(() => strict.push(sse(tokens[30])), "stale_seq");
  });
});
