import { describe, expect, expectTypeOf, it } from "vitest";
import { event, events, type TextMessageContentEvent } from "../../src/agui/index.js";
import { StreamfoldError } from "../../src/errors.js";
import { EVENT_SHAPES, EVENT_TYPES, SHAPES } from "../../src/schema/agui.generated.js";
import type { Rule } from "../../src/schema/types.js";

/** Fields that the types would not let through are what most of this is about. */
const make = event as (type: string, fields: unknown) => unknown;
const byName = events as unknown as Record<string, (fields: unknown) => unknown>;

function refusal(type: string, fields: unknown): { code: string; path: string | undefined } {
  try {
    make(type, fields);
  } catch (error) {
    if (!(error instanceof StreamfoldError)) throw error;
    return { code: error.code, path: error.path };
  }
  throw new Error("it was not refused");
}

const bad = (path: string) => ({ code: "bad_event", path });

/** A value that a rule takes. */
function sample(rule: Rule): unknown {
  switch (rule.kind) {
    case "boolean":
      return true;
    case "timestamp":
    case "count":
      return 1;
    case "any":
      return null;
    case "open-object":
      return { any: null };
    case "patch":
      return [{ op: "add", path: "/a", value: 1 }];
    case "const":
      return rule.value;
    case "enum":
      return rule.values[0];
    case "list":
      return [];
    case "object":
      return whole(rule.shape, false);
    case "union":
      return rule.union === "SubagentFinishedOutcome" ? { type: "suspended" } : { type: "cancelled" };
    default:
      return "text";
  }
}

/** All members of a shape, or those that it wants, but `type`. */
function whole(shape: string, optional: boolean): Record<string, unknown> {
  const members = SHAPES[shape]!.members.filter(({ name, required }) => name !== "type" && (required || optional));
  return Object.fromEntries(members.map(({ name, rule }) => [name, sample(rule)]));
}

