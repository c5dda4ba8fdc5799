import { describe, expect, it } from "vitest";
import { decodeReplacing, decodeUtf8 } from "../../src/codec/text.js";
import { findLongNumber, findTextFault } from "../../src/engine/js/codec/text-fault.js";
import { bytesOf, random } from "./support.js";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));

/** Text as Latin-1 bytes, and where it stops being a prefix of JSON. */
const BAD: [string, number][] = [
  ["", 0],
  [" \t\r\n", 4],
  ["\v1", 0],
  ["trux", 3],
  ["tru", 3],
  ["True", 0],
  ["nulll", 4],
  ["falsee", 5],
  ["NaN", 0],
  ["Infinity", 0],
  ["undefined", 0],
  ["'a'", 0],
  ["01", 1],
  ["-01", 2],
  ["00", 1],
  ["-", 1],
  ["+1", 0],
  [".5", 0],
  ["1.", 2],
  ["1.e5", 2],
  ["1e", 2],
  ["1e+", 3],
  ["1e5.5", 3],
  ["1 2", 2],
  ["0x1", 1],
  ["1_0", 1],
  ["--1", 1],
  ['"', 1],
  ['"a', 2],
  ['"\n"', 1],
  ['"a\u0000"', 2],
  ['"\u001f"', 1],
  ['"\\x"', 2],
  ['"\\', 2],
  ['"\\u"', 3],
  ['"\\u12"', 5],
  ['"\\u12G4"', 5],
  ['"\\u 123"', 3],
  ['"\\u123', 6],
  ['"\\U0041"', 2],
  ["[", 1],
  ["[1", 2],
  ["[1,", 3],
  ["[1,]", 3],
  ["[,1]", 1],
  ["[1 2]", 3],
  ["[1}", 2],
  ["]", 0],
  ["{", 1],
  ["{1:2}", 1],
  ["{a:1}", 1],
  ['{"a"}', 4],
  ['{"a" 1}', 5],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['{"a":1]', 6],
  ['{"a":1 "b":2}', 7],
  ['{"a":1', 6],
  ['{,"a":1}', 1],
  ["[1]]", 3],
  ["{}{}", 2],
  ["[]x", 2],
  ["// c\n1", 0],
  ["1/**/", 1],
];

/** The same for UTF-8 faults. */
const ILL_FORMED: [string, number][] = [
  ['"\x80"', 1],
  ['"\xc3"', 1],
  ['"a\xc3(b"', 2],
  ['"\xc0\xaf"', 1],
  ['"\xc1\xbf"', 1],
  ['"\xe0\x9f\xbf"', 1],
  ['"\xed\xa0\x80"', 1],
  ['"\xe4\xb8"', 1],
  ['"\xe4\xb8', 1],
  ['"\xf0\x8f\xbf\xbf"', 1],
  ['"\xf4\x90\x80\x80"', 1],
  ['"\xf5\x80\x80\x80"', 1],
  ['"\xf0\x9f\x98"', 1],
  ['"\xff"', 1],
  ["\xff", 0],
  ["[1\xff]", 2],
  ['{"a":\x80}', 5],
  ['"\\\xff"', 2],
  ["tr\xff", 2],
];

describe("a text's first fault", () => {
  it.each(BAD)("%j at %i", (text, position) => {
    expect(findTextFault(latin1(text), 512, false)).toEqual({ code: "bad_json", position });
    expect(findTextFault(latin1(text), 512, true)).toEqual({ code: "bad_json", position });
  });

  it.each(ILL_FORMED)("%j at %i", (text, position) => {
    expect(findTextFault(latin1(text), 512, false)).toEqual({ code: "invalid_utf8", position });
    expect(decodeUtf8(latin1(text))).toBeUndefined();
  });

  it("is the one of lowest offset", () => {
    expect(findTextFault(latin1('[1,"\xff"'), 1, false)).toEqual({ code: "invalid_utf8", position: 4 });
    expect(findTextFault(latin1('[x"\xff"[['), 1, false)).toEqual({ code: "bad_json", position: 1 });
    expect(findTextFault(latin1('[[x"\xff"'), 1, false)).toEqual({ code: "too_deep", position: 1 });
    expect(findTextFault(latin1("[é["), 1, false)).toEqual({ code: "invalid_utf8", position: 1 });
    expect(findTextFault(bytesOf("[é["), 1, false)).toEqual({ code: "bad_json", position: 1 });
  });

  it("is the bracket that opens one level too many", () => {
    expect(findTextFault(bytesOf("[[],[]]"), 2, false)).toBeUndefined();
    expect(findTextFault(bytesOf('[[],[{}],"[["]'), 2, false)).toEqual({ code: "too_deep", position: 5 });
    expect(findTextFault(bytesOf(`${"[".repeat(4096)}${"]".repeat(4096)}`), 4096, false)).toBeUndefined();
    expect(findTextFault(bytesOf("[".repeat(1_000_000)), 4096, false)).toEqual({ code: "too_deep", position: 4096 });
  });

  it("agrees with JSON.parse on mutated texts", () => {
    const next = random(11);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
    const seeds = [
      '{"a":[1,-2.5e+3,{"b\\u00e9":"\\n\\"é中😀"}],"c":null,"d":true,"e":[],"f":{}}',
      '[ false , "x" , 0 , [ ] ]',
      '"\\ud800"',
      " -0 ",
    ];
    let valid = 0;
    for (let round = 0; round < 20_000; round++) {
      let bytes = [...bytesOf(pick(seeds))];
      for (let i = Math.floor(next() * 3); i >= 0; i--) {
        const at = Math.floor(next() * bytes.length);
        const byte = next() < 0.5 ? pick([...bytesOf('{}[]",:\\ u0e.-tfn')]) : Math.floor(next() * 256);
        const kind = next();
        if (kind < 0.4) bytes[at] = byte;
        else if (kind < 0.7) bytes.splice(at, 1);
        else bytes.splice(at, 0, byte);
      }
      if (next() < 0.1) bytes = bytes.slice(0, Math.floor(next() * bytes.length));
      const message = Uint8Array.from(bytes);
      const text = decodeUtf8(message);
      const strict = text !== undefined && parses(text);
      const lenient = parses(decodeReplacing(message));
      const fault = findTextFault(message, 512, false);
      expect(fault === undefined, JSON.stringify(bytes)).toBe(strict);
      expect(findTextFault(message, 512, true) === undefined).toBe(lenient);
      if (fault === undefined) {
        valid++;
        continue;
      }
      // What stands before the fault is the beginning of some text, and with the byte at fault it is none.
      expect(findTextFault(message.subarray(0, fault.position), 512, false)?.position ?? fault.position).toBe(
        fault.position,
      );
    }
    expect(valid).toBeGreaterThan(1000);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("long numbers", () => {
  it.each([
    ['{"a":12345}', 5, -1],
    ['{"a":123456}', 5, 5],
    ['["123456","\\"123456",-1.5e2]', 5, 21],
    ["[1,-12345]", 5, 3],
    ["123456", 5, 0],
    ['{"123456":"x\\\\","a":1}', 5, -1],
  ])("%s beyond %i", (text, limit, position) => {
    expect(findLongNumber(bytesOf(text), limit)).toBe(position);
  });
});
