import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/errors.js";
import { utf8 } from "../support/bytes.js";
import { engine, freshEngine, REDUCER_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { append, end, modelOf, ping, set, start } from "./base.js";

// src/engine/contract.ts and docs/semantics.md §8: when listeners run, what push throws, what may be called from inside.

const X = { id: "x", type: "t", content: "" };
const lines = (...events: unknown[]): Uint8Array => utf8(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
const BODY = lines(
  start(modelOf(X)),
  append(3, "x", "a"),
  append(3, "x", "a"),
  set(4, { id: 5 }),
  start(modelOf(X), { stream_id: "q" }),
  ping(1, { stream_id: "none" }),
);

describe.each(REDUCER_KINDS)("listeners, %s", (kind) => {
  const make = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", ...options });

  it("run in the order of the wire, after the whole chunk is folded", () => {
    const seen: string[] = [];
    const reducer = make({
      onEvent: (event, info) =>
        void seen.push(
          `event ${(event as { op: string }).op} ${info.streamId}#${info.eventIndex} seq ${reducer.seq()} ${reducer.streamIds().join()}`,
        ),
      onWarning: (warning) =>
        void seen.push(`warning ${warning.code}#${warning.eventIndex} ${warning.message.length > 10}`),
      onError: (error) => void seen.push(`error ${error.code}#${error.eventIndex} ${reducer.status()}`),
      onGap: (gap) => void seen.push(`gap ${gap.lastSeq}-${gap.seq}#${gap.eventIndex}`),
    });
    expect(reducer.push(BODY)).toBe(3);
    expect(seen).toEqual([
      "event start #0 seq 3 ,q",
      "gap 1-3#1",
      "event append #1 seq 3 ,q",
      "warning duplicate_seq#2 true",
      "error bad_block#3 refused",
      "event start q#4 seq 3 ,q",
      "error no_model#5 refused",
    ]);
    reducer.close();
  });

  it("without onError push throws the first error with applied and all errors, after everything is folded", () => {
    const events: unknown[] = [];
    const reducer = make({ onEvent: (event) => void events.push(event) });
    let error: unknown;
    try {
      reducer.push(BODY);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(StreamfoldError);
    const failure = error as StreamfoldError;
    expect(failure).toMatchObject({
      name: "StreamfoldError",
      code: "bad_block",
      scope: "stream",
      path: "/block/id",
      streamId: "",
      seq: 4,
      eventIndex: 3,
      applied: 3,
    });
    expect(failure.errors?.map((one) => one.code)).toEqual(["bad_block", "no_model"]);
    expect(failure.errors?.[0]).toBe(failure);
    expect(failure.message).toContain("/block/id");
    expect(events.length).toBe(3);
    expect(reducer.streamIds()).toEqual(["", "q"]);
    reducer.close();
  });

  it("without onError a connection failure is thrown again and again", () => {
    const reducer = make();
    expect(thrown(() => reducer.push(utf8("{]\n")))).toMatchObject({
      code: "bad_json",
      scope: "connection",
      byteOffset: 1,
    });
    expect(thrown(() => reducer.push(BODY))).toMatchObject({
      code: "bad_json",
      scope: "connection",
      byteOffset: 1,
      eventIndex: 0,
    });
    expect(reducer.streamIds()).toEqual([]);
    reducer.reconnect();
    expect(thrown(() => reducer.push(lines(start(modelOf(X)))))).toBeUndefined();
    reducer.close();
  });

  it("with onError only a connection failure is thrown, healthy events before it counted", () => {
    const codes: string[] = [];
    const reducer = make({ onError: (error) => void codes.push(error.code) });
    let applied: number | undefined;
    try {
      reducer.push(
        utf8(
          `${JSON.stringify(start(modelOf(X)))}\n{"op":"nope","seq":1}\n{]\n${JSON.stringify(start(modelOf(X), { stream_id: "later" }))}\n`,
        ),
      );
    } catch (error) {
      applied = (error as StreamfoldError).applied;
      expect((error as StreamfoldError).code).toBe("bad_json");
    }
    expect(applied).toBe(1);
    expect(codes).toEqual(["unknown_op", "bad_json"]);
    expect(reducer.streamIds()).toEqual([""]);
    reducer.close();
  });

  it("undecodable: skip reports and throws nothing with onError", () => {
    const codes: string[] = [];
    const reducer = make({
      undecodable: "skip",
      onError: (error) => void codes.push(`${error.code}#${error.eventIndex}`),
    });
    expect(reducer.push(utf8(`{]\n[]\n${JSON.stringify(start(modelOf(X)))}\n{"stream_id":1}\n`))).toBe(1);
    expect(codes).toEqual(["bad_json#0", "not_an_event#1", "not_an_event#3"]);
    reducer.close();
  });

  it("one that throws does not lose the others, nor what was folded", () => {
    const seen: string[] = [];
    const reducer = make({
      onEvent(event) {
        seen.push((event as { op: string }).op);
        throw new TypeError(`from the listener, ${seen.length}`);
      },
      onGap: () => void seen.push("gap"),
      onWarning: () => void seen.push("warning"),
    });
    expect(() => reducer.push(lines(start(modelOf(X)), append(3, "x", "a"), append(3, "x", "b"), end(4)))).toThrow(
      "from the listener, 1",
    );
    expect(seen).toEqual(["start", "gap", "append", "warning", "end"]);
    expect(reducer.status()).toBe("ended");
    expect(() => reducer.push(lines(start(modelOf(X))))).toThrow("from the listener, 6");
    expect(reducer.status()).toBe("open");
    reducer.close();
  });

  it("a listener may read but neither feed, change nor close", () => {
    let checked = 0;
    const reducer = make({
      onEvent() {
        checked++;
        expect(reducer.snapshot()).toEqual(modelOf({ ...X, content: "ab" }));
        expect(reducer.snapshotBytes().length).toBeGreaterThan(0);
        expect(reducer.changes({ since: 0 }).version).toBe(3);
        expect([reducer.status(), reducer.seq(), reducer.streamIds(), reducer.stats().applied]).toEqual([
          "open",
          3,
          [""],
          3,
        ]);
        expect(reducer.lastEventId).toBeUndefined();
        const calls: [string, () => unknown][] = [
          ["push", () => reducer.push(lines(ping(3)))],
          ["apply", () => reducer.apply(ping(3))],
          ["finish", () => reducer.finish()],
          ["reconnect", () => reducer.reconnect()],
          ["load", () => reducer.load(modelOf(X))],
          ["restore", () => reducer.restore(new Uint8Array())],
          ["materialize", () => reducer.materialize({ id: "x", type: "t" })],
          ["pause", () => reducer.pause()],
          ["resume", () => reducer.resume()],
          ["release", () => reducer.release()],
          ["reset", () => reducer.reset()],
          ["close", () => reducer.close()],
        ];
        for (const [name, use] of calls) expect(thrown(use), name).toEqual({ code: "reentrant", scope: "usage" });
      },
    });
    reducer.push(lines(start(modelOf(X)), append(2, "x", "a"), append(3, "x", "b")));
    expect(checked).toBe(3);
    expect(reducer.push(lines(append(4, "x", "c"), ping(4)).subarray(0, 0))).toBe(0);
    reducer.close();
  });

  it("the callback of withSnapshotBytes may call nothing of its engine, and its exception passes through", () => {
    const reducer = make();
    const other = make();
    other.push(lines(start(modelOf(X))));
    reducer.push(lines(start(modelOf(X))));
    const calls: [string, () => unknown][] = [
      ["push", () => reducer.push(lines(ping(1)))],
      ["snapshot", () => reducer.snapshot()],
      ["withSnapshotBytes", () => reducer.withSnapshotBytes(() => 1)],
      ["push of another", () => other.push(lines(ping(1)))],
      ["snapshotBytes of another", () => other.snapshotBytes()],
    ];
    for (const [name, use] of calls) {
      expect(
        thrown(() => reducer.withSnapshotBytes(use)),
        name,
      ).toEqual({ code: "reentrant", scope: "usage" });
    }
    expect(other.push(lines(ping(1)))).toBe(1);
    other.close();
    expect(() =>
      reducer.withSnapshotBytes(() => {
        throw new RangeError("from the callback");
      }),
    ).toThrow("from the callback");
    expect(reducer.withSnapshotBytes((view) => view.length)).toBe(reducer.snapshotBytes().length);
    expect(reducer.push(lines(ping(1)))).toBe(1);
    expect(thrown(() => reducer.withSnapshotBytes(() => 1, { streamId: "none" }))).toMatchObject({ code: "no_model" });
    reducer.close();
  });

  it("another reducer may be used from inside of a listener", () => {
    const other = make();
    const reducer = make({ onEvent: (event) => void other.apply(event) });
    reducer.push(lines(start(modelOf(X)), append(2, "x", "a")));
    expect(other.snapshot()).toEqual(reducer.snapshot());
    reducer.close();
    other.close();
  });

  it("a closed reducer says so, whatever is called; closing twice is fine", () => {
    const reducer = make();
    reducer.push(lines(start(modelOf(X))));
    reducer.close();
    reducer.close();
    reducer[Symbol.dispose]();
    const calls: [string, () => unknown][] = [
      ["push", () => reducer.push(BODY)],
      ["apply", () => reducer.apply(ping(1))],
      ["finish", () => reducer.finish()],
      ["reconnect", () => reducer.reconnect()],
      ["load", () => reducer.load(modelOf(X))],
      ["checkpoint", () => reducer.checkpoint()],
      ["restore", () => reducer.restore(new Uint8Array())],
      ["materialize", () => reducer.materialize({ id: "x", type: "t" })],
      ["pause", () => reducer.pause()],
      ["resume", () => reducer.resume()],
      ["snapshot", () => reducer.snapshot()],
      ["snapshotBytes", () => reducer.snapshotBytes()],
      ["withSnapshotBytes", () => reducer.withSnapshotBytes(() => 1)],
      ["changes", () => reducer.changes()],
      ["status", () => reducer.status()],
      ["seq", () => reducer.seq()],
      ["stats", () => reducer.stats()],
      ["streamIds", () => reducer.streamIds()],
      ["lastEventId", () => reducer.lastEventId],
      ["retry", () => reducer.retry],
      ["release", () => reducer.release()],
      ["reset", () => reducer.reset()],
    ];
    for (const [name, use] of calls) expect(thrown(use), name).toEqual({ code: "closed", scope: "usage" });
  });

  it("a closed engine closes its reducers", () => {
    const own = freshEngine(kind);
    const reducer = own.createReducer({ protocol: "agentue", transport: "ndjson" });
    reducer.push(lines(start(modelOf(X))));
    own.close();
    own.close();
    expect(thrown(() => reducer.snapshot())).toMatchObject({ code: "closed" });
    expect(thrown(() => own.createReducer({ protocol: "agentue", transport: "ndjson" }))).toMatchObject({
      code: "closed",
    });
    reducer.close();
  });

  it("chunks of every kind of buffer are taken, at any offset", () => {
    const body = lines(start(modelOf(X)), append(2, "x", "é"));
    const padded = new Uint8Array(body.length + 7);
    padded.set(body, 3);
    const shared = new Uint8Array(new SharedArrayBuffer(body.length));
    shared.set(body);
    for (const chunk of [
      body,
      padded.subarray(3, 3 + body.length),
      body.slice().buffer,
      new DataView(padded.buffer, 3, body.length),
      Buffer.from(body),
      shared,
    ]) {
      const reducer = make();
      expect(reducer.push(chunk as Uint8Array)).toBe(2);
      expect(reducer.snapshot()).toEqual(modelOf({ ...X, content: "é" }));
      reducer.close();
    }
    const reducer = make();
    for (const wrong of ["text", 5, null, undefined, [1], {}])
      expect(
        thrown(() => reducer.push(wrong as never)),
        String(wrong),
      ).toMatchObject({ code: "bad_argument", scope: "usage" });
    reducer.close();
  });

  it("what snapshots give is the caller's: changing it changes nothing", () => {
    const reducer = make();
    reducer.push(lines(start(modelOf(X))));
    const snapshot = reducer.snapshot() as { blocks: unknown[] };
    snapshot.blocks.length = 0;
    reducer.snapshotBytes().fill(0);
    expect(reducer.snapshot()).toEqual(modelOf(X));
    expect(reducer.snapshot({ streamId: "none" })).toBeUndefined();
    reducer.close();
  });
});
