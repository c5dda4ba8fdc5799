import type { Fault } from "../../support/msgpack.js";
import type { Probe } from "./probe.js";

const CODES: Record<number, Fault["code"]> = {
  3: "invalid_utf8",
  4: "bad_msgpack",
  8: "too_deep",
  34: "out_of_memory",
};
const REASONS = [undefined, "short", "trailing", "reserved", "key", "extension", "timestamp", "not_finite", "range"];

/** A message as the core reads it. */
export interface CoreMessage {
  text: string;
  replaced: boolean;
  /** Bytes that the value takes. */
  end: number;
}

/** The reader and the writer of the core, each with a run that already holds something. */
export class CoreMsgpack {
  readonly probe: Probe;
  readonly run: number;

  constructor(probe: Probe) {
    this.probe = probe;
    this.run = probe.call("alloc", 16);
    for (let i = 0; i < 16; i += 4) probe.setU32(this.run + i, 0);
  }

  read(bytes: Uint8Array, depth = 512, replace = false, prefix = false): CoreMessage | Fault {
    const { probe } = this;
    const { p, end } = probe.put(bytes);
    // what lies behind must not matter
    probe.bytes.fill(0xa1, end, end + 16);
    const status = this.#fresh(prefix ? "readMsgpackPrefix" : "readMsgpack", p, end, depth, replace ? 1 : 0);
    if (status !== 0) return this.#fault(status, p);
    return {
      text: this.#text(),
      replaced: probe.global("msgpackReplaced") !== 0,
      end: probe.global("msgpackEnd") - p,
    };
  }

  write(json: string): Uint8Array | Fault {
    const { p, end } = this.probe.put(json);
    const status = this.#fresh("writeMsgpack", p, end);
    return status === 0 ? this.#bytes() : this.#fault(status, p);
  }

  /** What the text of the last message does not say. */
  get readLosses(): number {
    return this.probe.global("msgpackReadLosses");
  }

  /** What the bytes that were written last do not say. */
  get writeLosses(): number {
    return this.probe.global("msgpackWriteLosses");
  }

  /** Bytes that the run has room for. */
  get capacity(): number {
    return this.probe.u32(this.run + 8);
  }

  free(): void {
    this.probe.call("bytesFree", this.run);
  }

  // The run holds three bytes before the call, which must stay, and on a fault stay alone.
  #fresh(name: string, p: number, end: number, ...options: number[]): number {
    const { probe, run } = this;
    probe.setU32(run + 4, 0);
    const { p: mark } = probe.put("...");
    probe.call("bytesAppend", run, mark, 3);
    const status = probe.call(name, p, end, run, ...options);
    const start = probe.u32(run);
    const length = probe.u32(run + 4);
    if (probe.text(start, start + 3) !== "..." || (status !== 0 && length !== 3)) throw new Error("the run was harmed");
    return status;
  }

  #bytes(): Uint8Array {
    const start = this.probe.u32(this.run);
    return this.probe.slice(start + 3, start + this.probe.u32(this.run + 4));
  }

  #text(): string {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#bytes());
  }

  #fault(status: number, p: number): Fault {
    const { probe } = this;
    const code = CODES[status];
    if (code === undefined) throw new Error(`unknown status ${status}`);
    return {
      code,
      offset: probe.global("msgpackFaultAt") - p,
      reason: code === "bad_msgpack" ? REASONS[probe.global("msgpackReason")] : undefined,
    };
  }
}
