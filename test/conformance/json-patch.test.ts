import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { StreamfoldError } from "../../src/errors.js";
import { utf8 } from "../support/bytes.js";
import { textOf } from "../support/documents.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";

/** One case of json-patch/json-patch-tests. */
interface Vector {
  comment?: string;
  doc?: unknown;
  patch?: unknown;
  expected?: unknown;
  error?: string;
  disabled?: boolean;
}

const require = createRequire(import.meta.url);

function read(file: string): Vector[] {
  const list = JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${file}`), "utf8")) as Vector[];
  return list.filter((vector) => vector.patch !== undefined);
}

/** Two vectors hold an operation with two members `op`, of which the last counts here; the suite disables both. */
const REPEATED = /two 'op' members/;
const VECTORS = [...read("spec_tests.json"), ...read("tests.json")].filter(
  (vector) => !REPEATED.test(`${vector.error} ${vector.comment}`),
);

describe("json-patch-test-suite", () => {
  it("is all there", () => {
    expect(VECTORS.length).toBe(93);
    expect(VECTORS.filter((vector) => vector.error !== undefined).length).toBeGreaterThan(20);
  });

  describe.each(KINDS)("%s", (kind) => {
    it.each(VECTORS.map((vector, i) => [vector.comment ?? vector.error ?? `case ${i}`, vector] as const))(
      "%s",
      (_, vector) => {
        const spelled = JSON.stringify(vector.doc);
        for (const form of ["bytes", "value"] as const) {
          const give = (value: unknown): unknown => (form === "bytes" ? utf8(JSON.stringify(value)) : value);
          const document = engine(kind).createDocument(give(vector.doc));
          if (vector.error === undefined) {
            document.patch(give(vector.patch));
            if (vector.expected !== undefined) {
              expect(sorted(document.value()), form).toBe(sorted(vector.expected));
            }
          } else {
            let thrown: unknown;
            try {
              document.patch(give(vector.patch));
            } catch (error) {
              thrown = error;
            }
            expect(thrown, form).toBeInstanceOf(StreamfoldError);
            expect(["bad_patch", "delta_failed"], form).toContain((thrown as StreamfoldError).code);
            expect(canonical(textOf(document)), form).toBe(canonical(spelled));
          }
          expect(document.bytes().length, form).toBe(document.size);
          document.close();
        }
        expect(JSON.stringify(vector.doc), "the caller's value").toBe(spelled);
      },
    );
  });
});

/** JSON with the members of each object by name: the suite states values, not an order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
