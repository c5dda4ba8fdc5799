import { describe, expect, it } from "vitest";
import { MsgpackSplitter } from "../../src/codec/msgpack/index.js";
import { concat } from "../support/bytes.js";
import { hex, toHex } from "../support/msgpack.js";
import { type Found, type MakeSplitter, splitterRules } from "../support/msgpack-split.js";

const make: MakeSplitter = (limit, depth, saved) => {
  const splitter = new MsgpackSplitter(limit, depth);
  if (saved) splitter.resume(saved.partial, saved.offset, saved.skipping);
  return {
    push(chunk) {
      const found: Found[] = [];
      splitter.push(chunk, {
        message: (bytes, offset) => found.push([offset, toHex(bytes)]) > 0,
        tooLarge: (offset) => found.push([offset, "too large"]) > 0,
      });
      return found;
    },
    pending: () => splitter.isPartial,
    save: () => ({ partial: splitter.partial(), skipping: splitter.skipping }),
  };
};

describe("MessagePack out of a stream", () => {
  splitterRules(make, 6);

  it("stops when the sink says so", () => {
    const splitter = new MsgpackSplitter(100, 8);
    const seen: string[] = [];
    splitter.push(hex("01 02 03"), {
      message: (bytes) => {
        seen.push(toHex(bytes));
        return seen.length < 2;
      },
      tooLarge: () => false,
    });
    expect(seen).toEqual(["01", "02"]);
    expect(splitter.offset).toBe(3);
  });

  it("forgets an unfinished message", () => {
    const splitter = make(100, 8);
    splitter.push(hex("93 01 a5 61"));
    expect(splitter.pending()).toBe(true);
    const dropped = new MsgpackSplitter(4, 8);
    const sink = { message: () => true, tooLarge: () => true };
    dropped.push(concat([hex("93 01 a5"), new Uint8Array(3)]), sink);
    expect(dropped.skipping).toBe(true);
    dropped.drop();
    expect([dropped.isPartial, dropped.skipping, dropped.partial().length]).toEqual([false, false, 0]);
  });
});
