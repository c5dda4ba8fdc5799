import { describe, expect, it } from "vitest";
import { LengthPrefixFrames } from "../../src/codec/protobuf/frames.js";
import { concat, latin1 } from "../support/bytes.js";
import { Rng } from "../support/rng.js";
import { BUILDS, Probe } from "./support/probe.js";

const LIMIT = 1000;
/** Offsets of the fields of a frame in linear memory, as assembly/frame/state.ts draws them. */
const FRAME_SIZE = 128;
const F_LIMIT = 92;
const MESSAGE = 1;
const TOO_LARGE = 2;

interface Cut {
  /** `offset:text` of each frame, `offset!` of one that is too large. */
  found: string[];
  partial: boolean;
}

function frame(text: string): Uint8Array {
  const length = text.length;
  return concat([Uint8Array.of(length >>> 24, length >> 16, length >> 8, length), latin1(text)]);
}

/** What the core cuts out of the chunks; bytes held at the end go to `held`. */
function cutInCore(probe: Probe, chunks: readonly Uint8Array[]): Cut & { held: number } {
  const before = probe.call("liveBytes");
  const f = probe.call("alloc", FRAME_SIZE);
  probe.bytes.fill(0, f, f + FRAME_SIZE);
  probe.setU32(f + F_LIMIT, LIMIT);
  const found: string[] = [];
  for (const chunk of chunks) {
    probe.rewind();
    const { p, end } = probe.put(chunk);
    probe.call("beginChunk", f, p);
    for (let at = p; at < end; ) {
      at = probe.call("prefixNext", f, at, end);
      const offset = probe.global("messageOffset");
      const event = probe.global("frameEvent");
      if (event === TOO_LARGE) found.push(`${offset}!`);
      if (event !== MESSAGE) continue;
      found.push(`${offset}:${probe.text(probe.global("messageStart"), probe.global("messageEnd"))}`);
      probe.call("prefixMessageDone", f);
    }
    probe.call("endChunk", f, end);
  }
  const partial = probe.call("prefixIsPartial", f) !== 0;
  expect(probe.call("prefixAtStart", f) !== 0).toBe(!partial);
  const held = probe.call("liveBytes") - before;
  probe.call("bytesFree", f);
  probe.call("free", f, FRAME_SIZE);
  return { found, partial, held };
}

function cutInJs(chunks: readonly Uint8Array[]): Cut {
  const found: string[] = [];
  const frames = new LengthPrefixFrames(LIMIT);
  for (const chunk of chunks)
    frames.push(chunk, {
      message: (payload, offset) => found.push(`${offset}:${new TextDecoder().decode(payload)}`) > 0,
      tooLarge: (offset) => found.push(`${offset}!`) > 0,
    });
  expect(frames.offset).toBe(concat(chunks).length);
  return { found, partial: frames.isPartial };
}

const chunksOf = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

describe.each(BUILDS)("frames with a length before them (%s)", (kind) => {
  const probe = new Probe(kind);

  const both = (chunks: readonly Uint8Array[]): Cut => {
    const { held, ...core } = cutInCore(probe, chunks);
    expect(cutInJs(chunks)).toEqual(core);
    return core;
  };

  it("are cut at every cut of the wire alike", () => {
    const wire = concat([frame("one"), frame(""), frame("x".repeat(300)), frame(""), frame("four")]);
    const found = ["4:one", "11:", `15:${"x".repeat(300)}`, "319:", "323:four"];
    for (const size of [1, 2, 3, 4, 5, 7, 11, 64, 305, wire.length]) {
      expect(both(chunksOf(wire, size)), `chunks of ${size}`).toEqual({ found, partial: false });
    }
    for (let at = 0; at <= wire.length; at++)
      expect(both([wire.subarray(0, at), wire.subarray(at)])).toEqual({ found, partial: false });
  });

  it("are too large by what their length says, and are passed over", () => {
    const wire = concat([frame("a"), frame("x".repeat(LIMIT + 1)), frame("y".repeat(LIMIT)), frame("b")]);
    const found = ["4:a", "5!", `1014:${"y".repeat(LIMIT)}`, "2018:b"];
    for (const size of [1, 3, 9, 100, 1009, wire.length])
      expect(both(chunksOf(wire, size)), `chunks of ${size}`).toEqual({ found, partial: false });
    expect(both([frame("x".repeat(LIMIT + 1)).subarray(0, 4)])).toEqual({ found: ["0!"], partial: true });
  });

  it("are a truncation when they do not end", () => {
    const wire = concat([frame("one"), frame("two")]);
    for (let n = 0; n <= wire.length; n++)
      expect(both([wire.subarray(0, n)]).partial, `${n} bytes`).toBe(n !== 0 && n !== 7 && n !== wire.length);
  });

  it("take no memory for bytes that have not come", () => {
    const small = cutInCore(probe, [frame("x".repeat(LIMIT)).subarray(0, 5)]);
    const huge = cutInCore(probe, [Uint8Array.of(0xff, 0xff, 0xff, 0xff, 1)]);
    expect(small.held).toBeLessThan(FRAME_SIZE + 256);
    expect(huge).toEqual({ found: ["0!"], partial: true, held: FRAME_SIZE });
  });

  it("are cut alike whatever comes", () => {
    const rng = new Rng(5);
    for (let i = 0; i < 400; i++) {
      const wire = Uint8Array.from({ length: rng.int(200) }, () => rng.pick([0, 0, 0, 1, 2, 5, rng.int(256)]));
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < wire.length; ) {
        const n = rng.between(1, 20);
        chunks.push(wire.subarray(at, at + n));
        at += n;
      }
      // the bytes of a frame are text only for reading the report
      const ascii = chunks.map((chunk) => chunk.map((byte) => byte & 127));
      expect(cutInJs(ascii)).toEqual(both(ascii));
    }
  });
});
