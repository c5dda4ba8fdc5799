import { describe, expect, it } from "vitest";
import type { JsonDocument } from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/errors.js";
import { diff } from "../../src/index.js";
import { utf8 } from "../support/bytes.js";
import { textOf } from "../support/documents.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { parentAndToken, pointersOf, randomValue, randomVariant, referencePatch } from "../support/json-values.js";
import { patchFor } from "../support/random-patch.js";
import { Rng } from "../support/rng.js";

const SEED = 20_240;
const DOCUMENTS = 150;
const PATCHES = 20;

describe("texts that fill what the document keeps for new ones to the last byte", () => {
  it.each(KINDS)("%s: what an empty name or an empty string follows stays as it is", (kind) => {
    for (let length = 0; length < 300; length++) {
      const value = "v".repeat(length);
      for (const [op, left] of [
        ["copy", { m: 1 }],
        ["move", {}],
      ] as const) {
        for (const name of ["", "n"]) {
          const document = engine(kind).createDocument({ m: 1 });
          document.patch([{ op: "add", path: "/k", value }]);
          document.patch([{ op, from: "/m", path: `/${name}` }]);
          document.patch([{ op: "add", path: `/${name}z`, value: "" }]);
          expect(textOf(document)).toBe(JSON.stringify({ ...left, k: value, [name]: 1, [`${name}z`]: "" }));
          document.close();
        }
      }
    }
  });
});

describe("random documents and patches", () => {
  it.each(KINDS)("%s: as the plain reference, and nothing of what fails", (kind) => {
    const rng = new Rng(SEED);
    let applied = 0;
    let failures = 0;
    for (let n = 0; n < DOCUMENTS; n++) {
      let model = randomValue(rng, 4);
      const document = engine(kind).createDocument(utf8(JSON.stringify(model)));
      for (let p = 0; p < PATCHES; p++) {
        const patch = patchFor(rng, model);
        const label = `seed ${SEED}, document ${n}, patch ${p}: ${JSON.stringify(model)} ${JSON.stringify(patch)}`;
        const wanted = referencePatch(model, patch);
        const before = textOf(document);
        const failed = attempt(document, rng.chance(0.5) ? patch : utf8(JSON.stringify(patch)));
        if ("failed" in wanted) {
          failures++;
          expect(failed, label).toBe(wanted.failed);
          expect(textOf(document), label).toBe(before);
        } else {
          applied++;
          expect(failed, label).toBe(-1);
          model = wanted.value;
          expect(canonical(textOf(document)), label).toBe(canonical(JSON.stringify(model)));
        }
        if (document.size !== document.bytes().length) expect(document.size, label).toBe(document.bytes().length);
      }
      for (const path of pointersOf(model)) {
        expect(JSON.stringify(document.get(path)), path).toBe(JSON.stringify(parentAndToken(model, path)!.value));
      }
      document.close();
    }
    expect(applied).toBeGreaterThan(1_000);
    expect(failures).toBeGreaterThan(50);
  });

  it("the engines give one answer, errors and their places included", () => {
    const rng = new Rng(SEED + 1);
    for (let n = 0; n < 60; n++) {
      let model = randomValue(rng, 4);
      const limits = { depth: rng.between(5, 9), bytes: rng.between(500, 3_000) };
      const source = utf8(JSON.stringify(model));
      let documents: JsonDocument[];
      try {
        documents = KINDS.map((kind) => engine(kind).createDocument(source, { limits }));
      } catch {
        continue;
      }
      for (let p = 0; p < PATCHES; p++) {
        const patch = patchFor(rng, model);
        const answers = documents.map((document) => {
          const error = failure(document, utf8(JSON.stringify(patch)));
          return `${error ?? "applied"} ${canonical(textOf(document))} ${document.size} ${document.version}`;
        });
        expect(new Set(answers).size, `seed ${SEED + 1}, ${n}, ${p}: ${answers.join("\n")}`).toBe(1);
        model = documents[0]!.value();
      }
      for (const document of documents) document.close();
    }
  });
});

describe("diff", () => {
  it.each(KINDS)("%s: turns one value into the other, in no more bytes than the other", (kind) => {
    const rng = new Rng(SEED + 2);
    for (let n = 0; n < 600; n++) {
      const before = randomValue(rng, 4);
      const after = rng.chance(0.3) ? randomValue(rng, 4) : randomVariant(rng, before);
      const patch = diff(before, after);
      const label = `seed ${SEED + 2}, ${n}: ${JSON.stringify(before)} ${JSON.stringify(after)} ${JSON.stringify(patch)}`;
      const document = engine(kind).createDocument(before);
      document.patch(patch);
      document.patch([{ op: "test", path: "", value: after }]);
      document.close();
      const whole = size([{ op: "replace", path: "", value: after }]);
      expect(size(patch), label).toBeLessThanOrEqual(whole);
      expect(diff(after, after), label).toEqual([]);
    }
  });
});

function size(patch: unknown): number {
  return utf8(JSON.stringify(patch)).length;
}

/** The number of the operation that failed, -1 when all were applied. */
function attempt(document: JsonDocument, patch: unknown): number {
  try {
    document.patch(patch);
  } catch (error) {
    if (!(error instanceof StreamfoldError) || error.code !== "delta_failed") throw error;
    return error.opIndex!;
  }
  return -1;
}

function failure(document: JsonDocument, patch: unknown): string | undefined {
  try {
    document.patch(patch);
  } catch (error) {
    return (error as StreamfoldError).message;
  }
  return undefined;
}
