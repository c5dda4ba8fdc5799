import { describe, expect, it } from "vitest";
import type { AgentUEFrameBlock } from "../../src/agentue/index.js";
import type { FrameAssembler } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { failing } from "../reducer/expect-error.js";
import { concat, text, utf8 } from "../support/bytes.js";
import { standardChunkings } from "../support/chunking.js";
import { engine, freshEngine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { framed, frameWith, ndjsonOf } from "./frames.js";

const blockOf = (id: string, content = "é😀\n") => JSON.stringify({ id, type: "text", content });
/** Frames of a block in pieces of about `size` characters, with ids of their own. */
function piecesOf(id: string, block: string, size: number): AgentUEFrameBlock[] {
  const cuts: number[] = [];
  for (let at = size; at < block.length; at += size) if ((block.charCodeAt(at) & 0xfc00) !== 0xdc00) cuts.push(at);
  return framed(block, cuts, id).map((frame) => ({ ...frame, id: `${id}/${frame.seq}` }));
}

describe.each(KINDS)("createFrameAssembler (%s)", (kind) => {
  const one = engine(kind);
  const collecting = (limits = {}) => {
    const errors: StreamfoldError[] = [];
    return { errors, assembler: one.createFrameAssembler({ limits, onError: (error) => errors.push(error) }) };
  };

  it("restores many blocks whose frames come mixed, at every cut", () => {
    const rng = new Rng(5);
    const blocks = new Map(
      Array.from({ length: 12 }, (_, i) => [`b${i}é"`, blockOf(`b${i}é"`, 'é"\\😀x'.repeat(rng.int(80)))]),
    );
    const frames = rng.shuffle([...blocks].flatMap(([id, block]) => piecesOf(id, block, rng.between(5, 60))));
    const body = ndjsonOf(frames);
    for (const chunking of standardChunkings(body.length, 77)) {
      const assembler = one.createFrameAssembler();
      let taken = 0;
      for (const chunk of chunking.split(body)) taken += assembler.push(chunk);
      expect(taken).toBe(frames.length);
      expect(assembler.finish()).toEqual({ status: "complete", missing: [] });
      expect(assembler.blocks().every(({ whole }) => whole)).toBe(true);
      for (const [id, block] of blocks) expect(text(assembler.take(id))).toBe(block);
      expect(assembler.blocks()).toEqual([]);
      expect(assembler.stats()).toMatchObject({ read: taken, taken, groups: 0, frames: 0, bytes: 0 });
      assembler.close();
    }
  });

  it("says what is missing, in ranges, and goes on later", () => {
    const { assembler, errors } = collecting();
    const frames = piecesOf("b", blockOf("b", "x".repeat(100)), 10);
    const later = [0, 4, 5, 9];
    assembler.push(ndjsonOf(frames.filter(({ seq }) => !later.includes(seq))));
    const total = frames.length;
    const missing = [
      {
        blockId: "b",
        total,
        missing: [
          [0, 0],
          [4, 5],
          [9, 9],
        ],
      },
    ];
    expect(assembler.missing()).toEqual(missing);
    expect(assembler.missing("b")).toEqual(missing);
    expect(assembler.missing("c")).toEqual([]);
    expect(assembler.finish()).toEqual({ status: "truncated", missing });
    expect(assembler.blocks()).toEqual([
      { blockId: "b", total, frames: total - 4, bytes: expect.any(Number), whole: false },
    ]);
    expect(failing(() => assembler.take("b"), "missing_frames").message).toMatch(/: 0, 4-5, 9 of /);
    expect(failing(() => assembler.take("c"), "missing_block").subject).toBe("c");
    for (const seq of later.reverse()) expect(assembler.add(frames[seq])).toBe(1);
    expect(assembler.missing()).toEqual([]);
    expect(text(assembler.take("b"))).toBe(blockOf("b", "x".repeat(100)));
    expect(errors).toEqual([]);
    assembler.close();
  });

  it("takes frames one by one, as values, text or bytes", () => {
    const assembler = one.createFrameAssembler();
    const [a, b, c] = piecesOf("b", blockOf("b"), 15);
    expect(assembler.add(a)).toBe(1);
    expect(assembler.add(JSON.stringify(b))).toBe(1);
    expect(assembler.add(utf8(` ${JSON.stringify(c)}\n`))).toBe(1);
    expect(text(assembler.take("b"))).toBe(blockOf("b"));
    failing(() => assembler.add(undefined), "not_json");
    expect(failing(() => assembler.add('{"id"}'), "bad_json")).toMatchObject({ byteOffset: 5, eventIndex: 3 });
    expect(failing(() => assembler.add("\ud800"), "invalid_utf8").byteOffset).toBe(0);
    assembler.close();
  });

  it("tells of each frame that is refused, and loses no other", () => {
    const [a0, a1] = piecesOf("a", blockOf("a"), 30);
    const [b0, b1] = piecesOf("b", blockOf("b"), 30);
    const lines = [
      a0,
      "nonsense",
      b0,
      { ...b1, total: 9 },
      { ...a0, id: "again" },
      a0,
      "[]",
      { ...b1, seq: 7 },
      b1,
      a1,
    ];
    const body = ndjsonOf(lines);
    const wanted = [
      { code: "bad_json", eventIndex: 1, path: undefined, subject: undefined },
      { code: "frame_conflict", eventIndex: 3, path: "/total", subject: "b" },
      { code: "frame_conflict", eventIndex: 4, path: "/seq", subject: "a" },
      { code: "duplicate_id", eventIndex: 5, path: "/id", subject: "a" },
      { code: "bad_block", eventIndex: 6, path: "", subject: undefined },
      { code: "frame_conflict", eventIndex: 7, path: "/seq", subject: undefined },
    ];
    const starts = lines.map((_, i) => ndjsonOf(lines.slice(0, i)).length);
    for (const chunking of standardChunkings(body.length, 3)) {
      const { assembler, errors } = collecting();
      for (const chunk of chunking.split(body)) assembler.push(chunk);
      expect(errors.map(({ code, eventIndex, path, subject }) => ({ code, eventIndex, path, subject }))).toEqual(
        wanted,
      );
      expect(errors.map(({ byteOffset }) => byteOffset)).toEqual(
        wanted.map(({ eventIndex }) => starts[eventIndex]! + (eventIndex === 1 ? 1 : 0)),
      );
      expect(text(assembler.take("a"))).toBe(blockOf("a"));
      expect(text(assembler.take("b"))).toBe(blockOf("b"));
      assembler.close();
    }
    const silent = one.createFrameAssembler();
    const error = failing(() => silent.push(body), "bad_json");
    expect(error).toMatchObject({ applied: 4 });
    expect(error.errors?.map(({ code }) => code)).toEqual(wanted.map(({ code }) => code));
    expect(text(silent.take("b"))).toBe(blockOf("b"));
    silent.close();
  });

  it("gives up a block whose text is none, and no other", () => {
    const { assembler, errors } = collecting();
    assembler.push(ndjsonOf([piecesOf("a", blockOf("a"), 20)[0], frameWith({ data: '{"id":"b","type":' })]));
    assembler.push(
      ndjsonOf([frameWith({ data: '{"id":"c","type":"t"}' }), frameWith({ data: '{"id":"b","ref":"t"}' })]),
    );
    expect(
      errors.map(({ code, path, subject, byteOffset, eventIndex }) => [code, path, subject, byteOffset, eventIndex]),
    ).toEqual([
      ["bad_json", undefined, "b", 17, 1],
      ["bad_block", "/id", "b", undefined, 2],
      ["bad_block", "/ref", "b", undefined, 3],
    ]);
    expect(assembler.blocks().map(({ blockId }) => blockId)).toEqual(["a"]);
    // Another producer's try is as good as the first.
    assembler.push(ndjsonOf([frameWith({})]));
    expect(text(assembler.take("b"))).toBe('{"id":"b","type":"t"}');
    assembler.close();
  });

  it("compares ids by what they say", () => {
    const loose = (frame: object) => JSON.stringify(frame).replaceAll("é", "\\u00E9").replaceAll("/", "\\/");
    const block = blockOf("é", "x".repeat(40));
    const [a0, a1, ...others] = piecesOf("é", block, 30);
    const { assembler, errors } = collecting();
    assembler.push(ndjsonOf([JSON.stringify(a0), loose({ ...a1, id: a0!.id }), loose(a1!)]));
    for (const frame of others) assembler.add(loose(frame));
    expect(errors).toMatchObject([{ code: "duplicate_id", eventIndex: 1, path: "/id", subject: "é" }]);
    expect(assembler.blocks()).toMatchObject([{ blockId: "é", whole: true }]);
    expect(text(assembler.take("é"))).toBe(block);
    assembler.close();
  });

  it("refuses frames of a block that is whole until it is taken", () => {
    const { assembler, errors } = collecting();
    assembler.push(ndjsonOf([frameWith({}), frameWith({ id: "other" })]));
    expect(errors).toMatchObject([{ code: "frame_conflict", path: "/block_id", subject: "b", eventIndex: 1 }]);
    assembler.take("b");
    expect(assembler.add(frameWith({}))).toBe(1);
    assembler.close();
  });

  it("keeps within its limits: blocks, frames, bytes, a line", () => {
    const groups = collecting({ groups: 2 });
    const body = ["a", "b", "c"].map((id) => piecesOf(id, blockOf(id), 20)[0]!);
    groups.assembler.push(ndjsonOf(body));
    expect(groups.errors).toMatchObject([{ code: "limit", path: "/block_id", subject: "c", eventIndex: 2 }]);
    expect(groups.errors[0]!.message).toMatch(/groups/);
    expect(groups.assembler.release("a")).toBe(true);
    expect(groups.assembler.release("a")).toBe(false);
    expect(groups.assembler.add(body[2])).toBe(1);
    const frames = collecting({ frames: 3 });
    frames.assembler.push(ndjsonOf(piecesOf("a", blockOf("a", "x".repeat(100)), 10)));
    expect(frames.errors[0]).toMatchObject({ code: "limit", path: "/id", subject: "a", eventIndex: 3 });
    expect(frames.assembler.stats()).toMatchObject({ frames: 3, groups: 1 });
    const line = JSON.stringify(frameWith({}));
    const small = frameWith({ data: '{"id":"b","type":"t"}' });
    for (const most of [line.length - 1, line.length]) {
      const bytes = collecting({ bytes: most });
      bytes.assembler.push(ndjsonOf([small]));
      expect(bytes.errors.length).toBe(most === line.length ? 0 : 1);
      if (most < line.length)
        expect(bytes.errors[0]).toMatchObject({ code: "limit", path: "", eventIndex: 0, byteOffset: 0 });
      bytes.assembler.close();
    }
    const held = collecting({ bytes: 200 });
    held.assembler.push(ndjsonOf([small, frameWith({ id: "f1", block_id: "c", total: 2, data: "x".repeat(130) })]));
    expect(held.errors).toMatchObject([{ code: "limit", path: "/data", subject: "c", eventIndex: 1 }]);
    // Whole, a block counts as its text.
    expect(held.assembler.stats().bytes).toBe(small.data.length);
    for (const { assembler } of [groups, frames, held]) assembler.close();
  });

  it("passes over the rest of a line that is too long, wherever it is cut", () => {
    const body = concat([ndjsonOf([frameWith({ data: "x".repeat(500) })]), ndjsonOf([frameWith({})])]);
    for (const chunking of standardChunkings(body.length, 9)) {
      const { assembler, errors } = collecting({ bytes: 300 });
      for (const chunk of chunking.split(body)) assembler.push(chunk);
      expect(errors).toMatchObject([{ code: "limit", eventIndex: 0, byteOffset: 0 }]);
      expect(text(assembler.take("b"))).toBe(frameWith({}).data);
      assembler.close();
    }
    // the end of the body is the end of the line
    const { assembler, errors } = collecting({ bytes: 300 });
    assembler.push(utf8("x".repeat(400)));
    assembler.finish();
    expect(assembler.push(ndjsonOf([frameWith({})]))).toBe(1);
    expect(errors).toMatchObject([{ code: "limit", eventIndex: 0, byteOffset: 0 }]);
    assembler.close();
  });

  it("holds groups that never become whole to the limits, and counts their bytes back", () => {
    const { assembler, errors } = collecting({ frames: 5000, groups: 100 });
    const rng = new Rng(1);
    for (let i = 0; i < 200; i++) {
      const lines = Array.from({ length: 50 }, (_, j) =>
        frameWith({ id: `${i}.${j}`, block_id: `b${i}`, seq: j * 1e9 + rng.int(1e9), total: 2 ** 53 - 1, data: "x" }),
      );
      assembler.push(ndjsonOf(lines));
    }
    expect(assembler.stats()).toMatchObject({ groups: 100, frames: 5000 });
    expect(errors.length).toBe(5000);
    expect(assembler.missing("b3")[0]!.missing.length).toBeGreaterThan(49);
    for (const { blockId } of assembler.blocks()) expect(assembler.release(blockId)).toBe(true);
    expect(assembler.stats()).toMatchObject({ groups: 0, frames: 0, bytes: 0 });
    assembler.close();
  });

  it("uses a last line without its end when the body ends", () => {
    const { assembler, errors } = collecting();
    const line = utf8(JSON.stringify(frameWith({})));
    assembler.push(line.subarray(0, 20));
    assembler.push(line.subarray(20));
    expect(assembler.blocks()).toEqual([]);
    expect(assembler.finish().status).toBe("complete");
    expect(text(assembler.take("b"))).toBe(frameWith({}).data);
    assembler.push(utf8('{"id'));
    expect(assembler.finish().status).toBe("complete");
    expect(errors).toMatchObject([{ code: "bad_json", eventIndex: 1, byteOffset: line.length + 4 }]);
    assembler.close();
  });

  it("hands a whole block to a reducer", () => {
    const content = "x".repeat(5000);
    const block = `{ "id":"r", "type":"text", "content":"${content}\\u00e9" }`;
    const model = {
      version: "1.1",
      biz: "c",
      meta: {},
      blocks: [
        { id: "r", ref: "k" },
        { id: "s", type: "t" },
      ],
    };
    const others: [string, ReturnType<typeof freshEngine> | typeof one][] = [
      ["the same engine", one],
      ["another engine", freshEngine(kind)],
      ["an engine of another kind", engine("js")],
    ];
    for (const [, other] of others) {
      const assembler = one.createFrameAssembler();
      assembler.push(one.frameBlock(utf8(block), { maxBytes: 700 }));
      const reducer = other.createReducer({ protocol: "agentue", transport: "ndjson" });
      reducer.load(model, { streamId: "é" });
      expect(failing(() => assembler.materialize(reducer, "r"), "no_model").streamId).toBe("");
      assembler.materialize(reducer, "r", { streamId: "é" });
      expect(reducer.snapshot({ streamId: "é" })).toEqual({
        ...model,
        blocks: [{ id: "r", type: "text", content: `${content}é` }, model.blocks[1]],
      });
      expect(assembler.blocks()).toEqual([]);
      // What the reducer refuses stays, byte for byte.
      assembler.push(one.frameBlock(utf8(block), { maxBytes: 700 }));
      failing(() => assembler.materialize(reducer, "r", { streamId: "é" }), "bad_block");
      expect(text(assembler.take("r"))).toBe(block);
      assembler.add(frameWith({ block_id: "q", total: 2 }));
      failing(() => assembler.materialize(reducer, "q"), "missing_frames");
      failing(() => assembler.materialize(reducer, "nobody"), "missing_block");
      failing(() => assembler.materialize({} as typeof reducer, "q"), "bad_argument");
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      for (const none of [proxy, null, undefined, 5]) {
        failing(() => assembler.materialize(none as never, "q"), "bad_argument");
      }
      const agui = other.createReducer({ protocol: "ag-ui", transport: "ndjson" });
      assembler.add(frameWith({}));
      failing(() => assembler.materialize(agui, "b"), "bad_argument");
      for (const closing of [assembler, reducer, agui]) closing.close();
      failing(() => assembler.materialize(reducer, "b"), "closed");
    }
  });

  it("is closed with its engine, and does not let its listener call it", () => {
    const own = freshEngine(kind);
    let seen: unknown;
    const assembler: FrameAssembler = own.createFrameAssembler({
      onError: () => {
        try {
          assembler.blocks();
          assembler.push(ndjsonOf([frameWith({})]));
        } catch (error) {
          seen = error;
        }
      },
    });
    assembler.push(utf8("nonsense\n"));
    expect(seen).toMatchObject({ code: "reentrant" });
    const broken = new Error("listener");
    const loud = own.createFrameAssembler({
      onError: () => {
        throw broken;
      },
    });
    expect(() => loud.push(ndjsonOf(["nonsense", frameWith({})]))).toThrow(broken);
    expect(loud.blocks().length).toBe(1);
    own.close();
    failing(() => assembler.push(utf8("\n")), "closed");
    assembler.close();
    failing(() => own.createFrameAssembler(), "closed");
  });

  it.each([
    ["options that are none", 5],
    ["another option", { transport: "ndjson" }],
    ["a limit that there is not", { limits: { blocks: 1 } }],
    ["a limit of nothing", { limits: { frames: 0 } }],
    ["limits that are none", { limits: null }],
    ["a listener that is none", { onError: true }],
  ])("refuses %s", (_, options) => {
    failing(() => one.createFrameAssembler(options as object), "bad_argument");
    failing(() => one.createFrameAssembler().take(5 as unknown as string), "bad_argument");
  });
});
