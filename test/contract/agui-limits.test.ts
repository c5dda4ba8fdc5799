import { describe, expect, it } from "vitest";
import {
  type AguiEvent,
  activity,
  activityDelta,
  encrypted,
  messagesSnapshot,
  spanStart,
  started,
  stateDelta,
  stateSnapshot,
  stepStarted,
  subagentStarted,
  text,
  textChunk,
  textContent,
  textStart,
  toolArgs,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";
import { type AguiOptions, agui, type Refusal, refused, user } from "./agui.js";
import { call } from "./base.js";

/** What fits exactly passes, what is one more is refused at its member. */
function limit(
  name: string,
  limits: NonNullable<AguiOptions["limits"]>,
  before: readonly AguiEvent[],
  event: AguiEvent,
  path: string | undefined,
  more: Refusal & { opIndex?: number; message?: string } = {},
) {
  const { opIndex, message = Object.keys(limits)[0] as string, ...rest } = more;
  return refused(
    name,
    before,
    event,
    { code: "limit", message, ...(path === undefined ? {} : { path }), ...(opIndex === undefined ? {} : { opIndex }) },
    { options: { limits }, ...rest },
  );
}

const EMPTY = '{"messages":[],"state":{}}'.length;
const size = (messages: unknown, state: unknown = {}) => JSON.stringify({ messages, state }).length;
/** More than one engine copies before it is sure that all of a patch applies. */
const COPIES_LIMIT = 4 * 1024 * 1024;
/** The number of the first copy of the state into itself, as member `k<number>`, that is beyond the limit. */
function firstCopyTooMany(bytes: number): number {
  for (let i = 0; ; i++) {
    bytes = 2 * bytes + `,"k${i}":`.length;
    if (bytes + EMPTY - 2 > COPIES_LIMIT) return i;
  }
}
const M = { id: "m", role: "assistant", content: "" };

agui("AG-UI limits: blocks", [
  ...limit("a text message too many", { blocks: 1 }, [textStart("m")], textStart("n"), "/messageId"),
  ...limit("a call that would make a message too many", { blocks: 1 }, [textStart("m")], toolStart("c"), "/toolCallId"),
  ...limit("a result too many", { blocks: 1 }, [textStart("m")], toolResult("r", "c", ""), "/messageId"),
  ...limit("an activity too many", { blocks: 1 }, [textStart("m")], activity("a", {}), "/messageId"),
  ...limit(
    "a chunk that opens a message too many",
    { blocks: 1 },
    [textStart("m")],
    textChunk({ messageId: "n" }),
    "/messageId",
  ),
  ...limit("a snapshot of too many messages", { blocks: 1 }, [], messagesSnapshot([user("a"), user("b")]), "/messages"),
  ...limit(
    "an echoed input of too many messages",
    { blocks: 1 },
    [],
    started({ input: { threadId: "t", runId: "r", messages: [user("a"), user("b")] } }),
    "/input/messages",
    { start: false, follow: started() },
  ),
  {
    name: "as many messages as the limit says, also when others go",
    options: { limits: { blocks: 2 } },
    steps: [started(), textStart("m"), textStart("n"), messagesSnapshot([user("a"), user("b")]), textContent("m", "x")],
    messages: [user("a"), user("b")],
    warnings: [{ code: "target_missing", path: "/messageId" }],
  },
]);

agui("AG-UI limits: modelBytes", [
  {
    name: "a model of just the size",
    options: { limits: { modelBytes: size([{ ...M, content: "é" }]) + 1 } },
    steps: [started(), textStart("m"), textContent("m", "é")],
    messages: [{ ...M, content: "é" }],
  },
  ...limit("text", { modelBytes: size([M]) + 3 }, [textStart("m")], textContent("m", "éé"), "/delta", {
    messages: [M],
  }),
  ...limit("arguments", { modelBytes: 200 }, [toolStart("c")], toolArgs("c", "x".repeat(200)), "/delta"),
  ...limit("a new message", { modelBytes: EMPTY + 20 }, [], textStart("m"), "/messageId", { messages: [] }),
  ...limit(
    "a new call",
    { modelBytes: size([M]) + 40 },
    [textStart("m")],
    toolStart("c", "f", { parentMessageId: "m" }),
    "/toolCallId",
  ),
  ...limit(
    "a chunk's text",
    { modelBytes: size([M]) + 3 },
    [],
    textChunk({ messageId: "m", delta: "four" }),
    "/delta",
    { messages: [] },
  ),
  ...limit("the content of a result", { modelBytes: 200 }, [], toolResult("m", "c", "x".repeat(200)), "/content"),
  ...limit("the content of an activity", { modelBytes: 200 }, [], activity("m", { x: "x".repeat(200) }), "/content"),
  ...limit("the state", { modelBytes: 100 }, [], stateSnapshot("x".repeat(100)), "/snapshot", { state: {} }),
  ...limit(
    "a delta",
    { modelBytes: 100 },
    [],
    stateDelta([
      { op: "add", path: "/a", value: 1 },
      { op: "add", path: "/b", value: "x".repeat(100) },
    ]),
    "/delta",
    {
      state: {},
      opIndex: 1,
    },
  ),
  ...limit(
    "copies of the root, each refused before it is made",
    { modelBytes: COPIES_LIMIT },
    [stateSnapshot({ a: 1 })],
    stateDelta(Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "", path: `/k${i}` }))),
    "/delta",
    {
      state: { a: 1 },
      opIndex: firstCopyTooMany('{"a":1}'.length),
    },
  ),
  ...limit(
    "a delta of an activity",
    { modelBytes: 150 },
    [activity("a", {})],
    activityDelta("a", [{ op: "add", path: "/b", value: "x".repeat(100) }]),
    "/patch",
    {
      opIndex: 0,
    },
  ),
  ...limit("messages", { modelBytes: 100 }, [], messagesSnapshot([user("u", "x".repeat(100))]), "/messages"),
  ...limit(
    "metadata",
    { modelBytes: size([M]) + 20 },
    [textStart("m")],
    textContent("m", "x", { metadata: { k: "x".repeat(20) } }),
    "/metadata",
    {
      messages: [M],
    },
  ),
  ...limit(
    "a name of a call",
    { modelBytes: 150 },
    [toolStart("c"), { type: "TOOL_CALL_END", toolCallId: "c" }],
    toolStart("c", "x".repeat(100)),
    "/toolCallName",
  ),
  ...limit(
    "an encrypted value",
    { modelBytes: size([M]) + 20 },
    [textStart("m")],
    encrypted("message", "m", "x".repeat(20)),
    "/encryptedValue",
  ),
  {
    name: "what is dropped by a snapshot counts no more",
    options: { limits: { modelBytes: 200 } },
    steps: [
      started(),
      messagesSnapshot([user("u", "x".repeat(120))]),
      messagesSnapshot([user("v", "y".repeat(120))]),
      stateSnapshot("z".repeat(10)),
      stateSnapshot(0),
    ],
    messages: [user("v", "y".repeat(120))],
    state: 0,
  },
]);

