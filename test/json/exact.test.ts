import { describe, expect, it } from "vitest";
import {
  ExactNumber,
  mayHoldExactNumber,
  memberNames,
  parseExact,
  parseWithBigInt,
  readExact,
  stringify,
} from "../../src/json/exact.js";
import { decimalOf, exactDouble, isIntegerText, isZeroText, numberOrBigInt } from "../../src/json/number.js";

/** Numbers as they stand, whether doubles or texts. */
const text = (value: unknown): string =>
  value instanceof ExactNumber ? `#${value.text}` : Object.is(value, -0) ? "-0" : String(value);

describe("numbers", () => {
  const cases: [string, string, number | bigint][] = [
    ["0", "0", 0],
    ["-0", "#-0", -0],
    ["-0.0", "#-0.0", -0],
    ["-0e7", "#-0e7", -0],
    ["0.0", "0", 0],
    ["0e999999999999", "0", 0],
    ["1.0", "1", 1],
    ["1.10", "1.1", 1.1],
    ["0.1", "0.1", 0.1],
    ["-0.05", "-0.05", -0.05],
    ["1e2", "100", 100],
    ["1E+2", "100", 100],
    ["100e-2", "1", 1],
    ["1e20", "#1e20", 1e20],
    ["1e21", "1e+21", 1e21],
    ["1e23", "1e+23", 1e23],
    ["1e400", "#1e400", Number.POSITIVE_INFINITY],
    ["-1e400", "#-1e400", Number.NEGATIVE_INFINITY],
    ["1e-400", "#1e-400", 0],
    ["5e-324", "5e-324", 5e-324],
    ["4e-324", "#4e-324", 5e-324],
    ["0.1000000000000000055511151231257827", "#0.1000000000000000055511151231257827", 0.1],
    ["9007199254740991", "9007199254740991", 9007199254740991],
    ["9007199254740991.0", "9007199254740991", 9007199254740991],
    ["9007199254740992", "9007199254740992", 9007199254740992],
    ["9007199254740993", "#9007199254740993", 9007199254740993n],
    ["-9007199254740993", "#-9007199254740993", -9007199254740993n],
    ["9007199254740993.0", "#9007199254740993.0", 9007199254740992],
    ["9007199254740993e0", "#9007199254740993e0", 9007199254740992],
    ["1152921504606846976", "#1152921504606846976", 2 ** 60],
    ["1152921504606847000", "#1152921504606847000", 1152921504606847000n],
    ["1.152921504606847e18", "#1.152921504606847e18", 1152921504606847000],
    ["100000000000000000000", "100000000000000000000", 1e20],
    ["1000000000000000000000", "1e+21", 1e21],
    ["100000000000000000000000", "#100000000000000000000000", 100000000000000000000000n],
    [`1${"0".repeat(400)}`, `#1${"0".repeat(400)}`, BigInt(`1${"0".repeat(400)}`)],
    ["123456789012345678", "#123456789012345678", 123456789012345678n],
    ["0.30000000000000004", "0.30000000000000004", 0.30000000000000004],
    ["0.300000000000000044", "#0.300000000000000044", 0.30000000000000004],
  ];

  it.each(cases)("%s", (number, kept, value) => {
    for (const [before, after] of [
      ["", ""],
      ["[", "]"],
      ['{"a":', "}"],
      [" [1, ", " ]"],
      ['["x",\n', "\t]"],
    ] as const) {
      const source = `${before}${number}${after}`;
      const leaf = (tree: unknown): unknown =>
        typeof tree === "object" && tree !== null && !(tree instanceof ExactNumber) ? Object.values(tree).at(-1) : tree;
      expect(text(leaf(parseExact(source)))).toBe(kept);
      expect(text(leaf(readExact(source)))).toBe(kept);
      expect(leaf(parseWithBigInt(source))).toBe(value);
      if (kept.startsWith("#")) expect(mayHoldExactNumber(source)).toBe(true);
      expect(stringify(parseExact(source))).toBe(
        kept.startsWith("#") ? source.replace(/\s/g, "") : JSON.stringify(JSON.parse(source)),
      );
    }
    expect(exactDouble(number)).toBe(kept.startsWith("#") ? undefined : Number(number));
    expect(numberOrBigInt(number)).toBe(value);
  });

  it("names the same decimal alike, and no other", () => {
    const same = ["100", "1e2", "1E+2", "0.1e3", "100.0", "10000e-2", "1.00e2"];
    expect(new Set(same.map(decimalOf)).size).toBe(1);
    expect(new Set(["1", "10", "0.1", "-1", "0", "-0", "1.0000000000000000000001"].map(decimalOf)).size).toBe(7);
  });

  it("tells integers and zeros", () => {
    expect(["0", "-0", "12", "-12"].every(isIntegerText)).toBe(true);
    expect(["1.0", "1e2", "-", ""].some(isIntegerText)).toBe(false);
    expect(["0", "-0", "0.00", "-0.0e5", "0E-7"].every(isZeroText)).toBe(true);
    expect(["1", "0.01", "1e-400", "10"].some(isZeroText)).toBe(false);
  });

  it("looks at numbers, not at strings", () => {
    for (const plain of [
      '{"a":"2024-01-01T00:00:00Z"}',
      '{"id":"3e5f-0"}',
      '["-0"]',
      '["1234567890123456789"]',
      "[-0.5,-10,12.5]",
      '{"e5":1}',
    ]) {
      expect(mayHoldExactNumber(plain), plain).toBe(false);
    }
  });
});

