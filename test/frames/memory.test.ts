import { describe, expect, it } from "vitest";
import type { Engine, Reducer } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { failing } from "../reducer/expect-error.js";
import { text, utf8 } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { engineWithin, freshEngine, WASM_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { framed, frameWith, linesOf, ndjsonOf } from "./frames.js";

const BLOCK = JSON.stringify({ id: "b", type: "text", content: 'é"\\😀\n'.repeat(3000) });

/** What may be done with frames; each leaves nothing behind. */
const LIVES: Record<string, (one: Engine) => void> = {
  "cutting and joining": (one) => {
    const made = one.frameBlock(utf8(BLOCK), { maxBytes: 500 });
    one.unframe(made);
    one.unframe(ndjsonOf(linesOf(made).reverse()));
    one.frameBlock(utf8(BLOCK), { maxBytes: 500, id: (seq) => `${seq}` });
  },
  "what is refused": (one) => {
    for (const maxBytes of [1, 70]) thrown(() => one.frameBlock(utf8(BLOCK), { maxBytes }));
    thrown(() => one.frameBlock(utf8(BLOCK), { maxBytes: 500, id: (seq) => `${seq % 7}` }));
    for (const lines of [
      ["{}"],
      [frameWith({ total: 2 })],
      [frameWith({}), frameWith({})],
      [frameWith({ data: "[]" })],
      ["\ud800"],
    ]) {
      thrown(() => one.unframe(ndjsonOf(lines)));
    }
  },
  models: (one) => {
    const model = (blocks: unknown[]) => utf8(JSON.stringify({ blocks }));
    one.resolveFrames(model([...framed(BLOCK, [9, 5000]), { id: "\u0061", type: "t" }]));
    thrown(() => one.resolveFrames(model(framed(BLOCK, [9, 5000]).slice(1))));
    thrown(() => one.resolveFrames(model([frameWith({ data: "{}" })])));
    thrown(() => one.resolveFrames(utf8('{"blocks":[{"id":"\\u0062"},{"id":"b"}]}')));
  },
  "an assembler with blocks of every kind": (one) => {
    const assembler = one.createFrameAssembler({ limits: { frames: 50, bytes: 200_000 }, onError() {} });
    assembler.push(one.frameBlock(utf8(BLOCK), { maxBytes: 5000 }));
    for (let i = 0; i < 60; i++)
      assembler.add(frameWith({ id: `${i}`, block_id: `é${i % 20}`, seq: i, total: 99, data: "x".repeat(i) }));
    assembler.push(utf8(`{"id":"f${"x".repeat(100_000)}`));
    assembler.push(ndjsonOf([`"}`, frameWith({ block_id: "c" }), frameWith({ block_id: "c", data: "no" })]));
    assembler.release("é3");
    const reducer = one.createReducer({ protocol: "agentue", transport: "ndjson" });
    reducer.load({ version: "1.1", biz: "c", meta: {}, blocks: [{ id: "b", ref: "k" }] });
    assembler.materialize(reducer, "b");
    reducer.close();
    assembler.close();
  },
  "an assembler that its engine has to remember": (one) => {
    const assembler = one.createFrameAssembler();
    assembler.add(frameWith({}));
    assembler.take("b");
    assembler.close();
  },
};

describe.each(WASM_KINDS)("memory of storage frames (%s)", (kind) => {
  it.each(Object.entries(LIVES))("gives everything back after %s", (_, live) => {
    const one = freshEngine(kind);
    expect(one.memory().live).toBe(0);
    live(one);
    expect(one.memory().live).toBe(0);
    const { held } = one.memory();
    for (let i = 0; i < 20; i++) live(one);
    expect(one.memory().live).toBe(0);
    expect(one.memory().held).toBeLessThanOrEqual(held + 1024 * 1024);
    one.close();
  });

  it("counts what an assembler holds, and no more than a total says", () => {
    const one = freshEngine(kind);
    const assembler = one.createFrameAssembler();
    assembler.add(frameWith({ total: 2 ** 53 - 1, seq: 2 ** 53 - 2 }));
    expect(assembler.stats().memory).toBeGreaterThan(0);
    expect(one.memory().live).toBeLessThan(4096);
    failing(() => one.unframe(ndjsonOf([frameWith({ total: 2 ** 53 - 1 })])), "missing_frames");
    expect(one.memory().held).toBeLessThan(8 * 1024 * 1024);
    assembler.release("b");
    // The table of blocks stays as wide as it was.
    expect(assembler.stats().memory).toBeLessThan(1024);
    one.close();
  });

  it("takes 100,000 frames, in any order", () => {
    const one = freshEngine(kind);
    const block = utf8(JSON.stringify({ id: "b", type: "text", content: "x".repeat(1_600_000) }));
    const made = one.frameBlock(block, { maxBytes: 95, id: "f" });
    const lines = linesOf(made);
    expect(lines.length).toBeGreaterThan(100_000);
    const same = (other: Uint8Array) => Buffer.compare(block, other) === 0;
    expect(same(one.unframe(made))).toBe(true);
    expect(same(one.unframe(ndjsonOf(new Rng(4).shuffle(lines))))).toBe(true);
    const assembler = one.createFrameAssembler();
    expect(assembler.push(made)).toBe(lines.length);
    expect(same(assembler.take("b"))).toBe(true);
    one.close();
  });

  it("loses the frame that finds no memory and no other, and tells what was refused", () => {
    const large = frameWith({ id: "f1", block_id: "c", data: "x".repeat(3_000_000) });
    const second = frameWith({ id: "f1", seq: 1, total: 2, data: "" });
    for (const lines of [
      ["nonsense", frameWith({ total: 2 }), large, second],
      [large, frameWith({ total: 2 }), "nonsense", second],
      [frameWith({ total: 2 }), "nonsense", second, large],
    ]) {
      const body = ndjsonOf(lines);
      for (const size of [body.length, 50_000]) {
        const one = engineWithin(30, kind);
        const errors: string[] = [];
        const assembler = one.createFrameAssembler({ onError: ({ code }) => errors.push(code) });
        let applied = 0;
        let thrown = 0;
        for (const chunk of everyN(body, size)) {
          try {
            applied += assembler.push(chunk);
          } catch (error) {
            expect(error).toMatchObject({ code: "out_of_memory" });
            applied += (error as StreamfoldError).applied!;
            thrown++;
          }
        }
        expect([applied, thrown, errors]).toEqual([2, 1, ["bad_json"]]);
        expect(assembler.finish().status).toBe("complete");
        expect(text(assembler.take("b"))).toBe(frameWith({}).data);
        one.close();
      }
    }
  });

  it("keeps the frames of a block that finds no memory to be joined, until there is some", () => {
    const block = JSON.stringify({ id: "b", type: "text", content: "x".repeat(1_000_000) });
    const frames = framed(
      block,
      Array.from({ length: 10 }, (_, i) => (i + 1) * 100_000),
    );
    const last = frames.pop()!;
    const one = engineWithin(100, kind);
    const assembler = one.createFrameAssembler();
    for (const frame of frames) assembler.add(frame);
    const ballast: Reducer[] = [];
    for (const size of [1_500_000, 200_000]) {
      const model = JSON.stringify({ messages: [], state: "y".repeat(size) });
      const fill = () => {
        ballast.push(one.createReducer({ protocol: "ag-ui", transport: "json" }));
        ballast.at(-1)!.load(model);
      };
      while (thrown(fill) === undefined);
    }
    const before = assembler.stats();
    failing(() => assembler.add(last), "out_of_memory");
    expect(assembler.stats()).toEqual({ ...before, read: before.read + 1, memory: expect.any(Number) });
    for (const reducer of ballast) reducer.close();
    expect(assembler.missing()).toEqual([{ blockId: "b", total: 11, missing: [[10, 10]] }]);
    expect(assembler.add(last)).toBe(1);
    expect(text(assembler.take("b")) === block).toBe(true);
    one.close();
  });

  it("runs out of memory without a trace, wherever that is", () => {
    const frames = framed(
      BLOCK,
      Array.from({ length: 30 }, (_, i) => (i + 1) * 400),
    );
    const model = utf8(JSON.stringify({ blocks: [...frames, { id: "x", type: "t" }] }));
    // How many pages there are decides what finds no room.
    let refused = 0;
    let listed = 0;
    for (let pages = 1; pages < 40; pages++) {
      let one: Engine;
      try {
        one = engineWithin(pages, kind);
      } catch {
        continue;
      }
      const calls = [
        () => one.frameBlock(utf8(BLOCK), { maxBytes: 300 }),
        () => one.unframe(ndjsonOf([...frames].reverse())),
        () => one.resolveFrames(model),
      ];
      for (const call of calls) {
        const code = thrown(call)?.code;
        if (code !== undefined) {
          expect(code).toBe("out_of_memory");
          refused++;
        }
        expect(one.memory().live).toBe(0);
      }
      const assembler = one.createFrameAssembler();
      const lost: number[] = [];
      for (const frame of frames) {
        const before = assembler.stats();
        const code = thrown(() => assembler.add(frame))?.code;
        if (code === undefined) continue;
        expect(code).toBe("out_of_memory");
        lost.push(frame.seq);
        expect({ ...assembler.stats(), read: 0, memory: 0 }).toEqual({ ...before, read: 0, memory: 0 });
      }
      if (lost.length === 0) expect(text(assembler.take("b"))).toBe(BLOCK);
      else {
        refused++;
        // where nothing at all is left the list has no room either
        let lacking: { missing: unknown[] }[] = [];
        const code = thrown(() => {
          lacking = assembler.missing();
        })?.code;
        if (code === undefined) {
          expect(lacking.flatMap(({ missing }) => missing).length).toBeGreaterThan(0);
          listed++;
        } else expect(code).toBe("out_of_memory");
      }
      assembler.close();
      expect(one.memory().live).toBe(0);
      one.close();
    }
    expect(refused).toBeGreaterThan(0);
    expect(listed).toBeGreaterThan(0);
  });
});
