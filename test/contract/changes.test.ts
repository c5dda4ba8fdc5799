import { expect } from "vitest";
import type { Change } from "../../src/engine/contract.js";
import { append, call, end, failure, MODEL, modelOf, ping, set, setBlock, setMeta, start } from "./base.js";
import { type Call, type Case, contract } from "./runner.js";

// docs/semantics.md §6: what `changes` answers.

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Wanted = Without<Change, "streamId">;

/** Reads `changes` and compares; "resync" stands for an answer that is not known any more. */
function changes(since: number | undefined, version: number, wanted: Wanted[] | "resync", streamId = ""): Call {
  return call(`changes since ${since}`, (fold, label) => {
    const answer = fold.reducer.changes({ streamId, ...(since === undefined ? {} : { since }) });
    if (wanted === "resync") expect(answer, label).toEqual({ version, resync: true });
    else expect(answer, label).toEqual({ version, changes: wanted.map((change) => ({ streamId, ...change })) });
    expect(fold.reducer.stats({ streamId }).version, label).toBe(version);
  });
}

const grow = (from: number, to: number, text: string, id = "a", field = "content"): Wanted => ({
  kind: "append",
  id,
  field,
  from,
  to,
  text,
});

/** A character whose halves come apart, with changes of another field and an empty append between them. */
const other = (seq: number, text: string) => ({
  op: "append",
  seq,
  mask: "block.other",
  block: { id: "a", other: text },
});
const HALVES: Case[] = [[], [other(5, "z")]].map((between, index) => ({
  name: `an empty append behind half a character${index ? ", and another field before the other half" : ""}`,
  steps: [
    start(),
    changes(0, 1, [{ kind: "start" }]),
    append(2, "a", "!\ud83d"),
    other(3, "o"),
    append(4, "a", ""),
    ...between,
    append(5 + between.length, "a", "\ude00"),
    changes(
      1,
      5 + between.length,
      between.length === 0
        ? [grow(5, 7, "!\ud83d"), { kind: "replace", id: "a", field: "other" }, grow(7, 8, "\ude00")]
        : [
            grow(5, 7, "!\ud83d"),
            { kind: "replace", id: "a", field: "other" },
            grow(7, 7, ""),
            grow(1, 2, "z", "a", "other"),
            grow(7, 8, "\ude00"),
          ],
    ),
  ],
  applied: 5 + between.length,
}));

