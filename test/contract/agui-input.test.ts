import { describe, expect, it } from "vitest";
import {
  activity,
  finished,
  messagesSnapshot,
  run,
  started,
  stateDelta,
  stateSnapshot,
  text,
  textContent,
  textEnd,
  textStart,
  tool,
  toolStart,
} from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { Fold, thrown } from "../support/fold.js";
import { agui, assistant, caller, call as callOf, refused, user } from "./agui.js";
import { call } from "./base.js";

const echo = (...messages: unknown[]) => started({ input: { threadId: "t", runId: "r", messages } });

agui("AG-UI input", [
  {
    name: "C13, G4: before anything there is what the input has, or nothing",
    steps: [],
    messages: [],
    state: {},
    status: "idle",
    version: 0,
    run: { threadId: undefined, runId: undefined, parentRunId: undefined, interrupts: [], pendingToolCallIds: [] },
  },
  {
    name: "C1: messages and state of the input are the baseline, and its ids are shown until a run starts",
    options: {
      input: {
        threadId: "T",
        runId: "R",
        parentRunId: "P",
        messages: [user("u", "hi"), caller("a", callOf("c", "{}"))],
        state: { n: 1 },
        tools: [],
        context: [],
        forwardedProps: { any: 1 },
      },
    },
    steps: [],
    messages: [user("u", "hi"), caller("a", callOf("c", "{}"))],
    state: { n: 1 },
    status: "idle",
    run: { threadId: "T", runId: "R", parentRunId: "P" },
  },
  {
    name: "C1: a run's own ids replace those of the input",
    options: { input: { threadId: "T", runId: "R", parentRunId: "P" } },
    steps: [started()],
    run: { threadId: "t", runId: "r", parentRunId: undefined },
  },
  {
    name: "O11: events go on in the messages of the input",
    options: { input: { messages: [assistant("a", "x"), caller("b", callOf("c", "1"))], state: [0] } },
    steps: run(text("a", ["y"]), tool("c", ["2"]), stateDelta([{ op: "add", path: "/-", value: 1 }])),
    messages: [assistant("a", "xy"), caller("b", callOf("c", "12"))],
    state: [0, 1],
  },
  {
    name: "W8: messages of the input have no owners",
    options: { input: { messages: [{ ...assistant("a", ""), subagentRunId: "s" }] } },
    steps: run([textStart("a", { subagentRunId: "z" }), textContent("a", "x"), textEnd("a")]),
    messages: [{ ...assistant("a", "x"), subagentRunId: "s" }],
  },
  {
    name: "C17: messages of an echoed input are appended when they are not held",
    options: { input: { messages: [user("u", "mine")] } },
    steps: [echo(user("v", "1"), user("u", "theirs"), user("w", "2"))],
    messages: [user("u", "mine"), user("v", "1"), user("w", "2")],
  },
  {
    name: "C17: state, tools and other members of an echoed input change nothing",
    steps: [
      started({
        input: {
          threadId: "other",
          runId: "other",
          messages: [],
          state: { a: 1 },
          tools: [{ name: "f", description: "d", metadata: { k: 1 } }],
          context: [{ description: "d", value: "v" }],
          forwardedProps: { a: null },
          protocolVersion: "1.1",
        },
      }),
    ],
    state: {},
    run: { threadId: "t", runId: "r", protocolVersion: undefined },
  },
  {
    name: "C16: unknown members of an echoed input are removed with a warning",
    steps: [
      started({
        input: { threadId: "t", runId: "r", messages: [], future: 1, tools: [{ name: "f", description: "d", x: 1 }] },
      }),
    ],
    warnings: [
      { code: "unknown_property", path: "/input/future" },
      { code: "unknown_property", path: "/input/tools/0/x" },
    ],
  },
  ...refused(
    "I4: a malformed echoed input is fatal",
    [],
    started({ input: { threadId: "t", runId: "r", messages: [user("u", 5)] } }),
    {
      code: "bad_event",
      path: "/input/messages/0/content",
      message: "expected string or array, received number",
    },
    { start: false, follow: started(), goesOn: "running", messages: [] },
  ),
  ...refused(
    "B6: the state of an echoed input is never null",
    [],
    started({ input: { threadId: "t", runId: "r", messages: [], state: null } }),
    {
      code: "bad_event",
      path: "/input/state",
    },
    { start: false, follow: started() },
  ),
]);

