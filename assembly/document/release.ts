// Gives the nodes of a value back. Text stays where it is: it goes with its pieces.
import { dropChain } from "./chain";
import { dropTable } from "./index-table";
import { ARRAY, CHAIN, NODE, UP, countOf, kindOf, nodeBytes, strideShift, vectorOf } from "./layout";
import { give, giveVector } from "./piece";

/** Frees the value {p, n}. */
@inline export function releaseValue(d: usize, p: u32, n: u32): void { if (n == NODE) releaseNode(d, p); }

/** Frees the value at `slot` and leaves an empty span, for documents that are only read. */
export function forgetSlot(d: usize, slot: usize): void {
  releaseValue(d, load<u32>(slot), load<u32>(slot, 4));
  store<u64>(slot, 0);
}

function releaseNode(d: usize, root: usize): void {
  let pending = root;
  store<u32>(root, 0, UP);
  while (pending) {
    const node = pending, kind = kindOf(node);
    pending = <usize>load<u32>(node, UP);
    if (kind == CHAIN) {
      dropChain(d, node);
    } else {
      const shift = strideShift(kind), vector = vectorOf(node);
      let at = kind == ARRAY ? vector : vector + 8;
      for (const end = at + (<usize>countOf(node) << shift); at < end; at += 1 << shift) {
        if (load<u32>(at, 4) != NODE) continue;
        const child = <usize>load<u32>(at);
        store<u32>(child, <u32>pending, UP);
        pending = child;
      }
      giveVector(d, node);
      if (kind != ARRAY) dropTable(d, node);
    }
    give(d, node, nodeBytes(node));
  }
}
