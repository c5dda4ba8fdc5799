import { describe, expect, it } from "vitest";
import { AguiGenerator } from "../fuzz/agui-generate.js";
import { activity, activityDelta, started, stateDelta, stateSnapshot } from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { Fold, type Options } from "../support/fold.js";
import { randomValue, referencePatch } from "../support/json-values.js";
import { Rng } from "../support/rng.js";

const SEED = 31_415;
const STATES = 60;
const PATCHES = 12;

const textOf = (fold: Fold): string => new TextDecoder().decode(fold.reducer.snapshotBytes());
const last = (fold: Fold) => fold.log.at(-1);

describe.each(KINDS)("random deltas on %s", (kind) => {
  const folds = () =>
    (["warn", "fail", "upsert"] as const).map((onDeltaFailure) => {
      const options: Options = { protocol: "ag-ui", onViolation: "skip-event", onDeltaFailure };
      return new Fold(engine(kind), "json", options, false);
    });

  it("G3, G9: as the plain reference, all or nothing, whatever a failure means", () => {
    const rng = new Rng(SEED);
    const generator = new AguiGenerator(rng, { mutations: 0 });
    let failures = 0;
    for (let n = 0; n < STATES; n++) {
      let state: unknown = randomValue(rng, 4);
      const content = { value: randomValue(rng, 3) };
      const [warn, fail, upsert] = folds() as [Fold, Fold, Fold];
      const both = [warn, fail, upsert];
      for (const event of [started(), stateSnapshot(state), activity("a", content)])
        for (const fold of both) fold.push(utf8(JSON.stringify(event)));
      for (let p = 0; p < PATCHES; p++) {
        const { patch } = generator.patch(state);
        const label = `seed ${SEED}, state ${n}, patch ${p}: ${JSON.stringify(state)} ${JSON.stringify(patch)}`;
        const wanted = referencePatch(state, patch);
        const before = both.map(textOf);
        for (const fold of both) fold.push(utf8(JSON.stringify(stateDelta(patch))));
        if ("failed" in wanted) {
          failures++;
          expect(last(warn), label).toMatchObject({
            kind: "warning",
            warning: { code: "delta_failed", opIndex: wanted.failed },
          });
          expect(last(fail), label).toMatchObject({
            kind: "error",
            error: { code: "delta_failed", opIndex: wanted.failed },
          });
          expect(last(upsert), label).toMatchObject({ kind: "warning" });
          expect([textOf(warn), textOf(fail)], label).toEqual(before.slice(0, 2));
          // What upsert has made of it is its own; from here on it is held to the others again.
          upsert.push(utf8(JSON.stringify(stateSnapshot(state))));
          if (JSON.stringify(last(upsert)).includes("delta_failed")) expect(textOf(upsert), label).toBe(before[2]);
        } else {
          state = wanted.value;
          const inner = `,"state":${canonical(JSON.stringify(state))},"run":`;
          for (const fold of both) expect(canonical(textOf(fold)), label).toContain(inner);
        }
      }
      for (const fold of both) fold.reducer.close();
    }
    expect(failures).toBeGreaterThan(20);
  });

  it("V5, V8: the content of activities likewise", () => {
    const rng = new Rng(SEED + 1);
    const generator = new AguiGenerator(rng, { mutations: 0 });
    let applied = 0;
    for (let n = 0; n < STATES; n++) {
      let content: unknown = { value: randomValue(rng, 3), list: [1, 2, 3] };
      const fold = new Fold(engine(kind), "json", { protocol: "ag-ui" }, false);
      for (const event of [started(), activity("a", content)]) fold.push(utf8(JSON.stringify(event)));
      for (let p = 0; p < PATCHES; p++) {
        const { patch } = generator.patch(content);
        const label = `seed ${SEED + 1}, ${n}, ${p}: ${JSON.stringify(content)} ${JSON.stringify(patch)}`;
        const wanted = referencePatch(content, patch);
        const before = textOf(fold);
        const isObject =
          "value" in wanted &&
          typeof wanted.value === "object" &&
          wanted.value !== null &&
          !Array.isArray(wanted.value);
        fold.push(utf8(JSON.stringify(activityDelta("a", patch))));
        if (isObject) {
          applied++;
          content = wanted.value;
          expect(canonical(textOf(fold)), label).toContain(
            `"content":${canonical(JSON.stringify(content))}}],"state":`,
          );
        } else {
          expect(last(fold), label).toMatchObject({ kind: "warning", warning: { code: "delta_failed" } });
          expect(textOf(fold), label).toBe(before);
        }
      }
      fold.reducer.close();
    }
    expect(applied).toBeGreaterThan(300);
  });
});
