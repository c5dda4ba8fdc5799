import { describe, expect, it } from "vitest";
import type { Transcoder, TranscoderOptions } from "../../src/engine/contract.js";
import { failing } from "../reducer/expect-error.js";
import { append, end, ndjson, START, sse } from "../reducer/wire.js";
import * as agui from "../support/agui-events.js";
import { engine, freshEngine, KINDS } from "../support/engines.js";
import { eventsIn, messageOf } from "../support/transcoding.js";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

describe.each(KINDS)("createTranscoder (%s)", (kind) => {
  const make = (options: Partial<TranscoderOptions> = {}): Transcoder =>
    engine(kind).createTranscoder({ protocol: "agentue", from: "ndjson", to: "sse", ...options });

  it("refuses wires that there are not, and those of another protocol", () => {
    const wrong: Partial<TranscoderOptions>[] = [
      { from: "protobuf" },
      { to: "protobuf" },
      { to: "json" as never },
      { protocol: "ag-ui", to: "json" as never },
      { from: "cbor" as never },
      { to: "cbor" as never },
      { to: "toString" as never },
    ];
    for (const options of wrong) failing(() => make(options), "unsupported_transport");
    make({ protocol: "ag-ui", from: "protobuf", to: "protobuf" }).close();
    make({ from: "json" }).close();
  });

  it("refuses options that are not valid, or of no use to it", () => {
    const wrong: Record<string, unknown>[] = [
      { protocol: "mcp" },
      { from: undefined },
      { from: 5 },
      { to: undefined },
      { to: null },
      { enforce: "no" },
      { enforce: null },
      { pool: 1 },
      { pool: null },
      { transport: "sse" },
      { onEvent() {} },
      { eventTypes: ["CUSTOM"] },
      { middleware: {} },
      { keepEnded: 1 },
      { limits: { depth: 0 } },
      { utf8: "lossy" },
      { onWarning: 5 },
      { onwarning() {} },
      { input: {} },
      { protocol: "ag-ui", sequence: "off" },
      { protocol: "ag-ui", middleware: { CUSTOM() {} } },
    ];
    for (const options of wrong) failing(() => make(options as never), "bad_argument");
    failing(
      () => engine(kind).createReducer({ protocol: "agentue", transport: "sse", to: "ndjson" } as never),
      "bad_argument",
    );
    failing(() => engine(kind).createTranscoder(undefined as never), "bad_argument");
    failing(() => engine(kind).createTranscoder("sse" as never), "bad_argument");
    expect(failing(() => make({ middleware: {} } as never), "bad_argument").message).toContain('"middleware"');
    make({ sequence: "off", onViolation: "skip-event", utf8: "replace", onGap() {}, enforce: false }).close();
  });

  it("takes its options off the object that it is given: inherited ones, accessors, undefined ones, those of a class", () => {
    const seen: string[] = [];
    const inherited = Object.create({ protocol: "agentue", from: "ndjson", to: "sse", limits: { messageBytes: 200 } });
    const first = engine(kind).createTranscoder(inherited);
    failing(() => first.push(ndjson(append(2, "x".repeat(200)))), "too_large");
    first.close();

    class Options {
      readonly protocol = "agentue";
      readonly from = "ndjson";
      readonly mine = "warned";
      get to(): "sse" {
        return "sse";
      }
      get sequence(): "strict" {
        return "strict";
      }
      onError(): void {
        seen.push(this.mine);
      }
    }
    const second = engine(kind).createTranscoder(new Options());
    expect(text(second.push(ndjson(START, append(1, "replayed"))))).toBe(text(sse(START)));
    expect(seen).toEqual(["warned"]);
    second.close();

    const none = { onEvent: undefined, eventTypes: undefined, middleware: undefined, keepEnded: undefined };
    make({ ...none, transport: undefined, enforce: undefined, input: undefined } as never).close();
    const broken = {
      protocol: "agentue",
      from: "ndjson",
      to: "sse",
      get enforce() {
        throw new Error("mine");
      },
    };
    expect(failing(() => engine(kind).createTranscoder(broken as never), "bad_argument").cause).toEqual(
      new Error("mine"),
    );
  });

  it("hands out what is complete, and owns nothing of it", () => {
    const transcoder = make();
    expect(transcoder.status).toBe("open");
    const body = ndjson(START, append(2, "!"));
    const first = transcoder.push(body.subarray(0, -1));
    expect(text(first)).toBe(text(sse(START)));
    const copy = first.slice();
    const second = transcoder.push(body.subarray(-1));
    expect(text(second)).toBe(text(sse(append(2, "!"))));
    second.fill(0);
    expect(transcoder.push(new Uint8Array(0)).length).toBe(0);
    expect(text(transcoder.push(ndjson(append(3, "?")).buffer as ArrayBuffer))).toBe(text(sse(append(3, "?"))));
    transcoder.push(ndjson(append(4, "x".repeat(100_000))));
    expect(first).toEqual(copy);
    expect(transcoder.status).toBe("open");
    expect(transcoder.finish().length).toBe(0);
    expect(transcoder.status).toBe("truncated");
    expect(transcoder.stats()).toMatchObject({ events: 4, applied: 4 });
    transcoder.close();
  });

  it.each<[string, Pick<TranscoderOptions, "protocol" | "to"> & Partial<TranscoderOptions>]>([
    ["AgentUE to sse", { protocol: "agentue", to: "sse" }],
    ["AgentUE to msgpack", { protocol: "agentue", to: "msgpack" }],
    ["AG-UI to protobuf", { protocol: "ag-ui", to: "protobuf" }],
    ["AG-UI as AgentUE", { protocol: "ag-ui", toProtocol: "agentue", to: "sse" }],
  ])(
    "hands out small results of a pool in shared buffers and writes to none of them again, also when the core's memory grows: %s",
    (_, options) => {
      const isAgui = options.protocol === "ag-ui";
      const alone = make(options);
      const pooled = freshEngine(kind).createTranscoder({ from: "ndjson", ...options, pool: true });
      const given: { bytes: Uint8Array; expected: Uint8Array }[] = [];
      const push = (...events: unknown[]) => {
        const expected = alone.push(ndjson(...events));
        const bytes = pooled.push(ndjson(...events));
        given.push({ bytes, expected });
        return bytes;
      };
      const token = (seq: number, text: string) => (isAgui ? agui.textContent("m", text) : append(seq, text));
      const words = (seq: number) => token(seq, `${seq} ${"é".repeat(seq % 41)}`);
      push(...(isAgui ? [agui.started(), agui.textStart("m")] : [START]));
      // lengths that come again, and some that come once
      for (let seq = 2; seq < 600; seq++) push(words(seq));
      const large = push(token(600, "x".repeat(5_000_000)));
      for (let seq = 601; seq < 1200; seq++) push(words(seq));
      // more than the window of the core takes at once
      push(...Array.from({ length: 2000 }, (_, i) => words(1200 + i)));
      push(words(3200));
      given.push({ bytes: pooled.finish(), expected: alone.finish() });
      for (const { bytes, expected } of given) expect(Buffer.compare(bytes, expected)).toBe(0);
      expect(large.byteLength).toBe(large.buffer.byteLength);
      // buffers of 16 KiB, a quarter of which may be left over
      const small = given.filter(({ bytes }) => bytes.length > 0 && bytes.length < 4096).map(({ bytes }) => bytes);
      const written = small.reduce((sum, { length }) => sum + length, 0);
      expect(new Set(small.map(({ buffer }) => buffer)).size).toBeLessThanOrEqual(Math.ceil(written / 12_288));
      for (const { bytes } of given.slice(1, 600)) bytes.fill(0);
      for (const place of [0, 600, 601, given.length - 2])
        expect(Buffer.compare(given[place]!.bytes, given[place]!.expected)).toBe(0);
      pooled.close();
      alone.close();
    },
  );

  it("takes chunks larger than the window of the core", () => {
    const events = Array.from({ length: 4000 }, (_, i) => append(i + 2, `${i} ${"é".repeat(i % 90)}`));
    for (const to of ["sse", "msgpack"] as const) {
      const transcoder = make({ to });
      const out = transcoder.push(ndjson(START, ...events, end(4002)));
      expect(eventsIn(to, out)).toEqual([START, ...events, end(4002)].map((event) => JSON.stringify(event)));
      transcoder.finish();
      expect(transcoder.status).toBe("complete");
      transcoder.close();
    }
  });

  it("a later push begins another body; models, sequence and what has been told stay", () => {
    const warned: unknown[] = [];
    const transcoder = make({
      to: "msgpack",
      onWarning: ({ code, eventIndex }) => void warned.push([code, eventIndex]),
    });
    transcoder.push(ndjson(START, append(2, "\ud83d")));
    transcoder.finish();
    expect([transcoder.status, warned]).toEqual(["truncated", [["lossy", 2]]]);
    const out = transcoder.push(ndjson(append(2, "replayed"), append(3, "\ude00"), end(4)));
    expect(eventsIn("msgpack", out)).toEqual([append(3, "\ufffd"), end(4)].map((event) => JSON.stringify(event)));
    expect(transcoder.status).toBe("open");
    transcoder.finish();
    expect(transcoder.status).toBe("complete");
    expect(warned.slice(1)).toEqual([["duplicate_seq", 0]]);
    transcoder.close();
  });

  it("a call that throws loses nothing: what was written comes with the next one that returns", () => {
    const transcoder = make();
    const error = failing(() => transcoder.push(ndjson(START, { op: "jump", seq: 2, stream_id: "s" })), "unknown_op");
    expect(error.applied).toBe(1);
    expect(text(transcoder.push(ndjson(append(2, "!"))))).toBe(text(sse(START, append(2, "!"))));
    transcoder.close();

    const failed = make();
    failing(() => failed.push(ndjson(START, append(2, "!"), "{]", end(3))), "bad_json");
    failing(() => failed.push(ndjson(end(3))), "bad_json");
    expect(text(failed.finish())).toBe(text(sse(START, append(2, "!"))));
    expect(failed.status).toBe("truncated");
    expect(failed.finish().length).toBe(0);
    failed.close();

    const large = make({ to: "msgpack" });
    failing(
      () => large.push(ndjson(START, '{"op":"set","seq":2,"mask":"meta.x","meta":{"x":1e400}}', end(3))),
      "limit",
    );
    expect(eventsIn("msgpack", large.finish())).toEqual([START, end(3)].map((event) => JSON.stringify(event)));
    expect(large.status).toBe("complete");
    large.close();
  });

  it("is open again when what fails is the next body, and not when the call was a mistake", () => {
    const transcoder = make();
    const finished = (): void => {
      transcoder.finish();
      expect(transcoder.status).not.toBe("open");
    };
    transcoder.push(ndjson(START));
    finished();
    const status = transcoder.status;
    failing(() => transcoder.push("text" as never), "bad_argument");
    expect(transcoder.status).toBe(status);
    failing(() => transcoder.push(ndjson({ op: "jump", seq: 2 })), "unknown_op");
    expect(transcoder.status).toBe("open");
    finished();
    failing(() => transcoder.push(ndjson("{]")), "bad_json");
    expect(transcoder.status).toBe("open");
    finished();
    // A connection that has failed takes no other body.
    failing(() => transcoder.push(ndjson(end(3))), "bad_json");
    expect(transcoder.status).toBe("truncated");
    transcoder.close();

    const whole = make({ from: "json" });
    whole.push(messageOf("json", JSON.stringify(START)));
    whole.finish();
    failing(() => whole.push(new Uint8Array(0)), "bad_json");
    expect(whole.status).toBe("open");
    whole.close();
  });

  it("begins anew after reset: failure, models, halves, what was told, counters and output are forgotten", () => {
    for (const to of ["msgpack", "sse"] as const) {
      const warned: unknown[] = [];
      const errors: string[] = [];
      const transcoder = make({
        to,
        onWarning: ({ code, subject }) => void warned.push([code, subject]),
        onError: ({ code }) => void errors.push(code),
      });
      const body = ndjson(START, append(2, "\ud83d"), end(3));
      const once = [...transcoder.push(body), ...transcoder.finish()];
      const told = to === "msgpack" ? [["lossy", "surrogate"]] : [];
      expect(warned).toEqual(told);
      transcoder.push(ndjson(append(2, "replayed"), START, append(2, "\ud83d")).subarray(0, -1));
      failing(() => transcoder.push(ndjson("", "{]")), "bad_json");
      failing(() => transcoder.push(body), "bad_json");
      expect(errors.at(-1)).toBe("bad_json");
      warned.length = 0;
      transcoder.reset();
      expect([transcoder.status, transcoder.stats()]).toMatchObject([
        "open",
        { events: 0, bytes: 0, applied: 0, streams: 0 },
      ]);
      expect([...transcoder.push(body), ...transcoder.finish()]).toEqual(once);
      expect([transcoder.status, warned]).toEqual(["complete", told]);
      transcoder.close();
      failing(() => transcoder.reset(), "closed");
    }
  });

  it("starts from its input again after reset", () => {
    const input = { state: { n: 1 } };
    const transcoder = engine(kind).createTranscoder({
      protocol: "ag-ui",
      from: "ndjson",
      to: "ndjson",
      onDeltaFailure: "fail",
      input,
    });
    const body = ndjson(
      agui.started(),
      agui.stateDelta([{ op: "test", path: "/n", value: 1 }]),
      agui.stateDelta([{ op: "remove", path: "/n" }]),
    );
    for (let i = 0; i < 2; i++) {
      expect(text(transcoder.push(body))).toBe(text(body));
      transcoder.reset();
    }
    transcoder.close();
  });

  it("what a listener throws comes after the work is done", () => {
    const transcoder = make({
      onWarning() {
        throw new Error("mine");
      },
    });
    expect(() => transcoder.push(ndjson(START, append(1, "replayed"), end(2)))).toThrow("mine");
    expect(text(transcoder.finish())).toBe(text(sse(START, end(2))));
    expect(transcoder.status).toBe("complete");
    transcoder.close();
  });

  it("is not to be fed or closed from inside of its own listeners, but may be read", () => {
    const seen: unknown[] = [];
    const transcoder: Transcoder = make({
      onWarning() {
        for (const call of [
          () => transcoder.push(ndjson(end(9))),
          () => transcoder.finish(),
          () => transcoder.reset(),
          () => transcoder.close(),
        ])
          seen.push(failing(call, "reentrant").code);
        seen.push(transcoder.stats().applied, transcoder.status);
      },
    });
    expect(text(transcoder.push(ndjson(START, append(1, "replayed"), end(2))))).toBe(text(sse(START, end(2))));
    expect(seen).toEqual([...new Array(4).fill("reentrant"), 2, "open"]);
    transcoder.close();
  });

  it("is closed for good, by itself or with its engine", () => {
    const transcoder = make();
    transcoder.close();
    transcoder.close();
    for (const call of [() => transcoder.push(ndjson(START)), () => transcoder.finish(), () => transcoder.stats()])
      failing(call, "closed");
    expect(transcoder.status).toBe("open");
    const one = freshEngine(kind);
    const other = one.createTranscoder({ protocol: "agentue", from: "sse", to: "ndjson" });
    one.close();
    failing(() => other.push(sse(START)), "closed");
    failing(() => one.createTranscoder({ protocol: "agentue", from: "sse", to: "ndjson" }), "closed");
    {
      using scoped = make();
      expect(scoped.push(ndjson(START)).length).toBeGreaterThan(0);
    }
    for (const wrong of ["x", 5, null, undefined, [1]]) {
      const open = make();
      failing(() => open.push(wrong as never), "bad_argument");
      open.close();
    }
  });

  it("gives back what it held", () => {
    const one = freshEngine(kind);
    const before = one.memory().live;
    for (let i = 0; i < 3; i++) {
      const transcoder = one.createTranscoder({ protocol: "agentue", from: "ndjson", to: "msgpack" });
      transcoder.push(ndjson(START, append(2, `${"x".repeat(5000)}\ud83d`)));
      transcoder.close();
    }
    expect(one.memory().live).toBeLessThanOrEqual(before + 64 * 1024);
    one.close();
  });

  it("several of them, and reducers, run beside each other", () => {
    const [a, b] = [make({ to: "ndjson" }), make({ to: "msgpack" })];
    const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson" });
    const out: [string, Uint8Array[]] = ["", []];
    const events = [START, append(2, "1"), append(3, "2"), end(4)];
    for (const event of events) {
      out[0] += text(a.push(ndjson(event)));
      reducer.push(ndjson(event));
      out[1].push(b.push(ndjson(event)));
    }
    expect(out[0]).toBe(text(ndjson(...events)));
    expect(out[1].map((bytes) => eventsIn("msgpack", bytes))).toEqual(events.map((event) => [JSON.stringify(event)]));
    for (const one of [a, b, reducer]) one.close();
  });

  it("takes one whole message a push from json", () => {
    const transcoder = make({ from: "json" });
    expect(text(transcoder.push(messageOf("json", JSON.stringify(START, null, 2))))).toBe(text(sse(START)));
    failing(() => transcoder.push(messageOf("json", '{"op":"end"')), "bad_json");
    transcoder.close();
  });

  it("starts from the input that it is given", () => {
    const input = { messages: [{ id: "u", role: "user", content: "?" }], state: { n: 1 } };
    const errors: string[] = [];
    const options = { protocol: "ag-ui", from: "ndjson", to: "ndjson", onDeltaFailure: "fail", input } as const;
    const transcoder = engine(kind).createTranscoder({ ...options, onError: ({ code }) => void errors.push(code) });
    const events = [
      agui.started(),
      agui.stateDelta([{ op: "test", path: "/n", value: 1 }]),
      agui.stateDelta([{ op: "test", path: "/n", value: 2 }]),
    ];
    expect(text(transcoder.push(ndjson(...events)))).toBe(text(ndjson(...events.slice(0, 2))));
    expect(errors).toEqual(["delta_failed"]);
    transcoder.close();
    failing(() => engine(kind).createTranscoder({ ...options, input: { messages: [{ id: 1 }] } }), "bad_argument");
  });

  it("keeps to its limits", () => {
    const deep = (levels: number) =>
      `{"op":"set","seq":2,"mask":"meta.x","meta":{"x":${"[".repeat(levels)}${"]".repeat(levels)}}}`;
    for (const enforce of [true, false]) {
      const small = make({ enforce, limits: { messageBytes: 200 } });
      failing(() => small.push(ndjson(append(2, "x".repeat(200)))), "too_large");
      small.close();
      const shallow = make({ enforce, limits: { depth: 8 } });
      failing(() => shallow.push(ndjson(START, deep(7))), "too_deep");
      expect(text(shallow.finish())).toBe(text(sse(START)));
      shallow.close();
    }
    // A half that is held back counts as the six bytes that the model has of it.
    for (const [room, fits] of [
      [6, true],
      [5, false],
    ] as const) {
      const modelBytes = JSON.stringify(START.model).length + room;
      const full = make({ to: "msgpack", limits: { modelBytes } });
      const push = () => full.push(ndjson(START, append(2, "\ud83d")));
      if (fits) expect(push().length).toBeGreaterThan(0);
      else failing(push, "limit");
      full.close();
    }
    const levels = 4000;
    for (const to of ["sse", "msgpack"] as const) {
      const transcoder = make({ enforce: false, to, limits: { depth: 4096 } });
      expect(eventsIn(to, transcoder.push(ndjson(deep(levels))))).toEqual([deep(levels)]);
      transcoder.close();
    }
    const protobuf = engine(kind).createTranscoder({
      protocol: "ag-ui",
      from: "ndjson",
      to: "protobuf",
      enforce: false,
      limits: { depth: 4096 },
    });
    const event = `{"type":"CUSTOM","name":"n","value":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect(protobuf.push(ndjson(event)).length).toBeGreaterThan(2 * levels);
    protobuf.close();
  });

  it("writes what a large chunk comes to in one piece, and each of its events once", () => {
    const events: object[] = [START];
    for (let seq = 2; seq < 14; seq++) events.push(append(seq, `${seq}`.repeat(500_000)));
    const wire = ndjson(...events);
    const transcoder = make();
    const parts = events.map((event) => transcoder.push(ndjson(event)));
    transcoder.close();
    const whole = make();
    expect(Buffer.compare(whole.push(wire), Buffer.concat(parts))).toBe(0);
    expect(whole.push(ndjson(end(14))).length).toBeLessThan(100);
    whole.close();
  });
});
