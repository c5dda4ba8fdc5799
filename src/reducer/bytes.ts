import { describe } from "../arguments.js";
import { usageError } from "../errors.js";
import { isWellFormed } from "../json/text.js";

const encoder = /* @__PURE__ */ new TextEncoder();

/** Whether `value` is an ArrayBuffer, a SharedArrayBuffer or a view of one, of any realm. */
export function isBufferSource(value: unknown): value is ArrayBuffer | ArrayBufferView {
  if (ArrayBuffer.isView(value)) return true;
  let tag: string;
  try {
    tag = Object.prototype.toString.call(value);
  } catch {
    // A proxy that was revoked, or whose trap throws.
    return false;
  }
  return tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]";
}

/**
 * The bytes of a buffer or view, not copied, as a plain Uint8Array: subclasses may tell anything of themselves. A plain SharedArrayBuffer is
 * copied, since others may write to it.
 *
 * @param hint what to use instead, for a caller who passed something else
 * @throws StreamfoldError `bad_argument` for anything that holds no bytes, or whose bytes cannot be had (a buffer that was transferred)
 */
export function toBytes(value: unknown, hint: string): Uint8Array {
  try {
    if (ArrayBuffer.isView(value)) {
      if (Object.getPrototypeOf(value) === Uint8Array.prototype) return value as Uint8Array;
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    }
    if (isBufferSource(value)) {
      const bytes = new Uint8Array(value as ArrayBuffer);
      return value instanceof ArrayBuffer ? bytes : bytes.slice();
    }
  } catch {}
  throw usageError("bad_argument", `expected an ArrayBuffer or a view of one, not ${describe(value)}; ${hint}`);
}

/**
 * UTF-8 of a text. A lone surrogate half has no UTF-8 form: it becomes the byte 0xFF, so that the text is judged `invalid_utf8`
 * at that place (or replaced) instead of being changed in silence.
 */
export function encodeText(text: string): Uint8Array {
  const bytes = encoder.encode(text);
  if (isWellFormed(text)) return bytes;
  const parts = text.split(/(\p{Surrogate})/u);
  const out: number[] = [];
  parts.forEach((part, index) => {
    if (index % 2 === 1) out.push(0xff);
    else for (const byte of encoder.encode(part)) out.push(byte);
  });
  return Uint8Array.from(out);
}
