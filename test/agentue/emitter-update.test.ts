import { describe, expect, it } from "vitest";
import { type AgentUEModel, createEmitter, type Emitter } from "../../src/agentue/index.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import type { Json } from "./support.js";

const model = (...blocks: Json[]): AgentUEModel => ({ version: "1.1", biz: "chat", meta: {}, blocks: blocks as never });

/** The events that an emitter writes for `after`, and the models of strict consumers. */
function updated(before: AgentUEModel, after: AgentUEModel, more: object = {}): Json[] {
  const emitter = createEmitter({ transport: "ndjson", ...more }) as Emitter<"ndjson">;
  const start = emitter.start(before);
  const update = emitter.update(after);
  const events: Json[] = [];
  for (const kind of KINDS) {
    events.length = 0;
    const reducer = engine(kind).createReducer({
      protocol: "agentue",
      transport: "ndjson",
      sequence: "strict",
      onEvent: (event) => void events.push(event as Json),
    });
    reducer.push(start);
    reducer.push(update);
    expect(reducer.snapshot()).toEqual(after);
    expect(reducer.seq()).toBe(emitter.seq);
    reducer.close();
  }
  expect(emitter.snapshot()).toEqual(after);
  return events.slice(1).map(({ seq: _, ...event }) => event);
}

const TEXT = { id: "a", type: "text", content: "abc" };

