import { describe, expect, it } from "vitest";
import { generateAgui } from "../fuzz/agui-script.js";
import { generate } from "../fuzz/generate.js";
import { MSGPACK, PROTOBUF } from "../fuzz/wires.js";
import { freshEngine, WASM_KINDS } from "../support/engines.js";
import type { Rng } from "../support/rng.js";
import { ENDS, LIVES, WIRES } from "./binary-lives.js";
import { comesBack } from "./random-lives.js";

describe.each(WASM_KINDS)("memory of binary wires on %s", (kind) => {
  /** Buffers and learned templates belong to the engine and stay, bounded: what a run takes, the same run must give back. */
  const OWN = 64 * 1024;

  it("comes back to the byte, whatever a reducer lived through and however it ends", () => {
    const engine = freshEngine(kind);
    const begin = engine.memory().live;
    const run = (check: (name: string) => void): void => {
      for (const wire of WIRES) {
        for (const [life, live] of Object.entries(LIVES)) {
          for (const [ending, finish] of Object.entries(ENDS)) {
            const reducer = engine.createReducer(wire.options);
            live(reducer, wire);
            finish(reducer, wire);
            check(`${wire.name}; ${life}; ${ending}`);
          }
        }
      }
    };
    run((name) => expect(engine.memory().live - begin, name).toBeLessThan(OWN));
    const before = engine.memory().live;
    run((name) => expect(engine.memory().live, name).toBe(before));
    engine.close();
  });

  it.each(WIRES)("is charged to the stream: $name", (wire) => {
    for (const [life, live] of Object.entries(LIVES)) {
      // what is charged must not depend on what earlier lives have left in the buffers
      const engine = freshEngine(kind);
      const reducer = engine.createReducer(wire.options);
      live(reducer, wire);
      const charged = reducer.stats().memory;
      const held = engine.memory().live;
      reducer.close();
      // the connection's own record and the bytes of a message that has not ended belong to no stream
      const given = held - engine.memory().live;
      expect(given, life).toBeGreaterThanOrEqual(charged);
      if (!life.includes("half message")) expect(given - charged, life).toBeLessThan(10_000);
      engine.close();
    }
  });

  it("comes back after random sessions, good and broken", () => {
    const sessions = [
      (rng: Rng) => generate(rng, MSGPACK),
      (rng: Rng) => generateAgui(rng, MSGPACK),
      (rng: Rng) => generateAgui(rng, PROTOBUF),
    ];
    comesBack(kind, OWN, (rng, seed) => sessions[seed % 3]!(rng));
  });
});
