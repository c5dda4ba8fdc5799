import { INPUT_CAPACITY } from "../../../assembly/abi/layout.js";
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
