import { describe, expect, it } from "vitest";
import { createResolver } from "../../src/agentue/index.js";
import type { Reducer } from "../../src/engine/contract.js";
import { append, modelOf, start } from "../contract/base.js";
import { engineWithin, WASM_KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { bytesOf } from "./support.js";

const R = { id: "r", ref: "key".repeat(20) };
const X = { id: "x", type: "t", content: "" };
const LIMITS = { queuedBytes: 1024 ** 3 };

/** Appends to a stream until nothing fits any more; returns how many calls failed. */
function fill(reducer: Reducer, id: string, streamId: string, sizes = [65_536, 4096, 256, 16]): number {
  let seq = 2;
  let failed = 0;
  for (const size of sizes) {
    for (let i = 0; i < 3000; i++) {
      const fault = thrown(() => reducer.push(bytesOf(append(seq, id, "x".repeat(size), { stream_id: streamId }))));
      if (fault === undefined) seq++;
      else {
        expect(fault.code).toBe("out_of_memory");
        reducer.reconnect();
        failed++;
        break;
      }
    }
  }
  return failed;
}

describe.each(WASM_KINDS)("%s without memory for what waits", (kind) => {
  const open = () => {
    const engine = engineWithin(64, kind);
    const told: string[] = [];
    const reducer = engine.createReducer({
      protocol: "agentue",
      transport: "ndjson",
      unresolved: "pause",
      limits: LIMITS,
      onUnresolved: ({ streamId }) => told.push(streamId),
    });
    return { engine, reducer, told };
  };

  it("a pause without its report there is not: an event that finds no memory leaves no trace", () => {
    const { engine, reducer, told } = open();
    reducer.push(bytesOf(start(modelOf(X), { stream_id: "full" })));
    reducer.push(bytesOf(start(modelOf(R, X), { stream_id: "waits" })));
    expect(fill(reducer, "x", "full")).toBe(4);
    const fault = thrown(() => reducer.push(bytesOf(append(2, "r", "y".repeat(3000), { stream_id: "waits" }))));
    const waits = reducer.unresolved({ streamId: "waits" }) !== undefined;
    expect([waits, told.length === 1, fault === undefined]).toEqual(Array(3).fill(waits));
    expect([reducer.seq({ streamId: "waits" }), reducer.stats({ streamId: "waits" }).queued]).toEqual([
      1,
      waits ? 1 : 0,
    ]);
    reducer.release({ streamId: "full" });
    reducer.reconnect();
    if (!waits) reducer.push(bytesOf(append(2, "r", "y".repeat(3000), { stream_id: "waits" })));
    reducer.materialize({ id: "r", type: "t", content: "" }, { streamId: "waits" });
    expect(reducer.resume({ streamId: "waits" })).toBe(1);
    engine.close();
  });

  it("a stream that finds no memory to go on is let go on by the resolver that had resumed it", async () => {
    const { engine, reducer } = open();
    reducer.push(bytesOf(start(modelOf(X), { stream_id: "full" })));
    reducer.push(bytesOf(start(modelOf(R), { stream_id: "waits" })));
    reducer.push(bytesOf(append(2, "r", "y".repeat(150_000), { stream_id: "waits" })));
    reducer.push(bytesOf(append(3, "r", "z", { stream_id: "waits" })));
    fill(reducer, "x", "full", [65_536]);
    const failures: unknown[] = [];
    const address = { streamId: "waits", id: "r" };
    const resolver = createResolver(reducer, {
      load: ({ id }) => ({ id, type: "t", content: "" }),
      onError: (error, reference) => failures.push([error.code, reference]),
    });
    await resolver.idle();
    const told = ["out_of_memory", { ...address, ref: R.ref }];
    expect([failures, resolver.failures()]).toEqual([[told], [address]]);
    expect(resolver.retry({ streamId: "full", id: "r" })).toBe(false);
    expect(resolver.retry({ streamId: "waits", id: "x" })).toBe(false);
    expect(resolver.retry(address)).toBe(true);
    expect(failures).toEqual([told, told]);
    expect([reducer.seq({ streamId: "waits" }), reducer.stats({ streamId: "waits" }).queued]).toEqual([1, 2]);
    reducer.release({ streamId: "full" });
    expect(resolver.retry(address)).toBe(true);
    expect([reducer.seq({ streamId: "waits" }), reducer.stats({ streamId: "waits" }).queued]).toEqual([3, 0]);
    expect([resolver.failures(), resolver.retry(address)]).toEqual([[], false]);
    resolver.close();
    engine.close();
  });

  it("a full queue stays as it is, and goes on once there is memory again", () => {
    const { engine, reducer } = open();
    reducer.push(bytesOf(start(modelOf(R), { stream_id: "waits" })));
    expect(fill(reducer, "r", "waits")).toBe(4);
    const { queued } = reducer.stats({ streamId: "waits" });
    expect(queued).toBeGreaterThan(10);
    expect(reducer.unresolved({ streamId: "waits" })).toMatchObject(R);
    reducer.push(bytesOf(start(modelOf(R), { stream_id: "waits", seq: 9 })));
    expect(reducer.stats({ streamId: "waits" })).toMatchObject({ queued: 0, dropped: queued });
    reducer.push(bytesOf(append(10, "r", "z", { stream_id: "waits" })));
    reducer.materialize({ id: "r", type: "t", content: "" }, { streamId: "waits" });
    expect(reducer.resume({ streamId: "waits" })).toBe(1);
    expect(reducer.seq({ streamId: "waits" })).toBe(10);
    reducer.close();
    expect(engine.memory().live).toBe(0);
    engine.close();
  });
});
