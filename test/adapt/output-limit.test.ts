import { describe, expect, it } from "vitest";
import type { Engine, EngineKind, TranscoderOptions, Transport } from "../../src/engine/contract.js";
import { sorted } from "../support/adapter-contract.js";
import { fold, view } from "../support/adapter-view.js";
import * as ag from "../support/agui-events.js";
import { concat } from "../support/bytes.js";
import { ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, freshEngine, KINDS } from "../support/engines.js";
import { same } from "../support/same.js";
import { eventsIn, messageOf, type Transcript, transcode, type Wanted } from "../support/transcoding.js";

/** What any event may write, and what each adds to the allowance. */
const FREE = 16 * 1024;

const LONG = "x".repeat(60_000);
const calls = (count: number): ag.AguiEvent[] =>
  Array.from({ length: count }, (_, i) => [ag.toolStart(`c${i}`), ag.toolEnd(`c${i}`)]).flat();
const callOf = (id: string): object => ({ id, type: "function", function: { name: "f", arguments: "" } });

/** Small events each of which comes to much; the first list is what they need. */
const HOSTILE: Readonly<
  Record<string, readonly [ready: readonly ag.AguiEvent[], again: (i: number) => ag.AguiEvent[]]>
> = {
  "results that come in between": [
    [ag.stateSnapshot(LONG), ...calls(30)],
    (i) => [ag.toolResult(`r${i}`, `c${28 - i}`, "ok")],
  ],
  "runs of a long thread": [[ag.stateSnapshot(LONG)], () => [ag.finished(), ag.started()]],
  "elements of a long list": [
    [ag.stateSnapshot({ list: Array.from({ length: 5_000 }, () => "abcd") })],
    (i) => [ag.stateDelta([{ op: "replace", path: `/list/${i}`, value: i }])],
  ],
  "elements of a long list, spelled unusually": [
    [ag.stateSnapshot({ list: Array.from({ length: 5_000 }, () => "é😀") })],
    (i) => [{ delta: [{ value: i, path: `/list/${i}`, op: "replace" }], type: "STATE_DELTA" }],
  ],
  "elements of the content of an activity": [
    [ag.activity("a", { list: Array.from({ length: 5_000 }, () => "abcd") })],
    (i) => [ag.activityDelta("a", [{ op: "replace", path: `/list/${i}`, value: i }])],
  ],
  "metadata that is merged into long one": [
    [ag.textStart("m", { metadata: { LONG } })],
    (i) => [ag.textContent("m", "b", { metadata: { i } })],
  ],
  "chunks of a message with a long id": [
    [ag.textChunk({ messageId: LONG, delta: "a" })],
    () => [ag.textChunk({ delta: "b" })],
  ],
  "chunks of a call with a long id": [
    [ag.toolChunk({ toolCallId: `"\\${LONG}é`, toolCallName: "f", delta: "a" })],
    () => [ag.toolChunk({ delta: "b" })],
  ],
  "activities in the place of messages with calls": [
    [
      ag.stateSnapshot(LONG),
      ...Array.from({ length: 30 }, (_, i) => [
        ag.toolStart(`c${i}`, "f", { parentMessageId: `m${i}` }),
        ag.toolEnd(`c${i}`),
      ]).flat(),
    ],
    (i) => [ag.activity(`m${i}`, {})],
  ],
};

const hostile = (name: string, count = 29): ag.AguiEvent[] => {
  const [ready, again] = HOSTILE[name]!;
  return [ag.started(), ...ready, ...Array.from({ length: count }, (_, i) => again(i)).flat()];
};

const body = (events: readonly object[], wire: Transport = "ndjson"): Uint8Array =>
  concat(events.map((event) => messageOf(wire, JSON.stringify(event))));

/** Also what an error says besides its place. */
interface Limited extends Transcript {
  details: { eventType: string | undefined; message: string }[];
}

