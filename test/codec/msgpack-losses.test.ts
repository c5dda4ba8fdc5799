import { describe, expect, it } from "vitest";
import {
  LOSS_BINARY as BINARY,
  LOSS_NUMBER as NUMBER,
  LOSS_SURROGATE as SURROGATE,
  LOSS_TIMESTAMP as TIMESTAMP,
} from "../../assembly/abi/codes.js";
import { MsgpackFault, readMsgpack, writeMsgpack } from "../../src/codec/msgpack/index.js";
import { parseExact } from "../../src/json/exact.js";
import { randomString, randomValue } from "../core/support/json-texts.js";
import { CoreMsgpack } from "../core/support/msgpack.js";
import { BUILDS, Probe } from "../core/support/probe.js";
import { canonical } from "../support/exact-json.js";
import { hex, isFault, randomMessage, randomNumber } from "../support/msgpack.js";
import { Rng } from "../support/rng.js";

const WRITTEN: readonly [json: string, bits: number][] = [
  ["0", 0],
  ["0.1", 0],
  ["1.0", 0],
  ["100e-2", 0],
  ["-0", 0],
  ["-0.0e9", 0],
  ["0e400", 0],
  ["0.30000000000000004", 0],
  ["0.100000000000000000000000000", 0],
  ["0.1000000000000000000001", NUMBER],
  ["0.3000000000000000444", NUMBER],
  ["1.00000000000000000000000000001", NUMBER],
  ["123456789012345678", 0],
  ["9007199254740993", 0],
  ["9007199254740993.5", NUMBER],
  ["9007199254740992.000000000000000000001", NUMBER],
  ["18446744073709551615", 0],
  ["18446744073709551616", 0],
  ["1844674407370955161600e-2", 0],
  ["18446744073709551617", NUMBER],
  ["18446744073709551616.5", NUMBER],
  ["1.8446744073709552e19", NUMBER],
  ["-9223372036854775808", 0],
  ["-9223372036854775809", NUMBER],
  ["-18446744073709551616", 0],
  ["1e20", 0],
  // few digits, but the reader shows all of an integer
  ["1.234567e20", 0],
  ["1.23456789012345e20", NUMBER],
  ["-1.23456789012345e20", NUMBER],
  ["999999999999999999999", NUMBER],
  ["1e21", 0],
  ["1.23456789012345e21", 0],
  // what is nearest to 1e23 is read as 1e23, and is another integer
  ["1e23", 0],
  ["99999999999999991611392", NUMBER],
  ["123456789012345678901234567890", NUMBER],
  ["5e-324", 0],
  ["4.94e-324", NUMBER],
  ["4e-324", NUMBER],
  ["1e-400", NUMBER],
  ["-1e-400", NUMBER],
  ["2.2250738585072014e-308", 0],
  ["2.22507385850720e-308", 0],
  ["1.5e-320", 0],
  ["1.23456789e-320", NUMBER],
  ["1.7976931348623157e308", 0],
  ["1.7976931348623158e308", NUMBER],
  ['"\\ud83d\\ude00"', 0],
  ['"\\ud83d"', SURROGATE],
  ['"\\ude00\\ud83d"', SURROGATE],
  [`"${"x".repeat(40)}\\udc00${"y".repeat(40)}"`, SURROGATE],
  ['{"\\udc00":1}', SURROGATE],
  ['[1e-400,"\\udc00"]', NUMBER | SURROGATE],
  ['{"a":[null,true,false,{},[]],"":"\\ud7ff\\ue000"}', 0],
];

const READ: readonly [digits: string, bits: number][] = [
  ["93 01 a1 61 cb 3f b9 99 99 99 99 99 9a", 0],
  ["ca 3d cc cc cd", 0],
  ["c4 00", BINARY],
  ["c4 03 01 02 03", BINARY],
  ["c5 00 01 ff", BINARY],
  ["c6 00 00 00 01 ff", BINARY],
  ["d6 ff 00 00 00 00", TIMESTAMP],
  ["d7 ff 00 00 00 00 00 00 00 00", TIMESTAMP],
  ["c7 0c ff 00 00 00 00 00 00 00 00 00 00 00 00", TIMESTAMP],
  ["82 a1 61 92 c4 00 01 a1 62 d6 ff 00 00 00 00", BINARY | TIMESTAMP],
];

/** Bits of the JavaScript writer. */
function lossesOf(value: unknown): number {
  const losses = { bits: 0 };
  expect(writeMsgpack(value, undefined, losses)).toBeInstanceOf(Uint8Array);
  return losses.bits;
}

