import { EVENT_SHAPES, EVENT_TYPES, SHAPES, UNIONS } from "../../../src/schema/agui.generated.js";
import type { Rule } from "../../../src/schema/types.js";
import type { Rng } from "../../support/rng.js";

/** Bytes from hexadecimal digits; spaces are for the reader. */
export function hex(text: string): Uint8Array {
  const digits = text.replace(/\s/g, "");
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

function byte(value: number): string {
  return value.toString(16).padStart(2, "0");
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map(byte).join("");
}

export type Event = Record<string, unknown>;

/** Events and their bytes, as other implementations write them. */
export const SAMPLES: readonly [string, Event][] = [
  [
    "0a 11 0a 00 12 02 6d 31 1a 09 61 73 73 69 73 74 61 6e 74",
    { type: "TEXT_MESSAGE_START", messageId: "m1", role: "assistant" },
  ],
  [
    "12 0f 0a 02 08 01 12 02 6d 31 1a 05 48 65 6c 6c 6f",
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "Hello" },
  ],
  ["12 08 0a 02 08 01 12 02 6d 31", { type: "TEXT_MESSAGE_CONTENT", messageId: "m1", delta: "" }],
  ["8a 01 06 0a 02 08 13 22 00", { type: "TEXT_MESSAGE_CHUNK", delta: "" }],
  ["3a 08 0a 02 08 06 12 02 08 00", { type: "STATE_SNAPSHOT", snapshot: null }],
  ["3a 0f 0a 02 08 06 12 09 11 00 00 00 00 00 00 00 00", { type: "STATE_SNAPSHOT", snapshot: 0 }],
  ["3a 08 0a 02 08 06 12 02 2a 00", { type: "STATE_SNAPSHOT", snapshot: {} }],
  [
    "3a 15 0a 02 08 06 12 0f 32 0d 0a 0b 1a 09 6f 6e 6c 79 2d 74 68 69 73",
    { type: "STATE_SNAPSHOT", snapshot: ["only-this"] },
  ],
  [
    "42 2c 0a 02 08 07 12 0a 12 04 2f 61 2f 2d 22 02 08 00 12 0e 08 01 12 02 2f 62 22 06 1a 04 6c 65 66 74 12 0a 08 03 12 02 2f 79 1a 02 2f 78",
    {
      type: "STATE_DELTA",
      delta: [
        { op: "add", path: "/a/-", value: null },
        { op: "remove", path: "/b", value: "left" },
        { op: "move", path: "/y", from: "/x" },
      ],
    },
  ],
  ["6a 0a 0a 02 08 0c 12 01 74 1a 01 72", { type: "RUN_FINISHED", threadId: "t", runId: "r" }],
  [
    "6a 17 0a 02 08 0c 12 01 74 1a 01 72 2a 07 73 75 63 63 65 73 73 42 02 63 31",
    {
      type: "RUN_FINISHED",
      threadId: "t",
      runId: "r",
      outcome: { type: "success", pendingToolCallIds: ["c1"] },
    },
  ],
  [
    "b2 01 0c 0a 02 08 15 1a 01 6d 22 01 63 2a 00",
    { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: "" },
  ],
  [
    "b2 01 0a 0a 02 08 15 1a 01 6d 22 01 63",
    { type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: [] },
  ],
  [
    "ba 01 18 0a 02 08 16 1a 01 61 22 01 77 2a 0a 0a 08 0a 01 71 12 03 1a 01 78 30 00",
    { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "w", content: { q: "x" }, replace: false },
  ],
  ["5a 0b 0a 02 08 0a 12 01 6e 1a 02 08 00", { type: "CUSTOM", name: "n", value: null }],
  ["7a 07 0a 02 08 0e 12 01 73", { type: "STEP_STARTED", stepName: "s" }],
  [
    "7a 0e 0a 09 08 0e 10 80 d0 95 ff bc 31 12 01 73",
    { type: "STEP_STARTED", stepName: "s", timestamp: 1700000000000 },
  ],
];

