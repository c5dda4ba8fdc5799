import { beforeEach, describe, expect, it } from "vitest";
import * as agui from "../../assembly/abi/agui.js";
import * as code from "../../assembly/abi/codes.js";
import { AGUI_NO_SUBAGENTS, AGUI_STRIP_ENUMS } from "../../assembly/abi/layout.js";
import { EVENT_TYPES } from "../../src/schema/agui.generated.js";
import { expectProportional } from "../support/cost.js";
import { Rng } from "../support/rng.js";
import {
  dropped,
  enforce,
  type Outcome,
  ok,
  randomEvent,
  refused,
  VERDICTS,
  withRepeats,
} from "./support/agui-values.js";
import { BUILDS, Probe } from "./support/probe.js";

const ids = (prefix: string): string[] => {
  const names: string[] = [];
  for (const [name, id] of Object.entries(code)) if (name.startsWith(prefix)) names[id as number] = name.slice(2);
  return names;
};
const ERRORS = ids("E_");
const REASONS = ids("R_");
const WARNINGS = ids("W_");
const KINDS = ids("KIND_").map((name) => name?.slice(3));

/** Names of the top-level members of events, with their numbers. */
const FIELDS = Object.entries(agui)
  .filter(([name]) => name.startsWith("F_") && name !== "F_COUNT")
  .map(([name, id]): [string, number] => {
    const words = name.slice(2).toLowerCase();
    return [words.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), id];
  });

/** Drives reading, boundary and enforcement as a session does. */
class Gate {
  readonly probe: Probe;
  readonly state: number;

  constructor(kind: (typeof BUILDS)[number], areaSize = 1 << 24) {
    this.probe = new Probe(kind, areaSize);
    this.probe.call("setValidateLimits", 512, 1024);
    this.state = this.probe.call("newAgui");
    this.options(0);
  }

  options(flags: number, held: readonly string[] = []): void {
    const bits = held.map((name) => BigInt(name === "*" ? 63 : EVENT_TYPES.indexOf(name) + 1));
    const mask = bits.reduce((all, bit) => all | (1n << bit), 0n);
    (this.probe.raw.setAguiOptions as unknown as (flags: number, held: bigint) => void)(flags, BigInt.asIntN(64, mask));
  }

  #warnings(): string[] {
    const { probe } = this;
    const found: string[] = [];
    for (let at = probe.call("firstWarning"); at; at = probe.call("nextWarning", at)) {
      const path = probe.call("warningPath", at);
      const subject = probe.call("warningSubject", at);
      const parts = [
        WARNINGS[probe.call("warningCode", at)],
        probe.text(path, path + probe.call("warningPathLength", at)),
      ];
      if (probe.call("warningHasSubject", at))
        parts.push(probe.text(subject, subject + probe.call("warningSubjectLength", at)));
      found.push(parts.join(" "));
    }
    return found;
  }

  #fault(): string {
    const { probe } = this;
    const path = probe.call("pathStart");
    const subject = probe.call("subjectStart");
    const parts = [
      ERRORS[probe.global("faultCode")],
      REASONS[probe.global("faultReason")],
      probe.global("faultHasPath") ? probe.text(path, path + probe.call("pathLength")) : "-",
    ];
    const received = KINDS[probe.global("faultReceivedKind")];
    if (received) parts.push(received);
    if (probe.call("subjectLength")) parts.push(probe.text(subject, subject + probe.call("subjectLength")));
    return parts.join(" ");
  }

  /** Checks the slots against the text and gives the text. */
  #text(): string {
    const { probe } = this;
    const text = probe.text(probe.global("eventText"), probe.global("eventTextEnd"));
    const value = JSON.parse(text) as Record<string, unknown>;
    for (const [key, id] of FIELDS) {
      const start = probe.call("slotStart", id);
      const held = start ? JSON.parse(probe.text(start, probe.call("slotEnd", id))) : undefined;
      expect(held, key).toEqual(Object.hasOwn(value, key) ? value[key] : undefined);
    }
    return text;
  }

  #outcome(verdict: number): Outcome {
    const outcome: Outcome = { verdict: VERDICTS[verdict]!, warnings: this.#warnings() };
    if (outcome.verdict === "refused") outcome.fault = this.#fault();
    else expect(this.probe.global("faultCode")).toBe(0);
    if (outcome.verdict === "ok" || outcome.verdict === "held") outcome.text = this.#text();
    return outcome;
  }

  #read(text: string): void {
    this.probe.rewind();
    const { p, end } = this.probe.put(text);
    expect(this.probe.call("readEvent", p, 0)).toBe(end);
    this.probe.call("canonicalEvent");
  }

  /** One event from the wire. */
  take(event: unknown): Outcome {
    this.#read(typeof event === "string" ? event : JSON.stringify(event));
    return this.#outcome(this.probe.call("enforceEvent", this.state));
  }

  /** One event from middleware. */
  takeHeld(event: unknown): Outcome {
    this.#read(JSON.stringify(event));
    return this.#outcome(this.probe.call("enforceHeld"));
  }

  accept(event: unknown): Outcome {
    const outcome = this.take(event);
    this.probe.call("commitMinted", this.state);
    return outcome;
  }
}