describe("update", () => {
  it("appends what has grown, sets what has changed, adds what is new", () => {
    const before = model(
      TEXT,
      { id: "l", type: "list", items: [1, { x: 1 }] },
      { id: "t", type: "tool", tool: { a: 1, b: { c: 1 } } },
    );
    const after = model(
      { ...TEXT, content: "abcdef", note: null },
      { id: "l", type: "list", items: [1, { x: 1 }, 2] },
      { id: "t", type: "other", tool: { a: 1, b: { c: 2 } } },
      { id: "n", ref: "k" },
    );
    after.meta = { stats: { n: 1 }, error: { code: "c", message: "m" } };
    expect(updated(before, after)).toEqual([
      { op: "set", mask: "meta.stats", meta: { stats: { n: 1 } } },
      { op: "set", mask: "meta.error", meta: { error: { code: "c", message: "m" } } },
      { op: "append", mask: "block.content", block: { id: "a", content: "def" } },
      { op: "set", mask: "block.note", block: { id: "a", note: null } },
      { op: "append", mask: "block.items", block: { id: "l", items: [2] } },
      { op: "set", mask: "block.type", block: { id: "t", type: "other" } },
      { op: "set", mask: "block.tool.b.c", block: { id: "t", tool: { b: { c: 2 } } } },
      { op: "set", block: { id: "n", ref: "k" } },
    ]);
  });

  it("writes nothing where nothing has changed", () => {
    expect(updated(model(TEXT), model({ content: "abc", type: "text", id: "a" }))).toEqual([]);
  });

  it.each<[string, Json, Json]>([
    ["a member that is gone", { ...TEXT, x: 1 }, TEXT],
    ["a name with a dot", TEXT, { ...TEXT, "x.y": 1 }],
    ["a name that is empty", TEXT, { ...TEXT, "": 1 }],
    ["a reference that has another key", { id: "a", ref: "k" }, { id: "a", ref: "l" }],
    ["a reference that has got a body", { id: "a", ref: "k" }, TEXT],
    ["a body that is kept elsewhere now", TEXT, { id: "a", ref: "k" }],
    ["many changes at once", { ...TEXT, a: 1, b: 1, c: 1, d: 1, e: 1 }, { ...TEXT, a: 2, b: 2, c: 2, d: 2, e: 2 }],
  ])("sets a block as a whole for %s", (_, before, after) => {
    expect(updated(model(before), model(after))).toEqual([{ op: "set", block: after }]);
  });

  it.each<[string, AgentUEModel, AgentUEModel]>([
    ["a block that is gone", model(TEXT, { ...TEXT, id: "b" }), model(TEXT)],
    ["blocks in another order", model(TEXT, { ...TEXT, id: "b" }), model({ ...TEXT, id: "b" }, TEXT)],
    [
      "a block in the middle",
      model(TEXT, { ...TEXT, id: "b" }),
      model(TEXT, { ...TEXT, id: "c" }, { ...TEXT, id: "b" }),
    ],
    ["a member of meta that is gone", { ...model(), meta: { x: 1 } }, model()],
    ["a name of meta with a dot", model(), { ...model(), meta: { "x.y": 1 } }],
    ["another biz", model(TEXT), { ...model(TEXT), biz: "other" }],
    ["another member of the model", model(TEXT), { ...model(TEXT), extra: 1 }],
  ])("starts anew for %s", (_, before, after) => {
    expect(updated(before, after)).toEqual([{ op: "start", model: after }]);
  });

  it("sets a text that would join halves, and everything whole that is only partly alike", () => {
    expect(updated(model({ ...TEXT, content: "\ud83d" }), model({ ...TEXT, content: "😀" }))[0]).toMatchObject({
      op: "set",
    });
    expect(updated(model({ ...TEXT, content: "abc" }), model({ ...TEXT, content: "abX" }))[0]).toMatchObject({
      op: "set",
    });
    expect(updated(model({ ...TEXT, content: [1, 2] }), model({ ...TEXT, content: [1, 3, 4] }))[0]).toMatchObject({
      op: "set",
    });
    expect(updated(model({ ...TEXT, parent_id: "p" }), model({ ...TEXT, parent_id: "pq" }))[0]).toMatchObject({
      op: "set",
    });
    expect(updated(model({ ...TEXT, x: { y: 1, z: 1 } }), model({ ...TEXT, x: { y: 2, z: 2 } }))).toEqual([
      { op: "set", mask: "block.x", block: { id: "a", x: { y: 2, z: 2 } } },
    ]);
    expect(updated(model({ ...TEXT, x: { y: 1, z: 1 } }), model({ ...TEXT, x: { z: 1 } }))).toEqual([
      { op: "set", mask: "block.x", block: { id: "a", x: { z: 1 } } },
    ]);
  });

  it("starts without a model; a malformed successor is refused with its path, and nothing has changed", () => {
    const emitter = createEmitter({ transport: "ndjson" });
    expect(() => emitter.update({ ...model(), biz: "" })).toThrow(
      expect.objectContaining({ code: "bad_model", path: "/model/biz" }),
    );
    emitter.update(model(TEXT));
    expect([emitter.seq, emitter.status]).toEqual([1, "open"]);
    const bad = model({ ...TEXT, content: "abcd" }, TEXT);
    expect(() => emitter.update(bad)).toThrow(
      expect.objectContaining({ code: "duplicate_id", path: "/model/blocks/1/id" }),
    );
    expect(() => emitter.update(model({ id: "a" }))).toThrow(expect.objectContaining({ path: "/model/blocks/0/type" }));
    expect([emitter.seq, emitter.snapshot()]).toEqual([1, model(TEXT)]);
    emitter.end();
    emitter.update(model(TEXT));
    expect([emitter.seq, emitter.status]).toEqual([3, "open"]);
  });

  it("starts where the way leads over a limit that the successor keeps to", () => {
    const limits = { modelBytes: 400 };
    const before = model({ ...TEXT, content: "" }, { ...TEXT, id: "b", content: "x".repeat(200) });
    const after = model({ ...TEXT, content: "y".repeat(200) }, { ...TEXT, id: "b", content: "" });
    expect(updated(before, after, { limits })).toEqual([{ op: "start", model: after }]);
    const emitter = createEmitter({ transport: "ndjson", limits, coalesce: 40 });
    emitter.start(before);
    emitter.append("a", "content", "held");
    const larger = model({ ...TEXT, content: "y".repeat(500) });
    expect(() => emitter.update(larger)).toThrow(expect.objectContaining({ code: "limit", path: "/model" }));
    expect([emitter.pending, emitter.seq, (emitter.snapshot()!.blocks[0] as Json).content]).toEqual([true, 1, "held"]);
  });

  it("works with what is held, with splitting and with a redacted stream", () => {
    const after = model({ ...TEXT, content: `abc${"😀 token ".repeat(100)}`, tool: { s: "key sk-1" } });
    for (const more of [{ coalesce: true }, { splitAt: 200 }, { coalesce: 10, splitAt: 150 }]) {
      const emitter = createEmitter({ transport: "ndjson", ...more }) as Emitter<"ndjson">;
      const reducer = engine("js").createReducer({ protocol: "agentue", transport: "ndjson", sequence: "strict" });
      reducer.push(emitter.start(model(TEXT)));
      reducer.push(emitter.append("a", "content", "😀"));
      reducer.push(emitter.update(after));
      reducer.push(emitter.flush());
      expect(reducer.snapshot()).toEqual(after);
      reducer.close();
    }
    const emitter = createEmitter({
      transport: "ndjson",
      redact: (event) => JSON.parse(JSON.stringify(event).replaceAll("sk-1", "***")),
    });
    emitter.start(model(TEXT));
    emitter.update(after);
    expect(emitter.snapshot()!.blocks[0]).toMatchObject({ tool: { s: "key ***" } });
  });

  it("random successors: strict consumers on every engine have exactly the successor", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const rng = new Rng(seed);
      const emitter = createEmitter({
        transport: "sse",
        ...(rng.chance(0.3) && { coalesce: true }),
        ...(rng.chance(0.3) && { splitAt: 180 }),
      }) as Emitter<"sse">;
      const reducers = KINDS.map((kind) =>
        engine(kind).createReducer({ protocol: "agentue", transport: "sse", sequence: "strict" }),
      );
      let present = randomModel(rng);
      for (let round = 0; round < 8; round++) {
        const bytes = emitter.update(present);
        const rest = emitter.flush();
        for (const reducer of reducers) {
          if (bytes.length > 0) reducer.push(bytes);
          if (rest.length > 0) reducer.push(rest);
          expect(reducer.snapshot(), `seed ${seed}, round ${round}`).toEqual(present);
        }
        present = successor(rng, present);
      }
      for (const reducer of reducers) reducer.close();
    }
  });
});

