import { expect } from "vitest";
import { type BUILDS, Probe } from "./probe.js";

const DEPTH = 512;
const STATUS = ["ok", "unknown", "malformed", "too-deep", "no-memory", "unfit"];

/** What the reader answers. */
export interface Answer {
  text?: string;
  fault?: string;
  offset?: number;
  dropped?: number;
  replaced?: boolean;
}

/** The protobuf reader and writer of the core. */
export class CoreProtobuf {
  readonly probe: Probe;
  readonly #run: number;

  constructor(kind: (typeof BUILDS)[number]) {
    this.probe = new Probe(kind);
    this.#run = this.probe.call("alloc", 16);
    for (let i = 0; i < 16; i += 4) this.probe.setU32(this.#run + i, 0);
  }

  get #output(): Uint8Array {
    const start = this.probe.u32(this.#run);
    return this.probe.slice(start, start + this.probe.u32(this.#run + 4));
  }

  /** Bytes that are held by the output run. */
  get capacity(): number {
    return this.probe.u32(this.#run + 8);
  }

  read(bytes: Uint8Array, depth = DEPTH): Answer {
    const { probe } = this;
    probe.rewind();
    const { p, end } = probe.put(bytes);
    probe.setU32(this.#run + 4, 0);
    const status = probe.call("readProtobuf", p, end, this.#run, depth);
    if (status !== 0) {
      expect(probe.u32(this.#run + 4)).toBe(0);
      return { fault: STATUS[status]!, offset: probe.global("protobufFaultAt") - p };
    }
    const stop = probe.u32(this.#run) + probe.u32(this.#run + 4);
    expect(probe.slice(stop, stop + 64).every((byte) => byte === 0)).toBe(true);
    return {
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#output),
      dropped: probe.global("protobufDropped"),
      replaced: probe.global("protobufReplaced") !== 0,
    };
  }

  write(text: string): Uint8Array | { fault: string; at: number } {
    const { probe } = this;
    probe.rewind();
    const { p } = probe.put(text);
    probe.setU32(this.#run + 4, 0);
    const status = probe.call("writeProtobuf", p, this.#run);
    if (status === 0) return this.#output;
    expect(probe.u32(this.#run + 4)).toBe(0);
    return { fault: STATUS[status]!, at: probe.global("protobufFaultAt") - p };
  }

  /** What the bytes that were written last do not say. */
  get writeLosses(): number {
    return this.probe.global("protobufWriteLosses");
  }

  free(): void {
    this.probe.call("bytesFree", this.#run);
    this.probe.call("trimProtobufReader");
    this.probe.call("trimProtobufWriter");
  }
}
