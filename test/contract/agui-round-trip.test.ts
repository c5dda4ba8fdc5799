import { describe, expect, it } from "vitest";
import { prepareRunInput, type RunAgentInput } from "../../src/agui/index.js";
import {
  activity,
  encrypted,
  finished,
  messagesSnapshot,
  run,
  started,
  stateDelta,
  stateSnapshot,
  tagged,
  text,
  thought,
  tool,
  toolResult,
} from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { sseBody } from "../support/sse.js";
import { assistant, call, user } from "./agui.js";

interface Snapshot {
  messages: unknown[];
  state: unknown;
  run: { threadId?: string; interrupts: { id: string }[] };
}

/** A conversation with a message of every kind, and what is known of it afterwards. */
const EVENTS = [
  started({ threadId: "thread" }),
  messagesSnapshot([user("u", [{ type: "text", text: "hi" }])]),
  ...text("m", ["Hel", "lo"], { metadata: { k: null } }),
  ...tool("c", ['{"q":1}'], { parentMessageId: "m" }),
  toolResult("t", "c", "found"),
  ...tagged("s", thought("r", ["hm"])),
  encrypted("message", "r", "opaque", { encryptedValueType: "kind" }),
  encrypted("tool-call", "c", "o2"),
  activity("plan", { steps: [] }),
  stateSnapshot({ n: [1] }),
  stateDelta([{ op: "add", path: "/n/-", value: { deep: null } }]),
  finished({ threadId: "thread", outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] } }),
];

const HISTORY = [
  user("u", [{ type: "text", text: "hi" }]),
  {
    ...assistant("m", "Hello", { metadata: { k: null } }),
    toolCalls: [call("c", '{"q":1}', { encryptedValue: "o2" })],
  },
  { id: "t", toolCallId: "c", role: "tool", content: "found" },
  {
    id: "r",
    role: "reasoning",
    content: "hm",
    subagentRunId: "s",
    encryptedValue: "opaque",
    encryptedValueType: "kind",
  },
];

describe.each(KINDS)("AG-UI from one run to the next on %s", (kind) => {
  const fold = (events: readonly object[], input?: unknown): Snapshot => {
    const reducer = engine(kind).createReducer({ protocol: "ag-ui", transport: "sse", input });
    reducer.push(sseBody(events.map((event) => JSON.stringify(event))));
    const snapshot = reducer.snapshot<Snapshot>()!;
    reducer.close();
    return snapshot;
  };

  it("H7, U6, T4, T7, V9: messages and state of a snapshot make the next input, without its activities", () => {
    const { messages, state, run: ended } = fold(EVENTS);
    expect(ended.interrupts.map(({ id }) => id)).toEqual(["i"]);
    const resume = [{ interruptId: "i", status: "resolved", payload: true }];
    const next = { threadId: ended.threadId, runId: "next", messages, state, resume };
    const { input, warnings } = prepareRunInput(next as RunAgentInput);
    expect(warnings).toEqual([]);
    expect(input).toEqual({
      threadId: "thread",
      runId: "next",
      messages: HISTORY,
      state: { n: [1, { deep: null }] },
      resume,
      protocolVersion: "1.1",
    });
  });

  it("O11: a reducer that begins with the last snapshot goes on as the one before would have", () => {
    const before = fold(EVENTS);
    const next = [started(), ...text("m", ["!"]), stateDelta([{ op: "remove", path: "/n/0" }]), finished()];
    const { messages, state } = fold(next, { messages: before.messages, state: before.state });
    expect({ messages, state }).toEqual((({ messages, state }) => ({ messages, state }))(fold([...EVENTS, ...next])));
  });

  it("I6: a stream comes to the same by every transport and as objects", () => {
    const body = (join: (json: string) => string) => utf8(EVENTS.map((event) => join(JSON.stringify(event))).join(""));
    const wanted = fold(EVENTS);
    const ndjson = engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson" });
    ndjson.push(body((json) => `${json}\n`));
    const whole = engine(kind).createReducer({ protocol: "ag-ui", transport: "json" });
    for (const event of EVENTS) whole.push(utf8(JSON.stringify(event)));
    const objects = engine(kind).createReducer({ protocol: "ag-ui", transport: "json" });
    for (const event of EVENTS) objects.apply(event);
    for (const reducer of [ndjson, whole, objects]) {
      expect(reducer.snapshot()).toEqual(wanted);
      reducer.close();
    }
  });

  it("K5: a run that was cut off is run again with what it has left", () => {
    const cut = fold(EVENTS.slice(0, 5));
    expect(cut.messages).toEqual([HISTORY[0], assistant("m", "Hello", { metadata: { k: null } })]);
    const again = fold(run(text("m2", ["anew"])), { messages: cut.messages });
    expect(again.messages).toEqual([...cut.messages, assistant("m2", "anew")]);
  });
});
