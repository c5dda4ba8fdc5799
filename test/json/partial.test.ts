import { describe, expect, it } from "vitest";
import { PartialJson } from "../../src/json/partial.js";

/** The value and the error's position after the pieces. */
function read(pieces: string[], complete = false): [unknown, number | undefined] {
  const json = new PartialJson();
  pieces.forEach((piece, i) => {
    json.push(piece, complete && i === pieces.length - 1);
  });
  return [json.value, json.error?.position];
}

describe("what is readable", () => {
  it.each<[string, string, unknown]>([
    ["nothing", "", {}],
    ["white space", " \n", {}],
    ["an open object", '{"a":1,', { a: 1 }],
    ["an open string", '{"a":"hel', { a: "hel" }],
    ["a name alone", '{"a":1,"b', { a: 1 }],
    ["a member without a value", '{"a":1,"b":', { a: 1 }],
    ["an incomplete escape", '["a\\', ["a"]],
    ["an incomplete unicode escape", '["a\\u00e', ["a"]],
    ["a half of a pair", '["a\\ud83d', ["a"]],
    ["a half of a pair as it is", '["a\ud83d', ["a"]],
    ["a half before another character", '["a\\ud83db', ["a\ud83db"]],
    ["a half at the end of the string", '["\\ud83d"', ["\ud83d"]],
    ["an incomplete literal", '{"a":tru', {}],
    ["a number at the end", '{"a":12', {}],
    ["a number that something follows", "[12 ", [12]],
    ["nesting", '{"a":[{"b":[1,[]', { a: [{ b: [1, []] }] }],
    ["a repeated name", '{"a":1,"a":[2', { a: [] }],
    ["a string alone", '"ab', "ab"],
  ])("%s", (_, text, value) => {
    expect(read([text])).toEqual([value, undefined]);
  });

  it("counts a number when the text is complete, and goes on should there be more", () => {
    const json = new PartialJson();
    json.push("[1", true);
    expect(json.value).toEqual([1]);
    json.push("2]", true);
    expect(json.value).toEqual([12]);
    expect(json.error).toBeUndefined();
  });

  it("takes __proto__ as a name like any other", () => {
    const [value] = read(['{"__proto__":{"a":', "1}}"]);
    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it("fills the containers that it gave out", () => {
    const json = new PartialJson();
    json.push("", false);
    const root = json.value;
    json.push('{"list":[', false);
    const list = (json.value as { list: unknown[] }).list;
    json.push('1,"x"]}', false);
    expect(json.value).toBe(root);
    expect(list).toEqual([1, "x"]);
  });

  it("is the whole value at every cut of a whole text", () => {
    const text = ' {"a": [1.5e+2, -0, true, null, "\\n\\u00e9\ud83d\ude00\\ud83d\\ude00"], "b": {"": []}, "c": 10 } ';
    const whole = JSON.parse(text);
    expect(read([...text.split("")], true)).toEqual([whole, undefined]);
    for (let i = 0; i <= text.length; i++)
      expect(read([text.slice(0, i), text.slice(i)], true)).toEqual([whole, undefined]);
  });

  it("costs what is new: a long string in short pieces, deep nesting", () => {
    const json = new PartialJson();
    json.push('["', false);
    for (let i = 0; i < 200_000; i++) json.push("ab", false);
    expect((json.value as string[])[0]).toHaveLength(400_000);
    const deep = new PartialJson();
    deep.push("[".repeat(200_000), false);
    expect(deep.error).toBeUndefined();
  });
});

describe("errors", () => {
  it.each<[string, string, number, unknown]>([
    ["no JSON", "xyz", 0, {}],
    ["a bad escape", '["a\\x"]', 4, ["a"]],
    ["a bad unicode escape", '["\\u00g0"]', 6, [""]],
    ["a bad literal", '{"a":1,"b":trux', 14, { a: 1 }],
    ["a leading zero", "[01]", 2, [0]],
    ["a number that breaks off", "[1.]", 3, []],
    ["a control character", '["a\nb"]', 3, ["a"]],
    ["a comma before the end", "[1,]", 3, [1]],
    ["a name that is no string", "{a:1}", 1, {}],
    ["a wrong bracket", '{"a":1]', 6, { a: 1 }],
    ["something behind the end", "{} x", 3, {}],
  ])("%s", (_, text, position, value) => {
    expect(read([text])).toEqual([value, position]);
    expect(read([...text])).toEqual([value, position]);
  });

  it("says that a complete text breaks off, at its end", () => {
    expect(read(['{"a":', '"b'], true)).toEqual([{ a: "b" }, 7]);
    expect(read(["[1"], true)).toEqual([[1], 2]);
    expect(read(["-"], true)).toEqual([{}, 1]);
    expect(read([" "], true)).toEqual([{}, undefined]);
    expect(read(["12"], true)).toEqual([12, undefined]);
  });

  it("stays with the first one", () => {
    expect(read(["[1,x", "]"], true)).toEqual([[1], 3]);
  });
});
