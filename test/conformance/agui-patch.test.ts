import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { activity, activityDelta, started, stateDelta, stateSnapshot } from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";

/** One case of json-patch/json-patch-tests. */
interface Vector {
  comment?: string;
  doc?: unknown;
  patch?: unknown;
  expected?: unknown;
  error?: string;
}

const require = createRequire(import.meta.url);
/** Two operations with two members `op`: the last one counts, and the suite disables both. */
const REPEATED = /two 'op' members/;
const VECTORS = ["spec_tests.json", "tests.json"]
  .flatMap((file) => JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${file}`), "utf8")) as Vector[])
  .filter(({ patch, error, comment }) => patch !== undefined && !REPEATED.test(`${error} ${comment}`));

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

const textOf = (fold: Fold): string => new TextDecoder().decode(fold.reducer.snapshotBytes());

interface Model {
  messages: { content: { value: unknown } }[];
  state: unknown;
}

describe.each(KINDS)("json-patch-test-suite as deltas of AG-UI on %s", (kind) => {
  it.each(VECTORS.map((vector, i) => [vector.comment ?? vector.error ?? `case ${i}`, vector] as const))(
    "%s",
    (_, vector) => {
      for (const as of ["state", "activity"] as const) {
        const fold = new Fold(engine(kind), "json", { protocol: "ag-ui", onViolation: "skip-event" });
        fold.apply(JSON.stringify(started()));
        const before = as === "state" ? stateSnapshot(vector.doc) : activity("a", { value: vector.doc });
        expect(fold.apply(JSON.stringify(before)), "the document").toBe(1);
        const text = textOf(fold);
        fold.apply(JSON.stringify(as === "state" ? stateDelta(vector.patch) : activityDelta("a", below(vector.patch))));
        const { state, messages } = fold.reducer.snapshot<Model>()!;
        const value = as === "state" ? state : messages[0]?.content.value;
        const codes = [...fold.errors, ...fold.warnings].map(({ code }) => code);
        if (vector.error === undefined) {
          expect(codes, as).toEqual([]);
          if (vector.expected !== undefined) expect(sorted(value), as).toBe(sorted(vector.expected));
        } else {
          expect(codes.length, as).toBe(1);
          expect(["bad_event", "delta_failed", "unknown_variant"], as).toContain(codes[0]);
          expect(textOf(fold), as).toBe(text);
        }
        fold.reducer.close();
      }
    },
  );
});

/** The patch with its pointers below `/value`. */
function below(patch: unknown): unknown {
  if (!Array.isArray(patch)) return patch;
  const move = (pointer: unknown) =>
    typeof pointer === "string" && /^$|^\//.test(pointer) ? `/value${pointer}` : pointer;
  return patch.map((operation: unknown) => {
    if (typeof operation !== "object" || operation === null) return operation;
    const out: Record<string, unknown> = { ...operation };
    for (const name of ["path", "from"]) if (Object.hasOwn(out, name)) out[name] = move(out[name]);
    return out;
  });
}
