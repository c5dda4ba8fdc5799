import { acceptance, append, end, failure, modelWith, ping, refusal, set, setMeta, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §4 and docs/semantics.md §3 step 3: members in document order, repeated ones as one (last value, first place).

const MEMBERS: Case[] = [
  ...refusal("an unknown member", { op: "ping", seq: 1, extra: 1 }, "unknown_field", "/extra"),
  ...refusal("an unknown member before a bad one", { op: "ping", extra: 1, seq: "x" }, "unknown_field", "/extra"),
  ...refusal("a bad member before an unknown one", { op: "ping", seq: "x", extra: 1 }, "bad_field", "/seq"),
  ...refusal(
    "an unknown member whose name is escaped in the pointer",
    { "a/b~c": 1, op: "ping", seq: 1 },
    "unknown_field",
    "/a~1b~0c",
  ),
  ...refusal("an unknown member with an empty name", { "": 1, op: "ping", seq: 1 }, "unknown_field", "/"),
  ...refusal(
    "an unknown member named __proto__",
    '{"op":"ping","seq":1,"__proto__":{}}',
    "unknown_field",
    "/__proto__",
  ),
  ...refusal(
    "an unknown member named constructor",
    { op: "ping", seq: 1, constructor: 1 },
    "unknown_field",
    "/constructor",
  ),
  ...refusal("an unknown member beside a missing op", { extra: 1 }, "unknown_field", "/extra"),
  ...refusal("names differ by case", { op: "ping", Seq: 1 }, "unknown_field", "/Seq"),
  ...refusal("no members at all", "{}", "missing_field", "/op"),
  ...refusal("op missing", { seq: 1 }, "missing_field", "/op"),
  ...refusal("seq missing", { op: "ping" }, "missing_field", "/seq"),
  ...refusal("op missing before the slots are judged", { seq: 2, block: {} }, "missing_field", "/op"),
  ...refusal("seq missing before the slots are judged", { op: "set" }, "missing_field", "/seq"),
  ...refusal("op of a wrong type", { op: 1, seq: 1 }, "bad_field", "/op"),
  ...refusal("op null", { op: null, seq: 1 }, "bad_field", "/op"),
  ...refusal("op unknown", { op: "delete", seq: 1 }, "unknown_op", "/op"),
  ...refusal("op in upper case", { op: "PING", seq: 1 }, "unknown_op", "/op"),
  ...refusal("op empty", { op: "", seq: 1 }, "unknown_op", "/op"),
  ...refusal("op with a space", { op: "ping ", seq: 1 }, "unknown_op", "/op"),
  ...refusal("op unknown before a bad seq", { op: "x", seq: "1" }, "unknown_op", "/op"),
  ...refusal("a bad seq before an unknown op", { seq: "1", op: "x" }, "bad_field", "/seq"),
  ...refusal("op of a wrong type before a missing seq", { op: [] }, "bad_field", "/op"),
  ...refusal("mask of a wrong type", { op: "set", seq: 2, mask: 1 }, "bad_field", "/mask"),
  ...refusal("mask null", { op: "set", seq: 2, mask: null, block: { id: "x", type: "t" } }, "bad_field", "/mask"),
  ...refusal("event_type of a wrong type", { op: "ping", seq: 1, event_type: 1 }, "bad_field", "/event_type"),
  ...refusal("event_type null", { op: "ping", seq: 1, event_type: null }, "bad_field", "/event_type"),
  ...refusal("model of a wrong type", { op: "start", seq: 2, model: [] }, "bad_field", "/model"),
  ...refusal("model null", { op: "start", seq: 2, model: null }, "bad_field", "/model"),
  ...refusal("meta of a wrong type", { op: "set", seq: 2, mask: "meta.x", meta: "m" }, "bad_field", "/meta"),
  ...refusal("meta null", { op: "error", seq: 2, mask: "meta.error", meta: null }, "bad_field", "/meta"),
  ...refusal("block of a wrong type", { op: "set", seq: 2, block: [] }, "bad_field", "/block"),
  ...refusal("block null", { op: "set", seq: 2, block: null }, "bad_field", "/block"),
  ...refusal(
    "a slot of a wrong type although the op forbids it",
    { op: "ping", seq: 1, block: 1 },
    "bad_field",
    "/block",
  ),
  ...refusal("a bad member behind the slots", { op: "ping", seq: 1, block: {}, ts: -1 }, "bad_field", "/ts"),
  acceptance("members in any order", '{"block":{"type":"text","id":"b"},"seq":2,"op":"set"}', {
    block: { type: "text", id: "b" },
  }),
  acceptance("event_type and ts change nothing", set(2, { id: "b", type: "t" }, { ts: 5, event_type: "x.y" }), {
    block: { id: "b", type: "t" },
  }),
  acceptance("names with escapes", '{"\\u006fp":"set","s\\u0065q":2,"bl\\u006fck":{"\\u0069d":"b","t\\u0079pe":"t"}}', {
    block: { id: "b", type: "t" },
  }),
  acceptance("op with escapes", '{"op":"\\u0073et","seq":2,"block":{"id":"b","type":"t"}}', {
    block: { id: "b", type: "t" },
  }),
  acceptance(
    "white space everywhere",
    ' \t{ "op" :\t"set" , "seq" : 2 , "block" : { "id" : "b" , "type" : "t" , "x" : [ 1 , { } ] } } ',
    {
      block: { id: "b", type: "t", x: [1, {}] },
    },
  ),
];

const REPEATED: Case[] = [
  acceptance(
    "a repeated member: the last value counts",
    '{"op":"ping","seq":9,"op":"set","seq":2,"block":{"id":"b","type":"t"}}',
    {
      block: { id: "b", type: "t" },
    },
  ),
  acceptance(
    "a repeated member: an earlier value of a wrong type does not count",
    '{"op":"set","seq":"x","seq":2,"block":7,"block":{"id":"b","type":"t"}}',
    {
      block: { id: "b", type: "t" },
    },
  ),
  acceptance(
    "a repeated member under an escaped name",
    '{"op":"set","seq":1,"\\u0073eq":2,"block":{"id":"b","type":"t"}}',
    {
      block: { id: "b", type: "t" },
    },
  ),
  acceptance(
    "a repeated member of a block",
    '{"op":"set","seq":2,"block":{"id":"x","type":5,"id":"b","v":1,"type":"t","v":2}}',
    {
      block: { id: "b", type: "t", v: 2 },
    },
  ),
  ...refusal(
    "a repeated member stands in its first place",
    '{"seq":1,"extra":1,"seq":"x","op":"ping"}',
    "bad_field",
    "/seq",
  ),
  ...refusal("a repeated member: its last value is judged", '{"op":"ping","seq":1,"seq":null}', "bad_field", "/seq"),
  ...refusal("a repeated op: its last value is judged", '{"op":"ping","op":"x","seq":1}', "unknown_op", "/op"),
  ...refusal("a repeated slot that the op forbids", '{"op":"ping","seq":1,"meta":{},"meta":{}}', "bad_field", "/meta"),
];

const INTEGERS: readonly [name: string, text: string, seq: number][] = [
  ["zero", "0", 0],
  ["minus zero", "-0", 0],
  ["zero with a fraction", "0.000", 0],
  ["zero with an exponent", "0e99999", 0],
  ["one as 1.0", "1.0", 1],
  ["a hundred as 1e2", "1e2", 100],
  ["a hundred as 1E+2", "1E+2", 100],
  ["one as 10e-1", "10e-1", 1],
  ["one as 0.1e1", "0.1e1", 1],
  ["twelve as 1.20e1", "1.20e1", 12],
  ["2^53-1", "9007199254740991", Number.MAX_SAFE_INTEGER],
  ["2^53-1 with a fraction of zeros", "9007199254740991.000", Number.MAX_SAFE_INTEGER],
  ["2^53-1 with an exponent", "9.007199254740991e15", Number.MAX_SAFE_INTEGER],
  ["a long fraction of zeros", `7.${"0".repeat(300)}`, 7],
];

const NOT_INTEGERS: readonly [name: string, text: string][] = [
  ["negative", "-1"],
  ["a fraction", "1.5"],
  ["2^53", "9007199254740992"],
  ["2^53 with an exponent", "9007199254740992e0"],
  ["2^53 as 9.007199254740992e15", "9.007199254740992e15"],
  ["a fraction that a double drops", "4503599627370496.25"],
  ["a fraction that a double rounds up to one", "0.99999999999999999999999"],
  ["a fraction that a double rounds to zero", "1e-400"],
  ["just above 2^53-1", "9007199254740991.0000001"],
  ["too large for a double", "1e400"],
  ["minus a tiny fraction", "-1e-400"],
  ["a string", '"1"'],
  ["null", "null"],
  ["true", "true"],
  ["an array", "[1]"],
  ["an object", "{}"],
];

const NUMBERS: Case[] = [
  ...INTEGERS.map(
    ([name, text, seq]): Case => ({
      name: `seq: ${name} (${text.slice(0, 30)})`,
      steps: [`{"op":"start","seq":${text},"model":${JSON.stringify(modelWith({}))}}`],
      applied: 1,
      streams: [{ status: "open", seq, version: 1 }],
    }),
  ),
  ...NOT_INTEGERS.flatMap(([name, text]) =>
    refusal(`seq: ${name} (${text})`, `{"op":"ping","seq":${text}}`, "bad_field", "/seq"),
  ),
  ...INTEGERS.map(
    ([name, text]): Case => ({
      name: `ts: ${name} (${text.slice(0, 30)})`,
      steps: [start(), `{"op":"ping","ts":${text},"seq":1}`],
      applied: 2,
      streams: [{ status: "open", seq: 1, version: 1 }],
    }),
  ),
  ...NOT_INTEGERS.flatMap(([name, text]) =>
    refusal(`ts: ${name} (${text})`, `{"op":"ping","seq":1,"ts":${text}}`, "bad_field", "/ts"),
  ),
];

const ROUTE: Case[] = [
  ...["null", "true", "1", '"text"', "[]", '[{"op":"ping","seq":1}]'].map(
    (text): Case => ({
      name: `a message that is no object: ${text}`,
      steps: [start(), text, ping(1)],
      applied: 1,
      errors: [{ code: "not_an_event", eventIndex: 1 }],
      streams: [{ status: "open", seq: 1 }],
    }),
  ),
  ...["null", "5", "true", "[]", "{}"].map(
    (text): Case => ({
      name: `stream_id is no string: ${text}`,
      steps: [start(), `{"op":"ping","seq":1,"stream_id":${text}}`, ping(1)],
      applied: 1,
      errors: [{ code: "not_an_event", path: "/stream_id", eventIndex: 1 }],
      streams: [{ status: "open", seq: 1 }],
    }),
  ),
  {
    name: "stream_id of a wrong type comes before every other fault",
    steps: [start(), '{"bogus":1,"op":5,"stream_id":7}'],
    applied: 1,
    errors: [{ code: "not_an_event", path: "/stream_id", eventIndex: 1 }],
  },
  {
    name: "a repeated stream_id: the last value routes",
    steps: [`{"stream_id":5,"op":"start","seq":1,"stream_id":"s","model":${JSON.stringify(modelWith({}))}}`],
    applied: 1,
    streams: [{ streamId: "s", status: "open", seq: 1 }],
  },
  {
    name: "a repeated stream_id whose last value is no string",
    steps: [start(), '{"stream_id":"","op":"ping","seq":1,"stream_id":5}'],
    applied: 1,
    errors: [{ code: "not_an_event", path: "/stream_id", eventIndex: 1 }],
  },
  {
    name: "stream_id under an escaped name routes",
    steps: [start(undefined, { stream_id: "é" }), '{"op":"ping","seq":1,"\\u0073tream_id":"\\u00e9"}'],
    applied: 2,
    streams: [{ streamId: "é", status: "open", seq: 1 }],
  },
  {
    name: "an empty stream_id is the unnamed stream",
    steps: [start(undefined, { stream_id: "" }), append(2, "a", "!"), end(2, { stream_id: "" })],
    applied: 3,
    streams: [{ status: "ended", seq: 2 }],
    finish: "complete",
  },
];

const POSITIONS: Case[] = [
  {
    name: "an error names stream, seq and event index",
    options: { onViolation: "skip-event" },
    steps: [
      start(undefined, { stream_id: "s" }),
      ping(1, { stream_id: "s" }),
      { op: "set", seq: 7, stream_id: "s", block: { id: 1 } },
      setMeta(8, "meta.task_id", { task_id: 5 }, { stream_id: "s" }),
    ],
    applied: 2,
    errors: [
      { code: "bad_block", path: "/block/id", streamId: "s", seq: 7, eventIndex: 2 },
      { code: "bad_field", path: "/meta/task_id", streamId: "s", seq: 8, eventIndex: 3 },
    ],
  },
  {
    name: "an error names no seq where the event has none that is valid",
    options: { onViolation: "skip-event" },
    steps: [
      start(),
      '{"op":"ping","seq":1e-400}',
      '{"op":"ping","seq":4503599627370496.25}',
      '{"op":"ping","seq":-1}',
      '{"op":"ping","seq":"1"}',
      '{"op":"ping"}',
      '{"op":"ping","seq":9007199254740993}',
    ],
    applied: 1,
    errors: [1, 2, 3, 4, 5, 6].map((eventIndex) => ({
      code: eventIndex === 5 ? "missing_field" : "bad_field",
      path: "/seq",
      seq: undefined as never,
      eventIndex,
    })),
  },
  {
    name: "an error names the seq wherever it stands in the event",
    options: { onViolation: "skip-event" },
    steps: [
      start(),
      '{"bogus":1,"op":"ping","seq":7}',
      '{"seq":8,"op":"nope"}',
      '{"op":"set","block":5,"seq":9.0}',
      '{"op":"ping","mask":"meta.x","seq":1e1}',
      '{"op":"ping","mask":5,"seq":1,"seq":11}',
    ],
    applied: 1,
    errors: [
      { code: "unknown_field", path: "/bogus", seq: 7, eventIndex: 1 },
      { code: "unknown_op", path: "/op", seq: 8, eventIndex: 2 },
      { code: "bad_field", path: "/block", seq: 9, eventIndex: 3 },
      { code: "bad_field", path: "/mask", seq: 10, eventIndex: 4 },
      { code: "bad_field", path: "/mask", seq: 11, eventIndex: 5 },
    ],
  },
  {
    name: "listeners get the events as they were sent, duplicates settled",
    steps: [
      start(),
      '{"op":"append","seq":2,"ts":1.0,"mask":"block.content","event_type":"x","block":{"id":"no","content":"\\u0041","id":"a"}}',
      failure(3, { code: "c", message: "m" }),
    ],
    applied: 3,
    events: [
      start(),
      { op: "append", seq: 2, ts: 1, mask: "block.content", event_type: "x", block: { id: "a", content: "A" } },
      failure(3, { code: "c", message: "m" }),
    ],
  },
];

contract("envelope", [...MEMBERS, ...REPEATED, ...NUMBERS, ...ROUTE, ...POSITIONS]);
