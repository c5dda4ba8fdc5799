// A second document over the same text. Nodes are copied, bytes are shared: each piece goes with its last holder.
import { clearForward } from "../memory/copy";
import { alloc, chargeShare, reserve, roundUp } from "../memory/heap";
import { forkChain, forkChainNeed } from "./chain";
import { documentFree } from "./document";
import { tableBytes } from "./index-table";
import {
  ARRAY, CAPACITY, CHAIN, DOCUMENT_SIZE, HELD, INDEX, NODE, NODE_SIZE, OUT_OF_MEMORY, PIECES, SHARED, SIZE, SPANS_SHARED, UP, VECTOR, clearFault,
  countOf, failWith, isVectorBehind, kindOf, nodeBytes, strideShift, vectorOf,
} from "./layout";
import { PIECE_HEADER, linkPiece, nextPiece, sharePiece, take } from "./piece";
import { editDocument } from "./undo-log";

/** A copy that shares the bytes with `d`: both go on independently. 0 = out of memory, or `d` is under edit; nothing changed. */
export function documentFork(d: usize): usize {
  clearFault();
  if (editDocument == d) return 0;
  if (!reserve(forkNeed(d))) return failWith(OUT_OF_MEMORY);
  const f = alloc(DOCUMENT_SIZE);
  clearForward(f, DOCUMENT_SIZE);
  store<u32>(f, DOCUMENT_SIZE, HELD);
  store<u32>(f, load<u32>(d, SIZE), SIZE);
  store<u32>(f, 1, SPANS_SHARED);
  store<u32>(d, 1, SPANS_SHARED);
  for (let piece = <usize>load<u32>(d, PIECES); piece; piece = nextPiece(piece)) {
    const shared = sharePiece(f, piece);
    linkPiece(shared, <usize>load<u32>(f, PIECES));
    store<u32>(f, <u32>shared, PIECES);
  }
  const n = load<u32>(d, 4);
  store<u32>(f, n == NODE ? <u32>forkTree(f, load<u32>(d)) : load<u32>(d));
  store<u32>(f, n, 4);
  return f;
}

/**
 * One more holder of the document as it is, for whom the current account pays in full; each gives it up by `documentFree`. From now on whoever wants to
 * change it, or to reach into it, asks `documentOwn` first, and forgets what it remembered of its nodes.
 */
export function documentShare(d: usize): usize {
  store<u32>(d, load<u32>(d, SHARED) + 1, SHARED);
  chargeShare(load<u32>(d, HELD));
  return d;
}

/** The document whose address stands at `place`, there alone: a fork takes the place of a shared one. 0 = out of memory, nothing changed. */
@inline export function documentOwn(place: usize): usize {
  const d = <usize>load<u32>(place);
  return load<u32>(d, SHARED) ? ownFork(place, d) : d;
}

function ownFork(place: usize, d: usize): usize {
  const f = documentFork(d);
  if (!f) return 0;
  documentFree(d);
  store<u32>(place, <u32>f);
  return f;
}

// Of a vector in a block of its own.
@inline function vectorBytes(node: usize): u32 { return isVectorBehind(node) ? 0 : load<u32>(node, CAPACITY) << strideShift(kindOf(node)); }

// Heap bytes of everything the copy does not share.
function forkNeed(d: usize): u32 {
  let need: u32 = DOCUMENT_SIZE;
  for (let piece = <usize>load<u32>(d, PIECES); piece; piece = nextPiece(piece)) need += PIECE_HEADER;
  if (load<u32>(d, 4) != NODE) return need;
  let pending = <usize>load<u32>(d);
  store<u32>(pending, 0, UP);
  while (pending) {
    const node = pending, kind = kindOf(node);
    pending = <usize>load<u32>(node, UP);
    if (kind == CHAIN) { need += forkChainNeed(node); continue; }
    need += nodeBytes(node);
    if (vectorBytes(node)) need += roundUp(vectorBytes(node));
    if (kind != ARRAY && load<u32>(node, INDEX)) need += roundUp(tableBytes(node));
    const shift = strideShift(kind);
    let at = kind == ARRAY ? vectorOf(node) : vectorOf(node) + 8;
    for (const end = at + (<usize>countOf(node) << shift); at < end; at += 1 << shift) {
      if (load<u32>(at, 4) != NODE) continue;
      const child = <usize>load<u32>(at);
      store<u32>(child, <u32>pending, UP);
      pending = child;
    }
  }
  return need;
}

// Copies a node alone; its vector still names the children of the original.
function forkNode(f: usize, node: usize): usize {
  if (kindOf(node) == CHAIN) return forkChain(f, node);
  const size = nodeBytes(node), copy = take(f, size), bytes = vectorBytes(node);
  memory.copy(copy, node, size);
  if (isVectorBehind(node)) store<u32>(copy, <u32>copy + NODE_SIZE, VECTOR);
  if (bytes) {
    const vector = take(f, bytes);
    memory.copy(vector, vectorOf(node), bytes);
    store<u32>(copy, <u32>vector, VECTOR);
  }
  const table: usize = kindOf(node) == ARRAY ? 0 : <usize>load<u32>(node, INDEX);
  if (table) {
    const tableCopy = take(f, tableBytes(node));
    memory.copy(tableCopy, table, tableBytes(node));
    store<u32>(copy, <u32>tableCopy, INDEX);
  }
  return copy;
}

function forkTree(f: usize, root: usize): usize {
  const copy = forkNode(f, root);
  let pending = copy;
  store<u32>(copy, 0, UP);
  while (pending) {
    const node = pending, kind = kindOf(node);
    pending = <usize>load<u32>(node, UP);
    if (kind == CHAIN) continue;
    const shift = strideShift(kind);
    let at = kind == ARRAY ? vectorOf(node) : vectorOf(node) + 8;
    for (const end = at + (<usize>countOf(node) << shift); at < end; at += 1 << shift) {
      if (load<u32>(at, 4) != NODE) continue;
      const child = forkNode(f, load<u32>(at));
      store<u32>(at, <u32>child);
      store<u32>(child, <u32>pending, UP);
      pending = child;
    }
  }
  return copy;
}
