import { latin1 } from "../support/bytes.js";
import { same } from "../support/same.js";
import { MODEL, modelOf, start } from "./base.js";
import { type Case, contract, type ExpectedError } from "./runner.js";

// docs/semantics.md §2 step 1: where a message stops being JSON, and §1: what an SSE message of several data lines maps to.

type Fault = readonly [text: string, offset: number, code?: "bad_json" | "invalid_utf8"];

/** `offset` is the first byte where the text stops being a prefix of valid JSON; code units are bytes. */
const FAULTS: readonly Fault[] = [
  ["{", 1],
  ["[", 1],
  ['{"a"', 4],
  ['{"a":', 5],
  ['{"a":1', 6],
  ['{"a":1,', 7],
  ["[1", 2],
  ["[1,", 3],
  ['"abc', 4],
  ['"abc\\', 5],
  ['"abc\\u00', 8],
  ["nul", 3],
  ["tru", 3],
  ["fals", 4],
  ["-", 1],
  ["1.", 2],
  ["1e", 2],
  ["1e+", 3],
  ["trux", 3],
  ["nulL", 3],
  ["True", 0],
  ["nan", 1],
  ["NaN", 0],
  ["Infinity", 0],
  ["-Infinity", 1],
  ["undefined", 0],
  ["[truefalse]", 5],
  ["01", 1],
  ["[00]", 2],
  ["[-01]", 3],
  ["[1.]", 3],
  ["[1.e1]", 3],
  ["[.5]", 1],
  ["[+1]", 1],
  ["[1e]", 3],
  ["[1e+]", 4],
  ["[1e1.5]", 4],
  ["[1.5.2]", 4],
  ["[0x10]", 2],
  ["[1_000]", 2],
  ["[-]", 2],
  ["[--1]", 2],
  ["[1a]", 2],
  ['["\\x41"]', 3],
  ['["\\u12G4"]', 6],
  ['["\\u12"]', 6],
  ['["\\\'"]', 3],
  ['["\\\u0000"]', 3],
  ['["a\tb"]', 3],
  ['["a\u0000"]', 3],
  ['["a\u001f"]', 3],
  ["['a']", 1],
  ["[1,]", 3],
  ["[,1]", 1],
  ["[1,,2]", 3],
  ["[1 2]", 3],
  ["[1}", 2],
  ["]", 0],
  ["}", 0],
  [",", 0],
  [":", 0],
  ["{,}", 1],
  ['{"a":1,}', 7],
  ['{"a"}', 4],
  ['{"a":}', 5],
  ['{"a" 1}', 5],
  ['{"a"::1}', 5],
  ['{"a":1 "b":2}', 7],
  ["{a:1}", 1],
  ["{1:1}", 1],
  ['{"a":1]', 6],
  ["{}}", 2],
  ["{} {}", 3],
  ["[][]", 2],
  ["1 2", 2],
  ['"a" "b"', 4],
  ["/* c */ {}", 0],
  ["{} // c", 3],
  ["[1]\u000b", 3],
  ["\u000c{}", 0],
  ["{\u00a0}", 1, "invalid_utf8"],
  ["[\u0001]", 1],
  ["\u0000", 0],
  // UTF-8: an ill-formed sequence stands at its lead byte; a well-formed one outside of strings is no JSON
  ["[\xc3\xa9]", 1],
  ["\xe2\x80\xa8{}", 0],
  ['["\xff"]', 2, "invalid_utf8"],
  ['["\x80"]', 2, "invalid_utf8"],
  ['["\xc3"]', 2, "invalid_utf8"],
  ['["\xc3\x28"]', 2, "invalid_utf8"],
  ['["\xe2\x82"]', 2, "invalid_utf8"],
  ['["a\xe2\x28\xa1"]', 3, "invalid_utf8"],
  ['["\xf0\x9f\x98"]', 2, "invalid_utf8"],
  ['["\xc0\xaf"]', 2, "invalid_utf8"],
  ['["\xc1\xbf"]', 2, "invalid_utf8"],
  ['["\xe0\x80\xaf"]', 2, "invalid_utf8"],
  ['["\xe0\x9f\xbf"]', 2, "invalid_utf8"],
  ['["\xf0\x8f\xbf\xbf"]', 2, "invalid_utf8"],
  ['["\xed\xa0\x80"]', 2, "invalid_utf8"],
  ['["\xed\xbf\xbf"]', 2, "invalid_utf8"],
  ['["\xf4\x90\x80\x80"]', 2, "invalid_utf8"],
  ['["\xf5\x80\x80\x80"]', 2, "invalid_utf8"],
  ['["\xf8\x88\x80\x80\x80"]', 2, "invalid_utf8"],
  ['["\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80\xfe"]', 11, "invalid_utf8"],
  ['["\xc3', 2, "invalid_utf8"],
  ['["\xf0\x9f', 2, "invalid_utf8"],
  ["[\xff]", 1, "invalid_utf8"],
  ["\xff", 0, "invalid_utf8"],
  ["{}\xff", 2, "invalid_utf8"],
  ['{"\xff":1}', 2, "invalid_utf8"],
  // two faults: the lowest offset wins
  ['{x"\xff"}', 1],
  ['["\xff",01]', 2, "invalid_utf8"],
  ['["\\q","\xff"]', 3],
  ['["\n\xff"]', 2],
];