const SMALL: AguiOptions = { limits: { modelBytes: 10 } };

agui("AG-UI limits: modelBytes below an empty model", [
  {
    name: "what does not grow it passes",
    options: { ...SMALL, onDeltaFailure: "fail" },
    steps: [
      started(),
      messagesSnapshot([]),
      stateSnapshot({}),
      stateDelta([]),
      stateDelta([{ op: "test", path: "", value: {} }]),
      stateDelta([{ op: "replace", path: "", value: "" }]),
      stateDelta([{ op: "replace", path: "", value: [] }]),
      stateSnapshot(1),
      stateDelta([{ op: "replace", path: "", value: 2 }]),
    ],
    messages: [],
    state: 2,
  },
  ...[10, EMPTY].flatMap((modelBytes) => [
    ...limit(
      `a delta that grows it, ${modelBytes}`,
      { modelBytes },
      [],
      stateDelta([{ op: "add", path: "/a", value: 1 }]),
      "/delta",
      {
        opIndex: 0,
        state: {},
      },
    ),
    ...limit(`a state that grows it, ${modelBytes}`, { modelBytes }, [], stateSnapshot({ a: 1 }), "/snapshot", {
      state: {},
    }),
    ...limit(`a message, ${modelBytes}`, { modelBytes }, [], textStart("m"), "/messageId", { messages: [] }),
    ...limit(`messages, ${modelBytes}`, { modelBytes }, [], messagesSnapshot([user("u")]), "/messages", {
      messages: [],
    }),
  ]),
  ...limit(
    "what it had before it became smaller",
    { modelBytes: 10 },
    [stateSnapshot(1)],
    stateSnapshot({}),
    "/snapshot",
    {
      state: 1,
    },
  ),
  ...limit(
    "a delta that grows it and makes it small again",
    { modelBytes: 10 },
    [],
    stateDelta([
      { op: "add", path: "/a", value: 1 },
      { op: "remove", path: "/a" },
    ]),
    "/delta",
    { opIndex: 0, state: {} },
  ),
  {
    name: "an echoed input without messages",
    options: SMALL,
    steps: [started({ input: { threadId: "t", runId: "r", messages: [], state: {} } })],
    messages: [],
  },
]);

describe.each(KINDS)("AG-UI limits: an empty model beyond modelBytes, %s", (kind) => {
  const fresh = (more: AguiOptions = {}) => new Fold(engine(kind), "json", { protocol: "ag-ui", ...SMALL, ...more });
  const tooLarge = { code: "limit", path: "" };

  it("is what a checkpoint brings back", () => {
    const checkpoint = fresh().reducer.checkpoint();
    const other = fresh();
    other.reducer.restore(checkpoint);
    expect(other.reducer.snapshot()).toMatchObject({ messages: [], state: {} });
    const large = fresh({ limits: {}, input: { state: { a: 1 } } }).reducer.checkpoint();
    expect(() => other.reducer.restore(large)).toThrow(expect.objectContaining({ code: "bad_checkpoint" }));
  });

  it("is loaded where the model is no smaller", () => {
    const { reducer } = fresh({ input: { state: {} } });
    reducer.load({ messages: [] });
    expect(() => reducer.load({ messages: [], state: { a: 1 } })).toThrow(expect.objectContaining(tooLarge));
    reducer.load({ messages: [], state: 1 });
    expect(() => reducer.load({ messages: [] })).toThrow(expect.objectContaining(tooLarge));
    expect(reducer.snapshot()).toMatchObject({ messages: [], state: 1 });
    reducer.reset();
    expect(reducer.snapshot()).toMatchObject({ messages: [], state: {} });
    expect(() => fresh({ input: { state: { a: 1 } } })).toThrow(
      expect.objectContaining({ ...tooLarge, code: "bad_argument" }),
    );
  });
});

