import { describe, expect, it } from "vitest";
import { type PreparedInput, type PrepareOptions, prepareRunInput as prepareTyped } from "../../src/agui/index.js";
import { StreamfoldError } from "../../src/errors.js";

/** Inputs that the types would not let through are what most of this is about. */
function prepareRunInput(input: unknown, options?: PrepareOptions): PreparedInput {
  return prepareTyped(input as Parameters<typeof prepareTyped>[0], options);
}

const BASE = { threadId: "t", runId: "r", messages: [] as unknown[] };
const user = (content: unknown, more: object = {}) => ({ id: "u", role: "user", content, ...more });
const image = { type: "image", source: { type: "url", value: "https://example.com/a.png", mimeType: "image/png" } };

function refused(input: unknown): StreamfoldError {
  try {
    prepareRunInput(input);
  } catch (error) {
    return error as StreamfoldError;
  }
  throw new Error("it was not refused");
}

describe("what is sent", () => {
  it("C3: declares the version, whatever the application wrote", () => {
    expect(prepareRunInput(BASE).input).toEqual({ ...BASE, protocolVersion: "1.1" });
    expect(prepareRunInput({ ...BASE, protocolVersion: "0.9" }).input.protocolVersion).toBe("1.1");
    expect(prepareRunInput(BASE, { maxProtocolVersion: "1.1" }).input.protocolVersion).toBe("1.1");
    expect(prepareRunInput(BASE, { maxProtocolVersion: "1.10" }).input.protocolVersion).toBe("1.1");
  });

  it("C3: omits the version for a peer that is older than it", () => {
    for (const maxProtocolVersion of ["1.0", "0.0.57", "0.0.39"]) {
      expect(prepareRunInput({ ...BASE, protocolVersion: "1.1" }, { maxProtocolVersion }).input).toEqual(BASE);
    }
  });

  it("C6: keeps activity messages at home", () => {
    const activity = { id: "a", role: "activity", activityType: "PLAN", content: {} };
    expect(prepareRunInput({ ...BASE, messages: [activity, user("hi"), activity] }).input.messages).toEqual([
      user("hi"),
    ]);
  });

  it("is a value of its own, and undefined members are absent", () => {
    const input = {
      ...BASE,
      messages: [user("hi", { name: undefined })],
      parentRunId: undefined,
      state: { deep: [1] },
    };
    const prepared = prepareRunInput(input).input;
    expect(prepared).toEqual({ ...BASE, messages: [user("hi")], state: { deep: [1] }, protocolVersion: "1.1" });
    expect(Object.keys(prepared)).not.toContain("parentRunId");
    expect(prepared.state).not.toBe(input.state);
  });

  it("I19: removes what the schema does not describe, with its path", () => {
    const { input, warnings } = prepareRunInput({
      ...BASE,
      future: 1,
      messages: [
        user([{ type: "text", text: "a" }, { type: "hologram" }], { mood: "good" }),
        { id: "x", role: "oracle" },
      ],
    });
    expect(input.messages).toEqual([user([{ type: "text", text: "a" }])]);
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ["unknown_variant", "/messages/0/content/1"],
      ["unknown_property", "/messages/0/mood"],
      ["unknown_variant", "/messages/1"],
      ["unknown_property", "/future"],
    ]);
    expect(warnings[3]!.message).toContain("/future");
  });

  it.each([
    ["a message without id", { ...BASE, messages: [{ role: "user", content: "x" }] }, "/messages/0/id"],
    ["content that is a number", { ...BASE, messages: [user(5)] }, "/messages/0/content"],
    ["no thread", { runId: "r", messages: [] }, "/threadId"],
    [
      "an encrypted value that is no string",
      { ...BASE, messages: [user("x", { encryptedValue: 1 })] },
      "/messages/0/encryptedValue",
    ],
    [
      "a status that the schema does not list",
      { ...BASE, resume: [{ interruptId: "i", status: "maybe" }] },
      "/resume/0/status",
    ],
    ["no object at all", 7, ""],
  ])("I19: refuses %s", (_name, input, path) => {
    expect(refused(input)).toMatchObject({ code: "bad_argument", path });
  });

  it("refuses what JSON cannot express", () => {
    expect(refused({ ...BASE, state: { when: new Date(0) } })).toMatchObject({ code: "not_json", path: "/state/when" });
    expect(refused({ ...BASE, state: { big: 1n } })).toMatchObject({ code: "not_json", path: "/state/big" });
  });

  it("takes values that hold themselves, or are nested without end, for what they are", () => {
    const loop: Record<string, unknown> = {};
    loop.a = loop;
    loop.b = loop;
    expect(refused({ ...BASE, forwardedProps: loop })).toMatchObject({ code: "not_json", path: "/forwardedProps/a" });
    let deep: unknown = 1;
    for (let level = 0; level < 3000; level++) deep = { deep };
    expect(refused({ ...BASE, state: deep })).toMatchObject({ code: "too_deep" });
  });

  it("keeps numbers as they are", () => {
    const state = { big: 2 ** 60, small: -0, next: 1e300 };
    expect(JSON.stringify(prepareRunInput({ ...BASE, state }).input.state)).toBe(JSON.stringify(state));
  });

  it("B6: sends no null state", () => {
    const { input, warnings } = prepareRunInput({ ...BASE, state: null });
    expect(input).toEqual({ ...BASE, protocolVersion: "1.1" });
    expect(warnings).toMatchObject([{ code: "legacy_null", path: "/state" }]);
  });

  it("T7: returns encrypted values with their types", () => {
    const message = user("x", { encryptedValue: "c2VhbA==", encryptedValueType: "example/v1" });
    expect(prepareRunInput({ ...BASE, messages: [message] }).input.messages).toEqual([message]);
  });

  it("turns binary parts into media parts without a word, and drops one that is there already", () => {
    const binary = { type: "binary", mimeType: "image/png", url: "https://example.com/a.png" };
    const pdf = { type: "binary", mimeType: "application/pdf", data: "JVBERg==", url: "ignored", filename: "a.pdf" };
    const { input, warnings } = prepareRunInput({ ...BASE, messages: [user([image, binary, pdf])] });
    expect(warnings).toEqual([]);
    expect(input.messages[0]!.content).toEqual([
      image,
      {
        type: "document",
        source: { type: "data", value: "JVBERg==", mimeType: "application/pdf" },
        metadata: { filename: "a.pdf" },
      },
    ]);
  });

  it("removes a binary part that holds an id only, with a warning", () => {
    const { input, warnings } = prepareRunInput({
      ...BASE,
      messages: [user([{ type: "binary", mimeType: "image/png", id: "7" }])],
    });
    expect(input.messages[0]!.content).toEqual([]);
    expect(warnings).toMatchObject([{ code: "unknown_variant", path: "/messages/0/content/0" }]);
  });
});

