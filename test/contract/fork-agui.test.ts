import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import * as ag from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";

/** A reducer and what it tells. */
interface Told {
  reducer: Reducer;
  told: string[];
}

const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "1" } });

describe.each(KINDS)("forks of AG-UI (%s)", (kind) => {
  const options = (told: string[]) => ({
    onError: (error: Error & { subject?: string }) =>
      void told.push(`${error.message.replace(/ \[.*/, "")} ${error.subject}`),
    onWarning: ({ message }: { message: string }) => void told.push(message.replace(/ \[.*/, "")),
  });
  const parentOf = (events: readonly object[], more: Partial<ReducerOptions> = {}): Told => {
    const told: string[] = [];
    const reducer = engine(kind).createReducer({
      protocol: "ag-ui",
      transport: "ndjson",
      onViolation: "skip-event",
      ...options(told),
      ...more,
    } as ReducerOptions);
    push({ reducer, told }, events);
    told.length = 0;
    return { reducer, told };
  };
  const forkOf = ({ reducer }: Told): Told => {
    const told: string[] = [];
    return { reducer: reducer.fork(options(told)), told };
  };
  const push = ({ reducer }: Told, events: readonly object[]): void => {
    for (const event of events) reducer.push(utf8(`${JSON.stringify(event)}\n`));
  };
  const seen = ({ reducer, told }: Told): unknown => [reducer.snapshot(), told];

  /** Parent and fork take the same events, one after the other: neither sees what the other one has taken, and both come to the same. */
  const both = (events: readonly object[], more: readonly object[], limits: Partial<ReducerOptions> = {}): unknown => {
    const alone = parentOf(events, limits);
    push(alone, more);
    for (const isParentFirst of [true, false]) {
      const parent = parentOf(events, limits);
      const fork = forkOf(parent);
      const [first, second] = isParentFirst ? [parent, fork] : [fork, parent];
      const before = seen(second);
      push(first, more);
      expect(seen(second)).toEqual(before);
      push(second, more);
      expect(seen(first)).toEqual(seen(alone));
      expect(seen(second)).toEqual(seen(alone));
      // what a checkpoint keeps of the run is the same, too
      const again = parentOf([], limits);
      again.reducer.restore(fork.reducer.checkpoint());
      expect(again.reducer.snapshot()).toEqual(alone.reducer.snapshot());
      for (const { reducer } of [parent, fork, again]) reducer.close();
    }
    const result = seen(alone);
    alone.reducer.close();
    return result;
  };

  it.each([
    ["a text", [ag.textStart("a"), ag.textContent("a", "1"), ag.textContent("a", "2")], ag.textContent("a", "3")],
    ["arguments", [ag.toolStart("a"), ag.toolArgs("a", "1"), ag.toolArgs("a", "2")], ag.toolArgs("a", "3")],
    [
      "a thought",
      [ag.thoughtStart("a"), ag.thoughtContent("a", "1"), ag.thoughtContent("a", "2")],
      ag.thoughtContent("a", "3"),
    ],
    [
      "a state",
      [ag.stateSnapshot({ a: { b: 1 } }), ag.stateDelta([{ op: "replace", path: "/a/b", value: 2 }])],
      ag.stateDelta([{ op: "replace", path: "/a/b", value: 3 }]),
    ],
    [
      "an activity",
      [ag.activity("a", { b: [1] }), ag.activityDelta("a", [{ op: "add", path: "/b/-", value: 2 }])],
      ag.activityDelta("a", [{ op: "add", path: "/b/-", value: 3 }]),
    ],
    [
      "a chunk stream",
      [ag.textChunk({ messageId: "a", delta: "1" }), ag.textChunk({ delta: "2" })],
      ag.textChunk({ delta: "3" }),
    ],
  ] as const)("%s that has just grown goes on on either side alone", (_, events, next) => {
    both([ag.started(), ...events], [next, next]);
  });

  it.each([
    ["of a message", ag.textContent("m", "x", { metadata: { b: 2 } })],
    ["of a message, by its END", ag.textEnd("m", { metadata: { b: 2 } })],
    ["of a message that is held, by its START", ag.textStart("h", { metadata: { b: 2 } })],
    ["of an activity that stays", ag.activity("v", {}, { replace: false, metadata: { b: 2 } })],
    ["of a call", ag.toolArgs("c", "x", { metadata: { b: 2 } })],
    ["of a call that is held, by its START", ag.toolStart("held", "g", { metadata: { b: 2 } })],
  ])("metadata %s is merged on either side alone", (_, event) => {
    const messages = [
      { id: "h", role: "assistant", metadata: { a: 1 }, toolCalls: [{ ...call("held"), metadata: { a: 1 } }] },
    ];
    const held = [ag.messagesSnapshot(messages), ag.activity("v", {}, { metadata: { a: 1 } })];
    const open = [ag.textStart("m", { metadata: { a: 1 } }), ag.toolStart("c", "f", { metadata: { a: 1 } })];
    both([ag.started(), ...held, ...open], [event]);
  });

  it("a call comes to a message, and a result behind it, on either side alone", () => {
    const messages = [{ id: "m", role: "assistant", content: "x", toolCalls: [call("a")] }];
    const events = [ag.started(), ag.messagesSnapshot(messages)];
    both(events, [...ag.tool("b", ["1"], { parentMessageId: "m" }), ag.toolResult("r", "a", "ok")]);
  });

  it("what is open keeps the order in which it was opened, and what is opened next comes behind it", () => {
    const reopened = [ag.textEnd("a"), ag.textStart("b"), ag.textStart("a")];
    const spans = [ag.spanStart("p"), ag.spanStart("q"), ag.spanEnd("p"), ag.spanStart("p")];
    const thoughts = [ag.thoughtStart("t"), ag.thoughtStart("u"), ag.thoughtEnd("t"), ag.thoughtStart("t")];
    const steps = [ag.stepStarted("s"), ag.stepStarted("r"), ag.stepFinished("s"), ag.stepStarted("s")];
    const tools = [ag.toolStart("c"), ag.toolStart("d"), ag.toolEnd("c"), ag.toolStart("c")];
    const events = [ag.started(), ag.textStart("a"), ...reopened, ...spans, ...thoughts, ...steps, ...tools];
    const next = [ag.textStart("z"), ag.spanStart("z"), ag.thoughtStart("y"), ag.stepStarted("z"), ag.toolStart("z")];
    const closing = [
      ...["b", "a", "z"].map((id) => ag.textEnd(id)),
      ...["d", "c", "z"].map((id) => ag.toolEnd(id)),
      ...["u", "t", "y"].map((id) => ag.thoughtEnd(id)),
      ...["q", "p", "z"].map((id) => ag.spanEnd(id)),
      ...["r", "s", "z"].map((name) => ag.stepFinished(name)),
    ];
    // the run cannot end before they do: each refusal names the one that was opened first
    const [, told] = both(events, [...next, ...closing.flatMap((end) => [ag.finished(), end]), ag.finished()]) as [
      unknown,
      string[],
    ];
    expect(told.map((text) => text.at(-1)).join("")).toBe("bazdczutyqpzrsz");
  });

  it("queues what comes in a pause on either side alone", () => {
    const parent = parentOf([ag.started(), ag.textStart("m")]);
    parent.reducer.pause();
    push(parent, [ag.textContent("m", "1")]);
    const fork = forkOf(parent);
    push(fork, [ag.textContent("m", "2")]);
    expect([parent, fork].map(({ reducer }) => reducer.stats().queued)).toEqual([1, 2]);
    expect([parent, fork].map(({ reducer }) => reducer.resume())).toEqual([1, 2]);
    const contents = [parent, fork].map(
      ({ reducer }) => reducer.snapshot<{ messages: { content: string }[] }>()!.messages[0]!.content,
    );
    expect(contents).toEqual(["1", "12"]);
    for (const { reducer } of [parent, fork]) reducer.close();
  });

  it("keeps the calls that a success outcome has named", () => {
    const outcome = { type: "success", pendingToolCallIds: ["b"] };
    const events = [ag.started(), ...ag.tool("a", ["1"]), ...ag.tool("b", ["1"]), ag.finished({ outcome })];
    const [snapshot] = both(events, [ag.custom("x")]) as [{ run: { pendingToolCallIds: string[] } }];
    expect(snapshot.run.pendingToolCallIds).toEqual(["b"]);
  });

  it("is as near to its limit of bytes as its parent is", () => {
    const events = [
      ag.started(),
      ag.stateSnapshot({ a: "x".repeat(300) }),
      ag.textStart("m"),
      ag.textContent("m", "y".repeat(300)),
    ];
    // numbers whose bytes are known at once: nothing has to be measured again
    const value = Array.from({ length: 10 }, () => -1.2345678901234567e-100);
    const more = Array.from({ length: 4 }, (_, i) => ag.stateDelta([{ op: "add", path: `/n${i}`, value }]));
    const [, told] = both(events, more, { limits: { modelBytes: 1_000 } }) as [unknown, string[]];
    expect(told.length).toBe(3);
  });

  it("drops what comes after a violation, as its parent does", () => {
    const refusing = { onViolation: "refuse-stream" } as const;
    const [snapshot] = both([ag.started(), ag.textEnd("m")], [ag.textStart("n")], refusing) as [
      { messages: unknown[] },
    ];
    expect(snapshot).toMatchObject({ messages: [], run: { status: "rejected" } });
    const parent = parentOf([ag.started(), ag.textEnd("m")], refusing);
    const fork = forkOf(parent);
    push(fork, [ag.textStart("n")]);
    expect(fork.reducer.stats().dropped).toBe(1);
    for (const { reducer } of [parent, fork]) reducer.close();
  });
});
