import { expect, it } from "vitest";
import { concat } from "./bytes.js";
import { expectProportional } from "./cost.js";
import { hex, READS, randomMessage, toHex } from "./msgpack.js";
import { Rng } from "./rng.js";

/** What a splitter found: a message's bytes, or that one was too large; with its wire offset. */
export type Found = [offset: number, bytes: string] | [offset: number, "too large"];

/** A splitter of either side. */
export interface Splitter {
  /** The chunk's finds. */
  push(chunk: Uint8Array): Found[];
  /** Whether a message has begun that is not complete. */
  pending(): boolean;
  /** Bytes that bring a fresh splitter here, and whether the rest of a too large message is being skipped. */
  save(): { partial: Uint8Array; skipping: boolean };
}

export type MakeSplitter = (
  limit: number,
  depth: number,
  saved?: ReturnType<Splitter["save"]> & { offset: number },
) => Splitter;

const found = (offset: number, bytes: Uint8Array): Found => [offset, toHex(bytes)];

/** The finds of messages that lie one behind the other from the start of the wire. */
function inOrder(messages: readonly Uint8Array[]): Found[] {
  let end = 0;
  return messages.map((bytes) => {
    const offset = end;
    end += bytes.length;
    return found(offset, bytes);
  });
}

function run(splitter: Splitter, chunks: readonly Uint8Array[]): Found[] {
  return chunks.flatMap((chunk) => splitter.push(chunk));
}

function bytewise(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
}

/** Messages of every format, one behind the other, cut everywhere. */
function everyCut(make: MakeSplitter): void {
  const messages = READS.map(([digits]) => hex(digits)).filter((bytes) => bytes.length < 64);
  const wire = concat(messages);
  const wanted = inOrder(messages);
  expect(run(make(1000, 512), [wire])).toEqual(wanted);
  expect(run(make(1000, 512), bytewise(wire))).toEqual(wanted);
  for (let cut = 1; cut < wire.length; cut++) {
    expect(run(make(1000, 512), [wire.subarray(0, cut), wire.subarray(cut)])).toEqual(wanted);
  }
}

/** Random messages in random pieces; sometimes saved and restored in the middle. */
function randomPieces(make: MakeSplitter, seed: number): void {
  const rng = new Rng(seed);
  for (let round = 0; round < 150; round++) {
    const texts = ["", "a", "some text", "x".repeat(rng.int(300)), "y".repeat(70_000)].slice(
      0,
      rng.chance(0.05) ? 5 : 4,
    );
    const messages = Array.from({ length: rng.between(1, 8) }, () => randomMessage(rng, 4, texts));
    const wire = concat(messages);
    const wanted = inOrder(messages);
    let splitter = make(1 << 26, 512);
    const got: Found[] = [];
    for (let at = 0; at < wire.length; ) {
      const end = Math.min(wire.length, at + (rng.chance(0.3) ? 1 : rng.between(1, rng.pick([4, 40, 100_000]))));
      got.push(...splitter.push(wire.subarray(at, end)));
      at = end;
      if (rng.chance(0.2)) splitter = make(1 << 26, 512, { ...splitter.save(), offset: at });
    }
    expect(got).toEqual(wanted);
    expect(splitter.pending()).toBe(false);
  }
}

/** What cannot be read to its end ends where that is known, and nothing is lost behind it. */
function brokenMessages(make: MakeSplitter): void {
  const cases: [digits: string, messages: string[]][] = [
    ["c1 c0", ["c1", "c0"]],
    ["92 01 c1 02", ["92 01 c1", "02"]],
    ["81 a1 61 c1 c0", ["81 a1 61 c1", "c0"]],
    // three levels are allowed
    ["91 91 91 90 c0", ["91 91 91 90", "c0"]],
    ["91 91 91 c0 c0", ["91 91 91 c0", "c0"]],
    ["91 91 91 91 c0", ["91 91 91 91", "c0"]],
    ["92 91 91 dc 00 02 01 02", ["92 91 91 dc 00 02", "01", "02"]],
    ["91 91 91 de 00 01 a0 c0", ["91 91 91 de 00 01", "a0", "c0"]],
    // C1 inside of a body is a byte like any other
    ["93 a1 c1 c4 01 c1 d4 c1 c1 07", ["93 a1 c1 c4 01 c1 d4 c1 c1", "07"]],
  ];
  for (const [digits, messages] of cases) {
    const wanted = inOrder(messages.map(hex));
    for (const chunks of [[hex(digits)], bytewise(hex(digits))]) {
      const splitter = make(1000, 3);
      expect(run(splitter, chunks), digits).toEqual(wanted);
      expect(splitter.pending(), digits).toBe(false);
    }
  }
}

