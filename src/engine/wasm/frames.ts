import { E_MISSING_FRAMES, E_OUT_OF_MEMORY } from "../../../assembly/abi/codes.js";
import type { Bytes } from "../../bytes.js";
import { type Fault, usageError } from "../../errors.js";
import { missingText } from "../../json/ranges.js";
import type { LeastBudget } from "../contract.js";
import type { Core } from "./instance.js";
import { readFault } from "./reports.js";
import { call, KEPT_BYTES, putContents, stage } from "./staging.js";
import { encodeContents } from "./text.js";

/** What `frame_plan` says instead of a number of frames. */
const NEEDS_ID = 0;
const BUDGET_TOO_SMALL = -1;
const NO_MEMORY = -2;

/** See `EngineCore.frameBlock`. What gives the ids must not use the core. */
export function frameBlock(
  core: Core,
  block: Uint8Array,
  maxBytes: number,
  ids: string | ((seq: number) => string),
): Bytes | LeastBudget | Fault {
  const { exports } = core;
  core.enter();
  stage(core, block);
  try {
    const code = call(core, () => exports.frame_open(block.length, maxBytes));
    if (code !== 0) return faultOf(core, code);
    let number = 0;
    if (typeof ids === "string") giveId(core, ids, true);
    let count: number;
    for (;;) {
      count = call(core, () => exports.frame_plan());
      if (count !== NEEDS_ID) break;
      giveId(core, (ids as (seq: number) => string)(number++), false);
    }
    if (count === NO_MEMORY) throw usageError("out_of_memory");
    return count === BUDGET_TOO_SMALL ? { least: exports.frame_size() } : written(core);
  } finally {
    if (block.length > KEPT_BYTES && core.isAlive) exports.staging_release();
  }
}

function giveId(core: Core, id: string, isPrefix: boolean): void {
  const n = putContents(core, encodeContents(id));
  if (call(core, () => core.exports.frame_id(n, isPrefix ? 1 : 0))) throw usageError("out_of_memory");
}

/** Takes the frames out of linear memory, window by window. */
function written(core: Core): Bytes {
  const { exports } = core;
  const out = roomFor(exports.frame_size());
  for (let at = 0; ; ) {
    const n = call(core, () => exports.frame_write());
    if (n === 0) return out;
    const from = exports.result_pointer() >>> 0;
    out.set(core.bytes().subarray(from, from + n), at);
    at += n;
  }
}

function roomFor(bytes: number): Bytes {
  try {
    return new Uint8Array(bytes);
  } catch {
    throw usageError("out_of_memory");
  }
}

/** See `EngineCore.unframe`. */
export function unframe(core: Core, frames: Uint8Array): Bytes | Fault {
  const { frame_join, frame_text, frame_text_length } = core.exports;
  return restored(core, frames, frame_join, frame_text, frame_text_length);
}

/** See `EngineCore.resolveFrames`. */
export function resolveFrames(core: Core, model: Uint8Array): Bytes | Fault {
  const { frame_resolve, result_pointer, frame_resolved_length } = core.exports;
  return restored(core, model, frame_resolve, result_pointer, frame_resolved_length);
}

/**
 * Gives the core what holds frames, and takes what it makes of them.
 *
 * @param join says with an `E_` id how it went
 * @param from where the result is
 * @param length and how long
 */
function restored(
  core: Core,
  input: Uint8Array,
  join: (n: number) => number,
  from: () => number,
  length: () => number,
): Bytes | Fault {
  const { exports } = core;
  core.enter();
  stage(core, input);
  try {
    const code = call(core, () => join(input.length));
    if (code !== 0) return faultOf(core, code);
    const start = from() >>> 0;
    return core.bytes().slice(start, start + (length() >>> 0));
  } finally {
    if (input.length > KEPT_BYTES && core.isAlive) {
      exports.staging_release();
      exports.result_release();
    }
  }
}

function faultOf(core: Core, code: number): Fault {
  if (code === E_OUT_OF_MEMORY) throw usageError("out_of_memory");
  const fault = readFault(core);
  if (code !== E_MISSING_FRAMES) return fault;
  const { total, numbers } = takeNumbers(core, core.exports.frame_size());
  return { ...fault, detail: missingText(total, numbers) };
}

/** The total of a group and the numbers of its frames, `n` bytes of the result. */
export function takeNumbers(core: Core, n: number): { total: number; numbers: Float64Array } {
  const from = core.exports.result_pointer() >>> 0;
  const all = new Float64Array(core.bytes().slice(from, from + n).buffer);
  return { total: all[0]!, numbers: all.subarray(1) };
}
