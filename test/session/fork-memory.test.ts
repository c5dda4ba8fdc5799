import { describe, expect, it } from "vitest";
import type { Engine, Reducer, ReducerOptions } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { append, type MODEL, modelOf, setBlock, start } from "../contract/base.js";
import { AguiGenerator } from "../fuzz/agui-generate.js";
import { Generator } from "../fuzz/generate.js";
import { utf8 } from "../support/bytes.js";
import { engineWithin, freshEngine, WASM_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { everything, started, text, textStart } from "./agui-lives.js";

const line = (event: unknown): Uint8Array =>
  utf8(`${typeof event === "string" ? event.replace(/[\r\n]/g, " ") : JSON.stringify(event)}\n`);

const OPTIONS: Record<string, ReducerOptions> = {
  agentue: { protocol: "agentue", transport: "ndjson", onViolation: "skip-event", undecodable: "skip", onError() {} },
  "ag-ui": { protocol: "ag-ui", transport: "ndjson", onViolation: "skip-event", undecodable: "skip", onError() {} },
};

/** A fifth of the events are those of a session, the rest forks that take events of their own, in any order. */
function family(engine: Engine, protocol: string, seed: number): Reducer[] {
  const rng = new Rng(seed);
  const agentue = new Generator(rng, true, true, 0.03);
  const agui = new AguiGenerator(rng, { mutations: 0.03 });
  const next = (): Uint8Array => line(protocol === "agentue" ? agentue.event() : agui.event());
  const open = [engine.createReducer(OPTIONS[protocol]!)];
  for (let i = 0; i < 60; i++) {
    const reducer = rng.pick(open);
    reducer.push(next());
    const ids = reducer.streamIds();
    if (rng.chance(0.05) && ids.length > 0) thrown(() => reducer.pause({ streamId: rng.pick(ids) }));
    if (rng.chance(0.05) && ids.length > 0) reducer.resume({ streamId: rng.pick(ids) });
    if (rng.chance(0.05)) reducer.changes({ streamId: ids[0] ?? "" });
    if (rng.chance(0.1)) for (const id of ["a", "b", "c"]) reducer.partialArgs(id);
    if (rng.chance(0.1) && ids.length > 0 && open.length < 12)
      open.push(reducer.fork({ streamId: rng.pick(ids), onError() {} }));
    if (rng.chance(0.03) && open.length > 1) open.splice(rng.int(open.length), 1)[0]?.close();
  }
  return rng.shuffle(open);
}

describe.each(WASM_KINDS)("memory of forks of %s", (kind) => {
  it.each(["agentue", "ag-ui"])("comes back to the byte, in whatever order they are closed: %s", (protocol) => {
    const engine = freshEngine(kind);
    const run = (seed: number): void => {
      for (const reducer of family(engine, protocol, seed)) reducer.close();
    };
    for (let seed = 0; seed < 60; seed++) run(seed);
    const before = engine.memory().live;
    for (let seed = 0; seed < 60; seed++) {
      run(seed);
      expect(engine.memory().live, `seed ${seed}`).toBe(before);
    }
    engine.close();
  });

  it("shares the text, which is charged to each that holds it", () => {
    const engine = freshEngine(kind);
    const parent = engine.createReducer({ protocol: "agentue", transport: "ndjson" });
    parent.push(line(start(modelOf({ id: "a", type: "t", content: "x".repeat(2_000_000) }))));
    parent.push(line(append(2, "a", "y".repeat(1000))));
    const { live } = engine.memory();
    const charged = parent.stats({ streamId: "" }).memory;
    const forks = Array.from({ length: 10 }, () => parent.fork());
    expect(engine.memory().live - live).toBeLessThan(50_000);
    for (const fork of forks) {
      expect(fork.stats({ streamId: "" }).memory).toBeGreaterThan(2_000_000);
      fork.push(line(append(3, "a", "z")));
      // what was shared was given up for a fork of it
      expect(fork.stats({ streamId: "" }).memory).toBeLessThan(2_100_000);
    }
    expect(parent.stats({ streamId: "" }).memory).toBe(charged);
    const small = parent.fork();
    small.push(line({ op: "set", seq: 3, block: { id: "a", type: "t" } }));
    expect(small.stats({ streamId: "" }).memory).toBeLessThan(10_000);
    small.close();
    parent.close();
    expect(engine.memory().live).toBeGreaterThan(2_000_000);
    for (const fork of forks.slice(1)) fork.close();
    expect(forks[0]?.snapshot<typeof MODEL>()?.blocks[0]?.content?.length).toBe(2_001_001);
    forks[0]?.close();
    expect(engine.memory().live).toBeLessThan(70_000);
    engine.close();
  });

  it("a fork alone is charged what its parent is", () => {
    for (const events of [
      [start(), append(2, "a", "x".repeat(500)), setBlock(3, "block.tool.x", { id: "tool", tool: { x: [1, 2] } })],
      everything(1),
    ]) {
      const engine = freshEngine(kind);
      const protocol = "op" in (events[0] as object) ? "agentue" : "ag-ui";
      const parent = engine.createReducer(OPTIONS[protocol]!);
      for (const event of events) parent.push(line(event));
      const fork = parent.fork();
      const charged = fork.stats({ streamId: "" }).memory;
      expect(charged).toBeGreaterThan(1000);
      parent.close();
      expect(fork.stats({ streamId: "" }).memory).toBe(charged);
      expect(engine.memory().live).toBeGreaterThan(charged);
      const again = fork.fork();
      fork.close();
      // what a stream holds besides its account: its connection, its place in the table
      expect(engine.memory().live - again.stats({ streamId: "" }).memory).toBeLessThan(70_000);
      again.close();
      engine.close();
    }
  });

  it.each(["agentue", "ag-ui"])("without memory nothing has happened, wherever it ends: %s", (protocol) => {
    // 4 MiB of linear memory
    const engine = engineWithin(64, kind);
    const parent = engine.createReducer(OPTIONS[protocol]!);
    const events =
      protocol === "agentue"
        ? [
            start(
              modelOf(...Array.from({ length: 60 }, (_, i) => ({ id: `b${i}`, type: "t", content: "x", list: [i] }))),
            ),
            ...Array.from({ length: 300 }, (_, i) => append(2 + i, `b${i % 60}`, "some text ")),
            setBlock(400, "block.list", { id: "b7", list: { deep: [1, { x: 2 }] } }),
          ]
        : [
            ...everything(1),
            started("r"),
            ...Array.from({ length: 60 }, (_, i) => [textStart(`t${i}`), text(`t${i}`, "open")]).flat(),
          ];
    for (const event of events) parent.push(line(event));
    parent.pause();
    for (let i = 0; i < 10; i++)
      parent.push(line(protocol === "agentue" ? append(500 + i, "b1", "q") : text("t1", "q")));
    const state = (): unknown => [
      new TextDecoder().decode(parent.snapshotBytes()),
      { ...parent.stats({ streamId: "" }), skipped: 0 },
    ];
    const before = state();
    const rng = new Rng(5);
    const held: Reducer[] = [];
    let failed = 0;
    // forks fill memory, and those that are closed leave room of all sizes, so that the next one fails at any point
    for (let i = 0; i < 1500; i++) {
      if (rng.chance(0.3) && held.length > 0 && failed > 0) {
        const some = rng.pick(held);
        if (rng.chance(0.5)) held.splice(held.indexOf(some), 1)[0]?.close();
        else {
          // what waits in its queue takes the room
          thrown(() =>
            some.push(
              line(
                protocol === "agentue"
                  ? append(600, "b1", "q".repeat(rng.int(3000)))
                  : text("t1", "q".repeat(rng.int(3000))),
              ),
            ),
          );
          some.reconnect();
        }
        continue;
      }
      const { live } = engine.memory();
      let fork: Reducer | undefined;
      try {
        fork = parent.fork();
        held.push(fork);
      } catch (error) {
        expect((error as StreamfoldError).code).toBe("out_of_memory");
        failed++;
        expect(engine.memory().live).toBe(live);
      }
    }
    expect(failed).toBeGreaterThan(100);
    for (const fork of held) fork.close();
    expect(state()).toEqual(before);
    const fork = parent.fork();
    expect(fork.resume()).toBe(10);
    expect(parent.resume()).toBe(10);
    expect(fork.snapshot()).toEqual(parent.snapshot());
    fork.close();
    parent.close();
    engine.close();
  });
});
