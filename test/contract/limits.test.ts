import { expect } from "vitest";
import { utf8 } from "../support/bytes.js";
import { thrown } from "../support/fold.js";
import { sseEvent } from "../support/sse.js";
import { append, call, end, MODEL, modelOf, ping, set, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// src/limits.ts and docs/semantics.md §1, §3, §8: each limit exactly at its bound and one over it.

const X = { id: "x", type: "t", content: "" };
const OK = JSON.stringify(start(modelOf(X)));
/** A message of exactly `length` bytes. */
const sized = (length: number, seq = 2): string => {
  const bare = JSON.stringify(append(seq, "x", ""));
  return JSON.stringify(append(seq, "x", "z".repeat(length - bare.length)));
};
const M = 200;

const MESSAGE: Case[] = [
  {
    name: "messageBytes: exactly M, on every transport",
    options: { limits: { messageBytes: M } },
    plain: true,
    steps: [start(modelOf(X)), sized(M)],
    applied: 2,
    streams: [{ status: "open", seq: 2 }],
  },
  {
    name: "messageBytes: M + 1 as json",
    options: { limits: { messageBytes: M } },
    transports: ["json"],
    steps: [utf8(OK), utf8(sized(M + 1)), utf8(sized(M))],
    applied: 1,
    errors: [{ code: "too_large", byteOffset: OK.length, eventIndex: 1 }],
    streams: [{ status: "open", seq: 1, version: 1 }],
  },
  {
    name: "messageBytes: M + 1 as ndjson",
    options: { limits: { messageBytes: M } },
    transports: ["ndjson"],
    everyCut: true,
    steps: [utf8(`${OK}\n${sized(M + 1)}\n${sized(M)}\n`)],
    applied: 1,
    errors: [{ code: "too_large", byteOffset: OK.length + 1, eventIndex: 1 }],
    streams: [{ status: "open", seq: 1, version: 1 }],
  },
  {
    name: "messageBytes: an ndjson line of M + 1 bytes of which one is the CR",
    options: { limits: { messageBytes: M } },
    transports: ["ndjson"],
    everyCut: true,
    steps: [utf8(`${OK}\r\n${sized(M)}\r\n`)],
    applied: 1,
    errors: [{ code: "too_large", byteOffset: OK.length + 2, eventIndex: 1 }],
  },
  {
    name: "messageBytes: a line without end fails before it ends",
    options: { limits: { messageBytes: M } },
    transports: ["ndjson"],
    everyCut: true,
    steps: [utf8(`${OK}\n${sized(M + 1)}`)],
    applied: 1,
    errors: [{ code: "too_large", byteOffset: OK.length + 1, eventIndex: 1 }],
  },
  {
    name: "messageBytes: M + 1 as one data line",
    options: { limits: { messageBytes: M } },
    transports: ["sse"],
    everyCut: true,
    steps: [utf8(`data: ${OK}\n\n: c\ndata:${sized(M + 1)}\n\n`)],
    applied: 1,
    errors: [{ code: "too_large", byteOffset: OK.length + 8 + 4 + 5, eventIndex: 1 }],
  },
  {
    name: "messageBytes: M + 1 over several data lines, the joining LFs counted",
    options: { limits: { messageBytes: M } },
    transports: ["sse"],
    everyCut: true,
    steps: [utf8(`data: ${OK}\n\n${sseEvent(sized(M - 3), { multiLine: true })}`)],
    applied: 1,
    errors: [{ code: "too_large", byteOffset: OK.length + 8 + 6, eventIndex: 1 }],
  },
  {
    name: "messageBytes: exactly M over several data lines",
    options: { limits: { messageBytes: M } },
    transports: ["sse"],
    everyCut: true,
    // four commas become five lines
    steps: [utf8(`data: ${OK}\n\n${sseEvent(sized(M - 4), { multiLine: true })}`)],
    applied: 2,
    streams: [{ status: "open", seq: 2 }],
  },
  ...(
    [
      ["a comment", ":"],
      ["an unknown field", "x:"],
      ["an id", "id:"],
      ["a line without colon", ""],
    ] as const
  ).flatMap(([name, prefix]): Case[] => [
    {
      name: `messageBytes: ${name} of M + 6 bytes`,
      options: { limits: { messageBytes: M } },
      transports: ["sse"],
      everyCut: true,
      steps: [utf8(`data: ${OK}\n\n${prefix.padEnd(M + 6, "c")}\r\ndata: ${sized(M)}\n\n`)],
      applied: 2,
    },
    {
      name: `messageBytes: ${name} of M + 7 bytes`,
      options: { limits: { messageBytes: M } },
      transports: ["sse"],
      everyCut: true,
      steps: [utf8(`data: ${OK}\n\n${prefix.padEnd(M + 7, "c")}\r\ndata: ${sized(M)}\n\n`)],
      applied: 1,
      errors: [{ code: "too_large", byteOffset: OK.length + 8, eventIndex: 1 }],
    },
  ]),
  {
    name: "messageBytes: skipped, reading goes on behind the message (ndjson)",
    options: { limits: { messageBytes: M }, undecodable: "skip" },
    transports: ["ndjson"],
    everyCut: true,
    steps: [utf8(`${OK}\n${sized(M + 50)}\n${sized(M)}\n`)],
    applied: 2,
    errors: [{ code: "too_large", byteOffset: OK.length + 1, eventIndex: 1 }],
    streams: [{ status: "open", seq: 2 }],
  },
  {
    name: "messageBytes: skipped, reading goes on behind the message (sse)",
    options: { limits: { messageBytes: M }, undecodable: "skip" },
    transports: ["sse"],
    everyCut: true,
    steps: [utf8(`data: ${OK}\n\ndata: ${sized(M + 50)}\ndata: more\n\ndata: ${sized(M)}\n\n`)],
    applied: 2,
    errors: [{ code: "too_large", byteOffset: OK.length + 8 + 6, eventIndex: 1 }],
    streams: [{ status: "open", seq: 2 }],
  },
  {
    name: "messageBytes: skipped (json)",
    options: { limits: { messageBytes: M }, undecodable: "skip" },
    transports: ["json"],
    steps: [utf8(OK), utf8(sized(M + 1)), utf8(sized(M))],
    applied: 2,
    errors: [{ code: "too_large", byteOffset: OK.length, eventIndex: 1 }],
  },
];

const nest = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

/** Events whose deepest value is as deep as `levels` counted from the event itself. */
const DEPTH: Case[] = [12, 512].flatMap((depth): Case[] => {
  const options = depth === 512 ? {} : { options: { limits: { depth } } };
  const deepSet = (levels: number, seq = 2): string =>
    `{"op":"set","seq":${seq},"mask":"block.v","block":{"id":"x","v":${nest(levels - 2)}}}`;
  const deepMeta = (levels: number, seq = 2): string =>
    `{"op":"set","seq":${seq},"mask":"meta.v","meta":{"v":${nest(levels - 2)}}}`;
  const deepStart = (levels: number): string =>
    `{"op":"start","seq":1,"model":{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"x","type":"t","v":${nest(levels - 4)}}]}}`;
  const base = start(modelOf({ id: "x", type: "t" }));
  const name = (text: string): string => `depth ${depth}: ${text}`;
  return [
    {
      name: name("a start exactly as deep"),
      ...options,
      steps: [deepStart(depth)],
      applied: 1,
      streams: [{ status: "open", seq: 1 }],
    },
    {
      name: name("a start one too deep"),
      ...options,
      transports: ["json"],
      steps: [utf8(deepStart(depth + 1))],
      applied: 0,
      errors: [{ code: "too_deep", byteOffset: deepStart(depth + 1).indexOf("[[") + depth - 4, eventIndex: 0 }],
    },
    {
      name: name("the model of a set exactly as deep as a start could carry"),
      ...options,
      // event 1, block 2, value from 3 on; in the model the value begins at level 4, and the model may reach depth - 1
      steps: [base, deepSet(depth - 2)],
      applied: 2,
      streams: [{ status: "open", seq: 2 }],
    },
    {
      name: name("the model of a set one too deep"),
      ...options,
      steps: [base, deepSet(depth - 1)],
      applied: 1,
      errors: [{ code: "limit", path: "/block/v", eventIndex: 1 }],
      streams: [{ status: "refused", seq: 1, version: 1 }],
    },
    {
      name: name("the event of a set exactly as deep"),
      ...options,
      steps: [base, deepSet(depth)],
      applied: 1,
      errors: [{ code: "limit", path: "/block/v", eventIndex: 1 }],
    },
    {
      name: name("the event of a set one too deep"),
      ...options,
      steps: [base, deepSet(depth + 1)],
      applied: 1,
      errors: [{ code: "too_deep", eventIndex: 1 }],
    },
    {
      name: name("meta: exactly as deep, and one too deep"),
      ...options,
      // in the model meta's value begins at level 3, as it does in the event
      steps: [base, deepMeta(depth - 1), deepMeta(depth, 3)],
      applied: 2,
      errors: [{ code: "limit", path: "/meta/v", eventIndex: 2 }],
      streams: [{ status: "refused", seq: 2 }],
    },
    {
      name: name("a whole block: exactly as deep, and one too deep"),
      ...options,
      steps: [
        base,
        `{"op":"set","seq":2,"block":{"id":"y","type":"t","v":${nest(depth - 4)}}}`,
        `{"op":"set","seq":3,"block":{"id":"z","type":"t","v":${nest(depth - 3)}}}`,
      ],
      applied: 2,
      errors: [{ code: "limit", path: "/block", eventIndex: 2 }],
    },
    {
      name: name("an array that grows: exactly as deep, and one too deep"),
      ...options,
      steps: [
        base,
        `{"op":"append","seq":2,"mask":"block.v","block":{"id":"x","v":[${nest(depth - 5)}]}}`,
        `{"op":"append","seq":3,"mask":"block.v","block":{"id":"x","v":[1,${nest(depth - 5)}]}}`,
        `{"op":"append","seq":4,"mask":"block.v","block":{"id":"x","v":[${nest(depth - 4)}]}}`,
      ],
      applied: 3,
      errors: [{ code: "limit", path: "/block/v", eventIndex: 3 }],
    },
    {
      name: name("a deep place: exactly as deep, and one too deep"),
      ...options,
      steps: [
        base,
        `{"op":"set","seq":2,"mask":"block.a.b.c","block":{"id":"x","a":{"b":{"c":${nest(depth - 6)}}}}}`,
        `{"op":"set","seq":3,"mask":"block.a.b.d","block":{"id":"x","a":{"b":{"d":${nest(depth - 5)}}}}}`,
      ],
      applied: 2,
      errors: [{ code: "limit", path: "/block/a/b/d", eventIndex: 2 }],
    },
    {
      name: name("load and materialize"),
      ...options,
      steps: [
        call("load", (fold, label) => {
          const model = (levels: number): string =>
            `{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"r","ref":"k"},{"id":"x","type":"t","v":${nest(levels - 3)}}]}`;
          expect(
            thrown(() => fold.reducer.load(model(depth - 1), { seq: 1 })),
            label,
          ).toBeUndefined();
          expect(
            thrown(() => fold.reducer.load(model(depth), { seq: 1 })),
            label,
          ).toMatchObject({ code: "limit" });
          expect(
            thrown(() => fold.reducer.materialize(`{"id":"r","type":"t","v":${nest(depth - 3)}}`)),
            label,
          ).toMatchObject({ code: "limit" });
          expect(
            thrown(() => fold.reducer.materialize(`{"id":"r","type":"t","v":${nest(depth - 4)}}`)),
            label,
          ).toBeUndefined();
        }),
      ],
      applied: 0,
      streams: [{ status: "open", seq: 1, version: 2 }],
    },
  ];
});

const NUMBER: Case[] = [
  {
    name: "numberLength: exactly as long, anywhere",
    options: { limits: { numberLength: 8 } },
    steps: [
      start(modelOf(X, { id: "n", type: "t", v: [12345678] })),
      '{"op":"ping","seq":1,"ts":12345678}',
      '{"op":"set","seq":2,"mask":"meta.v","meta":{"v":{"w":[-1.234e5]}}}',
    ],
    applied: 3,
  },
  {
    name: "numberLength: one longer, anywhere; also where it is ignored, before every other fault of the event",
    options: { limits: { numberLength: 8 }, onViolation: "skip-event" },
    steps: [
      start(modelOf(X)),
      '{"op":"ping","seq":1,"ts":123456789}',
      '{"op":"set","seq":2,"mask":"meta.v","meta":{"v":1,"w":[-1.2345e5]}}',
      '{"bogus":123456789,"op":5}',
      '{"bogus":1,"op":5,"seq":0.0000001}',
      '{"op":"ping","seq":1,"seq":1,"ts":123456789,"ts":1}',
      ping(1),
    ],
    // objects have no spelling of numbers
    apply: false,
    applied: 2,
    errors: [1, 2, 3, 4, 5].map((eventIndex) => ({ code: "limit", streamId: "", eventIndex }) as const),
    streams: [{ status: "open", seq: 1, version: 1 }],
  },
  {
    name: "numberLength: a violation like others",
    options: { limits: { numberLength: 8 } },
    steps: [start(modelOf(X)), '{"op":"ping","seq":1,"ts":123456789}', ping(1)],
    applied: 1,
    errors: [{ code: "limit", streamId: "", eventIndex: 1 }],
    streams: [{ status: "refused", seq: 1, version: 1 }],
  },
  {
    name: "numberLength: a seq that only a double takes for an integer is none",
    options: { limits: { numberLength: 18 } },
    steps: [start(modelOf(X)), '{"op":"ping","seq":4503599627370496.25}'],
    apply: false,
    applied: 1,
    errors: [{ code: "limit", streamId: "", eventIndex: 1 }],
    inspect: (fold, label) => expect(fold.errors[0], label).not.toHaveProperty("seq"),
  },
  {
    name: "numberLength: on a stream that does not exist nothing is created",
    options: { limits: { numberLength: 8 } },
    steps: ['{"op":"ping","seq":123456789,"stream_id":"s"}'],
    applied: 0,
    errors: [{ code: "limit", streamId: "s", eventIndex: 0 }],
    streams: [],
  },
  {
    name: "numberLength: the default takes 1,024 characters",
    steps: [
      start(modelOf(X)),
      `{"op":"set","seq":2,"mask":"meta.v","meta":{"v":1${"0".repeat(1023)}}}`,
      `{"op":"set","seq":3,"mask":"meta.v","meta":{"v":1${"0".repeat(1024)}}}`,
    ],
    applied: 2,
    errors: [{ code: "limit", streamId: "", eventIndex: 2 }],
  },
  {
    name: "numberLength: in load and materialize",
    options: { limits: { numberLength: 8 } },
    steps: [
      start(),
      call("load", (fold, label) => {
        expect(
          thrown(() => fold.reducer.load(JSON.stringify(modelOf({ ...X, n: 123456789 })))),
          label,
        ).toMatchObject({ code: "limit" });
        expect(
          thrown(() => fold.reducer.materialize(JSON.stringify({ id: "r", type: "t", n: 123456789 }))),
          label,
        ).toMatchObject({ code: "limit" });
      }),
    ],
    applied: 1,
    streams: [{ status: "open", seq: 1, version: 1, model: MODEL }],
  },
];

const block = (i: number): Record<string, unknown> => ({ id: `b${i}`, type: "t", content: "" });

const BLOCKS: Case[] = [
  {
    name: "blocks: exactly as many in a start, and one too many",
    options: { limits: { blocks: 3 } },
    steps: [start(modelOf(block(0), block(1), block(2))), start(modelOf(block(0), block(1), block(2), block(3), 5))],
    applied: 1,
    errors: [{ code: "limit", path: "/model/blocks/3", eventIndex: 1 }],
    streams: [{ status: "refused", seq: 1, version: 1 }],
  },
  {
    name: "blocks: the count comes before the fault of the block too many, behind those of earlier ones",
    options: { limits: { blocks: 2 }, onViolation: "skip-event" },
    steps: [
      start(modelOf(block(0), block(1), 5)),
      start(modelOf(block(0), block(0), 5)),
      start(modelOf(block(0), 5, block(1))),
    ],
    applied: 0,
    errors: [
      { code: "limit", path: "/model/blocks/2", eventIndex: 0 },
      { code: "duplicate_id", path: "/model/blocks/1/id", eventIndex: 1 },
      { code: "bad_block", path: "/model/blocks/1", eventIndex: 2 },
    ],
    streams: [],
  },
  {
    name: "blocks: sets and appends that insert",
    options: { limits: { blocks: 2 }, onViolation: "skip-event" },
    steps: [
      start(modelOf(block(0))),
      set(2, block(1)),
      set(3, block(2)),
      { op: "append", seq: 3, mask: "block.content", block: block(3) },
      { op: "append", seq: 3, mask: "block.content", block: { id: "b4", content: "" } },
      set(3, { id: "b5", ref: "k" }),
      set(3, { ...block(0), content: "replaced" }),
      append(4, "b1", "grown"),
    ],
    applied: 4,
    errors: [
      { code: "limit", path: "/block", eventIndex: 2 },
      { code: "limit", path: "/block", eventIndex: 3 },
      { code: "bad_block", path: "/block/type", eventIndex: 4 },
      { code: "limit", path: "/block", eventIndex: 5 },
    ],
    streams: [
      {
        status: "open",
        seq: 4,
        model: modelOf({ ...block(0), content: "replaced" }, { ...block(1), content: "grown" }),
      },
    ],
  },
  {
    name: "blocks: load",
    options: { limits: { blocks: 1 } },
    steps: [
      call("load", (fold, label) => {
        expect(
          thrown(() => fold.reducer.load(modelOf(block(0), block(1)))),
          label,
        ).toMatchObject({ code: "limit", path: "/blocks/1" });
        expect(
          thrown(() => fold.reducer.load(modelOf(block(0)), { seq: 1 })),
          label,
        ).toBeUndefined();
      }),
    ],
    applied: 0,
    streams: [{ status: "open", seq: 1, version: 1 }],
  },
];

const STREAMS: Case[] = [
  {
    name: "streams: exactly as many, one too many, and room again after release",
    options: { limits: { streams: 2 } },
    steps: [
      start(modelOf(), { stream_id: "p" }),
      start(modelOf()),
      start(modelOf(), { stream_id: "q" }),
      start(modelOf(), { stream_id: "p" }),
      start({}, { stream_id: "q" }),
      ping(1, { stream_id: "q" }),
      call("load", (fold, label) => {
        expect(
          thrown(() => fold.reducer.load(modelOf(), { streamId: "q" })),
          label,
        ).toMatchObject({ code: "limit" });
        fold.reducer.release();
      }),
      start(modelOf(), { stream_id: "q" }),
    ],
    applied: 4,
    errors: [
      { code: "limit", path: "/stream_id", streamId: "q", seq: 1, eventIndex: 2 },
      { code: "bad_model", path: "/model/version", streamId: "q", eventIndex: 4 },
      { code: "no_model", streamId: "q", eventIndex: 5 },
    ],
    streams: [
      { streamId: "p", status: "open", version: 2 },
      { streamId: "q", status: "open", version: 1 },
    ],
  },
  {
    name: "streams: ended streams count until they are released",
    options: { limits: { streams: 1 }, keepEnded: 0 },
    steps: [
      start(modelOf(), { stream_id: "p" }),
      start(modelOf(), { stream_id: "q" }),
      end(1, { stream_id: "p" }),
      start(modelOf(), { stream_id: "q" }),
    ],
    applied: 3,
    errors: [{ code: "limit", path: "/stream_id", streamId: "q", eventIndex: 1 }],
    streams: [{ streamId: "q", status: "open" }],
  },
];

const LOADS: Case[] = [
  {
    name: "load and materialize: the code and place of every limit, and their order",
    options: { limits: { streams: 1, depth: 6, modelBytes: 120, numberLength: 8, blocks: 2 } },
    steps: [
      start(modelOf({ id: "r", ref: "k" })),
      call("faults", (fold, label) => {
        const deep = modelOf({ id: "r", type: "t", v: [[[]]] });
        const long = modelOf({ id: "r".repeat(100), type: "t" });
        const many = modelOf({ id: "p", ref: "k" }, { id: "q", ref: "k" }, { id: "r", ref: "k" });
        const number = JSON.stringify(modelOf({ id: "r", type: "t", v: 123456789 }));
        const load = (model: unknown, streamId = ""): unknown => fold.reducer.load(model, { streamId });
        const cases: [name: string, use: () => unknown, path: string | undefined][] = [
          ["streams", () => load(modelOf(), "q"), undefined],
          ["depth", () => load(deep), ""],
          ["modelBytes", () => load(long), ""],
          ["numberLength", () => load(number), undefined],
          ["blocks", () => load(many), "/blocks/2"],
          ["streams before depth", () => load(deep, "q"), undefined],
          ["streams before modelBytes", () => load(long, "q"), undefined],
          ["blocks before streams", () => load(many, "q"), "/blocks/2"],
          ["depth of a block", () => fold.reducer.materialize({ id: "r", type: "t", v: [[[]]] }), ""],
          ["modelBytes of a block", () => fold.reducer.materialize({ id: "r", type: "t".repeat(100) }), ""],
          ["numberLength of a block", () => fold.reducer.materialize('{"id":"r","type":"t","v":123456789}'), undefined],
        ];
        for (const [name, use, path] of cases) {
          const error = thrown(use);
          expect({ code: error?.code, path: error?.path }, `${label}: ${name}`).toEqual({ code: "limit", path });
        }
        expect(
          thrown(() => load(modelOf({ id: "r", type: "t", v: [[[[[[]]]]]] }))),
          label,
        ).toMatchObject({
          code: "too_deep",
        });
      }),
    ],
    applied: 1,
    streams: [{ status: "open", seq: 1, version: 1, model: modelOf({ id: "r", ref: "k" }) }],
  },
];

contract("limits", [...MESSAGE, ...DEPTH, ...NUMBER, ...BLOCKS, ...STREAMS, ...LOADS]);
