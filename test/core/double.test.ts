import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { BUILDS, Probe } from "./support/probe.js";

const bits = new DataView(new ArrayBuffer(8));

function randomDouble(rng: Rng): number {
  for (;;) {
    bits.setUint32(0, rng.int(2 ** 32));
    bits.setUint32(4, rng.int(2 ** 32));
    const value = bits.getFloat64(0);
    if (Number.isFinite(value)) return value;
  }
}

/** Doubles around every power of two, and decimals around every power of ten. */
function* edges(): Generator<number> {
  yield* [
    0,
    -0,
    1,
    -1,
    0.1,
    0.5,
    1 / 3,
    1e21,
    1e-6,
    1e-7,
    123456789012345680000,
    1e23,
    9007199254740992,
    4.35,
    999999999999999900000,
  ];
  for (let exponent = 0; exponent < 2047; exponent++) {
    for (const fraction of [0n, 1n, 2n, 0xffffffffffffen, 0xfffffffffffffn]) {
      bits.setBigUint64(0, (BigInt(exponent) << 52n) | fraction);
      yield bits.getFloat64(0);
    }
  }
  for (let power = -330; power <= 307; power++)
    for (const digits of [1, 2, 3, 5, 9, 1.5]) yield Number(`${digits}e${power}`);
}

/** The exact decimal of `mantissa * 2^power`. */
function exactText(mantissa: bigint, power: number): string {
  return power >= 0 ? String(mantissa << BigInt(power)) : `${mantissa * 5n ** BigInt(-power)}e${power}`;
}

