// The text of a new message or call, put together from pieces and values of the event.
import { RUN_PTR, bytesClear } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { documentFree, documentNew, documentSetText } from "../../document/index";
import { eventSlotEnd, eventSlotStart } from "./expansion";
import { SCRATCH_MODEL, scratchReserve } from "../scratch";

/** Room for all pieces of one message and one call. */
const PIECES: u32 = 256;

let at: usize = 0;

/** Begins a text whose values take at most `n` bytes; false = out of memory. */
export function compose(n: u32): bool {
  bytesClear(SCRATCH_MODEL);
  if (!scratchReserve(SCRATCH_MODEL, n + PIECES)) return false;
  at = load<u32>(SCRATCH_MODEL, RUN_PTR);
  return true;
}

/** Adds `n` bytes. */
@inline export function put(p: usize, n: u32): void {
  copyForward(at, p, n);
  at += n;
}

/** Adds one byte. */
@inline export function putByte(c: u32): void { store<u8>(at++, <u8>c); }

/** Bytes of a member of the selected event, 0 where it is absent. */
@inline export function slotLength(f: u32): u32 { return eventSlotStart(f) ? <u32>(eventSlotEnd(f) - eventSlotStart(f)) : 0; }

/** Adds a key piece of `n` bytes and the selected event's member as its value, where the event has it. */
export function putSlot(piece: usize, n: u32, f: u32): void {
  if (!eventSlotStart(f)) return;
  put(piece, n);
  put(eventSlotStart(f), slotLength(f));
}

/** The text so far. */
export function composed(): usize { return load<u32>(SCRATCH_MODEL, RUN_PTR); }
export function composedLength(): u32 { return <u32>(at - composed()); }

/** A document of canonical text; 0 = out of memory. */
export function newDocument(p: usize, n: u32): usize {
  const d = documentNew();
  if (!d || documentSetText(d, p, n)) return d;
  documentFree(d);
  return 0;
}
