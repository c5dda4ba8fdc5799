import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import * as agui from "../support/agui-events.js";
import { type BinaryTransport, protobufOf, msgpackOf } from "../support/binary.js";
import { engine, KINDS } from "../support/engines.js";

// Where an id led is remembered for the next token: never into another reducer, another kind of item, another run, or one that is not open any more.

const IDS = [
  "m",
  "message-1",
  "message-2",
  "b0c3a5de-7a8e-4a31-9a2e-000000000001",
  "b0c3a5de-7a8e-4a31-9a2e-100000000001",
];

interface Model {
  messages: { id: string; role: string; content?: string; toolCalls?: { function: { arguments: string } }[] }[];
}

const model = (reducer: Reducer): Model => reducer.snapshot<Model>()!;
const contents = (reducer: Reducer): (string | undefined)[] => model(reducer).messages.map(({ content }) => content);

describe.each(["msgpack", "protobuf"] as const)("the same ids over %s", (transport: BinaryTransport) => {
  const bytes = (event: object): Uint8Array =>
    (transport === "msgpack" ? msgpackOf : protobufOf)(JSON.stringify(event));
  const open = (kind: (typeof KINDS)[number], options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "ag-ui", transport, ...options } as ReducerOptions);
  const feed = (reducer: Reducer, ...events: readonly object[]): void => {
    for (const event of events) reducer.push(bytes(event));
  };

  it.each(KINDS)("in two reducers, and in the next ones (%s)", (kind) => {
    for (let round = 0; round < 3; round++) {
      const pair = [open(kind), open(kind)];
      for (const reducer of pair) feed(reducer, agui.started(), ...IDS.map((id) => agui.textStart(id)));
      for (let n = 0; n < 4; n++)
        for (const id of IDS)
          pair.forEach((reducer, which) => {
            feed(reducer, agui.textContent(id, `${which}${n}`));
          });
      expect(contents(pair[0]!)).toEqual(IDS.map(() => "00010203"));
      expect(contents(pair[1]!)).toEqual(IDS.map(() => "10111213"));
      for (const reducer of pair) reducer.close();
    }
  });

  it.each(KINDS)("of a text, a call and a thought at once (%s)", (kind) => {
    const reducer = open(kind);
    feed(reducer, agui.started());
    for (const id of IDS) feed(reducer, agui.textStart(id), agui.toolStart(id, "f", { parentMessageId: id }));
    for (let n = 0; n < 3; n++)
      for (const id of IDS) feed(reducer, agui.textContent(id, `t${n}`), agui.toolArgs(id, `a${n}`));
    expect(
      model(reducer).messages.map((message) => [message.content, message.toolCalls![0]!.function.arguments]),
    ).toEqual(IDS.map(() => ["t0t1t2", "a0a1a2"]));
    reducer.close();
  });

  it.each(KINDS)("after their end, and in the next run (%s)", (kind) => {
    const codes: string[] = [];
    const reducer = open(kind, { onViolation: "skip-event", onError: ({ code }) => void codes.push(code) });
    const say = (id: string, delta: string): void => feed(reducer, agui.textContent(id, delta));
    feed(reducer, agui.started(), ...IDS.map((id) => agui.textStart(id)));
    for (const id of IDS) say(id, "a");
    for (const id of IDS) say(id, "b");
    feed(reducer, agui.textEnd(IDS[1]!));
    say(IDS[1]!, "closed");
    expect(codes).toEqual(["bad_order"]);
    for (const id of IDS.filter((_, index) => index !== 1)) feed(reducer, agui.textEnd(id));
    feed(reducer, agui.finished(), agui.started({ runId: "r2" }));
    for (const id of IDS) say(id, "not open");
    expect(codes).toEqual(["bad_order", ...IDS.map(() => "bad_order")]);
    feed(reducer, agui.textStart("other"), agui.textStart(IDS[2]!));
    say("other", "x");
    say(IDS[2]!, "c");
    say(IDS[2]!, "d");
    expect(contents(reducer)).toEqual(["ab", "ab", "abcd", "ab", "ab", "x"]);
    reducer.reset();
    feed(reducer, agui.started(), agui.textStart(IDS[2]!));
    say(IDS[2]!, "new");
    say(IDS[0]!, "not open");
    expect(contents(reducer)).toEqual(["new"]);
    expect(codes).toHaveLength(7);
    reducer.close();
  });
});
