import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { engine, freshEngine, KINDS } from "../support/engines.js";
import { failing } from "./expect-error.js";
import { append, end, modelWith, ndjson, START, start } from "./wire.js";

const UNKNOWN = { op: "jump", seq: 2, stream_id: "b" };

describe.each(KINDS)("listeners (%s)", (kind) => {
  const make = (options: Partial<ReducerOptions> = {}): Reducer =>
    engine(kind).createReducer({ protocol: "agentue", transport: "ndjson", ...options });

  it("are called in the order of the wire, after the chunk is folded", () => {
    const log: unknown[] = [];
    const contents: unknown[] = [];
    const reducer = make({
      onEvent(event, info) {
        log.push([(event as { op: string }).op, info.streamId, info.eventIndex]);
        contents.push(reducer.snapshot({ streamId: "a" }));
      },
      onWarning: ({ code, message, streamId, eventIndex }) => log.push([code, typeof message, streamId, eventIndex]),
      onError: ({ code, streamId, eventIndex }) => log.push([code, streamId, eventIndex]),
      onGap: (gap) => log.push(gap),
    });
    const applied = reducer.push(
      ndjson(
        start("a"),
        start("b"),
        append(1, "again", "a"),
        UNKNOWN,
        append(5, ", you", "a"),
        append(2, "dropped", "b"),
        end(6, "a"),
      ),
    );
    expect(applied).toBe(4);
    expect(log).toEqual([
      ["start", "a", 0],
      ["start", "b", 1],
      ["duplicate_seq", "string", "a", 2],
      ["unknown_op", "b", 3],
      { streamId: "a", op: "append", lastSeq: 1, seq: 5, eventIndex: 4 },
      ["append", "a", 4],
      ["end", "a", 6],
    ]);
    for (const content of contents) expect(content).toEqual(modelWith("Hello, you"));
    reducer.close();
  });

  it("get events equal to what was on the wire", () => {
    const events: unknown[] = [];
    const reducer = make({ onEvent: (event) => events.push(event) });
    const sent = [START, append(2, "!"), { op: "ping", seq: 2, ts: 17 }, end(3)];
    for (const event of sent.slice(0, 2)) reducer.apply(event);
    reducer.push(ndjson(...sent.slice(2)));
    expect(events).toEqual(sent);
    reducer.close();
  });

  it("are called as methods of the options", () => {
    class Options implements ReducerOptions {
      protocol = "agentue" as const;
      transport = "ndjson" as const;
      seen = 0;
      onEvent(): void {
        this.seen++;
      }
    }
    const options = new Options();
    const reducer = engine(kind).createReducer(options);
    reducer.push(ndjson(START, append(2, "!")));
    expect(options.seen).toBe(2);
    reducer.close();
  });

  it("without onError, the first error is thrown with all of them and the number of accepted events", () => {
    const reducer = make();
    const chunk = ndjson(start("a"), UNKNOWN, start("b"), { ...UNKNOWN, op: 5 }, append(2, "!", "a"));
    const error = failing(() => reducer.push(chunk), "unknown_op");
    expect(error.applied).toBe(3);
    expect(error.errors?.map(({ code }) => code)).toEqual(["unknown_op", "bad_field"]);
    expect(error.errors?.[0]).toBe(error);
    expect(reducer.snapshot({ streamId: "a" })).toEqual(modelWith("Hello!"));
    expect(reducer.status({ streamId: "b" })).toBe("refused");
    reducer.close();
  });

  it("with onError, only a failed connection is thrown, and again by every later push", () => {
    const heard: StreamfoldError[] = [];
    const reducer = make({ onError: (error) => heard.push(error) });
    expect(reducer.push(ndjson(START, { op: "jump", seq: 2 }))).toBe(1);
    expect(heard.map(({ code }) => code)).toEqual(["unknown_op"]);
    const error = failing(() => reducer.push(ndjson(START, { op: "jump", seq: 3 }, "{", START)), "bad_json");
    expect(error.scope).toBe("connection");
    expect(error.applied).toBe(1);
    expect(error.errors?.map(({ code }) => code)).toEqual(["bad_json", "unknown_op"]);
    expect(heard.map(({ code }) => code)).toEqual(["unknown_op", "unknown_op", "bad_json"]);
    const again = failing(() => reducer.push(ndjson(START)), "bad_json");
    expect([again.applied, again.byteOffset, again.message]).toEqual([0, error.byteOffset, error.message]);
    expect(again.errors).toEqual([again]);
    failing(() => reducer.push(new Uint8Array(0)), "bad_json");
    // The listener was told once.
    expect(heard).toHaveLength(3);
    expect(reducer.snapshot()).toEqual(START.model);
    reducer.reconnect();
    expect(reducer.push(ndjson(START))).toBe(1);
    reducer.close();
  });

  it("hear of each failure of the connection once", () => {
    const heard: string[] = [];
    const reducer = make({ onError: ({ code, byteOffset }) => heard.push(`${code}@${byteOffset}`) });
    const forget = [
      () => reducer.reconnect(),
      () => reducer.reset(),
      () => {
        const other = make();
        reducer.restore(other.checkpoint());
        other.close();
      },
    ];
    for (const [index, anew] of forget.entries()) {
      for (let i = 0; i < 3; i++) {
        const { errors } = failing(() => reducer.push(ndjson("[]", START)), "not_an_event");
        expect(errors).toHaveLength(1);
      }
      expect(reducer.apply(start("a"))).toBe(1);
      expect(reducer.apply("{")).toBe(0);
      failing(() => reducer.push(ndjson(START)), "not_an_event");
      reducer.finish();
      failing(() => reducer.push(ndjson(START)), "not_an_event");
      expect(heard).toHaveLength(2 * index + 2);
      anew();
      expect(reducer.push(ndjson(START))).toBe(1);
      anew();
    }
    expect(heard).toEqual(forget.flatMap(() => ["not_an_event@0", "bad_json@1"]));
    reducer.close();
  });

  it("with undecodable messages skipped, the connection never fails", () => {
    const heard: string[] = [];
    const reducer = make({ undecodable: "skip", onError: ({ code }) => heard.push(code) });
    expect(reducer.push(ndjson("{", START, "[]", append(2, "!")))).toBe(2);
    expect(heard).toEqual(["bad_json", "not_an_event"]);
    reducer.close();
  });

  it("text given to apply fails alone", () => {
    const heard: string[] = [];
    const reducer = make({ onError: ({ code }) => heard.push(code) });
    expect(reducer.apply("{")).toBe(0);
    expect(reducer.apply(JSON.stringify(START))).toBe(1);
    expect(reducer.push(ndjson(append(2, "!")))).toBe(1);
    expect(heard).toEqual(["bad_json"]);
    const strict = make();
    expect(failing(() => strict.apply("{"), "bad_json").applied).toBe(0);
    expect(strict.apply(JSON.stringify(START))).toBe(1);
    strict.close();
    reducer.close();
  });

  it("that throw do not keep the others from being called", () => {
    const seen: unknown[] = [];
    const first = new Error("first");
    const reducer = make({
      onEvent(_event, { eventIndex }) {
        seen.push(eventIndex);
        if (eventIndex > 0) throw eventIndex === 1 ? first : new Error("later");
      },
      onGap: (gap) => seen.push(gap.seq),
    });
    let thrown: unknown;
    try {
      reducer.push(ndjson(START, append(2, "a"), append(3, "b"), append(5, "c")));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBe(first);
    expect(seen).toEqual([0, 1, 2, 5, 3]);
    expect(reducer.snapshot()).toEqual(modelWith("Helloabc"));
    reducer.close();
  });

  it("that throw are the cause of an error that push has to throw", () => {
    const reducer = make({
      onEvent: () => {
        throw "a string";
      },
    });
    const error = failing(() => reducer.push(ndjson(START, { op: "jump", seq: 2 })), "unknown_op");
    expect(error.cause).toBe("a string");
    expect(error.applied).toBe(1);
    reducer.close();
  });

  it("may read but not feed, change or close", () => {
    const codes: string[] = [];
    const attempts = (reducer: Reducer, lent = false): void => {
      const feeding: (() => unknown)[] = [
        () => reducer.push(ndjson(START)),
        () => reducer.push(new Uint8Array(0)),
        () => reducer.apply(START),
        () => reducer.finish(),
        () => reducer.reconnect(),
        () => reducer.load(START.model),
        () => reducer.restore(new Uint8Array(0)),
        () => reducer.materialize({}),
        () => reducer.pause(),
        () => reducer.resume(),
        () => reducer.release(),
        () => reducer.reset(),
        () => reducer.close(),
        () => reducer[Symbol.dispose](),
      ];
      const reading: (() => unknown)[] = [
        () => reducer.snapshot(),
        () => reducer.snapshotBytes(),
        () => reducer.withSnapshotBytes((view) => view.length),
        () => reducer.status(),
        () => reducer.seq(),
        () => reducer.changes(),
        () => reducer.stats(),
        () => reducer.streamIds(),
        () => reducer.checkpoint(),
        () => reducer.lastEventId,
        () => reducer.retry,
      ];
      for (const call of feeding) codes.push(failing(call, "reentrant").scope);
      for (const call of reading) {
        if (lent) failing(call, "reentrant");
        else call();
      }
    };
    const own = freshEngine(kind);
    const listen = (): void => {
      attempts(reducer);
      failing(() => own.close(), "reentrant");
    };
    const reducer = own.createReducer({
      protocol: "agentue",
      transport: "ndjson",
      onEvent: listen,
      onWarning: listen,
      onError: listen,
      onGap: listen,
    });
    reducer.push(ndjson(START, append(1, "old"), append(9, "gap"), { op: "jump", seq: 10 }));
    expect(codes).toHaveLength(5 * 14);
    const other = own.createReducer({ protocol: "agentue", transport: "ndjson" });
    other.push(ndjson(START));
    // While memory is lent out, nothing of the engine may be touched.
    reducer.withSnapshotBytes(() => {
      attempts(reducer, true);
      attempts(other, true);
      failing(() => own.close(), "reentrant");
      failing(() => own.memory(), "reentrant");
    });
    expect(codes).toHaveLength(7 * 14);
    expect(other.snapshot()).toEqual(START.model);
    expect(reducer.snapshot()).toEqual(modelWith("Hellogap"));
    own.close();
  });

  it("leave another reducer of the engine free to be fed", () => {
    const other = make();
    const reducer = make({ onEvent: (event) => void other.apply(event) });
    reducer.push(ndjson(START, append(2, "!")));
    expect(other.snapshot()).toEqual(modelWith("Hello!"));
    other.close();
    reducer.close();
  });

  it("the reducer is free again after a callback has thrown", () => {
    const reducer = make();
    reducer.push(ndjson(START));
    expect(() =>
      reducer.withSnapshotBytes(() => {
        throw new Error("mine");
      }),
    ).toThrow("mine");
    expect(reducer.push(ndjson(append(2, "!")))).toBe(1);
    reducer.close();
  });

  it("get at most limits.reports reports a call, and a failed connection is thrown all the same", () => {
    const heard: string[] = [];
    const reducer = make({ limits: { reports: 2 }, onError: ({ code }) => heard.push(code) });
    const bad = { op: "jump", seq: 1 };
    failing(() => reducer.push(ndjson(bad, bad, bad, bad, "{")), "bad_json");
    expect(heard).toHaveLength(2);
    expect(reducer.stats().errors).toBe(5);
    // There was no room for it: the next push makes it known.
    for (let i = 0; i < 2; i++) failing(() => reducer.push(ndjson(START)), "bad_json");
    expect(heard).toEqual(["unknown_op", "unknown_op", "bad_json"]);
    reducer.close();
  });
});