describe.each(BUILDS)("enforcement of AG-UI events (%s)", (kind) => {
  const gate = new Gate(kind);
  beforeEach(() => gate.options(0));

  const content = { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "x" };
  const snapshot = (...messages: unknown[]): unknown => ({ type: "MESSAGES_SNAPSHOT", messages });
  const user = (...content: unknown[]): unknown => ({ id: "u", role: "user", content });

  it("passes what the table describes where it lies", () => {
    const events = [
      content,
      { ...content, timestamp: -9007199254740991, rawEvent: [null], metadata: { a: null }, subagentRunId: "" },
      {
        type: "TOOL_CALL_RESULT",
        messageId: "m",
        toolCallId: "c",
        content: [{ type: "text", text: "" }],
        role: "tool",
      },
      { type: "STATE_SNAPSHOT", snapshot: null },
      {
        type: "STATE_DELTA",
        delta: [
          { op: "add", path: "/a~1b", value: null, note: 1 },
          { op: "move", from: "", path: "/x" },
        ],
      },
      { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "t", content: {}, replace: false },
      { type: "RUN_ERROR", message: "m", usage: [{ inputTokens: 0, model: "x" }] },
      snapshot(user({ type: "image", source: { type: "file", value: "v", provider: "p" }, metadata: 0 })),
      {
        type: "RUN_FINISHED",
        threadId: "t",
        runId: "r",
        outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "r", responseSchema: { x: 1 } }] },
      },
    ];
    for (const event of events) expect(gate.take(event)).toEqual(ok(event));
  });

  it("brings text to canonical form first", () => {
    const loose = ' "type" : "TEXT_MESSAGE_CONTENT" , "message\\u0049d":"\\u006d", "delta":"\\u00e4\\/" ';
    expect(gate.take(`{${loose}}`)).toEqual(ok({ ...content, delta: "ä/" }));
  });

  it("counts repeated members once: last value, first place", () => {
    const text = '{"delta":1,"type":"RAW","messageId":"m","delta":"x","type":"TEXT_MESSAGE_CONTENT"}';
    expect(gate.take(text)).toEqual(ok('{"delta":"x","type":"TEXT_MESSAGE_CONTENT","messageId":"m"}'));
    const unknown = '{"type":"TEXT_MESSAGE_END","messageId":"m","q":1,"q":2,"p":3}';
    expect(gate.take(unknown)).toEqual(
      ok({ type: "TEXT_MESSAGE_END", messageId: "m" }, "UNKNOWN_PROPERTY /q", "UNKNOWN_PROPERTY /p"),
    );
  });

  it("judges the type before all", () => {
    expect(gate.take({ delta: 1 })).toEqual(refused("MISSING /type"));
    expect(gate.take({ type: 5 })).toEqual(refused("X_STRING /type NUMBER"));
    expect(gate.take({ type: "" })).toEqual(refused("NON_EMPTY_STRING /type"));
    expect(gate.take({ type: "FUTURE_EVENT", rawEvent: null })).toEqual(dropped("UNKNOWN_EVENT /type FUTURE_EVENT"));
    expect(gate.take({ type: "toString" })).toEqual(dropped("UNKNOWN_EVENT /type toString"));
  });

  it("removes members the table does not have, and no others", () => {
    const event = '{"type":"STATE_DELTA","__proto__":{},"delta":[{"op":"add","path":"","value":1,"x":2}],"a/b~":1}';
    expect(gate.take(event)).toEqual(
      ok(
        '{"type":"STATE_DELTA","delta":[{"op":"add","path":"","value":1,"x":2}]}',
        "UNKNOWN_PROPERTY /__proto__",
        "UNKNOWN_PROPERTY /a~1b~0",
      ),
    );
    expect(gate.take({ type: "RUN_ERROR", message: "m", subagentRunId: "s" })).toEqual(
      ok({ type: "RUN_ERROR", message: "m" }, "UNKNOWN_PROPERTY /subagentRunId"),
    );
  });

  it("refuses values that the table rejects, the first in document order, what is missing last", () => {
    const cases: [unknown, string][] = [
      [{ type: "TEXT_MESSAGE_CONTENT", delta: null }, "X_STRING /delta NULL"],
      [{ type: "TEXT_MESSAGE_CONTENT", delta: "" }, "MISSING /messageId"],
      [{ ...content, timestamp: 1.5 }, "X_INTEGER /timestamp NUMBER"],
      [{ ...content, metadata: [] }, "X_OBJECT /metadata ARRAY"],
      [{ ...content, subagentRunId: null }, "X_STRING /subagentRunId NULL"],
      [{ type: "ACTIVITY_SNAPSHOT", replace: "yes" }, "X_BOOLEAN /replace STRING"],
      [{ type: "TOOL_CALL_RESULT", role: "user", content: 5 }, "X_CONST /role STRING tool"],
      [{ type: "TOOL_CALL_RESULT", content: 5 }, "X_TEXT_OR_LIST /content NUMBER"],
      [{ type: "TEXT_MESSAGE_START", messageId: "m", role: "tool" }, "X_ENUM /role STRING"],
      [{ type: "MESSAGES_SNAPSHOT", messages: {} }, "X_ARRAY /messages OBJECT"],
      [snapshot(5), "X_OBJECT /messages/0 NUMBER"],
      [snapshot({ id: "x" }), "MISSING /messages/0/role"],
      [snapshot({ role: 1 }), "X_STRING /messages/0/role NUMBER"],
      [
        snapshot({ id: "a", role: "assistant", toolCalls: [{ id: "c", type: "f", function: {} }] }),
        "X_CONST /messages/0/toolCalls/0/type STRING function",
      ],
      [{ type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: [] }, "X_OBJECT /outcome ARRAY"],
      [
        { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: { type: "interrupt", interrupts: [] } },
        "X_NON_EMPTY /outcome/interrupts",
      ],
      [{ type: "RUN_ERROR", message: "", usage: [{ inputTokens: -1 }] }, "X_COUNT /usage/0/inputTokens NUMBER"],
      [
        {
          type: "RUN_STARTED",
          threadId: "t",
          runId: "r",
          input: { threadId: "t", runId: "r", messages: [], state: null },
        },
        "X_NOT_NULL /input/state NULL",
      ],
      [{ type: "STATE_DELTA", delta: [{ op: "add", path: "a", value: 1 }] }, "POINTER /delta/0/path"],
      [{ type: "STATE_DELTA", delta: [{ op: "move", path: "" }] }, "MISSING /delta/0/from"],
      [{ type: "STATE_DELTA", delta: [{ path: 5 }] }, "MISSING /delta/0/op"],
      [{ type: "STATE_DELTA", delta: [{ op: "test", path: "" }, 5] }, "MISSING /delta/0/value"],
      [{ type: "STATE_DELTA", delta: [5] }, "X_OBJECT /delta/0 NUMBER"],
    ];
    for (const [event, fault] of cases) expect(gate.take(event), JSON.stringify(event)).toEqual(refused(fault));
  });

  it("takes integers in any spelling", () => {
    for (const number of ["1e3", "-1.0", "9007199254740991", "-9007199254740991", "-0", "10e-1"]) {
      const text = `{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":${number}}`;
      expect(gate.take(text), number).toEqual(ok(text));
    }
    for (const number of ["1e-1", "9007199254740992", "-9007199254740992", "1e400", '"1"', "true", "{}"]) {
      const text = `{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":${number}}`;
      expect(gate.take(text).fault, number).toMatch(/^BAD_EVENT X_INTEGER \/timestamp/);
    }
  });

  it("removes unknown variants outward: member, element, containing value", () => {
    const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
    expect(gate.take({ ...finished, outcome: { type: "paused" } })).toEqual(ok(finished, "UNKNOWN_VARIANT /outcome"));
    const text = { type: "text", text: "t" };
    const image = { type: "image", id: 5, source: { type: "cloud", x: 1 }, extra: 1 };
    expect(gate.take(snapshot(user({ type: "hologram" }, text, image), { role: "oracle", id: 7 }))).toEqual(
      ok(
        snapshot(user(text)),
        "UNKNOWN_VARIANT /messages/0/content/0",
        "UNKNOWN_VARIANT /messages/0/content/2",
        "UNKNOWN_VARIANT /messages/1",
      ),
    );
    const delta = [
      { op: "increment", path: 5 },
      { op: "remove", path: "" },
    ];
    expect(gate.take({ type: "STATE_DELTA", delta })).toEqual(
      ok({ type: "STATE_DELTA", delta: [delta[1]] }, "UNKNOWN_VARIANT /delta/0"),
    );
    expect(gate.probe.call("operationCount")).toBe(1);
  });

  it("strips what a closed set does not list when it is told to", () => {
    gate.options(AGUI_STRIP_ENUMS);
    const start = { type: "TEXT_MESSAGE_START", messageId: "m" };
    expect(gate.take({ ...start, role: "narrator" })).toEqual(ok(start, "UNKNOWN_ENUM /role"));
    expect(gate.take({ ...start, role: 5 })).toEqual(refused("X_ENUM /role NUMBER"));
    const input = { threadId: "t", runId: "r", messages: [], resume: [{ interruptId: 1, status: "later" }] };
    expect(gate.take({ type: "RUN_STARTED", threadId: "t", runId: "r", input })).toEqual(
      ok(
        { type: "RUN_STARTED", threadId: "t", runId: "r", input: { ...input, resume: [] } },
        "UNKNOWN_ENUM /input/resume/0",
      ),
    );
    expect(gate.take({ type: "REASONING_ENCRYPTED_VALUE", entityId: 5, subtype: "thought", more: 1 })).toEqual(
      dropped("UNKNOWN_ENUM /subtype"),
    );
  });

  describe("the boundary", () => {
    it("takes listed nulls for absent members", () => {
      const cases: [unknown, unknown, string[]][] = [
        [{ ...content, rawEvent: null }, content, ["/rawEvent"]],
        [
          { type: "TOOL_CALL_START", parentMessageId: null, toolCallId: "c", toolCallName: "n" },
          { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "n" },
          ["/parentMessageId"],
        ],
        [
          { type: "RUN_FINISHED", outcome: null, threadId: "t", runId: "r", result: null },
          { type: "RUN_FINISHED", threadId: "t", runId: "r" },
          ["/outcome", "/result"],
        ],
        [
          snapshot(user({ type: "video", metadata: null, source: { type: "url", value: "v" } })),
          snapshot(user({ type: "video", source: { type: "url", value: "v" } })),
          ["/messages/0/content/0/metadata"],
        ],
      ];
      for (const [event, left, paths] of cases)
        expect(gate.take(event)).toEqual(ok(left, ...paths.map((path) => `LEGACY_NULL ${path}`)));
      const echo = (input: object): unknown => ({
        type: "RUN_STARTED",
        threadId: "t",
        runId: "r",
        input: { threadId: "t", runId: "r", messages: [], ...input },
      });
      expect(
        gate.take(
          echo({
            forwardedProps: null,
            tools: [{ name: "n", description: "d", parameters: null }],
            resume: [{ interruptId: "i", status: "resolved", payload: null }],
          }),
        ),
      ).toEqual(
        ok(
          echo({ tools: [{ name: "n", description: "d" }], resume: [{ interruptId: "i", status: "resolved" }] }),
          "LEGACY_NULL /input/forwardedProps",
          "LEGACY_NULL /input/tools/0/parameters",
          "LEGACY_NULL /input/resume/0/payload",
        ),
      );
      expect(gate.take({ type: "SUBAGENT_FINISHED", subagentRunId: "s", outcome: null })).toEqual(
        refused("X_OBJECT /outcome NULL"),
      );
      expect(gate.take({ ...content, metadata: null })).toEqual(refused("X_OBJECT /metadata NULL"));
    });

    it("translates retired parts, and drops those whose list already holds what they become", () => {
      const data = { type: "binary", mimeType: "image/png", data: "AA", url: "u", filename: "f.png" };
      const url = { type: "binary", mimeType: "text/plain", data: "", url: "u" };
      const modern = { type: "image", source: { mimeType: "image/png", type: "data", value: "AA" } };
      const named = { ...modern, metadata: { filename: "f.png" } };
      const translated = { type: "image", source: { type: "data", value: "AA", mimeType: "image/png" } };
      expect(gate.take(snapshot(user(data, url, modern)))).toEqual(
        ok(
          snapshot(
            user(
              { ...translated, metadata: { filename: "f.png" } },
              { type: "document", source: { type: "url", value: "u", mimeType: "text/plain" } },
              modern,
            ),
          ),
          "LEGACY_PART /messages/0/content/0",
          "LEGACY_PART /messages/0/content/1",
        ),
      );
      const { filename: _, ...nameless } = data;
      expect(gate.take(snapshot(user(data, named, nameless)))).toEqual(
        ok(snapshot(user(named)), "LEGACY_PART /messages/0/content/0", "LEGACY_PART /messages/0/content/2"),
      );
      expect(gate.take(snapshot(user({ type: "binary", mimeType: "image/png", id: "x" })))).toEqual(
        ok(snapshot(user()), "UNKNOWN_VARIANT /messages/0/content/0"),
      );
      expect(gate.take({ type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: [data] })).toEqual(
        ok({ type: "TOOL_CALL_RESULT", messageId: "m", toolCallId: "c", content: [] }, "UNKNOWN_VARIANT /content/0"),
      );
    });

    it("translates retired events and mints ids for them", () => {
      const fresh = new Gate(kind);
      const legacy = (name: string): string => `LEGACY_EVENT /type ${name}`;
      const step = (event: unknown, left: unknown, ...warnings: string[]): void =>
        expect(fresh.accept(event)).toEqual(ok(left, ...warnings));
      step(
        { type: "THINKING_START", title: "T", rawEvent: null },
        { type: "REASONING_START", messageId: "thinking--1" },
        legacy("THINKING_START"),
        "LEGACY_DROPPED /title",
        "LEGACY_NULL /rawEvent",
      );
      step(
        { role: "assistant", type: "THINKING_TEXT_MESSAGE_START" },
        { role: "reasoning", type: "REASONING_MESSAGE_START", messageId: "thinking--2" },
        legacy("THINKING_TEXT_MESSAGE_START"),
      );
      step(
        { type: "THINKING_TEXT_MESSAGE_CONTENT", messageId: 5, delta: "d" },
        { type: "REASONING_MESSAGE_CONTENT", messageId: "thinking--2", delta: "d" },
        legacy("THINKING_TEXT_MESSAGE_CONTENT"),
      );
      expect(fresh.take({ type: "THINKING_START", messageId: "x", metadata: 5 })).toEqual(
        refused("X_OBJECT /metadata NUMBER"),
      );
      step(
        { type: "THINKING_TEXT_MESSAGE_END" },
        { type: "REASONING_MESSAGE_END", messageId: "thinking--2" },
        legacy("THINKING_TEXT_MESSAGE_END"),
      );
      step(
        { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "d" },
        { type: "REASONING_MESSAGE_CONTENT", delta: "d", messageId: "thinking--3" },
        legacy("THINKING_TEXT_MESSAGE_CONTENT"),
      );
      step({ type: "THINKING_END" }, { type: "REASONING_END", messageId: "thinking--1" }, legacy("THINKING_END"));
      step(
        { type: "THINKING_TEXT_MESSAGE_START" },
        { type: "REASONING_MESSAGE_START", messageId: "thinking--4", role: "reasoning" },
        legacy("THINKING_TEXT_MESSAGE_START"),
      );
    });

    it("leaves subagents out for a peer that knows none", () => {
      gate.options(AGUI_NO_SUBAGENTS);
      expect(gate.take({ type: "SUBAGENT_STARTED" })).toEqual(dropped("DOWNGRADED /type SUBAGENT_STARTED"));
      expect(gate.take({ ...content, subagentRunId: 5 })).toEqual(ok(content));
      expect(gate.take(snapshot({ id: "u", role: "user", subagentRunId: "s", content: "" }))).toEqual(
        ok(snapshot({ id: "u", role: "user", content: "" })),
      );
      gate.options(AGUI_NO_SUBAGENTS, ["*"]);
      expect(gate.take({ type: "NEW", subagentRunId: "s", x: null })).toEqual({
        verdict: "held",
        text: '{"type":"NEW","x":null}',
        warnings: [],
      });
      const finished = (interrupt: object): unknown => ({
        type: "RUN_FINISHED",
        threadId: "t",
        runId: "r",
        outcome: { type: "interrupt", interrupts: [interrupt] },
      });
      expect(gate.take(finished({ id: "i", subagentRunId: "s", reason: "r" }))).toEqual(
        ok(finished({ id: "i", reason: "r" })),
      );
    });
  });

  it("holds events for middleware behind the boundary and before enforcement", () => {
    gate.options(0, ["TEXT_MESSAGE_CONTENT", "REASONING_START", "*"]);
    expect(gate.take({ ...content, delta: 5, rawEvent: null, more: 1 })).toEqual({
      verdict: "held",
      text: JSON.stringify({ ...content, delta: 5, more: 1 }),
      warnings: ["LEGACY_NULL /rawEvent"],
    });
    expect(gate.take(content)).toEqual({ verdict: "held", text: JSON.stringify(content), warnings: [] });
    expect(gate.take({ type: "THINKING_START" }).verdict).toBe("held");
    expect(gate.take({ type: "NEW" })).toEqual({ verdict: "held", text: '{"type":"NEW"}', warnings: [] });
    expect(gate.take({ type: "TEXT_MESSAGE_END", messageId: "m" }).verdict).toBe("ok");
    expect(gate.takeHeld(content)).toEqual(ok(content));
    expect(gate.takeHeld({ ...content, more: 1 })).toEqual(ok(content, "UNKNOWN_PROPERTY /more"));
    expect(gate.takeHeld({ ...content, rawEvent: null })).toEqual(refused("X_NOT_NULL /rawEvent NULL"));
    expect(gate.takeHeld({ type: "THINKING_START" })).toEqual(dropped("UNKNOWN_EVENT /type THINKING_START"));
    expect(gate.takeHeld({})).toEqual(refused("MISSING /type"));
  });

  it("merges warnings of one code, type and path within a run", () => {
    const { probe } = gate;
    const fresh = probe.call("newAgui");
    const admitted = (event: unknown): boolean[] => {
      gate.take(event);
      const found: boolean[] = [];
      for (let at = probe.call("firstWarning"); at; at = probe.call("nextWarning", at))
        found.push(probe.call("admitWarning", fresh, at) === 1);
      return found;
    };
    expect(admitted({ ...content, q: 1, p: 1 })).toEqual([true, true]);
    expect(admitted({ ...content, p: 1, q: 1 })).toEqual([false, false]);
    expect(admitted({ type: "TEXT_MESSAGE_END", messageId: "m", q: 1 })).toEqual([true]);
    expect(admitted({ type: "A" })).toEqual([true]);
    expect(admitted({ type: "B" })).toEqual([true]);
    expect(admitted({ type: "A" })).toEqual([false]);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x${i}`, 0]));
    expect(admitted({ ...content, ...many }).filter(Boolean)).toHaveLength(256 - 5);
  });

  it("takes time in proportion to the text, however it is made", () => {
    const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
    const shapes: ((n: number) => unknown)[] = [
      (n) => ({ ...content, ...Object.fromEntries(many(n, (i) => [`k${i}`, i])) }),
      (n) => snapshot(user(...many(n, (i) => ({ type: "binary", mimeType: "a/b", data: `d${i}`, filename: "f" })))),
      (n) =>
        snapshot(
          user(
            ...many(n, (i) => ({
              type: "document",
              source: { type: "data", value: "d", mimeType: "a/b" },
              metadata: { filename: `f${i}` },
            })),
            ...many(n, (i) => ({ type: "binary", mimeType: "a/b", data: "d", filename: `g${i}` })),
          ),
        ),
      (n) => ({ type: "STATE_DELTA", delta: many(n, () => ({ op: "noop" })) }),
    ];
    for (const shape of shapes) {
      expectProportional((size) => {
        const text = JSON.stringify(shape(size));
        return () => void gate.take(text);
      }, 320);
    }
  });

  it("gives back what it has taken", () => {
    gate.probe.call("trimScratch");
    const before = gate.probe.call("liveBytes");
    gate.take(snapshot(user({ type: "binary", mimeType: "a/b", data: "d" }), { role: "new" }));
    expect(gate.probe.call("liveBytes")).toBeGreaterThan(before);
    gate.probe.call("trimScratch");
    expect(gate.probe.call("liveBytes")).toBe(before);
  });

  it("says so when memory runs out, and goes on when there is some", () => {
    const small = new Gate(kind, 1 << 20);
    const { probe } = small;
    const wide = snapshot(
      user(...Array.from({ length: 1000 }, (_, i) => ({ type: "binary", mimeType: "a/b", data: `d${i}` }))),
      ...Array.from({ length: 500 }, () => ({ role: "new" })),
    );
    const expected = new Gate(kind).take(wide);
    probe.call("heapSetLimit", probe.pages + 16);
    const blocks: [number, number][] = [];
    for (let size = 1 << 20; size >= 16; size >>= 1)
      for (let at = probe.call("alloc", size); at; at = probe.call("alloc", size)) blocks.push([at, size]);
    let failures = 0;
    while (blocks.length > 0) {
      const outcome = small.take(wide);
      if (outcome.verdict === "ok") break;
      expect(outcome.verdict).toBe("no memory");
      failures++;
      const [at, size] = blocks.pop()!;
      probe.call("free", at, size);
    }
    expect(failures).toBeGreaterThan(2);
    expect(small.take(wide)).toEqual(expected);
  });

  it("agrees with a plain walk over values on random events", () => {
    const rng = new Rng(kind === "simd" ? 11 : 12);
    for (let i = 0; i < 1500; i++) {
      const strip = rng.chance(0.3);
      gate.options(strip ? AGUI_STRIP_ENUMS : 0);
      const event = randomEvent(rng);
      const taken = gate.take(event);
      expect(taken, JSON.stringify(event)).toEqual(enforce(event, strip));
      const text = withRepeats(rng, event);
      const repeated = gate.take(text);
      if (repeated.text) repeated.text = JSON.stringify(JSON.parse(repeated.text));
      expect(repeated, text).toEqual(enforce(JSON.parse(text), strip));
    }
  });
});
