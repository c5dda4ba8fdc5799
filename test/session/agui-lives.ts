import { expect } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { thrown } from "../support/fold.js";
import { sseBody } from "../support/sse.js";

export const lines = (...events: unknown[]): string[] => events.map((event) => JSON.stringify(event));
export const sse = (...events: unknown[]): Uint8Array => sseBody(lines(...events));

export const started = (runId = "r", more: object = {}): object => ({
  type: "RUN_STARTED",
  threadId: "t",
  runId,
  ...more,
});
export const finished = (runId = "r", more: object = {}): object => ({
  type: "RUN_FINISHED",
  threadId: "t",
  runId,
  ...more,
});
export const textStart = (messageId: string, more: object = {}): object => ({
  type: "TEXT_MESSAGE_START",
  messageId,
  role: "assistant",
  ...more,
});
export const text = (messageId: string, delta: string, more: object = {}): object => ({
  type: "TEXT_MESSAGE_CONTENT",
  messageId,
  delta,
  ...more,
});
export const textEnd = (messageId: string): object => ({ type: "TEXT_MESSAGE_END", messageId });
export const callStart = (toolCallId: string, more: object = {}): object => ({
  type: "TOOL_CALL_START",
  toolCallId,
  toolCallName: "search",
  ...more,
});
export const args = (toolCallId: string, delta: string): object => ({ type: "TOOL_CALL_ARGS", toolCallId, delta });
export const callEnd = (toolCallId: string): object => ({ type: "TOOL_CALL_END", toolCallId });

/** A run with everything that builds something. */
export function everything(n: number): object[] {
  const tag = { subagentRunId: `s${n}` };
  return [
    started(`run ${n}`, {
      input: { threadId: "t", runId: `run ${n}`, messages: [{ id: `u${n}`, role: "user", content: "hello" }] },
    }),
    { type: "STEP_STARTED", stepName: "plan" },
    { type: "STATE_SNAPSHOT", snapshot: { list: [1, 2, 3], deep: { er: { text: "x".repeat(300) } } } },
    {
      type: "STATE_DELTA",
      delta: [
        { op: "add", path: "/list/1", value: { a: "y".repeat(50) } },
        { op: "remove", path: "/deep/er/text" },
        { op: "move", from: "/list/0", path: "/deep/moved" },
      ],
    },
    textStart(`m${n}`, { metadata: { a: { b: 1 } } }),
    ...Array.from({ length: 50 }, (_, i) => text(`m${n}`, `token é ${i} `, i % 10 ? {} : { metadata: { i } })),
    textEnd(`m${n}`),
    callStart(`c${n}`, { parentMessageId: `m${n}` }),
    args(`c${n}`, '{"query":"'),
    args(`c${n}`, 'rain"}'),
    callEnd(`c${n}`),
    { type: "TOOL_CALL_RESULT", messageId: `result ${n}`, toolCallId: `c${n}`, content: "wet" },
    { type: "SUBAGENT_STARTED", subagentRunId: `s${n}`, name: "helper" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: `sm${n}`, delta: "chunk ", ...tag },
    { type: "TEXT_MESSAGE_CHUNK", delta: "of a subagent", ...tag },
    { type: "TOOL_CALL_CHUNK", toolCallId: `sc${n}`, toolCallName: "look", delta: "{}", ...tag },
    { type: "REASONING_MESSAGE_CHUNK", messageId: `think ${n}`, delta: "hm" },
    { type: "SUBAGENT_FINISHED", subagentRunId: `s${n}` },
    { type: "REASONING_START", messageId: `span ${n}` },
    { type: "REASONING_MESSAGE_START", messageId: `reason ${n}`, role: "reasoning" },
    { type: "REASONING_MESSAGE_CONTENT", messageId: `reason ${n}`, delta: "because" },
    { type: "REASONING_MESSAGE_END", messageId: `reason ${n}` },
    { type: "REASONING_END", messageId: `span ${n}` },
    {
      type: "REASONING_ENCRYPTED_VALUE",
      subtype: "message",
      entityId: `reason ${n}`,
      encryptedValue: "z".repeat(100),
    },
    { type: "ACTIVITY_SNAPSHOT", messageId: `a${n}`, activityType: "plan", content: { steps: [] } },
    {
      type: "ACTIVITY_DELTA",
      messageId: `a${n}`,
      activityType: "plan",
      patch: [{ op: "add", path: "/steps/-", value: { title: "one" } }],
    },
    { type: "CUSTOM", name: "x", value: { y: 1 } },
    { type: "STEP_FINISHED", stepName: "plan" },
    finished(`run ${n}`, { result: { ok: true } }),
  ];
}

