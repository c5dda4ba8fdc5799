import { expect } from "vitest";
import type { EngineKind, ReducerOptions } from "../../src/engine/contract.js";
import type { Script } from "../fuzz/script.js";
import { latin1 } from "../support/bytes.js";
import { freshEngine } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { Rng } from "../support/rng.js";

/**
 * Random sessions, good and broken: what a run of them takes, the same run must give back, to the byte.
 *
 * @param own bytes that the engine may keep for itself, its buffers and templates
 * @param scriptOf the session of a seed
 */
export function comesBack(kind: EngineKind, own: number, scriptOf: (rng: Rng, seed: number) => Script): void {
  const engine = freshEngine(kind);
  const run = (seed: number): void => {
    const { transport, options, actions, listen } = scriptOf(new Rng(seed), seed);
    const reducer = engine.createReducer({
      protocol: "agentue",
      transport,
      ...options,
      onError() {},
      onWarning() {},
      ...(listen ? { onEvent() {} } : {}),
    } as ReducerOptions);
    for (const action of actions) if (action.do === "bytes") thrown(() => reducer.push(latin1(action.bytes)));
    reducer.close();
  };
  for (let seed = 1000; seed < 1300; seed++) run(seed);
  const before = engine.memory().live;
  expect(before).toBeLessThan(own);
  for (let seed = 1000; seed < 1300; seed++) {
    run(seed);
    expect(engine.memory().live, `seed ${seed}`).toBe(before);
  }
  engine.close();
}
