import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions, Warning } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { utf8 } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { expectProportional } from "../support/cost.js";
import { engine, KINDS } from "../support/engines.js";
import { finished, lines, sse, started, text, textEnd, textStart } from "./agui-lives.js";

interface Told {
  reducer: Reducer;
  errors: StreamfoldError[];
  warnings: Warning[];
}

describe.each(KINDS)("hostile AG-UI input, %s", (kind) => {
  function open(options: Partial<ReducerOptions> = {}): Told {
    const errors: StreamfoldError[] = [];
    const warnings: Warning[] = [];
    const reducer = engine(kind).createReducer({
      protocol: "ag-ui",
      transport: "sse",
      onViolation: "skip-event",
      onError: (error) => void errors.push(error),
      onWarning: (warning) => void warnings.push(warning),
      ...options,
    });
    return { reducer, errors, warnings };
  }

  it("a stream cut at every byte is truncated or complete, never anything else", () => {
    const body = sse(started(), textStart("m"), text("m", "é😀"), textEnd("m"), finished());
    const complete: number[] = [];
    for (let length = 0; length <= body.length; length++) {
      const { reducer, errors } = open();
      reducer.push(body.subarray(0, length));
      const { status } = reducer.finish();
      expect(errors, `cut to ${length}`).toEqual([]);
      if (status === "complete") complete.push(length);
      reducer.close();
    }
    expect(complete).toEqual([body.length - 2, body.length - 1, body.length]);
  });

  it("nesting of 100,000 levels in every place", () => {
    const deep = "[".repeat(100_000);
    for (const head of [
      "",
      '{"type":',
      '{"type":"STATE_SNAPSHOT","snapshot":',
      '{"type":"MESSAGES_SNAPSHOT","messages":[{"content":',
      '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/x","value":',
      '{"type":"CUSTOM","name":"n","value":',
      '{"x":',
    ]) {
      const { reducer, errors } = open({ transport: "json", undecodable: "skip" });
      reducer.push(utf8(head + deep));
      expect(errors[0]?.code, head).toBe("too_deep");
      reducer.close();
    }
  });

  it("ten thousand unknown members, at the top and inside", () => {
    expectProportional((size) => {
      const many = Array.from({ length: size }, (_, i) => `"m${i}":{"x":[${i}]}`).join(",");
      const body = utf8(
        `${JSON.stringify(started())}\n{"type":"CUSTOM","name":"n",${many},"value":1}\n` +
          `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"m","role":"user",${many},"content":"x"}]}\n`,
      );
      return () => {
        const { reducer, errors, warnings } = open({ transport: "ndjson" });
        reducer.push(body);
        expect(errors).toEqual([]);
        // the first 256 different ones of a run are told
        expect(warnings).toHaveLength(256);
        expect(reducer.stats().applied).toBe(3);
        expect(reducer.snapshot()).toMatchObject({ messages: [{ id: "m", role: "user", content: "x" }] });
        reducer.close();
      };
    }, 320);
  });

  it("fifty thousand content parts, every second of an unknown kind", () => {
    expectProportional((size) => {
      const parts = Array.from({ length: size }, (_, i) =>
        i % 2 ? { type: "text", text: `${i}` } : { type: "future", x: i },
      );
      const snapshot = { type: "MESSAGES_SNAPSHOT", messages: [{ id: "m", role: "user", content: parts }] };
      const body = utf8(`${lines(started(), snapshot).join("\n")}\n`);
      return () => {
        const { reducer, errors } = open({ transport: "ndjson" });
        reducer.push(body);
        expect(errors).toEqual([]);
        const { messages } = reducer.snapshot<{ messages: { content: unknown[] }[] }>()!;
        expect(messages[0]!.content).toHaveLength(size / 2);
        reducer.close();
      };
    }, 1_600);
  });

  it("ten thousand lanes that one event closes", () => {
    expectProportional((size) => {
      const chunks = Array.from({ length: size }, (_, i) => ({
        type: "TEXT_MESSAGE_CHUNK",
        messageId: `m${i}`,
        subagentRunId: `s${i}`,
        delta: "x",
      }));
      const body = sse(started(), ...chunks, finished());
      return () => {
        const events: unknown[] = [];
        const { reducer, errors } = open({ onEvent: (event) => void events.push(event) });
        reducer.push(body);
        expect(errors).toEqual([]);
        expect(events).toHaveLength(3 * size + 2);
        expect(reducer.status()).toBe("finished");
        reducer.close();
      };
    }, 320);
  });

  it("items: no more names than the limit, and no memory beyond them", () => {
    const { reducer, errors } = open({ limits: { items: 100 } });
    reducer.push(sse(started(), ...Array.from({ length: 300 }, (_, i) => textStart(`m${i}`))));
    expect(errors).toHaveLength(200);
    expect(errors[0]).toMatchObject({ code: "limit", path: "/messageId", eventIndex: 101 });
    expect(reducer.stats({ streamId: "" }).blocks).toBe(100);
    reducer.push(sse(text("m99", "still")));
    expect(errors).toHaveLength(200);
    reducer.close();
  });

  it("many ids that look alike, and many tokens, take time in proportion to their number", () => {
    const ids = (count: number): (() => void) => {
      const names = Array.from({ length: count }, (_, i) => `id-${i}`);
      const events = names.flatMap((id) => [textStart(id), text(id, "x")]);
      const body = utf8(`${lines(started(), ...events, ...names.map(textEnd), finished()).join("\n")}\n`);
      return () => {
        const { reducer, errors } = open({ transport: "ndjson" });
        reducer.push(body);
        expect(errors).toEqual([]);
        expect(reducer.status()).toBe("finished");
        reducer.close();
      };
    };
    const tokens = (count: number): (() => void) => {
      const body = utf8('data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"abcd"}\n\n'.repeat(count));
      return () => {
        const { reducer } = open();
        reducer.push(sse(started(), textStart("m")));
        reducer.push(body);
        expect(reducer.snapshotBytes().length).toBeGreaterThan(4 * count);
        reducer.close();
      };
    };
    expectProportional(ids, 320, "ids");
    expectProportional(tokens, 1_280, "tokens");
  });

  it("middleware that uses the engine, its own chunk and its own reducer", () => {
    const chunk = sse(
      started(),
      textStart("m"),
      ...Array.from({ length: 50 }, (_, i) => text("m", `${i};`)),
      textEnd("m"),
      finished(),
    );
    const codes: unknown[] = [];
    for (const size of [chunk.length, 7]) {
      const side = open();
      side.reducer.push(sse(started(), textStart("side")));
      const pieces = [...everyN(chunk, size)].map((piece) => piece.slice());
      let current: Uint8Array | undefined;
      const { reducer, errors } = open({
        middleware: {
          TEXT_MESSAGE_CONTENT: (event) => {
            side.reducer.push(sse(text("side", "x"), { type: "CUSTOM", name: "n", value: "y".repeat(500) }));
            side.reducer.snapshot();
            current?.fill(0x21);
            try {
              reducer.push(new Uint8Array());
            } catch (error) {
              codes.push((error as StreamfoldError).code);
            }
            expect(reducer.status()).toBe("running");
            return event;
          },
        },
      });
      for (const piece of pieces) {
        current = piece;
        reducer.push(piece);
      }
      expect(errors).toEqual([]);
      expect(reducer.snapshot()).toMatchObject({
        messages: [{ id: "m", content: Array.from({ length: 50 }, (_, i) => `${i};`).join("") }],
      });
      expect(side.reducer.snapshot()).toMatchObject({ messages: [{ id: "side", content: "x".repeat(50) }] });
      expect(reducer.status()).toBe("finished");
      reducer.close();
      side.reducer.close();
    }
    expect(new Set(codes)).toEqual(new Set(["reentrant"]));
  });

  it("middleware that returns what is no event, throws, or floods", () => {
    const answers: unknown[] = [
      5,
      "text",
      [[]],
      { type: 5 },
      () => 1,
      Number.NaN,
      { type: "CUSTOM", name: "n", value: 1n },
    ];
    for (const answer of answers) {
      const { reducer, errors } = open({ middleware: { CUSTOM: () => answer } });
      reducer.push(sse(started(), { type: "CUSTOM", name: "n", value: 1 }, finished()));
      expect(errors, String(answer)).toHaveLength(1);
      expect(errors[0]?.eventIndex).toBe(1);
      expect(reducer.status()).toBe("finished");
      reducer.close();
    }
    const { reducer, errors } = open({
      middleware: {
        CUSTOM: () => {
          throw new Error("mine");
        },
        RAW: () => Array.from({ length: 10_000 }, () => text("m", "x".repeat(100))),
      },
    });
    reducer.push(sse(started(), textStart("m"), { type: "CUSTOM", name: "n", value: 1 }, { type: "RAW", event: 1 }));
    expect(errors).toMatchObject([
      { code: "middleware_failed", scope: "stream", eventIndex: 2, cause: { message: "mine" } },
    ]);
    expect(reducer.stats().applied).toBe(10_002);
    reducer.close();
  });
});
