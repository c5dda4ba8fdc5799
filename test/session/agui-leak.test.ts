import { describe, expect, it } from "vitest";
import type { Engine, Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { freshEngine, WASM_KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { ENDS, LIVES, OPTIONS } from "./agui-lives.js";

const make = (engine: Engine, options: Partial<ReducerOptions>): Reducer =>
  engine.createReducer({ protocol: "ag-ui", transport: "sse", ...options });

describe.each(WASM_KINDS)("memory of AG-UI on %s", (kind) => {
  /** Buffers and learned templates belong to the engine and stay, bounded: what a run takes, the same run must give back. */
  const OWN = 64 * 1024;

  it("comes back to the byte, whatever a reducer lived through and however it ends", () => {
    const engine = freshEngine(kind);
    const begin = engine.memory().live;
    const run = (check: (name: string) => void): void => {
      for (const [choice, options] of Object.entries(OPTIONS)) {
        for (const [life, live] of Object.entries(LIVES)) {
          for (const [end, finish] of Object.entries(ENDS)) {
            const reducer = make(engine, options);
            live(reducer);
            finish(reducer);
            check(`${choice}; ${life}; ${end}`);
          }
        }
      }
    };
    run((name) => expect(engine.memory().live - begin, name).toBeLessThan(OWN));
    const before = engine.memory().live;
    run((name) => expect(engine.memory().live, name).toBe(before));
    engine.close();
  });

  it("is charged to the stream: what its stats say is what its closing gives back", () => {
    const engine = freshEngine(kind);
    const warm = (): number => engine.memory().live;
    for (const [life, live] of Object.entries(LIVES)) {
      make(engine, OPTIONS.plain!).close();
      const reducer = make(engine, OPTIONS.plain!);
      live(reducer);
      const charged = reducer.stats({ streamId: "" }).memory;
      expect(reducer.stats().memory, life).toBe(charged);
      const held = warm();
      reducer.close();
      // the connection's own record and the bytes of a message that has not ended belong to no stream
      const given = held - warm();
      expect(given, life).toBeGreaterThanOrEqual(charged);
      expect(given - charged, life).toBeLessThan(10_000);
    }
    engine.close();
  });

  it("comes back with many reducers open at once, closed in another order", () => {
    const engine = freshEngine(kind);
    const rng = new Rng(7);
    let before: number | undefined;
    for (let round = 0; round < 4; round++) {
      const open = Object.values(LIVES).map((live, i) => {
        const reducer = make(engine, Object.values(OPTIONS)[i % 2]!);
        live(reducer);
        return reducer;
      });
      expect(engine.memory().live).toBeGreaterThan(500_000);
      for (const reducer of rng.shuffle(open)) reducer.close();
      before ??= engine.memory().live;
      expect(engine.memory().live, `round ${round}`).toBe(before);
    }
    expect(before).toBeLessThan(OWN);
    engine.close();
  });
});
