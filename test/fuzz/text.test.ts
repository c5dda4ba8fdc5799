import { describe, expect, it } from "vitest";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { Fold } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";
import { Generator } from "./generate.js";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const HEAD = '{"op":"set","seq":2,"mask":"block.v","block":{"id":"x","v":';
const START = utf8(
  '{"op":"start","seq":1,"model":{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"x","type":"t"}]}}',
);
const BYTES = latin1('"\\{}[],:.0-eEu \n\t\x80\xc3\xa9\xe2\xf0\xff\0');

/** A JSON value, in half of the cases with a few bytes changed. */
function sample(rng: Rng): Uint8Array {
  const bytes = [...utf8(new Generator(rng, false, false, 0).value(5))];
  if (rng.chance(0.5)) {
    for (let times = rng.between(1, 3); times > 0; times--) {
      const at = rng.int(bytes.length + 1);
      if (rng.chance(0.4)) bytes.splice(at, 1);
      else bytes.splice(at, rng.chance(0.5) ? 1 : 0, rng.chance(0.7) ? rng.pick([...BYTES]) : rng.int(256));
    }
  }
  return Uint8Array.from(bytes);
}

interface Outcome {
  code: string | undefined;
  byteOffset: number | undefined;
  model: string | undefined;
}

function outcome(kind: (typeof KINDS)[number], value: Uint8Array): Outcome {
  const fold = new Fold(engine(kind), "json", { undecodable: "skip" });
  fold.push(START);
  fold.push(concat([utf8(HEAD), value, utf8("}}")]));
  const { code, byteOffset } = fold.errors[0] ?? {};
  const { model } = fold.stream("");
  fold.reducer.close();
  return { code, byteOffset, model };
}

describe("fuzz of JSON values", () => {
  it("the verdict is that of JSON.parse over fatal UTF-8, the value is kept exactly, and all engines name the same place", () => {
    rounds(2, 200, (seed) => {
      const value = sample(new Rng(seed));
      const label = `seed ${seed}: ${JSON.stringify(Buffer.from(value).toString("latin1"))}`;
      let whole: string | undefined;
      try {
        whole = decoder.decode(concat([utf8(HEAD), value, utf8("}}")]));
        JSON.parse(whole);
      } catch {
        whole = undefined;
      }
      const outcomes = KINDS.map((kind) => outcome(kind, value));
      for (const [i, { code, model }] of outcomes.entries()) {
        const accepted = code !== "bad_json" && code !== "invalid_utf8";
        expect(accepted, `${KINDS[i]}, ${label}, ${code}`).toBe(whole !== undefined);
        // A changed byte may turn the event into another one, which is then judged as such.
        if (code === undefined && whole !== undefined && isValue(value)) {
          const wanted = `{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"x","type":"t","v":${decoder.decode(value)}}]}`;
          expect(model, `${KINDS[i]}, ${label}`).toBe(canonical(wanted));
        }
        expect(outcomes[i], `${KINDS[i]} and ${KINDS[0]}, ${label}`).toEqual(outcomes[0]);
      }
    });
  });
});

function isValue(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decoder.decode(bytes));
    return true;
  } catch {
    return false;
  }
}
