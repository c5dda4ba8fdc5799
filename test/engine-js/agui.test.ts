import { describe, expect, it } from "vitest";
import type { AguiSessionOptions, EngineSession, Report } from "../../src/engine/contract.js";
import { bytesOf, type Overrides, open, snapshotText } from "./support.js";

const AGUI: AguiSessionOptions = {
  maxProtocolVersion: undefined,
  onDeltaFailure: "warn",
  unknownEnum: "fatal",
  middleware: undefined,
  input: undefined,
};

function openAgui(agui: Partial<AguiSessionOptions> = {}, overrides: Omit<Overrides, "agui"> = {}): EngineSession {
  return open({ protocol: "ag-ui", transport: "json", events: true, ...overrides, agui: { ...AGUI, ...agui } });
}

const STARTED = '{"type":"RUN_STARTED","threadId":"t","runId":"r"}';

function apply(session: EngineSession, ...texts: string[]): Report[] {
  const reports: Report[] = [];
  for (const text of texts) session.applyText(bytesOf(text), reports);
  return reports;
}

function member(session: EngineSession, name: "messages" | "state"): string {
  const text = snapshotText(session)!;
  const from = text.indexOf(name === "messages" ? '{"messages":' : ',"state":') + (name === "messages" ? 12 : 9);
  return text.slice(from, text.lastIndexOf(name === "messages" ? ',"state":' : ',"run":'));
}

const paths = (reports: Report[]): (string | undefined)[] =>
  reports.flatMap((report) => (report.kind === "warning" ? [report.path] : []));

describe("numbers", () => {
  it("keep their digits in the model, and are doubles for listeners", () => {
    const session = openAgui();
    const reports = apply(
      session,
      STARTED,
      '{"type":"STATE_SNAPSHOT","snapshot":{"a":12345678901234567890,"b":1e400,"c":-0}}',
      '{"type":"STATE_DELTA","delta":[{"op":"test","path":"/a","value":12345678901234567890.0},{"op":"copy","from":"/a","path":"/d"}]}',
    );
    expect(member(session, "state")).toBe('{"a":12345678901234567890,"b":1e400,"c":-0,"d":12345678901234567890}');
    const events = reports.flatMap((report) =>
      report.kind === "event" ? [report.event as { snapshot?: unknown }] : [],
    );
    expect(events[1]!.snapshot).toEqual({ a: Number("12345678901234567890"), b: Number.POSITIVE_INFINITY, c: -0 });
    expect(session.snapshot("", "bigint")).toMatchObject({ state: { a: 12345678901234567890n } });
  });

  it("may spell an integer in any way where the schema wants one", () => {
    const session = openAgui({}, { onViolation: "skip-event" });
    const content = (timestamp: string) => `{"type":"CUSTOM","name":"n","value":1,"timestamp":${timestamp}}`;
    apply(session, STARTED);
    for (const timestamp of ["1.0", "1e3", "-0", "-9007199254740991", "9007199254740991.0", "10e-1"]) {
      expect(apply(session, content(timestamp)).at(-1), timestamp).toMatchObject({ kind: "event" });
    }
    for (const timestamp of ["1.5", "9007199254740992", "1e-400", "1e400", "9007199254740993"]) {
      const fault = { code: "bad_event", path: "/timestamp", received: "number" };
      expect(apply(session, content(timestamp)), timestamp).toMatchObject([{ kind: "error", fault }]);
    }
  });
});

describe("names", () => {
  it("are told in the order of the text, integer-like ones too", () => {
    const event = '{"z":1,"type":"CUSTOM","10":1,"name":"n","2":1,"value":{"7":1,"a":2},"a":1,"10":2}';
    expect(paths(apply(openAgui(), STARTED, event))).toEqual(["/z", "/10", "/2", "/a"]);
    const nested =
      '{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","z":1,"role":"user","3":1,"content":"","y":1}],"9":1}';
    expect(paths(apply(openAgui(), STARTED, nested))).toEqual([
      "/messages/0/z",
      "/messages/0/3",
      "/messages/0/y",
      "/9",
    ]);
  });

  it("are ordinary when they are those of a prototype", () => {
    const session = openAgui();
    const reports = apply(
      session,
      STARTED,
      '{"type":"TEXT_MESSAGE_START","messageId":"__proto__","__proto__":{"role":"user"},"constructor":1,"metadata":{"__proto__":{"x":1}}}',
      '{"type":"TEXT_MESSAGE_CONTENT","messageId":"__proto__","delta":"d","metadata":{"__proto__":2,"toString":3}}',
      '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/__proto__","value":{"polluted":true}}]}',
    );
    expect(paths(reports)).toEqual(["/__proto__", "/constructor"]);
    expect(member(session, "messages")).toBe(
      '[{"id":"__proto__","role":"assistant","content":"d","metadata":{"__proto__":2,"toString":3}}]',
    );
    expect(member(session, "state")).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(session.argumentText!("__proto__", 0)).toBeUndefined();
  });

  it("count once when they are repeated, with the last value in the first place", () => {
    const session = openAgui();
    const text = '{"messageId":1,"type":"TEXT_MESSAGE_START","role":"user","messageId":"m","role":"system"}';
    expect(apply(session, STARTED, text).map(({ kind }) => kind)).toEqual(["event", "event"]);
    expect(member(session, "messages")).toBe('[{"id":"m","role":"system","content":""}]');
  });
});