const KINDS: Case[] = [
  {
    name: "start and load",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      start(),
      changes(1, 2, [{ kind: "start" }]),
      call("load", (fold) => fold.reducer.load(MODEL, { seq: 1 })),
      changes(2, 3, [{ kind: "start" }]),
      changes(0, 3, [{ kind: "start" }]),
      changes(1, 3, [{ kind: "start" }]),
    ],
    applied: 2,
  },
  {
    name: "whole set",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      set(2, { id: "n", type: "t" }),
      changes(1, 2, [{ kind: "insert", id: "n" }]),
      set(3, { id: "a", type: "t" }),
      changes(2, 3, [{ kind: "replace", id: "a" }]),
      changes(1, 3, [
        { kind: "insert", id: "n" },
        { kind: "replace", id: "a" },
      ]),
    ],
    applied: 3,
  },
  {
    name: "field patches",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      setBlock(2, "block.tool.status", { id: "tool", tool: { status: "x" } }),
      setMeta(3, "meta.open.deep", { open: { deep: 1 } }),
      failure(4, { code: "c", message: "m" }),
      changes(1, 4, [
        { kind: "replace", id: "tool", field: "tool.status" },
        { kind: "meta", field: "open.deep" },
        { kind: "meta", field: "error" },
      ]),
    ],
    applied: 4,
  },
  {
    name: "append to a string, an absent field, a null field, an array, a missing block",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", " é中😀"),
      { op: "append", seq: 3, mask: "block.note", block: { id: "a", note: "n" } },
      { op: "append", seq: 4, mask: "block.empty", block: { id: "tool", empty: "e" } },
      { op: "append", seq: 5, mask: "block.items", block: { id: "list", items: [2, 3] } },
      { op: "append", seq: 6, mask: "block.content", block: { id: "n", type: "t", content: "c" } },
      { op: "append", seq: 7, mask: "block.more", block: { id: "list", more: [1] } },
      changes(1, 7, [
        grow(5, 10, " é中😀"),
        { kind: "replace", id: "a", field: "note" },
        { kind: "replace", id: "tool", field: "empty" },
        { kind: "append", id: "list", field: "items", from: 1, to: 3 },
        { kind: "insert", id: "n" },
        { kind: "replace", id: "list", field: "more" },
      ]),
    ],
    applied: 7,
  },
  {
    name: "materialize",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      call("materialize", (fold) => fold.reducer.materialize({ id: "r", type: "t" })),
      changes(1, 2, [{ kind: "replace", id: "r" }]),
    ],
    applied: 1,
  },
  {
    name: "ping and end change nothing",
    steps: [start(), changes(0, 1, [{ kind: "start" }]), ping(1), changes(1, 1, []), end(2), changes(1, 1, [])],
    applied: 3,
  },
  {
    name: "refused and skipped events change nothing",
    options: { onViolation: "skip-event" },
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      append(1, "a", "x"),
      set(2, { id: 5 }),
      append(2, "r", "x"),
      changes(1, 1, []),
    ],
    applied: 1,
    errors: [
      { code: "bad_block", path: "/block/id", eventIndex: 2 },
      { code: "unresolved_reference", path: "/block", eventIndex: 3 },
    ],
    warnings: [{ code: "duplicate_seq", path: "/seq", streamId: "", seq: 1, eventIndex: 1 }],
  },
];

