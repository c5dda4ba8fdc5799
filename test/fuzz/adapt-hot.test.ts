import { describe, expect, it } from "vitest";
import type { EngineKind, Transport } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import { sorted } from "../support/adapter-contract.js";
import { concat, latin1 } from "../support/bytes.js";
import { randomCuts, WHOLE } from "../support/chunking.js";
import { KINDS, WASM_KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { eventsIn, placedFaults, TO, type Transcript, transcode, type Wanted } from "../support/transcoding.js";
import { aguiBinaryScript } from "./agui-binary-hot.js";
import { aguiHotScript } from "./agui-hot.js";
import { rounds } from "./clock.js";
import { load, renew } from "./cores.js";
import type { Script } from "./script.js";
import { smallest, type Transcoding } from "./transcode-script.js";

/** What an engine has learned lives as long as the engine: this many bodies run on one. */
const LIFE = 4;

type Hot = { script: Script; tokens: number; deltas: number };

function hotScript(rng: Rng, from: Transport, calm: boolean): Hot {
  if (from === "msgpack" || from === "protobuf") return aguiBinaryScript(rng, from, { calm });
  return aguiHotScript(rng, { transport: from, calm });
}

/** The bytes of a script, to AgentUE. */
function adapting({ script }: Hot, to: Wanted["to"], rng: Rng): Transcoding {
  const { transport: from, options, actions } = script;
  const { onViolation, undecodable, onDeltaFailure, limits } = options;
  return {
    options: {
      protocol: "ag-ui",
      from,
      to,
      toProtocol: "agentue",
      adapt: { streamId: rng.pick(["", "", "s", "an é", 'q"']) },
      ...JSON.parse(JSON.stringify({ onViolation, undecodable, onDeltaFailure, limits })),
    },
    messages: actions.flatMap((action) => (action.do === "bytes" ? [latin1(action.bytes)] : [])),
    cuts: rng.int(1e6),
  };
}

const run = (kind: EngineKind, { options, messages, cuts }: Transcoding, uncut: boolean): Transcript =>
  transcode(
    load(kind).engine,
    options,
    options.from === "json" ? messages : (uncut ? WHOLE : randomCuts(cuts)).split(concat(messages)),
  );

function printed({ options }: Transcoding, { output, errors, stats, ...rest }: Transcript): string {
  const events = eventsIn(options.to, output).map((text) => sorted(JSON.parse(text)));
  const faults = placedFaults(errors);
  return JSON.stringify([events, faults, stats, rest], undefined, 1);
}

/** Two ways that differ, undefined when all agree. */
function disagreement(one: Transcoding): string | undefined {
  let first: { name: string; seen: string } | undefined;
  for (const kind of KINDS) {
    for (const uncut of [true, false]) {
      const name = `${kind}${uncut ? ", uncut" : ""}`;
      const seen = printed(one, run(kind, one, uncut));
      if (first === undefined) first = { name, seen };
      else if (first.seen !== seen) return `${first.name}: ${first.seen}\n${name}: ${seen}`;
    }
  }
  return undefined;
}

const FROM: readonly Transport[] = ["sse", "sse", "ndjson", "json", "msgpack", "protobuf"];

describe("fuzz of hot AG-UI traffic as AgentUE", () => {
  it(`all engines agree, cut and uncut: ${KINDS.join(" / ")}`, () => {
    const count = rounds(4, 10 * LIFE, (seed) => {
      if (seed % LIFE === 0) renew();
      const rng = new Rng(seed);
      const one = adapting(hotScript(rng, rng.pick(FROM), rng.chance(0.3)), rng.pick(TO.agentue), rng);
      const found = disagreement(one);
      if (found === undefined) return;
      const smaller = smallest(one, (candidate) => disagreement(candidate) !== undefined);
      const { options, messages } = smaller;
      expect.fail(
        `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed - (seed % LIFE)})\n${disagreement(smaller) ?? found}\n${JSON.stringify(options)}\n` +
          messages.map((message) => JSON.stringify(Buffer.from(message).toString("latin1"))).join("\n"),
      );
    });
    renew();
    expect(count).toBeGreaterThanOrEqual(10 * LIFE);
  });

  describe.each(WASM_KINDS)("undisturbed, on %s", (kind) => {
    const pairs = (["sse", "ndjson", "msgpack", "protobuf"] as const).flatMap((from) =>
      TO.agentue.map((to) => [from, to] as const),
    );

    it.each(pairs)("%s to %s: most tokens and deltas of the state go the short road", (from, to) => {
      const { core } = load(kind);
      const before = coreCounters(core);
      const came = { tokens: 0, deltas: 0 };
      for (let seed = 1; seed <= 10; seed++) {
        const rng = new Rng(seed);
        const hot = hotScript(rng, from, true);
        came.tokens += hot.tokens;
        came.deltas += hot.deltas;
        const { options, messages } = adapting(hot, to, rng);
        const { errors, status } = transcode(load(kind).engine, { ...options, adapt: {} }, [concat(messages)]);
        expect([errors, status]).toEqual([[], "truncated"]);
      }
      expect(came.tokens).toBeGreaterThan(300);
      expect(came.deltas).toBeGreaterThan(100);
      const after = coreCounters(core);
      const isText = (wire: Transport): boolean => wire === "sse" || wire === "ndjson";
      // of a text wire each form is learned first; halves of characters need more than a token on a binary one
      const share = isText(from) ? (isText(to) ? 0.6 : 0.3) : 0.8;
      expect((after.adaptedTokens - before.adaptedTokens) / came.tokens).toBeGreaterThan(share);
      // something may be lost on the way of a delta to or from a binary wire
      const quick = (after.quickDeltas - before.quickDeltas) / came.deltas;
      if (isText(from) && isText(to)) expect(quick).toBeGreaterThan(0.9);
      else expect(quick).toBe(0);
      renew();
    });
  });
});