/** What may happen to an AG-UI reducer before it is reset or closed. Each leaves something behind that must be given back. */
export const LIVES: Record<string, (reducer: Reducer) => void> = {
  "nothing at all": () => {},
  "only reads": (reducer) => {
    reducer.push(new Uint8Array());
    reducer.status();
    reducer.stats();
    reducer.checkpoint();
    reducer.snapshot();
    reducer.changes();
  },
  "every kind of event, in many runs": (reducer) => {
    for (let n = 0; n < 20; n++) reducer.push(sse(...everything(n)));
  },
  "one event a chunk": (reducer) => {
    for (const event of everything(1)) reducer.push(sse(event));
  },
  "a run that stays open": (reducer) => {
    reducer.push(sse(...everything(1).slice(0, 20), { type: "STEP_STARTED", stepName: "left open" }));
    reducer.push(sse({ type: "TEXT_MESSAGE_CHUNK", messageId: "left open", delta: "x", name: "n", role: "user" }));
  },
  "many open items and owners": (reducer) => {
    reducer.push(sse(started()));
    for (let i = 0; i < 2000; i++) {
      reducer.push(sse(textStart(`m${i}`, { subagentRunId: `owner ${i % 50}` }), callStart(`c${i}`)));
    }
  },
  "snapshots of many messages": (reducer) => {
    const messages = (from: number, n: number): object[] =>
      Array.from({ length: n }, (_, i) => ({ id: `m${from + i}`, role: "user", content: "x".repeat(50) }));
    reducer.push(sse(started()));
    for (const from of [0, 1000, 500, 3000]) {
      reducer.push(sse({ type: "MESSAGES_SNAPSHOT", messages: messages(from, 2000) }));
    }
  },
  "refused events": (reducer) => {
    reducer.push(sse(started(), textStart("m"), { type: "TEXT_MESSAGE_CHUNK", messageId: "c", delta: "x" }));
    for (const event of [
      text("nowhere", "x"),
      started(),
      { type: "MESSAGES_SNAPSHOT", messages: [{ id: "x", role: "user", content: 5 }] },
      { type: "TEXT_MESSAGE_CHUNK", messageId: "c", role: "user", delta: "x".repeat(500) },
      finished(),
      { type: "STATE_DELTA", delta: [{ op: "add", path: "no pointer", value: 1 }] },
      {},
    ]) {
      expect(
        thrown(() => reducer.push(sse(event))),
        JSON.stringify(event),
      ).toBeDefined();
    }
  },
  "warnings of every kind": (reducer) => {
    const unknown = Array.from({ length: 400 }, (_, i) => ({ type: `FUTURE_${i}`, x: "y".repeat(i) }));
    reducer.push(sse(started("r", { protocolVersion: "9.9" }), ...unknown));
    reducer.push(sse(...unknown.map((_, i) => ({ type: "CUSTOM", name: "n", value: 1, [`extra ${i}`]: i }))));
    reducer.push(sse({ type: "THINKING_START", title: "old" }, { type: "THINKING_TEXT_MESSAGE_START" }));
    reducer.push(sse({ type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "x" }, { type: "THINKING_TEXT_MESSAGE_END" }));
    reducer.push(sse({ type: "STATE_DELTA", delta: [{ op: "remove", path: "/nothing" }] }));
  },
  "a half message": (reducer) => {
    reducer.push(utf8(`id: half\ndata: ${JSON.stringify(started()).slice(0, 20)}`));
  },
  "a failed connection": (reducer) => {
    reducer.push(sse(started()));
    expect(thrown(() => reducer.push(latin1("data: {\xff\n\n")))).toBeDefined();
    expect(thrown(() => reducer.push(utf8("x")))).toBeDefined();
  },
  "a paused queue": (reducer) => {
    reducer.push(sse(started(), textStart("m")));
    reducer.pause();
    for (let i = 0; i < 100; i++) reducer.push(sse(text("m", "queued".repeat(20))));
  },
  "a queue that was resumed": (reducer) => {
    reducer.pause();
    reducer.push(sse(...everything(1)));
    reducer.resume();
  },
  "changes that were read": (reducer) => {
    reducer.push(sse(started(), textStart("m"), { type: "STATE_SNAPSHOT", snapshot: {} }));
    for (let i = 0; i < 600; i++) {
      const delta = [{ op: "add", path: `/key ${i}`, value: i }];
      reducer.push(sse(i % 3 ? text("m", "x") : { type: "STATE_DELTA", delta }));
      if (i % 5 === 0) reducer.changes({ since: i });
    }
  },
  "checkpoints, taken and restored, good and bad": (reducer) => {
    reducer.push(concat([sse(...everything(1).slice(0, 25)), utf8("data: {half")]));
    reducer.pause();
    const saved = reducer.checkpoint();
    for (let i = 0; i < 20; i++) {
      reducer.restore(saved);
      expect(thrown(() => reducer.restore(saved.subarray(0, saved.length - 1 - i)))?.code).toBe("bad_checkpoint");
    }
  },
  "objects first, bytes later": (reducer) => {
    for (const event of everything(1)) reducer.apply(event);
    reducer.push(sse(...everything(2)));
    reducer.apply(started("third"));
    expect(thrown(() => reducer.apply("{"))?.code).toBe("bad_json");
  },
  "good and faulty loads": (reducer) => {
    for (let i = 0; i < 20; i++) {
      reducer.load(JSON.stringify({ messages: [{ id: `m${i}`, role: "user", content: "x" }], state: { i } }));
      expect(thrown(() => reducer.load(JSON.stringify({ messages: [{ id: 5 }] })))).toBeDefined();
      expect(thrown(() => reducer.load("[1,"))).toBeDefined();
    }
  },
  "arguments that were read": (reducer) => {
    reducer.push(sse(started(), callStart("c")));
    for (let i = 0; i < 50; i++) {
      reducer.push(sse(args("c", i === 0 ? "[" : "1,")));
      reducer.partialArgs("c");
    }
    expect(reducer.partialArgs("d")).toBeUndefined();
  },
};

/** How it ends. */
export const ENDS: Record<string, (reducer: Reducer) => void> = {
  close: (reducer) => reducer.close(),
  "reset, use, close": (reducer) => {
    reducer.reset();
    reducer.push(sse(started(), textStart("m")));
    reducer.close();
  },
  "release, close": (reducer) => {
    reducer.release();
    reducer.close();
  },
  "finish, reconnect, close": (reducer) => {
    reducer.finish();
    reducer.reconnect();
    reducer.close();
  },
};

/** With what options. */
export const OPTIONS: Record<string, Partial<ReducerOptions>> = {
  plain: { onViolation: "skip-event" },
  "listeners, a baseline and middleware": {
    onViolation: "skip-event",
    onEvent() {},
    input: { messages: [{ id: "first", role: "user", content: "x".repeat(200) }], state: { base: [1, 2] } },
    middleware: {
      TEXT_MESSAGE_CONTENT: (event) => [event, event],
      CUSTOM: () => undefined,
      "*": (event) => event,
    },
  },
};
