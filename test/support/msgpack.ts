import { concat, utf8 } from "./bytes.js";
import type { Rng } from "./rng.js";

/** Bytes from hexadecimal digits in pairs, white space between them. */
export function hex(digits: string): Uint8Array {
  return Uint8Array.from(digits.match(/[0-9a-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

/** A fault as both readers tell it. */
export interface Fault {
  code: "bad_msgpack" | "invalid_utf8" | "too_deep" | "out_of_memory";
  offset: number;
  reason?: string | undefined;
}

export function isFault(answer: unknown): answer is Fault {
  return typeof answer === "object" && answer !== null && "code" in answer;
}

const times = (text: string, n: number): string => text.repeat(n);

/** Messages and their JSON text, every format of the specification at its bounds. */
export const READS: readonly [digits: string, json: string][] = [
  ["c0", "null"],
  ["c2", "false"],
  ["c3", "true"],
  ["00", "0"],
  ["7f", "127"],
  ["ff", "-1"],
  ["e0", "-32"],
  ["cc 00", "0"],
  ["cc 80", "128"],
  ["cc ff", "255"],
  ["cd 00 01", "1"],
  ["cd ff ff", "65535"],
  ["ce 00 00 00 01", "1"],
  ["ce ff ff ff ff", "4294967295"],
  ["cf 00 00 00 00 00 00 00 01", "1"],
  ["cf 00 1f ff ff ff ff ff ff", "9007199254740991"],
  ["cf 00 20 00 00 00 00 00 01", "9007199254740993"],
  ["cf ff ff ff ff ff ff ff ff", "18446744073709551615"],
  ["d0 7f", "127"],
  ["d0 80", "-128"],
  ["d1 7f ff", "32767"],
  ["d1 80 00", "-32768"],
  ["d2 7f ff ff ff", "2147483647"],
  ["d2 80 00 00 00", "-2147483648"],
  ["d3 7f ff ff ff ff ff ff ff", "9223372036854775807"],
  ["d3 ff ff ff ff ff ff ff ff", "-1"],
  ["d3 80 00 00 00 00 00 00 00", "-9223372036854775808"],
  ["ca 00 00 00 00", "0"],
  ["ca 3f 80 00 00", "1"],
  ["ca 3f 00 00 00", "0.5"],
  // the double that the four bytes stand for, not the shortest text for four bytes
  ["ca 3d cc cc cd", "0.10000000149011612"],
  ["ca 7f 7f ff ff", "3.4028234663852886e+38"],
  ["ca 00 00 00 01", "1.401298464324817e-45"],
  ["ca 80 00 00 00", "-0"],
  ["cb 80 00 00 00 00 00 00 00", "-0"],
  ["cb 3f b9 99 99 99 99 99 9a", "0.1"],
  ["cb bf f0 00 00 00 00 00 00", "-1"],
  ["cb 7f ef ff ff ff ff ff ff", "1.7976931348623157e+308"],
  ["cb 00 00 00 00 00 00 00 01", "5e-324"],
  ["cb 43 40 00 00 00 00 00 00", "9007199254740992"],
  // integers up to 1e21 have all of their digits
  ["cb 43 f0 00 00 00 00 00 00", "18446744073709551616"],
  ["cb 44 12 34 56 78 9a bc de", "83953181917682565120"],
  ["cb c4 4b 1a e4 d6 e2 ef 4f", "-999999999999999868928"],
  ["cb 44 4b 1a e4 d6 e2 ef 50", "1e+21"],
  ["a0", '""'],
  ["a1 61", '"a"'],
  [`bf ${times("61 ", 31)}`, `"${times("a", 31)}"`],
  ["d9 01 61", '"a"'],
  [`d9 ff ${times("61 ", 255)}`, `"${times("a", 255)}"`],
  ["da 00 01 61", '"a"'],
  [`da 01 00 ${times("61 ", 256)}`, `"${times("a", 256)}"`],
  ["db 00 00 00 01 61", '"a"'],
  ["a9 22 5c 0a 09 0d 08 0c 00 1f", '"\\"\\\\\\n\\t\\r\\b\\f\\u0000\\u001f"'],
  ["ac c3 a9 e4 b8 ad f0 9f 98 80 7f 2f 61", '"é中😀\u007f/a"'],
  ["c4 00", '""'],
  ["c4 01 ff", '"/w=="'],
  ["c4 02 01 02", '"AQI="'],
  ["c4 03 fb ef be", '"++++"'],
  ["c5 00 03 01 02 03", '"AQID"'],
  ["c6 00 00 00 04 00 10 83 10", '"ABCDEA=="'],
  ["90", "[]"],
  ["93 01 02 03", "[1,2,3]"],
  ["dc 00 00", "[]"],
  ["dc 00 02 c0 91 90", "[null,[[]]]"],
  ["dd 00 00 00 01 80", "[{}]"],
  ["80", "{}"],
  ["81 a1 61 01", '{"a":1}'],
  ["de 00 01 a1 61 82 a0 c3 d9 01 62 90", '{"a":{"":true,"b":[]}}'],
  ["df 00 00 00 01 a1 61 a1 62", '{"a":"b"}'],
  ["d6 ff 00 00 00 00", '"1970-01-01T00:00:00Z"'],
  ["d6 ff ff ff ff ff", '"2106-02-07T06:28:15Z"'],
  ["d7 ff 00 00 00 01 00 00 00 00", '"2106-02-07T06:28:16Z"'],
  ["d7 ff ee 6b 27 fc 5a 75 32 c4", '"2018-02-03T03:55:48.999999999Z"'],
  ["d7 ff 77 35 94 00 5a 75 32 c4", '"2018-02-03T03:55:48.500Z"'],
  ["d7 ff 00 00 0f a0 5a 75 32 c4", '"2018-02-03T03:55:48.000001Z"'],
  ["c7 0c ff 00 00 00 00 ff ff ff ff ff ff ff ff", '"1969-12-31T23:59:59Z"'],
  ["c7 0c ff 3b 9a c9 ff ff ff ff f1 86 8b 84 00", '"0000-01-01T00:00:00.999999999Z"'],
  ["c7 0c ff 00 00 00 00 00 00 00 3a ff f4 41 7f", '"9999-12-31T23:59:59Z"'],
  ["c7 04 ff 65 e1 1c 00", '"2024-03-01T00:06:24Z"'],
  ["c8 00 08 ff 00 00 00 00 65 df c7 80", '"2024-02-28T23:53:36Z"'],
  ["c9 00 00 00 04 ff 38 bc 65 ff", '"2000-03-01T00:36:15Z"'],
];

/** Messages that are refused: bytes, code, position, reason. */
export const REFUSED: readonly [digits: string, code: Fault["code"], offset: number, reason?: string][] = [
  ["", "bad_msgpack", 0, "short"],
  ["c1", "bad_msgpack", 0, "reserved"],
  ["91 c1", "bad_msgpack", 1, "reserved"],
  ["81 c1 01", "bad_msgpack", 1, "reserved"],
  ["c0 c0", "bad_msgpack", 1, "trailing"],
  ["80 c1", "bad_msgpack", 1, "trailing"],
  ["81 01 02", "bad_msgpack", 1, "key"],
  ["81 c0 02", "bad_msgpack", 1, "key"],
  ["81 c4 01 61 02", "bad_msgpack", 1, "key"],
  ["81 90 02", "bad_msgpack", 1, "key"],
  ["81 d6 ff 00 00 00 00 02", "bad_msgpack", 1, "key"],
  ["82 a1 61 01 cb", "bad_msgpack", 4, "key"],
  ["d4 01 00", "bad_msgpack", 0, "extension"],
  // as soon as the type stands there
  ["d8 05", "bad_msgpack", 0, "extension"],
  ["c7 ff 05", "bad_msgpack", 0, "extension"],
  ["c7 00 00", "bad_msgpack", 0, "extension"],
  ["91 c9 ff ff ff ff 01", "bad_msgpack", 1, "extension"],
  ["d4 ff 00", "bad_msgpack", 0, "timestamp"],
  ["c7 03 ff 00 00 00", "bad_msgpack", 0, "timestamp"],
  ["d8 ff 00", "bad_msgpack", 0, "timestamp"],
  ["d7 ff ee 6b 28 00 00 00 00 00", "bad_msgpack", 0, "timestamp"],
  ["c7 0c ff 3b 9a ca 00 00 00 00 00 00 00 00 00", "bad_msgpack", 0, "timestamp"],
  ["c7 0c ff 00 00 00 00 ff ff ff f1 86 8b 83 ff", "bad_msgpack", 0, "timestamp"],
  ["c7 0c ff 00 00 00 00 00 00 00 3a ff f4 41 80", "bad_msgpack", 0, "timestamp"],
  ["c7 0c ff 00 00 00 00 80 00 00 00 00 00 00 00", "bad_msgpack", 0, "timestamp"],
  ["d6 ff 00 00 00", "bad_msgpack", 5, "short"],
  ["ca 7f 80 00 00", "bad_msgpack", 0, "not_finite"],
  ["ca 7f c0 00 00", "bad_msgpack", 0, "not_finite"],
  ["91 cb ff f0 00 00 00 00 00 00", "bad_msgpack", 1, "not_finite"],
  ["cb 7f f8 00 00 00 00 00", "bad_msgpack", 8, "short"],
  ["a1 ff", "invalid_utf8", 1],
  ["a2 c3 28", "invalid_utf8", 1],
  ["a4 61 ed a0 80", "invalid_utf8", 2],
  ["a3 61 ed a0 80", "invalid_utf8", 2],
  ["a3 c0 80 61", "invalid_utf8", 1],
  ["a4 f4 90 80 80", "invalid_utf8", 1],
  // what follows a str does not complete its last character
  ["92 a2 e4 b8 a1 ad", "invalid_utf8", 2],
  ["81 a1 e4 01", "invalid_utf8", 2],
  // contents of what is cut are not judged
  ["a3 ff ff", "bad_msgpack", 3, "short"],
  ["db ff ff ff ff 61", "bad_msgpack", 6, "short"],
  ["c6 ff ff ff ff 61", "bad_msgpack", 6, "short"],
  ["dd ff ff ff ff c0 c0", "bad_msgpack", 7, "short"],
  ["df ff ff ff ff a0 c0", "bad_msgpack", 7, "short"],
  ["de 00", "bad_msgpack", 2, "short"],
  ["81 a1 61", "bad_msgpack", 3, "short"],
];

/** JSON texts and their MessagePack bytes. */
export const WRITES: readonly [json: string, digits: string][] = [
  ["null", "c0"],
  ["false", "c2"],
  ["true", "c3"],
  ["0", "00"],
  ["127", "7f"],
  ["128", "cc 80"],
  ["255", "cc ff"],
  ["256", "cd 01 00"],
  ["65535", "cd ff ff"],
  ["65536", "ce 00 01 00 00"],
  ["4294967295", "ce ff ff ff ff"],
  ["4294967296", "cf 00 00 00 01 00 00 00 00"],
  ["9007199254740993", "cf 00 20 00 00 00 00 00 01"],
  ["18446744073709551615", "cf ff ff ff ff ff ff ff ff"],
  ["-1", "ff"],
  ["-32", "e0"],
  ["-33", "d0 df"],
  ["-128", "d0 80"],
  ["-129", "d1 ff 7f"],
  ["-32768", "d1 80 00"],
  ["-32769", "d2 ff ff 7f ff"],
  ["-2147483648", "d2 80 00 00 00"],
  ["-2147483649", "d3 ff ff ff ff 7f ff ff ff"],
  ["-9223372036854775808", "d3 80 00 00 00 00 00 00 00"],
  // by their value, not their spelling
  ["1.0", "01"],
  ["1e3", "cd 03 e8"],
  ["100e-2", "01"],
  ["1.5e1", "0f"],
  ["0e400", "00"],
  ["0.000e-5", "00"],
  ["1.8446744073709551615E+19", "cf ff ff ff ff ff ff ff ff"],
  [`1${times("0", 300)}e-300`, "01"],
  [`0.${times("0", 300)}7e301`, "07"],
  ["-0", "ca 80 00 00 00"],
  ["-0.0e9", "ca 80 00 00 00"],
  ["0.5", "ca 3f 00 00 00"],
  ["-1.25", "ca bf a0 00 00"],
  ["0.1", "cb 3f b9 99 99 99 99 99 9a"],
  ["18446744073709551616", "ca 5f 80 00 00"],
  ["-18446744073709551616", "ca df 80 00 00"],
  ["1e20", "cb 44 15 af 1d 78 b5 8c 40"],
  ["123456789012345678901234567890", "cb 45 f8 ee 90 ff 6c 37 3e"],
  // the nearest double is an integer
  ["-9223372036854775809", "d3 80 00 00 00 00 00 00 00"],
  ["1.00000000000000000000000000001", "01"],
  ["9007199254740993.5", "cf 00 20 00 00 00 00 00 02"],
  ["-9007199254740993.5", "d3 ff df ff ff ff ff ff fe"],
  ["18446744073709551614.5", "ca 5f 80 00 00"],
  ["1e-400", "00"],
  ["-1e-400", "ca 80 00 00 00"],
  ["5e-324", "cb 00 00 00 00 00 00 00 01"],
  ["1.7976931348623157e308", "cb 7f ef ff ff ff ff ff ff"],
  ['""', "a0"],
  [`"${times("a", 31)}"`, `bf ${times("61 ", 31)}`],
  [`"${times("a", 32)}"`, `d9 20 ${times("61 ", 32)}`],
  [`"${times("a", 255)}"`, `d9 ff ${times("61 ", 255)}`],
  [`"${times("a", 256)}"`, `da 01 00 ${times("61 ", 256)}`],
  // shorter than its escapes
  [`"${times("\\n", 31)}"`, `bf ${times("0a ", 31)}`],
  [`"${times("\\u0001", 255)}"`, `d9 ff ${times("01 ", 255)}`],
  ['"\\"\\\\\\b\\f\\n\\r\\t\\u001f"', "a8 22 5c 08 0c 0a 0d 09 1f"],
  ['"é中😀"', "a9 c3 a9 e4 b8 ad f0 9f 98 80"],
  // a lone half has no UTF-8
  ['"\\ud83dx"', "a4 ef bf bd 78"],
  ["[]", "90"],
  ["{}", "80"],
  [`[${times("0,", 14)}0]`, `9f ${times("00 ", 15)}`],
  [`[${times("0,", 15)}0]`, `dc 00 10 ${times("00 ", 16)}`],
  ['{"a":{"b":[{},[]]},"":null}', "82 a1 61 81 a1 62 92 80 90 a0 c0"],
];

/** A number text of any kind and length that JSON allows. */
export function randomNumber(rng: Rng): string {
  const digits = (n: number): string => Array.from({ length: n }, () => rng.int(10)).join("");
  const kind = rng.int(6);
  const sign = rng.chance(0.3) ? "-" : "";
  if (kind === 0) return `${sign}${rng.int(300)}`;
  if (kind === 1) return `${sign}${BigInt(`1${digits(rng.between(0, 21))}`) + BigInt(rng.between(-1, 1))}`;
  if (kind === 2) return `${sign}${(1n << BigInt(rng.between(0, 66))) + BigInt(rng.between(-1, 1))}`;
  if (kind === 3) return String((rng.next() - 0.5) * 10 ** rng.between(-20, 25));
  const whole = rng.chance(0.3) ? "0" : `${rng.between(1, 9)}${digits(rng.int(30))}`;
  const fraction = rng.chance(0.6) ? `.${digits(rng.between(1, 25))}` : "";
  const power = rng.chance(0.6) ? `${rng.pick(["e", "E"])}${rng.pick(["", "+", "-"])}${rng.int(40)}` : "";
  return `${sign}${whole}${fraction}${power}`;
}

function sized(lead: number, size: number, width: number): Uint8Array {
  const out = new Uint8Array(1 + width);
  out[0] = lead;
  for (let i = 0; i < width; i++) out[width - i] = Math.floor(size / 256 ** i) & 255;
  return out;
}

/** Any of the formats that a size fits into: `small` up to `most`, then `lead` with 1 (str, bin), 2 or 4 bytes. */
function header(
  rng: Rng,
  size: number,
  small: number | undefined,
  most: number,
  lead: number,
  widths: number[],
): Uint8Array {
  if (small !== undefined && size <= most && rng.chance(0.6)) return Uint8Array.of(small | size);
  const fitting = widths.map((width, i) => [lead + i, width] as const).filter(([, width]) => size < 256 ** width);
  const [chosen, width] = rng.pick(fitting);
  return sized(chosen, size, width);
}

/** A random message in whatever formats the specification allows, timestamps, bin and repeated keys among them. */
export function randomMessage(rng: Rng, depth: number, texts: readonly string[]): Uint8Array {
  const kind = rng.int(depth > 0 ? 12 : 9);
  const string = (): Uint8Array => {
    const body = utf8(rng.pick(texts));
    return concat([header(rng, body.length, 0xa0, 31, 0xd9, [1, 2, 4]), body]);
  };
  if (kind === 0) return Uint8Array.of(rng.pick([0xc0, 0xc2, 0xc3]));
  if (kind < 3) return string();
  if (kind === 3) return Uint8Array.of(rng.pick([rng.int(128), 224 + rng.int(32)]));
  if (kind < 6) {
    const lead = rng.pick([0xcc, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd2, 0xd3]);
    const body = Uint8Array.from({ length: 1 << (lead & 3) }, () => rng.pick([0, 255, 128, 127, rng.int(256)]));
    return concat([Uint8Array.of(lead), body]);
  }
  if (kind === 6) {
    const out = new DataView(new ArrayBuffer(9));
    const value = rng.pick([rng.next(), (rng.next() - 0.5) * 2 ** rng.between(-80, 90), rng.int(1000), 0, -0]);
    if (rng.chance(0.5)) {
      out.setUint8(0, 0xca);
      out.setFloat32(1, value);
      return new Uint8Array(out.buffer, 0, 5);
    }
    out.setUint8(0, 0xcb);
    out.setFloat64(1, value);
    return new Uint8Array(out.buffer);
  }
  if (kind === 7) {
    const body = Uint8Array.from({ length: rng.int(20) }, () => rng.int(256));
    return concat([header(rng, body.length, undefined, 0, 0xc4, [1, 2, 4]), body]);
  }
  if (kind === 8) {
    const size = rng.pick([4, 8, 12]);
    const body = Uint8Array.from({ length: size }, (_, i) =>
      size === 12 && i < 7 ? 0 : i === 0 ? rng.int(180) : rng.int(256),
    );
    return concat([header(rng, size, undefined, 0, 0xc7, [1, 2, 4]), Uint8Array.of(0xff), body]);
  }
  const n = rng.chance(0.1) ? rng.pick([0, 15, 16, 31]) : rng.int(5);
  const isMap = rng.chance(0.5);
  const parts = [isMap ? header(rng, n, 0x80, 15, 0xde, [2, 4]) : header(rng, n, 0x90, 15, 0xdc, [2, 4])];
  for (let i = 0; i < n; i++) {
    if (isMap) parts.push(string());
    parts.push(randomMessage(rng, depth - 1, texts));
  }
  return concat(parts);
}

/** Bytes with a few of them changed, removed, inserted or cut off. */
export function mutateMessage(rng: Rng, bytes: Uint8Array): Uint8Array {
  const out = [...bytes];
  for (let k = rng.int(3); k >= 0; k--) {
    const at = rng.int(out.length + 1);
    const byte = rng.chance(0.5) ? rng.between(0x80, 0xdf) : rng.int(256);
    const kind = rng.int(4);
    if (kind === 0) out.splice(at, 1);
    else if (kind === 1) out.splice(at, 0, byte);
    else if (kind === 2 && at < out.length) out[at] = byte;
    else out.length = at;
  }
  return Uint8Array.from(out);
}
