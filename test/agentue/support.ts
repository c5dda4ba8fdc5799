import type { EngineKind, Reducer, ReducerOptions, Transport } from "../../src/engine/contract.js";
import { encodeEvent } from "../../src/index.js";
import { engine } from "../support/engines.js";
import type { Rng } from "../support/rng.js";

export type Json = Record<string, unknown>;

export const TRANSPORTS: readonly Transport[] = ["sse", "ndjson", "json", "msgpack"];

/** A reducer that pauses before patches of references. */
export function pausing(
  kind: EngineKind,
  transport: Transport = "ndjson",
  more: Partial<ReducerOptions> = {},
): Reducer {
  return engine(kind).createReducer({ protocol: "agentue", transport, unresolved: "pause", ...more });
}

/** The bytes of an event on a wire. */
export function bytesOf(event: object, transport: Transport = "ndjson"): Uint8Array {
  return encodeEvent(event, { transport });
}

/** Lets promises, and timers that have run out, do their work. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** One stream's events twice, with references and with everything inline, and what the references stand for. */
export interface ReferenceScript {
  events: Json[];
  inline: Json[];
  store: ReadonlyMap<string, Json>;
}

/** Random patches of blocks that are references in turn; what a reference stands for is the block as it was then. */
export function referenceScript(rng: Rng, streamId: string, length: number): ReferenceScript {
  const store = new Map<string, Json>();
  const route = streamId === "" ? {} : { stream_id: streamId };
  const bodies = new Map<string, Json>();
  const away = new Set<string>();
  const refer = (id: string): Json => {
    // Several blocks may have the same key.
    const ref = rng.chance(0.3) ? "shared" : `${streamId}/${store.size}`;
    store.set(`${streamId} ${id} ${ref}`, structuredClone(bodies.get(id)!));
    away.add(id);
    return { id, ref };
  };
  const body = (id: string): Json => {
    const block = { id, type: "text", content: rng.pick(["", "é", "begin "]), items: [1], tool: { status: "run" } };
    bodies.set(id, block);
    away.delete(id);
    return structuredClone(block);
  };
  const modelOf = (blocks: Json[]): Json => ({ version: "1.1", biz: "chat", meta: {}, blocks });
  const start = (seq: number): [Json, Json] => {
    bodies.clear();
    away.clear();
    const inlined = Array.from({ length: rng.between(1, 5) }, (_, i) => body(`b${i}`));
    const referred = inlined.map((block) => (rng.chance(0.5) ? refer(block.id as string) : structuredClone(block)));
    const event = { op: "start", seq, ...route };
    return [
      { ...event, model: modelOf(referred) },
      { ...event, model: modelOf(inlined) },
    ];
  };
  const pairs = [start(1)];
  for (let seq = 2; seq < length; seq++) {
    const id = rng.pick([...bodies.keys()]);
    const block = bodies.get(id)!;
    const kind = rng.int(20);
    if (kind === 0) pairs.push(start(seq));
    else if (kind < 3) {
      const inlined = structuredClone(block);
      pairs.push([
        { op: "set", seq, ...route, block: refer(id) },
        { op: "set", seq, ...route, block: inlined },
      ]);
    } else if (kind < 5) {
      const event = { op: "set", seq, ...route, block: body(rng.chance(0.3) ? `b${bodies.size}` : id) };
      pairs.push([event, structuredClone(event)]);
    } else {
      const event = patch(rng, seq, route, id, block);
      pairs.push([event, structuredClone(event)]);
    }
  }
  pairs.push([
    { op: "end", seq: length, ...route },
    { op: "end", seq: length, ...route },
  ]);
  return { events: pairs.map(([event]) => event), inline: pairs.map(([, event]) => event), store };
}

/** A patch of a block, which is changed along. */
function patch(rng: Rng, seq: number, route: Json, id: string, block: Json): Json {
  switch (rng.int(8)) {
    case 0:
      (block.items as unknown[]).push(seq);
      return { op: "append", seq, ...route, mask: "block.items", block: { id, items: [seq] } };
    case 1:
      block.tool = { ...(block.tool as Json), status: `s${seq}` };
      return { op: "set", seq, ...route, mask: "block.tool.status", block: { id, tool: { status: `s${seq}` } } };
    case 2:
      return { op: "set", seq, ...route, mask: "meta.last", meta: { last: seq } };
    default: {
      const content = rng.pick(["a", " token", "é", "😀", '"', "\n"]);
      block.content += content;
      return { op: "append", seq, ...route, mask: "block.content", block: { id, content } };
    }
  }
}
