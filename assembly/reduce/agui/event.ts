// One validating pass over an AG-UI event: its top-level members as spans by `F_` id. A clean event (compact, shortest escapes) stays
// where it lies; any other is brought to canonical form in place and read again.
import { F_COUNT } from "../../abi/agui";
import { canonicalize } from "../../text/minify";
import { HAS_LOOSE_ESCAPE, scanFlags, scanStringShort, setScanFlags, stringEnd } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { longNumberAt, noteSpace, resetValidate, skipValueAt, valueDirty } from "../../text/validate";
import { nameId } from "./schema";

// Slot, 8 B, for each F_ id: 0 start | 4 end of the value (strings with their quotes); good while its bit is in slotsPresent
const SLOTS: usize = memory.data(39 * 8, 16);

/** Bits by `F_` id: members the event has, and those of them that hold strings. */
export let slotsPresent: u64 = 0;
export let slotsWithStrings: u64 = 0;
/** A member that no event of the protocol has, or one that stands there twice. */
export let eventIsIrregular: bool = false;
/** The event's text, canonical from `canonicalEvent` on. */
export let eventText: usize = 0;
export let eventTextEnd: usize = 0;
/** `AG_` id of the event's type once it is enforced. */
export let wireType: u32 = 0;
/** First number longer than the limit, 0 = none; good until the text is brought to canonical form. */
export let eventLongNumber: usize = 0;
/** The text was brought to canonical form in place: it is not the wire's bytes any more. */
export let eventRewritten: bool = false;

/** Start of the value of the member with that `F_` id, 0 = the event has none. */
@inline export function slotStart(f: u32): usize { return slotsPresent >> <u64>f & 1 ? <usize>load<u32>(SLOTS + (f << 3)) : 0; }
/** Address behind that value, 0 = the event has none. */
@inline export function slotEnd(f: u32): usize { return slotsPresent >> <u64>f & 1 ? <usize>load<u32>(SLOTS + (f << 3), 4) : 0; }

/** Says of which type the event is. */
export function setWireType(type: u32): void { wireType = type; }

@inline function noteSlot(f: u32, start: usize, end: usize): void {
  if (f >= <u32>F_COUNT) { eventIsIrregular = true; return; }
  const bit: u64 = 1 << <u64>f;
  if (slotsPresent & bit) eventIsIrregular = true;
  slotsPresent |= bit;
  slotsWithStrings = load<u8>(start) == 0x22 ? slotsWithStrings | bit : slotsWithStrings & ~bit;
  store<u32>(SLOTS + (f << 3), <u32>start);
  store<u32>(SLOTS + (f << 3), <u32>end, 4);
}

function begin(p: usize): void {
  slotsPresent = 0;
  slotsWithStrings = 0;
  eventIsIrregular = false;
  eventText = p;
}

@inline function skipBlank(p: usize, lineMode: bool): usize { return load<u8>(p) > 0x20 ? p : skipBlankSlow(p, lineMode); }

// In line mode LF and CR end the line that holds the text, so they are no white space.
function skipBlankSlow(p: usize, lineMode: bool): usize {
  while (true) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x09 && (lineMode || (c != 0x0a && c != 0x0d))) return p;
    noteSpace();
    p++;
  }
}

/**
 * Reads the event at `p` (its opening brace). Returns the address behind it, or 0 where the text is not one well-formed object within
 * the limits. `lineMode`: the text stands on one line, a line end is not white space. `canonicalEvent` has to follow.
 */
export function readEvent(p: usize, lineMode: bool): usize {
  begin(p);
  eventRewritten = false;
  resetValidate();
  p = skipBlank(p + 1, lineMode);
  if (load<u8>(p) == 0x7d) return finish(p + 1);
  let loose: u32 = 0;
  while (true) {
    if (load<u8>(p) != 0x22) return 0;
    setScanFlags(0);
    const key = p + 1;
    p = scanStringShort(key);
    if (!p) return 0;
    const n = <u32>(p - key);
    p = skipBlank(p + 1, lineMode);
    if (load<u8>(p) != 0x3a) return 0;
    p = skipBlank(p + 1, lineMode);
    const start = p;
    if (load<u8>(p) == 0x22) {
      p = scanStringShort(p + 1);
      if (!p) return 0;
      p++;
    } else {
      p = skipValueAt(p, lineMode, 1);
      if (!p) return 0;
    }
    loose |= scanFlags;
    noteSlot(nameId(key, n), start, p);
    p = skipBlank(p, lineMode);
    const c = load<u8>(p);
    if (c == 0x2c) { p = skipBlank(p + 1, lineMode); continue; }
    if (c != 0x7d) return 0;
    if (loose & HAS_LOOSE_ESCAPE) noteSpace();
    return finish(p + 1);
  }
  return 0;
}

function finish(p: usize): usize {
  eventTextEnd = p;
  eventLongNumber = longNumberAt;
  return p;
}

/** Brings the event that was read to canonical form, in place; spans and `eventTextEnd` are those of the new text. */
export function canonicalEvent(): void {
  if (!valueDirty) return;
  const start = eventText, end = canonicalize(start, start);
  noteEvent(start, end);
  eventRewritten = true;
}

/** `readEvent` for the text [p, end) of an object that a codec of ours has written: canonical, and within the limits. */
export function trustEvent(p: usize, end: usize): void {
  eventRewritten = false;
  resetValidate();
  eventLongNumber = 0;
  noteEvent(p, end);
}

/** Takes canonical text [p, end) for the event: notes its members without judging the text. */
export function noteEvent(p: usize, end: usize): void {
  begin(p);
  eventTextEnd = end;
  if (load<u8>(++p) == 0x7d) return;
  while (true) {
    const key = p + 1, keyEnd = stringEnd(key), start = keyEnd + 2;
    p = skipTrusted(start);
    noteSlot(nameId(key, <u32>(keyEnd - key)), start, p);
    if (load<u8>(p++) == 0x7d) return;
  }
}