const COALESCED: Case[] = [
  {
    name: "appends to one field join",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", "1"),
      append(3, "a", "2é"),
      append(4, "a", ""),
      append(5, "a", "😀"),
      changes(1, 5, [grow(5, 10, "12é😀")]),
    ],
    applied: 5,
  },
  {
    name: "appends join over changes of other blocks, fields and meta",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", "1"),
      setMeta(3, "meta.x", { x: 1 }),
      append(4, "a", "2"),
      { op: "append", seq: 5, mask: "block.items", block: { id: "list", items: [2] } },
      append(6, "a", "3"),
      { op: "append", seq: 7, mask: "block.items", block: { id: "list", items: [3, 4] } },
      changes(1, 7, [
        grow(5, 8, "123"),
        { kind: "meta", field: "x" },
        { kind: "append", id: "list", field: "items", from: 1, to: 4 },
      ]),
    ],
    applied: 7,
  },
  {
    name: "appends to two fields of one block in turn do not join: each touches the block",
    steps: [
      start(modelOf({ id: "a", type: "t", content: "", note: "" })),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", "1"),
      { op: "append", seq: 3, mask: "block.note", block: { id: "a", note: "n" } },
      append(4, "a", "2"),
      { op: "append", seq: 5, mask: "block.note", block: { id: "a", note: "m" } },
      changes(1, 5, [grow(0, 1, "1"), grow(0, 1, "n", "a", "note"), grow(1, 2, "2"), grow(1, 2, "m", "a", "note")]),
    ],
    applied: 5,
  },
  {
    name: "a change of the field or of the whole block ends the joining",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", "1"),
      setBlock(3, "block.content", { id: "a", content: "new" }),
      append(4, "a", "2"),
      set(5, { id: "a", type: "t", content: "whole" }),
      append(6, "a", "3"),
      // everything before the whole set is pointless by now
      changes(1, 6, [{ kind: "replace", id: "a" }, grow(5, 6, "3")]),
    ],
    applied: 6,
  },
  {
    name: "a set of the field ends the joining; what came before it is left out",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", "1"),
      setBlock(3, "block.content", { id: "a", content: "new" }),
      append(4, "a", "2"),
      append(5, "a", "3"),
      changes(1, 5, [{ kind: "replace", id: "a", field: "content" }, grow(3, 5, "23")]),
    ],
    applied: 5,
  },
  {
    name: "an answer leaves out what it makes pointless itself, never what an older answer needs",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      setMeta(2, "meta.x.y", { x: { y: 1 } }),
      setBlock(3, "block.tool.args.q", { id: "tool", tool: { args: { q: 2 } } }),
      setBlock(4, "block.tool.status", { id: "tool", tool: { status: "a" } }),
      changes(1, 4, [
        { kind: "meta", field: "x.y" },
        { kind: "replace", id: "tool", field: "tool.args.q" },
        { kind: "replace", id: "tool", field: "tool.status" },
      ]),
      setBlock(5, "block.tool.args", { id: "tool", tool: { args: {} } }),
      setMeta(6, "meta.x", { x: 2 }),
      setMeta(7, "meta.xy", { xy: 2 }),
      setBlock(8, "block.tool.status", { id: "tool", tool: { status: "b" } }),
      changes(4, 8, [
        { kind: "replace", id: "tool", field: "tool.args" },
        { kind: "meta", field: "x" },
        { kind: "meta", field: "xy" },
        { kind: "replace", id: "tool", field: "tool.status" },
      ]),
      changes(1, 8, [
        { kind: "replace", id: "tool", field: "tool.args" },
        { kind: "meta", field: "x" },
        { kind: "meta", field: "xy" },
        { kind: "replace", id: "tool", field: "tool.status" },
      ]),
    ],
    applied: 8,
  },
  {
    name: "an insert stays, whatever becomes of the block; fields below a later one go, fields above stay",
    steps: [
      start(modelOf()),
      changes(0, 1, [{ kind: "start" }]),
      set(2, { id: "n", type: "t" }),
      setBlock(3, "block.x", { id: "n", x: {} }),
      setBlock(4, "block.x.y", { id: "n", x: { y: 1 } }),
      changes(1, 4, [
        { kind: "insert", id: "n" },
        { kind: "replace", id: "n", field: "x" },
        { kind: "replace", id: "n", field: "x.y" },
      ]),
      set(5, { id: "n", type: "u" }),
      changes(1, 5, [
        { kind: "insert", id: "n" },
        { kind: "replace", id: "n" },
      ]),
    ],
    applied: 5,
  },
  {
    name: "a read ends the joining, and older versions still get everything",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", "1"),
      changes(1, 2, [grow(5, 6, "1")]),
      append(3, "a", "2"),
      append(4, "a", "3"),
      changes(2, 4, [grow(6, 8, "23")]),
      changes(1, 4, [grow(5, 6, "1"), grow(6, 8, "23")]),
      changes(4, 4, []),
    ],
    applied: 4,
  },
  {
    name: "ranges count UTF-16 units, also where halves meet",
    steps: [
      '{"op":"start","seq":1,"model":{"version":"1.1","biz":"chat","meta":{},"blocks":[{"id":"a","type":"t","content":"\\ud83d"}]}}',
      changes(0, 1, [{ kind: "start" }]),
      '{"op":"append","seq":2,"mask":"block.content","block":{"id":"a","content":"\\ude00\\ud83d"}}',
      changes(1, 2, [grow(1, 3, "\ude00\ud83d")]),
      '{"op":"append","seq":3,"mask":"block.content","block":{"id":"a","content":"\\ude00"}}',
      '{"op":"append","seq":4,"mask":"block.content","block":{"id":"a","content":"\\u0000\\ud83d"}}',
      '{"op":"append","seq":5,"mask":"block.content","block":{"id":"a","content":"\\ude00"}}',
      changes(2, 5, [grow(3, 7, "\ude00\u0000😀")]),
    ],
    applied: 5,
  },
];

