const strict = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = /* @__PURE__ */ new TextEncoder();

/** Decodes well-formed UTF-8; undefined for ill-formed bytes. A byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Decodes with each maximal ill-formed part as U+FFFD (the HTML standard's rule). */
export function decodeReplacing(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/**
 * Length of the well-formed UTF-8 sequence that begins at `at`, 0 for an ill-formed one (RFC 3629 §4; the end of the bytes cuts).
 */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  if (lead < 0xe0) return lead >= 0xc2 && isContinuation(second) ? 2 : 0;
  const third = bytes[at + 2] ?? 0;
  if (lead < 0xf0) {
    const low = lead === 0xe0 ? 0xa0 : 0x80;
    const high = lead === 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && isContinuation(third) ? 3 : 0;
  }
  const low = lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xf4 ? 0x8f : 0xbf;
  return lead < 0xf5 && second >= low && second <= high && isContinuation(third) && isContinuation(bytes[at + 3] ?? 0)
    ? 4
    : 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
