import { describe, expect, it } from "vitest";
import { createProducer, errorStatus, type ReadInputOptions, readRunInput } from "../../src/agui/index.js";
import { StreamfoldError, usageError } from "../../src/errors.js";
import { Rng } from "../support/rng.js";

const INPUT = { threadId: "t", runId: "r", messages: [{ id: "u", role: "user", content: "hi" }] };
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** Code, path or offset, and HTTP status of a refusal. */
function refusal(source: unknown, options?: ReadInputOptions): unknown[] {
  try {
    readRunInput(source, options);
  } catch (error) {
    if (!(error instanceof StreamfoldError)) throw error;
    return [error.code, error.path ?? error.byteOffset, errorStatus(error)];
  }
  throw new Error("it was not refused");
}

describe("the run input of a request", () => {
  it("is read from bytes, text and values alike", () => {
    const body = bytes(INPUT);
    const padded = new Uint8Array(body.length + 8);
    padded.set(body, 4);
    for (const source of [body, body.slice().buffer, padded.subarray(4, -4), JSON.stringify(INPUT), INPUT])
      expect(readRunInput(source)).toEqual({ input: INPUT, warnings: [] });
    expect(readRunInput(INPUT).input).not.toBe(INPUT);
  });

  it("C11: lists that are absent stay absent, and mean none", () => {
    expect(Object.keys(readRunInput(INPUT).input)).toEqual(["threadId", "runId", "messages"]);
    expect(createProducer({ transport: "sse", input: readRunInput(INPUT).input }).resume).toEqual([]);
  });

  it("C14, B8: nulls inside of forwardedProps and state are kept", () => {
    const input = { ...INPUT, forwardedProps: { a: null }, state: { b: null } };
    expect(readRunInput(input)).toEqual({ input, warnings: [] });
  });

  it("C16, I20: what the schema does not describe is removed with a warning", () => {
    const messages = [
      { ...INPUT.messages[0], extra: 1 },
      { id: "x", role: "future" },
    ];
    const { input, warnings } = readRunInput(bytes({ ...INPUT, extra: 1, messages }));
    expect(input).toEqual(INPUT);
    expect(warnings.map(({ code, path }) => [code, path]).sort()).toEqual([
      ["unknown_property", "/extra"],
      ["unknown_property", "/messages/0/extra"],
      ["unknown_variant", "/messages/1"],
    ]);
    for (const { message } of warnings) expect(message).toContain("the run input");
  });

  it("B9: listed nulls and binary parts of older clients are translated with a warning", () => {
    const part = { type: "binary", mimeType: "image/png", url: "https://example.com/a.png" };
    const { input, warnings } = readRunInput({
      ...INPUT,
      messages: [{ id: "u", role: "user", content: [part] }],
      forwardedProps: null,
    });
    expect(input).toEqual({
      ...INPUT,
      messages: [
        {
          id: "u",
          role: "user",
          content: [{ type: "image", source: { type: "url", value: part.url, mimeType: "image/png" } }],
        },
      ],
    });
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ["legacy_part", "/messages/0/content/0"],
      ["legacy_null", "/forwardedProps"],
    ]);
  });

  it("C15, L8: what is malformed is refused, with the status of the answer", () => {
    expect(refusal({ ...INPUT, threadId: 1 })).toEqual(["bad_event", "/threadId", 400]);
    expect(refusal({ threadId: "t", runId: "r" })).toEqual(["bad_event", "/messages", 400]);
    expect(refusal({ ...INPUT, state: null })).toEqual(["bad_event", "/state", 400]);
    expect(refusal({ ...INPUT, messages: [{ id: "u", role: "user" }] })).toEqual([
      "bad_event",
      "/messages/0/content",
      400,
    ]);
    expect(refusal({ ...INPUT, resume: [{ interruptId: "i", status: "maybe" }] })).toEqual([
      "bad_event",
      "/resume/0/status",
      400,
    ]);
    for (const value of [1, null, [], "1"]) expect(refusal(bytes(value))).toEqual(["bad_event", "", 400]);
    expect(refusal("{")).toEqual(["bad_json", 1, 400]);
    expect(refusal("")).toEqual(["bad_json", 0, 400]);
    expect(refusal(new Uint8Array([0x22, 0xff]))).toEqual(["invalid_utf8", 1, 400]);
    expect(refusal(`${"[".repeat(600)}${"]".repeat(600)}`)).toEqual(["too_deep", 512, 400]);
    expect(refusal(bytes(INPUT), { limits: { messageBytes: 20 } })).toEqual(["too_large", undefined, 413]);
    expect(refusal(`{"a":${"1".repeat(2000)}}`)).toEqual(["limit", 5, 400]);
    expect(refusal({ ...INPUT, state: () => 1 })).toEqual(["not_json", "/state", 400]);
  });

  it("L1: the body is JSON in UTF-8", () => {
    for (const contentType of [
      "application/json",
      "Application/JSON; charset=utf-8",
      'application/json;charset="UTF-8"',
      undefined,
    ])
      expect(readRunInput(INPUT, { contentType }).input).toEqual(INPUT);
    for (const contentType of [null, "", "text/plain", "application/json; charset=latin1", "application/jsonx"])
      expect(refusal(INPUT, { contentType })).toEqual(["unsupported_transport", undefined, 415]);
  });

  it("J8, J9: a newer minor version is served with a warning, an unknown major one may be refused", () => {
    const read = (protocolVersion: string, options?: ReadInputOptions) =>
      readRunInput({ ...INPUT, protocolVersion }, options).warnings.map(({ code, path }) => [code, path]);
    const newer = [["version_newer", "/protocolVersion"]];
    for (const version of ["1.1", "1.0", "0.9"]) expect(read(version)).toEqual([]);
    for (const version of ["1.2", "1.10", "2.0"]) expect(read(version)).toEqual(newer);
    for (const version of ["draft", "1", "1.0.0"])
      expect(read(version)).toEqual([["version_unreadable", "/protocolVersion"]]);
    const strict = { unknownMajor: "refuse" } as const;
    expect(read("1.2", strict)).toEqual(newer);
    expect(read("draft", strict)).toHaveLength(1);
    expect(refusal({ ...INPUT, protocolVersion: "2.0" }, strict)).toEqual(["bad_event", "/protocolVersion", 400]);
  });

  it("whatever comes is read or refused with a status of the client's", () => {
    const whole = JSON.stringify({
      ...INPUT,
      state: { a: [1, null] },
      messages: [
        ...INPUT.messages,
        {
          id: "a",
          role: "assistant",
          toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
        },
      ],
      tools: [{ name: "f", description: "", parameters: {} }],
      resume: [{ interruptId: "i", status: "resolved", payload: 1 }],
    });
    let read = 0;
    const statuses = new Set<number>();
    for (let seed = 1; seed <= 2000; seed++) {
      const rng = new Rng(seed);
      const body = new TextEncoder().encode(whole);
      for (let n = rng.int(3); n >= 0; n--)
        body[rng.int(body.length)] = rng.chance(0.5) ? rng.int(256) : rng.pick([0x22, 0x7b, 0x2c, 0x30, 0x5d]);
      try {
        const { input } = readRunInput(rng.chance(0.2) ? body.subarray(0, rng.int(body.length)) : body);
        // What was let pass once passes again, without a word, but for a version that is still newer.
        expect(readRunInput(input).input).toEqual(input);
        createProducer({ transport: "json", input });
        read++;
      } catch (error) {
        statuses.add(errorStatus(error));
      }
    }
    expect([...statuses]).toEqual([400]);
    expect(read).toBeGreaterThan(50);
  });

  it("is not to blame for other errors", () => {
    expect(errorStatus(new Error("database"))).toBe(500);
    expect(errorStatus(usageError("closed"))).toBe(500);
    expect(refusal(INPUT, { unknownMajor: "maybe" as never })).toEqual(["bad_argument", undefined, 500]);
    expect(refusal(INPUT, { limits: { depth: 0 } })).toEqual(["bad_argument", undefined, 500]);
  });
});
