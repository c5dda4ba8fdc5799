import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { BUILDS, Probe } from "./support/probe.js";

const PAGE = 65536;

describe.each(BUILDS)("heap (%s)", (kind) => {
  it("rounds to classes that waste at most a quarter, and to 1 KiB above 32 KiB", () => {
    const probe = new Probe(kind);
    const wrong: number[] = [];
    for (let n = 1; n <= 40_000; n++) {
      const size = probe.call("roundUp", n);
      const granule = n > 32_768 ? 1024 : 16;
      const waste = n > 32_768 ? 1024 : Math.max(16, n / 4);
      if (size < n || size % granule !== 0 || size - n >= waste || probe.call("roundUp", size) !== size) wrong.push(n);
      if (n < 16) continue;
      const down = probe.call("roundDown", n);
      if (down > n || probe.call("roundUp", down) !== down || (n === size) !== (n === down)) wrong.push(n);
      if (n !== size && probe.call("roundUp", down + 1) !== size) wrong.push(n);
    }
    expect(wrong).toEqual([]);
  });

  it("hands out aligned blocks that do not overlap and returns to its base line", () => {
    const probe = new Probe(kind);
    const rng = new Rng(11);
    const base = probe.call("liveBytes");
    const held: { p: number; n: number; mark: number }[] = [];
    for (let round = 0; round < 20_000; round++) {
      if (held.length > 0 && rng.chance(0.48)) {
        const [block] = held.splice(rng.int(held.length), 1);
        const view = new Uint8Array(probe.memory.buffer, block!.p, block!.n);
        if (view[0] !== block!.mark || view[block!.n - 1] !== block!.mark) throw new Error("a block was overwritten");
        probe.call("free", block!.p, rng.chance(0.5) ? block!.n : probe.call("roundUp", block!.n));
      } else {
        const n = rng.chance(0.02) ? rng.between(32_000, 200_000) : rng.between(1, 2000);
        const p = probe.call("alloc", n);
        const mark = round & 255;
        if (p === 0 || p % 16 !== 0) throw new Error(`block at ${p}`);
        new Uint8Array(probe.memory.buffer, p, n).fill(mark);
        held.push({ p, n, mark });
      }
    }
    for (const block of held) probe.call("free", block.p, block.n);
    expect(probe.call("liveBytes")).toBe(base);
  });

  it("merges freed neighbours above 32 KiB, in any order of freeing", () => {
    for (const order of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [0, 2, 1, 3],
      [1, 3, 0, 2],
    ]) {
      const probe = new Probe(kind);
      const size = 100 * 1024;
      const blocks = order.map(() => probe.call("alloc", size));
      const first = Math.min(...blocks);
      expect(Math.max(...blocks) - first).toBe(3 * size);
      for (const i of order) probe.call("free", blocks[i]!, size);
      expect(probe.call("alloc", 4 * size)).toBe(first);
    }
  });

  it("keeps what reserve promises", () => {
    const probe = new Probe(kind);
    const rng = new Rng(5);
    let refused = 0;
    const held: [number, number][] = [];
    for (let round = 0; round < 400; round++) {
      const sizes = Array.from({ length: rng.between(1, 20) }, () => rng.between(1, rng.chance(0.1) ? 90_000 : 3000));
      const total = sizes.reduce((sum, n) => sum + probe.call("roundUp", n), 0);
      if (round === 200) probe.call("heapSetLimit", probe.call("heldBytes") / PAGE);
      const before = probe.call("liveBytes");
      if (probe.call("reserve", total) === 0) {
        refused++;
        expect(probe.call("liveBytes")).toBe(before);
        for (const [p, n] of held.splice(0, held.length / 2)) probe.call("free", p, n);
        continue;
      }
      for (const n of sizes) {
        const p = probe.call("alloc", n);
        expect(p).not.toBe(0);
        held.push([p, n]);
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  it("stays within its limit and says so", () => {
    const probe = new Probe(kind);
    const pages = probe.call("heldBytes") / PAGE + 40;
    probe.call("heapSetLimit", pages);
    const blocks: number[] = [];
    for (let p = probe.call("alloc", 50_000); p !== 0; p = probe.call("alloc", 50_000)) blocks.push(p);
    expect(blocks.length).toBeGreaterThan(45);
    expect(probe.call("heldBytes")).toBeLessThanOrEqual(pages * PAGE);
    expect(probe.call("alloc", 0x7fffffff)).toBe(0);
    expect(probe.call("alloc", 0xffffffff)).toBe(0);
    expect(probe.call("reserve", 0xffffffff)).toBe(0);
    for (const p of blocks) probe.call("free", p, 50_000);
    expect(probe.call("alloc", 50_000 * 45)).not.toBe(0);
  });

  it("turns freed small blocks into large ones when memory cannot grow", () => {
    const probe = new Probe(kind);
    probe.call("heapSetLimit", probe.call("heldBytes") / PAGE + 16);
    const rng = new Rng(3);
    const blocks: [number, number][] = [];
    for (;;) {
      const n = rng.between(16, 900);
      const p = probe.call("alloc", n);
      if (p === 0) break;
      blocks.push([p, n]);
    }
    expect(probe.call("alloc", 400_000)).toBe(0);
    for (const [p, n] of rng.shuffle(blocks)) probe.call("free", p, n);
    const large = probe.call("alloc", 900_000);
    expect(large).not.toBe(0);
    probe.call("free", large, 900_000);
    expect(probe.call("alloc", 100)).not.toBe(0);
  });

  it("uses the end of memory again before it grows", () => {
    const probe = new Probe(kind);
    const filler = probe.call("alloc", 3_000_000);
    const last = probe.call("alloc", 10_000_000);
    probe.call("free", last, 10_000_000);
    const held = probe.call("heldBytes");
    expect(probe.call("alloc", 10_500_000)).not.toBe(0);
    expect(probe.call("heldBytes") - held).toBeLessThan(3_000_000);
    expect(filler).not.toBe(0);
  });

  it("charges the current account", () => {
    const probe = new Probe(kind);
    const cell = probe.room(4);
    probe.setU32(cell, 0);
    const previous = probe.call("setAccount", cell);
    const a = probe.call("alloc", 100);
    const b = probe.call("alloc", 40_000);
    expect(probe.u32(cell)).toBe(probe.call("roundUp", 100) + probe.call("roundUp", 40_000));
    probe.call("free", a, 100);
    probe.call("free", b, 40_000);
    expect(probe.u32(cell)).toBe(0);
    expect(probe.call("setAccount", previous)).toBe(cell);
    expect(probe.call("setAccount", 0)).toBe(previous);
    expect(probe.global("account")).not.toBe(0);
  });
});

describe.each(BUILDS)("byte runs and copies (%s)", (kind) => {
  it("appends, clears and frees", () => {
    const probe = new Probe(kind);
    const rng = new Rng(8);
    const base = probe.call("liveBytes");
    const run = probe.room(16);
    probe.bytes.fill(0, run, run + 16);
    const expected: number[] = [];
    for (let round = 0; round < 60; round++) {
      const part = Uint8Array.from({ length: rng.int(700) }, () => rng.int(256));
      const { p } = probe.put(part);
      expect(probe.call("bytesAppend", run, p, part.length)).toBe(1);
      expected.push(...part);
      expect(probe.u32(run + 4)).toBe(expected.length);
      expect(probe.u32(run + 8)).toBeGreaterThanOrEqual(expected.length);
    }
    expect(probe.slice(probe.u32(run), probe.u32(run) + expected.length)).toEqual(Uint8Array.from(expected));
    expect(probe.call("bytesReserve", run, 0xfffffff0)).toBe(0);
    probe.call("bytesClear", run);
    expect(probe.u32(run + 4)).toBe(0);
    probe.call("bytesFree", run);
    expect(probe.call("liveBytes")).toBe(base);
  });

  it("copies and compares every short length", () => {
    const probe = new Probe(kind);
    for (let n = 0; n <= 600; n += n < 70 ? 1 : 61) {
      const { p } = probe.put(Uint8Array.from({ length: n + 16 }, (_, i) => (i * 7 + 1) & 255));
      const exact = probe.room(n + 32);
      probe.bytes.fill(0xee, exact, exact + n + 32);
      probe.raw.copyExact!(exact, p, n);
      expect(probe.slice(exact, exact + n)).toEqual(probe.slice(p, p + n));
      expect(probe.slice(exact + n, exact + n + 32).every((b) => b === 0xee)).toBe(true);
      const loose = probe.room(n + 32);
      probe.bytes.fill(0xee, loose, loose + n + 32);
      probe.raw.copyForward!(loose, p, n);
      expect(probe.slice(loose, loose + n)).toEqual(probe.slice(p, p + n));
      expect(probe.slice(loose + n + 15, loose + n + 32).every((b) => b === 0xee)).toBe(true);
      probe.bytes[loose + n] = 1;
      probe.bytes[p + n] = 2;
      expect(probe.call("equalBytes", loose, p, n)).toBe(1);
      for (const at of new Set([0, n >> 1, n - 1])) {
        if (at < 0 || at >= n) continue;
        probe.bytes[loose + at]! ^= 0x80;
        expect(probe.call("equalBytes", loose, p, n)).toBe(0);
        probe.bytes[loose + at]! ^= 0x80;
      }
    }
  });
});
