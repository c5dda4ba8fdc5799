import { E_OUT_OF_MEMORY } from "../../../assembly/abi/codes.js";
import { INPUT_CAPACITY } from "../../../assembly/abi/layout.js";
import type { Bytes } from "../../bytes.js";
import { type Fault, usageError } from "../../errors.js";
import type { AssembledBlock, AssemblerLimits, AssemblerStats, EngineAssembler } from "../contract.js";
import { takeNumbers } from "./frames.js";
import type { Core } from "./instance.js";
import { readFault } from "./reports.js";
import { call, KEPT_BYTES, putContents, stage } from "./staging.js";
import { decode, encodeContents } from "./text.js";

/** What `assembler_choose` says. */
const THERE = 1;
const WHOLE = 2;

/** Frames of many blocks that lie in linear memory. */
export class WasmAssembler implements EngineAssembler {
  readonly core: Core;
  readonly handle: number;
  readonly #onClose: (assembler: WasmAssembler) => void;

  /** @throws StreamfoldError `out_of_memory` */
  constructor(core: Core, limits: AssemblerLimits, onClose: (assembler: WasmAssembler) => void) {
    core.enter();
    const view = new DataView(core.bytes().buffer, core.input, 12);
    view.setUint32(0, limits.groups, true);
    view.setUint32(4, limits.bytes, true);
    view.setUint32(8, limits.frames, true);
    this.core = core;
    this.#onClose = onClose;
    this.handle = call(core, () => core.exports.assembler_open());
    if (!this.handle) throw usageError("out_of_memory");
  }

  push(chunk: Uint8Array, refuse: (fault: Fault) => void): void {
    const { core } = this;
    core.enter();
    let lost = false;
    for (let at = 0; at < chunk.length; at += INPUT_CAPACITY) {
      const window = chunk.subarray(at, at + INPUT_CAPACITY);
      core.putInput(window);
      let code = call(core, () => core.exports.assembler_feed(this.handle, window.length));
      while (code !== 0) {
        // One frame finds no memory; smaller ones may.
        if (code === E_OUT_OF_MEMORY) lost = true;
        else refuse(readFault(core));
        code = call(core, () => core.exports.assembler_continue(this.handle));
      }
    }
    if (lost) throw usageError("out_of_memory");
  }

  add(frame: Uint8Array): Fault | undefined {
    const { core } = this;
    core.enter();
    stage(core, frame);
    const code = call(core, () => core.exports.assembler_add(this.handle, frame.length));
    const fault = code === 0 ? undefined : this.#fault(code);
    if (frame.length > KEPT_BYTES) core.exports.staging_release();
    return fault;
  }

  finish(refuse: (fault: Fault) => void): void {
    this.core.enter();
    const code = call(this.core, () => this.core.exports.assembler_finish(this.handle));
    if (code !== 0) refuse(this.#fault(code));
  }

  list(): AssembledBlock[] {
    const { core } = this;
    core.enter();
    const n = call(core, () => core.exports.assembler_list(this.handle));
    if (n === 0) throw usageError("out_of_memory");
    const from = core.exports.result_pointer() >>> 0;
    const rows = JSON.parse(decode(core.bytes().subarray(from, from + n))) as [
      string,
      number,
      number,
      number,
      number,
    ][];
    if (n > KEPT_BYTES) core.exports.result_release();
    return rows.map(([blockId, frames, total, bytes, whole]) => ({
      blockId,
      frames,
      total,
      bytes,
      whole: whole === 1,
    }));
  }

  numbers(blockId: string): { total: number; numbers: Float64Array } | undefined {
    const { core } = this;
    if (this.choose(blockId) !== THERE) return undefined;
    const n = call(core, () => core.exports.assembler_numbers(this.handle));
    if (n === 0) throw usageError("out_of_memory");
    const taken = takeNumbers(core, n);
    if (n > KEPT_BYTES) core.exports.result_release();
    return taken;
  }

  text(blockId: string): Bytes | undefined {
    const { core } = this;
    if (this.choose(blockId) !== WHOLE) return undefined;
    const from = core.exports.assembler_text(this.handle) >>> 0;
    return core.bytes().slice(from, from + (core.exports.assembler_text_length(this.handle) >>> 0));
  }

  drop(blockId: string): boolean {
    if (this.choose(blockId) === 0) return false;
    call(this.core, () => this.core.exports.assembler_drop(this.handle));
    return true;
  }

  stats(): AssemblerStats {
    this.core.enter();
    const read = (i: number) => this.core.exports.assembler_counter(this.handle, i);
    return { read: read(3), taken: read(4), groups: read(0), frames: read(1), bytes: read(2), memory: read(5) };
  }

  get taken(): number {
    return this.core.exports.assembler_counter(this.handle, 4);
  }

  close(): void {
    this.#onClose(this);
  }

  /** Then the block is the one that the next call is about. */
  isWhole(blockId: string): boolean {
    return this.choose(blockId) === WHOLE;
  }

  private choose(blockId: string): number {
    this.core.enter();
    const n = putContents(this.core, encodeContents(blockId));
    return call(this.core, () => this.core.exports.assembler_choose(this.handle, n));
  }

  /** Out of memory is no fault of the frame's. */
  #fault(code: number): Fault {
    if (code === E_OUT_OF_MEMORY) throw usageError("out_of_memory");
    return readFault(this.core);
  }
}
