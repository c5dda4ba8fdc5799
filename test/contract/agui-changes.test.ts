import { expect } from "vitest";
import type { Change } from "../../src/engine/contract.js";
import {
  activity,
  activityDelta,
  encrypted,
  finished,
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
  textEnd,
  textStart,
  thoughtStart,
  toolArgs,
  toolChunk,
  toolEnd,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { type AguiCase, agui, assistant, caller, call as callOf, user } from "./agui.js";
import { call } from "./base.js";
import type { Call } from "./runner.js";

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Wanted = Without<Change, "streamId">;

/** Reads `changes` and compares; "resync" stands for an answer that is not known any more. */
function changes(since: number, version: number, wanted: Wanted[] | "resync"): Call {
  return call(`changes since ${since}`, (fold, label) => {
    const answer = fold.reducer.changes({ since });
    if (wanted === "resync") expect(answer, label).toEqual({ version, resync: true });
    else expect(answer, label).toEqual({ version, changes: wanted.map((change) => ({ streamId: "", ...change })) });
  });
}

const insert = (id: string, from: number): Wanted => ({ kind: "insert", id, from });
const replace = (id: string, field?: string): Wanted => ({
  kind: "replace",
  id,
  ...(field === undefined ? {} : { field }),
});
const grow = (id: string, field: string, from: number, to: number, more?: string): Wanted => ({
  kind: "append",
  id,
  field,
  from,
  to,
  ...(more === undefined ? {} : { text: more }),
});
const inCall = (toolCallId: string, change: Wanted): Wanted => ({ ...change, toolCallId }) as Wanted;
const meta = (field: string, pointer?: string): Wanted => ({
  kind: "meta",
  field,
  ...(pointer === undefined ? {} : { pointer }),
});
const run = meta("run");

const finish = call("finish", (fold) => void fold.finish());
const reconnect = call("reconnect", (fold) => fold.reconnect());

/** The first version is known, further ones when changes were read there. */
const begun = [started(), changes(0, 1, [run])];

/** A character whose halves come apart: behind the first one changes are read, and then nothing is appended. */
const HALVES: AguiCase[] = [
  {
    what: "content",
    start: textStart("m"),
    append: (delta: string) => textContent("m", delta),
    grow: (from: number, to: number, more: string): Wanted => grow("m", "content", from, to, more),
  },
  {
    what: "arguments",
    start: toolStart("c", "f", { parentMessageId: "m" }),
    append: (delta: string) => toolArgs("c", delta),
    grow: (from: number, to: number, more: string): Wanted =>
      ({ ...grow("m", "toolCalls.0.function.arguments", from, to, more), toolCallId: "c" }) as Wanted,
  },
].flatMap(({ what, start, append, grow: grown }) =>
  ["", "abcdefgh"].flatMap((head) =>
    ["", "xyz"].flatMap((tail) =>
      [false, true].map((between): AguiCase => {
        const at = head.length + 1;
        const rest = grown(at, at + 1 + tail.length, `\ude00${tail}`);
        return {
          name: `${what}: an empty append behind half a character${between ? ", read" : ""}: "${head}" and "${tail}"`,
          steps: [
            ...begun,
            start,
            append(`${head}\ud83d`),
            changes(1, 3, [insert("m", 0), grown(0, at, `${head}\ud83d`)]),
            append(""),
            ...(between ? [changes(3, 4, [grown(at, at, "")])] : []),
            append(`\ude00${tail}`),
            changes(3, 5, between ? [grown(at, at, ""), rest] : [rest]),
          ],
        };
      }),
    ),
  ),
);

const CASES: AguiCase[] = [
  ...HALVES,
  {
    name: "a run and what it says of itself",
    steps: [
      ...begun,
      stepStarted("s"),
      changes(1, 2, [run]),
      subagentStarted("x"),
      changes(2, 3, [run]),
      spanStart("r"),
      changes(3, 4, [run]),
      stepStarted("t"),
      changes(1, 5, [run]),
    ],
  },
  {
    name: "a new message, and text that comes to it, in UTF-16 code units",
    steps: [
      ...begun,
      textStart("m", { metadata: { k: 1 } }),
      changes(1, 2, [insert("m", 0)]),
      textContent("m", "é😀"),
      changes(2, 3, [grow("m", "content", 0, 3, "é😀")]),
      textContent("m", "a"),
      textContent("m", "b"),
      changes(3, 5, [grow("m", "content", 3, 5, "ab")]),
      textContent("m", ""),
      changes(5, 6, [grow("m", "content", 5, 5, "")]),
      textEnd("m"),
      changes(6, 7, []),
      changes(1, 7, [
        insert("m", 0),
        grow("m", "content", 0, 3, "é😀"),
        grow("m", "content", 3, 5, "ab"),
        grow("m", "content", 5, 5, ""),
      ]),
    ],
  },
  {
    name: "text and reasoning side by side",
    steps: [
      ...begun,
      textStart("m"),
      thoughtStart("r"),
      changes(1, 3, [insert("m", 0), insert("r", 1)]),
      textContent("m", "a"),
      { type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "x" },
      textContent("m", "b"),
      changes(3, 6, [grow("m", "content", 0, 2, "ab"), grow("r", "content", 0, 1, "x")]),
    ],
  },
  {
    name: "metadata of a message",
    steps: [
      ...begun,
      textStart("m"),
      changes(1, 2, [insert("m", 0)]),
      textContent("m", "a", { metadata: { k: 1 } }),
      changes(2, 3, [grow("m", "content", 0, 1, "a"), replace("m", "metadata")]),
      textEnd("m", { metadata: { k: 2 } }),
      changes(3, 4, [replace("m", "metadata")]),
    ],
  },
  {
    name: "content that is made",
    steps: [
      ...begun,
      toolStart("c", "f", { parentMessageId: "p" }),
      textStart("p"),
      changes(1, 3, [insert("p", 0)]),
      textContent("p", "x"),
      changes(3, 4, [replace("p", "content")]),
    ],
  },
  {
    name: "calls, their names, arguments, metadata and encrypted values",
    steps: [
      ...begun,
      toolStart("c", "f", { parentMessageId: "p", metadata: { k: 1 } }),
      changes(1, 2, [insert("p", 0)]),
      toolArgs("c", '{"é"'),
      changes(2, 3, [inCall("c", grow("p", "toolCalls.0.function.arguments", 0, 4, '{"é"'))]),
      toolEnd("c", { metadata: { j: 1 } }),
      changes(3, 4, [inCall("c", replace("p", "toolCalls.0.metadata"))]),
      toolStart("d", "f", { parentMessageId: "p", metadata: { k: 1 } }),
      changes(4, 5, [inCall("d", grow("p", "toolCalls", 1, 2))]),
      toolEnd("d"),
      changes(5, 6, []),
      toolStart("c", "g"),
      changes(6, 7, [inCall("c", replace("p", "toolCalls.0.function.name"))]),
      encrypted("tool-call", "d", "v"),
      changes(7, 8, [inCall("d", replace("p", "toolCalls.1.encryptedValue"))]),
      encrypted("message", "p", "v", { encryptedValueType: "t" }),
      changes(8, 9, [replace("p", "encryptedValue")]),
    ],
    warnings: [{ code: "tool_renamed", path: "/toolCallName" }],
  },
  {
    name: "a list of calls that is made",
    steps: [
      ...begun,
      ...text("p", []),
      changes(1, 3, [insert("p", 0)]),
      toolStart("c", "f", { parentMessageId: "p" }),
      changes(3, 4, [replace("p", "toolCalls")]),
    ],
  },
  {
    name: "several calls that come in are named by the last one",
    steps: [
      ...begun,
      toolStart("c", "f", { parentMessageId: "p" }),
      changes(1, 2, [insert("p", 0)]),
      toolStart("d", "f", { parentMessageId: "p" }),
      toolStart('"é\\', "f", { parentMessageId: "p" }),
      changes(2, 4, [inCall('"é\\', grow("p", "toolCalls", 1, 3))]),
      toolArgs('"é\\', "1"),
      toolArgs("d", "2"),
      changes(4, 6, [
        inCall('"é\\', grow("p", "toolCalls.2.function.arguments", 0, 1, "1")),
        inCall("d", grow("p", "toolCalls.1.function.arguments", 0, 1, "2")),
      ]),
      toolChunk({ toolCallId: "e", toolCallName: "f", parentMessageId: "p", delta: "3" }),
      changes(6, 7, [
        inCall("e", grow("p", "toolCalls", 3, 4)),
        inCall("e", grow("p", "toolCalls.3.function.arguments", 0, 1, "3")),
      ]),
    ],
  },
  {
    name: "a call that a message has brought along",
    steps: [
      started({
        input: {
          threadId: "t",
          runId: "r",
          messages: [caller("a", callOf("c", "")), caller("b", callOf("d", ""), callOf("c", ""))],
        },
      }),
      changes(0, 1, [run, insert("a", 0), insert("b", 1)]),
      toolStart("c"),
      toolArgs("c", "1"),
      encrypted("tool-call", "d", "v"),
      changes(1, 4, [
        inCall("c", grow("a", "toolCalls.0.function.arguments", 0, 1, "1")),
        inCall("d", replace("b", "toolCalls.0.encryptedValue")),
      ]),
      messagesSnapshot([caller("b", callOf("x", ""), callOf("c", "2"))]),
      toolArgs("c", "3"),
      changes(4, 6, [{ kind: "start" }, inCall("c", grow("b", "toolCalls.1.function.arguments", 1, 2, "3"))]),
    ],
  },
  {
    name: "a result in the middle",
    steps: [
      ...begun,
      toolStart("c"),
      toolEnd("c"),
      ...text("m", []),
      changes(1, 5, [insert("c", 0), insert("m", 1)]),
      toolResult("r", "c", "x"),
      changes(5, 6, [insert("r", 1)]),
    ],
  },
  {
    name: "activities",
    steps: [
      ...begun,
      activity("a", {}, { metadata: { k: 1 } }),
      changes(1, 2, [insert("a", 0)]),
      activity("a", { x: 1 }, { metadata: { k: 2 } }),
      changes(2, 3, [replace("a")]),
      activityDelta("a", [{ op: "add", path: "/y", value: 1 }]),
      changes(3, 4, [replace("a", "content")]),
      activity("a", {}, { replace: false, metadata: { j: 1 } }),
      changes(4, 5, [replace("a", "metadata")]),
      activityDelta("a", [], { activityType: "OTHER" }),
      changes(5, 6, [replace("a")]),
    ],
  },
  {
    name: "the state",
    steps: [
      ...begun,
      stateSnapshot({ l: [1], a: { b: 1 } }),
      changes(1, 2, [meta("state")]),
      stateDelta([{ op: "replace", path: "/a/b", value: 2 }]),
      changes(2, 3, [meta("state", "/a/b")]),
      stateDelta([
        { op: "add", path: "/l/-", value: 2 },
        { op: "test", path: "/l/0", value: 1 },
        { op: "add", path: "/new", value: 2 },
      ]),
      changes(3, 4, [meta("state", "/l"), meta("state", "/new")]),
      stateDelta([{ op: "move", from: "/a/b", path: "/c" }]),
      changes(4, 5, [meta("state", "/c"), meta("state", "/a/b")]),
      stateDelta([{ op: "remove", path: "/a" }]),
      changes(4, 6, [meta("state", "/c"), meta("state", "/a")]),
      stateDelta([{ op: "test", path: "/c", value: 2 }]),
      changes(6, 7, []),
      stateDelta([{ op: "replace", path: "", value: 1 }]),
      changes(2, 8, [meta("state", "")]),
    ],
  },
  {
    name: "a delta that does not apply changes nothing",
    steps: [
      ...begun,
      stateDelta([
        { op: "add", path: "/a", value: 1 },
        { op: "remove", path: "/b" },
      ]),
      changes(1, 2, []),
    ],
    warnings: [{ code: "delta_failed", path: "/b" }],
  },
  {
    name: "a snapshot of messages is a new start",
    steps: [
      ...begun,
      textStart("m"),
      changes(1, 2, [insert("m", 0)]),
      messagesSnapshot([assistant("m", ""), user("u")]),
      changes(1, 3, [{ kind: "start" }]),
      textContent("m", "x"),
      changes(1, 4, [{ kind: "start" }, grow("m", "content", 0, 1, "x")]),
      changes(3, 4, [grow("m", "content", 0, 1, "x")]),
    ],
  },
  {
    name: "a chunk gives its START and its CONTENT",
    steps: [
      ...begun,
      textChunk({ messageId: "m", delta: "ab" }),
      changes(1, 2, [insert("m", 0), grow("m", "content", 0, 2, "ab")]),
    ],
  },
  {
    name: "RUN_STARTED gives the run and the messages of its input",
    steps: [
      started({ input: { threadId: "t", runId: "r", messages: [user("u"), caller("a", callOf("c", ""))] } }),
      changes(0, 1, [run, insert("u", 0), insert("a", 1)]),
      finished(),
      changes(1, 2, [run]),
    ],
  },
  {
    name: "a run that is cut off, and goes on",
    steps: [
      ...begun,
      textStart("m"),
      changes(1, 2, [insert("m", 0)]),
      finish,
      changes(2, 3, [run]),
      finish,
      changes(3, 3, []),
      textContent("m", "x"),
      changes(3, 4, [run, grow("m", "content", 0, 1, "x")]),
      reconnect,
      changes(4, 5, [run]),
      call("checkpoint", (fold) => fold.reducer.restore(fold.reducer.checkpoint())),
      changes(5, 5, []),
      stateSnapshot(1),
      changes(5, 6, [run, meta("state")]),
      finish,
      textContent("m", "y"),
      reconnect,
      changes(6, 9, [grow("m", "content", 1, 2, "y"), run]),
      textEnd("m"),
      finish,
      finished(),
      changes(9, 12, [run]),
      finish,
      changes(12, 12, []),
    ],
    version: 12,
    atomic: false,
  },
  {
    name: "a chunk that stands for no event continues the run",
    steps: [
      ...begun,
      textChunk({ messageId: "m", delta: "a" }),
      reconnect,
      changes(1, 3, [insert("m", 0), grow("m", "content", 0, 1, "a"), run]),
      textChunk({}),
      changes(3, 4, [run]),
      textChunk({}),
      changes(4, 5, []),
    ],
    status: "running",
    version: 5,
    atomic: false,
  },
  {
    name: "a new run begins behind one that was cut off",
    steps: [
      ...begun,
      finish,
      started({ runId: "2" }),
      changes(1, 3, [run]),
      finish,
      messagesSnapshot([]),
      changes(3, 5, [{ kind: "start" }]),
    ],
    version: 5,
    atomic: false,
  },
  {
    name: "a stream that is rejected",
    steps: [
      ...begun,
      textContent("m", "x"),
      changes(1, 2, [run]),
      textStart("m"),
      changes(2, 2, []),
      `{"type":"RAW","event":${"1".repeat(2000)}}`,
      changes(2, 2, []),
      finish,
      reconnect,
      changes(2, 2, []),
    ],
    applied: 1,
    errors: [
      { code: "bad_order", path: "/messageId", eventIndex: 1 },
      { code: "limit", eventIndex: 3 },
    ],
    status: "rejected",
    atomic: false,
  },
  {
    name: "a stream that is rejected after it was cut off",
    steps: [...begun, finish, textContent("m", "x"), changes(1, 3, [run])],
    applied: 1,
    errors: [{ code: "bad_order", path: "/messageId" }],
    status: "rejected",
    version: 3,
    atomic: false,
  },
  {
    name: "a stream that is rejected because its queue was full",
    options: { limits: { queuedBytes: 1 } },
    steps: [
      ...begun,
      call("pause", (fold) => fold.reducer.pause()),
      textStart("m"),
      changes(1, 1, []),
      call("resume", (fold) => void fold.resume("")),
      changes(1, 2, [run]),
    ],
    applied: 1,
    errors: [{ code: "limit", eventIndex: 1 }],
    status: "rejected",
    atomic: false,
  },
  {
    name: "load is a new start",
    steps: [
      ...begun,
      finished(),
      call("load", (fold) => fold.reducer.load({ messages: [user("u")], state: 1 })),
      changes(0, 3, [{ kind: "start" }]),
    ],
    version: 3,
    atomic: false,
  },
  {
    name: "refused and dropped events change nothing",
    options: { onViolation: "skip-event" },
    steps: [...begun, textContent("m", "x"), { type: "FUTURE" }, changes(1, 1, [])],
    applied: 1,
    errors: [{ code: "bad_order", path: "/messageId", eventIndex: 1 }],
    warnings: [{ code: "unknown_event", path: "/type" }],
  },
];

agui("AG-UI changes", CASES);