agui("AG-UI load", [
  {
    name: "load replaces messages and state between runs, and forgets the run",
    steps: [
      ...run(text("m", ["x"])),
      call("load", (fold) =>
        fold.reducer.load({ messages: [user("u")], state: { a: [1] }, run: { status: "running", threadId: "x" } }),
      ),
    ],
    version: 5 + 1,
    messages: [user("u")],
    state: { a: [1] },
    status: "idle",
    atomic: false,
  },
  {
    name: "load without a state makes it {}",
    steps: [...run(stateSnapshot(5)), call("load", (fold) => fold.reducer.load({ messages: [] }))],
    version: 4,
    state: {},
    atomic: false,
  },
  {
    name: "I18: what load has brought is under the rules of what came by events",
    steps: [
      call("load", (fold) =>
        fold.reducer.load(
          JSON.stringify({
            messages: [assistant("a", "x"), { id: "p", role: "activity", activityType: "PLAN", content: {} }],
          }),
        ),
      ),
      started(),
      messagesSnapshot([assistant("a", "y")]),
      activity("p", { z: 1 }),
    ],
    version: 4,
    messages: [assistant("a", "y"), { id: "p", role: "activity", activityType: "PLAN", content: { z: 1 } }],
    atomic: false,
  },
  {
    name: "a rejected stream goes on after load",
    steps: [textStart("m"), call("load", (fold) => fold.reducer.load({ messages: [] })), started()],
    errors: [{ code: "bad_order", eventIndex: 0 }],
    applied: 1,
    version: 3,
    status: "running",
    atomic: false,
  },
  {
    name: "load while a run is running is refused",
    steps: [
      started(),
      textStart("m"),
      call("load", (fold, label) =>
        expect(
          thrown(() => fold.reducer.load({ messages: [] })),
          label,
        ).toMatchObject({ code: "bad_order" }),
      ),
    ],
    messages: [assistant("m", "")],
    status: "running",
  },
  ...(
    [
      [{}, "/messages"],
      [{ messages: 5 }, "/messages"],
      [{ messages: [{ id: "a", role: "user" }] }, "/messages/0/content"],
      [{ messages: [{ id: 5, role: "user", content: "" }] }, "/messages/0/id"],
      [5, ""],
    ] as const
  ).map(([model, path], i) => ({
    name: `a malformed model is refused and changes nothing: ${i}`,
    steps: [
      ...run(text("m", ["x"])),
      call("load", (fold, label) => {
        for (const given of [model, JSON.stringify(model)])
          expect(
            thrown(() => fold.reducer.load(given)),
            `${label}: ${typeof given}`,
          ).toMatchObject({ code: "bad_model", path });
      }),
    ],
    messages: [assistant("m", "x")],
    status: "finished" as const,
  })),
]);

