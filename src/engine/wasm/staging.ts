import { FEED_NO_MEMORY, INPUT_CAPACITY } from "../../../assembly/abi/layout.js";
import { usageError } from "../../errors.js";
import type { Core } from "./instance.js";

/** Results and staging areas above this size are given back after use. */
export const KEPT_BYTES = 1024 * 1024;

/** Calls into the core; a trap ends the engine. */
export function call<T>(core: Core, use: () => T): T {
  try {
    return use();
  } catch (error) {
    return core.fail(error);
  }
}

/**
 * FEED_ state of a session after a feeding call.
 *
 * @throws StreamfoldError `out_of_memory`, `applied` being the events accepted
 */
export function stateAfter(core: Core, handle: number, accepted: number): number {
  const state = core.exports.session_state(handle);
  if (state !== FEED_NO_MEMORY) return state;
  const error = usageError("out_of_memory");
  error.applied = accepted;
  throw error;
}

/** Gives a staging area that was unusually large back. */
export function unstage(core: Core, n: number): void {
  if (n > KEPT_BYTES) core.exports.staging_release();
}

/** Copies bytes into the staging area. Their own idea of their length is not trusted. */
export function stage(core: Core, bytes: Uint8Array): void {
  const at = call(core, () => core.exports.staging_reserve(bytes.length)) >>> 0;
  if (!at) throw usageError("out_of_memory");
  try {
    core
      .bytes()
      .subarray(at, at + bytes.length)
      .set(bytes);
  } catch {
    throw usageError("bad_argument", "the bytes do not have the length they say");
  }
}

/** Puts ids, as canonical string contents, where the next call that names one reads them; returns their length. */
export function putContents(core: Core, contents: Uint8Array): number {
  if (contents.length === 0) return 0;
  let at = core.input;
  if (contents.length > INPUT_CAPACITY) {
    at = call(core, () => core.exports.id_reserve(contents.length)) >>> 0;
    if (!at) throw usageError("out_of_memory");
  }
  core.bytes().set(contents, at);
  return contents.length;
}

/** The length of a result; -2, which says that there was no memory for it, is thrown. */
export function expectResult(n: number): number {
  if (n === -2) throw usageError("out_of_memory");
  return n;
}

/** Reads the `n` bytes of the result (-2 is thrown); a large one is given back. */
export function takeResult<T>(core: Core, n: number, read: (view: Uint8Array) => T): T {
  expectResult(n);
  const from = core.exports.result_pointer() >>> 0;
  const value = read(core.bytes().subarray(from, from + n));
  if (n > KEPT_BYTES) core.exports.result_release();
  return value;
}
