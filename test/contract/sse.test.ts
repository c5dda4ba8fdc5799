import { latin1, utf8 } from "../support/bytes.js";
import { start } from "./base.js";
import { type Case, contract } from "./runner.js";

// The WHATWG event-stream grammar (HTML standard, server-sent events) and docs/semantics.md §1, each body cut at every byte.

const START = `data: ${JSON.stringify(start({ version: "1.1", biz: "b", meta: {}, blocks: [] }))}\n\n`;

/** A ping that can be told from others by its `ts`. */
const note = (ts: number): string => `{"op":"ping","seq":1,"ts":${ts}}`;

interface Grammar {
  name: string;
  /** Follows a `start`; code units below 256 are bytes. */
  wire: string;
  /** The `ts` of the pings that must arrive, in order. */
  pings: number[];
  lastEventId?: string | undefined;
  retry?: number | undefined;
  finish?: Case["finish"];
  errors?: Case["errors"];
  bom?: string;
}

function grammar({ name, wire, pings, bom = "", ...more }: Grammar): Case {
  return {
    name,
    transports: ["sse"],
    everyCut: true,
    steps: [latin1(bom + START + wire)],
    applied: 1 + pings.length,
    events: [
      start({ version: "1.1", biz: "b", meta: {}, blocks: [] }),
      ...pings.map((ts) => JSON.parse(note(ts)) as unknown),
    ],
    ...more,
  };
}

const BOM = "\xef\xbb\xbf";

const LINES: Case[] = [
  grammar({ name: "LF", wire: `data: ${note(1)}\n\ndata: ${note(2)}\n\n`, pings: [1, 2] }),
  grammar({ name: "CR", wire: `data: ${note(1)}\r\rdata: ${note(2)}\r\r`, pings: [1, 2] }),
  grammar({ name: "CRLF", wire: `data: ${note(1)}\r\n\r\ndata: ${note(2)}\r\n\r\n`, pings: [1, 2] }),
  grammar({ name: "LF CR", wire: `data: ${note(1)}\n\rdata: ${note(2)}\n\r`, pings: [1, 2] }),
  grammar({ name: "CR CRLF", wire: `data: ${note(1)}\r\r\ndata: ${note(2)}\r\r\n`, pings: [1, 2] }),
  grammar({ name: "CRLF CR", wire: `data: ${note(1)}\r\n\rdata: ${note(2)}\r\n\r`, pings: [1, 2] }),
  grammar({ name: "CRLF LF", wire: `data: ${note(1)}\r\n\ndata: ${note(2)}\r\n\n`, pings: [1, 2] }),
  grammar({ name: "LF CRLF", wire: `data: ${note(1)}\n\r\ndata: ${note(2)}\n\r\n`, pings: [1, 2] }),
  grammar({
    name: "a CRLF is one terminator, not two",
    wire: 'data: {"op":"ping","seq":1,\r\ndata: "ts":1}\r\n\r\n',
    pings: [1],
  }),
  grammar({
    name: "runs of blank lines",
    wire: `\n\r\r\n\n\ndata: ${note(1)}\n\n\n\r\n\r\r\rdata: ${note(2)}\n\n\n`,
    pings: [1, 2],
  }),
  {
    name: "no other character ends a line",
    transports: ["sse"],
    everyCut: true,
    steps: [latin1(`${START}data: {"op":"ping","seq":1,"event_type":"\xc2\x85\xe2\x80\xa8\xe2\x80\xa9"}\n\n`)],
    applied: 2,
    events: [
      start({ version: "1.1", biz: "b", meta: {}, blocks: [] }),
      { op: "ping", seq: 1, event_type: "\u0085\u2028\u2029" },
    ],
  },
];

