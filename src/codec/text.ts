const strict = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = /* @__PURE__ */ new TextEncoder();

/** Up to here characters are put together one by one: a call of the decoder costs as much. */
const SHORT = 24;

/** Strings that were read last, in places by some of their bytes: messages of one wire have mostly the same names, ids and kinds. */
const known: string[] = /* @__PURE__ */ new Array(512).fill("");

/**
 * The text of the UTF-8 bytes [from, to); undefined when they are ill-formed.
 *
 * A short one that comes again is the same string again: it costs nothing, and V8 finds a member by it without looking at its characters.
 */
export function decodeText(bytes: Uint8Array, from: number, to: number): string | undefined {
  const size = to - from;
  if (size > SHORT) return decodeUtf8(bytes.subarray(from, to));
  if (size === 0) return "";
  const place = (bytes[from]! * 7 + bytes[to - 1]! * 31 + bytes[from + (size >> 1)]! * 3 + size * 17) % known.length;
  const last = known[place]!;
  if (last.length === size) {
    let i = 0;
    while (i < size && last.charCodeAt(i) === bytes[from + i]) i++;
    if (i === size) return last;
  }
  let text = "";
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x80) return decodeUtf8(bytes.subarray(from, to));
    text += String.fromCharCode(byte);
  }
  known[place] = text;
  return text;
}

/** Decodes well-formed UTF-8; undefined for ill-formed bytes. A byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The text of the bytes [from, to) with each maximal ill-formed part as U+FFFD (WHATWG Encoding). */
export function decodeReplacing(bytes: Uint8Array, from = 0, to = bytes.length): string {
  return lenient.decode(bytes.subarray(from, to));
}

/** UTF-8 of a text; lone halves of pairs become U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Where the first ill-formed sequence of the bytes [from, to) begins, which are known to hold one. */
export function illFormedAt(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (;;) {
    const length = sequenceLength(bytes, at, to);
    if (length === 0) return at;
    at += length;
  }
}

/** Length of the well-formed UTF-8 sequence that begins at `at`, 0 for an ill-formed one, which one that `to` cuts is (RFC 3629 §4; Unicode, table 3-7). */
export function sequenceLength(bytes: Uint8Array, at: number, to = bytes.length): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  const length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > to) return 0;
  for (let i = 1; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1]!;
  if (lead === 0xe0 ? second < 0xa0 : lead === 0xed ? second > 0x9f : false) return 0;
  return lead === 0xf0 ? (second < 0x90 ? 0 : 4) : lead === 0xf4 && second > 0x8f ? 0 : length;
}