describe("reading and writing", () => {
  const TEXTS = [
    "null",
    ' "x" ',
    "[]",
    "{}",
    "[[],{},[{}]]",
    '{"a":{"b":[1,2,{"c":null}],"d":true},"e":false}',
    '{"\\u0061\\"\\\\":"\\ud83d\\ude00\\ud83d\\u0000\\/é中😀"}',
    '{"__proto__":{"a":1},"constructor":2,"toString":[]}',
    '{"b":1,"a":2,"b":{"c":3}}',
    '{"2":1,"a":2,"1":3}',
    '[ 1 ,\n"," , "]" , "}" , "\\"" , "\\\\" , "\\\\\\"" ]',
    '{"":{"":""}}',
  ];

  it.each(TEXTS)("%s", (source) => {
    const value = JSON.parse(source);
    expect(readExact(source)).toStrictEqual(value);
    expect(JSON.stringify(readExact(source))).toBe(JSON.stringify(value));
    expect(stringify(value)).toBe(JSON.stringify(value));
    expect(stringify(readExact(`[${source},1e400]`))).toBe(`[${JSON.stringify(value)},1e400]`);
  });

  it("takes __proto__ as an own member", () => {
    const value = readExact('{"__proto__":{"polluted":1e400}}') as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("throws for what is no JSON", () => {
    for (const bad of ["", "{", "[1,]", "01", "1e400x", '{"a":1e400,}', "9007199254740993 1", "nul"]) {
      expect(() => parseExact(bad), bad).toThrow(SyntaxError);
      expect(() => parseWithBigInt(bad), bad).toThrow(SyntaxError);
    }
  });

  it("does not recurse", () => {
    const depth = 20_000;
    const source = `${'[{"a":'.repeat(depth)}1e400${"}]".repeat(depth)}`;
    expect(stringify(readExact(source))).toBe(source);
  });

  it("names members in document order, each once, at any place", () => {
    const source =
      '{"z":1,"2":[{"q":0},{"b":1,"0":{"x":"}"},"b":[2,"]"]}],"a":{"dead":1},"1":-1.5e3,"a":{"y":1,"\\u0031":2,"1":3,"__proto__":4}}';
    expect(memberNames(source, [])).toEqual(["z", "2", "a", "1"]);
    expect(memberNames(source, ["2", 1])).toEqual(["b", "0"]);
    expect(memberNames(source, ["2", 1, "0"])).toEqual(["x"]);
    expect(memberNames(source, ["a"])).toEqual(["y", "1", "__proto__"]);
    expect(memberNames(" {\t} ", [])).toEqual([]);
  });
});