describe("values", () => {
  it("are neither changed nor kept", () => {
    const session = openAgui({ maxProtocolVersion: [0, 0, 57] });
    const events: object[] = [
      { type: "RUN_STARTED", threadId: "t", runId: "r" },
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [
          {
            id: "u",
            role: "user",
            subagentRunId: "s",
            content: [{ type: "binary", mimeType: "a/b", data: "x" }, { type: "?" }],
          },
        ],
        future: 1,
      },
      { type: "STATE_SNAPSHOT", snapshot: { list: [{ deep: 1 }] } },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/list/0/more", value: { v: 1 } }] },
      { type: "TEXT_MESSAGE_START", messageId: "m", metadata: { k: { l: 1 } } },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "d" },
    ];
    const before = JSON.stringify(events);
    const reports: Report[] = [];
    for (const event of events) session.applyValue!(event, reports);
    expect(JSON.stringify(events)).toBe(before);
    const shown = JSON.stringify(session.snapshot("", "number"));
    for (const report of reports) if (report.kind === "event") scramble(report.event);
    for (const event of events) scramble(event);
    expect(JSON.stringify(session.snapshot("", "number"))).toBe(shown);
  });

  it("that throw or are no JSON are refused without a trace", () => {
    const session = openAgui();
    apply(session, STARTED, '{"type":"TEXT_MESSAGE_START","messageId":"m"}');
    const thrower = {
      type: "TEXT_MESSAGE_CONTENT",
      messageId: "m",
      get delta(): string {
        throw new Error("no");
      },
    };
    for (const value of [thrower, { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: undefined }, 1n]) {
      const reports: Report[] = [];
      expect(session.applyValue!(value, reports)).toBe(0);
      expect(reports).toMatchObject([{ kind: "error", fault: { code: "not_json" } }]);
    }
    expect(session.stats("")).toMatchObject({ applied: 2, version: 2 });
  });
});

describe("cost", () => {
  it("is linear in results behind one call, in lanes, in repeated ids, and in a long text", () => {
    const session = openAgui({}, { events: false });
    const reports = apply(session, STARTED, '{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}');
    const wire = (event: object) => session.applyText(bytesOf(JSON.stringify(event)), reports);
    for (let i = 0; i < 30_000; i++)
      wire({ type: "TOOL_CALL_RESULT", messageId: i % 2 ? "same" : `r${i}`, toolCallId: "c", content: "" });
    for (let i = 0; i < 10_000; i++)
      wire({ type: "TEXT_MESSAGE_CHUNK", messageId: `k${i}`, subagentRunId: `s${i}`, delta: "x" });
    for (let i = 0; i < 10_000; i++) wire({ type: "TEXT_MESSAGE_CHUNK", messageId: `k${i}`, delta: "y" });
    for (let i = 0; i < 50_000; i++) wire({ type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "0123456789" });
    expect(reports.filter(({ kind }) => kind === "error")).toEqual([]);
    expect(session.stats("").blocks).toBe(40_001);
    expect(session.argumentText!("c", 499_990)).toEqual({
      text: "0123456789",
      from: 499_990,
      generation: 0,
      complete: false,
    });
    wire({ type: "RUN_ERROR", message: "m" });
    expect(session.status("")).toBe("failed");
  });
});

/** Changes everything in a tree. */
function scramble(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const child of Object.values(value)) scramble(child);
  for (const name of Object.keys(value)) (value as Record<string, unknown>)[name] = "scrambled";
}