/** Payload of a length-delimited field: `field(2, "08 01")` is `12 02 08 01`. Lengths up to 127. */
export function field(number: number, payload: string): string {
  const size = payload.replace(/\s/g, "").length / 2;
  const tag = (number << 3) | 2;
  const tagText = tag < 128 ? byte(tag) : `${byte((tag & 127) | 128)}${byte(tag >> 7)}`;
  return `${tagText}${byte(size)}${payload}`;
}

const ascii = (text: string): string => [...text].map((c) => byte(c.charCodeAt(0))).join("");
/** A string field. */
export const string = (number: number, text: string): string => field(number, ascii(text));

const BASE = (type: number): string => field(1, `08${byte(type)}`);
const content = (more = ""): string => field(2, `${BASE(1)}${string(2, "m")}${string(3, "d")}${more}`);
const snapshot = (value: string): string => field(7, `${BASE(6)}${value}`);
const message = (fields: string): string => field(9, `${BASE(8)}${field(2, fields)}`);
const parts = (list: string): string => field(22, `${BASE(21)}${string(3, "m")}${string(4, "c")}${list}`);
const CONTENT = { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "d" };
const state = (value: unknown): Event => ({ type: "STATE_SNAPSHOT", snapshot: value });
const messages = (...list: unknown[]): Event => ({ type: "MESSAGES_SNAPSHOT", messages: list });
const result = (...list: unknown[]): Event => ({
  type: "TOOL_CALL_RESULT",
  messageId: "m",
  toolCallId: "c",
  content: list,
});
const run = (more: string): string => field(13, `${BASE(12)}${string(2, "t")}${string(3, "r")}${more}`);
const finished = (more: Event): Event => ({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...more });
const TEN = "ff ff ff ff ff ff ff ff ff";

/** What a reader answers: the event, or the fault and where it is. */
export type Verdict = Event | { fault: string; at: number };
export const malformed = (at: number): Verdict => ({ fault: "malformed", at });

