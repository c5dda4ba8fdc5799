// The argument text of a call while it streams (docs/semantics-agui.md §11).
import { RUN_LEN, RUN_PTR, bytesClear, bytesReserve } from "../../memory/bytes";
import { chainBytes, chainSlice, chainUnits } from "../../document/index";
import { writeUnits } from "../../codec/json/units";
import { endsWithHighSurrogate } from "../../text/units";
import { C_READ_BYTES, C_READ_HALF, C_READ_UNITS, callsKnown, findCall } from "./calls";
import { argumentsChain } from "./chains";
import { A_GENERATION } from "./state";
import { ITEM_CALL, openItem } from "./track";

/** No message holds such a call. */
export const NO_CALL: i32 = -1;
export const NO_CALL_MEMORY: i32 = -2;

/** Code unit at which the text written last begins. */
export let argumentsFrom: u32 = 0;
/** Changes whenever texts may have been replaced rather than grown. */
export let argumentsGeneration: u32 = 0;
/** The call is not open: no more text is expected. */
export let argumentsComplete: bool = false;

/**
 * Writes the arguments of the call with that id (canonical contents) from code unit `from` on, all of them when `from` lies beyond their end, to
 * the run `out` as a JSON string and returns its bytes; NO_CALL; NO_CALL_MEMORY. What was read up to the end once goes on there at the cost of what
 * is new.
 */
export function argumentText(s: usize, id: usize, n: u32, from: u32, out: usize): i32 {
  bytesClear(out);
  if (!callsKnown(s)) return NO_CALL_MEMORY;
  const c = findCall(s, id, n);
  if (!c) return NO_CALL;
  const chain = argumentsChain(c);
  if (!chain) return NO_CALL_MEMORY;
  const units = chainUnits(chain), bytes = chainBytes(chain), begins: u32 = from <= units ? from : 0;
  const goesOn = begins > 0 && begins == load<u32>(c, C_READ_UNITS), byte: u32 = goesOn ? load<u32>(c, C_READ_BYTES) : 0;
  // a cut character grows from 4 bytes to an escape of 6
  if (!bytesReserve(out, bytes - byte + 40)) return NO_CALL_MEMORY;
  const dst = <usize>load<u32>(out, RUN_PTR), text = dst + 1;
  store<u8>(dst, 0x22);
  const slice = chainSlice(chain, byte, text);
  // a half at the end may become a character: what stays begins before it
  const half: u32 = endsWithHighSurrogate(text, slice) ? 1 : 0;
  const end = dropUnits(text, slice, goesOn ? load<u32>(c, C_READ_HALF) : begins, units - begins);
  store<u8>(end, 0x22);
  const length = <u32>(end + 1 - dst);
  store<u32>(out, length, RUN_LEN);
  store<u32>(c, units, C_READ_UNITS);
  store<u32>(c, bytes - half * 6, C_READ_BYTES);
  store<u32>(c, half, C_READ_HALF);
  argumentsFrom = begins;
  argumentsGeneration = load<u32>(s, A_GENERATION);
  argumentsComplete = openItem(s, ITEM_CALL, id, n) == 0;
  return <i32>length;
}

// Takes the first `skip` code units away, after which `left` are left, in place; returns the new end.
function dropUnits(text: usize, end: usize, skip: u32, left: u32): usize {
  let p = text;
  while (skip) {
    const c = <u32>load<u8>(p);
    if (c >= 0xf0) {
      if (skip == 1) break;
      skip -= 2;
      p += 4;
      continue;
    }
    skip--;
    p += c == 0x5c ? (load<u8>(p, 1) == 0x75 ? 6 : 2) : c < 0x80 ? 1 : c < 0xe0 ? 2 : 3;
  }
  const n = <u32>(end - p);
  if (p != text) memory.copy(text, p, n);
  return skip ? writeUnits(text, text + n, 1, left) : text + n;
}