const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);

agui("AG-UI limits: depth", [
  {
    name: "a state of just the depth",
    options: { limits: { depth: 6 } },
    steps: [started(), stateSnapshot(nest(5))],
    state: nest(5),
  },
  ...limit(
    "a delta that would nest too deep",
    { depth: 6 },
    [stateSnapshot(nest(5))],
    stateDelta([{ op: "replace", path: "/0/0/0/0/0", value: [] }]),
    "/delta",
    { opIndex: 0, state: nest(5) },
  ),
  ...[
    ["an upsert", 6, 1],
    ["an upsert of a list", 5, []],
    ["an upsert far beyond", 20_000, 1],
  ].flatMap(([what, tokens, value]) =>
    limit(
      `${what} that would nest too deep`,
      { depth: 6 },
      [],
      stateDelta([{ op: "replace", path: "/a".repeat(tokens as number), value }]),
      "/delta",
      { opIndex: 0, state: {}, options: { onDeltaFailure: "upsert", limits: { depth: 6 } } },
    ),
  ),
  {
    name: "an upsert of just the depth",
    options: { onDeltaFailure: "upsert", limits: { depth: 6 } },
    steps: [started(), stateDelta([{ op: "add", path: "/a/a/a/a/a", value: 1 }])],
    state: { a: { a: { a: { a: { a: 1 } } } } },
    warnings: [{ code: "delta_upserted", path: "/a/a/a/a/a", opIndex: 0 }],
  },
  ...limit(
    "an upsert that would nest too deep and be too large",
    { depth: 6 },
    [],
    stateDelta([{ op: "add", path: "/aaaaaaaa/bbbbbbbb/c", value: nest(3) }]),
    "/delta",
    { opIndex: 0, state: {}, options: { onDeltaFailure: "upsert", limits: { depth: 6, modelBytes: EMPTY + 10 } } },
  ),
  ...limit(
    "content of an activity that would nest too deep",
    { depth: 6 },
    [],
    activity("a", { x: nest(4) }),
    "/content",
  ),
  ...limit(
    "metadata that would nest too deep",
    { depth: 6 },
    [textStart("m")],
    textContent("m", "", { metadata: { x: nest(3) } }),
    "/metadata",
  ),
]);

const line = '{"type":"RAW","event":1}';

agui("AG-UI limits: queuedBytes", [
  ...[line.length, line.length + 1].map((queuedBytes) => ({
    name: `a CR before the LF is one of a queued message's bytes, wherever chunks are cut: ${queuedBytes}`,
    options: { limits: { queuedBytes }, onViolation: "skip-event" as const },
    transports: ["ndjson"] as const,
    steps: [
      started(),
      call("pause", (fold) => fold.reducer.pause()),
      utf8(`${line}\r\n`),
      call("resume", (fold) => void fold.resume("")),
    ],
    applied: queuedBytes > line.length ? 2 : 1,
    ...(queuedBytes > line.length
      ? {}
      : { errors: [{ code: "limit" as const, eventIndex: 1, message: "queuedBytes" }] }),
    everyCut: true,
    atomic: false as const,
  })),
]);

agui("AG-UI limits: items and numbers", [
  ...limit(
    "names of one run",
    { items: 3 },
    [textStart("a"), toolStart("b", "f", { parentMessageId: "a" }), spanStart("c")],
    stepStarted("s"),
    "/stepName",
  ),
  ...limit("a name that a message brings", { items: 1 }, text("a", []), textStart("b"), "/messageId"),
  ...limit("a subagent", { items: 1 }, text("a", []), subagentStarted("b"), "/subagentRunId"),
  ...limit(
    "the names of a snapshot",
    { items: 2 },
    [],
    messagesSnapshot([user("a"), user("b"), user("c")]),
    "/messages",
  ),
  ...limit(
    "the names of an echoed input",
    { items: 1 },
    [],
    started({ input: { threadId: "t", runId: "r", messages: [user("a"), user("b")] } }),
    "/input/messages",
    { start: false, follow: started() },
  ),
  {
    name: "names of the run before count no more",
    options: { limits: { items: 1 } },
    steps: [
      started(),
      ...text("a", []),
      ...text("a", []),
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
      started(),
      ...text("b", []),
    ],
    status: "running",
  },
  ...refused(
    "a number that is too long",
    [],
    '{"type":"RAW","event":123456}',
    { code: "limit", message: "numberLength" },
    {
      options: { limits: { numberLength: 5 } },
    },
  ),
]);