const NAMES = ["content", "items", "tool", "x", "é", "__proto__", "a.b", "", "0"];

function randomValue(rng: Rng, depth: number): unknown {
  switch (rng.int(depth > 0 ? 7 : 4)) {
    case 0:
      return rng.pick([null, true, 1, 0.5, 2 ** 60]);
    case 1:
    case 2:
    case 3:
      return rng.pick(["", "x", "text ", "😀", "a longer text with some more words in it"]);
    case 4:
    case 5:
      return Array.from({ length: rng.int(4) }, () => randomValue(rng, depth - 1));
    default:
      return randomObject(rng, depth - 1);
  }
}

function randomObject(rng: Rng, depth: number): Json {
  const names = rng.shuffle(NAMES).slice(0, rng.int(4));
  return Object.fromEntries(names.map((name) => [name, randomValue(rng, depth)]));
}

function randomBlock(rng: Rng, id: string): Json {
  if (rng.chance(0.15)) return { id, ref: rng.pick(["k", "l"]) };
  const { type: _, ...rest } = randomObject(rng, 3);
  return { id, type: rng.pick(["text", "tool"]), ...rest };
}

function randomModel(rng: Rng): AgentUEModel {
  const blocks = Array.from({ length: rng.int(5) }, (_, i) => randomBlock(rng, `b${i}`));
  return { ...model(...blocks), meta: randomObject(rng, 2) };
}

/** The same with some changes: mostly ones that patches can say. */
function successor(rng: Rng, before: AgentUEModel): AgentUEModel {
  const after = structuredClone(before) as AgentUEModel & { blocks: Json[] };
  if (rng.chance(0.3)) after.meta = changed(rng, after.meta);
  after.blocks = after.blocks.map((block) => (rng.chance(0.5) ? block : changedBlock(rng, block as Json))) as never;
  if (rng.chance(0.4)) after.blocks.push(randomBlock(rng, `n${rng.int(1e6)}`) as never);
  if (rng.chance(0.05)) after.blocks.shift();
  if (rng.chance(0.05)) after.blocks.reverse();
  return after;
}

function changedBlock(rng: Rng, block: Json): Json {
  if (block.ref !== undefined || rng.chance(0.1)) return randomBlock(rng, block.id as string);
  const { id, type, ...rest } = block;
  return { id, type, ...changed(rng, rest) };
}

function changed(rng: Rng, object: Json): Json {
  const after = Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, rng.chance(0.4) ? grown(rng, value) : value]),
  );
  if (rng.chance(0.2))
    Object.defineProperty(after, rng.pick(NAMES), {
      value: randomValue(rng, 2),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  if (rng.chance(0.08)) delete after[Object.keys(after)[0] ?? ""];
  return after;
}

function grown(rng: Rng, value: unknown): unknown {
  if (rng.chance(0.2)) return randomValue(rng, 2);
  if (typeof value === "string") return value + rng.pick(["more", "😀", ""]);
  if (Array.isArray(value)) return [...value, randomValue(rng, 1)];
  if (typeof value === "object" && value !== null) return changed(rng, value as Json);
  return randomValue(rng, 1);
}
