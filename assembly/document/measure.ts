// Size and depth of values, counted when asked for. Nodes still to be looked at are linked through `up`.
import { bracketBits, equalBits, escapeCarry, escapedBits, prefixXor, resetEscapeCarry } from "../text/bitmap";
import { ARRAY, AT, BYTES, CHAIN, MEMBERS, NODE, REMOVED, UP, countOf, kindOf, strideShift, vectorOf } from "./layout";

/** Serialised bytes of the value at `slot`. */
@inline export function slotSize(slot: usize): u32 { return valueSize(load<u32>(slot), load<u32>(slot, 4)); }

@inline export function valueSize(p: u32, n: u32): u32 { return n == NODE ? nodeSize(p) : n; }

function nodeSize(root: usize): u32 {
  if (kindOf(root) == CHAIN) return load<u32>(root, BYTES) + 2;
  let total: u32 = 0, pending = root;
  store<u32>(root, 0, UP);
  while (pending) {
    const node = pending, kind = kindOf(node), shift = strideShift(kind), isArray = kind == ARRAY;
    pending = <usize>load<u32>(node, UP);
    const members = isArray ? countOf(node) : load<u32>(node, MEMBERS);
    // brackets and commas; quotes and colon of every key
    total += members ? members + 1 : 2;
    if (!isArray) total += 3 * members;
    let at = vectorOf(node);
    for (const end = at + (<usize>countOf(node) << shift); at < end; at += 1 << shift) {
      const slot = isArray ? at : at + 8, n = load<u32>(slot, 4);
      if (n == REMOVED) continue;
      if (!isArray) total += load<u32>(at, 4);
      if (n != NODE) { total += n; continue; }
      const child = <usize>load<u32>(slot);
      if (kindOf(child) == CHAIN) { total += load<u32>(child, BYTES) + 2; continue; }
      store<u32>(child, <u32>pending, UP);
      pending = child;
    }
  }
  return total;
}

/** Nesting of the value at `slot`: 0 for a scalar, 1 for `[]`. */
@inline export function slotDepth(slot: usize): u32 { return valueDepth(load<u32>(slot), load<u32>(slot, 4)); }

/** Nesting of the value {p, n}. */
export function valueDepth(p: u32, n: u32): u32 {
  const root = <usize>p;
  if (n != NODE) return textDepth(root, n);
  if (kindOf(root) == CHAIN) return 0;
  let deepest: u32 = 0, pending = root;
  store<u32>(root, 0, UP);
  store<u32>(root, 1, AT);
  while (pending) {
    const node = pending, kind = kindOf(node), shift = strideShift(kind), depth = load<u32>(node, AT);
    pending = <usize>load<u32>(node, UP);
    deepest = max<u32>(deepest, depth);
    let at = vectorOf(node);
    for (const end = at + (<usize>countOf(node) << shift); at < end; at += 1 << shift) {
      const child = kind == ARRAY ? at : at + 8, length = load<u32>(child, 4), p = <usize>load<u32>(child);
      if (length == REMOVED) continue;
      if (length != NODE) { if (length > 1) deepest = max<u32>(deepest, depth + textDepth(p, length)); continue; }
      if (kindOf(p) == CHAIN) continue;
      store<u32>(p, <u32>pending, UP);
      store<u32>(p, depth + 1, AT);
      pending = p;
    }
  }
  return deepest;
}

function textDepth(p: usize, n: u32): u32 {
  if (<u32>(load<u8>(p) | 0x20) != 0x7b) return 0;
  const end = p + n;
  let depth: u32 = 0, deepest: u32 = 0, inString: u64 = 0;
  resetEscapeCarry();
  for (; p < end; p += 64) {
    const backslashes = equalBits(p, 0x5c);
    let quotes = equalBits(p, 0x22);
    if (backslashes | escapeCarry) quotes &= ~escapedBits(backslashes);
    const strings = prefixXor(quotes) ^ inString;
    inString = <u64>(<i64>strings >> 63);
    let outside = ~strings;
    if (end - p < 64) outside &= (<u64>1 << <u64>(end - p)) - 1;
    const opens = bracketBits(p, 0x7b) & outside;
    let brackets = opens | (bracketBits(p, 0x7d) & outside);
    while (brackets) {
      const bit = brackets & (0 - brackets);
      if (opens & bit) deepest = max<u32>(deepest, ++depth); else depth--;
      brackets ^= bit;
    }
  }
  return deepest;
}