const FIELDS: Case[] = [
  grammar({ name: "comments", wire: `: one\n:\ndata: ${note(1)}\n:two: three\n\n:\n\n`, pings: [1] }),
  grammar({ name: "no space after the colon", wire: `data:${note(1)}\n\n`, pings: [1] }),
  grammar({ name: "only one space is dropped", wire: `data:   ${note(1)}\n\n`, pings: [1] }),
  grammar({ name: "a tab is not dropped, and is JSON white space", wire: `data:\t${note(1)}\n\n`, pings: [1] }),
  grammar({
    name: "data over several lines",
    wire: 'data: {"op":\ndata: "ping",\ndata:"seq":1\ndata: ,"ts":\ndata:1}\n\n',
    pings: [1],
  }),
  grammar({
    name: "empty data lines inside of a message",
    wire: 'data\ndata:\ndata: {"op":"ping",\ndata\ndata:  \ndata: "seq":1,"ts":1}\ndata\n\n',
    pings: [1],
  }),
  grammar({
    name: "other fields between the data lines",
    wire: 'data: {"op":"ping",\nevent: x\nid: 1\n: c\nfoo: bar\ndata: "seq":1,"ts":1}\nretry: 5\n\n',
    pings: [1],
    lastEventId: "1",
    retry: 5,
  }),
  grammar({
    name: "field names are whole and in lower case",
    wire: `Data: 1\ndataa: 2\ndat: 3\n data: 4\ndata : 5\nDATA: 6\ndata: ${note(1)}\n\n`,
    pings: [1],
  }),
  grammar({
    name: "unknown fields and fields without colon",
    wire: `foo\nfoo:\nevent\nevent: end\nid2: 5\ndata: ${note(1)}\n\n`,
    pings: [1],
    lastEventId: undefined,
  }),
  grammar({ name: "a colon in the value", wire: `data: ${note(1)}\nx:y:z\n\n`, pings: [1] }),
  grammar({
    name: "an event without data is no message",
    wire: `event: x\n\nid: 1\n\ndata: ${note(1)}\n\n`,
    pings: [1],
    lastEventId: "1",
  }),
  grammar({
    name: "empty and blank data are no messages",
    wire: `data\n\ndata:\n\ndata: \n\ndata:  \t \n\ndata\ndata: \ndata:\t\n\ndata: ${note(1)}\n\n`,
    pings: [1],
  }),
  grammar({
    name: "[DONE] is no message",
    wire: `data: [DONE]\n\ndata:[DONE]\n\ndata:  [DONE]\t \n\ndata: \ndata: [DONE]\ndata:\n\ndata: ${note(1)}\n\ndata: [DONE]\n\n`,
    pings: [1],
  }),
  grammar({ name: "a byte order mark at the start", bom: BOM, wire: `data: ${note(1)}\n\n`, pings: [1] }),
  grammar({
    name: "a byte order mark that begins a later line belongs to the field name",
    wire: `${BOM}data: ${note(1)}\n\ndata: ${note(2)}\n\n`,
    pings: [2],
  }),
];

/** The first line must not be read when a second mark or another byte stands in front of it. */
const MARKS: Case[] = [
  ...[
    ["a second byte order mark belongs to the field name", BOM + BOM],
    ["the first two bytes of a mark belong to the field name", "\xef\xbb"],
    ["a mark whose last byte differs belongs to the field name", "\xef\xbb\xbe"],
  ].map(
    ([name, prefix]): Case => ({
      name: name as string,
      transports: ["sse"],
      everyCut: true,
      steps: [latin1(`${prefix}data: x\n\n${START}`)],
      applied: 1,
    }),
  ),
  {
    name: "a mark alone",
    transports: ["sse"],
    everyCut: true,
    steps: [latin1(BOM)],
    applied: 0,
    finish: "truncated",
  },
  {
    name: "a mark in front of ndjson is no white space",
    transports: ["ndjson"],
    everyCut: true,
    steps: [latin1(`${BOM}{"op":"ping","seq":1}\n`)],
    applied: 0,
    errors: [{ code: "bad_json", byteOffset: 0, eventIndex: 0 }],
  },
  {
    name: "a mark after reconnect is skipped again",
    transports: ["sse"],
    steps: [
      latin1(BOM + START),
      { call: "reconnect", run: (fold) => fold.reducer.reconnect() },
      latin1(`${BOM}data: ${note(1)}\n\n`),
      { call: "finish", run: (fold) => void fold.finish() },
      latin1(`${BOM}data: ${note(2)}\n\n`),
    ],
    applied: 3,
  },
];

