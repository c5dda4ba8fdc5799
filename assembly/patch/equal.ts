// Deep equality for `test` (RFC 6902 §4.6): objects without regard of order, numbers by value, strings by their canonical
// text. Containers that do not have the same bytes are compared as nodes of two borrowed documents, level by level; what
// has been compared is given back at once, so memory follows the open levels.
import { setAccount } from "../memory/heap";
import { equalBytes } from "../memory/copy";
import {
  OBJECT, UP, AT, countOf, documentBorrow, documentFree, elementSlot, entrySlot, expandSlot, forgetSlot, keyLengthOf, keyOf, kindOf, memberCount, memberSlot,
  slotIsNode, slotKind, slotSize, writeSlot,
} from "../document/index";
import { sameNumber } from "./decimal";
import { TEXT, releaseScratch, scratchFor } from "./scratch";

export const DIFFERENT: u32 = 0;
export const EQUAL: u32 = 1;
/** Memory is exhausted. */
export const UNKNOWN: u32 = 2;

const QUOTE: u32 = 0x22;

/** Whether the value at `slot` equals the `n` bytes of canonical compact text at `p`: EQUAL, DIFFERENT or UNKNOWN. */
export function compareValue(slot: usize, p: usize, n: u32): u32 {
  if (!slotIsNode(slot)) return compareTexts(load<u32>(slot), load<u32>(slot, 4), p, n);
  const kind = slotKind(slot);
  if (kind != <u32>load<u8>(p)) return DIFFERENT;
  const size = slotSize(slot);
  if (kind == QUOTE && size != n) return DIFFERENT;
  const text = scratchFor(TEXT, size + 16);
  if (!text) return UNKNOWN;
  writeSlot(slot, text);
  const result = compareTexts(text, size, p, n);
  releaseScratch(TEXT);
  return result;
}

@inline function isNumber(first: u32): bool { return first == 0x2d || first - 48 < 10; }
@inline function isContainer(first: u32): bool { return (first | 0x20) == 0x7b; }

function compareTexts(a: usize, an: u32, b: usize, bn: u32): u32 {
  const result = compareShallow(a, an, b, bn);
  return result == UNKNOWN ? compareContainers(a, an, b, bn) : result;
}

// UNKNOWN: two containers of one kind that do not have the same bytes.
function compareShallow(a: usize, an: u32, b: usize, bn: u32): u32 {
  if (an == bn && equalBytes(a, b, an)) return EQUAL;
  const first = <u32>load<u8>(a), other = <u32>load<u8>(b);
  if (isContainer(first)) return first == other ? UNKNOWN : DIFFERENT;
  return isNumber(first) && isNumber(other) && sameNumber(a, an, b, bn) ? EQUAL : DIFFERENT;
}

function compareContainers(a: usize, an: u32, b: usize, bn: u32): u32 {
  const account = setAccount(0);
  const x = documentBorrow(a, an), y = x ? documentBorrow(b, bn) : 0;
  const result = y ? compareLevels(x, y) : UNKNOWN;
  if (y) documentFree(y);
  if (x) documentFree(x);
  setAccount(account);
  return result;
}

@inline function members(node: usize): u32 { return kindOf(node) == OBJECT ? memberCount(node) : countOf(node); }

// Nothing was removed from these nodes, so places and members agree. `at` of a node in x: the place of the next child;
// of a node in y: the slot of the child being compared.
function compareLevels(x: usize, y: usize): u32 {
  let a = expandSlot(x, x), b = a ? expandSlot(y, y) : 0;
  if (!b) return UNKNOWN;
  if (members(a) != members(b)) return DIFFERENT;
  store<u32>(a, 0, UP);
  store<u32>(b, 0, UP);
  let i: u32 = 0;
  while (true) {
    const isObject = kindOf(a) == OBJECT;
    if (i == countOf(a)) {
      a = <usize>load<u32>(a, UP);
      b = <usize>load<u32>(b, UP);
      if (!a) return EQUAL;
      i = load<u32>(a, AT);
      forgetSlot(x, kindOf(a) == OBJECT ? entrySlot(a, i - 1) : elementSlot(a, i - 1));
      forgetSlot(y, load<u32>(b, AT));
      continue;
    }
    const slot = isObject ? entrySlot(a, i) : elementSlot(a, i);
    const other = isObject ? memberSlot(b, keyOf(slot), keyLengthOf(slot)) : elementSlot(b, i);
    if (!other) return DIFFERENT;
    i++;
    const result = compareShallow(load<u32>(slot), load<u32>(slot, 4), load<u32>(other), load<u32>(other, 4));
    if (result == DIFFERENT) return DIFFERENT;
    if (result == EQUAL) continue;
    const child = expandSlot(x, slot), otherChild = child ? expandSlot(y, other) : 0;
    if (!otherChild) return UNKNOWN;
    if (members(child) != members(otherChild)) return DIFFERENT;
    store<u32>(a, i, AT);
    store<u32>(b, <u32>other, AT);
    store<u32>(child, <u32>a, UP);
    store<u32>(otherChild, <u32>b, UP);
    a = child;
    b = otherChild;
    i = 0;
  }
  return EQUAL;
}