describe.each(KINDS)("AG-UI reducer on %s", (kind) => {
  const make = (options: object) => new Fold(engine(kind), "json", { protocol: "ag-ui", ...options });

  it.each([
    [{ messages: 5 }, "/messages"],
    [{ messages: [{ id: "a", role: "user" }] }, "/messages/0/content"],
    [{ messages: [{ id: "a", role: "wizard", content: 5, name: 5 }, user("u", 5)] }, "/messages/1/content"],
    [{ threadId: 5 }, "/threadId"],
    [{ tools: [{ name: "f" }] }, "/tools/0/description"],
  ])("I19: a malformed input is refused when the reducer is made: %j", (input, path) => {
    expect(thrown(() => make({ input }))).toMatchObject({ code: "bad_argument", path });
  });

  const message = (metadata: unknown) => ({ ...user("u", ""), metadata });
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

  describe.each<[string, object, object, object, { path: string; reason: string }]>([
    [
      "blocks",
      { blocks: 2 },
      { messages: [user("a"), user("b")] },
      { messages: [user("a"), user("b"), user("c")] },
      { path: "/messages/2", reason: "blocks" },
    ],
    [
      "depth of the state",
      { depth: 5 },
      { state: nested(4) },
      { state: nested(5) },
      { path: "/state", reason: "depth" },
    ],
    [
      "depth of messages",
      { depth: 6 },
      { messages: [message({ a: nested(2) })] },
      { messages: [message({ a: nested(3) })] },
      { path: "/messages", reason: "depth" },
    ],
    ["depth of nothing", { depth: 2 }, { messages: [] }, { state: [[]] }, { path: "/state", reason: "depth" }],
    [
      "numberLength in messages",
      { numberLength: 4 },
      { messages: [message({ "a/b": 1234 })], state: -123 },
      { messages: [message({ "a/b": [1, 12345] })] },
      { path: "/messages/0/metadata/a~1b/1", reason: "numberLength" },
    ],
    [
      "numberLength in the state",
      { numberLength: 4 },
      { state: [0.25, -0, true] },
      { state: [1, { n: 1e21 }, 12345] },
      { path: "/state/1/n", reason: "numberLength" },
    ],
    [
      "numberLength of exact numbers",
      { numberLength: 19 },
      { state: 2 ** 60 },
      { state: 2 ** 68 },
      { path: "/state", reason: "numberLength" },
    ],
    [
      "modelBytes",
      { modelBytes: 62 },
      { state: "é".repeat(18) },
      { state: `${"é".repeat(18)}x` },
      { path: "", reason: "modelBytes" },
    ],
    [
      "modelBytes with escapes",
      { modelBytes: 62 },
      { state: "\u0001".repeat(6) },
      { state: `${"\u0001".repeat(6)}x` },
      { path: "", reason: "modelBytes" },
    ],
    [
      "modelBytes below an empty model",
      { modelBytes: 1 },
      { messages: [], state: {} },
      { state: [1], messages: [message({})] },
      { path: "", reason: "modelBytes" },
    ],
  ])("the limit %s", (_name, limits, good, bad, { path, reason }) => {
    it("is kept by the input when the reducer is made", () => {
      const fault = thrown(() => make({ limits, input: bad }));
      expect(fault).toEqual({ code: "bad_argument", scope: "usage", path });
      expect(() => make({ limits, input: bad })).toThrow(reason);
    });

    it.each(["object", "text"])("takes what is not beyond it, with the first event as %s", (form) => {
      const fold = make({
        limits: { ...limits, ...(reason === "modelBytes" ? {} : { modelBytes: 4096 }) },
        input: good,
      });
      const { state = {}, messages = [] } = good as { state?: unknown; messages?: unknown[] };
      const wanted = canonical(new TextEncoder().encode(JSON.stringify({ messages, state })));
      const first = { type: "RAW", event: 1 };
      fold.apply(form === "object" ? first : JSON.stringify(first));
      const held = JSON.parse(canonical(fold.reducer.snapshotBytes())) as { messages: unknown; state: unknown };
      expect(JSON.stringify({ messages: held.messages, state: held.state })).toBe(JSON.stringify(JSON.parse(wanted)));
      fold.reducer.reset();
      expect(fold.reducer.status()).toBe("idle");
      fold.reducer.close();
    });
  });

  it("limits of an input: the schema comes first, and members that nobody reads are not judged", () => {
    const limits = { depth: 8, numberLength: 3, blocks: 1 };
    expect(thrown(() => make({ limits, input: { messages: [user("a"), { id: "b" }], state: 12345 } }))).toMatchObject({
      path: "/messages/1/role",
    });
    expect(thrown(() => make({ limits, input: { messages: [user("a"), user("b")], state: 12345 } }))).toMatchObject({
      path: "/state",
    });
    const fold = make({ limits, input: { threadId: "T", forwardedProps: { deep: nested(20), n: 123456 } } });
    expect(fold.apply("[]")).toBe(0);
    expect(fold.reducer.snapshot()).toMatchObject({ run: { threadId: "T" } });
    fold.reducer.close();
  });

  it("an input deeper than any limit allows is beyond the limit depth", () => {
    for (const name of ["state", "forwardedProps"])
      expect(thrown(() => make({ input: { [name]: nested(4200) } }))).toEqual({
        code: "bad_argument",
        scope: "usage",
        path: `/${name}`,
      });
  });

  it("I19: unknown material of the input is left out with a warning", () => {
    const fold = make({
      input: {
        messages: [
          { ...user("u"), mood: 1 },
          { id: "w", role: "wizard" },
        ],
        state: { any: null },
        future: 1,
      },
    });
    expect(fold.reducer.snapshot()).toMatchObject({ messages: [user("u")], state: { any: null } });
    expect(fold.warnings.map(({ code, path }) => ({ code, path }))).toEqual([
      { code: "unknown_property", path: "/messages/0/mood" },
      { code: "unknown_variant", path: "/messages/1" },
      { code: "unknown_property", path: "/future" },
    ]);
    fold.reducer.close();
  });

  it("B7: a state that has become null is a baseline", () => {
    const fold = make({ input: { state: null } });
    expect(fold.reducer.snapshot()).toMatchObject({ state: null });
    fold.reducer.close();
  });

  it("leaves the caller's input alone, and does not look at it later", () => {
    const input = { messages: [user("u")], state: { list: [1] } };
    const before = JSON.stringify(input);
    const fold = make({ input });
    for (const event of run(text("m", ["x"]), stateDelta([{ op: "add", path: "/list/-", value: 2 }])))
      fold.apply(event);
    expect(JSON.stringify(input)).toBe(before);
    input.state.list.push(9);
    fold.reducer.reset();
    expect(fold.reducer.snapshot()).toMatchObject({
      messages: [user("u")],
      state: { list: [1] },
      run: { status: "idle" },
    });
    fold.reducer.close();
  });

  it("reset() goes back to the baseline and forgets everything else", () => {
    const fold = make({ input: { messages: [user("u")], state: 5 } });
    const blank = canonical(fold.reducer.snapshotBytes());
    for (const event of [...run(toolStart("c"), [{ type: "TOOL_CALL_END", toolCallId: "c" }]), { type: "RAW" }])
      fold.apply(event);
    expect(fold.reducer.status()).toBe("rejected");
    fold.reducer.reset();
    expect(canonical(fold.reducer.snapshotBytes())).toBe(blank);
    expect(fold.apply(started())).toBe(1);
    expect(fold.apply(textStart("m"))).toBe(1);
    fold.reducer.close();
  });

  it("load goes back to the ids of the baseline, also after a checkpoint", () => {
    const fold = make({ input: { threadId: "T", runId: "R", parentRunId: "P" } });
    for (const event of run()) fold.apply(event);
    const next = fold.migrate(engine(kind));
    expect(next.reducer.snapshot()).toMatchObject({ run: { threadId: "t", runId: "r" } });
    next.reducer.load(JSON.stringify({ messages: [] }));
    expect(next.reducer.snapshot()).toMatchObject({
      run: { threadId: "T", runId: "R", parentRunId: "P", status: "idle" },
    });
    next.reducer.close();
  });

  it("there is one stream, the unnamed one, from the beginning", () => {
    const fold = make({});
    const { reducer } = fold;
    expect(reducer.streamIds()).toEqual([""]);
    expect(reducer.status()).toBe("idle");
    expect(reducer.status({ streamId: "x" })).toBe("none");
    expect(reducer.seq()).toBeUndefined();
    expect(reducer.release()).toBe(false);
    expect(reducer.snapshot({ streamId: "x" })).toBeUndefined();
    expect(thrown(() => reducer.load({ messages: [] }, { streamId: "x" }))).toMatchObject({ code: "no_model" });
    expect(thrown(() => reducer.materialize({ id: "a" }))).toMatchObject({ code: "bad_argument" });
    reducer.close();
  });

  it("pause queues events, resume applies them", () => {
    const fold = make({});
    fold.apply(started());
    fold.reducer.pause();
    for (const event of [...text("m", ["x"]), finished()]) expect(fold.apply(event)).toBe(0);
    expect(fold.reducer.stats().queued).toBe(4);
    expect(fold.reducer.snapshot()).toMatchObject({ messages: [] });
    expect(fold.resume("")).toBe(4);
    expect(fold.reducer.snapshot()).toMatchObject({ messages: [assistant("m", "x")], run: { status: "finished" } });
    fold.reducer.close();
  });

  it("partialArgs follows a call's arguments", () => {
    const { reducer } = make({});
    const seen = (event: unknown) => {
      reducer.apply(event);
      return reducer.partialArgs("c");
    };
    expect(seen(started())).toBeUndefined();
    expect(seen(toolStart("c"))).toEqual({});
    expect(seen({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: '{"q":"a\\u00' })).toEqual({ q: "a" });
    expect(seen({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: 'e9","n":1' })).toEqual({ q: "aé" });
    expect(seen({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "2}" })).toEqual({ q: "aé", n: 12 });
    expect(seen({ type: "TOOL_CALL_END", toolCallId: "c" })).toEqual({ q: "aé", n: 12 });
    expect(seen(messagesSnapshot([caller("a", callOf("c", '{"other":true}'))]))).toEqual({ other: true });
    expect(seen(messagesSnapshot([]))).toBeUndefined();
    reducer.close();
  });

  it("onEvent hears of the named types only", () => {
    const fold = make({ eventTypes: ["TEXT_MESSAGE_CONTENT"] });
    for (const event of run(text("m", ["a"]), [{ type: "TEXT_MESSAGE_CHUNK", messageId: "n", delta: "b" }]))
      fold.apply(event);
    expect(fold.events).toEqual([textContent("m", "a"), textContent("n", "b")]);
    expect(fold.applied).toBe(6);
    fold.reducer.close();
    for (const type of ["NO_SUCH_TYPE", "TEXT_MESSAGE_CHUNK"])
      expect(thrown(() => make({ eventTypes: [type] }))).toMatchObject({ code: "bad_argument" });
  });
});
