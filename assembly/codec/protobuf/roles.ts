// Which carrier holds the content of a message is a fact of its role.

/** A role that is not known: whichever single carrier is there counts. */
export const CARRIER_ANY: u32 = 0;
/** A string. */
export const CARRIER_TEXT: u32 = 1;
/** A string or a list of parts. */
export const CARRIER_PARTS: u32 = 2;
/** An object. */
export const CARRIER_ACTIVITY: u32 = 3;

// "user" "tool" "activity" "developer" "system" "assistant" "reasoning", by their first eight bytes and length
/** Carrier of the role whose name is [p, p + n); reads up to eight bytes. */
export function carrierOf(p: usize, n: u32): u32 {
  if (n == 4) {
    const word = load<u32>(p);
    return word == 0x72657375 || word == 0x6c6f6f74 ? CARRIER_PARTS : CARRIER_ANY;
  }
  if (n == 6) return load<u32>(p) == 0x74737973 && load<u16>(p, 4) == 0x6d65 ? CARRIER_TEXT : CARRIER_ANY;
  if (n != 8 && n != 9) return CARRIER_ANY;
  const word = load<u64>(p);
  if (n == 8) return word == 0x7974697669746361 ? CARRIER_ACTIVITY : CARRIER_ANY;
  const last = load<u8>(p, 8);
  if (word == 0x65706f6c65766564) return last == 0x72 ? CARRIER_TEXT : CARRIER_ANY;
  if (word == 0x6e61747369737361) return last == 0x74 ? CARRIER_TEXT : CARRIER_ANY;
  return word == 0x6e696e6f73616572 && last == 0x67 ? CARRIER_TEXT : CARRIER_ANY;
}
