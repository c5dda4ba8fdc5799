import { modelOf, start } from "./base.js";
import { type Case, contract, type ExpectedError } from "./runner.js";

// What an engine that has met an event many times may take for granted of the next one, and what it may not: each case brings a run of like tokens
// and then one that only just is not like them.

const UUID = "0c2f7e1a-aaaa-bbbb-cccc-0123456789ab";
const IDS = ["a", "b", "answer-1", "answer-12", 'q\\"', UUID, `${UUID.slice(0, -1)}c`, `1${UUID.slice(1)}`];
const MODEL = modelOf(...IDS.map((id) => ({ id: JSON.parse(`"${id}"`), type: "text", content: "" })));

/** The text of one token; `seq` and `ts` as they are written. */
function token(seq: string | number, id: string, delta: string, ts?: string): string {
  return `{"op":"append","seq":${seq},${ts === undefined ? "" : `"ts":${ts},`}"mask":"block.content","block":{"id":"${id}","content":"${delta}"}}`;
}

/** Tokens with the seqs `from` to `to`. */
function run(from: number, to: number, id: string, ts?: string): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => token(from + i, id, "x", ts));
}

function content(texts: Record<string, string>): unknown {
  return {
    ...MODEL,
    blocks: (MODEL.blocks as { id: string }[]).map((block) => ({ ...block, content: texts[block.id] ?? "" })),
  };
}

const X = (n: number): string => "x".repeat(n);

/** Twenty tokens to block `a` (seqs 2 to 21), then one that is refused. */
function refused(name: string, last: string, code: ExpectedError["code"], path: string | undefined, ts?: string): Case {
  return {
    name,
    options: { onViolation: "skip-event" },
    steps: [start(MODEL), ...run(2, 21, "a", ts), last],
    applied: 21,
    errors: [{ code, ...(path === undefined ? {} : { path }) }],
    streams: [{ status: "open", seq: 21, model: content({ a: X(20) }) }],
  };
}

const LENGTHS: Case[] = [
  {
    name: "seqs gain digits",
    steps: [start(MODEL), ...run(2, 1003, "a")],
    applied: 1003,
    streams: [{ status: "open", seq: 1003, version: 1003, model: content({ a: X(1002) }) }],
  },
  {
    name: "seqs of eight digits and more",
    steps: [start(MODEL, { seq: 99_999_980 }), ...run(99_999_981, 100_000_010, "a")],
    applied: 31,
    streams: [{ status: "open", seq: 100_000_010, model: content({ a: X(30) }) }],
  },
  {
    name: "ids of all lengths take turns, alike at their ends or beginnings",
    steps: [
      start(MODEL),
      ...Array.from({ length: 240 }, (_, i) => token(i + 2, IDS[(i * 7 + (i >> 4)) % IDS.length]!, `${i % 10}`)),
    ],
    applied: 241,
    streams: [
      {
        status: "open",
        model: content(
          Object.fromEntries(
            IDS.map((id, at) => [
              JSON.parse(`"${id}"`),
              Array.from({ length: 240 }, (_, i) => ((i * 7 + (i >> 4)) % IDS.length === at ? `${i % 10}` : "")).join(
                "",
              ),
            ]),
          ),
        ),
      },
    ],
  },
  {
    name: "forty shapes take turns",
    steps: [
      start(MODEL),
      ...Array.from({ length: 200 }, (_, i) =>
        token(i + 2, "a", "x").replace(
          '"mask"',
          `"event_type":"${"e".repeat((i * 7) % 40)}${i % 40 === 39 ? "" : "."}","mask"`,
        ),
      ),
    ],
    applied: 201,
    streams: [{ status: "open", seq: 201, model: content({ a: X(200) }) }],
  },
  {
    name: "shapes that differ behind the delta only",
    steps: [
      start(MODEL),
      ...Array.from(
        { length: 60 },
        (_, i) =>
          `{"op":"append","seq":${i + 2},"block":{"content":"x","id":"${IDS[i % 4]}"},"mask":"block.content","event_type":"${"abc"[i % 3]}"}`,
      ),
    ],
    applied: 61,
    streams: [{ status: "open", model: content(Object.fromEntries(IDS.slice(0, 4).map((id) => [id, X(15)]))) }],
  },
  {
    name: "deltas of every kind behind plain ones",
    steps: [
      start(MODEL),
      ...run(2, 21, "a"),
      ...[
        "",
        "y".repeat(15),
        "y".repeat(16),
        "y".repeat(17),
        "y".repeat(300),
        "\\n",
        "é",
        "\\u00e9",
        "\\ud83d",
        "\\ude00",
        '\\"',
        "中".repeat(6),
        "😀",
      ].map((delta, i) => token(22 + i, "a", delta)),
      ...run(35, 40, "a"),
    ],
    applied: 40,
    streams: [
      {
        status: "open",
        seq: 40,
        version: 40,
        model: content({ a: `${X(20)}${"y".repeat(15 + 16 + 17 + 300)}\né\u00e9😀"${"中".repeat(6)}😀${X(6)}` }),
      },
    ],
  },
];