describe.each(BUILDS)("what MessagePack loses (%s)", (kind) => {
  const core = new CoreMsgpack(new Probe(kind));

  it.each(WRITTEN)("is told of %s", (json, bits) => {
    for (const text of [json, `[1,{"k":${json}}]`]) {
      const bytes = core.write(text) as Uint8Array;
      expect(core.writeLosses).toBe(bits);
      expect(lossesOf(parseExact(text))).toBe(bits);
      const { text: again } = core.read(bytes) as { text: string };
      expect(canonical(again) === canonical(text)).toBe(bits === 0);
    }
    // of this value only
    core.write("1");
    expect(core.writeLosses).toBe(0);
  });

  it.each(READ)("is told of the bytes %s", (digits, bits) => {
    const losses = { bits: 0 };
    core.read(hex(digits));
    expect(core.readLosses).toBe(bits);
    expect(readMsgpack(hex(digits), { depth: 9, replace: false, losses })).not.toBeInstanceOf(MsgpackFault);
    expect(losses.bits).toBe(bits);
    core.read(hex("c0"));
    expect(core.readLosses).toBe(0);
  });

  it("is told of numbers alike, and of those that are read as others only", () => {
    const rng = new Rng(41);
    const wrong: string[] = [];
    let lost = 0;
    for (let i = 0; i < 20_000; i++) {
      const text = randomNumber(rng);
      const bytes = core.write(text) as Uint8Array;
      const bits = core.writeLosses;
      if (bits !== lossesOf(parseExact(text))) wrong.push(`${text} to the engines`);
      const { text: again } = core.read(bytes) as { text: string };
      if ((canonical(again) === canonical(text)) !== (bits === 0)) wrong.push(`${text}, read as ${again}`);
      lost += bits;
    }
    expect(wrong).toEqual([]);
    expect(lost).toBeGreaterThan(2000);
    expect(lost).toBeLessThan(18_000);
  });

  it("is nothing of a double, however many digits it has", () => {
    const rng = new Rng(42);
    const view = new DataView(new ArrayBuffer(8));
    for (let i = 0; i < 20_000; i++) {
      view.setUint32(0, rng.int(2 ** 32));
      view.setUint32(4, rng.chance(0.2) ? 0 : rng.int(2 ** 32));
      const value = view.getFloat64(0);
      if (!Number.isFinite(value)) continue;
      // as it is printed, with all digits of an integer
      const isLarge = Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21;
      const text = isLarge ? BigInt(value).toString() : Object.is(value, -0) ? "-0" : String(value);
      core.write(text);
      expect(core.writeLosses, text).toBe(0);
      expect(lossesOf(value), text).toBe(0);
    }
  });

  it("is told of values alike, and of those that are read as others only", () => {
    const rng = new Rng(43);
    const seen = [0, 0, 0, 0];
    for (let i = 0; i < 3000; i++) {
      const json = JSON.stringify(randomValue(rng, 4)).replace(/(?<=[:,[])(?:12\.5|0|-1)(?=[,}\]])/g, () =>
        randomNumber(rng),
      );
      const bytes = core.write(json);
      if (isFault(bytes)) throw new Error(`${bytes.code} in ${json}`);
      const bits = core.writeLosses;
      expect(lossesOf(parseExact(json)), json).toBe(bits);
      const { text: again } = core.read(bytes) as { text: string };
      expect(canonical(again) === canonical(json), json).toBe(bits === 0);
      seen[bits]!++;
    }
    expect(Math.min(...seen)).toBeGreaterThan(5);
  });

  it("is told of messages alike", () => {
    const rng = new Rng(44);
    const texts = Array.from({ length: 12 }, () => randomString(rng).replace(/[\ud800-\udfff]/g, "h"));
    const seen = new Map<number, number>();
    for (let i = 0; i < 3000; i++) {
      const bytes = randomMessage(rng, 4, texts);
      const losses = { bits: 0 };
      const message = readMsgpack(bytes, { depth: 512, replace: false, losses });
      const text = core.read(bytes);
      if (message instanceof MsgpackFault || isFault(text)) continue;
      expect(core.readLosses).toBe(losses.bits);
      seen.set(losses.bits, (seen.get(losses.bits) ?? 0) + 1);
    }
    for (const bits of [0, BINARY, TIMESTAMP, BINARY | TIMESTAMP]) expect(seen.get(bits)).toBeGreaterThan(20);
  });
});