describe("constructors of events", () => {
  it("A2, B3: there is one for each type, with all members and with those that are wanted", () => {
    expect(Object.keys(events)).toHaveLength(31);
    for (const type of EVENT_TYPES) {
      const name = type.toLowerCase().replace(/_./g, (part) => part[1]!.toUpperCase());
      for (const optional of [true, false]) {
        const fields = whole(EVENT_SHAPES[type] as string, optional);
        expect(make(type, fields)).toEqual({ type, ...fields });
        expect(byName[name]!(fields)).toEqual({ type, ...fields });
      }
    }
  });

  it("a type is a string", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const type of [undefined, null, 5, 1n, Symbol("x"), {}, proxy]) {
      expect(() => event(type as never, {} as never)).toThrow(expect.objectContaining(bad("/type")));
    }
  });

  it("A2: what the schema does not describe is refused, in every type and at any depth", () => {
    for (const type of EVENT_TYPES) {
      const fields = whole(EVENT_SHAPES[type] as string, false);
      expect(refusal(type, { ...fields, futureProp: 1 })).toEqual(bad("/futureProp"));
      expect(refusal(type, { ...fields, ["__proto__"]: 1, toString: 1 })).toEqual(bad("/__proto__"));
    }
    expect(refusal("RUN_FINISHED", { threadId: "t", runId: "r", outcome: { type: "success", x: 1 } })).toEqual(
      bad("/outcome/x"),
    );
    expect(refusal("RUN_FINISHED", { threadId: "t", runId: "r", outcome: { type: "paused" } })).toEqual(
      bad("/outcome"),
    );
    expect(refusal("STATE_DELTA", { delta: [{ op: "merge", path: "" }] })).toEqual(bad("/delta/0"));
  });

  it("B6, W1: an optional member without a value is never null, and is left out when it is undefined", () => {
    for (const type of EVENT_TYPES) {
      const shape = EVENT_SHAPES[type] as string;
      const fields = whole(shape, false);
      for (const { name, required } of SHAPES[shape]!.members) {
        if (required) continue;
        expect(refusal(type, { ...fields, [name]: null })).toEqual(bad(`/${name}`));
        expect(make(type, { ...fields, [name]: undefined })).toEqual({ type, ...fields });
      }
    }
  });

  it("A2: what is wanted is there", () => {
    for (const type of EVENT_TYPES) {
      const fields = whole(EVENT_SHAPES[type] as string, false);
      for (const name of Object.keys(fields)) {
        const { [name]: _, ...rest } = fields;
        if (type === "REASONING_MESSAGE_START" && name === "role") continue;
        expect(refusal(type, rest)).toEqual(bad(`/${name}`));
      }
    }
  });

  it("T2: the role of a reasoning message is filled in", () => {
    expect(events.reasoningMessageStart({ messageId: "m" })).toEqual({
      type: "REASONING_MESSAGE_START",
      role: "reasoning",
      messageId: "m",
    });
    expect(refusal("REASONING_MESSAGE_START", { messageId: "m", role: "assistant" })).toEqual(bad("/role"));
  });

  it("I21: there are no other types", () => {
    expect(refusal("MY_EVENT", {})).toEqual(bad("/type"));
    expect(refusal("toString", {})).toEqual(bad("/type"));
    expect(refusal("RAW", { type: "RAW", event: 1 })).toEqual(bad("/type"));
    expect(refusal("RAW", 1)).toEqual(bad(""));
  });

  it("R16: the parts that are reserved are refused", () => {
    for (const type of ["reasoning", "tool-call", "assistant"]) {
      const content = [
        { type: "text", text: "" },
        { type, text: "" },
      ];
      expect(refusal("TOOL_CALL_RESULT", { messageId: "m", toolCallId: "c", content })).toEqual(bad("/content/1"));
    }
  });

  it("B7, B8: a required payload may be null, and nulls in open objects are data", () => {
    expect(events.stateSnapshot({ snapshot: null })).toEqual({ type: "STATE_SNAPSHOT", snapshot: null });
    expect(events.custom({ name: "a.b", value: null, metadata: { a: null } })).toEqual({
      type: "CUSTOM",
      name: "a.b",
      value: null,
      metadata: { a: null },
    });
  });

  it("H1, H2: an interrupt outcome has interrupts, each with an id of its own", () => {
    const finish = (...ids: string[]) => ({
      threadId: "t",
      runId: "r",
      outcome: { type: "interrupt", interrupts: ids.map((id) => ({ id, reason: "confirm" })) },
    });
    expect(refusal("RUN_FINISHED", finish())).toEqual(bad("/outcome/interrupts"));
    expect(refusal("RUN_FINISHED", finish("a", "b", "a"))).toEqual(bad("/outcome/interrupts/2/id"));
    expect(make("RUN_FINISHED", finish("a", "b"))).toBeDefined();
  });

  it("O14: counts hold together, and those that are not known are left out", () => {
    const usage = (counts: object) => ({ message: "m", usage: [{ model: "a" }, counts] });
    expect(refusal("RUN_ERROR", usage({ inputTokens: 1, outputTokens: 2, totalTokens: 4 }))).toEqual(
      bad("/usage/1/totalTokens"),
    );
    expect(refusal("RUN_ERROR", usage({ inputTokens: 1, cachedInputTokens: 2 }))).toEqual(
      bad("/usage/1/cachedInputTokens"),
    );
    expect(refusal("RUN_ERROR", usage({ inputTokens: 1, cacheWriteInputTokens: 2 }))).toEqual(
      bad("/usage/1/cacheWriteInputTokens"),
    );
    expect(refusal("RUN_ERROR", usage({ outputTokens: 1, reasoningTokens: 2 }))).toEqual(
      bad("/usage/1/reasoningTokens"),
    );
    expect(refusal("RUN_ERROR", usage({ outputTokens: -1 }))).toEqual(bad("/usage/1/outputTokens"));
    expect(
      make("RUN_ERROR", usage({ inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 2 })),
    ).toBeDefined();
    expect(make("RUN_ERROR", usage({ totalTokens: 3, reasoningTokens: 2 }))).toBeDefined();
  });

  it("T9: the type of an encrypted value goes with the value", () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "" } };
    const messages = (...more: object[]) => ({
      messages: more.map((message, i) => ({ id: `${i}`, role: "assistant", ...message })),
    });
    expect(refusal("MESSAGES_SNAPSHOT", messages({}, { encryptedValueType: "v" }))).toEqual(
      bad("/messages/1/encryptedValueType"),
    );
    expect(refusal("MESSAGES_SNAPSHOT", messages({ toolCalls: [call, { ...call, encryptedValueType: "v" }] }))).toEqual(
      bad("/messages/0/toolCalls/1/encryptedValueType"),
    );
    expect(
      make("MESSAGES_SNAPSHOT", messages({ encryptedValue: "x" }, { encryptedValue: "x", encryptedValueType: "v" })),
    ).toBeDefined();
    const fields = { subtype: "message", entityId: "m", encryptedValueType: "v" };
    expect(refusal("REASONING_ENCRYPTED_VALUE", fields)).toEqual(bad("/encryptedValue"));
  });

  it("B11: no two messages of a snapshot have one id", () => {
    const user = { id: "u", role: "user", content: "" };
    expect(refusal("MESSAGES_SNAPSHOT", { messages: [user, { ...user, id: "v" }, user] })).toEqual(
      bad("/messages/2/id"),
    );
    expect(
      refusal("RUN_STARTED", {
        threadId: "t",
        runId: "r",
        input: { threadId: "t", runId: "r", messages: [user, user] },
      }),
    ).toEqual(bad("/input/messages/1/id"));
  });

  it("copy what they take, exactly", () => {
    const value = { list: [1, { deep: 2 ** 70, small: -0 }] };
    const made = events.custom({ name: "n", value });
    expect(made.value).toEqual(value);
    expect(made.value).not.toBe(value);
    expect(refusal("CUSTOM", { name: "n", value: { a: [new Date()] } })).toEqual({
      code: "not_json",
      path: "/value/a/0",
    });
    let deep: unknown = 1;
    for (let i = 0; i < 600; i++) deep = [deep];
    expect(refusal("CUSTOM", { name: "n", value: deep }).code).toBe("too_deep");
  });

  it("are typed", () => {
    expectTypeOf(events.textMessageContent).parameter(0).toExtend<{ messageId: string; delta: string }>();
    expectTypeOf(events.textMessageContent({ messageId: "m", delta: "" })).toEqualTypeOf<TextMessageContentEvent>();
    // @ts-expect-error: there is no such member
    expect(() => events.runError({ message: "m", runId: "r" })).toThrow();
    // @ts-expect-error: it is wanted
    expect(() => events.toolCallStart({ toolCallId: "c" })).toThrow();
  });
});
