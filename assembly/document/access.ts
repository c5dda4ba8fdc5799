// Reading the tree: slots of the root, of elements, of members. Slot addresses are good until `documentEpoch` changes.
import { findEntry } from "./index-table";
import { ARRAY, CHAIN, MEMBERS, NODE, OBJECT, REMOVED, countOf, kindOf, vectorOf } from "./layout";

/** The slot of the whole document. */
@inline export function rootSlot(d: usize): usize { return d; }

/** First byte of the value: `"` `{` `[` `t` `f` `n` `-` or a digit. */
export function slotKind(slot: usize): u32 {
  const p = <usize>load<u32>(slot);
  if (load<u32>(slot, 4) != NODE) return load<u8>(p);
  const kind = kindOf(p);
  return kind == ARRAY ? 0x5b : kind == OBJECT ? 0x7b : 0x22;
}

/** Address of the value's text when it is one span (`slotSize` bytes), else 0. */
@inline export function slotSpan(slot: usize): usize { return load<u32>(slot, 4) == NODE ? 0 : <usize>load<u32>(slot); }

/** The slot of the member `key` (canonical escaped text), 0 = none. `node` is an object. */
export function memberSlot(node: usize, key: usize, keyLength: u32): usize {
  const i = kindOf(node) == OBJECT ? findEntry(node, key, keyLength) : -1;
  return i < 0 ? 0 : vectorOf(node) + (<usize>i << 4) + 8;
}

/** Whether a container node is an array; else it is an object. */
@inline export function isArrayNode(node: usize): bool { return kindOf(node) == ARRAY; }

/** Whether the value is an expanded container or a text chain, not a span. */
@inline export function slotIsNode(slot: usize): bool { return load<u32>(slot, 4) == NODE; }

/** The node of an expanded container, 0 for anything else. */
@inline export function containerNode(slot: usize): usize {
  if (load<u32>(slot, 4) != NODE) return 0;
  const node = <usize>load<u32>(slot);
  return kindOf(node) == CHAIN ? 0 : node;
}

/** Members of an object. */
@inline export function memberCount(node: usize): u32 { return load<u32>(node, MEMBERS); }

/** Elements of an array. */
@inline export function elementCount(node: usize): u32 { return countOf(node); }

/** The slot of element `i`, 0 = none. `node` is an array. */
export function elementSlot(node: usize, i: u32): usize {
  return kindOf(node) == ARRAY && i < countOf(node) ? vectorOf(node) + (<usize>i << 3) : 0;
}

/** Entries of an object, places of removed members included: the bound for `entrySlot`. */
@inline export function entryCount(node: usize): u32 { return countOf(node); }

/** The slot of the member at place `i` (order of the document), 0 where one was removed. */
export function entrySlot(node: usize, i: u32): usize {
  const slot = vectorOf(node) + (<usize>i << 4) + 8;
  return load<u32>(slot, 4) == REMOVED ? 0 : slot;
}

/** Key of the member at `slot`: canonical escaped text without quotes. */
@inline export function keyOf(slot: usize): usize { return <usize>load<u32>(slot - 8); }
@inline export function keyLengthOf(slot: usize): u32 { return load<u32>(slot - 4); }