const OK = JSON.stringify(start(modelOf()));
const PING = '{"op":"ping","seq":1}';

/** Each fault in an event's place: as a json push, an ndjson line and an SSE event, failing and skipped. */
const TEXTS: Case[] = FAULTS.flatMap(([text, offset, code = "bad_json"]) => {
  const name = JSON.stringify(text);
  const cases: Case[] = [];
  const add = (transport: "json" | "ndjson" | "sse", body: string[], byteOffset: number): void => {
    const error: ExpectedError = { code, byteOffset, eventIndex: 1 };
    const steps = body.map(latin1);
    const common = { transports: [transport], steps, errors: [error] } as const;
    const streams = [{ status: "open", seq: 1, version: 1, model: modelOf() }] as const;
    cases.push({ name: `${name} as ${transport}`, ...common, applied: 1, streams });
    cases.push({
      name: `${name} as ${transport}, skipped`,
      ...common,
      options: { undecodable: "skip" },
      applied: 2,
      streams,
    });
  };
  add("json", [OK, text, PING], OK.length + offset);
  if (!text.includes("\n")) {
    add("ndjson", [`${OK}\n`, `${text}\n`, `${PING}\n`], OK.length + 1 + offset);
    add("sse", [`data: ${OK}\n\n`, `data: ${text}\n\n`, `data: ${PING}\n\n`], OK.length + 8 + 6 + offset);
    add(
      "sse",
      [`data: ${OK}\n\n`, `: comment\r\nid: 1\r\ndata:${text}\r\n\r\n`, `data: ${PING}\r\n\r\n`],
      OK.length + 8 + 18 + 5 + offset,
    );
    const last = cases.splice(-2);
    for (const one of last) cases.push({ ...one, name: `${one.name} behind a comment, CRLF` });
  }
  return cases;
});

/** SSE messages of several data lines: `wire` follows a start; `offset` counts from its first byte. */
function lines(name: string, wire: string, offset: number, code: "bad_json" | "invalid_utf8" = "bad_json"): Case {
  return {
    name: `several data lines: ${name}`,
    transports: ["sse"],
    everyCut: true,
    steps: [latin1(`data: ${OK}\n\n${wire}`)],
    applied: 1,
    errors: [{ code, byteOffset: OK.length + 8 + offset, eventIndex: 1 }],
  };
}

const LINES: Case[] = [
  lines("a fault in the second line", 'data: {"a":\ndata: x}\n\n', 12 + 6),
  lines("a fault in the first line", "data: {x\ndata: 1}\n\n", 7),
  lines(
    "a joining LF inside of a string maps to the first byte of the next line's value",
    'data: ["a\ndata: b"]\n\n',
    10 + 6,
  ),
  lines("a joining LF inside of a string, no space", 'data:["a\r\ndata:b"]\r\n\r\n', 10 + 5),
  lines("a joining LF inside of a number", "data: [1\ndata: 2]\n\n", 9 + 6),
  lines("a joining LF inside of a literal maps to the next line's value", "data: [tr\ndata: ue]\n\n", 10 + 6),
  lines("other lines between", 'data: {"a":\n: comment\nid: 5\nevent: x\ndata:1]\n\n', 12 + 10 + 6 + 9 + 5 + 1),
  lines("unexpected end behind the last line", 'data: {"a":\ndata: 1\n\n', 12 + 7),
  lines("unexpected end behind an empty last line", "data: [1,\ndata\n\n", 10 + 4),
  lines("an ill-formed byte in the third line", 'data: ["\ndata: a",\ndata: "\xff"]\n\n', 9 + 6),
  lines("ill-formed bytes after white space lines", 'data: [\ndata:\ndata:  "\xff"]\n\n', 8 + 6 + 8, "invalid_utf8"),
  lines(
    "a sequence cut in two by a line is ill-formed at its lead byte",
    'data: ["\xc3\ndata: \xa9"]\n\n',
    8,
    "invalid_utf8",
  ),
];

