// What a patch comes to: whole fields that are set to what is there now (docs/adapter.md §5).
import { equalBytes } from "../../memory/copy";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { containerNode, memberSlot, slotSpan } from "../../document/index";
import { fromLengthOf, fromOf, OP_MOVE, operationAt, operationCount, opOf, pathLengthOf, pathOf } from "../../patch/operations";
import { readToken, tokenAt, tokenLength } from "../../patch/pointer";
import { hasChanged } from "../../reduce/agui/patch-changes";
import { lackMemory, put, putByte, putSlot } from "./compose";

/** A patch with more pointers sets the whole. */
const MOST: u32 = 64;

// Target, 8 B: 0 the part of a pointer that names it ptr | 4 its length
const TARGETS: usize = memory.data(64 * 8, 8);
let count: u32 = 0;
let setsWhole: bool = false;

@inline function partOf(i: u32): usize { return <usize>load<u32>(TARGETS + (<usize>i << 3)); }
@inline function partLength(i: u32): u32 { return load<u32>(TARGETS + (<usize>i << 3), 4); }

/** Finds what the patch that was applied last comes to in the value at `slot`; how many targets there are. */
export function findTargets(slot: usize): u32 {
  const operations = operationCount();
  count = 0;
  setsWhole = false;
  for (let i: u32 = 0; i < operations && !setsWhole; i++) {
    const record = operationAt(i);
    if (!hasChanged(record)) continue;
    addTarget(slot, pathOf(record), pathLengthOf(record));
    if (opOf(record) == OP_MOVE) addTarget(slot, fromOf(record), fromLengthOf(record));
  }
  if (setsWhole) {
    count = 1;
    store<u32>(TARGETS, 0, 4);
  }
  return count;
}

/** Whether target `i` is to be set: none above it is, nor the same one before it. */
export function isSet(i: u32): bool {
  const p = partOf(i), n = partLength(i);
  for (let j: u32 = 0; j < count; j++) {
    const above = partLength(j);
    if (j == i || above > n || (above == n && j > i) || (above < n && load<u8>(p + above) != 0x2f)) continue;
    if (equalBytes(partOf(j), p, above)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- the value at a pointer

// A slot, or where there is none the text [textHere, textEnd) of a value.
let slotHere: usize = 0;
let textHere: usize = 0;
let textEnd: usize = 0;

// Goes from the value at hand to what the token at hand names, if a mask may name it; false = it may not, there is none, or this is no object.
function follow(): bool {
  if (!tokenLength) return false;
  for (let i: u32 = 0; i < tokenLength; i++) if (load<u8>(tokenAt + i) == 0x2e) return false;
  const node: usize = slotHere ? containerNode(slotHere) : 0;
  if (node) {
    const slot = memberSlot(node, tokenAt, tokenLength);
    if (slot) slotHere = slot;
    return slot != 0;
  }
  const text = slotHere ? slotSpan(slotHere) : textHere;
  if (!text || load<u8>(text) != 0x7b || !findMember(text, tokenAt, tokenLength)) return false;
  slotHere = 0;
  textHere = valueStart;
  textEnd = valueEnd;
  return true;
}

function addTarget(slot: usize, p: usize, n: u32): void {
  if (count == MOST) { setsWhole = true; return; }
  const end = p + n;
  let at = p;
  slotHere = slot;
  while (at < end) {
    const next = readToken(at + 1, end);
    if (!next) lackMemory();
    if (!next || !follow()) break;
    at = next;
  }
  store<u32>(TARGETS + (<usize>count << 3), <u32>p);
  store<u32>(TARGETS + (<usize>count << 3), <u32>(at - p), 4);
  count++;
}

/** Adds the names of target `i` to a mask, a dot before each. */
export function putNames(i: u32): void {
  const end = partOf(i) + partLength(i);
  for (let at = partOf(i); at < end; ) {
    at = readToken(at + 1, end);
    if (!at) { lackMemory(); return; }
    putByte(0x2e);
    put(tokenAt, tokenLength);
  }
}

/** Adds the value of target `i` of the value at `slot` inside of objects that hold it under its names. */
export function putNested(i: u32, slot: usize): void {
  const end = partOf(i) + partLength(i);
  let depth: u32 = 0;
  slotHere = slot;
  for (let at = partOf(i); at < end; depth++) {
    at = readToken(at + 1, end);
    if (!at) { lackMemory(); return; }
    follow();
    putByte(0x7b);
    putByte(0x22);
    put(tokenAt, tokenLength);
    putByte(0x22);
    putByte(0x3a);
  }
  if (slotHere) putSlot(slotHere);
  else put(textHere, <u32>(textEnd - textHere));
  for (; depth; depth--) putByte(0x7d);
}