/** Bytes whose reading is a matter of rules, and what they come to. */
export const RULES: readonly [string, string, Verdict][] = [
  // the envelope
  ["an empty frame", "", malformed(0)],
  ["a tag of field 0", `${content()} 02 00`, malformed(12)],
  ["field 0 alone", "00", malformed(0)],
  ["wire type 6", `${content()} fe 01`, malformed(12)],
  ["wire type 7 inside of the event", content("ff01"), malformed(12)],
  ["two different arms", `${content()}${field(3, BASE(2))}`, malformed(12)],
  ["a varint under another known number", `${content()} 08 01`, malformed(12)],
  ["a varint under the number of the arm", `${content()} 10 01`, CONTENT],
  ["a known number as a varint alone", "10 01", malformed(0)],
  ["a known number as a group alone", "0b 0c", malformed(0)],
  ["a known number as a group beside the arm", `${content()} 0b 08 01 0c`, CONTENT],
  ["a length past the end", "12 05 0a 02 08 01", malformed(0)],
  ["a length past the end of the event", field(2, "0a 03 08 01"), malformed(2)],
  ["no base event", field(2, string(2, "m")), malformed(2)],
  ["another type in the base event", field(2, BASE(2)), malformed(4)],
  ["no type in the base event of another arm", field(2, field(1, "")), malformed(4)],
  [
    "a type of 64 bits that is the arm's in 32",
    field(2, field(1, `08 81 80 80 80 10`)),
    { ...CONTENT, messageId: "", delta: "" },
  ],
  ["an arm of a later version", field(40, BASE(33)), { fault: "unknown", at: 0 }],
  [
    "two of them, and a number that is no message",
    `${field(40, "")}${field(41, "")} a0 02 01`,
    { fault: "unknown", at: 0 },
  ],
  ["an arm of a later version that is no message", field(40, "ff"), malformed(0)],
  ["one whose message has field 0", `${field(40, "")}${field(40, "00")}`, malformed(3)],
  ["only a number that is not known", "a0 02 01", malformed(0)],
  ["the arm beside one of a later version", `${field(40, "ff")}${content()}`, CONTENT],
  ["the arm twice", `${content()}${field(2, string(3, "e"))}`, { ...CONTENT, delta: "e" }],
  [
    "the arm twice, the base event in the second",
    `${field(2, string(2, "m"))}${field(2, `${BASE(1)}${string(3, "d")}`)}`,
    CONTENT,
  ],
  [
    "a base event of two halves",
    field(2, `${field(1, "10 05")}${string(2, "m")}${string(3, "d")}${BASE(1)}`),
    { ...CONTENT, timestamp: 5 },
  ],
  // fields
  ["fields in another order", field(2, `${string(3, "d")}${string(2, "m")}${BASE(1)}`), CONTENT],
  ["a string twice", content(string(3, "e")), { ...CONTENT, delta: "e" }],
  ["a string as a varint", content("18 05"), CONTENT],
  ["unknown fields of every kind", content(`68 01 69 0000000000000000 6a 01 ff 6d 00000000 6b 08 01 6c`), CONTENT],
  ["nested groups", content("6b 73 78 01 74 6c"), CONTENT],
  ["a group that does not end", content("6b"), malformed(12)],
  ["a group that ends as another one", content("6b 74"), malformed(12)],
  ["an end without a group", content("6c"), malformed(12)],
  ["a hundred nested groups", `${content()}${"a3 02".repeat(100)}${"a4 02".repeat(100)}`, CONTENT],
  ["a hundred and one", `${content()}${"a3 02".repeat(101)}${"a4 02".repeat(101)}`, malformed(12)],
  ["a varint of ten bytes", content(`68 ${TEN} 01`), CONTENT],
  ["one of 65 bits", content(`68 ${TEN} 02`), malformed(12)],
  ["one of eleven bytes", content(`68 ${TEN} 81 00`), malformed(12)],
  ["one that does not end", content("68 ff"), malformed(12)],
  ["a tag of five bytes", content("e8 80 80 80 00 01"), CONTENT],
  ["a tag of six bytes", content("e8 80 80 80 80 00 01"), malformed(12)],
  ["a tag of 33 bits", content("e8 80 80 80 10 01"), malformed(12)],
  ["a length of 33 bits", content("6a 80 80 80 80 10"), malformed(12)],
  ["a timestamp", content(field(1, "10 ff ff ff ff ff ff ff 0f")), { ...CONTENT, timestamp: Number.MAX_SAFE_INTEGER }],
  ["one beyond what a double holds", content(field(1, "10 80 80 80 80 80 80 80 10")), malformed(14)],
  [
    "a negative timestamp",
    content(field(1, `10 81 80 80 80 80 80 80 f0 ff 01`)),
    { ...CONTENT, timestamp: -Number.MAX_SAFE_INTEGER },
  ],
  ["one below what a double holds", content(field(1, `10 80 80 80 80 80 80 80 f0 ff 01`)), malformed(14)],
  ["the lowest integer", content(field(1, `10 80 80 80 80 80 80 80 80 80 01`)), malformed(14)],
  ["one beyond that is overridden", content(field(1, "10 80 80 80 80 80 80 80 10 10 01")), malformed(14)],
  [
    "ill-formed UTF-8",
    field(2, `${BASE(1)}${string(2, "m")}${field(3, "61 ff e2 82 62 f0 9f")}`),
    { ...CONTENT, delta: "a\ufffd\ufffdb\ufffd" },
  ],
  [
    "a byte-order mark in a string",
    field(2, `${BASE(1)}${string(2, "m")}${field(3, "ef bb bf")}`),
    { ...CONTENT, delta: "\ufeff" },
  ],
  // open JSON
  ["a value without a kind", snapshot(field(2, "")), { type: "STATE_SNAPSHOT" }],
  ["no value", snapshot(""), { type: "STATE_SNAPSHOT" }],
  ["a value with two kinds", snapshot(field(2, "20 01 1a 01 78")), state("x")],
  ["an object, then another kind", snapshot(field(2, `2a 05 ff ff ff ff ff 08 00`)), state(null)],
  ["an object, another kind, an object", snapshot(field(2, `2a 03 0a 01 ff 08 00 2a 00`)), state({})],
  ["a kind of another wire type", snapshot(field(2, "0a 00 22 00 20 01")), state(true)],
  ["any number for null", snapshot(field(2, "08 05")), state(null)],
  ["a boolean above 32 bits", snapshot(field(2, "20 80 80 80 80 80 01")), state(true)],
  ["not a number", snapshot(field(2, "11 00 00 00 00 00 00 f8 7f")), state(null)],
  ["infinity", snapshot(field(2, "11 00 00 00 00 00 00 f0 ff")), state(null)],
  ["minus zero", snapshot(field(2, "11 00 00 00 00 00 00 00 80")), state(0)],
  ["a number cut off", snapshot(field(2, "11 00 00")), malformed(8)],
  [
    "an object in two halves",
    snapshot(
      `${field(2, field(5, field(1, `${string(1, "a")}${field(2, "20 01")}`)))}${field(2, field(5, field(1, `${string(1, "b")}${field(2, "20 00")}`)))}`,
    ),
    state({ a: true, b: false }),
  ],
  [
    "a list in two halves",
    snapshot(field(2, `${field(6, field(1, "20 01"))}${field(6, field(1, "20 00"))}`)),
    state([true, false]),
  ],
  ["a hole in a list", snapshot(field(2, field(6, `${field(1, "")}${field(1, "20 01")}`))), state([null, true])],
  [
    "a key without a value",
    snapshot(field(2, field(5, `${field(1, string(1, "a"))}${field(1, `${string(1, "b")}${field(2, "")}`)}`))),
    state({}),
  ],
  ["a value without a key", snapshot(field(2, field(5, field(1, field(2, "20 01"))))), state({ "": true })],
  [
    "a value of two halves in an entry",
    snapshot(
      field(
        2,
        field(
          5,
          field(1, `${field(2, field(6, field(1, "20 01")))}${string(1, "k")}${field(2, field(6, field(1, "20 00")))}`),
        ),
      ),
    ),
    state({ k: [true, false] }),
  ],
  ["an entry that ends inside", snapshot(field(2, field(5, field(1, "0a 05 61")))), malformed(12)],
  ["rubbish beside entries", snapshot(field(2, field(5, "18 01 00"))), malformed(12)],
  // messages
  [
    "parts of a user",
    message(`${string(1, "i")}${string(2, "user")}`),
    messages({ id: "i", role: "user", content: [] }),
  ],
  ["text of a user", message(`${string(2, "user")}${string(3, "")}`), messages({ id: "", role: "user", content: "" })],
  ["an empty message", message(""), messages({ id: "", role: "" })],
  ["text and parts", message(`${string(2, "user")}${string(3, "")}${field(8, "")}`), malformed(8)],
  ["parts of an assistant", message(`${string(2, "assistant")}${field(8, "")}`), malformed(8)],
  ["an object of a tool", message(`${string(2, "tool")}${field(13, "")}`), malformed(8)],
  [
    "an object of an activity",
    message(`${string(2, "activity")}${field(13, "")}`),
    messages({ id: "", role: "activity", content: {} }),
  ],
  ["text of an activity", message(`${string(2, "activity")}${string(3, "")}`), malformed(8)],
  ["nothing of an activity", message(string(2, "activity")), messages({ id: "", role: "activity" })],
  [
    "an object of an unknown role",
    message(`${string(2, "narrator")}${field(13, "")}`),
    messages({ id: "", role: "narrator", content: {} }),
  ],
  [
    "text and an object of an unknown role",
    message(`${string(2, "narrator")}${string(3, "")}${field(13, "")}`),
    malformed(8),
  ],
  [
    "parts of an unknown role",
    message(`${string(2, "narrator")}${field(8, field(1, ""))}`),
    messages({ id: "", role: "narrator", content: [{ type: "text", text: "" }] }),
  ],
  ["text and parts of a result", parts(`${string(5, "")}${field(7, "")}`), malformed(3)],
  // parts
  ["two arms of a part", parts(field(7, `${field(1, "")}${field(2, "")}`)), malformed(17)],
  [
    "an arm of a part twice",
    parts(field(7, `${field(1, string(1, "a"))}${field(1, string(2, "i"))}`)),
    result({ type: "text", text: "a", id: "i" }),
  ],
  [
    "a part of an unknown kind",
    parts(`${field(7, field(9, ""))}${field(7, field(1, ""))}`),
    result({ type: "text", text: "" }),
  ],
  ["a part without a source", parts(field(7, field(2, ""))), result({ type: "image" })],
  [
    "a source of an unknown kind",
    parts(`${field(7, field(3, field(1, field(7, ""))))}${field(7, field(4, field(1, field(2, ""))))}`),
    result({ type: "video", source: { type: "url", value: "" } }),
  ],
  [
    "a part that is left out and broken",
    parts(field(7, field(3, `${field(1, "")}${field(2, "1a 05")}`))),
    malformed(21),
  ],
  ["two arms of a source", parts(field(7, field(2, field(1, `${field(1, "")}${field(2, "")}`)))), malformed(21)],
  [
    "two sources of different arms",
    parts(field(7, field(2, `${field(1, field(1, string(1, "a")))}${field(1, field(3, ""))}`))),
    result({ type: "image", source: { type: "file", value: "" } }),
  ],
  // outcomes and patches
  ["a cancelled run", run(string(5, "cancelled")), finished({ outcome: { type: "cancelled" } })],
  [
    "an interrupt without interrupts",
    run(string(5, "interrupt")),
    finished({ outcome: { type: "interrupt", interrupts: [] } }),
  ],
  [
    "an unknown outcome with lists",
    run(`${string(5, "new")}${field(6, string(1, "i"))}${string(8, "c")}`),
    finished({ outcome: { type: "new", interrupts: [{ id: "i", reason: "" }], pendingToolCallIds: ["c"] } }),
  ],
  [
    "lists without an outcome",
    run(`${field(6, string(1, "i"))}${string(8, "c")}`),
    finished({ interrupts: [{ id: "i", reason: "" }], pendingToolCallIds: ["c"] }),
  ],
  [
    "a suspended subagent",
    field(20, `${BASE(17)}${string(2, "s")}${string(4, "suspended")}${string(5, "i")}`),
    { type: "SUBAGENT_FINISHED", subagentRunId: "s", outcome: { type: "suspended", interruptIds: ["i"] } },
  ],
  [
    "ids of a subagent without an outcome",
    field(20, `${BASE(17)}${string(2, "s")}${string(5, "i")}`),
    { type: "SUBAGENT_FINISHED", subagentRunId: "s", interruptIds: ["i"] },
  ],
  [
    "an empty operation",
    field(8, `${BASE(7)}${field(2, "")}`),
    { type: "STATE_DELTA", delta: [{ op: "add", path: "" }] },
  ],
  [
    "operations of later versions",
    field(8, `${BASE(7)}${field(2, "08 06")}${field(2, `08 ${TEN} 01`)}`),
    {
      type: "STATE_DELTA",
      delta: [
        { op: "6", path: "" },
        { op: "-1", path: "" },
      ],
    },
  ],
  [
    "an echoed input without lists",
    field(12, `${BASE(11)}${field(5, "")}`),
    {
      type: "RUN_STARTED",
      threadId: "",
      runId: "",
      input: { threadId: "", runId: "", messages: [], tools: [], context: [], resume: [] },
    },
  ],
  [
    "what 1.1 has added",
    field(31, `${BASE(30)}${string(3, "message")}${string(6, "t")}`),
    {
      type: "REASONING_ENCRYPTED_VALUE",
      subtype: "message",
      entityId: "",
      encryptedValue: "",
      encryptedValueType: "t",
    },
  ],
];

