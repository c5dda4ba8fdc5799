import { expect } from "vitest";
import type { Sequence } from "../../src/engine/contract.js";
import { append, call, end, failure, MODEL, modelOf, modelWith, ping, set, setBlock, setMeta, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §4.1 and docs/semantics.md §3 step 7, §4: seq, repetitions, gaps.

const EMPTY = modelOf({ id: "x", type: "t", content: "" });
const repetition = (seq: number, eventIndex: number, streamId = "") => ({
  code: "duplicate_seq",
  path: "/seq",
  streamId,
  seq,
  eventIndex,
});
const content = (text: string): Record<string, unknown> => modelOf({ id: "x", type: "t", content: text });

const DEDUPE: Case[] = [
  {
    name: "dedupe: an equal and a lower seq are skipped with one warning for the run",
    steps: [
      start(EMPTY),
      append(2, "x", "a"),
      append(2, "x", "b"),
      append(1, "x", "c"),
      setBlock(0, "block.content", { id: "x", content: "" }),
      append(3, "x", "d"),
    ],
    applied: 3,
    warnings: [repetition(2, 2)],
    streams: [{ status: "open", seq: 3, version: 3, model: content("ad") }],
  },
  {
    name: "dedupe: a replayed tail changes nothing",
    steps: [start(EMPTY), ...replay(), ...replay(), append(6, "x", "!")],
    applied: 6,
    warnings: [repetition(2, 5)],
    streams: [
      {
        status: "open",
        seq: 6,
        version: 6,
        model: { ...modelOf({ id: "x", type: "t", content: "ab!" }, { id: "n", type: "t" }), meta: { y: 1 } },
      },
    ],
  },
  {
    name: "dedupe: every event that is not skipped ends the run",
    options: { onViolation: "skip-event" },
    steps: [
      start(EMPTY, { seq: 5 }),
      append(5, "x", "a"),
      ping(5),
      append(4, "x", "b"),
      append(4, "x", "c"),
      append(6, "x", "d"),
      append(6, "x", "e"),
      start(EMPTY, { seq: 7 }),
      append(7, "x", "f"),
      set(8, { id: 5 }),
      append(7, "x", "g"),
      end(7),
    ],
    applied: 5,
    errors: [{ code: "bad_block", path: "/block/id", eventIndex: 9 }],
    warnings: [repetition(5, 1), repetition(4, 3), repetition(6, 6), repetition(7, 8), repetition(7, 10)],
    streams: [{ status: "ended", seq: 7 }],
  },
  {
    name: "dedupe: runs are counted for each stream alone",
    steps: [
      start(EMPTY, { stream_id: "p" }),
      start(EMPTY, { stream_id: "q" }),
      append(1, "x", "a", { stream_id: "p" }),
      append(1, "x", "a", { stream_id: "q" }),
      append(1, "x", "b", { stream_id: "p" }),
      append(2, "x", "c", { stream_id: "q" }),
      append(1, "x", "d", { stream_id: "p" }),
      append(1, "x", "e", { stream_id: "q" }),
    ],
    applied: 3,
    warnings: [repetition(1, 2, "p"), repetition(1, 3, "q"), repetition(1, 7, "q")],
    streams: [
      { streamId: "p", status: "open", seq: 1, model: content("") },
      { streamId: "q", status: "open", seq: 2, model: content("c") },
    ],
  },
  {
    name: "dedupe: a repetition is validated but not compared with the model",
    options: { onViolation: "skip-event" },
    steps: [
      start(EMPTY, { seq: 5 }),
      append(5, "nobody", "a"),
      setBlock(5, "block.content.x", { id: "x", content: { x: 1 } }),
      setMeta(5, "meta.task_id", { task_id: 1 }),
      append(5, "x", 1),
      set(5, { id: "y" }),
      failure(5, {}),
    ],
    applied: 1,
    errors: [
      { code: "bad_field", path: "/block/content", eventIndex: 4 },
      { code: "bad_block", path: "/block/type", eventIndex: 5 },
      { code: "bad_field", path: "/meta/error/code", eventIndex: 6 },
    ],
    warnings: [repetition(5, 1)],
    streams: [{ status: "open", seq: 5, version: 1, model: content("") }],
  },
  {
    name: "dedupe: an error that repeats is skipped and the status stays",
    steps: [start(EMPTY, { seq: 5 }), failure(5, { code: "c", message: "m" })],
    applied: 1,
    warnings: [repetition(5, 1)],
    streams: [{ status: "open", seq: 5, model: content("") }],
  },
  {
    name: "dedupe: end is honoured whatever its seq, and never sets seq back",
    steps: [start(EMPTY, { seq: 5 }), end(3)],
    applied: 2,
    streams: [{ status: "ended", seq: 5, version: 1 }],
    finish: "complete",
  },
  {
    name: "skipped events are counted",
    steps: [
      start(EMPTY, { stream_id: "s" }),
      append(1, "x", "a", { stream_id: "s" }),
      append(1, "x", "a", { stream_id: "s" }),
      call("stats", (fold, label) => {
        const { events, applied, skipped, dropped } = fold.reducer.stats();
        expect({ events, applied, skipped, dropped }, label).toEqual({ events: 3, applied: 1, skipped: 2, dropped: 0 });
        const one = fold.reducer.stats({ streamId: "s" });
        expect({ applied: one.applied, skipped: one.skipped, dropped: one.dropped }, label).toEqual({
          applied: 1,
          skipped: 2,
          dropped: 0,
        });
      }),
    ],
    applied: 1,
    warnings: [repetition(1, 1, "s")],
  },
];

function replay(): Record<string, unknown>[] {
  return [append(2, "x", "a"), set(3, { id: "n", type: "t" }), setMeta(4, "meta.y", { y: 1 }), append(5, "x", "b")];
}

const STRICT: Case[] = [
  {
    name: "strict: an equal seq is stale",
    options: { sequence: "strict" },
    steps: [start(EMPTY, { seq: 5 }), append(5, "x", "a")],
    applied: 1,
    errors: [{ code: "stale_seq", path: "/seq", streamId: "", seq: 5, eventIndex: 1 }],
    streams: [{ status: "refused", seq: 5, version: 1, model: content("") }],
  },
  {
    name: "strict: lower seqs of every op",
    options: { sequence: "strict", onViolation: "skip-event" },
    steps: [
      start(EMPTY, { seq: 5 }),
      append(4, "x", "a"),
      set(5, { id: "y", type: "t" }),
      setMeta(0, "meta.x", { x: 1 }),
      failure(5, { code: "c", message: "m" }),
      end(4),
      ping(2),
      end(5),
    ],
    applied: 3,
    errors: [1, 2, 3, 4, 5].map((eventIndex) => ({ code: "stale_seq", path: "/seq", eventIndex }) as const),
    streams: [{ status: "ended", seq: 5, version: 1, model: content("") }],
  },
  {
    name: "strict: contents come before seq, seq before the model",
    options: { sequence: "strict", onViolation: "skip-event" },
    steps: [
      start(EMPTY, { seq: 5 }),
      set(5, { id: "y" }),
      append(5, "nobody", "x"),
      setMeta(5, "meta.task_id", { task_id: 5 }),
    ],
    applied: 1,
    errors: [
      { code: "bad_block", path: "/block/type", eventIndex: 1 },
      { code: "stale_seq", path: "/seq", eventIndex: 2 },
      { code: "stale_seq", path: "/seq", eventIndex: 3 },
    ],
    streams: [{ status: "open", seq: 5, version: 1 }],
  },
  {
    name: "strict: a start passes whatever its seq",
    options: { sequence: "strict" },
    steps: [start(EMPTY, { seq: 5 }), start(EMPTY, { seq: 2 }), append(3, "x", "a")],
    applied: 3,
    streams: [{ status: "open", seq: 3, version: 3, model: content("a") }],
  },
];

const OFF: Case[] = [
  {
    name: "off: nothing is compared, seq follows the events, and no gap is reported",
    options: { sequence: "off" },
    steps: [start(EMPTY, { seq: 5 }), append(5, "x", "a"), append(2, "x", "b"), append(9, "x", "c"), ping(20), end(4)],
    applied: 6,
    streams: [{ status: "ended", seq: 9, version: 4, model: content("abc") }],
  },
  {
    name: "off: seq is the last event's, also when it goes back",
    options: { sequence: "off" },
    steps: [start(EMPTY, { seq: 5 }), append(2, "x", "b")],
    applied: 2,
    streams: [{ status: "open", seq: 2, version: 2, model: content("b") }],
  },
];

const gap = (
  op: "set" | "append" | "error" | "ping" | "end",
  lastSeq: number,
  seq: number,
  eventIndex: number,
  streamId = "",
) => ({ streamId, op, lastSeq, seq, eventIndex });

const GAPS: Case[] = [
  ...(["dedupe", "strict"] as const satisfies Sequence[]).map(
    (sequence): Case => ({
      name: `${sequence}: every op that jumps reports a gap`,
      options: { sequence },
      steps: [
        start(EMPTY),
        set(3, { id: "y", type: "t" }),
        append(5, "x", "a"),
        setMeta(6, "meta.x", { x: 1 }),
        setBlock(8, "block.c", { id: "x", c: 1 }),
        ping(8),
        ping(9),
        failure(10, { code: "c", message: "m" }),
        end(20),
      ],
      applied: 9,
      gaps: [
        gap("set", 1, 3, 1),
        gap("append", 3, 5, 2),
        gap("set", 6, 8, 4),
        gap("ping", 8, 9, 6),
        gap("error", 8, 10, 7),
        gap("end", 10, 20, 8),
      ],
      streams: [{ status: "ended", seq: 20 }],
    }),
  ),
  {
    name: "a ping never moves seq, behind or ahead",
    steps: [start(EMPTY), ping(0), ping(9), ping(9), append(2, "x", "a")],
    applied: 5,
    gaps: [gap("ping", 1, 9, 2), gap("ping", 1, 9, 3)],
    streams: [{ status: "open", seq: 2, version: 2 }],
  },
  {
    name: "a start never reports a gap",
    steps: [start(EMPTY), start(EMPTY, { seq: 99 }), append(100, "x", "a")],
    applied: 3,
    streams: [{ status: "open", seq: 100 }],
  },
  {
    name: "an end that repeats the last seq reports none; one ahead by one neither",
    steps: [
      start(EMPTY, { stream_id: "p" }),
      end(1, { stream_id: "p" }),
      start(EMPTY, { stream_id: "q" }),
      end(2, { stream_id: "q" }),
    ],
    applied: 4,
    streams: [
      { streamId: "p", status: "ended", seq: 1 },
      { streamId: "q", status: "ended", seq: 2 },
    ],
  },
  {
    name: "a refused event reports no gap",
    options: { onViolation: "skip-event" },
    steps: [start(EMPTY), append(9, "nobody", "x"), append(2, "x", "a")],
    applied: 2,
    errors: [{ code: "bad_block", path: "/block/type", eventIndex: 1 }],
    streams: [{ status: "open", seq: 2 }],
  },
  {
    name: "seqs up to 2^53-1",
    steps: [
      start(EMPTY, { seq: 9007199254740989 }),
      append(9007199254740990, "x", "a"),
      append(9007199254740991, "x", "b"),
      append(9007199254740991, "x", "c"),
      ping(9007199254740991),
    ],
    applied: 4,
    warnings: [repetition(9007199254740991, 3)],
    streams: [{ status: "open", seq: 9007199254740991, model: content("ab") }],
  },
  {
    name: "gaps of two streams",
    steps: [
      start(EMPTY, { stream_id: "p" }),
      start(EMPTY, { stream_id: "q", seq: 10 }),
      append(3, "x", "a", { stream_id: "p" }),
      append(11, "x", "a", { stream_id: "q" }),
      append(13, "x", "a", { stream_id: "q" }),
    ],
    applied: 5,
    gaps: [gap("append", 1, 3, 2, "p"), gap("append", 11, 13, 4, "q")],
  },
];

const UNKNOWN: Case[] = [
  {
    name: "load without seq: the next event is accepted whatever its seq, without a gap",
    steps: [
      call("load", (fold) => fold.reducer.load(MODEL)),
      call("seq is unknown", (fold, label) => expect(fold.reducer.seq(), label).toBeUndefined()),
      ping(77),
      append(50, "a", "!"),
      append(50, "a", "?"),
      append(51, "a", "."),
    ],
    applied: 3,
    warnings: [repetition(50, 2)],
    streams: [
      {
        status: "open",
        seq: 51,
        version: 3,
        model: modelWith({ block: { id: "a", type: "text", content: "Hello!." } }),
      },
    ],
  },
  {
    name: "load without seq: an end sets seq",
    options: { sequence: "strict" },
    steps: [call("load", (fold) => fold.reducer.load(MODEL)), end(0)],
    applied: 1,
    streams: [{ status: "ended", seq: 0, version: 1 }],
  },
  {
    name: "load with seq",
    steps: [call("load", (fold) => fold.reducer.load(MODEL, { seq: 7 })), append(7, "a", "!"), append(9, "a", "?")],
    applied: 1,
    warnings: [repetition(7, 0)],
    gaps: [gap("append", 7, 9, 1)],
    streams: [
      { status: "open", seq: 9, version: 2, model: modelWith({ block: { id: "a", type: "text", content: "Hello?" } }) },
    ],
  },
];

contract("sequence", [...DEDUPE, ...STRICT, ...OFF, ...GAPS, ...UNKNOWN]);