describe.each(BUILDS)("doubles (%s)", (kind) => {
  const probe = new Probe(kind);
  const at = probe.room(100);

  const written = (value: number, name = "writeDouble"): string => {
    const end = probe.call(name, value, at);
    let text = "";
    for (const byte of probe.bytes.subarray(at, end)) text += String.fromCharCode(byte);
    return text;
  };
  const read = (text: string): number => {
    probe.rewind();
    const { p, end } = probe.put(text);
    // a digit behind the text must not be read
    probe.bytes[end] = 0x39;
    return probe.raw.readDouble!(p, end);
  };

  it("are written as String writes them", () => {
    const wrong: number[] = [];
    const check = (value: number): void => void (written(value) !== String(value) && wrong.push(value));
    for (const value of edges()) check(value);
    const rng = new Rng(7);
    for (let i = 0; i < 30_000; i++) {
      check(randomDouble(rng));
      check(Math.fround(rng.next() * 1000));
      check(Math.round(rng.next() * 1e6) / 100);
      check(rng.next() * 10 ** rng.between(0, 23));
    }
    expect(wrong).toEqual([]);
  });

  it("are written exactly: minus zero, and integers with all digits", () => {
    const wrong: number[] = [];
    const check = (value: number): void => {
      const large = Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 1e21;
      const wanted = Object.is(value, -0) ? "-0" : large ? String(BigInt(value)) : String(value);
      if (written(value, "writeExactDouble") !== wanted) wrong.push(value);
    };
    for (const value of edges()) {
      check(value);
      check(-value);
    }
    const rng = new Rng(8);
    for (let i = 0; i < 20_000; i++) check((rng.next() - 0.5) * 2 ** rng.between(50, 72));
    expect(wrong).toEqual([]);
  });

  it("are read as Number reads them", () => {
    const wrong: string[] = [];
    const check = (text: string): void => void (Object.is(read(text), Number(text)) || wrong.push(text));
    const zeros = "0".repeat(400);
    for (const text of [
      "0",
      "-0",
      "0.0",
      "-0e5",
      "1e400",
      "-1e400",
      "1e-400",
      "0.000e400",
      `1${zeros}e-400`,
      `0.${zeros}1e401`,
    ])
      check(text);
    for (const text of ["1e99999999999999999999", "1e-99999999999999999999", "0e99999999999999999999"]) check(text);
    for (const text of [
      "2.4703282292062327e-324",
      "2.4703282292062328e-324",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
    ])
      check(text);
    for (const text of [
      "2.2250738585072011e-308",
      "2.2250738585072012e-308",
      "6929495644600919.5",
      "9007199254740993.0000000000000000001",
    ])
      check(text);
    for (const value of edges()) check(String(value));
    const rng = new Rng(9);
    for (let i = 0; i < 20_000; i++) {
      const value = randomDouble(rng);
      check(String(value));
      check(value.toPrecision(17));
      check(value.toPrecision(21));
      check(value.toExponential(rng.between(18, 60)));
      const digits = Array.from({ length: rng.between(1, 40) }, () => rng.int(10)).join("");
      check(`${rng.between(1, 9)}${digits}${rng.chance(0.5) ? `.${rng.int(1e9)}` : ""}e${rng.between(-370, 330)}`);
    }
    expect(wrong).toEqual([]);
  });

  it("are read right next to the middle between two of them", () => {
    const wrong: string[] = [];
    const check = (text: string): void => void (Object.is(read(text), Number(text)) || wrong.push(text));
    const rng = new Rng(10);
    for (let i = 0; i < 1500; i++) {
      const exponent = i < 40 ? i : rng.int(2046);
      const fraction = BigInt(rng.int(2 ** 26)) * 2n ** 26n + BigInt(rng.int(2 ** 26));
      const mantissa = exponent > 0 ? fraction | (1n << 52n) : fraction;
      const middle = exactText(mantissa * 2n + 1n, Math.max(exponent, 1) - 1076);
      const [digits = "", power = "0"] = middle.split("e");
      check(middle);
      check(`${BigInt(digits) + 1n}e${power}`);
      check(`${BigInt(digits) - 1n}e${power}`);
      // the difference stands behind all digits that could matter
      check(`${digits}${"0".repeat(900)}1e${Number(power) - 901}`);
      check(`${digits.slice(0, 3)}.${digits.slice(3)}e${Number(power) + digits.length - 3}`);
    }
    expect(wrong).toEqual([]);
  });

  it("and integers of 64 bits are told apart by their value", () => {
    const wrong: string[] = [];
    const check = (text: string): void => {
      const { p, end } = probe.put(text);
      probe.bytes[end] = 0x39;
      const found = probe.call("readInteger", p, end) !== 0;
      const magnitude = (probe.raw.integerMagnitude as unknown as WebAssembly.Global).value as bigint;
      const [, sign, whole = "", fraction = "", power = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!;
      const scale = Number(power) - fraction.length;
      const digits = BigInt(whole + fraction);
      const unit = 10n ** BigInt(Math.min(Math.abs(scale), 1000));
      const integer = digits === 0n || scale >= 0 || digits % unit === 0n;
      const value = digits === 0n ? 0n : scale >= 0 ? digits * unit : digits / unit;
      const wanted = integer && value <= (sign === "-" ? 2n ** 63n : 2n ** 64n - 1n);
      if (found !== wanted || (wanted && BigInt.asUintN(64, magnitude) !== value)) wrong.push(text);
    };
    const rng = new Rng(11);
    for (const limit of [2n ** 63n, 2n ** 64n - 1n]) {
      for (const value of [limit - 1n, limit, limit + 1n]) {
        const text = String(value);
        for (const sign of ["", "-"]) {
          check(sign + text);
          check(`${sign}${text}000e-3`);
          check(`${sign}${text[0]}.${text.slice(1)}e+${text.length - 1}`);
          check(`${sign}${text}.00`);
          check(`${sign}${text}.01`);
        }
      }
    }
    for (let i = 0; i < 20_000; i++) {
      const digits = `${rng.between(1, 9)}${"0".repeat(rng.int(4))}${rng.int(1e9)}${"0".repeat(rng.int(20))}`;
      const fraction = rng.chance(0.5)
        ? `.${rng.pick(["", String(rng.int(1000))])}${"0".repeat(rng.between(1, 5))}`
        : "";
      check(`${rng.pick(["", "-"])}${digits}${fraction}${rng.chance(0.7) ? `e${rng.between(-30, 20)}` : ""}`);
    }
    expect(wrong).toEqual([]);
  });
});
