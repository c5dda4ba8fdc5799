import { describe, it } from "vitest";
import { latin1, utf8 } from "../support/bytes.js";
import { type ExpectedFault, openText, patched, survivesParse, unpatched } from "../support/documents.js";
import { KINDS } from "../support/engines.js";

/** A patch as JSON text and what it must come to: a document, or a fault. */
type Row = [name: string, before: string, patch: string, after: string | ExpectedFault];

const NO_VALUE = "there is no value at this pointer";
const BAD_INDEX = "the array index is not valid";
const RANGE = "the array index is out of range";
const NOT_CONTAINER = "the parent is neither an object nor an array";
const NOT_EQUAL = "the values are not equal";
const INTO_ITSELF = "a value cannot be moved into itself";
const REMOVE_ROOT = "the root cannot be removed";

function failed(reason: string, path: string, opIndex = 0): ExpectedFault {
  return { code: "delta_failed", reason, path, opIndex };
}

function bad(path: string, reason: string): ExpectedFault {
  const index = /^\/(\d+)/.exec(path)?.[1];
  return { code: "bad_patch", reason, path, ...(index === undefined ? {} : { opIndex: Number(index) }) };
}

const add = (path: string, value: string): string => `[{"op":"add","path":"${path}","value":${value}}]`;
const replace = (path: string, value: string): string => `[{"op":"replace","path":"${path}","value":${value}}]`;
const remove = (path: string): string => `[{"op":"remove","path":"${path}"}]`;
const move = (from: string, path: string): string => `[{"op":"move","from":"${from}","path":"${path}"}]`;
const copy = (from: string, path: string): string => `[{"op":"copy","from":"${from}","path":"${path}"}]`;
const test = (path: string, value: string): string => `[{"op":"test","path":"${path}","value":${value}}]`;

