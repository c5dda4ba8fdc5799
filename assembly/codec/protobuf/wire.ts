// The protobuf wire: varints, tags, and what is skipped. Bounds are checked, so nothing has to stand behind the bytes.

/** What a read or a write came to. */
export const PROTOBUF_OK: u32 = 0;
/** The frame holds no event that is known, but ones that later versions may know (AG-UI: dropped with a warning). */
export const PROTOBUF_UNKNOWN: u32 = 1;
/** The bytes cannot be read: `faultAt`. */
export const PROTOBUF_MALFORMED: u32 = 2;
/** Nested deeper than the limit: `faultAt`. */
export const PROTOBUF_TOO_DEEP: u32 = 3;
export const PROTOBUF_NO_MEMORY: u32 = 4;
/** Writing: a member has a value that its field cannot carry: `faultAt`. */
export const PROTOBUF_UNFIT: u32 = 5;

/** The status of the call under way. */
export let status: u32 = PROTOBUF_OK;
/** Address of the fault: the tag of the field that cannot be read, the message that contradicts itself; writing: the value. */
export let faultAt: usize = 0;

export function begin(): void { status = PROTOBUF_OK; faultAt = 0; }

/** Notes a fault; the first one counts. Always false, so that it can be returned. */
export function fail(as: u32, p: usize): bool {
  if (status == PROTOBUF_OK) { status = as; faultAt = p; }
  return false;
}

/** Nested groups that are followed; deeper ones are malformed. */
const DEEPEST_GROUP: u32 = 100;
const groups: usize = memory.data(400, 16);

export const WIRE_VARINT: u32 = 0, WIRE_64: u32 = 1, WIRE_LENGTH: u32 = 2, WIRE_GROUP: u32 = 3, WIRE_END: u32 = 4, WIRE_32: u32 = 5;

/** The varint that was read last. */
export let varint: u64 = 0;

/** Reads a varint of at most 64 bits; the address behind it, 0 = it does not end before `end` or is wider. */
export function readVarint(p: usize, end: usize): usize {
  let value: u64 = 0, shift: u64 = 0;
  while (p < end) {
    const c = <u64>load<u8>(p++);
    // the tenth byte has one bit left
    if (shift == 63 && c > 1) return 0;
    value |= (c & 127) << shift;
    if (c < 128) { varint = value; return p; }
    shift += 7;
  }
  return 0;
}

/** `readVarint` for tags and lengths: at most five bytes, 32 bits. */
export function readVarint32(p: usize, end: usize): usize {
  const q = readVarint(p, end < p + 5 ? end : p + 5);
  return q && varint <= 0xffffffff ? q : 0;
}

/** `readVarint32` with the one byte of common tags in line. */
@inline export function readTag(p: usize, end: usize): usize {
  if (p < end && load<u8>(p) < 0x80) { varint = load<u8>(p); return p + 1; }
  return readVarint32(p, end);
}

/** Reads the length at `p` into `varint`; the address of the payload, 0 = it does not lie before `end`. */
@inline export function readLength(p: usize, end: usize): usize {
  if (p < end && load<u8>(p) < 0x80) { varint = load<u8>(p); p++; }
  else { p = readVarint32(p, end); if (!p) return 0; }
  return <u64>(end - p) >= varint ? p : 0;
}

/** Behind the field whose tag was read and whose value begins at `p`; 0 = there is no such value before `end`. */
export function skipField(p: usize, end: usize, tag: u32): usize {
  const wire = tag & 7;
  if (wire == WIRE_LENGTH) { p = readLength(p, end); return p ? p + <usize>varint : 0; }
  if (wire == WIRE_VARINT) return readVarint(p, end);
  if (wire == WIRE_64) return end - p >= 8 ? p + 8 : 0;
  if (wire == WIRE_32) return end - p >= 4 ? p + 4 : 0;
  return wire == WIRE_GROUP ? skipGroup(p, end, tag >> 3) : 0;
}

function skipGroup(p: usize, end: usize, number: u32): usize {
  let depth: u32 = 1;
  store<u32>(groups, number);
  while (depth) {
    p = readVarint32(p, end);
    if (!p || varint < 8) return 0;
    const tag = <u32>varint;
    if ((tag & 7) == WIRE_GROUP) {
      if (depth == DEEPEST_GROUP) return 0;
      store<u32>(groups + (depth++ << 2), tag >> 3);
    } else if ((tag & 7) == WIRE_END) {
      if (load<u32>(groups + (--depth << 2)) != tag >> 3) return 0;
    } else {
      p = skipField(p, end, tag);
      if (!p) return 0;
    }
  }
  return p;
}
