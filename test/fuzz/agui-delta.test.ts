import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import { started, stateSnapshot } from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS, openCore } from "../support/engines.js";
import { Fold, type Options } from "../support/fold.js";
import { randomValue } from "../support/json-values.js";
import { Rng } from "../support/rng.js";
import { AguiGenerator } from "./agui-generate.js";
import { rounds } from "./clock.js";

const TRANSPORTS: readonly Transport[] = ["json", "sse", "ndjson"];
const PATCHES = 12;

/** Texts of deltas that only just are, or are not, what the quick way takes. */
const ODD: readonly string[] = [
  '{"type":"STATE_DELTA","delta":[]}',
  '{"type":"STATE_DELTA","delta":[{"path":"/n","op":"add","value":-0}]}',
  '{"type":"STATE_DELTA","delta":[{"value":1,"path":"/n","op":"add"}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1,"value":2}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","op":"test","path":"/n","value":2}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1,"from":"/n"}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1,"more":true}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n"}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"n","value":1}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/~2","value":1}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/~0~1","value":{"k":1e400}}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/\\u006e","value":"\\u0041"}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n\\n","value":"\\n\\""}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":12345678901234567890.5}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1e-400}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":111111111111111111111111111111111111111111}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":[[[[[[[[[[]]]]]]]]]]}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":{"a":1,"a":2}}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"replace","path":"","value":{"n":[0]}}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":tru}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":01}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":"\t"}]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1}}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1},]}',
  '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/n","value":1}],"timestamp":1}',
];

const LIMITS: readonly Options["limits"][] = [{}, { depth: 8 }, { modelBytes: 300 }, { numberLength: 16 }];

function framed(transport: Transport, text: string): Uint8Array {
  return utf8(transport === "sse" ? `data: ${text}\n\n` : transport === "ndjson" ? `${text}\n` : text);
}

/** The same event with a blank behind its opening brace: it is not in the ordinary spelling any more. */
const respelled = (text: string): string => text.replace("{", "{ ");

describe.each(KINDS)("deltas of the state on %s", (kind) => {
  it("mean the same in the ordinary spelling, which is taken the quick way, as in another", () => {
    // The folds that may go the quick way have an engine of their own, which counts.
    const { core, engine: counted } = openCore(kind);
    let patches = 0;
    rounds(1, 20, (seed) => {
      const rng = new Rng(seed);
      const transport = rng.pick(TRANSPORTS);
      const options: Options = {
        protocol: "ag-ui",
        onViolation: "skip-event",
        undecodable: "skip",
        onDeltaFailure: rng.pick(["warn", "fail", "upsert"] as const),
        limits: rng.pick(LIMITS),
      };
      const quick = new Fold(counted, transport, options, false);
      // Whoever hears of events gets them from the long way.
      const long = new Fold(engine(kind), transport, options, true);
      const generator = new AguiGenerator(rng, { mutations: 0 });
      let state: unknown = { n: randomValue(rng, 3), m: randomValue(rng, 2) };
      for (const fold of [quick, long])
        for (const event of [started(), stateSnapshot(state)]) fold.push(framed(transport, JSON.stringify(event)));
      for (let n = 0; n < PATCHES; n++) {
        let text: string;
        if (rng.chance(0.4)) text = rng.pick(ODD);
        else {
          const { patch, value } = generator.patch(state);
          text = JSON.stringify({ type: "STATE_DELTA", delta: patch });
          state = value;
          patches++;
        }
        const since = quick.reducer.stats({ streamId: "" }).version;
        quick.push(framed(transport, text));
        long.push(framed(transport, respelled(text)));
        const label = `seed ${seed}, ${transport}, ${JSON.stringify(options)}: ${text}`;
        const read = rng.chance(0.3) ? since : undefined;
        const facts = ({ reducer, applied, log }: Fold) => {
          const { bytes: _bytes, memory: _memory, ...stats } = reducer.stats();
          const changes = read === undefined ? undefined : reducer.changes({ since: read });
          // Texts of other lengths lie at other offsets.
          const told = log.filter((entry) => entry.kind !== "event");
          const reports = JSON.stringify(told, (name, value) => (name === "byteOffset" ? undefined : value));
          return { model: new TextDecoder().decode(reducer.snapshotBytes()), stats, changes, applied, reports };
        };
        expect(facts(quick), label).toEqual(facts(long));
      }
      for (const { reducer } of [quick, long]) reducer.close();
    });
    // Some meet a limit in reach, or a state that an odd text has brought where they do not apply.
    if (kind !== "js") expect(coreCounters(core).quickDeltas / patches).toBeGreaterThan(0.4);
    counted.close();
  });
});
