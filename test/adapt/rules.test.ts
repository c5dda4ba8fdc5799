import { describe, expect, it } from "vitest";
import * as ag from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";
import { adapted, append, end, failure, field, type Options, runSet, STATE, set, start } from "./adapted.js";

// docs/adapter.md, to the byte.
const FINISHED = ',"status":"finished","outcome":{"type":"success"}';

describe.each(KINDS)("AG-UI as AgentUE (%s)", (kind) => {
  /** An adapter, and what an event comes to in its hands. */
  const open = () => {
    const adapter = engine(kind).createTranscoder({
      protocol: "ag-ui",
      from: "json",
      to: "ndjson",
      toProtocol: "agentue",
    });
    const push = (event: ag.AguiEvent): string =>
      new TextDecoder().decode(adapter.push(new TextEncoder().encode(JSON.stringify(event))));
    return { adapter, push };
  };

  /** Without `start` and what ends the body: what the events of a run come to, its seq beginning with 2. */
  const inRun = (...events: readonly (ag.AguiEvent | readonly ag.AguiEvent[])[]): string[][] => {
    const all = [ag.started(), ...events.flat()];
    return adapted(engine(kind), all, { onWarning: () => {} }).slice(1, all.length);
  };
  const of = (events: readonly ag.AguiEvent[], options: Options = {}): string[][] =>
    adapted(engine(kind), events, options);

  it("opens a delivery with the run, and ends it with the body", () => {
    expect(of([ag.started({ protocolVersion: "1.1", parentRunId: "p" }), ag.finished()])).toEqual([
      [start(1, [STATE], ',"parent_run_id":"p","protocol_version":"1.1","status":"running"')],
      [runSet(2, `,"parent_run_id":"p","protocol_version":"1.1"${FINISHED}`)],
      [end(3)],
    ]);
  });

  it("text: the block, then its deltas, then its status", () => {
    expect(
      inRun(
        ag.textStart("m", { role: "user", name: "n", subagentRunId: "s", metadata: { a: 1 } }),
        ag.textContent("m", "Grüße\n"),
        ag.textContent("m", "", { metadata: { b: [2] } }),
        ag.textEnd("m", { metadata: { a: null } }),
        ag.textStart("m", { metadata: { c: 3 } }),
      ),
    ).toEqual([
      [
        set(
          2,
          '{"id":"message:m","type":"text","role":"user","status":"streaming","group_id":"s","name":"n","content":"","metadata":{"a":1}}',
        ),
      ],
      [append(3, "message:m", "content", '"Grüße\\n"')],
      [append(4, "message:m", "content", '""'), field(5, "message:m", "metadata", '{"a":1,"b":[2]}')],
      [field(6, "message:m", "metadata", '{"a":null,"b":[2]}'), field(7, "message:m", "status", '"complete"')],
      [field(8, "message:m", "metadata", '{"a":null,"b":[2],"c":3}'), field(9, "message:m", "status", '"streaming"')],
    ]);
  });

  it("a tool call: its message, its arguments, its status, its result", () => {
    expect(
      inRun(
        ag.toolStart("c", "f"),
        ag.toolArgs("c", '{"a":'),
        ag.toolEnd("c", { metadata: { k: 1 } }),
        ag.toolResult("r", "c", [{ type: "text", text: "x" }], { metadata: { m: {} } }),
        ag.toolResult("r", "none", "again"),
      ),
    ).toEqual([
      [
        set(2, '{"id":"message:c","type":"text","role":"assistant","status":"complete"}'),
        set(3, '{"id":"tool:c","type":"tool","status":"streaming","parent_id":"message:c","name":"f","arguments":""}'),
      ],
      [append(4, "tool:c", "arguments", '"{\\"a\\":"')],
      [field(5, "tool:c", "metadata", '{"k":1}'), field(6, "tool:c", "status", '"called"')],
      [
        set(
          7,
          '{"id":"message:r","type":"tool_result","role":"tool","status":"complete","parent_id":"tool:c","content":[{"type":"text","text":"x"}],"metadata":{"m":{}}}',
        ),
        field(8, "tool:c", "status", '"complete"'),
      ],
      [
        set(
          9,
          '{"id":"message2:r","type":"tool_result","role":"tool","status":"complete","parent_id":"tool:none","content":"again"}',
        ),
      ],
    ]);
  });

  it("a call comes last whatever follows its message; a result in the middle is a start", () => {
    const events = inRun(
      ag.textStart("m"),
      ag.textStart("n"),
      ag.toolStart("c", "f", { parentMessageId: "m", subagentRunId: undefined }),
      ag.toolStart("c2", "g", { parentMessageId: "m", metadata: { k: 1 } }),
      ag.toolResult("r", "c", "done"),
    );
    const m = '{"id":"message:m","type":"text","role":"assistant","status":"streaming","content":""}';
    const n = m.replace(":m", ":n");
    const c = '{"id":"tool:c","type":"tool","status":"streaming","parent_id":"message:m","name":"f","arguments":""}';
    const c2 =
      '{"id":"tool:c2","type":"tool","status":"streaming","parent_id":"message:m","name":"g","arguments":"","metadata":{"k":1}}';
    const r =
      '{"id":"message:r","type":"tool_result","role":"tool","status":"complete","parent_id":"tool:c","content":"done"}';
    expect(events).toEqual([
      [set(2, m)],
      [set(3, n)],
      [set(4, c)],
      [set(5, c2)],
      [start(6, [STATE, m, c.replace("streaming", "answered"), c2, r, n])],
    ]);
  });

  it("chunks: an opener is one block, another one ends it, a held message goes on", () => {
    expect(
      inRun(
        ag.textChunk({ messageId: "m", delta: "a", metadata: { k: 1 } }),
        ag.textChunk({ delta: "b" }),
        ag.textChunk({ metadata: { k: 2 } }),
        ag.textChunk({}),
        ag.toolChunk({ toolCallId: "c", toolCallName: "f", delta: "{", parentMessageId: "m" }),
        ag.toolChunk({ delta: "}" }),
        ag.textChunk({ messageId: "m", delta: "c", metadata: { l: 3 } }),
        ag.custom("x"),
      ),
    ).toEqual([
      [
        set(
          2,
          '{"id":"message:m","type":"text","role":"assistant","status":"streaming","content":"a","metadata":{"k":1}}',
        ),
      ],
      [append(3, "message:m", "content", '"b"')],
      [append(4, "message:m", "content", '""'), field(5, "message:m", "metadata", '{"k":2}')],
      [],
      [
        field(6, "message:m", "status", '"complete"'),
        set(7, '{"id":"tool:c","type":"tool","status":"streaming","parent_id":"message:m","name":"f","arguments":"{"}'),
      ],
      [append(8, "tool:c", "arguments", '"}"')],
      [
        field(9, "tool:c", "status", '"called"'),
        append(10, "message:m", "content", '"c"'),
        field(11, "message:m", "metadata", '{"k":2,"l":3}'),
        field(12, "message:m", "status", '"streaming"'),
      ],
      [field(13, "message:m", "status", '"complete"')],
    ]);
  });

  it("a held call takes another name, and goes on", () => {
    expect(
      inRun(ag.tool("c", ["{}"]), ag.toolStart("c", "g"), ag.toolStart("d", "f", { parentMessageId: "c" })).slice(3),
    ).toEqual([
      [field(6, "tool:c", "name", '"g"'), field(7, "tool:c", "status", '"streaming"')],
      [set(8, '{"id":"tool:d","type":"tool","status":"streaming","parent_id":"message:c","name":"f","arguments":""}')],
    ]);
    expect(
      inRun(ag.tool("c", []), ag.toolChunk({ toolCallId: "c", toolCallName: "h", delta: "x", metadata: {} })).at(-1),
    ).toEqual([
      field(5, "tool:c", "name", '"h"'),
      append(6, "tool:c", "arguments", '"x"'),
      field(7, "tool:c", "metadata", "{}"),
      field(8, "tool:c", "status", '"streaming"'),
    ]);
  });

  it("reasoning: messages and spans", () => {
    expect(
      inRun(
        ag.spanStart("x", { subagentRunId: "s" }),
        ag.thought("x", ["hm"], { subagentRunId: "s" }),
        ag.spanEnd("x"),
        ag.spanStart("x"),
      ),
    ).toEqual([
      [set(2, '{"id":"span:1","type":"reasoning_span","status":"running","group_id":"s","span_id":"x"}')],
      [
        set(
          3,
          '{"id":"message:x","type":"reasoning","role":"reasoning","status":"streaming","group_id":"s","content":""}',
        ),
      ],
      [append(4, "message:x", "content", '"hm"')],
      [field(5, "message:x", "status", '"complete"')],
      [field(6, "span:1", "status", '"complete"')],
      [set(7, '{"id":"span:2","type":"reasoning_span","status":"running","span_id":"x"}')],
    ]);
  });

  it("steps, one block for each time", () => {
    expect(
      inRun(
        ag.stepStarted("a"),
        ag.stepStarted("a", { subagentRunId: "s" }),
        ag.stepFinished("a"),
        ag.stepFinished("a", { subagentRunId: "s" }),
        ag.stepStarted("a"),
      ),
    ).toEqual([
      [set(2, '{"id":"step:1","type":"step","status":"running","name":"a"}')],
      [set(3, '{"id":"step:2","type":"step","status":"running","group_id":"s","name":"a"}')],
      [field(4, "step:1", "status", '"complete"')],
      [field(5, "step:2", "status", '"complete"')],
      [set(6, '{"id":"step:3","type":"step","status":"running","name":"a"}')],
    ]);
  });

  it("subagents, with all that is known of their parents and of their end", () => {
    const s =
      '{"id":"subagent:s","type":"subagent","status":"running","parent_id":"tool:c","group_id":"s","name":"n","description":"d","parent_tool_call_id":"c","parent_message_id":"m"}';
    const z =
      '{"id":"subagent:z","type":"subagent","status":"running","parent_id":"subagent:s","group_id":"z","name":"sub","parent_subagent_run_id":"s"}';
    expect(
      inRun(
        ag.subagentStarted("s", { name: "n", description: "d", parentToolCallId: "c", parentMessageId: "m" }),
        ag.subagentStarted("z", { name: "sub", parentSubagentRunId: "s" }),
        ag.subagentFinished("z", { outcome: { type: "suspended", interruptIds: ["i"] }, result: [1] }),
        ag.subagentError("s", "broken", { code: "c" }),
      ),
    ).toEqual([
      [set(2, s)],
      [set(3, z)],
      [
        set(
          4,
          `${z.slice(0, -1).replace("running", "suspended")},"outcome":{"type":"suspended","interruptIds":["i"]},"result":[1]}`,
        ),
      ],
      [set(5, `${s.slice(0, -1).replace("running", "failed")},"error":{"message":"broken","code":"c"}}`)],
    ]);
  });

  it("a later start has steps and subagents at their places", () => {
    const out = inRun(
      ag.stepStarted("a"),
      ag.text("m", ["x"]),
      ag.stepStarted("b"),
      ag.messagesSnapshot([{ id: "m", role: "user", content: "y" }]),
    );
    const m = '{"id":"message:m","type":"text","role":"user","status":"complete","content":"y"}';
    const step = (n: number, name: string): string =>
      `{"id":"step:${n}","type":"step","status":"running","name":"${name}"}`;
    expect(out.at(-1)).toEqual([start(7, [STATE, step(1, "a"), m, step(2, "b")])]);
  });

  it("the state, whole and in parts", () => {
    const delta = (...operations: unknown[]): ag.AguiEvent => ag.stateDelta(operations);
    expect(
      inRun(
        ag.stateSnapshot({ a: { b: 1, c: [1, 2] }, "x.y": { z: 1 }, "": {} }),
        delta({ op: "replace", path: "/a/b", value: 2 }),
        delta({ op: "add", path: "/a/c/-", value: 3 }, { op: "test", path: "/a/b", value: 2 }),
        delta({ op: "remove", path: "/a/b" }),
        delta({ op: "add", path: "/x.y/n", value: 1 }),
        delta(
          { op: "add", path: "/a/d", value: {} },
          { op: "add", path: "/a/d/e", value: 1 },
          { op: "move", from: "/a/c", path: "/q" },
        ),
        delta({ op: "test", path: "/q", value: [1, 2, 3] }, { op: "move", from: "/q", path: "/q" }),
        delta({ op: "replace", path: "", value: { "a/b": { "~": 0 } } }),
        delta({ op: "replace", path: "/a~1b/~0", value: 1 }),
        delta({ op: "remove", path: "/none" }),
        ag.stateSnapshot(null),
      ),
    ).toEqual([
      [field(2, "state", "state", '{"a":{"b":1,"c":[1,2]},"x.y":{"z":1},"":{}}')],
      ['{"op":"set","seq":3,"mask":"block.state.a.b","block":{"id":"state","state":{"a":{"b":2}}}}'],
      ['{"op":"set","seq":4,"mask":"block.state.a.c","block":{"id":"state","state":{"a":{"c":[1,2,3]}}}}'],
      ['{"op":"set","seq":5,"mask":"block.state.a","block":{"id":"state","state":{"a":{"c":[1,2,3]}}}}'],
      [field(6, "state", "state", '{"a":{"c":[1,2,3]},"x.y":{"z":1,"n":1},"":{}}')],
      [
        '{"op":"set","seq":7,"mask":"block.state.q","block":{"id":"state","state":{"q":[1,2,3]}}}',
        '{"op":"set","seq":8,"mask":"block.state.a","block":{"id":"state","state":{"a":{"d":{"e":1}}}}}',
      ],
      [],
      [field(9, "state", "state", '{"a/b":{"~":0}}')],
      ['{"op":"set","seq":10,"mask":"block.state.a/b.~","block":{"id":"state","state":{"a/b":{"~":1}}}}'],
      [],
      [field(11, "state", "state", "null")],
    ]);
  });

  it("a patch with many pointers sets the whole", () => {
    const patch = (count: number): ag.AguiEvent =>
      ag.stateDelta(Array.from({ length: count }, (_, i) => ({ op: "add", path: `/k${i}`, value: i })));
    const out = inRun(patch(64), patch(65));
    expect([out[0]!.length, out[1]!.length]).toEqual([64, 1]);
    expect(out[1]![0]).toMatch(/^\{"op":"set","seq":66,"mask":"block.state","block":\{"id":"state","state":\{"k0":0,/);
  });

  it("activities", () => {
    expect(
      inRun(
        ag.activity("a", { x: { y: 1 } }, { activityType: "P" }),
        ag.activityDelta("a", [{ op: "replace", path: "/x/y", value: 2 }], { activityType: "P", metadata: { k: 1 } }),
        ag.activityDelta("a", [{ op: "add", path: "/z", value: 2 }], { activityType: "Q" }),
        ag.activity("a", { n: 1 }, { activityType: "R", replace: false, metadata: { l: 1 } }),
        ag.activity("a", { n: 1 }, { activityType: "R", metadata: { l: 2 } }),
        ag.text("m", ["x"]),
        ag.activity("m", {}, { activityType: "S" }),
        ag.tool("c", []),
        ag.activity("c", {}, { activityType: "T" }),
      ),
    ).toEqual([
      [
        set(
          2,
          '{"id":"message:a","type":"activity","role":"activity","status":"complete","activity_type":"P","content":{"x":{"y":1}}}',
        ),
      ],
      [
        '{"op":"set","seq":3,"mask":"block.content.x.y","block":{"id":"message:a","content":{"x":{"y":2}}}}',
        field(4, "message:a", "metadata", '{"k":1}'),
      ],
      [
        set(
          5,
          '{"id":"message:a","type":"activity","role":"activity","status":"complete","activity_type":"Q","content":{"x":{"y":2},"z":2},"metadata":{"k":1}}',
        ),
      ],
      [field(6, "message:a", "metadata", '{"k":1,"l":1}')],
      [
        set(
          7,
          '{"id":"message:a","type":"activity","role":"activity","status":"complete","activity_type":"R","content":{"n":1},"metadata":{"k":1,"l":2}}',
        ),
      ],
      [set(8, '{"id":"message:m","type":"text","role":"assistant","status":"streaming","content":""}')],
      [append(9, "message:m", "content", '"x"')],
      [field(10, "message:m", "status", '"complete"')],
      [
        set(
          11,
          '{"id":"message:m","type":"activity","role":"activity","status":"complete","activity_type":"S","content":{}}',
        ),
      ],
      [
        set(12, '{"id":"message:c","type":"text","role":"assistant","status":"complete"}'),
        set(13, '{"id":"tool:c","type":"tool","status":"streaming","parent_id":"message:c","name":"f","arguments":""}'),
      ],
      [field(14, "tool:c", "status", '"called"')],
      [
        start(15, [
          STATE,
          '{"id":"message:a","type":"activity","role":"activity","status":"complete","activity_type":"R","content":{"n":1},"metadata":{"k":1,"l":2}}',
          '{"id":"message:m","type":"activity","role":"activity","status":"complete","activity_type":"S","content":{}}',
          '{"id":"message:c","type":"activity","role":"activity","status":"complete","activity_type":"T","content":{}}',
        ]),
      ],
    ]);
  });

  it("an END that is implied says nothing of what the event itself makes anew", () => {
    const started = ag.toolStart("c", "g");
    const out = inRun(ag.toolChunk({ toolCallId: "c", toolCallName: "f", delta: "," }), ag.activity("c", {}), started);
    expect(out.at(-1)).toEqual([
      set(5, '{"id":"message1:c","type":"text","role":"assistant","status":"complete"}'),
      set(6, '{"id":"tool:c","type":"tool","status":"streaming","parent_id":"message1:c","name":"g","arguments":""}'),
    ]);
  });

  it("steps and subagents keep the order in which they came, however few messages are left", () => {
    const user = (id: string) => ({ id, role: "user", content: "?" });
    const out = inRun(
      ag.messagesSnapshot([user("a"), user("b")]),
      ag.stepStarted("first"),
      ag.messagesSnapshot([user("a")]),
      ag.subagentStarted("second"),
      ag.messagesSnapshot([user("a"), user("b"), user("d")]),
    );
    const { model } = JSON.parse(out.at(-1)![0]!) as { model: { blocks: { id: string }[] } };
    const ids = ["state", "message:a", "message:b", "step:1", "subagent:second", "message:d"];
    expect(model.blocks.map(({ id }) => id)).toEqual(ids);
  });

  it("the status of what is held is said, also where the event did nothing else to it", () => {
    const block = '"activity_type":"PLAN","content":{}';
    expect(
      inRun(
        ag.activity("m", {}, { activityType: "PLAN" }),
        ag.textStart("m"),
        ag.textContent("m", "x"),
        ag.textEnd("m"),
      ),
    ).toEqual([
      [set(2, `{"id":"message:m","type":"activity","role":"activity","status":"complete",${block}}`)],
      [field(3, "message:m", "status", '"streaming"')],
      [],
      [field(4, "message:m", "status", '"complete"')],
    ]);
  });

  it("messages of every role, repeated ids, and no encrypted value", () => {
    const call = (id: string, more = {}) => ({
      id,
      type: "function",
      function: { name: "f", arguments: "{}" },
      ...more,
    });
    const secret = { encryptedValue: "secret", encryptedValueType: "secret" };
    const out = inRun(
      ag.toolResult("t", "c", "first"),
      ag.toolResult("t", "c", "second"),
      ag.messagesSnapshot([
        { id: "d", role: "developer", content: "D", ...secret },
        {
          id: "a",
          role: "assistant",
          toolCalls: [call("c", { ...secret, metadata: { encryptedValue: "mine" } }), call("c")],
          ...secret,
        },
        { id: "t", role: "tool", toolCallId: "c", content: "x", error: "no", ...secret },
        { id: "th", role: "reasoning", content: "R", ...secret },
        { id: "", role: "user", content: [{ type: "text", text: "?" }], name: "u" },
      ]),
      ag.encrypted("message", "d", "secret"),
      ag.encrypted("tool-call", "c", "secret"),
    );
    const t =
      '{"id":"message:t","type":"tool_result","role":"tool","status":"complete","parent_id":"tool:c","content":"x","error":"no"}';
    const c = '{"id":"tool:c","type":"tool","status":"complete","parent_id":"message:a","name":"f","arguments":"{}"';
    expect(out.slice(2)).toEqual([
      [
        start(4, [
          STATE,
          t,
          t.replace("message:", "message1:"),
          '{"id":"message:d","type":"text","role":"developer","status":"complete","content":"D"}',
          '{"id":"message:a","type":"text","role":"assistant","status":"complete"}',
          `${c},"metadata":{"encryptedValue":"mine"}}`,
          `${c.replace("tool:", "tool3.1:")}}`,
          '{"id":"message:th","type":"reasoning","role":"reasoning","status":"complete","content":"R"}',
          '{"id":"message:","type":"text","role":"user","status":"complete","name":"u","content":[{"type":"text","text":"?"}]}',
        ]),
      ],
      [],
      [],
    ]);
  });

  it("runs follow each other: an end, and a start with everything", () => {
    const m = '{"id":"message:m","type":"text","role":"assistant","status":"complete","content":"x"}';
    const usage = [{ inputTokens: 1 }];
    expect(
      of([
        ag.started(),
        ...ag.text("m", ["x"]),
        ag.stepStarted("s"),
        ag.stepFinished("s"),
        ag.finished({ usage, result: 1 }),
        ag.started(),
        ag.runError("no", { usage }),
      ]).slice(4),
    ).toEqual([
      [set(5, '{"id":"step:1","type":"step","status":"running","name":"s"}')],
      [field(6, "step:1", "status", '"complete"')],
      [
        runSet(7, ',"status":"finished","outcome":{"type":"success"},"result":1'),
        '{"op":"set","seq":8,"mask":"meta.stats","meta":{"stats":{"usage":[{"inputTokens":1}]}}}',
      ],
      [end(9), start(10, [STATE, m])],
      [
        runSet(11, ',"status":"failed","error":{"message":"no"}'),
        '{"op":"set","seq":12,"mask":"meta.stats","meta":{"stats":{"usage":[{"inputTokens":1}]}}}',
        failure(13, "run_error", "no"),
      ],
      [end(14)],
    ]);
  });

  it("an error first, a late one, one with a code", () => {
    expect(of([ag.runError("no", { code: "" })])).toEqual([
      [
        '{"op":"start","seq":1,"model":{"version":"1.1","biz":"ag-ui","meta":{"run":{"status":"failed","error":{"message":"no","code":""}},"stats":null,"error":null},"blocks":[{"id":"state","type":"state","state":{}}]}}',
        failure(2, "", "no"),
      ],
      [end(3)],
    ]);
    expect(of([ag.started(), ag.finished(), ag.runError("late", { code: "c" })]).slice(2)).toEqual([
      [runSet(3, ',"status":"failed","error":{"message":"late","code":"c"}'), failure(4, "c", "late")],
      [end(5)],
    ]);
  });

  it("what rejects the stream ends the delivery, also one that has not begun", () => {
    const options = { onError: () => {} };
    const bad = { type: "TEXT_MESSAGE_END", messageId: "none" };
    expect(of([ag.started(), bad, ag.finished()], options)).toEqual([
      [start(1, [STATE])],
      [runSet(2, ',"status":"rejected"'), failure(3, "bad_order", "the event stream was refused"), end(4)],
      [],
      [],
    ]);
    expect(of([{ type: "TEXT_MESSAGE_END" }], options)).toEqual([
      [
        '{"op":"start","seq":1,"model":{"version":"1.1","biz":"ag-ui","meta":{"run":{"status":"rejected"},"stats":null,"error":null},"blocks":[{"id":"state","type":"state","state":{}}]}}',
        failure(2, "bad_event", "the event stream was refused"),
        end(3),
      ],
      [],
    ]);
    expect(of([ag.started(), bad, ag.finished()], { ...options, onViolation: "skip-event" })[1]).toEqual([]);
  });

  it("a body that is cut off, or empty", () => {
    expect(of([ag.started(), ag.textStart("m")]).at(-1)).toEqual([
      runSet(3, ',"status":"truncated"'),
      failure(4, "truncated", "the event stream was cut off"),
      end(5),
    ]);
    expect(of([])).toEqual([
      [
        '{"op":"start","seq":1,"model":{"version":"1.1","biz":"ag-ui","meta":{"run":{"status":"idle"},"stats":null,"error":null},"blocks":[{"id":"state","type":"state","state":{}}]}}',
        failure(2, "truncated", "the event stream was cut off"),
        end(3),
      ],
    ]);
  });

  it("another body goes on with the run that was cut, in a new delivery", () => {
    const { adapter, push } = open();
    push(ag.started());
    push(ag.textStart("m"));
    expect(new TextDecoder().decode(adapter.finish()).split("\n").length).toBe(4);
    expect(new TextDecoder().decode(adapter.finish())).toBe("");
    const m = '{"id":"message:m","type":"text","role":"assistant","status":"streaming","content":"x"}';
    expect(push(ag.textContent("m", "x"))).toBe(`${start(6, [STATE, m])}\n`);
    expect(push(ag.textContent("m", "y"))).toBe(`${append(7, "message:m", "content", '"y"')}\n`);
    adapter.close();
  });

  it("begins anew after reset", () => {
    const { adapter, push } = open();
    const first = [push(ag.started()), push(ag.stepStarted("a"))];
    adapter.reset();
    expect([push(ag.started()), push(ag.stepStarted("a"))]).toEqual(first);
    adapter.close();
  });

  it("has the ids that it is given", () => {
    const [first, second] = of([ag.started(), ag.custom("x"), ag.textStart("m")], {
      adapt: { biz: "b", streamId: 's"1' },
    }).flat();
    expect(first).toMatch(/^\{"op":"start","seq":1,"stream_id":"s\\"1","model":\{"version":"1.1","biz":"b",/);
    expect(second).toMatch(/^\{"op":"set","seq":2,"stream_id":"s\\"1","block":/);
  });

  it("begins with the messages and the state of the input", () => {
    const input = { messages: [{ id: "u", role: "user", content: "?", encryptedValue: "secret" }], state: { a: 1 } };
    const u = '{"id":"message:u","type":"text","role":"user","status":"complete","content":"?"}';
    const more = { input: { threadId: "t", runId: "r", messages: [{ id: "v", role: "user", content: "?" }] } };
    expect(of([ag.started(more)], { input })[0]).toEqual([
      start(1, ['{"id":"state","type":"state","state":{"a":1}}', u, u.replace(":u", ":v")]),
    ]);
  });
});

describe("options", () => {
  const js = engine("js");
  const base = { protocol: "ag-ui", from: "sse", to: "sse", toProtocol: "agentue" } as const;
  it.each([
    [{ ...base, enforce: false }, "bad_argument"],
    [{ ...base, to: "protobuf" }, "unsupported_transport"],
    [{ ...base, to: "json" }, "unsupported_transport"],
    [{ ...base, protocol: "agentue", toProtocol: "ag-ui" }, "bad_argument"],
    [{ ...base, toProtocol: "other" }, "bad_argument"],
    [{ ...base, toProtocol: "ag-ui", adapt: {} }, "bad_argument"],
    [{ ...base, adapt: { biz: "" } }, "bad_argument"],
    [{ ...base, adapt: { streamId: 1 } }, "bad_argument"],
    [{ ...base, adapt: { bizz: "x" } }, "bad_argument"],
    [{ ...base, adapt: null }, "bad_argument"],
  ])("%o is %s", (options, code) => {
    expect(() => js.createTranscoder(options as never)).toThrow(expect.objectContaining({ code }));
  });

  it("a protocol that is the events' own changes nothing", () => {
    const t = js.createTranscoder({ protocol: "ag-ui", from: "ndjson", to: "ndjson", toProtocol: "ag-ui" });
    const line = `${JSON.stringify(ag.started())}\n`;
    expect(new TextDecoder().decode(t.push(new TextEncoder().encode(line)))).toBe(line);
    t.close();
  });
});
