// Open JSON to google.protobuf.Value, Struct and ListValue; iterative.
import { LOSS_NUMBER } from "../../abi/codes";
import { bytesClear, bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { losesDigits } from "../../text/decimal-loss";
import { readDouble } from "../../text/double-read";
import { stringEnd } from "../../text/scan";
import { skipScalar } from "../../text/trusted";
import { closeLength, openLength, putContents, putFixed64, putVarint } from "./bytes-out";
import { lose } from "./loss";
import { PROTOBUF_NO_MEMORY, fail } from "./wire";

// Open container, 16 B: 0 its own length | 4 length of the Value it is | 8 length of the entry that holds it, 0 = none | 12 1 = object
// A root Struct is no Value: its second length is 0.
const CONTAINER: u32 = 16;
const open: usize = memory.data(16, 16);

/** Gives the memory back. */
export function writerValuesFree(): void { bytesFree(open); }

/** Writes the canonical value at `p` as a field that holds a Value. False = out of memory. */
export function writeValue(tag: u32, p: usize): bool {
  bytesClear(open);
  return putVarint(tag) && writeFrom(p, 0);
}

/** Writes the canonical object at `p` as a field that holds a Struct. False = out of memory. */
export function writeStruct(tag: u32, p: usize): bool {
  bytesClear(open);
  if (!putVarint(tag)) return false;
  const length = openLength();
  return length != 0 && push(length, 0, 0, true) && writeOpen(p + 1);
}

function push(own: u32, value: u32, entry: u32, isObject: bool): bool {
  const length = load<u32>(open, RUN_LEN);
  if (!bytesReserve(open, CONTAINER)) return fail(PROTOBUF_NO_MEMORY, 0);
  const c = <usize>load<u32>(open, RUN_PTR) + length;
  store<u32>(open, length + CONTAINER, RUN_LEN);
  store<u32>(c, own);
  store<u32>(c, value, 4);
  store<u32>(c, entry, 8);
  store<u32>(c, isObject, 12);
  return true;
}

/** Where `writeOne` has stopped: behind a scalar, behind the bracket of a container that it has opened. */
let stopped: usize = 0;

// The tag of the Value has been written.
function writeFrom(p: usize, entry: u32): bool {
  return writeOne(p, entry) && writeOpen(stopped);
}

// Writes one value: a scalar whole, of a container the opening.
function writeOne(p: usize, entry: u32): bool {
  const value = openLength(), c = <u32>load<u8>(p);
  if (!value) return false;
  if ((c | 0x20) == 0x7b) {
    const isObject = c == 0x7b;
    if (!putVarint(isObject ? 0x2a : 0x32)) return false;
    const own = openLength();
    stopped = p + 1;
    return own != 0 && push(own, value, entry, isObject);
  }
  if (c == 0x22) {
    const end = stringEnd(p + 1);
    if (!putVarint(0x1a) || !putContents(p + 1, end)) return false;
    stopped = end + 1;
  } else {
    stopped = skipScalar(p);
    if (c == 0x6e) { if (!putVarint(0x08) || !putVarint(0)) return false; }
    else if (c == 0x74 || c == 0x66) { if (!putVarint(0x20) || !putVarint(c == 0x74 ? 1 : 0)) return false; }
    else {
      const bits = reinterpret<u64>(readDouble(p, stopped));
      // readers show -0 as 0
      if (losesDigits(reinterpret<f64>(bits)) || bits == 0x8000000000000000) lose(LOSS_NUMBER);
      if (!putVarint(0x11) || !putFixed64(bits)) return false;
    }
  }
  closeLength(value);
  if (entry) closeLength(entry);
  return true;
}

// Goes on behind a bracket or a value until no container is open.
function writeOpen(p: usize): bool {
  while (load<u32>(open, RUN_LEN)) {
    const c = <usize>load<u32>(open, RUN_PTR) + load<u32>(open, RUN_LEN) - CONTAINER, next = <u32>load<u8>(p);
    if ((next | 0x20) == 0x7d) {
      closeLength(load<u32>(c));
      if (load<u32>(c, 4)) closeLength(load<u32>(c, 4));
      if (load<u32>(c, 8)) closeLength(load<u32>(c, 8));
      store<u32>(open, load<u32>(open, RUN_LEN) - CONTAINER, RUN_LEN);
      p++;
      continue;
    }
    if (next == 0x2c) p++;
    if (!putVarint(0x0a)) return false;
    let entry: u32 = 0;
    if (load<u32>(c, 12)) {
      entry = openLength();
      if (!entry) return false;
      const end = stringEnd(p + 1);
      if (end > p + 1 && (!putVarint(0x0a) || !putContents(p + 1, end))) return false;
      if (!putVarint(0x12)) return false;
      p = end + 2;
    }
    if (!writeOne(p, entry)) return false;
    p = stopped;
  }
  return true;
}