const APPLIES: Row[] = [
  ["add a member behind the others", '{"b":1}', add("/a", "2"), '{"b":1,"a":2}'],
  ["add a member that is there: in its place", '{"a":1,"b":2}', add("/a", "[3]"), '{"a":[3],"b":2}'],
  ["add to an empty object", "{}", add("/a", "{}"), '{"a":{}}'],
  ["add a member with an empty name", "{}", add("/", "1"), '{"":1}'],
  ["add before an element", "[1,3]", add("/1", "2"), "[1,2,3]"],
  ["add before the first", "[1]", add("/0", "0"), "[0,1]"],
  ["add at the length", "[1,2]", add("/2", "3"), "[1,2,3]"],
  ["add at the end", "[1,2]", add("/-", "3"), "[1,2,3]"],
  ["add to an empty array", "[]", add("/-", "null"), "[null]"],
  ["a name - in an object is ordinary", '{"-":1}', replace("/-", "2"), '{"-":2}'],
  ["a name 01 in an object is ordinary", '{"01":1}', remove("/01"), "{}"],
  ["add the root", '{"a":1}', add("", "[1]"), "[1]"],
  ["add a scalar root", '{"a":1}', add("", '"x"'), '"x"'],
  ["replace the root", "[1]", replace("", '{"a":1}'), '{"a":1}'],
  ["replace a scalar root", "1", replace("", "2"), "2"],
  [
    "a patch goes on in the new root",
    "[1]",
    '[{"op":"add","path":"","value":{"a":[]}},{"op":"add","path":"/a/-","value":1}]',
    '{"a":[1]}',
  ],
  ["replace a member in its place", '{"a":1,"b":2,"c":3}', replace("/b", "null"), '{"a":1,"b":null,"c":3}'],
  ["replace an element", "[1,2,3]", replace("/1", "[]"), "[1,[],3]"],
  ["remove a member", '{"a":1,"b":2,"c":3}', remove("/b"), '{"a":1,"c":3}'],
  ["remove the last member", '{"a":1}', remove("/a"), "{}"],
  ["remove an element", "[1,2,3]", remove("/1"), "[1,3]"],
  [
    "a removed member that comes again comes last",
    '{"a":1,"b":2}',
    '[{"op":"remove","path":"/a"},{"op":"add","path":"/a","value":3}]',
    '{"b":2,"a":3}',
  ],
  ["move a member", '{"a":{"x":1},"b":[]}', move("/a/x", "/b/-"), '{"a":{},"b":[1]}'],
  ["move a member over another", '{"a":1,"b":2,"c":3}', move("/a", "/c"), '{"b":2,"c":1}'],
  ["rename", '{"a":1,"b":2}', move("/a", "/c"), '{"b":2,"c":1}'],
  ["move an element to the front", "[1,2,3]", move("/2", "/0"), "[3,1,2]"],
  ["move an element to the end: counted without it", "[1,2,3]", move("/0", "/2"), "[2,3,1]"],
  ["move an element to -", "[1,2,3]", move("/0", "/-"), "[2,3,1]"],
  ["move to itself", '{"a":1,"b":2}', move("/a", "/a"), '{"a":1,"b":2}'],
  ["move an element to itself", "[1,2]", move("/1", "/1"), "[1,2]"],
  ["move the root to itself", "[1]", move("", ""), "[1]"],
  ["move to the root", '{"a":{"b":[1]}}', move("/a/b", ""), "[1]"],
  ["move an element to the root", '[1,{"b":2}]', move("/1", ""), '{"b":2}'],
  ["a name that only begins like another is no prefix", '{"a":1,"ab":{}}', move("/a", "/ab/a"), '{"ab":{"a":1}}'],
  ["copy a member", '{"a":{"x":[1]}}', copy("/a", "/b"), '{"a":{"x":[1]},"b":{"x":[1]}}'],
  ["copy an element", "[[1],2]", copy("/0", "/2"), "[[1],2,[1]]"],
  ["copy over what is there", '{"a":1,"b":2}', copy("/a", "/b"), '{"a":1,"b":1}'],
  ["copy to itself: a member", '{"a":1,"b":2}', copy("/a", "/a"), '{"a":1,"b":2}'],
  ["copy to itself: an element comes twice", "[1,2]", copy("/0", "/0"), "[1,1,2]"],
  ["copy an ancestor into its child", '{"a":{"b":{}}}', copy("/a", "/a/b/c"), '{"a":{"b":{"c":{"b":{}}}}}'],
  ["copy the root into itself", "[1]", copy("", "/-"), "[1,[1]]"],
  ["copy to the root", '{"a":{"b":1}}', copy("/a", ""), '{"b":1}'],
  [
    "a copy is not the original",
    '{"a":{"x":[1]}}',
    '[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/a/x/-","value":2},{"op":"remove","path":"/b/x/0"}]',
    '{"a":{"x":[1,2]},"b":{"x":[]}}',
  ],
  [
    "a copy of what the patch brought is not the original",
    "{}",
    '[{"op":"add","path":"/a","value":{"x":[1]}},{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/a/x/-","value":2}]',
    '{"a":{"x":[1,2]},"b":{"x":[1]}}',
  ],
  [
    "~1 is a slash, ~0 a tilde, decoded once",
    '{"a/b":1,"m~n":2,"~1":3}',
    '[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/m~0n"},{"op":"replace","path":"/~01","value":4}]',
    '{"~1":4}',
  ],
  [
    "escapes of the patch do not matter",
    '{"é\\n\\"":1}',
    '[{"op":"replace","path":"/\\u00e9\\u000a\\u0022","value":2}]',
    '{"é\\n\\"":2}',
  ],
  [
    "escapes of the document do not matter",
    '{"\\u0061":1,"\\ud83d\\ude00":2}',
    '[{"op":"remove","path":"/a"},{"op":"replace","path":"/😀","value":3}]',
    '{"😀":3}',
  ],
  ["an escaped slash in the patch is a slash", '{"a":{"b":1}}', '[{"op":"remove","path":"\\/a\\u002fb"}]', '{"a":{}}'],
  ["an escaped tilde in the patch is a tilde", '{"/":1}', '[{"op":"replace","path":"/\\u007e1","value":2}]', '{"/":2}'],
  [
    "lone halves are names like others",
    '{"\\ud800":1,"\\udc00":2}',
    '[{"op":"remove","path":"/\\ud800"}]',
    '{"\\udc00":2}',
  ],
  [
    "prototype names are names",
    '{"__proto__":{"a":1},"constructor":2}',
    '[{"op":"add","path":"/__proto__/b","value":2},{"op":"replace","path":"/constructor","value":{"prototype":1}},{"op":"add","path":"/constructor/prototype","value":3}]',
    '{"__proto__":{"a":1,"b":2},"constructor":{"prototype":3}}',
  ],
  [
    "prototype names come in by add",
    "{}",
    '[{"op":"add","path":"/__proto__","value":{"polluted":1}},{"op":"add","path":"/toString","value":1},{"op":"copy","from":"/__proto__","path":"/hasOwnProperty"}]',
    '{"__proto__":{"polluted":1},"toString":1,"hasOwnProperty":{"polluted":1}}',
  ],
  ["prototype names move", '{"__proto__":[1]}', move("/__proto__", "/valueOf"), '{"valueOf":[1]}'],
  ["prototype names go", '{"__proto__":[1],"a":2}', remove("/__proto__"), '{"a":2}'],
  [
    "numbers keep their digits",
    '{"a":1.50,"b":12345678901234567890}',
    '[{"op":"add","path":"/c","value":1e400},{"op":"move","from":"/b","path":"/d"},{"op":"copy","from":"/a","path":"/e"}]',
    '{"a":1.50,"c":1e400,"d":12345678901234567890,"e":1.50}',
  ],
  [
    "strings of every kind come in",
    "[]",
    add("/-", '"\\u0000\\ud800\\u20ac\\"\\\\\\/"'),
    '["\\u0000\\ud800€\\"\\\\/"]',
  ],
  ["an empty patch", '{"a":1}', "[]", '{"a":1}'],
  [
    "white space in the patch",
    "[]",
    ' [ { "op" : "add" , "path" : "/-" , "value" : [ 1 , { "a" : 2 } ] } ] ',
    '[[1,{"a":2}]]',
  ],
  [
    "members in any order, unknown ones ignored",
    '{"a":1}',
    '[{"value":2,"x":[{"op":"?"}],"path":"/a","from":7,"op":"replace"}]',
    '{"a":2}',
  ],
  [
    "a value of remove, a from of add are ignored",
    '{"a":1}',
    '[{"op":"remove","path":"/a","value":1},{"op":"add","path":"/b","from":"nowhere","value":1}]',
    '{"b":1}',
  ],
  [
    "the last of repeated members counts",
    '{"a":1,"b":2}',
    '[{"op":"add","path":"/a","value":1,"op":"remove","path":"/b","path":"/a"}]',
    '{"b":2}',
  ],
  ["an operation's members by their characters", '{"a":1}', '[{"\\u006fp":"rem\\u006fve","p\\u0061th":"/a"}]', "{}"],
];