const EMPTY: Case[] = [
  ...["", " ", "\n", " \t\r\n "].map(
    (text): Case => ({
      name: `json: a push of ${JSON.stringify(text)} is bad_json`,
      transports: ["json"],
      steps: [latin1(OK), latin1(text)],
      applied: 1,
      errors: [{ code: "bad_json", byteOffset: OK.length + text.length, eventIndex: 1 }],
    }),
  ),
  {
    name: "ndjson: lines of white space are no messages and do not count",
    transports: ["ndjson"],
    everyCut: true,
    steps: [latin1(`\n\r\n \t\n${OK}\r\n\n  \r\n{"op":"nope","seq":1}\n`)],
    applied: 1,
    errors: [{ code: "unknown_op", path: "/op", eventIndex: 1 }],
  },
  {
    name: "ndjson: a CR ends no line",
    transports: ["ndjson"],
    everyCut: true,
    steps: [latin1(`${OK}\r${PING}\n`)],
    applied: 0,
    errors: [{ code: "bad_json", byteOffset: OK.length + 1, eventIndex: 0 }],
    streams: [],
  },
  {
    name: "json: white space around a message",
    transports: ["json"],
    steps: [latin1(` \r\n${OK}\n\t`), latin1(`\n${PING}`)],
    applied: 2,
  },
];

/** A message without a route stands at its first byte. */
const ROUTES: Case[] = [
  ...(["[]", '{"stream_id":5}'] as const).flatMap((text): Case[] => {
    const path = text === "[]" ? {} : { path: "/stream_id" };
    const error = (byteOffset: number): ExpectedError => ({ code: "not_an_event", byteOffset, eventIndex: 1, ...path });
    return [
      {
        name: `${text} without a route as json`,
        transports: ["json"],
        steps: [latin1(OK), latin1(` ${text}`)],
        applied: 1,
        errors: [error(OK.length)],
      },
      {
        name: `${text} without a route as ndjson`,
        transports: ["ndjson"],
        everyCut: true,
        steps: [latin1(`${OK}\n\n${text}\n`)],
        applied: 1,
        errors: [error(OK.length + 2)],
      },
      {
        name: `${text} without a route as sse`,
        transports: ["sse"],
        everyCut: true,
        steps: [latin1(`data: ${OK}\n\n: c\nid: 1\ndata: ${text}\ndata\n\n`)],
        applied: 1,
        errors: [error(OK.length + 8 + 4 + 6 + 6)],
      },
    ];
  }),
];

/** A failed connection stays failed until reconnect or reset; what is readable stays readable. */
const STICKY: Case[] = [
  ...(["reconnect", "reset"] as const).map(
    (way): Case => ({
      name: `after ${way} the connection works again`,
      transports: ["ndjson"],
      steps: [
        latin1(`${JSON.stringify(start(MODEL))}\n{]\n`),
        {
          call: way,
          run: (fold) => {
            if (way === "reset") fold.reducer.reset();
            fold.reconnect();
            fold.applied = way === "reset" ? 0 : fold.applied;
            if (way === "reset") fold.log.length = 0;
          },
        },
        latin1(`${OK}\n{"op":"nope","seq":1}\n[\n`),
      ],
      applied: way === "reset" ? 1 : 2,
      errors: [
        ...(way === "reset"
          ? []
          : [{ code: "bad_json", byteOffset: JSON.stringify(start(MODEL)).length + 2, eventIndex: 1 } as const]),
        { code: "unknown_op", path: "/op", eventIndex: 1 },
        { code: "bad_json", byteOffset: OK.length + 1 + 22 + 1, eventIndex: 2 },
      ],
      streams: [{ status: "refused", seq: 1, version: way === "reset" ? 1 : 2, model: modelOf() }],
    }),
  ),
];

const REPLACED: Case[] = (
  [
    ["a lone byte", "\xff", "\ufffd"],
    ["a lone continuation", "a\x80b", "a\ufffdb"],
    ["a truncated sequence is one", "\xe2\x82", "\ufffd"],
    ["a truncated sequence of four is one", "\xf0\x9f\x98x", "\ufffdx"],
    ["a sequence broken by an ASCII byte", "\xe2(\x82", "\ufffd(\ufffd"],
    ["overlong forms are one for each byte", "\xc0\xaf\xe0\x80\xaf", "\ufffd\ufffd\ufffd\ufffd\ufffd"],
    ["a surrogate in UTF-8 is three", "\xed\xa0\x80", "\ufffd\ufffd\ufffd"],
    ["above U+10FFFF", "\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd"],
    ["two leads in a row", "\xf0\x9f\xf0\x9f\x98\x80", "\ufffd😀"],
    ["well-formed text between", "\xc3\xa9\xff\xe4\xb8\xad", "é\ufffd中"],
    ["the highest character", "\xf4\x8f\xbf\xbf", "\u{10ffff}"],
  ] as const
).map(([name, bytes, text], i): Case => {
  const before = JSON.stringify(start(modelOf({ id: "x", type: "t", content: "" })));
  const event = `{"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"${bytes}"}}`;
  const sse = i % 2 === 0;
  return {
    name: `replace: ${name}`,
    options: { utf8: "replace" },
    transports: [sse ? "sse" : "ndjson"],
    everyCut: true,
    steps: [latin1(sse ? `data: ${before}\n\ndata: ${event}\n\n` : `${before}\n${event}\n`)],
    applied: 2,
    warnings: text.includes("\ufffd") ? [{ code: "utf8_replaced", eventIndex: 1 }] : [],
    streams: [{ status: "open", seq: 2, model: modelOf({ id: "x", type: "t", content: text }) }],
  };
});

