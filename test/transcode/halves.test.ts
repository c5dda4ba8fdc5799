import { describe, expect, it } from "vitest";
import * as agui from "../support/agui-events.js";
import { concat, utf8 } from "../support/bytes.js";
import { ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { eventsIn, messageOf, modelsIn, TO, transcode } from "../support/transcoding.js";

const HIGH = "\ud83d";
const LOW = "\ude00";
const LOST = "\ufffd";

type Json = Record<string, unknown>;

const start = (stream_id = "", seq = 1): Json => ({
  op: "start",
  seq,
  stream_id,
  model: { version: "1.1", biz: "b", meta: {}, blocks: ["a", "b"].map((id) => ({ id, type: "t" })) },
});
const append = (seq: number, id: string, text: unknown, stream_id = "", field = "x"): Json => ({
  op: "append",
  seq,
  stream_id,
  mask: `block.${field}`,
  block: { id, [field]: text },
});
const end = (seq: number, stream_id = ""): Json => ({ op: "end", seq, stream_id });

interface Case {
  name: string;
  protocol: "agentue" | "ag-ui";
  /** Only where nothing is enforced. */
  passed?: true;
  events: readonly Json[];
  /** The deltas that go out, in the order of the events that have one. */
  deltas: readonly unknown[];
  /** Number of the event that loses a half first; the number of events for the end of the body. */
  lost?: number;
}

const m = (delta: string, more: Json = {}) => agui.textContent("m", delta, more);
const inText = (...events: readonly Json[]): Json[] => [agui.started(), agui.textStart("m"), ...events];
const closed = [agui.textEnd("m"), agui.finished()];

const CASES: readonly Case[] = [
  {
    name: "a character cut in two",
    protocol: "agentue",
    events: [start(), append(2, "a", `x${HIGH}`), append(3, "a", `${LOW}y`), end(4)],
    deltas: ["x", "😀y"],
  },
  {
    name: "halves alone, and one after the other",
    protocol: "agentue",
    events: [start(), append(2, "a", HIGH), append(3, "a", LOW + HIGH), append(4, "a", LOW), end(5)],
    deltas: ["", "😀", "😀"],
  },
  {
    name: "an empty delta says nothing",
    protocol: "agentue",
    events: [start(), append(2, "a", HIGH), append(3, "a", ""), append(4, "a", LOW), end(5)],
    deltas: ["", "", "😀"],
  },
  {
    name: "streams, blocks and fields between each other",
    protocol: "agentue",
    events: [
      start(),
      start("s"),
      append(2, "a", `1${HIGH}`),
      append(2, "a", `2${HIGH}`, "s"),
      append(3, "b", `3${HIGH}`),
      append(4, "a", `4${HIGH}`, "", "y"),
      { op: "ping", seq: 4 },
      { op: "set", seq: 5, mask: "meta.x", meta: { x: 1 } },
      append(6, "a", LOW, "", "y"),
      append(7, "b", LOW),
      append(3, "a", LOW, "s"),
      append(8, "a", LOW),
      end(9),
      end(4, "s"),
    ],
    deltas: ["1", "2", "3", "4", "😀", "😀", "😀", "😀"],
  },
  {
    name: "a half that gets no other one",
    protocol: "agentue",
    events: [
      start(),
      append(2, "a", HIGH),
      append(3, "a", `x${HIGH}`),
      append(4, "a", HIGH),
      append(5, "a", LOW),
      end(6),
    ],
    deltas: ["", `${LOST}x`, LOST, "😀"],
    lost: 2,
  },
  {
    name: "a low half alone",
    protocol: "agentue",
    events: [start(), append(2, "a", LOW), append(3, "a", `${HIGH}x`), end(4)],
    deltas: [LOST, `${LOST}x`],
    lost: 1,
  },
  {
    name: "an array is no delta",
    protocol: "agentue",
    events: [start(), append(2, "a", [HIGH]), end(3)],
    deltas: [[LOST]],
    lost: 1,
  },
  ...(
    [
      ["end", [end(3)]],
      ["start", [{ ...start(), seq: 3 }, append(4, "a", "y"), end(5)]],
      [
        "error",
        [
          { op: "error", seq: 3, mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
          append(4, "a", "y"),
          end(5),
        ],
      ],
      ["set of the block", [{ op: "set", seq: 3, block: { id: "a", type: "t" } }, append(4, "a", "y"), end(5)]],
      [
        "set of a field",
        [{ op: "set", seq: 3, mask: "block.x", block: { id: "a", x: "" } }, append(4, "a", "y"), end(5)],
      ],
    ] as [name: string, rest: Json[]][]
  ).map(
    ([name, rest]): Case => ({
      name: `is dropped with ${name}`,
      protocol: "agentue",
      events: [start(), append(2, "a", `x${HIGH}`), ...rest],
      deltas: ["x", ...rest.flatMap((event) => (event.op === "append" ? ["y"] : []))],
      lost: 2,
    }),
  ),
  {
    name: "is not dropped with what is another's",
    protocol: "agentue",
    events: [
      start(),
      append(2, "a", HIGH),
      start("s"),
      { op: "set", seq: 3, block: { id: "b", type: "t" } },
      { op: "set", seq: 4, mask: "meta.x", meta: { x: {} } },
      { op: "set", seq: 5, mask: "block.z", block: { id: "a", z: 1 } },
      { op: "set", seq: 6, mask: "block.xy", block: { id: "a", xy: "" } },
      end(2, "s"),
      append(7, "a", LOW),
      end(8),
    ],
    deltas: ["", "😀"],
  },
  {
    name: "is not held for names longer than 4,096 units",
    protocol: "agentue",
    events: [
      start(),
      append(2, "a", `1${HIGH}`, "", "é".repeat(4095)),
      append(3, "a", `2${HIGH}`, "", "f".repeat(4096)),
      append(4, "a", LOW, "", "é".repeat(4095)),
      append(5, "a", LOW, "", "f".repeat(4096)),
      end(6),
    ],
    deltas: ["1", `2${LOST}`, "😀", LOST],
    lost: 2,
  },
  {
    name: "is dropped at the end of the body",
    protocol: "agentue",
    events: [start(), append(2, "a", `x${HIGH}`)],
    deltas: ["x"],
    lost: 2,
  },
  {
    name: "texts, arguments and reasoning, with other members kept",
    protocol: "ag-ui",
    events: [
      ...[agui.started(), agui.textStart("m"), agui.toolStart("m"), agui.thoughtStart("th")],
      m(`1${HIGH}`, { metadata: { half: "x" } }),
      agui.toolArgs("m", `2${HIGH}`, { timestamp: 5 }),
      agui.thoughtContent("th", `3${HIGH}`),
      agui.toolArgs("m", LOW),
      agui.thoughtContent("th", LOW),
      m(LOW),
      ...[agui.toolEnd("m"), agui.thoughtEnd("th"), ...closed],
    ],
    deltas: ["1", "2", "3", "😀", "😀", "😀"],
  },
  {
    name: "two messages between each other, tagged or not",
    protocol: "ag-ui",
    events: [
      ...inText(agui.textStart("n", { subagentRunId: "s" })),
      m(HIGH),
      agui.textContent("n", HIGH, { subagentRunId: "s" }),
      m(LOW + HIGH),
      agui.textContent("n", LOW),
      m(LOW),
      ...[agui.textEnd("n"), ...closed],
    ],
    deltas: ["", "", "😀", "😀", "😀"],
  },
  {
    name: "an empty delta says nothing (AG-UI)",
    protocol: "ag-ui",
    events: inText(m(HIGH), m(""), m(LOW), ...closed),
    deltas: ["", "", "😀"],
  },
  {
    name: "chunks with and without ids",
    protocol: "ag-ui",
    events: [
      agui.started(),
      agui.textChunk({ messageId: "k", delta: `1${HIGH}` }),
      agui.textChunk({ delta: LOW + HIGH }),
      agui.textChunk({ delta: "" }),
      agui.textChunk({}),
      agui.textChunk({ messageId: "k", delta: LOW }),
      agui.textChunk({ messageId: "k", delta: `2${HIGH}` }),
      agui.textChunk({ messageId: "k", delta: `${LOW}3` }),
      agui.finished(),
    ],
    deltas: ["1", "😀", "", "😀", "2", "😀3"],
  },
  {
    name: "chunks of several owners and kinds",
    protocol: "ag-ui",
    events: [
      agui.started(),
      agui.textChunk({ messageId: "k", delta: `1${HIGH}` }),
      agui.textChunk({ messageId: "l", delta: `2${HIGH}`, subagentRunId: "s" }),
      agui.thoughtChunk({ messageId: "e", delta: `3${HIGH}`, subagentRunId: "z" }),
      agui.textChunk({ delta: LOW, subagentRunId: "s" }),
      agui.thoughtChunk({ delta: LOW, subagentRunId: "z" }),
      agui.textChunk({ delta: LOW }),
      agui.finished(),
    ],
    deltas: ["1", "2", "3", "😀", "😀", "😀"],
  },
  {
    name: "a chunk without an id goes on with the last delta of its owner, not with an older one",
    protocol: "ag-ui",
    events: [
      ...inText(m(`1${HIGH}`)),
      agui.textChunk({ messageId: "k", delta: "2" }),
      agui.textChunk({ delta: "3" }),
      agui.textContent("m", LOW),
      ...closed,
    ],
    deltas: ["1", "2", "3", "😀"],
  },
  {
    name: "nor after an empty one",
    protocol: "ag-ui",
    events: [
      ...inText(m(`1${HIGH}`)),
      agui.textChunk({ messageId: "k", delta: "" }),
      agui.textChunk({ delta: "3" }),
      agui.textContent("m", LOW),
      ...closed,
    ],
    deltas: ["1", "", "3", "😀"],
  },
  {
    name: "an id that is empty is a name",
    protocol: "ag-ui",
    events: [
      agui.started(),
      agui.textChunk({ messageId: "", delta: HIGH, subagentRunId: "" }),
      agui.textChunk({ messageId: "k", delta: HIGH }),
      agui.textChunk({ delta: LOW, subagentRunId: "" }),
      agui.textChunk({ delta: LOW }),
      agui.finished(),
    ],
    deltas: ["", "", "😀", "😀"],
  },
  {
    name: "a half that gets no other one (AG-UI)",
    protocol: "ag-ui",
    events: inText(m(`${HIGH}${HIGH}`), m("x"), ...closed),
    deltas: [LOST, `${LOST}x`],
    lost: 2,
  },
  {
    name: "is dropped with the END of its item alone",
    protocol: "ag-ui",
    events: [
      ...inText(agui.spanStart("m"), agui.thoughtStart("m"), agui.toolStart("m")),
      agui.thoughtContent("m", HIGH),
      agui.toolArgs("m", HIGH),
      m(HIGH),
      agui.spanEnd("m"),
      agui.toolEnd("m"),
      m(LOW),
      agui.thoughtContent("m", LOW),
      ...[agui.thoughtEnd("m"), ...closed],
    ],
    deltas: ["", "", "", "😀", "😀"],
    lost: 9,
  },
  {
    name: "is dropped with a run event",
    protocol: "ag-ui",
    events: [
      agui.started(),
      agui.textChunk({ messageId: "k", delta: HIGH }),
      agui.finished(),
      agui.started({ runId: "2" }),
      agui.textChunk({ messageId: "k", delta: "x" }),
      agui.finished({ runId: "2" }),
    ],
    deltas: ["", "x"],
    lost: 2,
  },
  {
    name: "is dropped with RUN_ERROR",
    protocol: "ag-ui",
    events: inText(m(HIGH), agui.runError()),
    deltas: [""],
    lost: 3,
  },
  {
    name: "is dropped at the end of the body (AG-UI)",
    protocol: "ag-ui",
    events: inText(m(`x${HIGH}`)),
    deltas: ["x"],
    lost: 3,
  },
  {
    name: "only CONTENT, ARGS and CHUNK events have deltas",
    protocol: "ag-ui",
    passed: true,
    events: [
      agui.custom("n", 1, { delta: HIGH }),
      m(HIGH),
      { type: "CUSTOM_END", messageId: "m" },
      { type: "RUNE" },
      m(LOW),
    ],
    deltas: [LOST, "", "😀"],
    lost: 0,
  },
];

/** What each event that has a delta says. */
function deltasOf(events: readonly Json[]): unknown[] {
  return events.flatMap(({ op, delta, block, mask }) =>
    op === "append" ? [(block as Json)[(mask as string).slice(6)]] : delta === undefined ? [] : [delta],
  );
}

describe.each(KINDS)("halves of characters (%s)", (kind) => {
  const cases = CASES.map((one) => [`${one.protocol}: ${one.name}`, one] as const);

  it.each(cases)("%s", (_, { protocol, events, deltas, lost, passed }) => {
    const messages = events.map((event) => messageOf("ndjson", JSON.stringify(event)));
    for (const to of TO[protocol]) {
      const isText = to === "sse" || to === "ndjson";
      const isProtobufForm = events.every(({ type }) => type !== "CUSTOM_END" && type !== "RUNE");
      if (to === "protobuf" && !isProtobufForm) continue;
      for (const enforce of passed ? [false] : [true, false]) {
        for (const chunking of [WHOLE, ONE_BYTE, randomCuts(9)]) {
          const label = `${to}, ${chunking.name}, enforce ${enforce}`;
          const run = transcode(
            engine(kind),
            { protocol, from: "ndjson", to, enforce },
            chunking.split(concat(messages)),
          );
          const out = eventsIn(to, run.output).map((text) => JSON.parse(text) as Json);
          expect(run.errors, label).toEqual([]);
          expect(out.length, label).toBe(events.length);
          expect(deltasOf(out), label).toEqual(isText ? deltasOf(events) : deltas);
          const told = run.warnings.map(({ code, subject, eventIndex }) => [code, subject, eventIndex]);
          expect(told, label).toEqual(isText || lost === undefined ? [] : [["lossy", "surrogate", lost]]);
          if (lost !== undefined || passed) continue;
          const models = modelsIn(engine(kind), protocol, "ndjson", messages, false);
          expect(modelsIn(engine(kind), protocol, to, [run.output], false), label).toEqual(models);
        }
      }
    }
  });

  it("holds 256 of them: with the next one the oldest is lost", () => {
    const fields = Array.from({ length: 257 }, (_, i) => `f${i}`);
    for (const [count, lost] of [
      [256, undefined],
      [257, 257],
    ] as const) {
      const used = fields.slice(0, count);
      let seq = 1;
      const events = [
        start(),
        ...used.map((field) => append(++seq, "a", HIGH, "", field)),
        ...[...used].reverse().map((field) => append(++seq, "a", LOW, "", field)),
        end(++seq),
      ];
      const messages = events.map((event) => messageOf("ndjson", JSON.stringify(event)));
      const run = transcode(engine(kind), { protocol: "agentue", from: "ndjson", to: "msgpack" }, messages);
      const wholes = eventsIn("msgpack", run.output).filter((text) => text.includes("😀"));
      expect(wholes).toHaveLength(256);
      expect(run.warnings.map(({ eventIndex }) => eventIndex)).toEqual(lost === undefined ? [] : [lost]);
    }
  });

  it("a refused event neither takes nor gives a half", () => {
    const events = [
      ...inText(m(HIGH)),
      agui.textContent("m", `${LOW}refused`, { subagentRunId: "other" }),
      agui.textContent("m", HIGH, { messageId: 5 }),
      m(LOW),
      ...closed,
    ];
    const messages = events.map((event) => messageOf("ndjson", JSON.stringify(event)));
    const run = transcode(
      engine(kind),
      { protocol: "ag-ui", from: "ndjson", to: "protobuf", onViolation: "skip-event" },
      messages,
    );
    expect(run.errors.map(({ code }) => code)).toEqual(["bad_attribution", "bad_event"]);
    expect(run.warnings).toEqual([]);
    expect(eventsIn("protobuf", run.output)).toContain(JSON.stringify(m("😀")));
  });

  describe("an event that is left out changes nothing of what is held", () => {
    const run = (protocol: Case["protocol"], to: "msgpack" | "protobuf", enforce: boolean, texts: readonly string[]) =>
      [WHOLE, ONE_BYTE, randomCuts(4)].map(({ split }) =>
        transcode(
          engine(kind),
          { protocol, from: "ndjson", to, enforce },
          split(concat(texts.map((text) => messageOf("ndjson", text)))),
        ),
      );
    const wide = (event: Json): string => JSON.stringify(event).replace('"wide"', "1e999");
    const left = (runs: ReturnType<typeof run>, to: "msgpack" | "protobuf", code: string, out: readonly Json[]) => {
      for (const { errors, warnings, output } of runs) {
        expect(errors.map((error) => error.code)).toEqual([code]);
        expect(warnings).toEqual([]);
        expect(eventsIn(to, output).map((text) => JSON.parse(text) as Json)).toEqual(out);
      }
    };

    it.each([
      ["a delta with the other half", m(LOW, { metadata: { k: "wide" } })],
      ["a delta with a half of its own", m(`${LOW}${HIGH}`, { metadata: { k: "wide" } })],
      ["a delta of another message", agui.textContent("n", HIGH, { metadata: { k: "wide" } })],
      ["an END", agui.textEnd("m", { metadata: { k: "wide" } })],
      ["a RUN event", agui.finished({ result: "wide" })],
      ["a chunk without an id", agui.textChunk({ delta: LOW, metadata: { k: "wide" } })],
    ])("AG-UI to msgpack: %s", (_, event) => {
      const events = [agui.started(), agui.textStart("n"), agui.textStart("m"), m(HIGH)];
      const rest = [m(`${LOW}!`)];
      const texts = [
        ...events.map((one) => JSON.stringify(one)),
        wide(event),
        ...rest.map((one) => JSON.stringify(one)),
      ];
      const out = [...events.slice(0, 3), m(""), m("😀!")];
      left(run("ag-ui", "msgpack", false, texts), "msgpack", "limit", out);
      // An end leaves no place for the delta where that is enforced, and a chunk without an id begins nothing.
      if (event.type === "TEXT_MESSAGE_CONTENT") left(run("ag-ui", "msgpack", true, texts), "msgpack", "limit", out);
    });

    it.each([
      ["a delta with the other half", m(LOW, { timestamp: "never" })],
      ["an END", agui.textEnd("m", { timestamp: "never" })],
      ["a RUN event", agui.finished({ outcome: 5 })],
    ])("AG-UI to protobuf: %s", (_, event) => {
      const events = [agui.started(), agui.textStart("m"), m(HIGH), event, m(LOW)];
      const texts = events.map((one) => JSON.stringify(one));
      const out = [...events.slice(0, 2), m(""), m("😀")];
      left(run("ag-ui", "protobuf", false, texts), "protobuf", "bad_event", out);
    });

    it.each([
      ["a delta with the other half", { ...append(3, "a", LOW), block: { id: "a", n: "wide", x: LOW } }],
      ["a delta with a half of its own", { ...append(3, "a", LOW), block: { id: "a", n: "wide", x: LOW + HIGH } }],
      [
        "a delta of another field",
        { ...append(3, "a", HIGH), mask: "block.y", block: { id: "a", n: "wide", y: HIGH } },
      ],
      ["a set of the block", { op: "set", seq: 3, block: { id: "a", type: "t", n: "wide" } }],
      ["a set of the field", { op: "set", seq: 3, mask: "block.x", block: { id: "a", x: "", n: "wide" } }],
      ["a start", { ...start("", 3), ts: 1, model: { ...(start().model as Json), meta: { n: "wide" } } }],
    ])("AgentUE to msgpack: %s", (_, event) => {
      const events = [start(), append(2, "a", HIGH)];
      const last = append(4, "a", LOW);
      const texts = [...events.map((one) => JSON.stringify(one)), wide(event), JSON.stringify(last)];
      const out = [start(), append(2, "a", ""), append(4, "a", "😀")];
      for (const enforce of [true, false])
        left(run("agentue", "msgpack", enforce, texts), "msgpack", "limit", out as Json[]);
    });
  });

  it("a connection that fails tells at the end of the body what is lost of what was held", () => {
    const cases = [
      ["agentue", "msgpack", [start(), append(2, "a", HIGH)]],
      ["ag-ui", "msgpack", inText(m(HIGH))],
      ["ag-ui", "protobuf", inText(m(HIGH))],
    ] as const;
    for (const [protocol, to, events] of cases) {
      for (const enforce of [true, false]) {
        const told: unknown[] = [];
        const transcoder = engine(kind).createTranscoder({
          protocol,
          from: "ndjson",
          to,
          enforce,
          onError: ({ code }) => void told.push(code),
          onWarning: ({ code, subject, eventIndex }) => void told.push([code, subject, eventIndex]),
        });
        const body = concat([...events.map((event) => messageOf("ndjson", JSON.stringify(event))), utf8("{]\n")]);
        expect(() => transcoder.push(body)).toThrow(expect.objectContaining({ code: "bad_json" }));
        expect(told).toEqual(["bad_json"]);
        expect(eventsIn(to, transcoder.finish())).toHaveLength(events.length);
        expect(told).toEqual(["bad_json", ["lossy", "surrogate", events.length + 1]]);
        expect(transcoder.status).toBe("truncated");
        transcoder.finish();
        expect(told).toHaveLength(2);
        transcoder.close();
      }
    }
  });

  it("halves in the names of many tokens are lost like any others", () => {
    for (const tag of [undefined, "s", HIGH, `\\ud${LOW}`]) {
      const owner = tag === undefined ? {} : { subagentRunId: tag };
      const tokens = (id: string, tagged: Json) => [
        agui.started(),
        agui.textStart(id, tagged),
        ...Array.from({ length: 20 }, (_, i) => agui.textContent(id, `${i} é`, tagged)),
      ];
      // The core learns from ordinary ones what such events look like.
      const plain = tokens("m", tag === undefined ? {} : { subagentRunId: "s" });
      transcode(engine(kind), { protocol: "ag-ui", from: "sse", to: "protobuf" }, [
        concat(plain.map((event) => messageOf("sse", JSON.stringify(event)))),
      ]);
      const events = tokens(`m${HIGH}`, owner);
      const messages = events.map((event) => messageOf("sse", JSON.stringify(event)));
      const wanted = events.map((event) => JSON.parse(JSON.stringify(event).replace(/\\ud83d|\\ude00/g, LOST)) as Json);
      for (const to of ["msgpack", "protobuf"] as const) {
        for (const chunks of [messages, [concat(messages)]]) {
          const run = transcode(engine(kind), { protocol: "ag-ui", from: "sse", to }, chunks);
          expect(eventsIn(to, run.output).map((text) => JSON.parse(text) as Json)).toEqual(wanted);
          expect(run.warnings).toMatchObject([{ code: "lossy", subject: "surrogate", eventIndex: 1 }]);
        }
      }
    }
  });

  it("escapes in any spelling are halves", () => {
    const body = [
      JSON.stringify(start()),
      `{"op":"append","seq":2,"mask":"block.x","block":{"id":"\\u0061","x":"1\\uD83D"}}`,
      `{"op":"append","seq":3,"mask":"block.\\u0078","block":{"\\u0078":"\\ude00\\/","id":"a"}}`,
      JSON.stringify(end(4)),
    ].map((text) => messageOf("ndjson", text));
    for (const enforce of [true, false]) {
      const run = transcode(engine(kind), { protocol: "agentue", from: "ndjson", to: "msgpack", enforce }, body);
      const out = eventsIn("msgpack", run.output);
      expect(out[1]).toContain('"x":"1"');
      expect(out[2]).toContain('"x":"😀/"');
      expect(run.warnings).toEqual([]);
    }
  });
});