const EQUAL: Row[] = [
  ["the root", '{"a":[1]}', '{"a":[1]}'],
  ["1.0 is 1e0", "1.0", "1e0"],
  ["100 is 1E+2", "100", "1E+2"],
  ["0 is -0", "0", "-0"],
  ["0 is 0e99", "0e99", "-0.000"],
  ["0.1 is 1e-1", "0.1", "1e-1"],
  ["12345678901234567890 is 1234567890123456789e1", "12345678901234567890", "1234567890123456789e1"],
  ["1e400 is 10e399", "1e400", "10e399"],
  ["huge exponents", "1e99999999999999999999", "10e99999999999999999998"],
  ["escapes", '"a\\u0062\\u00e9\\/"', '"abé/"'],
  ["lone halves", '"\\uD800x"', '"\\ud800x"'],
  ["pairs", '"\\ud83d\\ude00"', '"😀"'],
  ["order of members", '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
  ["escaped names", '{"\\u0061":1}', '{"a":1}'],
  ["repeated members", '{"a":1,"a":2}', '{"a":2}'],
  ["repeated members of the patch", '{"a":2,"b":3}', '{"a":1,"b":3,"a":2}'],
  ["empty containers", '[{},[],""]', '[{},[],""]'],
  ["prototype names", '{"__proto__":1}', '{"__proto__":1}'],
].map(([name, a, b]) => [`test: equal: ${name}`, a!, test("", b!), a!]);

const UNEQUAL: Row[] = [
  ["digits beyond a double", "0.1", "0.10000000000000001"],
  ["large integers", "9007199254740993", "9007199254740992"],
  ["huge exponents", "1e99999999999999999999", "1e99999999999999999998"],
  ["underflow is not zero", "1e-400", "0"],
  ["signs", "-1", "1"],
  ["number and string", "1", '"1"'],
  ["null and false", "null", "false"],
  ["null and a missing member", '{"a":null}', "{}"],
  ["empty object and array", "{}", "[]"],
  ["order of elements", "[1,2]", "[2,1]"],
  ["a longer array", "[1,2]", "[1,2,3]"],
  ["a shorter array", "[1,2]", "[1]"],
  ["another name", '{"a":1}', '{"b":1}'],
  ["one member more", '{"a":1}', '{"a":1,"b":2}'],
  ["one member less", '{"a":1,"b":2}', '{"a":1}'],
  ["members by count with a repeated one", '{"a":1,"b":2}', '{"a":1,"a":1}'],
  ["lone halves", '"\\ud800"', '"\\ud801"'],
  ["a lone half and a replacement", '"\\ud800"', '"\ufffd"'],
  ["composed and decomposed", '"é"', '"e\u0301"'],
  ["inherited names", "{}", '{"constructor":1}'],
  ["prototypes", '{"a":1}', '{"__proto__":{"a":1}}'],
  ["deep inside", '{"a":[{"b":[1,2,{"c":3}]}]}', '{"a":[{"b":[1,2,{"c":4}]}]}'],
].map(([name, a, b]) => [`test: not equal: ${name}`, a!, test("", b!), failed(NOT_EQUAL, "")]);

const FAILS: Row[] = [
  ["remove what is not there", '{"a":1}', remove("/b"), failed(NO_VALUE, "/b")],
  ["replace what is not there", '{"a":1}', replace("/b", "1"), failed(NO_VALUE, "/b")],
  ["test what is not there", '{"a":1}', test("/b", "null"), failed(NO_VALUE, "/b")],
  ["a missing step", "{}", add("/a/b", "1"), failed(NO_VALUE, "/a/b")],
  ["a missing step deep below", '{"a":{}}', add("/a/b/c/d", "1"), failed(NO_VALUE, "/a/b/c/d")],
  ["a step through a string", '{"a":"text"}', add("/a/b", "1"), failed(NOT_CONTAINER, "/a/b")],
  ["a step through null", '{"a":null}', remove("/a/0"), failed(NOT_CONTAINER, "/a/0")],
  ["a step through a number", '{"a":1}', replace("/a/b/c", "1"), failed(NOT_CONTAINER, "/a/b/c")],
  ["a step through a scalar root", "1", add("/a", "1"), failed(NOT_CONTAINER, "/a")],
  ["add beyond the length", "[1]", add("/2", "1"), failed(RANGE, "/2")],
  ["replace at the length", "[1]", replace("/1", "1"), failed(RANGE, "/1")],
  ["remove from an empty array", "[]", remove("/0"), failed(RANGE, "/0")],
  [
    "digits beyond any length",
    "[1]",
    add("/99999999999999999999999999", "1"),
    failed(RANGE, "/99999999999999999999999999"),
  ],
  ["2^32 is not 0", "[1]", replace("/4294967296", "1"), failed(RANGE, "/4294967296")],
  ["a step beyond the length", "[[]]", add("/1/0", "1"), failed(RANGE, "/1/0")],
  ["- of remove", "[1]", remove("/-"), failed(BAD_INDEX, "/-")],
  ["- of replace", "[1]", replace("/-", "1"), failed(BAD_INDEX, "/-")],
  ["- of test", "[1]", test("/-", "1"), failed(BAD_INDEX, "/-")],
  ["- on the way", "[[1]]", add("/-/0", "1"), failed(BAD_INDEX, "/-/0")],
  ["- as a source", "[1]", copy("/-", "/0"), failed(BAD_INDEX, "/-")],
  ["-- is no -", "[1]", add("/--", "1"), failed(BAD_INDEX, "/--")],
  ...["", "00", "01", "-0", "-1", "+1", "1e0", "1.0", " 1", "1 ", "0x1", "a", "١", "length", "~0"].map(
    (token): Row => [
      `${JSON.stringify(token)} is no index`,
      "[1,2]",
      add(`/${token}`, "1"),
      failed(BAD_INDEX, `/${token}`),
    ],
  ),
  ["a name in an array", '{"a":[1]}', remove("/a/b"), failed(BAD_INDEX, "/a/b")],
  ["remove the root", "[1]", remove(""), failed(REMOVE_ROOT, "")],
  ["inherited names are not there", '{"a":{}}', remove("/a/constructor"), failed(NO_VALUE, "/a/constructor")],
  ["__proto__ is not there", "{}", add("/__proto__/polluted", "1"), failed(NO_VALUE, "/__proto__/polluted")],
  [
    "constructor.prototype is not there",
    "{}",
    add("/constructor/prototype/x", "1"),
    failed(NO_VALUE, "/constructor/prototype/x"),
  ],
  ["an array's length is not there", "[1]", test("/length", "1"), failed(BAD_INDEX, "/length")],
  ["move from what is not there", '{"a":1}', move("/b", "/a"), failed(NO_VALUE, "/b")],
  ["copy from what is not there", '{"a":[]}', copy("/a/0", "/b"), failed(RANGE, "/a/0")],
  ["move from what is not there into itself: the source first", "{}", move("/b", "/b/c"), failed(NO_VALUE, "/b")],
  ["move to itself from what is not there", "{}", move("/b", "/b"), failed(NO_VALUE, "/b")],
  ["move into its own child", '{"a":{"b":{}}}', move("/a", "/a/b/c"), failed(INTO_ITSELF, "/a/b/c")],
  ["move into its own child that is not there", '{"a":{}}', move("/a", "/a/x/y"), failed(INTO_ITSELF, "/a/x/y")],
  ["move the root into itself", "{}", move("", "/a"), failed(INTO_ITSELF, "/a")],
  [
    "move into itself, however it is spelled",
    '{"a":{}}',
    '[{"op":"move","from":"/\\u0061","path":"/a/b"}]',
    failed(INTO_ITSELF, "/a/b"),
  ],
  ["move an element beyond what is left", "[1,2]", move("/0", "/2"), failed(RANGE, "/2")],
  ["move an element: the follower is no container", "[1,2]", move("/0", "/0/a"), failed(INTO_ITSELF, "/0/a")],
  ["move to a target that is not there", '{"a":1,"b":2}', move("/a", "/x/y"), failed(NO_VALUE, "/x/y")],
  ["move an element to a target that is not there", '[1,2,{"a":3}]', move("/0", "/2/x"), failed(RANGE, "/2/x")],
  ["copy to a target that is no container", '{"a":1,"b":2}', copy("/a", "/b/x"), failed(NOT_CONTAINER, "/b/x")],
  [
    "the path is reported decoded of JSON, not of the pointer",
    "{}",
    '[{"op":"remove","path":"/\\u00e9~1\\"\\n"}]',
    failed(NO_VALUE, '/é~1"\n'),
  ],
  [
    "the failing operation is numbered",
    '{"a":1}',
    '[{"op":"test","path":"/a","value":1},{"op":"add","path":"/b","value":2},{"op":"remove","path":"/c"},{"op":"remove","path":"/a"}]',
    failed(NO_VALUE, "/c", 2),
  ],
];

/** Each of these changes something in every way, and then fails: nothing may be left of it. */
const ROLLED_BACK: string[] = [
  '{"op":"add","path":"/o/new","value":{"x":1}},{"op":"add","path":"/o/new/y","value":2}',
  '{"op":"add","path":"/o/a","value":"other"}',
  '{"op":"add","path":"/l/0","value":0},{"op":"add","path":"/l/-","value":9},{"op":"add","path":"/l/2","value":5}',
  '{"op":"replace","path":"/o/b","value":[]},{"op":"replace","path":"/l/1","value":{}}',
  '{"op":"remove","path":"/o/a"},{"op":"remove","path":"/l/0"},{"op":"remove","path":"/l/0"}',
  '{"op":"remove","path":"/o/b"},{"op":"add","path":"/o/b","value":1},{"op":"remove","path":"/o/b"}',
  '{"op":"remove","path":"/o/c"},{"op":"remove","path":"/o/a"},{"op":"add","path":"/o/z","value":1},{"op":"remove","path":"/o/b"},{"op":"add","path":"/o/a","value":2}',
  '{"op":"move","from":"/o/a","path":"/l/0"},{"op":"move","from":"/l/3","path":"/o/d"}',
  '{"op":"move","from":"/l/0","path":"/l/2"},{"op":"move","from":"/o/a","path":"/o/c"}',
  '{"op":"move","from":"/o","path":"/l/0/deep"},{"op":"remove","path":"/l/0/deep/b"}',
  '{"op":"copy","from":"","path":"/o/all"},{"op":"remove","path":"/o/all/o"}',
  '{"op":"copy","from":"/o","path":"/l/0"},{"op":"replace","path":"/l/0/a","value":7},{"op":"remove","path":"/o/a"}',
  '{"op":"add","path":"","value":[]},{"op":"add","path":"/-","value":1}',
  '{"op":"replace","path":"","value":"gone"}',
  '{"op":"move","from":"/o","path":""},{"op":"remove","path":"/a"},{"op":"add","path":"","value":{"o":1}}',
  '{"op":"copy","from":"/l","path":""},{"op":"remove","path":"/0"}',
  '{"op":"remove","path":"/l"},{"op":"remove","path":"/o"},{"op":"add","path":"/l","value":[]}',
];
const WHOLE = '{"o":{"a":1,"b":{"x":[1,2]},"c":"three"},"l":[{"i":0},1.50,[2],"s"],"z":12345678901234567890}';

const MALFORMED: Row[] = [
  ["no array: an object", "{}", '{"op":"remove","path":"/a"}', bad("", "it must be an array")],
  ["no array: null", "{}", "null", bad("", "it must be an array")],
  ["no array: a string", "{}", '"[]"', bad("", "it must be an array")],
  ["an element is no object", "{}", "[[]]", bad("/0", "it must be an object")],
  ["an element is null", "{}", "[null]", bad("/0", "it must be an object")],
  ["an element is a number", "{}", "[12345678901234567890]", bad("/0", "it must be an object")],
  ["op is missing", "{}", '[{"path":"/a"}]', bad("/0/op", "a member is missing")],
  ["op is no string", "{}", '[{"op":1,"path":"/a"}]', bad("/0/op", "it must be a string")],
  ["op is null", "{}", '[{"op":null,"path":"/a"}]', bad("/0/op", "it must be a string")],
  ["op is unknown", "{}", '[{"op":"delete","path":"/a"}]', bad("/0/op", "it must be one of")],
  ["op is written otherwise", "{}", '[{"op":"Add","path":"/a","value":1}]', bad("/0/op", "it must be one of")],
  ["op is an inherited name", "{}", '[{"op":"constructor","path":"/a","value":1}]', bad("/0/op", "it must be one of")],
  ["op is empty", "{}", '[{"op":"","path":"/a","value":1}]', bad("/0/op", "it must be one of")],
  ["path is missing", "{}", '[{"op":"remove"}]', bad("/0/path", "a member is missing")],
  ["path is no string", "{}", '[{"op":"remove","path":["a"]}]', bad("/0/path", "it must be a string")],
  ["path without a slash", "{}", remove("a"), bad("/0/path", "it must be a JSON pointer")],
  ["path is a URI fragment", "{}", remove("#/a"), bad("/0/path", "it must be a JSON pointer")],
  ["path with ~2", "{}", remove("/a~2"), bad("/0/path", "it must be a JSON pointer")],
  ["path with ~ at the end", "{}", remove("/a~"), bad("/0/path", "it must be a JSON pointer")],
  ["path with ~ before a slash", "{}", remove("/a~/b"), bad("/0/path", "it must be a JSON pointer")],
  ["path with an escaped tilde at the end", "{}", remove("/a\\u007e"), bad("/0/path", "it must be a JSON pointer")],
  ["from is missing", "{}", '[{"op":"move","path":"/a"}]', bad("/0/from", "a member is missing")],
  ["from is no string", "{}", '[{"op":"copy","from":1,"path":"/a"}]', bad("/0/from", "it must be a string")],
  ["from is no pointer", "{}", move("a", "/a"), bad("/0/from", "it must be a JSON pointer")],
  ["value is missing: add", "{}", '[{"op":"add","path":"/a"}]', bad("/0/value", "a member is missing")],
  ["value is missing: replace", '{"a":1}', '[{"op":"replace","path":"/a"}]', bad("/0/value", "a member is missing")],
  ["value is missing: test", '{"a":1}', '[{"op":"test","path":"/a"}]', bad("/0/value", "a member is missing")],
  ["path before from", "{}", '[{"op":"move","from":1,"path":1}]', bad("/0/path", "it must be a string")],
  ["op before path", "{}", '[{"path":1,"op":2}]', bad("/0/op", "it must be a string")],
  ["path before value", "{}", '[{"op":"add"}]', bad("/0/path", "a member is missing")],
  [
    "the first malformed operation decides",
    "{}",
    '[{"op":"add","path":"/a","value":1},{"op":"add","path":"/b"},{"op":"x"}]',
    bad("/1/value", "a member is missing"),
  ],
  [
    "form before effect",
    "{}",
    '[{"op":"remove","path":"/none"},{"op":"test","path":"","value":{}},{"op":"add","path":"b","value":1}]',
    bad("/2/path", "it must be a JSON pointer"),
  ],
];

describe.each(KINDS)("patches, %s", (kind) => {
  const run = (rows: readonly Row[]): void => {
    it.each(rows)("%s", (name, before, patch, after) => {
      const forms: [string, unknown][] = [["bytes", utf8(patch)]];
      if (survivesParse(patch)) forms.push(["value", JSON.parse(patch)]);
      for (const [form, given] of forms) {
        const document = openText(kind, before);
        if (typeof after === "string") patched(document, given, after, `${name} (${form})`);
        else unpatched(document, given, after, `${name} (${form})`);
        document.close();
      }
    });
  };
  describe("apply", () => run(APPLIES));
  describe("equal", () => run(EQUAL));
  describe("unequal", () => run(UNEQUAL));
  describe("fail", () => run(FAILS));
  describe("malformed", () => run(MALFORMED));
  describe("leave no trace", () =>
    run(
      ROLLED_BACK.map((operations): Row => {
        const count = (JSON.parse(`[${operations}]`) as unknown[]).length;
        return [
          operations,
          WHOLE,
          `[${operations},{"op":"test","path":"/none/of","value":1}]`,
          failureOf(count, operations),
        ];
      }),
    ));

  it("text that is no JSON, at its byte of the patch", () => {
    const document = openText(kind, '{"a":1}', { depth: 3, numberLength: 8 });
    const cases: [Uint8Array, ExpectedFault][] = [
      [utf8("[{]"), { code: "bad_json", byteOffset: 2 }],
      [utf8(""), { code: "bad_json", byteOffset: 0 }],
      [utf8("[]]"), { code: "bad_json", byteOffset: 2 }],
      [latin1('[{"op":"add","path":"/\xff","value":1}]'), { code: "invalid_utf8", byteOffset: 22 }],
      [utf8('[{"op":"add","path":"","value":[[[[1]]]]}]'), { code: "too_deep", byteOffset: 34 }],
      [utf8('[{"op":"add","path":"/b","value":123456789}]'), { code: "limit", reason: "numberLength", byteOffset: 33 }],
      [
        utf8('[{"op":"add","path":"/b","value":1,"x":123456789}]'),
        { code: "limit", reason: "numberLength", byteOffset: 39 },
      ],
    ];
    for (const [patch, fault] of cases) unpatched(document, patch, fault, JSON.stringify(fault));
    document.close();
  });

  it("values that are no JSON, at their path of the patch", () => {
    const document = openText(kind, '{"a":1}', { depth: 3, numberLength: 8 });
    const cases: [unknown, ExpectedFault][] = [
      [undefined, { code: "not_json", path: "" }],
      [[{ op: "add", path: "/b", value: undefined }], { code: "not_json", path: "/0/value" }],
      [
        [
          { op: "remove", path: "/a" },
          { op: "add", path: "/b", value: [new Map()] },
        ],
        { code: "not_json", path: "/1/value/0" },
      ],
      [[{ op: "add", path: "", value: [[[[1]]]] }], { code: "too_deep", path: "/0/value/0/0/0" }],
      [[{ op: "add", path: "/b", value: 123456789 }], { code: "limit", reason: "numberLength" }],
      ["[]", { code: "bad_patch", reason: "it must be an array", path: "" }],
      [
        { op: "remove", path: "/a" },
        { code: "bad_patch", reason: "it must be an array", path: "" },
      ],
    ];
    for (const [patch, fault] of cases) unpatched(document, patch, fault, JSON.stringify(fault));
    document.close();
  });

  it("a patch changes nothing that the application had", () => {
    const patch = [
      { op: "add", path: "/a", value: { list: [1] } },
      { op: "add", path: "/a/list/-", value: 2 },
      { op: "remove", path: "/b" },
    ];
    const spelled = JSON.stringify(patch);
    const document = openText(kind, '{"b":1}');
    document.patch(patch);
    patched(document, [{ op: "add", path: "/a/list/-", value: 3 }], '{"a":{"list":[1,2,3]}}', "goes on");
    if (JSON.stringify(patch) !== spelled) throw new Error("the caller's patch has changed");
    document.close();
  });
});

/** What the last test of a rolled back patch meets: whatever the operations made of the root. */
function failureOf(opIndex: number, operations: string): ExpectedFault {
  const root = rootAfter(operations);
  const reason = root === "array" ? BAD_INDEX : root === "scalar" ? NOT_CONTAINER : NO_VALUE;
  return failed(reason, "/none/of", opIndex);
}

function rootAfter(operations: string): "array" | "scalar" | "object" {
  if (operations.includes('"path":"","value":[]') || operations.includes('"from":"/l","path":""')) return "array";
  return operations.includes('"path":"","value":"gone"') ? "scalar" : "object";
}