const NAMES = ["a", "b", "", "id", "10", "2", "constructor", "é", 'q"\\', "\u0001"];
const SCALARS: unknown[] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  1e21,
  5e-324,
  123456789.125,
  "",
  "text",
  "é€😀",
  '"\\\n\u0001',
];

/** Open JSON of at most so many levels. */
export function randomJson(rng: Rng, levels: number): unknown {
  if (levels === 0 || rng.chance(0.3))
    return rng.chance(0.1) ? rng.next() * 10 ** rng.between(-30, 30) : rng.pick(SCALARS);
  const size = rng.int(4);
  if (rng.chance(0.5)) return Array.from({ length: size }, () => randomJson(rng, levels - 1));
  return Object.fromEntries(Array.from({ length: size }, () => [rng.pick(NAMES), randomJson(rng, levels - 1)]));
}

/** A valid event of a type, made from the table of the event model. `only10`: without what 1.1 has added. */
export function randomEvent(rng: Rng, type: string, only10 = false): Event {
  const text = (): string =>
    rng.pick(["", "m-1", "ä\n", "x".repeat(rng.int(200)), "😀\\", "long ".repeat(rng.int(60))]);
  const list = (of: Rule, least: number): unknown[] => Array.from({ length: rng.pick([least, 1, 3]) }, () => value(of));
  const value = (rule: Rule): unknown => {
    switch (rule.kind) {
      case "string":
        return text();
      case "boolean":
        return rng.chance(0.5);
      case "timestamp":
        return rng.pick([0, -5, 1700000000000, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);
      case "count":
        return rng.pick([0, 127, 128, 2 ** 40, Number.MAX_SAFE_INTEGER]);
      case "any":
        return randomJson(rng, 4);
      case "non-null":
        return randomJson(rng, 4) ?? "x";
      case "open-object":
        return { key: randomJson(rng, 3), ...(rng.chance(0.3) ? { "": [] } : {}) };
      case "pointer":
        return rng.pick(["", "/a", "/~0~1/"]);
      case "const":
        return rule.value;
      case "enum":
        return rng.pick([...rule.values]);
      case "object":
        return object(rule.shape);
      case "union":
        return object(rng.pick(Object.values(UNIONS[rule.union]!.variants)));
      case "patch":
        return list({ kind: "union", union: "JsonPatchOperation" }, 0);
      case "list":
        return list(rule.of, rule.min ?? 0);
      case "text-or-list":
        return rng.chance(0.5) ? text() : list(rule.of, 0);
    }
  };
  const object = (name: string): Event => {
    const members = SHAPES[name]!.members.filter(
      (member) => (member.required || rng.chance(0.4)) && !(only10 && member.name === "encryptedValueType"),
    );
    return Object.fromEntries(members.map((member) => [member.name, value(member.rule)]));
  };
  return { ...object(EVENT_SHAPES[type]!), type };
}

export { EVENT_TYPES };

/** Bytes with a few of them changed, taken away, repeated or put in. */
export function mutate(rng: Rng, bytes: Uint8Array): Uint8Array {
  const out = [...bytes];
  for (let i = rng.pick([1, 1, 1, 2, 4]); i > 0; i--) {
    const at = rng.int(out.length + 1);
    const byte = rng.pick([rng.int(256), rng.int(256), 0, 0x08, 0x0a, 0x0b, 0x0c, 0x12, 0x1a, 0x2a, 0x32, 0x80, 0xff]);
    switch (rng.int(5)) {
      case 0:
        out.splice(at, 1, byte);
        break;
      case 1:
        out.splice(at, 0, byte);
        break;
      case 2:
        out.splice(at, 1);
        break;
      case 3:
        out.splice(at, 0, ...out.slice(at, at + rng.int(12)));
        break;
      default:
        if (at < out.length) out[at] = (out[at]! + rng.pick([1, 255, 8, 248])) & 255;
    }
  }
  return Uint8Array.from(out);
}
