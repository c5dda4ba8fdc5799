import { describe, expect, it } from "vitest";
import type { Reducer, Transport } from "../../src/engine/contract.js";
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

/** A state with keys that are easily taken for each other, a repeated one, an object with an index, and elements of one shape. */
const PLACES = `{"short":1,"longer than eight":2,"other than eight":3,"x/y":4,"é":5,"":6,"twice":{"a":1,"b":2,"a":3},"many":{${Array.from(
  { length: 40 },
  (_, index) => `"k${index}":${index}`,
).join()}},"list":[${Array.from(
  { length: 12 },
  (_, index) => `{"id":"i${index}","done":false,"tags":[],"count":${index}}`,
).join()}]}`;

/** Pointers as they stand between quotes. */
const POINTERS: readonly string[] = [
  "/short|/longer than eight|/other than eight|/under than eight|/x~1y|/é|/\\u00e9|/|//||short|/x/y|/~|/twice/a|/twice/b|/twice/c",
  "/many/k7|/many/k17|/many/k39|/many/k40|/many|/short/x|/list/0/id|/list/00/id|/list/3/done|/list/11/count|/list/12/count|/list/-/id",
  "/list/-|/list/1x/id|/list/0000007/id|/list/99999999/id|/list/18446744073709551617/id|/list/5|/list/5/tags|/list//id|/list/4/tags/0",
].flatMap((line) => line.split("|"));

const VALUES: readonly string[] =
  '0|-1|1.50e3|12345|12345678901234567|true|false|null|""|"text"|"a text of more than sixteen bytes"|"\\n"|"\\u0041"|"é\\ud83d"|{}|[]|{"id":0}|[1,[2]]'.split(
    "|",
  );

/** After one of these the connection has failed. */
const NO_VALUES: readonly string[] = '-|01|1.|tru|nulL|falsy|True|"\t"|"open||1}'.split("|");

/** One operation that changes places: afterwards members and elements stand elsewhere, or as text again. */
const SHIFTS: readonly string[] = [
  '{"op":"remove","path":"/many/k17"}',
  '{"op":"add","path":"/many/k17","value":0}',
  '{"op":"remove","path":"/list/0"}',
  '{"op":"add","path":"/list/2","value":{"count":0,"id":"new","done":true,"tags":[1]}}',
  '{"op":"move","from":"/twice/b","path":"/twice/c"}',
  '{"op":"copy","from":"/list/1","path":"/list/4"}',
  '{"op":"copy","from":"/short","path":"/other than eight"}',
  '{"op":"replace","path":"/twice","value":{"b":1,"a":2,"a":3}}',
];

const LIMITS: readonly Options["limits"][] = [{}, { depth: 8 }, { modelBytes: 300 }, { numberLength: 16 }];

function framed(transport: Transport, text: string): Uint8Array {
  return utf8(transport === "sse" ? `data: ${text}\n\n` : transport === "ndjson" ? `${text}\n` : text);
}

/** The same event with a blank behind its opening brace: it is not in the ordinary spelling any more. */
const respelled = (text: string): string => text.replace("{", "{ ");

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What both folds have to say alike; `since`: what has changed after this version. */
function facts({ reducer, applied, log }: Fold, since: number | undefined) {
  const { bytes: _bytes, memory: _memory, ...stats } = reducer.stats();
  const changes = since === undefined ? undefined : reducer.changes({ since });
  // Texts of other lengths lie at other offsets.
  const told = log.filter((entry) => entry.kind !== "event");
  const reports = JSON.stringify(told, (name, value) => (name === "byteOffset" ? undefined : value));
  return { model: decode(reducer.snapshotBytes()), stats, changes, applied, reports };
}

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
        expect(facts(quick, read), label).toEqual(facts(long, read));
      }
      for (const { reducer } of [quick, long]) reducer.close();
    });
    // Some meet a limit in reach, or a state that an odd text has brought where they do not apply.
    if (kind !== "js") expect(coreCounters(core).quickDeltas / patches).toBeGreaterThan(0.4);
    counted.close();
  });

  it("of one replaced value mean the same in the ordinary spelling as in another", () => {
    const { core, engine: counted } = openCore(kind);
    let ordinary = 0;
    rounds(1, 12, (seed) => {
      const rng = new Rng(seed);
      const transport = rng.pick(TRANSPORTS);
      const limits = rng.pick([{}, { depth: 6 }, { modelBytes: PLACES.length + 40 }, { numberLength: 16 }]);
      const options: Options = { protocol: "ag-ui", onViolation: "skip-event", undecodable: "skip", limits };
      const quick = new Fold(counted, transport, options, false);
      const long = new Fold(engine(kind), transport, options, true);
      for (const fold of [quick, long])
        for (const text of [JSON.stringify(started()), `{"type":"STATE_SNAPSHOT","snapshot":${PLACES}}`])
          fold.push(framed(transport, text));
      const forks: { fork: Reducer; text: string }[] = [];
      for (let n = 0; n < 40; n++) {
        const shifts = rng.chance(0.15);
        const operation = shifts
          ? rng.pick(SHIFTS)
          : `{"op":"replace","path":"${rng.pick(POINTERS)}","value":${rng.pick(rng.chance(0.03) ? NO_VALUES : VALUES)}}`;
        const text = `{"type":"STATE_DELTA","delta":[${operation}]}`;
        const since = quick.reducer.stats({ streamId: "" }).version;
        quick.push(framed(transport, text));
        long.push(framed(transport, respelled(text)));
        const read = rng.chance(0.3) ? since : undefined;
        expect(facts(quick, read), `seed ${seed}, ${transport}, ${JSON.stringify(limits)}: ${text}`).toEqual(
          facts(long, read),
        );
        if (rng.chance(0.05)) {
          // A fork shares texts with the state that goes on, and stays what it was.
          const fork = quick.reducer.fork();
          forks.push({ fork, text: decode(fork.snapshotBytes()) });
        }
        if (!shifts && quick.reducer.stats({ streamId: "" }).version > since) ordinary++;
      }
      for (const { fork, text } of forks) {
        expect(decode(fork.snapshotBytes()), `seed ${seed}: a fork`).toBe(text);
        fork.close();
      }
      for (const { reducer } of [quick, long]) reducer.close();
    });
    // Many name nothing, which is applied, too, and warned of.
    if (kind !== "js") expect(coreCounters(core).quickDeltas / ordinary).toBeGreaterThan(0.25);
    counted.close();
  });
});