const run = (
  kind: EngineKind,
  chunks: readonly Uint8Array[],
  more: Partial<Wanted> = {},
  made = engine(kind),
): Limited => {
  const details: Limited["details"] = [];
  const listening = {
    createTranscoder: (options: TranscoderOptions) =>
      made.createTranscoder({
        ...options,
        onError: (error) => {
          details.push({ eventType: error.eventType, message: error.message });
          options.onError?.(error);
        },
      }),
  };
  const wanted = { protocol: "ag-ui", from: "ndjson", to: "ndjson", toProtocol: "agentue", ...more } as Wanted;
  return { ...transcode(listening as Engine, wanted, chunks), details };
};

const texts = ({ output }: Transcript): string[] => eventsIn("ndjson", output);
const ops = (transcript: Transcript): string[] => texts(transcript).map((text) => JSON.parse(text).op);

describe.each(KINDS)("how much small events come to (%s)", (kind) => {
  it.each(Object.keys(HOSTILE))("%s: refused at the same event at every cut", (name) => {
    const events = hostile(name);
    const limits = { outputBytes: 100_000 };
    const all = texts(run(kind, [body(events)]));
    const wanted = run("js", [body(events)], { limits });
    expect(wanted.errors.length).toBe(1);
    const [error] = wanted.errors;
    expect(error).toEqual({
      code: "limit",
      scope: "stream",
      streamId: "",
      eventIndex: error!.eventIndex,
      byteOffset: error!.byteOffset,
    });
    expect(wanted.details[0]!.eventType).toBe(events[error!.eventIndex!]!.type);
    expect(wanted.details[0]!.message).toContain("A limit would be exceeded: outputBytes");
    // what was written before is handed out, and the delivery ends
    const written = texts(wanted);
    const closing = written.slice(-3).map((text) => JSON.parse(text));
    const isUnderWay = closing[1].op === "error";
    if (isUnderWay) {
      expect(closing.map(({ op, mask }) => mask ?? op)).toEqual(["meta.run", "meta.error", "end"]);
      expect(closing[0].meta.run.status).toBe("rejected");
      expect(closing[1].meta.error).toEqual({ code: "limit", message: "the event stream was refused" });
    } else expect(closing[2].op).toBe("end");
    const before = isUnderWay ? written.slice(0, -3) : written;
    same(before, all.slice(0, before.length), "before");
    expect(before.length).toBeLessThan(all.length);
    expect(wanted.output.length).toBeLessThan(100_000 + FREE * events.length);
    for (const { name: cut, split } of [WHOLE, ONE_BYTE, randomCuts(5)]) {
      same(run(kind, split(body(events)), { limits }), wanted, cut);
    }
  });

  it.each(["sse", "ndjson", "json", "msgpack", "protobuf"] as const)("the same from %s", (from) => {
    for (const name of Object.keys(HOSTILE)) {
      const events = hostile(name);
      const messages = events.map((event) => messageOf(from, JSON.stringify(event)));
      for (const to of ["sse", "msgpack"] as const) {
        const wanted = { from, to, limits: { outputBytes: 100_000 } };
        const whole = run("js", messages, wanted);
        same(whole.errors.length, 1, name);
        const chunks = from === "json" ? [messages] : [[concat(messages)], randomCuts(6).split(concat(messages))];
        for (const some of chunks) same(run(kind, some, wanted), whole, `${name} to ${to}`);
      }
    }
  });

  it("what goes out is counted as JSON text, whatever the wire: the verdict is the same on all of them", () => {
    for (const name of Object.keys(HOSTILE)) {
      const places = (["sse", "ndjson", "msgpack"] as const).map(
        (to) => run(kind, [body(hostile(name))], { to, limits: { outputBytes: 100_000 } }).errors[0]?.eventIndex,
      );
      expect(new Set(places).size, name).toBe(1);
    }
  });

  it("allows an event as many bytes as the allowance has, and not one more", () => {
    const events = [ag.started(), ag.stateSnapshot(`${LONG}é\n`), ...calls(2), ag.toolResult("r", "c0", "ok")];
    const text = texts(run(kind, [body(events)])).at(-4)!;
    expect(JSON.parse(text).op).toBe("start");
    const size = new TextEncoder().encode(text).length;
    for (const streamId of ["", "é".repeat(30_000)]) {
      const adapt = { streamId };
      expect(run(kind, [body(events)], { adapt, limits: { outputBytes: size } }).errors).toEqual([]);
      expect(run(kind, [body(events)], { adapt, limits: { outputBytes: size - 1 } }).errors).toMatchObject([
        { code: "limit", eventIndex: 6 },
      ]);
    }
  });

  it("counts all that an event says together", () => {
    const state = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`m${i}`, [LONG]]));
    const patch = Object.keys(state).map((name) => ({ op: "add", path: `/${name}/0`, value: 1 }));
    const events = [ag.started(), ag.stateSnapshot(state), ag.stateDelta(patch)];
    const sets = texts(run(kind, [body(events)])).slice(2, 10);
    const size = sets.join("").length;
    expect(run(kind, [body(events)], { limits: { outputBytes: size } }).errors).toEqual([]);
    const transcript = run(kind, [body(events)], { limits: { outputBytes: size - 1 } });
    expect(transcript.errors).toMatchObject([{ code: "limit", eventIndex: 2 }]);
    // what was said of it before stands
    expect(texts(transcript).slice(2, 9)).toEqual(sets.slice(0, 7));
    expect(ops(transcript).slice(9)).toEqual(["set", "error", "end"]);
  });

  it("leaves every event sixteen kibibytes, and eight times its message", () => {
    const limits = { outputBytes: 1 };
    const patches = (length: number): ag.AguiEvent[] => [
      ag.started(),
      ag.stateSnapshot(["x".repeat(length)]),
      ...Array.from({ length: 200 }, (_, i) => ag.stateDelta([{ op: "add", path: "/-", value: i % 10 }])),
    ];
    expect(run(kind, [body(patches(15_000))], { limits }).errors).toEqual([]);
    expect(run(kind, [body(patches(FREE))], { limits }).errors).toMatchObject([{ code: "limit", eventIndex: 2 }]);
    const message = { id: "m", role: "user", content: LONG };
    const snapshots = Array.from({ length: 20 }, () => ag.messagesSnapshot([message]));
    expect(run(kind, [body([ag.started(), ...snapshots])], { limits }).errors).toEqual([]);
    // the state is seven times the message, or more
    const near = (size: number): object[] => [
      ag.started(),
      ag.stateSnapshot("x".repeat(size)),
      ag.messagesSnapshot([{ ...message, content: "y".repeat(3_000) }]),
    ];
    const sizeOf = (event: object): number => JSON.stringify(event).length;
    const fits = 8 * sizeOf(near(0)[2]!) - texts(run(kind, [body(near(0))])).at(-4)!.length;
    expect(run(kind, [body(near(fits))], { limits }).errors).toEqual([]);
    expect(run(kind, [body(near(fits + 1))], { limits }).errors).toMatchObject([{ code: "limit", eventIndex: 2 }]);
  });

  it("every event adds to the allowance, tokens of every road too", () => {
    const tokens = (count: number): ag.AguiEvent[] =>
      Array.from({ length: count }, (_, i) => ag.textContent("m", `t${i}`));
    const patch = (i: number): ag.AguiEvent => ag.stateDelta([{ op: "replace", path: "/0", value: i }]);
    const between = (count: number): ag.AguiEvent[] => [
      ag.started(),
      ag.textStart("m"),
      ag.stateSnapshot([0, "x".repeat(10 * FREE)]),
      ...Array.from({ length: 12 }, (_, i) => [patch(i), ...tokens(count)]).flat(),
    ];
    const limits = { outputBytes: 20 * FREE };
    for (const from of ["ndjson", "msgpack", "protobuf"] as const) {
      expect(run(kind, [body(between(10), from)], { from, limits }).errors, from).toEqual([]);
      const [error] = run(kind, [body(between(8), from)], { from, limits }).errors;
      expect(error, from).toMatchObject({ code: "limit" });
      same(error, run("js", [body(between(8), from)], { from, limits }).errors[0], from);
    }
  });

  it("a start that names one long id for each of thousands of calls is refused before it is made", () => {
    const id = "x".repeat(200_000);
    const toolCalls = Array.from({ length: 5_000 }, (_, i) => callOf(`c${i}`));
    const fresh = freshEngine(kind);
    const events = [ag.started(), ag.messagesSnapshot([{ id, role: "assistant", toolCalls }])];
    const transcript = run(kind, [body(events)], {}, fresh);
    expect(transcript.errors).toMatchObject([{ code: "limit", eventIndex: 1 }]);
    expect(ops(transcript)).toEqual(["start", "set", "error", "end"]);
    // whole, it would be a gigabyte
    expect(fresh.memory().held).toBeLessThan(200 * 1024 * 1024);
    fresh.close();
  });

  it("an ordinary body is far from the default: thousands of results in order behind a long history", () => {
    const history = Array.from({ length: 5_000 }, (_, i) => ({
      id: `h${i}`,
      role: "user",
      content: "hello".repeat(100),
    }));
    const results = Array.from({ length: 2_000 }, (_, i) => [
      ag.toolStart(`c${i}`),
      ag.toolEnd(`c${i}`),
      ag.toolResult(`r${i}`, `c${i}`, "ok"),
    ]).flat();
    const events = [ag.started(), ag.messagesSnapshot(history), ...results, ag.finished()];
    const transcript = run(kind, [body(events)]);
    expect(transcript.errors).toEqual([]);
    expect(transcript.status).toBe("complete");
    expect(transcript.output.length).toBeLessThan(2 * body(events).length);
  });

  it("with skip-event the delivery ends, and another one begins when the allowance is full", () => {
    const limits = { outputBytes: 5 * FREE };
    const events = [
      ag.started(),
      ag.stateSnapshot(["x".repeat(2 * FREE)]),
      ...Array.from({ length: 6 }, (_, i) => ag.stateDelta([{ op: "add", path: "/-", value: i }])),
      ag.textStart("m"),
      ...Array.from({ length: 12 }, () => ag.textContent("m", "a")),
      ag.textEnd("m"),
      ag.finished(),
    ];
    const options = { limits, onViolation: "skip-event" } as const;
    const transcript = run(kind, [body(events)], options);
    expect(transcript.errors).toMatchObject([{ code: "limit" }]);
    expect(transcript.details).toMatchObject([{ eventType: "STATE_DELTA" }]);
    expect(transcript.stats.applied).toBe(events.length);
    expect(transcript.status).toBe("complete");
    const told = ops(transcript);
    const cut = told.indexOf("error");
    expect(JSON.parse(texts(transcript)[cut]!).meta.error).toEqual({
      code: "limit",
      message: "an event was too large to be sent",
    });
    expect(told.slice(cut, cut + 3)).toEqual(["error", "end", "start"]);
    // the start brings what was left out, and what came meanwhile
    const agui = engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson" });
    const agentue = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", sequence: "strict" });
    agui.push(body(events));
    agentue.push(transcript.output);
    expect(sorted(fold(agentue.snapshot()))).toBe(sorted(view(agui.snapshot())));
    agui.close();
    agentue.close();
    for (const { name, split } of [ONE_BYTE, randomCuts(7)])
      same(run(kind, split(body(events)), options), transcript, name);
    same(run("js", [body(events)], options), transcript, "js");
  });

  it("a start that is too much takes all of the allowance: the next one is made when that is full again", () => {
    const limits = { outputBytes: 5 * FREE };
    const patch = ag.stateDelta([{ op: "add", path: "/-", value: 1 }]);
    const events = [
      ag.started(),
      ag.stateSnapshot(["x".repeat(6 * FREE)]),
      patch,
      ag.textStart("m"),
      ...Array.from({ length: 12 }, () => ag.textContent("m", "a")),
    ];
    const options = { limits, onViolation: "skip-event" } as const;
    const transcript = run(kind, [body(events)], options);
    expect(transcript.errors.map(({ eventIndex }) => eventIndex)).toEqual([2, 3, 8, 13]);
    expect(ops(transcript)).toEqual(["start", "set", "error", "end"]);
    for (const { name, split } of [ONE_BYTE, randomCuts(8)])
      same(run(kind, split(body(events)), options), transcript, name);
    same(run("js", [body(events)], options), transcript, "js");
  });

  it("a delivery that cannot begin is left out, which is said of each event that would begin it, and nothing at the end of the body", () => {
    const limits = { outputBytes: 1 };
    const input = { threadId: "t", runId: "r", state: "x".repeat(10 * FREE) };
    for (const onViolation of ["skip-event", "refuse-stream"] as const) {
      const begun = [ag.started(), ag.finished(), ag.started(), ag.custom("a"), ag.custom("b")];
      const transcript = run(kind, [body(begun)], { limits, input, onViolation });
      // the input counts as part of the first message
      expect(ops(transcript)).toEqual(["start", "set", "end"]);
      expect(transcript.errors.map(({ eventIndex }) => eventIndex)).toEqual(
        onViolation === "refuse-stream" ? [2] : [2, 3, 4],
      );
      expect(transcript.errors[0]).toMatchObject({ code: "limit", eventIndex: 2 });
      expect(transcript.details[0]!.eventType).toBe("RUN_STARTED");
      same(run("js", [body(begun)], { limits, input, onViolation }), transcript, onViolation);
    }
  });

  it("at the end of a body, too, where there is no event to refuse", () => {
    const adapter = (options: object) => {
      const errors: unknown[] = [];
      const made = engine(kind).createTranscoder({
        protocol: "ag-ui",
        from: "ndjson",
        to: "ndjson",
        toProtocol: "agentue",
        onError: ({ code, eventIndex, eventType }) => void errors.push({ code, eventIndex, eventType }),
        ...options,
      });
      return { made, errors };
    };
    const { made, errors } = adapter({ limits: { outputBytes: 1 } });
    made.push(body([ag.started(), ag.stateSnapshot("x".repeat(2 * FREE)), ag.finished()]));
    made.finish();
    expect(errors).toEqual([]);
    made.push(body([]));
    made.push(new Uint8Array([10]));
    expect(made.finish().length).toBe(0);
    expect(errors).toEqual([{ code: "limit", eventIndex: 0, eventType: undefined }]);
    made.reset();
    const again = new TextDecoder().decode(made.push(body([ag.started(), ag.stateSnapshot(1)])));
    expect(again.match(/"op":"\w+"/g)).toEqual(['"op":"start"', '"op":"set"']);
    made.close();
  });

  it("the input of the options counts again after a reset", () => {
    const input = { threadId: "t", runId: "r", state: "x".repeat(10 * FREE) };
    const made = engine(kind).createTranscoder({
      protocol: "ag-ui",
      from: "ndjson",
      to: "ndjson",
      toProtocol: "agentue",
      input,
      limits: { outputBytes: 1 },
    });
    const first = made.push(body([ag.started()]));
    expect(first.length).toBeGreaterThan(10 * FREE);
    expect(() => made.push(body([ag.finished(), ag.started()]))).toThrow(expect.objectContaining({ code: "limit" }));
    made.reset();
    expect(made.push(body([ag.started()]))).toEqual(first);
    made.close();
  });
});

describe("how much blocks of a hook come to", () => {
  it("is bounded as what the transcoder makes itself", () => {
    const block = (one: Record<string, unknown>): unknown => ({ ...one, title: LONG });
    const events = [ag.started(), ...calls(10)];
    const limits = { outputBytes: 100_000 };
    const transcript = run("js", [body(events)], { adapt: { block }, limits });
    expect(transcript.errors).toMatchObject([{ code: "limit" }]);
    expect(transcript.details).toMatchObject([{ eventType: "TOOL_CALL_START" }]);
    expect(transcript.output.length).toBeLessThan(100_000 + events.length * FREE);
    expect(ops(transcript).slice(-3)).toEqual(["set", "error", "end"]);
  });
});
