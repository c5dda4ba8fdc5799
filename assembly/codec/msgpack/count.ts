// How many members each container of a text has: MessagePack wants to know before the first one is written.
import { E_NONE, E_OUT_OF_MEMORY, E_TOO_DEEP } from "../../abi/codes";
import { bytesClear, bytesFree, bytesReserve, RUN_CAP, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { bracketBits, equalBits, escapeCarry, escapedBits, prefixXor, resetEscapeCarry } from "../../text/bitmap";
import { skipSpace } from "../../text/trusted";
import { refuseMsgpack } from "./fault";
import { LEVELS, MOST_LEVELS } from "./format";

// One u32 a container, in the order of the opening brackets. The run serves one call at a time and belongs to nobody.
const COUNTS: usize = memory.data(16, 16);
/** A larger run is given back after use. */
const KEPT: u32 = 65536;

let next: usize = 0;

/** Members (pairs) of the container that opens next, in the order of the brackets. */
@inline export function nextCount(): u32 {
  const count = load<u32>(next);
  next += 4;
  return count;
}

/** Counts the members of all containers of the validated text [p, end): E_NONE, E_TOO_DEEP or E_OUT_OF_MEMORY. */
export function countMembers(p: usize, end: usize): u32 {
  const account = setAccount(0), status = count(p, end);
  setAccount(account);
  next = <usize>load<u32>(COUNTS, RUN_PTR);
  return status;
}

/** Gives an unusually large run back. */
export function releaseCounts(): void {
  if (load<u32>(COUNTS, RUN_CAP) > KEPT) trimMsgpack();
}

/** Gives the buffers of this room back. */
export function trimMsgpack(): void {
  const account = setAccount(0);
  bytesFree(COUNTS);
  setAccount(account);
}

// 64 bytes at a time: only brackets and commas outside of strings are looked at.
function count(p: usize, end: usize): u32 {
  bytesClear(COUNTS);
  resetEscapeCarry();
  // offset in the run of the innermost open container; those around it wait in LEVELS
  let depth: u32 = 0, current: u32 = 0, inString: u64 = 0;
  for (; p < end; p += 64) {
    const backslashes = equalBits(p, 0x5c);
    let quotes = equalBits(p, 0x22);
    if (backslashes | escapeCarry) quotes &= ~escapedBits(backslashes);
    const strings = prefixXor(quotes) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    const opens = bracketBits(p, 0x7b) & ~strings;
    let marks = (opens | equalBits(p, 0x2c) | bracketBits(p, 0x7d)) & ~strings;
    if (end - p < 64) marks &= (<u64>1 << <u64>(end - p)) - 1;
    if (opens && !bytesReserve(COUNTS, <u32>popcnt(opens) << 2)) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p);
    const counts = <usize>load<u32>(COUNTS, RUN_PTR);
    for (; marks; marks &= marks - 1) {
      const at = p + <usize>ctz(marks), c = <u32>load<u8>(at);
      if (c == 0x2c) store<u32>(counts + current, load<u32>(counts + current) + 1);
      else if ((c | 0x20) == 0x7b) {
        if (depth >= MOST_LEVELS) return refuseMsgpack(E_TOO_DEEP, 0, at);
        store<u32>(LEVELS + (depth++ << 2), current);
        current = load<u32>(COUNTS, RUN_LEN);
        store<u32>(COUNTS, current + 4, RUN_LEN);
        store<u32>(counts + current, <u32>load<u8>(skipSpace(at + 1)) == c + 2 ? 0 : 1);
      } else current = load<u32>(LEVELS + (--depth << 2));
    }
  }
  return E_NONE;
}