const IDS: Case[] = [
  grammar({
    name: "id takes effect at the dispatch",
    wire: `id: 5\ndata: ${note(1)}\n`,
    pings: [],
    lastEventId: undefined,
  }),
  grammar({ name: "id of a message", wire: `id: 5\ndata: ${note(1)}\n\n`, pings: [1], lastEventId: "5" }),
  grammar({
    name: "id persists over messages without one",
    wire: `id: 5\ndata: ${note(1)}\n\ndata: ${note(2)}\n\n`,
    pings: [1, 2],
    lastEventId: "5",
  }),
  grammar({
    name: "the last id of an event counts",
    wire: `id: 5\nid: 6\ndata: ${note(1)}\nid: 7\n\n`,
    pings: [1],
    lastEventId: "7",
  }),
  grammar({ name: "an id without data counts", wire: "id: 5\n\n", pings: [], lastEventId: "5" }),
  grammar({ name: "an id with [DONE] counts", wire: "id: 5\ndata: [DONE]\n\n", pings: [], lastEventId: "5" }),
  grammar({
    name: "an empty id resets",
    wire: `id: 5\ndata: ${note(1)}\n\nid\ndata: ${note(2)}\n\n`,
    pings: [1, 2],
    lastEventId: "",
  }),
  grammar({ name: "an empty id with colon resets", wire: `id: 5\n\nid:\n\n`, pings: [], lastEventId: "" }),
  grammar({
    name: "an id with NUL is ignored",
    wire: `id: 5\n\nid: a\0b\ndata: ${note(1)}\n\nid: \0\n\n`,
    pings: [1],
    lastEventId: "5",
  }),
  grammar({ name: "only one space of an id is dropped", wire: `id:  5 \n\n`, pings: [], lastEventId: " 5 " }),
  grammar({ name: "an id in UTF-8", wire: "id: \xc3\xa9\xf0\x9f\x98\x80\n\n", pings: [], lastEventId: "é😀" }),
  grammar({
    name: "ill-formed UTF-8 in an id is replaced",
    wire: "id: a\xffb\xe2\x82\xc3\n\n",
    pings: [],
    lastEventId: "a\ufffdb\ufffd\ufffd",
  }),
  grammar({ name: "a mark in an id is kept", wire: "id: \xef\xbb\xbfx\n\n", pings: [], lastEventId: "\ufeffx" }),
  grammar({
    name: "the id of a message that fails the connection does not count",
    wire: `id: 5\ndata: ${note(1)}\n\nid: 6\ndata: {\n\n`,
    pings: [1],
    lastEventId: "5",
    errors: [{ code: "bad_json", eventIndex: 2 }],
  }),
  ...(
    [
      ["not decodable", "{"],
      ["without a route", "[]"],
      ["too large", `{"op":"ping","seq":1,"event_type":"${"x".repeat(200)}"}`],
    ] as const
  ).map(
    ([name, data]): Case => ({
      name: `the id of a message that is ${name} and skipped counts`,
      transports: ["sse"],
      everyCut: true,
      options: { undecodable: "skip", limits: { messageBytes: 150 } },
      steps: [latin1(`${START}id: 6\ndata: ${data}\n\n`)],
      applied: 1,
      errors: [
        { code: name === "too large" ? "too_large" : data === "{" ? "bad_json" : "not_an_event", eventIndex: 1 },
      ],
      lastEventId: "6",
    }),
  ),
  {
    name: "the id of a message that is refused for its stream counts",
    transports: ["sse"],
    everyCut: true,
    steps: [latin1(`${START}id: 6\ndata: {"op":"nope","seq":1}\n\n`)],
    applied: 1,
    errors: [{ code: "unknown_op", path: "/op", eventIndex: 1 }],
    lastEventId: "6",
  },
  {
    name: "the id buffer is forgotten by reconnect, lastEventId is not",
    transports: ["sse"],
    steps: [
      utf8(`${START}id: 5\n\nid: 6\n`),
      { call: "reconnect", run: (fold) => fold.reducer.reconnect() },
      utf8(`data: ${note(1)}\n\n`),
    ],
    applied: 2,
    lastEventId: "5",
  },
];

const RETRY: Case[] = [
  ...(
    [
      ["10", 10],
      ["0", 0],
      ["007", 7],
      ["9007199254740991", Number.MAX_SAFE_INTEGER],
      ["9007199254740992", Number.MAX_SAFE_INTEGER],
      ["99999999999999999999999999", Number.MAX_SAFE_INTEGER],
      ["", undefined],
      ["1a", undefined],
      ["-1", undefined],
      ["+1", undefined],
      ["1.5", undefined],
      ["1e3", undefined],
      [" 1", undefined],
      ["1 ", undefined],
      ["\xd9\xa1", undefined],
    ] as const
  ).map(([value, retry]) =>
    grammar({ name: `retry: ${JSON.stringify(value)}`, wire: `retry: ${value}\n`, pings: [], retry }),
  ),
  grammar({ name: "retry without colon", wire: "retry\n", pings: [], retry: undefined }),
  grammar({ name: "retry without space", wire: "retry:12\n", pings: [], retry: 12 }),
  grammar({ name: "the last valid retry counts", wire: "retry: 1\nretry: 2\nretry: x\n", pings: [], retry: 2 }),
  grammar({ name: "retry without terminator is not read yet", wire: "retry: 1\nretry: 2", pings: [], retry: 1 }),
  {
    name: "retry stays over reconnect",
    transports: ["sse"],
    steps: [utf8(`${START}retry: 8\n`), { call: "reconnect", run: (fold) => fold.reducer.reconnect() }, utf8(": x\n")],
    applied: 1,
    retry: 8,
  },
  {
    name: "ndjson and json know neither id nor retry",
    steps: [start()],
    applied: 1,
    apply: false,
    transports: ["ndjson", "json"],
    lastEventId: undefined,
    retry: undefined,
  },
];

const PARTIAL: Case[] = [
  grammar({ name: "a trailing partial line is not read", wire: `data: ${note(1)}`, pings: [] }),
  grammar({ name: "a trailing event without blank line is not read", wire: `data: ${note(1)}\n`, pings: [] }),
  grammar({ name: "a trailing CR dispatches at once", wire: `data: ${note(1)}\n\r`, pings: [1] }),
];

contract("sse", [...LINES, ...FIELDS, ...MARKS, ...IDS, ...RETRY, ...PARTIAL]);
