// Protobuf bytes on their way into a run. A nested message is written behind a gap that takes its length when it ends; at the end one pass closes
// the gaps to the bytes that the lengths need, so nesting costs no copies of its own.
import { LOSS_SURROGATE } from "../../abi/codes";
import { bytesClear, bytesFree, bytesReserve, RUN_CAP, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyExact } from "../../memory/copy";
import { unescape } from "../../text/escape";
import { replaceHalves } from "../../text/replace-utf8";
import { findByte } from "../../text/scan";
import { lose } from "./loss";
import { PROTOBUF_NO_MEMORY, fail } from "./wire";

/** Bytes of a gap: any length of 32 bits. It holds the length as a u32 until it is closed. */
const GAP: u32 = 5;
/** Offsets of the gaps, u32 each, in the order of the bytes. */
const gaps: usize = memory.data(16, 16);

let run: usize = 0;
let d: usize = 0;
let limit: usize = 0;
let begun: u32 = 0;
/** Bytes that closing the gaps filled so far will save. */
let saved: u32 = 0;

@inline function base(): usize { return <usize>load<u32>(run, RUN_PTR); }

/** Begins a message behind what the run holds. */
export function bytesBegin(out: usize): void {
  run = out;
  begun = load<u32>(run, RUN_LEN);
  d = base() + begun;
  limit = base() + load<u32>(run, RUN_CAP);
  saved = 0;
  bytesClear(gaps);
}

/** Takes the message back. */
export function bytesCancel(): void { store<u32>(run, begun, RUN_LEN); }

/** Gives the memory of the list of gaps back. */
export function gapsFree(): void { bytesFree(gaps); }

@inline function room(n: u32): bool { return limit - d >= <usize>n || grow(n); }

function grow(n: u32): bool {
  store<u32>(run, <u32>(d - base()), RUN_LEN);
  if (!bytesReserve(run, n)) return fail(PROTOBUF_NO_MEMORY, 0);
  d = base() + load<u32>(run, RUN_LEN);
  limit = base() + load<u32>(run, RUN_CAP);
  return true;
}

/** Bytes of a varint. */
@inline export function varintSize(n: u64): u32 { return (70 - <u32>clz<u64>(n | 1)) / 7; }

/** Stores a varint; the address behind it. */
export function storeVarint(at: usize, value: u64): usize {
  while (value > 127) {
    store<u8>(at++, <u8>value | 0x80);
    value >>= 7;
  }
  store<u8>(at, <u8>value);
  return at + 1;
}

/** Appends a varint: a tag, a number of two's complement. */
export function putVarint(value: u64): bool {
  if (!room(10)) return false;
  d = storeVarint(d, value);
  return true;
}

/** Appends eight bytes. */
export function putFixed64(bits: u64): bool {
  if (!room(8)) return false;
  store<u64>(d, bits);
  d += 8;
  return true;
}

/** Begins what a length counts; the answer is for `closeLength`. 0 = out of memory. */
export function openLength(): u32 {
  const length = load<u32>(gaps, RUN_LEN);
  if (!room(GAP) || !bytesReserve(gaps, 4)) { fail(PROTOBUF_NO_MEMORY, 0); return 0; }
  const at = <u32>(d - base());
  store<u32>(gaps, length + 4, RUN_LEN);
  store<u32>(<usize>load<u32>(gaps, RUN_PTR) + length, at);
  store<u32>(d, saved);
  d += GAP;
  return at + 1;
}

/** Ends it. */
export function closeLength(open: u32): void {
  const at = base() + open - 1, length = <u32>(d - at) - GAP - (saved - load<u32>(at));
  store<u32>(at, length);
  saved += GAP - varintSize(length);
}

/** Appends the contents [p, end) of a canonical JSON string as a length and UTF-8; lone halves of characters become U+FFFD. */
export function putContents(p: usize, end: usize): bool {
  const n = <u32>(end - p);
  if (!room(n + GAP + 16)) return false;
  if (!findByte(p, end, 0x5c)) {
    d = storeVarint(d, n);
    copyExact(d, p, n);
    d += n;
    return true;
  }
  const at = d + GAP, stop = unescape(p, end, at), length = <u32>(stop - at);
  if (replaceHalves(at, stop)) lose(LOSS_SURROGATE);
  d = storeVarint(d, length);
  memory.copy(d, at, length);
  d += length;
  return true;
}

/** Longer moves are left to the machine: of a few bytes each takes as long as writing them. */
const SHORT_MOVE: u32 = 128;

// Moves bytes to a lower address, which may be less than a word away; nothing behind them is written.
@inline function moveDown(to: usize, from: usize, n: u32): void {
  if (n > SHORT_MOVE) { memory.copy(to, from, n); return; }
  const end = to + n;
  for (; to + 8 <= end; to += 8, from += 8) store<u64>(to, load<u64>(from));
  for (; to < end; to++, from++) store<u8>(to, load<u8>(from));
}

/** Ends the message: closes all gaps. */
export function bytesEnd(): void {
  const list = <usize>load<u32>(gaps, RUN_PTR), count = load<u32>(gaps, RUN_LEN);
  if (count) {
    let to = base() + load<u32>(list);
    for (let i: u32 = 0; i < count; i += 4) {
      const at = base() + load<u32>(list + i), from = at + GAP;
      const stop = i + 4 < count ? base() + load<u32>(list + i + 4) : d;
      to = storeVarint(to, load<u32>(at));
      moveDown(to, from, <u32>(stop - from));
      to += stop - from;
    }
    d = to;
  }
  store<u32>(run, <u32>(d - base()), RUN_LEN);
}
