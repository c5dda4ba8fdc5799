import { describe } from "vitest";
import { toHex } from "../support/msgpack.js";
import { type Found, type MakeSplitter, type Splitter, splitterRules } from "../support/msgpack-split.js";
import { BUILDS, Probe } from "./support/probe.js";

const MESSAGE = 1;
const TOO_LARGE = 2;
const DISCARDING = 16;
const FRAME_SIZE = 128;
const F_FLAGS = 80;
const F_LIMIT = 92;
const F_OFFSET = 96;

class CoreSplitter implements Splitter {
  readonly #probe: Probe;
  readonly #frame: number;
  readonly #depth: number;

  constructor(probe: Probe, limit: number, depth: number) {
    this.#probe = probe;
    this.#depth = depth;
    this.#frame = probe.call("alloc", FRAME_SIZE);
    probe.bytes.fill(0, this.#frame, this.#frame + FRAME_SIZE);
    probe.setU32(this.#frame + F_LIMIT, limit);
  }

  push(chunk: Uint8Array): Found[] {
    const probe = this.#probe;
    const { p, end } = probe.put(chunk);
    const found: Found[] = [];
    probe.call("beginChunk", this.#frame, p);
    for (let at = p; at < end; ) {
      at = probe.call("msgpackNext", this.#frame, at, end, this.#depth);
      const event = probe.global("frameEvent");
      const offset = probe.global("messageOffset");
      if (event === MESSAGE) {
        found.push([offset, toHex(probe.slice(probe.global("messageStart"), probe.global("messageEnd")))]);
        probe.call("msgpackMessageDone", this.#frame);
      } else if (event === TOO_LARGE) found.push([offset, "too large"]);
      else if (event !== 0 || at !== end) throw new Error(`event ${event} at ${at} of ${end}`);
    }
    probe.call("endChunk", this.#frame, end);
    return found;
  }

  pending(): boolean {
    return this.#probe.call("msgpackAtStart", this.#frame) === 0;
  }

  save(): { partial: Uint8Array; skipping: boolean } {
    const probe = this.#probe;
    const run = probe.call("alloc", 16);
    probe.bytes.fill(0, run, run + 16);
    if (probe.call("msgpackPartial", this.#frame, run) === 0) throw new Error("no memory");
    const start = probe.u32(run);
    return {
      partial: probe.slice(start, start + probe.u32(run + 4)),
      skipping: (probe.bytes[this.#frame + F_FLAGS]! & DISCARDING) !== 0,
    };
  }

  restore(partial: Uint8Array, skipping: boolean, offset: number): void {
    const view = new DataView(this.#probe.memory.buffer);
    view.setFloat64(this.#frame + F_OFFSET, offset - partial.length, true);
    if (skipping) this.#probe.call("setFlag", this.#frame, DISCARDING);
    if (this.push(partial).length > 0) throw new Error("a part of a message made a whole one");
  }
}

describe.each(BUILDS)("MessagePack out of a stream (%s)", (kind) => {
  const probe = new Probe(kind);
  const make: MakeSplitter = (limit, depth, saved) => {
    probe.rewind();
    const splitter = new CoreSplitter(probe, limit, depth);
    if (saved) splitter.restore(saved.partial, saved.skipping, saved.offset);
    return splitter;
  };

  splitterRules(make, 5);
});
