import { describe, expect, it } from "vitest";
import type { AdapterOptions, BlockContext } from "../../src/engine/adapting.js";
import type { StreamfoldError } from "../../src/errors.js";
import * as ag from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";
import { adapted, append, end, field, STATE, set, start } from "./adapted.js";

type Block = Record<string, unknown>;

describe.each(KINDS)("hooks that override blocks (%s)", (kind) => {
  const of = (events: readonly ag.AguiEvent[], block: AdapterOptions["block"], more: object = {}): string[][] =>
    adapted(engine(kind), [ag.started(), ...events], { adapt: { block }, ...more }).slice(0, events.length + 1);

  it("sees every block whenever it changes, whole and as a value of its own", () => {
    const seen: [string, Block][] = [];
    const out = of(
      [ag.textStart("m"), ag.textContent("m", "a"), ag.textContent("m", "b"), ag.stateSnapshot({ a: 1 })],
      (block, { eventType }: BlockContext) => {
        seen.push([eventType, structuredClone(block)]);
        (block as { state?: unknown }).state = undefined;
        return structuredClone(seen.at(-1)![1]);
      },
    );
    const m = (content: string): Block => ({
      id: "message:m",
      type: "text",
      role: "assistant",
      status: "streaming",
      content,
    });
    expect(seen).toEqual([
      ["RUN_STARTED", { id: "state", type: "state", state: {} }],
      ["TEXT_MESSAGE_START", m("")],
      ["TEXT_MESSAGE_CONTENT", m("a")],
      ["TEXT_MESSAGE_CONTENT", m("ab")],
      ["STATE_SNAPSHOT", { id: "state", type: "state", state: { a: 1 } }],
    ]);
    expect(out).toEqual([
      [start(1, [STATE])],
      [set(2, JSON.stringify(m("")))],
      [append(3, "message:m", "content", '"a"')],
      [append(4, "message:m", "content", '"b"')],
      [field(5, "state", "state", '{"a":1}')],
    ]);
  });

  it("changes go out as the nearest events: what has grown, what is another value, what has lost a member", () => {
    let version = 0;
    const versions: Block[] = [
      { id: "state", type: "a", x: "1", list: [1] },
      { id: "state", type: "a", x: "12", list: [1, 2] },
      { id: "state", type: "b", x: "12", list: [1, 2] },
      { id: "state", type: "b", x: "12" },
      { id: "state", type: "b", x: "12", "a.b": 1 },
      { id: "state", type: "b", x: "12", "a.b": 1 },
    ];
    expect(
      of(
        [1, 2, 3, 4, 5].map((n) => ag.stateSnapshot(n)),
        () => versions[version++],
      ),
    ).toEqual([
      [start(1, [JSON.stringify(versions[0])])],
      [append(2, "state", "x", '"2"'), field(3, "state", "list", "[1,2]")],
      [field(4, "state", "type", '"b"')],
      [set(5, JSON.stringify(versions[3]))],
      [set(6, JSON.stringify(versions[4]))],
      [],
    ]);
  });

  it("leaves blocks out, and brings them back", () => {
    const hook = (block: Block): Block | undefined =>
      block.content === "" || block.content === "ab" ? undefined : block;
    const m = (id: string, content: string): string =>
      `{"id":"message:${id}","type":"text","role":"assistant","status":"streaming","content":"${content}"}`;
    expect(
      of(
        [
          ag.textStart("m"),
          ag.textStart("n"),
          ag.textContent("n", "x"),
          ag.textContent("m", "a"),
          ag.textContent("m", "b"),
          ag.textContent("m", "c"),
        ],
        hook,
      ),
    ).toEqual([
      [start(1, [STATE])],
      [],
      [],
      [set(2, m("n", "x"))],
      [start(3, [STATE, m("m", "a"), m("n", "x")])],
      [start(4, [STATE, m("n", "x")])],
      [start(5, [STATE, m("m", "abc"), m("n", "x")])],
    ]);
  });

  it("what a hook does wrong is said, and its block does not go out", () => {
    const errors: StreamfoldError[] = [];
    const wrong: (() => unknown)[] = [
      () => {
        throw new Error("secret");
      },
      () => ({ id: "other", type: "x" }),
      () => ({ id: "state", ref: "r" }),
      () => ({ id: "state", type: "" }),
      () => ({ id: "state", type: "x", n: 1n }),
      () => "text",
      () => ({ id: "state", type: "fine" }),
    ];
    const out = of(
      wrong.slice(1).map((_, n) => ag.stateSnapshot(n)),
      () => wrong.shift()!(),
      { onError: (error: StreamfoldError) => errors.push(error) },
    );
    expect(out.flat()).toEqual([start(1, []), set(2, '{"id":"state","type":"fine"}')]);
    expect(errors.map(({ code, path, eventIndex, streamId }) => [code, path, eventIndex, streamId])).toEqual([
      ["middleware_failed", undefined, 0, ""],
      ["bad_block", "/id", 1, ""],
      ["bad_block", "/ref", 2, ""],
      ["bad_block", "/type", 3, ""],
      ["middleware_failed", undefined, 4, ""],
      ["bad_block", "", 5, ""],
    ]);
    expect(errors.map(({ eventType, subject }) => [eventType, subject])).toEqual(
      errors.map((_, i) => [i === 0 ? "RUN_STARTED" : "STATE_SNAPSHOT", "state"]),
    );
    expect(errors[0]).toMatchObject({ cause: { message: "secret" } });
    expect(errors[0]!.message).toMatch("the block hook has thrown for 'state' [event 0");
    expect(errors[4]!.message).toMatch("JSON cannot express what the block hook has given for 'state' [event 4");
    expect(errors.map((error) => "cause" in error)).toEqual([true, false, false, false, false, false]);
  });

  it("is called again for everything by a start, and ends as ever", () => {
    const types: string[] = [];
    const out = adapted(engine(kind), [ag.started(), ag.messagesSnapshot([]), ag.finished()], {
      adapt: {
        block: (block, { eventType }) => {
          types.push(eventType);
          return block;
        },
      },
    });
    expect(types).toEqual(["RUN_STARTED", "MESSAGES_SNAPSHOT"]);
    expect(out.at(-1)).toEqual([end(4)]);
  });

  it("is told of no event where the stream is rejected before a delivery has begun", () => {
    const types: string[] = [];
    adapted(engine(kind), [ag.textEnd("none")], {
      onError: () => {},
      adapt: {
        block: (block, { eventType }) => {
          types.push(eventType);
          return block;
        },
      },
    });
    expect(types).toEqual([""]);
  });

  it("cannot feed or close the transcoder that calls it", () => {
    const codes: string[] = [];
    const transcoder = engine(kind).createTranscoder({
      protocol: "ag-ui",
      from: "json",
      to: "ndjson",
      toProtocol: "agentue",
      adapt: {
        block: (block) => {
          for (const call of [() => transcoder.push(new Uint8Array()), () => transcoder.close()]) {
            try {
              call();
            } catch (error) {
              codes.push((error as StreamfoldError).code);
            }
          }
          return block;
        },
      },
    });
    transcoder.push(new TextEncoder().encode(JSON.stringify(ag.started())));
    expect(codes).toEqual(["reentrant", "reentrant"]);
    transcoder.close();
  });
});
