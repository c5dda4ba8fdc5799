import { describe, expect, it } from "vitest";
import { createResolver, type LoadRequest } from "../../src/agentue/index.js";
import type { Transport } from "../../src/engine/contract.js";
import { concat } from "../support/bytes.js";
import { ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { bytesOf, type Json, pausing, type ReferenceScript, referenceScript, TRANSPORTS, turn } from "./support.js";

/** A loader that answers some turns later, as value or as text. */
function slowly(rng: Rng, store: ReadonlyMap<string, Json>) {
  return async ({ streamId, id, ref }: LoadRequest): Promise<unknown> => {
    for (let turns = rng.int(4); turns > 0; turns--) await (rng.chance(0.5) ? turn() : undefined);
    const block = store.get(`${streamId} ${id} ${ref}`);
    return rng.chance(0.5) ? block : JSON.stringify(block);
  };
}

/** The models of the scripts with everything inline. */
function inlined(scripts: readonly ReferenceScript[]): unknown[] {
  const reducer = engine("js").createReducer({ protocol: "agentue", transport: "ndjson", sequence: "strict" });
  for (const { inline } of scripts) for (const event of inline) reducer.apply(event);
  const models = reducer.streamIds().map((streamId) => reducer.snapshot({ streamId }));
  reducer.close();
  return models;
}

async function resolved(
  kind: (typeof KINDS)[number],
  transport: Transport,
  chunks: readonly Uint8Array[],
  scripts: readonly ReferenceScript[],
  rng: Rng,
): Promise<unknown[]> {
  const reducer = pausing(kind, transport, { sequence: "strict" });
  const store = new Map(scripts.flatMap((script) => [...script.store]));
  const errors: unknown[] = [];
  const resolver = createResolver(reducer, {
    load: slowly(rng, store),
    onError: (error) => errors.push(error),
    concurrency: rng.between(1, 5),
  });
  for (const chunk of chunks) {
    reducer.push(chunk);
    if (rng.chance(0.2)) await turn();
    for (const streamId of reducer.streamIds()) {
      if (reducer.unresolved({ streamId }) !== undefined) expect(reducer.stats({ streamId }).queued).toBeGreaterThan(0);
    }
  }
  await resolver.idle();
  for (const streamId of reducer.streamIds()) await resolver.resolveAll({ streamId });
  expect(errors).toEqual([]);
  expect(reducer.finish().status).toBe("complete");
  const models = reducer.streamIds().map((streamId) => reducer.snapshot({ streamId }));
  reducer.close();
  return models;
}

describe.each(KINDS)("references of random streams on %s", (kind) => {
  it.each(TRANSPORTS)("come to the model that has everything inline, over %s", async (transport) => {
    for (let seed = 1; seed <= 40; seed++) {
      const rng = new Rng(seed);
      const script = referenceScript(rng, "", rng.between(5, 60));
      const wanted = inlined([script]);
      const wire = script.events.map((event) => bytesOf(event, transport));
      const chunkings = transport === "json" ? [WHOLE] : [WHOLE, ONE_BYTE, randomCuts(seed)];
      for (const chunking of chunkings) {
        const chunks = transport === "json" ? wire : chunking.split(concat(wire));
        const models = await resolved(kind, transport, chunks, [script], rng);
        expect(models, `seed ${seed}, ${chunking.name}`).toEqual(wanted);
      }
    }
  });

  it("64 streams whose tokens interleave", async () => {
    const rng = new Rng(64);
    const scripts = Array.from({ length: 64 }, (_, i) => referenceScript(rng, `s${i}`, 40));
    const wanted = inlined(scripts);
    const left = scripts.map(({ events }) => [...events]);
    // In the order of opening, which models are compared in.
    const order = left.map((events) => events.shift()!);
    for (let open = left.filter((events) => events.length > 0); open.length > 0; ) {
      order.push(rng.pick(open).shift()!);
      open = open.filter((events) => events.length > 0);
    }
    const body = concat(order.map((event) => bytesOf(event, "sse")));
    for (const chunking of [WHOLE, randomCuts(5)]) {
      expect(await resolved(kind, "sse", chunking.split(body), scripts, rng), chunking.name).toEqual(wanted);
    }
  });
});
