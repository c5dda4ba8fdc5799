import { acceptance, append, end, failure, modelWith, ping, refusal, set, setMeta, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §5.4 to §5.6 and docs/semantics.md §3 steps 5 and 6, §4: `error`, `ping`, `end` and the state of a stream.

const OK = { code: "c", message: "m" };

const ERROR: Case[] = [
  acceptance("error sets meta.error and the status", failure(2, OK), { meta: { error: OK } }, { status: "errored" }),
  acceptance(
    "error with everything optional and unknown members",
    failure(2, { ...OK, detail: null, trace_id: "t", retry: [1] }),
    { meta: { error: { ...OK, detail: null, trace_id: "t", retry: [1] } } },
    { status: "errored" },
  ),
  acceptance(
    "error with empty strings",
    failure(2, { code: "", message: "" }),
    { meta: { error: { code: "", message: "" } } },
    { status: "errored" },
  ),
  acceptance(
    "other members of its meta are ignored",
    { op: "error", seq: 2, mask: "meta.error", meta: { task_id: 5, error: OK, x: 1 } },
    { meta: { error: OK } },
    { status: "errored" },
  ),
  ...refusal("error missing", { op: "error", seq: 2, mask: "meta.error", meta: {} }, "missing_field", "/meta/error"),
  ...[null, 1, "e", []].flatMap((error) =>
    refusal(`error ${JSON.stringify(error)}`, failure(2, error), "bad_field", "/meta/error"),
  ),
  ...refusal("code missing", failure(2, { message: "m" }), "bad_field", "/meta/error/code"),
  ...refusal("message missing", failure(2, { code: "c" }), "bad_field", "/meta/error/message"),
  ...refusal("code null", failure(2, { code: null, message: "m" }), "bad_field", "/meta/error/code"),
  ...refusal("message a number", failure(2, { message: 1, code: "c" }), "bad_field", "/meta/error/message"),
  ...refusal("detail a number", failure(2, { ...OK, detail: 1 }), "bad_field", "/meta/error/detail"),
  ...refusal("trace_id an array", failure(2, { ...OK, trace_id: [] }), "bad_field", "/meta/error/trace_id"),
  ...refusal(
    "the fixed order of members",
    failure(2, { trace_id: 1, detail: 1, message: 1, code: 1 }),
    "bad_field",
    "/meta/error/code",
  ),
  ...refusal(
    "message before detail",
    failure(2, { trace_id: 1, detail: 1, code: "" }),
    "bad_field",
    "/meta/error/message",
  ),
  ...refusal(
    "detail before trace_id",
    failure(2, { trace_id: 1, detail: 1, ...OK }),
    "bad_field",
    "/meta/error/detail",
  ),
  acceptance(
    "a repeated member of the error counts with its last value",
    '{"op":"error","seq":2,"mask":"meta.error","meta":{"error":1,"error":{"code":5,"message":"m","code":"c"}}}',
    { meta: { error: OK } },
    { status: "errored" },
  ),
  {
    name: "an error replaces an earlier one as a whole",
    steps: [start(), failure(2, { ...OK, detail: "d" }), failure(3, { code: "x", message: "y" })],
    applied: 3,
    streams: [
      { status: "errored", seq: 3, version: 3, model: modelWith({ meta: { error: { code: "x", message: "y" } } }) },
    ],
  },
  {
    name: "an errored stream goes on and stays errored",
    steps: [
      start(),
      failure(2, OK),
      set(3, { id: "b", type: "t" }),
      setMeta(4, "meta.error", { error: null }),
      ping(4),
    ],
    applied: 5,
    streams: [
      {
        status: "errored",
        seq: 4,
        version: 4,
        model: modelWith({ block: { id: "b", type: "t" }, meta: { error: null } }),
      },
    ],
    finish: "truncated",
  },
  {
    name: "an errored stream ends",
    steps: [start(), failure(2, OK), end(3)],
    applied: 3,
    streams: [{ status: "ended", seq: 3, version: 2 }],
    finish: "complete",
  },
];

const NO_MODEL: Case[] = [
  ...(
    [
      ["set", set(1, { id: "b", type: "t" })],
      ["set meta", setMeta(1, "meta.x", { x: 1 })],
      ["append", append(1, "a", "x", {})],
      [
        "append of a whole block",
        { op: "append", seq: 1, mask: "block.content", block: { id: "a", type: "t", content: "" } },
      ],
      ["error", failure(1, OK)],
      ["ping", ping(1)],
      ["end", end(1)],
    ] as const
  ).map(
    ([name, event]): Case => ({
      name: `${name} before start creates nothing, and a start is welcome afterwards`,
      steps: [event, event, start(), ping(1)],
      applied: 2,
      errors: [
        { code: "no_model", streamId: "", seq: 1, eventIndex: 0 },
        { code: "no_model", streamId: "", seq: 1, eventIndex: 1 },
      ],
      streams: [{ status: "open", seq: 1, version: 1 }],
    }),
  ),
  {
    name: "a malformed event before start: its own fault, and still nothing is created",
    steps: [set(1, { id: 5 }), { op: "ping" }, { op: "nope", seq: 1 }, '{"op":"ping","seq":1,"x":1}'],
    applied: 0,
    errors: [
      { code: "bad_block", path: "/block/id", streamId: "", eventIndex: 0 },
      { code: "missing_field", path: "/seq", streamId: "", eventIndex: 1 },
      { code: "unknown_op", path: "/op", streamId: "", eventIndex: 2 },
      { code: "unknown_field", path: "/x", streamId: "", eventIndex: 3 },
    ],
    streams: [],
    finish: "truncated",
  },
  {
    name: "nothing at all",
    steps: [],
    applied: 0,
    streams: [],
    finish: "truncated",
  },
];

const AFTER_END: Case[] = [
  ...(
    [
      ["set", set(9, { id: "b", type: "t" })],
      ["append", append(9, "a", "x")],
      ["error", failure(9, OK)],
      ["ping", ping(9)],
      ["end", end(9)],
      ["a repetition", append(2, "a", "x")],
    ] as const
  ).map(
    ([name, event]): Case => ({
      name: `${name} after end`,
      steps: [start(), end(2), event, event],
      applied: 2,
      errors: [
        { code: "after_end", streamId: "", seq: event.seq as number, eventIndex: 2 },
        { code: "after_end", streamId: "", seq: event.seq as number, eventIndex: 3 },
      ],
      streams: [{ status: "ended", seq: 2, version: 1, model: modelWith({}) }],
      finish: "complete",
    }),
  ),
  {
    name: "a malformed event after end: its own fault, and the stream is refused",
    steps: [start(), end(2), set(3, { id: "" })],
    applied: 2,
    errors: [{ code: "bad_block", path: "/block/id", eventIndex: 2 }],
    streams: [{ status: "refused", seq: 2 }],
    finish: "truncated",
  },
  {
    name: "contents before state: a payload fault after end",
    options: { onViolation: "skip-event" },
    steps: [start(), end(2), append(3, "a", 5), append(3, "nobody", "x")],
    applied: 2,
    errors: [
      { code: "bad_field", path: "/block/content", eventIndex: 2 },
      { code: "after_end", eventIndex: 3 },
    ],
    streams: [{ status: "ended", seq: 2 }],
  },
];

const REFUSED: Case[] = [
  {
    name: "a refused stream drops everything but start, silently",
    steps: [
      start(),
      set(2, { id: 1 }),
      append(2, "a", "x"),
      ping(1),
      end(3),
      { op: "nope", seq: 1 },
      { seq: "x", bogus: 1 },
      set(2, { id: 1 }),
    ],
    applied: 1,
    errors: [{ code: "bad_block", path: "/block/id", eventIndex: 1 }],
    streams: [{ status: "refused", seq: 1, version: 1, model: modelWith({}) }],
    finish: "truncated",
  },
  {
    name: "a malformed start on a refused stream is reported and leaves it refused",
    steps: [start(), set(2, { id: 1 }), start({ version: "9" }), { op: "start", seq: 1, x: 1 }, ping(1)],
    applied: 1,
    errors: [
      { code: "bad_block", path: "/block/id", eventIndex: 1 },
      { code: "bad_model", path: "/model/version", eventIndex: 2 },
      { code: "unknown_field", path: "/x", eventIndex: 3 },
    ],
    streams: [{ status: "refused", seq: 1, version: 1 }],
  },
  {
    name: "a valid start opens a refused stream again",
    steps: [start(), set(2, { id: 1 }), ping(1), start(undefined, { seq: 5 }), append(6, "a", "!"), end(7)],
    applied: 4,
    errors: [{ code: "bad_block", path: "/block/id", eventIndex: 1 }],
    streams: [
      {
        status: "ended",
        seq: 7,
        version: 3,
        model: modelWith({ block: { id: "a", type: "text", content: "Hello!" } }),
      },
    ],
    finish: "complete",
  },
  {
    name: "a repeated op decides whether a refused stream listens",
    steps: [start(), set(2, { id: 1 }), '{"op":"start","op":"ping","seq":1}', '{"op":"ping","op":"start","seq":1}'],
    applied: 1,
    errors: [
      { code: "bad_block", path: "/block/id", eventIndex: 1 },
      { code: "missing_field", path: "/model", eventIndex: 3 },
    ],
    streams: [{ status: "refused", seq: 1 }],
  },
];

contract("error, ping, end", [...ERROR, ...NO_MODEL, ...AFTER_END, ...REFUSED]);
