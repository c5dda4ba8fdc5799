import { expect } from "vitest";
import { utf8 } from "../support/bytes.js";
import { thrown } from "../support/fold.js";
import { append, call, modelOf, set, setBlock, setMeta, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// src/limits.ts and docs/semantics.md §3 step 8: modelBytes, exactly at its bound and one over it.

/** Bytes of a model as compact JSON. */
const size = (model: unknown): number => utf8(JSON.stringify(model)).length;
const FULL = modelOf({ id: "x", type: "t", content: "é\u0001中" }, { id: "l", type: "t", items: [1] });

const MODEL_BYTES: Case[] = [0, 1].flatMap((over): Case[] => {
  const expected = (path: string): Pick<Case, "applied" | "errors"> =>
    over ? { applied: 1, errors: [{ code: "limit", path, eventIndex: 1 }] } : { applied: 2 };
  const step = (
    name: string,
    event: Record<string, unknown> | string,
    result: unknown,
    path: string,
    first: unknown = FULL,
    status: "open" | "errored" = "open",
  ): Case => ({
    name: `modelBytes: ${name}, ${over ? "one byte too many" : "exactly"}`,
    options: { limits: { modelBytes: size(result) - over } },
    steps: [start(first), event],
    ...expected(path),
    streams: [
      over ? { status: "refused", seq: 1, version: 1, model: first } : { status, seq: 2, version: 2, model: result },
    ],
  });
  const grown = (content: string): unknown =>
    modelOf({ id: "x", type: "t", content: `é\u0001中${content}` }, { id: "l", type: "t", items: [1] });
  return [
    {
      name: `modelBytes: start, ${over ? "one byte too many" : "exactly"}`,
      options: { limits: { modelBytes: size(FULL) - over } },
      steps: [start(FULL)],
      applied: 1 - over,
      ...(over ? { errors: [{ code: "limit", path: "/model", eventIndex: 0 }] } : {}),
      streams: over ? [] : [{ status: "open", model: FULL }],
    },
    {
      name: `modelBytes: start with white space and escapes counts what is kept, ${over ? "one byte too many" : "exactly"}`,
      options: { limits: { modelBytes: size(FULL) - over } },
      steps: [
        `{"op":"start","seq":1,"model": { "version":"1.1", "biz" : "\\u0063hat","meta":{ },"blocks":[{"id":"\\u0078","type":"t","content":"\\u00e9\\u0001\\u4e2d"},{"id":"l","type":"t","items":[ 1 ]}]}}`,
      ],
      applied: 1 - over,
      ...(over ? { errors: [{ code: "limit", path: "/model", eventIndex: 0 }] } : {}),
    },
    step("append to a string", append(2, "x", "abc"), grown("abc"), "/block/content"),
    step(
      "append with escapes",
      '{"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"\\u4e2d\\/\\u0001\\n\\""}}',
      grown('中/\u0001\n"'),
      "/block/content",
    ),
    step(
      "append to an array",
      { op: "append", seq: 2, mask: "block.items", block: { id: "l", items: [2, "x"] } },
      modelOf({ id: "x", type: "t", content: "é\u0001中" }, { id: "l", type: "t", items: [1, 2, "x"] }),
      "/block/items",
    ),
    step(
      "append to an empty array",
      { op: "append", seq: 2, mask: "block.v", block: { id: "x", v: [22, 3] } },
      modelOf({ id: "x", type: "t", v: [22, 3] }),
      "/block/v",
      modelOf({ id: "x", type: "t", v: [] }),
    ),
    step(
      "append that sets an absent field",
      { op: "append", seq: 2, mask: "block.v", block: { id: "x", v: "12" } },
      modelOf({ id: "x", type: "t", v: "12" }),
      "/block/v",
      modelOf({ id: "x", type: "t" }),
    ),
    step(
      "append that inserts",
      { op: "append", seq: 2, mask: "block.c", block: { id: "y", type: "t", c: "" } },
      modelOf({ id: "x", type: "t" }, { id: "y", type: "t", c: "" }),
      "/block/c",
      modelOf({ id: "x", type: "t" }),
    ),
    step(
      "set of a new block",
      set(2, { id: "y", type: "t" }),
      modelOf({ id: "x", type: "t" }, { id: "y", type: "t" }),
      "/block",
      modelOf({ id: "x", type: "t" }),
    ),
    step(
      "set of the first block",
      set(2, { id: "y", type: "t" }),
      modelOf({ id: "y", type: "t" }),
      "/block",
      modelOf(),
    ),
    step(
      "set that replaces a block",
      set(2, { id: "x", type: "longer" }),
      modelOf({ id: "x", type: "longer" }),
      "/block",
      modelOf({ id: "x", type: "t" }),
    ),
    step(
      "set of a field",
      setBlock(2, "block.v", { id: "x", v: [1, { a: null }] }),
      modelOf({ id: "x", type: "t", v: [1, { a: null }] }),
      "/block/v",
      modelOf({ id: "x", type: "t", v: 1 }),
    ),
    step(
      "set of a nested new field",
      setBlock(2, "block.v.w", { id: "x", v: { w: 1 } }),
      modelOf({ id: "x", type: "t", v: { w: 1 } }),
      "/block/v/w",
      modelOf({ id: "x", type: "t" }),
    ),
    step("set of meta", setMeta(2, "meta.m", { m: "é" }), { ...modelOf(), meta: { m: "é" } }, "/meta/m", modelOf()),
    step(
      "error",
      { op: "error", seq: 2, mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
      { ...modelOf(), meta: { error: { code: "c", message: "m" } } },
      "/meta/error",
      modelOf(),
      "errored",
    ),
    {
      name: `modelBytes: halves that meet, ${over ? "one byte too many" : "exactly"}`,
      options: { limits: { modelBytes: size(modelOf({ id: "x", type: "t", content: "\ud83d" })) + 2 - over } },
      steps: [
        '{"op":"start","seq":1,"model":{"version":"1.1","biz":"chat","meta":{},"blocks":[{"id":"x","type":"t","content":"\\ud83d"}]}}',
        // six bytes of an escape become four of a character
        '{"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"\\ude00abcd"}}',
      ],
      ...expected("/block/content"),
      streams: [
        over
          ? { status: "refused", seq: 1 }
          : { status: "open", seq: 2, model: modelOf({ id: "x", type: "t", content: "😀abcd" }) },
      ],
    },
  ];
});

const MODEL_BYTES_LATER: Case[] = [
  {
    name: "modelBytes: a model that shrank may grow again",
    options: {
      limits: { modelBytes: size(modelOf({ id: "x", type: "t", content: "12345678" })) },
      onViolation: "skip-event",
    },
    steps: [
      start(modelOf({ id: "x", type: "t", content: "12345678" })),
      append(2, "x", "9"),
      setBlock(2, "block.content", { id: "x", content: "" }),
      append(3, "x", "1234"),
      append(4, "x", "5678"),
      append(5, "x", "9"),
    ],
    applied: 4,
    errors: [
      { code: "limit", path: "/block/content", eventIndex: 1 },
      { code: "limit", path: "/block/content", eventIndex: 5 },
    ],
    streams: [{ status: "open", seq: 4, model: modelOf({ id: "x", type: "t", content: "12345678" }) }],
  },
  {
    name: "modelBytes: each stream has its own",
    options: { limits: { modelBytes: size(modelOf()) } },
    steps: [
      start(modelOf(), { stream_id: "p" }),
      start(modelOf(), { stream_id: "q" }),
      start(modelOf(), { stream_id: "r" }),
    ],
    applied: 3,
  },
  {
    name: "modelBytes: load and materialize",
    options: { limits: { modelBytes: size(modelOf({ id: "r", ref: "kkkkkkkk" })) } },
    steps: [
      call("load", (fold, label) => {
        expect(
          thrown(() => fold.reducer.load(modelOf({ id: "r", ref: "kkkkkkkkk" }))),
          label,
        ).toMatchObject({ code: "limit" });
        expect(
          thrown(() => fold.reducer.load(modelOf({ id: "r", ref: "kkkkkkkk" }), { seq: 1 })),
          label,
        ).toBeUndefined();
        expect(
          thrown(() => fold.reducer.materialize({ id: "r", type: "tttttttt" })),
          label,
        ).toMatchObject({ code: "limit" });
        expect(
          thrown(() => fold.reducer.materialize({ id: "r", type: "ttttttt" })),
          label,
        ).toBeUndefined();
      }),
    ],
    applied: 0,
    streams: [{ status: "open", seq: 1, version: 2, model: modelOf({ id: "r", type: "ttttttt" }) }],
  },
];

contract("limit modelBytes", [...MODEL_BYTES, ...MODEL_BYTES_LATER]);
