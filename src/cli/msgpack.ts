// The little of MessagePack that stands around models, which come written.

/** The head of a map of `n` members. */
export function mapHead(n: number): Uint8Array {
  return head(n, n < 16 ? 0x80 | n : n < 65_536 ? 0xde : 0xdf, n < 16 ? 0 : n < 65_536 ? 2 : 4);
}

/** A string; lone surrogate halves become U+FFFD. */
export function stringOf(text: string): Uint8Array {
  const bytes = Buffer.from(text);
  const n = bytes.length;
  const size = n < 32 ? 0 : n < 256 ? 1 : n < 65_536 ? 2 : 4;
  return Buffer.concat([head(n, n < 32 ? 0xa0 | n : n < 256 ? 0xd9 : n < 65_536 ? 0xda : 0xdb, size), bytes]);
}

function head(n: number, lead: number, size: number): Buffer {
  const bytes = Buffer.alloc(1 + size);
  bytes[0] = lead;
  if (size > 0) bytes.writeUIntBE(n, 1, size);
  return bytes;
}
