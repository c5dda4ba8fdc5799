import { describe, expect, it } from "vitest";
import { MsgpackFault, readMsgpack, writeMsgpack } from "../../src/codec/msgpack/index.js";
import { parseExact, stringify } from "../../src/json/exact.js";
import { randomString, randomValue } from "../core/support/json-texts.js";
import { CoreMsgpack } from "../core/support/msgpack.js";
import { BUILDS, Probe } from "../core/support/probe.js";
import { canonical } from "../support/exact-json.js";
import { isFault, mutateMessage, randomMessage, randomNumber, toHex } from "../support/msgpack.js";
import { Rng } from "../support/rng.js";

/** Strings that UTF-8 can carry. */
function texts(rng: Rng): string[] {
  return Array.from({ length: 12 }, () => randomString(rng).replace(/[\ud800-\udfff]/g, "h"));
}

describe.each(BUILDS)("core and JavaScript (%s)", (kind) => {
  const core = new CoreMsgpack(new Probe(kind));

  /** Both answers to a message, which must be one; says what kind it was. */
  function same(bytes: Uint8Array, depth: number, replace: boolean): boolean {
    const text = core.read(bytes, depth, replace);
    const value = readMsgpack(bytes, { depth, replace });
    if (isFault(text) || value instanceof MsgpackFault) {
      expect({ ...value }, toHex(bytes)).toEqual({ ...text });
      return false;
    }
    expect(canonical(text.text), toHex(bytes)).toBe(canonical(stringify(value.value)));
    expect(stringify(parseExact(text.text)), toHex(bytes)).toBe(stringify(value.value));
    expect([value.replaced, value.end]).toEqual([text.replaced, text.end]);
    return true;
  }

  it("read random messages alike", () => {
    const rng = new Rng(31);
    let read = 0;
    for (let i = 0; i < 2000; i++) if (same(randomMessage(rng, 4, texts(rng)), 512, false)) read++;
    // NaN and infinity do not come up, dates beyond 9999 hardly
    expect(read).toBeGreaterThan(1500);
  });

  it("read damaged messages alike, to the byte of the fault", () => {
    const rng = new Rng(32);
    let faults = 0;
    for (let i = 0; i < 8000; i++) {
      const bytes = mutateMessage(rng, randomMessage(rng, 4, texts(rng)));
      if (!same(bytes, rng.pick([2, 3, 512]), rng.chance(0.3))) faults++;
    }
    expect(faults).toBeGreaterThan(2000);
  });

  it("read random bytes alike", () => {
    const rng = new Rng(33);
    for (let i = 0; i < 5000; i++) {
      const bytes = Uint8Array.from({ length: rng.int(30) }, () =>
        rng.chance(0.5) ? rng.between(0x80, 0xdf) : rng.int(256),
      );
      same(bytes, 512, rng.chance(0.5));
    }
  });

  it("write the same bytes, and read back what they wrote", () => {
    const rng = new Rng(34);
    for (let i = 0; i < 3000; i++) {
      const value = randomValue(rng, 5);
      const json = JSON.stringify(value).replace(/:12\.5|:0(?=[,}])/g, () => `:${randomNumber(rng)}`);
      const bytes = core.write(json);
      if (isFault(bytes)) throw new Error(`${bytes.code} in ${json}`);
      expect(toHex(writeMsgpack(parseExact(json)) as Uint8Array), json).toBe(toHex(bytes));
      expect(same(bytes, 512, false)).toBe(true);
      // what was read is written as the same bytes again: nothing is lost but digits that no double holds
      const read = core.read(bytes) as { text: string };
      expect(toHex(core.write(read.text) as Uint8Array), json).toBe(toHex(bytes));
    }
  });

  it("write the same numbers, to the last bit", () => {
    const rng = new Rng(35);
    const wrong: string[] = [];
    for (let i = 0; i < 20_000; i++) {
      const text = randomNumber(rng);
      const bytes = core.write(text);
      const mine = writeMsgpack(parseExact(text));
      if (isFault(bytes) || mine instanceof MsgpackFault || toHex(bytes) !== toHex(mine)) wrong.push(text);
      else {
        const back = core.read(bytes) as { text: string };
        if (Number(back.text) !== Number(text)) wrong.push(`${text} became ${back.text}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