const NEAR_MISSES: Case[] = [
  refused("a seq with a leading zero", token("022", "a", "x"), "bad_json", undefined),
  refused("a seq that is a fraction", token("2.5", "a", "x"), "bad_field", "/seq"),
  refused("a seq with a colon for a digit", token("2:", "a", "x"), "bad_json", undefined),
  refused("a time with a leading zero", token(22, "a", "x", "0767600000000"), "bad_json", undefined, "1767600000000"),
  refused(
    "a time with a slash for a digit",
    token(22, "a", "x", "17676000/0000"),
    "bad_json",
    undefined,
    "1767600000000",
  ),
  refused("a delta with a control character", token(22, "a", "\u0001"), "bad_json", undefined),
  refused("a delta of another type", token(22, "a", "x").replace('"x"', "12 "), "bad_field", "/block/content"),
  refused(
    "an id that nobody has, of the same length",
    token(22, "c", "x").replace("}}", ',"type":5}}'),
    "bad_block",
    "/block/type",
  ),
].map(
  (one) =>
    (one.errors?.[0]?.code === "bad_json"
      ? { ...one, options: { onViolation: "skip-event", undecodable: "skip" } }
      : one) as Case,
);

const CONTEXT: Case[] = [
  {
    name: "a new model has blocks of the same ids",
    steps: [
      start(MODEL),
      ...run(2, 21, "a"),
      start(MODEL),
      ...run(2, 11, "a"),
      start(modelOf({ id: "b", type: "text", content: "" })),
      ...run(2, 11, "b"),
    ],
    applied: 43,
    streams: [{ status: "open", seq: 11, model: modelOf({ id: "b", type: "text", content: X(10) }) }],
  },
  {
    name: "a block is replaced, and the next tokens go to the new one",
    steps: [
      start(MODEL),
      ...run(2, 21, "a"),
      { op: "set", seq: 22, block: { id: "a", type: "text", content: "new " } },
      ...run(23, 30, "a"),
    ],
    applied: 30,
    streams: [{ status: "open", seq: 30, model: content({ a: `new ${X(8)}` }) }],
  },
  {
    name: "repeated tokens are skipped, a gap is told",
    steps: [start(MODEL), ...run(2, 21, "a"), ...run(15, 21, "a"), ...run(24, 30, "a")],
    applied: 28,
    warnings: [{ code: "duplicate_seq", path: "/seq" }],
    gaps: [{ streamId: "", op: "append", lastSeq: 21, seq: 24, eventIndex: 28 }],
    streams: [{ status: "open", seq: 30, model: content({ a: X(27) }) }],
  },
  {
    name: "after an error and after the end",
    options: { onViolation: "skip-event" },
    steps: [
      start(MODEL),
      ...run(2, 21, "a"),
      { op: "error", seq: 22, mask: "meta.error", meta: { error: { code: "x", message: "y" } } },
      ...run(23, 30, "a"),
      { op: "end", seq: 31 },
      token(32, "a", "x"),
    ],
    applied: 31,
    errors: [{ code: "after_end" }],
    streams: [{ status: "ended", seq: 31 }],
  },
  {
    name: "the limit of a model is met in the middle of a run",
    options: { onViolation: "skip-event", limits: { modelBytes: JSON.stringify(MODEL).length + 30 } },
    steps: [start(MODEL), ...run(2, 40, "a")],
    applied: 31,
    errors: Array.from({ length: 9 }, () => ({ code: "limit" as const, path: "/block/content" })),
    streams: [{ status: "open", model: content({ a: X(30) }) }],
    transports: ["sse", "ndjson"],
  },
];

contract("tokens that are alike", [...LENGTHS, ...NEAR_MISSES, ...CONTEXT]);