const KNOWN: Case[] = [
  {
    name: "without a model",
    steps: [changes(0, 0, []), changes(undefined, 0, [], "s")],
    applied: 0,
  },
  {
    name: "without since: everything from the start on",
    steps: [start(), append(2, "a", "!"), changes(undefined, 2, [{ kind: "start" }, grow(5, 6, "!")])],
    applied: 2,
  },
  {
    name: "the current version needs no earlier read",
    steps: [start(), append(2, "a", "!"), changes(2, 2, []), append(3, "a", "?"), changes(2, 3, [grow(6, 7, "?")])],
    applied: 3,
  },
  {
    name: "a version that was never read and lies behind the start is not known",
    steps: [
      start(),
      append(2, "a", "!"),
      append(3, "a", "?"),
      changes(2, 3, "resync"),
      changes(1, 3, "resync"),
      changes(0, 3, [{ kind: "start" }, grow(5, 7, "!?")]),
    ],
    applied: 3,
  },
  {
    name: "every version before the last start is known",
    steps: [
      start(),
      append(2, "a", "!"),
      append(3, "a", "?"),
      start(undefined, { seq: 9 }),
      append(10, "a", "."),
      ...[0, 1, 2, 3].map((since) => changes(since, 5, [{ kind: "start" }, grow(5, 6, ".")])),
    ],
    applied: 5,
  },
  {
    name: "256 changes are kept",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      ...many(256),
      changes(1, 257, replaced(256)),
      append(300, "a", "x"),
      changes(257, 258, [grow(5, 6, "x")]),
    ],
    applied: 258,
    gaps: [{ streamId: "", op: "append", lastSeq: 257, seq: 300, eventIndex: 257 }],
  },
  {
    name: "257 changes are not",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      ...many(257),
      changes(1, 258, "resync"),
      setMeta(300, "meta.z", { z: 1 }),
      changes(258, 259, [{ kind: "meta", field: "z" }]),
    ],
    applied: 259,
    gaps: [{ streamId: "", op: "set", lastSeq: 258, seq: 300, eventIndex: 258 }],
  },
  {
    name: "changes that an answer would leave out are kept and counted all the same",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      ...same(256),
      changes(1, 257, [{ kind: "meta", field: "n" }]),
      setMeta(258, "meta.z", { z: 1 }),
      changes(1, 258, "resync"),
      changes(257, 258, [{ kind: "meta", field: "z" }]),
    ],
    applied: 258,
  },
  {
    name: "a thousand appends are one change",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      ...Array.from({ length: 900 }, (_, i) => append(2 + i, "a", "x")),
      changes(1, 901, [grow(5, 905, "x".repeat(900))]),
    ],
    applied: 901,
  },
  {
    name: "streams have versions and changes of their own",
    steps: [
      start(undefined, { stream_id: "p" }),
      start(undefined, { stream_id: "q" }),
      changes(0, 1, [{ kind: "start" }], "p"),
      changes(0, 1, [{ kind: "start" }], "q"),
      append(2, "a", "p", { stream_id: "p" }),
      changes(1, 1, [], "q"),
      changes(1, 2, [grow(5, 6, "p")], "p"),
    ],
    applied: 3,
  },
  {
    name: "reading takes nothing away",
    steps: [
      start(),
      changes(0, 1, [{ kind: "start" }]),
      changes(0, 1, [{ kind: "start" }]),
      append(2, "a", "!"),
      changes(1, 2, [grow(5, 6, "!")]),
      changes(1, 2, [grow(5, 6, "!")]),
    ],
    applied: 2,
  },
];

function many(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, i) => setMeta(2 + i, `meta.n${i}`, { [`n${i}`]: i }));
}

function replaced(count: number): Wanted[] {
  return Array.from({ length: count }, (_, i) => ({ kind: "meta", field: `n${i}` }));
}

function same(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, i) => setMeta(2 + i, "meta.n", { n: i }));
}

contract("changes", [...KINDS, ...HALVES, ...COALESCED, ...KNOWN]);