/** A message with ill-formed bytes and a fault of another kind. */
const REPLACED_AND_BROKEN: Case[] = [
  {
    name: "replace: the warning comes although the text is no JSON, and the fault stands at its wire byte",
    options: { utf8: "replace", undecodable: "skip" },
    transports: ["sse"],
    everyCut: true,
    steps: [latin1(`data: ${OK}\n\ndata: {"a":"\xe2\x82",\n: c\ndata: "\xff" x}\n\n`)],
    applied: 1,
    warnings: [{ code: "utf8_replaced", eventIndex: 1 }],
    errors: [{ code: "bad_json", byteOffset: OK.length + 8 + 17 + 4 + 6 + 4, eventIndex: 1 }],
  },
  {
    name: "replace: a fault in front of the ill-formed bytes",
    options: { utf8: "replace" },
    transports: ["ndjson"],
    everyCut: true,
    steps: [latin1(`${OK}\n{"a":x"\xff"}\n`)],
    applied: 1,
    warnings: [{ code: "utf8_replaced", eventIndex: 1 }],
    errors: [{ code: "bad_json", byteOffset: OK.length + 1 + 5, eventIndex: 1 }],
  },
  {
    name: "replace: an end in the middle, behind ill-formed bytes",
    options: { utf8: "replace" },
    transports: ["json"],
    steps: [latin1(OK), latin1('{"\xff\xff":1')],
    applied: 1,
    warnings: [{ code: "utf8_replaced", eventIndex: 1 }],
    errors: [{ code: "bad_json", byteOffset: OK.length + 7, eventIndex: 1 }],
  },
];

/** Text that comes by `apply` stands outside of the wire: its faults neither stick nor undo a failure that does. */
const APPLIED: Case[] = [
  {
    name: "apply: text faults are not sticky and name the place in the text",
    options: { limits: { messageBytes: 200 } },
    transports: ["json"],
    steps: [
      latin1(OK),
      {
        call: "apply",
        run(fold, label) {
          fold.apply('{"op":x');
          fold.apply('{"op":"ping","seq":1,"event_type":"\ud83d"}');
          fold.apply("[]");
          fold.apply(`{"op":"ping","seq":1,"event_type":"${"x".repeat(200)}"}`);
          same(fold.apply(PING), 1, label);
          same(fold.failure, undefined, label);
        },
      },
      latin1(PING),
    ],
    applied: 3,
    errors: [
      { code: "bad_json", byteOffset: 6, eventIndex: 1 },
      { code: "invalid_utf8", byteOffset: 35, eventIndex: 2 },
      { code: "not_an_event", byteOffset: 0, eventIndex: 3 },
      { code: "too_large", byteOffset: 0, eventIndex: 4 },
    ],
    streams: [{ status: "open", seq: 1, version: 1, model: modelOf() }],
  },
  {
    name: "apply: a text fault does not undo the failure of the connection",
    transports: ["ndjson"],
    steps: [
      latin1(`${OK}\n{]\n`),
      {
        call: "apply on a failed connection",
        run(fold, label) {
          fold.apply('{"op":x');
          same(fold.apply(PING), 1, label);
          // throws unless the very same failure comes again
          same(fold.push(latin1(`${PING}\n`)), 0, label);
          same(fold.failure?.byteOffset, OK.length + 2, label);
        },
      },
    ],
    applied: 2,
    errors: [
      { code: "bad_json", byteOffset: OK.length + 2, eventIndex: 1 },
      { code: "bad_json", eventIndex: 2 },
    ],
  },
];

contract("text", [...TEXTS, ...LINES, ...EMPTY, ...ROUTES, ...STICKY, ...REPLACED, ...REPLACED_AND_BROKEN, ...APPLIED]);
