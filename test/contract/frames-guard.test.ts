import { describe, expect, it } from "vitest";
import type { Reducer } from "../../src/engine/contract.js";
import { framed } from "../frames/frames.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { append, end, modelOf, ping, set, setBlock, setMeta, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §3.3 and docs/frames.md §6: blocks that a model holds in storage frames, and who patches them.

const frame = (id: string, block_id: string, seq = 0, total = 2): Record<string, unknown> => ({
  id,
  type: "frame",
  block_id,
  seq,
  total,
  data: "…",
});
const OTHER = { id: "a", type: "text", content: "Hello" };
const FRAMES = modelOf(frame("f0", "x"), OTHER, frame("f1", "x", 1));
const GUARD = { frames: "guard" } as const;

const refused = (seq: number, eventIndex: number) =>
  ({ code: "unresolved_frames", path: "/block", seq, eventIndex }) as const;

const GUARDED: Case[] = [
  {
    name: "every patch of a block in frames is refused alone; seq does not move, and the event may come again",
    options: GUARD,
    steps: [
      start(FRAMES),
      append(2, "x", "!"),
      { op: "append", seq: 2, mask: "block.content", block: { id: "x", type: "text", content: "new" } },
      setBlock(2, "block.content", { id: "x", content: "y" }),
      set(2, { id: "x", type: "text", content: "whole" }),
      set(2, { id: "x", ref: "key" }),
      ping(1),
      append(2, "a", "!"),
    ],
    applied: 3,
    errors: [refused(2, 1), refused(2, 2), refused(2, 3), refused(2, 4), refused(2, 5)],
    streams: [
      {
        status: "open",
        seq: 2,
        model: modelOf(frame("f0", "x"), { ...OTHER, content: "Hello!" }, frame("f1", "x", 1)),
      },
    ],
  },
  {
    name: "frames themselves, other blocks and meta are patched as ever",
    options: GUARD,
    steps: [
      start(FRAMES),
      setBlock(2, "block.data", { id: "f0", data: "new" }),
      append(3, "a", "!"),
      set(4, { id: "y", type: "t" }),
      setMeta(5, "meta.x", { x: 1 }),
      setBlock(6, "block.content", { id: "nobody", content: "" }),
    ],
    applied: 5,
    errors: [{ code: "missing_block", path: "/block/id", eventIndex: 5 }],
    streams: [{ status: "refused", seq: 5 }],
  },
  {
    name: "a block that is there beside its frames is patched",
    options: GUARD,
    steps: [
      start(modelOf(frame("f0", "a"), OTHER)),
      append(2, "a", "!"),
      setBlock(3, "block.content", { id: "a", content: "" }),
    ],
    applied: 3,
    streams: [{ status: "open", seq: 3 }],
  },
  {
    name: "frames that come later, one by one, are known",
    options: GUARD,
    steps: [
      start(modelOf()),
      set(2, { id: "x", type: "t" }),
      set(3, frame("f0", "y")),
      { op: "append", seq: 4, mask: "block.data", block: frame("f1", "z") },
      append(5, "y", "!"),
      append(5, "z", "!"),
      set(5, { id: "w", type: "t" }),
    ],
    applied: 5,
    errors: [refused(5, 4), refused(5, 5)],
    streams: [{ status: "open", seq: 5 }],
  },
  {
    name: "what becomes a frame by patches is one, and what ceases to be one is none",
    options: GUARD,
    steps: [
      start(modelOf({ ...frame("f0", "x"), type: "fra" }, frame("f1", "y"), frame("f2", "z"))),
      { op: "append", seq: 2, mask: "block.type", block: { id: "f0", type: "m" } },
      { op: "append", seq: 3, mask: "block.type", block: { id: "f0", type: "e" } },
      setBlock(4, "block.content", { id: "x", content: 1 }),
      setBlock(4, "block.type", { id: "f1", type: "text" }),
      set(5, { id: "y", type: "t" }),
      setBlock(6, "block.block_id", { id: "f2", block_id: "moved" }),
      set(7, { id: "z", type: "t" }),
      append(8, "moved", "!"),
      set(8, { id: "f2", type: "t" }),
      set(9, { id: "moved", type: "t" }),
      { op: "append", seq: 10, mask: "block.block_id", block: { id: "f1", block_id: "y" } },
      setBlock(11, "block.type", { id: "f1", type: "frame" }),
      set(12, { id: "yy", type: "t" }),
    ],
    applied: 11,
    errors: [refused(4, 3), refused(8, 8), refused(12, 13)],
    streams: [{ status: "open", seq: 11 }],
  },
  {
    name: "a frame without a block id, or with one that is no string, is of no block",
    options: GUARD,
    steps: [
      start(
        modelOf(
          { id: "f0", type: "frame" },
          { id: "f1", type: "frame", block_id: 5 },
          { id: "f2", type: "frame", block_id: null },
        ),
      ),
      set(2, { id: "5", type: "t" }),
      set(3, { id: "null", type: "t" }),
      setBlock(4, "block.block_id", { id: "f0", block_id: "q" }),
      append(5, "q", "!"),
    ],
    applied: 4,
    errors: [refused(5, 4)],
    streams: [{ status: "open", seq: 4 }],
  },
  {
    name: "ids are compared by what they say, also where a patch has opened the frame",
    options: GUARD,
    steps: [
      start(modelOf(frame("f0", 'é"\ud800'), frame("f1", "😀"))),
      setBlock(2, "block.more.deep", { id: "f1", more: { deep: 1 } }),
      append(3, 'é"\ud800', "!"),
      JSON.stringify(append(3, "😀", "!")).replace("😀", "\\ud83d\\ude00"),
    ],
    applied: 2,
    errors: [refused(3, 2), refused(3, 3)],
    streams: [{ status: "open", seq: 2 }],
  },
  {
    name: "no gap is reported for an event that frames refuse",
    options: GUARD,
    steps: [start(FRAMES), append(5, "x", "!"), append(6, "a", "!")],
    applied: 2,
    errors: [refused(5, 1)],
    gaps: [{ streamId: "", op: "append", lastSeq: 1, seq: 6, eventIndex: 2 }],
    streams: [{ status: "open", seq: 6 }],
  },
  {
    name: "a new start forgets the frames of the old model",
    options: GUARD,
    steps: [start(FRAMES), start(modelOf(OTHER), { seq: 2 }), set(3, { id: "x", type: "t" }), end(4)],
    applied: 4,
    streams: [{ status: "ended", seq: 4, model: modelOf(OTHER, { id: "x", type: "t" }) }],
    finish: "complete",
  },
];

