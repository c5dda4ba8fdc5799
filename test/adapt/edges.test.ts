import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import { brokenContract } from "../support/adapter-contract.js";
import * as ag from "../support/agui-events.js";
import { concat, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { eventsIn, messageOf, type Transcript, transcode, type Wanted } from "../support/transcoding.js";
import { adapted, append, end, failure, field, runSet, STATE, set, start } from "./adapted.js";

const CUT = "the event stream was cut off";

describe.each(KINDS)("what is at odds with a wire (%s)", (kind) => {
  const run = (
    to: "ndjson" | "msgpack",
    chunks: readonly Uint8Array[],
    more: Partial<Wanted> = {},
  ): Transcript & { events: string[] } => {
    const options = { protocol: "ag-ui", from: "ndjson", to, toProtocol: "agentue", ...more } as const;
    const transcript = transcode(engine(kind), options, chunks);
    return { ...transcript, events: eventsIn(to, transcript.output) };
  };
  const body = (events: readonly ag.AguiEvent[], wire: Transport = "ndjson"): Uint8Array =>
    concat(events.map((event) => messageOf(wire, JSON.stringify(event))));

  it("a connection that fails is a cut body, whose delivery ends with it", () => {
    const { events, errors, status } = run("ndjson", [body([ag.started()]), utf8("{]\n"), body([ag.finished()])]);
    expect(events).toEqual([
      start(1, [STATE]),
      runSet(2, ',"status":"truncated"'),
      failure(3, "truncated", CUT),
      end(4),
    ]);
    expect(errors).toMatchObject([{ code: "bad_json", scope: "connection" }]);
    expect(status).toBe("truncated");
  });

  it("a finished run in a body that is cut behind it does not end well", () => {
    const { events } = run("ndjson", [body([ag.started(), ag.finished()]), utf8('{"type":')]);
    expect(events.slice(1)).toEqual([
      runSet(2, ',"status":"finished","outcome":{"type":"success"}'),
      runSet(3, ',"status":"finished","outcome":{"type":"success"}'),
      failure(4, "truncated", CUT),
      end(5),
    ]);
  });

  it("another body in which nothing comes is empty, too", () => {
    const adapter = engine(kind).createTranscoder({
      protocol: "ag-ui",
      from: "ndjson",
      to: "ndjson",
      toProtocol: "agentue",
    });
    adapter.push(utf8(`${JSON.stringify(ag.started())}\n${JSON.stringify(ag.finished())}\n`));
    adapter.finish();
    adapter.push(utf8("\n"));
    const ops = new TextDecoder().decode(adapter.finish()).match(/"op":"\w+"/g);
    expect(ops).toEqual(['"op":"start"', '"op":"error"', '"op":"end"']);
    adapter.close();
  });

  it("the unterminated tail is an event like any other", () => {
    const { events, status } = run("ndjson", [body([ag.started(), ag.finished()]).slice(0, -1)]);
    expect(events.slice(1)).toEqual([runSet(2, ',"status":"finished","outcome":{"type":"success"}'), end(3)]);
    expect(status).toBe("complete");
  });

  it("halves of characters wait for each other on a binary wire, and are as they are on a text wire", () => {
    const events = [ag.started(), ag.textStart("m"), ag.textContent("m", "a\ud83d"), ag.textContent("m", "\ude00b")];
    const text = run("ndjson", [body(events)]);
    expect(text.events.slice(2, 4)).toEqual([
      append(3, "message:m", "content", '"a\\ud83d"'),
      append(4, "message:m", "content", '"\\ude00b"'),
    ]);
    const binary = run("msgpack", [body(events)]);
    expect(binary.events.slice(2, 4)).toEqual([
      append(3, "message:m", "content", '"a"'),
      append(4, "message:m", "content", '"😀b"'),
    ]);
    expect(binary.warnings).toEqual([]);
  });

  it("a half that gets no other one is a loss", () => {
    const calls = [ag.started(), ag.toolStart("c"), ag.toolArgs("c", "a\ud83d"), ag.toolEnd("c"), ag.finished()];
    const { events, warnings } = run("msgpack", [body(calls)]);
    expect(events.slice(3, 4)).toEqual([append(4, "tool:c", "arguments", '"a"')]);
    expect(warnings).toEqual([{ code: "lossy", subject: "surrogate", eventIndex: 5, streamId: "" }]);
  });

  it("an event that has no form on the wire is left out, and its seq goes to the next one", () => {
    const huge = (json: string): Uint8Array => utf8(`${json}\n`);
    const { events, errors } = run("msgpack", [
      body([ag.started()]),
      huge('{"type":"STATE_SNAPSHOT","snapshot":1e400}'),
      body([ag.stateSnapshot(1), ag.stepStarted("a")]),
    ]);
    expect(events.slice(1, 3)).toEqual([
      field(2, "state", "state", "1"),
      set(3, '{"id":"step:1","type":"step","status":"running","name":"a"}'),
    ]);
    expect(errors).toMatchObject([{ code: "limit", eventIndex: 1 }]);
  });

  it("a start that has no form leaves the delivery for the next event to begin", () => {
    const { events, errors } = run("msgpack", [
      utf8(
        '{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"?","metadata":{"n":1e400}}]}}\n',
      ),
      body([ag.custom("x"), ag.messagesSnapshot([])]),
    ]);
    expect(errors).toMatchObject([
      { code: "limit", eventIndex: 0 },
      { code: "limit", eventIndex: 1 },
    ]);
    expect(events[0]).toBe(start(1, [STATE]));
  });

  it("numbers keep their digits on a text wire", () => {
    const digits = '{"type":"STATE_SNAPSHOT","snapshot":{"a":12345678901234567890,"b":0.10000000000000000001}}';
    const delta = '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/c","value":1E400}]}';
    const { events } = run("ndjson", [
      body([ag.started()]),
      utf8(`${digits}\n${delta}\n`),
      body([ag.started({ runId: "s" })]),
    ]);
    expect(events[1]).toContain('"state":{"a":12345678901234567890,"b":0.10000000000000000001}');
    expect(events[2]).toMatch(/"mask":"block.state.c","block":\{"id":"state","state":\{"c":1[eE]400\}\}/);
  });

  it("what was read with a loss is told with the first event that goes out, once", () => {
    const bin = Uint8Array.from([
      ...messageOf("msgpack", JSON.stringify(ag.started())),
      ...[0x82, 0xa4, ...utf8("type"), 0xae, ...utf8("STATE_SNAPSHOT"), 0xa8, ...utf8("snapshot"), 0xc4, 1, 0xff],
    ]);
    const { warnings } = run("ndjson", [bin], { from: "msgpack" });
    expect(warnings).toEqual([{ code: "lossy", subject: expect.any(String), eventIndex: 1, streamId: "" }]);
  });

  it("ids of every kind stay apart and are told from each other", () => {
    const call = (id: string): object => ({ id, type: "function", function: { name: "f", arguments: "" } });
    const ids = ["", ":", "1:", "state", "a.b", "message:x", "__proto__", '"\\\n', "é\ud83d"];
    const messages = ids.flatMap((id) => [
      { id, role: "user", content: id },
      { id, role: "assistant", toolCalls: [call(id), call(id)] },
    ]);
    expect(
      brokenContract(engine(kind), [
        ag.started(),
        ag.messagesSnapshot(messages),
        ...ids.flatMap((id) => ag.tool(`${id}!`, ["x"])),
      ]),
    ).toBeUndefined();
    const out = adapted(engine(kind), [ag.started({ input: { threadId: "t", runId: "r", messages } })]);
    const { blocks } = JSON.parse(out[0]![0]!).model as { blocks: { id: string }[] };
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(blocks.length);
  });

  it("forgets steps that have ended when there are too many of them, and begins anew", () => {
    const steps = Array.from({ length: 1025 }, (_, n) => [ag.stepStarted(`s${n}`), ag.stepFinished(`s${n}`)]).flat();
    const out = adapted(engine(kind), [ag.started(), ag.stepStarted("open"), ...steps, ag.stepFinished("open")]);
    const open = '{"id":"step:1","type":"step","status":"running","name":"open"}';
    expect(out.at(-4)).toEqual([set(2051, '{"id":"step:1026","type":"step","status":"running","name":"s1024"}')]);
    expect(out.at(-3)).toEqual([start(2052, [STATE, open])]);
    expect(out.at(-2)).toEqual([field(2053, "step:1", "status", '"complete"')]);
  });

  it("says the run as it is in the input, before there is one", () => {
    const { events } = run("ndjson", [], { input: { threadId: "t", runId: "r" } });
    expect(events[0]).toBe(start(1, [STATE], ',"status":"idle"'));
  });
});
