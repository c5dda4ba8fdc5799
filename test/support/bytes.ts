const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** UTF-8 bytes of a well-formed string. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of well-formed UTF-8; throws for anything else. */
export function text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** One byte per code unit, so that a test can write ill-formed UTF-8 as `"\xff"`. */
export function latin1(string: string): Uint8Array {
  return Uint8Array.from(string, (c) => c.charCodeAt(0));
}

/** The UTF-8 bytes of a text, one code unit each; what `latin1` reads. */
export function latin1Of(text: string): string {
  return Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join("");
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
