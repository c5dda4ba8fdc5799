import { expect } from "vitest";
import { text } from "../support/bytes.js";
import { canonical, exactDecimal, readExact, toBigIntValue } from "../support/exact-json.js";
import { call, modelOf, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// docs/semantics.md §9: numbers keep their digits, strings their code units, members their order.

const DIGITS = [
  "0",
  "-0",
  "1.0",
  "1.10",
  "100",
  "1e2",
  "1E+2",
  "1e-7",
  "0.1e-7",
  "-0.0",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "18446744073709551616",
  "0.1",
  "0.30000000000000004",
  "0.1000000000000000055511151231257827021181583404541015625",
  "123456789.123456789123456789",
  "1e400",
  "-1e400",
  "1e-400",
  "4.9e-324",
  "2.4703282292062327208299784e-324",
  "1.7976931348623157e308",
  "1.7976931348623159e308",
  "5e-999999999",
  "1e999999999",
  "123e-3",
  "0.000001",
  "0.0000001",
  "1e21",
  "123456789012345680000",
  "4503599627370496.5",
  `${"9".repeat(400)}`,
  `-0.${"0".repeat(350)}123456789`,
  `${"1".repeat(200)}.${"2".repeat(200)}e-55`,
];

const object = `{${DIGITS.map((digits, i) => `"n${i}":${digits}`).join(",")}}`;
const array = `[${DIGITS.join(",")}]`;

/** A model as text with one block that holds these members. */
function model(members: string, meta = "{}"): string {
  return `{"version":"1.1","biz":"chat","meta":${meta},"blocks":[{"id":"x","type":"t"${members}}]}`;
}

/** What `snapshot` must give for the model that stands in the reducer. */
const values = call("snapshot in both forms", (fold, label) => {
  const bytes = text(fold.reducer.snapshotBytes());
  expect(JSON.stringify(fold.reducer.snapshot()), label).toBe(JSON.stringify(JSON.parse(bytes)));
  expect(fold.reducer.snapshot({ integers: "bigint" }), label).toEqual(toBigIntValue(readExact(bytes)));
});

const NUMBERS: Case[] = [
  {
    name: "digits of a start",
    steps: [`{"op":"start","seq":1,"model":${model(`,"o":${object},"a":${array}`, object)}}`, values],
    applied: 1,
    streams: [{ status: "open", model: model(`,"o":${object},"a":${array}`, object) }],
  },
  {
    name: "digits of sets and appends",
    steps: [
      start(modelOf({ id: "x", type: "t" })),
      `{"op":"set","seq":2,"mask":"block.o","block":{"id":"x","o":${object}}}`,
      `{"op":"append","seq":3,"mask":"block.a","block":{"id":"x","a":${array}}}`,
      `{"op":"append","seq":4,"mask":"block.a","block":{"id":"x","a":${array}}}`,
      `{"op":"set","seq":5,"mask":"block.o.n3","block":{"id":"x","o":{"n3":1.2300}}}`,
      `{"op":"set","seq":6,"mask":"meta.n","meta":{"n":9007199254740993}}`,
      values,
    ],
    applied: 6,
    streams: [
      {
        status: "open",
        seq: 6,
        model: model(
          `,"o":${object.replace('"n3":1.10', '"n3":1.23')},"a":[${DIGITS.join(",")},${DIGITS.join(",")}]`,
          '{"n":9007199254740993}',
        ),
      },
    ],
  },
  {
    name: "digits of an inserted and of a whole block",
    steps: [
      start(modelOf()),
      `{"op":"append","seq":2,"mask":"block.c","block":{"id":"x","type":"t","c":"","n":${array}}}`,
      `{"op":"set","seq":3,"block":{"id":"y","type":"t","n":${array}}}`,
      '{"op":"append","seq":4,"mask":"block.c","block":{"id":"x","c":"!"}}',
      values,
    ],
    applied: 4,
    streams: [
      {
        status: "open",
        model: `{"version":"1.1","biz":"chat","meta":{},"blocks":[{"id":"x","type":"t","c":"!","n":${array}},{"id":"y","type":"t","n":${array}}]}`,
      },
    ],
  },
  {
    name: "digits of a load as text, and of a load over it",
    steps: [
      call("load", (fold) => fold.reducer.load(model(`,"a":${array}`))),
      values,
      call("load what it gave", (fold) => fold.reducer.load(fold.reducer.snapshotBytes())),
      values,
    ],
    applied: 0,
    streams: [{ status: "open", seq: undefined, version: 2, model: model(`,"a":${array}`) }],
  },
  {
    name: "integers that a double cannot hold, as BigInt",
    steps: [
      `{"op":"start","seq":1,"model":${model(',"a":[9007199254740993,-9007199254740993,9007199254740992,9007199254740993.0,9007199254740993e0,1e30,100000000000000000000000,100000000000000000000001]')}}`,
      call("bigint", (fold, label) => {
        const snapshot = fold.reducer.snapshot({ integers: "bigint" }) as { blocks: { a: unknown[] }[] };
        expect(snapshot.blocks[0]?.a, label).toEqual([
          9007199254740993n,
          -9007199254740993n,
          9007199254740992,
          9007199254740992,
          9007199254740992,
          1e30,
          100000000000000000000000n,
          100000000000000000000001n,
        ]);
        expect((fold.reducer.snapshot() as { blocks: { a: unknown[] }[] }).blocks[0]?.a[0], label).toBe(
          9007199254740992,
        );
      }),
    ],
    applied: 1,
  },
  {
    name: "minus zero stays minus zero",
    steps: [
      `{"op":"start","seq":1,"model":${model(',"a":[-0,0,-0.0,-0e5]')}}`,
      call("signs", (fold, label) => {
        const { blocks } = fold.reducer.snapshot() as { blocks: { a: number[] }[] };
        expect(
          blocks[0]?.a.map((n) => Object.is(n, -0)),
          label,
        ).toEqual([true, false, true, true]);
      }),
    ],
    applied: 1,
    apply: false,
  },
];

const STRINGS: Case[] = [
  {
    name: "strings are stored in the shortest spelling",
    steps: [
      '{"op":"start","seq":1,"model":{"version":"1.1","biz":"\\u0063hat","meta":{"\\u00e9\\/":"\\u4e2d\\ud83d\\ude00\\u0041\\u0022\\u005c\\u002f"},"blocks":[{"\\u0069d":"\\u0078","type":"t","c":"\\u0000\\u0001\\u0008\\u000a\\u001f\\u007f\\u0080\\u2028\\uD800\\udc00\\udfff\\uDBFF"}]}}',
      call("bytes", (fold, label) => {
        expect(text(fold.reducer.snapshotBytes()), label).toBe(
          '{"version":"1.1","biz":"chat","meta":{"é/":"中😀A\\"\\\\/"},"blocks":[{"id":"x","type":"t","c":"\\u0000\\u0001\\b\\n\\u001f\u007f\u0080\u2028\u{10000}\\udfff\\udbff"}]}',
        );
      }),
    ],
    applied: 1,
  },
  {
    name: "surrogate escapes in either case, in pairs, alone and in the wrong order",
    steps: [
      `{"op":"start","seq":1,"model":${model(',"a":["\\ud83d\\ude00","\\uD83D\\uDE00","\\uD83d\\uDe00","\\ud83d","\\ude00","\\ude00\\ud83d","\\ud83d\\ud83d\\ude00","\\ud83dx\\ude00","\\ud83d\\u0041","\\ud83d\\\\ude00"]')}}`,
      values,
    ],
    applied: 1,
    streams: [
      {
        status: "open",
        model: modelOf({
          id: "x",
          type: "t",
          a: [
            "😀",
            "😀",
            "😀",
            "\ud83d",
            "\ude00",
            "\ude00\ud83d",
            "\ud83d😀",
            "\ud83dx\ude00",
            "\ud83dA",
            "\ud83d\\ude00",
          ],
        }),
      },
    ],
  },
  {
    name: "a member under two spellings is one member",
    steps: [`{"op":"start","seq":1,"model":${model(',"é":1,"o":{"a":1,"\\u0061":2},"\\u00e9":3')}}`, values],
    applied: 1,
    streams: [{ status: "open", model: model(',"é":3,"o":{"a":2}') }],
  },
  {
    name: "repeated members of open values, untouched and touched",
    steps: [
      `{"op":"start","seq":1,"model":${model(',"o":{"a":1,"b":[{"c":1,"c":2}],"a":{"d":1,"d":2}}', '{"m":{"x":1,"y":2,"x":3}}')}}`,
      values,
      '{"op":"set","seq":2,"mask":"block.o.a.e","block":{"id":"x","o":{"a":{"e":1}}}}',
      '{"op":"set","seq":3,"mask":"meta.m.z","meta":{"m":{"z":1}}}',
      values,
    ],
    applied: 3,
    streams: [{ status: "open", model: model(',"o":{"a":{"d":2,"e":1},"b":[{"c":2}]}', '{"m":{"x":3,"y":2,"z":1}}') }],
  },
  {
    name: "a step through a repeated member takes the last one",
    steps: [
      `{"op":"start","seq":1,"model":${model(',"o":{"a":5,"a":{"b":1}}')}}`,
      '{"op":"set","seq":2,"mask":"block.o.a.b","block":{"id":"x","o":{"a":{"b":2}}}}',
    ],
    applied: 2,
    streams: [{ status: "open", model: model(',"o":{"a":{"b":2}}') }],
  },
  {
    name: "names that objects of the host know",
    steps: [
      `{"op":"start","seq":1,"model":${model(',"__proto__":{"a":1},"constructor":1,"toString":2,"hasOwnProperty":3', '{"__proto__":[],"toJSON":1}')}}`,
      '{"op":"set","seq":2,"mask":"block.__proto__.a","block":{"id":"x","__proto__":{"a":2}}}',
      '{"op":"set","seq":3,"mask":"meta.constructor.prototype","meta":{"constructor":{"prototype":1}}}',
      call("own members, and no prototype is touched", (fold, label) => {
        const snapshot = fold.reducer.snapshot() as { meta: object; blocks: object[] };
        expect(Object.getPrototypeOf(snapshot.blocks[0]), label).toBe(Object.prototype);
        expect(Object.hasOwn(snapshot.blocks[0] as object, "__proto__"), label).toBe(true);
        expect(Object.hasOwn(snapshot.meta, "__proto__"), label).toBe(true);
        expect(({} as Record<string, unknown>).a, label).toBeUndefined();
      }),
    ],
    applied: 3,
    streams: [
      {
        status: "open",
        model: model(
          ',"__proto__":{"a":2},"constructor":1,"toString":2,"hasOwnProperty":3',
          '{"__proto__":[],"toJSON":1,"constructor":{"prototype":1}}',
        ),
      },
    ],
  },
  {
    name: "an empty name",
    steps: [`{"op":"start","seq":1,"model":${model(',"":{"":[""]}', '{"":1}')}}`, values],
    applied: 1,
    streams: [{ status: "open", model: model(',"":{"":[""]}', '{"":1}') }],
  },
];

const READER: Case[] = [
  {
    name: "the test's own reader of numbers",
    steps: [
      call("decimals", () => {
        const same: [string, string][] = [
          ["1.0", "1"],
          ["1e2", "100"],
          ["0.1e-7", "1e-8"],
          ["10e-1", "1"],
          ["1200", "12e2"],
          ["-0.0", "-0"],
        ];
        for (const [a, b] of same) expect(exactDecimal(a), `${a} and ${b}`).toBe(exactDecimal(b));
        const different: [string, string][] = [
          ["0", "-0"],
          ["9007199254740993", "9007199254740992"],
          ["1e400", "1e401"],
          ["1e-400", "0"],
        ];
        for (const [a, b] of different) expect(exactDecimal(a), `${a} and ${b}`).not.toBe(exactDecimal(b));
        expect(canonical(' { "b" : [1.0 , "\\u0041"] , "1" : null, "b" : -0 } ')).toBe('{"1":null,"b":-0}');
        for (const bad of ["", "{", "[1,]", "01", '{"a" 1}', "1 2", "nul", '"a'])
          expect(() => canonical(bad), bad).toThrow();
      }),
    ],
    applied: 0,
  },
];

contract("numbers and text", [...NUMBERS, ...STRINGS, ...READER]);