describe("older peers", () => {
  it("J4: up to 0.0.39 content is text, and what is lost is said", () => {
    const input = {
      ...BASE,
      parentRunId: "p",
      messages: [user([{ type: "text", text: "a" }, image, { type: "text", text: "b" }])],
    };
    const { input: sent, warnings } = prepareRunInput(input, { maxProtocolVersion: "0.0.39" });
    expect(sent).toEqual({ ...BASE, messages: [user("ab")] });
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ["downgraded", "/parentRunId"],
      ["downgraded", "/messages/0/content"],
    ]);
    expect(warnings[1]!.message).toContain("DROPS non-text parts (image)");
  });

  it("J2: absent content of an assistant becomes empty, not a placeholder", () => {
    const messages = [{ id: "a", role: "assistant", toolCalls: [] }];
    expect(prepareRunInput({ ...BASE, messages }, { maxProtocolVersion: "0.0.39" }).input.messages).toEqual([
      { ...messages[0], content: "" },
    ]);
  });

  it("J3: a malformed part is refused, not flattened away", () => {
    const input = { ...BASE, messages: [user([{ type: "text", text: 5 }])] };
    expect(() => prepareRunInput(input, { maxProtocolVersion: "0.0.39" })).toThrow(StreamfoldError);
  });

  it("up to 0.0.57 nothing is attributed to subagents", () => {
    const messages = [{ id: "a", role: "assistant", content: "x", subagentRunId: "s" }];
    const { input, warnings } = prepareRunInput({ ...BASE, messages }, { maxProtocolVersion: "0.0.57" });
    expect(input.messages).toEqual([{ id: "a", role: "assistant", content: "x" }]);
    expect(warnings).toMatchObject([{ code: "downgraded", path: "/messages/0/subagentRunId" }]);
  });

  it("J13: an unknown peer is a current one", () => {
    const messages = [user([image]), { id: "a", role: "assistant", content: "x", subagentRunId: "s" }];
    const { input, warnings } = prepareRunInput({ ...BASE, messages });
    expect(input.messages).toEqual(messages);
    expect(warnings).toEqual([]);
  });

  it("refuses a ceiling that is no version", () => {
    for (const maxProtocolVersion of ["1", "draft", "1.x", ""]) {
      expect(() => prepareRunInput(BASE, { maxProtocolVersion })).toThrow(/maxProtocolVersion/);
    }
  });
});
