import type { AgentueEvent, Model } from "../fixtures.js";

export type Block = Record<string, unknown>;

/** One logical stream of the hand-tuned reducer. */
export interface StreamState {
  seq: number;
  ended: boolean;
  model: Model;
  /** id -> block, so that a patch finds its block without a search. */
  blocks: Map<string, Block>;
}

/**
 * The reducer that a careful JavaScript programmer writes for speed: models are changed in place, events become part of
 * the model without a copy, blocks are found by a Map, strings grow by `+=`. It routes by `stream_id`, skips events whose
 * seq is not above the last, counts gaps and leaves ended streams alone. It does not validate: an event that cannot be
 * applied is counted and dropped, but the types of protocol fields are taken on trust. That favours it.
 */
export class MutableModels {
  readonly streams = new Map<string, StreamState>();
  gaps = 0;
  refused = 0;
  #lastId: string | undefined;
  #lastStream: StreamState | undefined;

  /** Applies one event; the event must not be used afterwards. */
  apply(event: AgentueEvent): void {
    const streamId = event.stream_id ?? "";
    // Tokens of one stream come in runs, and comparing with the last id is cheaper than a lookup.
    let stream = this.#lastStream;
    if (stream === undefined || streamId !== this.#lastId) {
      stream = this.streams.get(streamId);
      this.#lastId = streamId;
      this.#lastStream = stream;
    }
    if (event.op === "start") {
      this.#lastStream = this.#start(streamId, event);
      return;
    }
    if (stream === undefined || stream.ended) {
      this.refused++;
      return;
    }
    const seq = event.seq;
    switch (event.op) {
      case "append":
        if (this.#isNext(stream, seq) && !append(stream, event)) this.refused++;
        return;
      case "set":
        if (this.#isNext(stream, seq) && !set(stream, event)) this.refused++;
        return;
      case "error":
        if (this.#isNext(stream, seq)) stream.model.meta.error = event.meta!.error;
        return;
      case "end":
        stream.ended = true;
        if (seq > stream.seq) stream.seq = seq;
        return;
      case "ping":
        if (seq > stream.seq) this.gaps++;
        return;
      default:
        this.refused++;
    }
  }

  #start(streamId: string, event: AgentueEvent): StreamState {
    const model = event.model!;
    const blocks = new Map<string, Block>();
    for (const block of model.blocks) blocks.set(block.id as string, block);
    const stream = { seq: event.seq, ended: false, model, blocks };
    this.streams.set(streamId, stream);
    return stream;
  }

  /** Takes the seq of a state-changing event; false for a repeated one. */
  #isNext(stream: StreamState, seq: number): boolean {
    if (seq <= stream.seq) return false;
    if (seq !== stream.seq + 1) this.gaps++;
    stream.seq = seq;
    return true;
  }
}

function append(stream: StreamState, event: AgentueEvent): boolean {
  const payload = event.block!;
  const block = stream.blocks.get(payload.id as string);
  if (block === undefined) {
    stream.blocks.set(payload.id as string, payload);
    stream.model.blocks.push(payload);
    return true;
  }
  if (event.mask === "block.content" && typeof block.content === "string") {
    // The common case with a constant name, which the engine compiles to one load and one store.
    block.content += payload.content as string;
    return true;
  }
  if (block.ref !== undefined) return false;
  const field = event.mask!.slice(6);
  const value = payload[field];
  const old = block[field];
  if (old === undefined || old === null) block[field] = value;
  else if (typeof old === "string" && typeof value === "string") block[field] = old + value;
  else if (Array.isArray(old) && Array.isArray(value)) old.push(...value);
  else return false;
  return true;
}

function set(stream: StreamState, event: AgentueEvent): boolean {
  const mask = event.mask;
  if (mask === undefined) {
    const block = event.block!;
    const id = block.id as string;
    const old = stream.blocks.get(id);
    stream.blocks.set(id, block);
    const blocks = stream.model.blocks;
    if (old === undefined) blocks.push(block);
    else blocks[blocks.indexOf(old)] = block;
    return true;
  }
  const steps = mask.split(".");
  let source: Record<string, unknown>;
  let target: Record<string, unknown> | undefined;
  if (steps[0] === "meta") {
    source = event.meta!;
    target = stream.model.meta;
  } else {
    source = event.block!;
    target = stream.blocks.get(source.id as string);
  }
  if (target === undefined || target.ref !== undefined) return false;
  const last = steps.length - 1;
  for (let step = 1; step < last; step++) {
    const name = steps[step]!;
    source = source[name] as Record<string, unknown>;
    const next = target[name];
    if (next === undefined || next === null) {
      const made: Record<string, unknown> = {};
      target[name] = made;
      target = made;
    } else if (typeof next === "object" && !Array.isArray(next)) target = next as Record<string, unknown>;
    else return false;
  }
  target[steps[last]!] = source[steps[last]!];
  return true;
}
