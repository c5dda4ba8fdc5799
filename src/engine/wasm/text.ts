const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;
const BACKSLASH = 0x5c;

/** UTF-8 bytes to a string. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Canonical JSON string contents to the string they mean. */
export function decodeContents(bytes: Uint8Array): string {
  const text = decoder.decode(bytes);
  return bytes.includes(BACKSLASH) ? JSON.parse(`"${text}"`) : text;
}

/** A string as canonical JSON string contents (a lone surrogate half becomes an escape). */
export function encodeContents(text: string): Uint8Array {
  return encoder.encode(NEEDS_ESCAPE.test(text) ? JSON.stringify(text).slice(1, -1) : text);
}