/** The limit counts bytes that have come; what is too large is passed over, at any cut and over a save. */
function tooLarge(make: MakeSplitter): void {
  const inside = "93 a3 61 62 63 c4 01 ff 82 a0 cb 40 09 21 fb 54 44 2d 18 a1 61 c7 02 05 01 02";
  const large = hex(`92 dc 00 02 c0 c0 ${inside}`);
  const wire = concat([hex("01"), large, hex("a1 62")]);
  const wanted: Found[] = [
    [0, "01"],
    [1, "too large"],
    [1 + large.length, "a1 62"],
  ];
  for (let limit = 1; limit < large.length; limit++) {
    for (const chunks of [[wire], bytewise(wire)]) {
      expect(run(make(limit, 512), chunks)).toEqual(
        limit < 2 ? [wanted[0], wanted[1], [1 + large.length, "too large"]] : wanted,
      );
    }
  }
  expect(run(make(large.length, 512), [wire])).toEqual([wanted[0], found(1, large), wanted[2]]);
  for (let cut = 2; cut < large.length; cut++) {
    const first = make(5, 512);
    const got = first.push(wire.subarray(0, cut));
    const second = make(5, 512, { ...first.save(), offset: cut });
    for (const chunk of bytewise(wire.subarray(cut))) got.push(...second.push(chunk));
    expect(got, `cut at ${cut}`).toEqual(wanted);
  }
}

/** Sizes and counts that are only declared: saved and restored while they are passed over, without being believed. */
function hugeSizes(make: MakeSplitter): void {
  for (const head of [
    "df ff ff ff ff",
    "dd ff ff ff ff",
    "db ff ff ff ff",
    "c6 ff ff ff ff",
    "c9 ff ff ff ff 05",
    "91 df c0 00 00 00 a0",
  ]) {
    const splitter = make(16, 512);
    expect(splitter.push(concat([hex(head), new Uint8Array(11)]))).toEqual(
      [[0, "too large"]].slice(0, hex(head).length > 5 ? 1 : 0),
    );
    splitter.push(new Uint8Array(10));
    expect(splitter.pending()).toBe(true);
    const { partial, skipping } = splitter.save();
    expect(skipping).toBe(true);
    expect(partial.length).toBeLessThan(40);
    const again = make(16, 512, { partial, skipping, offset: 1000 });
    expect(again.save()).toEqual({ partial, skipping });
    expect(again.push(new Uint8Array(1000))).toEqual([]);
    splitter.push(new Uint8Array(1000));
    expect(again.save()).toEqual(splitter.save());
  }
}

/** Nothing is looked at twice: 200,000 bytes one by one would else be 20,000,000,000 looks. */
function linear(make: MakeSplitter): void {
  expectProportional((size) => {
    const count = [size >>> 24, size >>> 16, size >>> 8, size].map((byte) => byte & 255);
    const message = concat([Uint8Array.of(0xdd, ...count), new Uint8Array(size)]);
    return () => {
      expect(run(make(1 << 20, 512), bytewise(message))).toEqual([found(0, message)]);
    };
  }, 6_400);
}

/** What has to hold of every splitter. */
export function splitterRules(make: MakeSplitter, rounds: number): void {
  it("finds messages of every format at every cut", () => everyCut(make));
  it("finds random messages in random pieces, saved in between", () => randomPieces(make, rounds));
  it("ends what cannot be read where that is known", () => brokenMessages(make));
  it("passes over what is too large", () => tooLarge(make));
  it("does not believe declared sizes", () => hugeSizes(make));
  it("looks at no byte twice", () => linear(make));
}