const KEPT: Case[] = [
  {
    name: "frames are blocks like others by default",
    steps: [
      start(FRAMES),
      { op: "append", seq: 2, mask: "block.content", block: { id: "x", type: "text", content: "new" } },
      setBlock(3, "block.content", { id: "x", content: "y" }),
    ],
    applied: 3,
    streams: [
      {
        status: "open",
        seq: 3,
        model: modelOf(...(FRAMES.blocks as unknown[]), { id: "x", type: "text", content: "y" }),
      },
    ],
  },
];

contract("frames: guard", GUARDED);
contract("frames: keep", KEPT);

describe.each(KINDS)("frames: guard (%s)", (kind) => {
  const options = { protocol: "agentue", transport: "ndjson", frames: "guard" } as const;
  const one = engine(kind);
  const refusal = (reducer: Reducer) =>
    thrown(() => reducer.push(utf8(`${JSON.stringify(append(9, "x", "!"))}\n`)))?.code;

  it("holds for models that were loaded, restored from a checkpoint, forked, and resolved", () => {
    const reducer = one.createReducer(options);
    reducer.load(utf8(JSON.stringify(FRAMES)), { seq: 1 });
    expect(refusal(reducer)).toBe("unresolved_frames");
    const restored = one.createReducer(options);
    restored.restore(reducer.checkpoint());
    expect(refusal(restored)).toBe("unresolved_frames");
    const fork = reducer.fork();
    expect(refusal(fork)).toBe("unresolved_frames");
    // A reducer that keeps frames takes the checkpoint as well.
    const keeping = one.createReducer({ ...options, frames: "keep" });
    keeping.restore(reducer.checkpoint());
    expect(refusal(keeping)).toBe("bad_block");
    const block = JSON.stringify({ id: "x", type: "t", content: "" });
    const stored = modelOf(...framed(block, [9], "x"), OTHER);
    reducer.load(stored, { seq: 1 });
    expect(refusal(reducer)).toBe("unresolved_frames");
    reducer.load(one.resolveFrames(stored), { seq: 1 });
    expect(refusal(reducer)).toBe(undefined);
    for (const each of [reducer, restored, fork, keeping]) each.close();
  });
});
