// Values back to text. Spans that were neighbours when they came in and still are (one comma between them) are copied as
// one run, so an untouched stretch costs one memory copy. Correct whatever the origin of the spans: the bytes between are looked at.
import { copyForward } from "../memory/copy";
import { chainSlice } from "./chain";
import { isSameKey } from "./keys";
import { ARRAY, AT, CHAIN, NODE, REMOVED, UP, countOf, kindOf, strideShift, vectorOf } from "./layout";

const COMMA: u32 = 0x2c;
/** `",` */
const QUOTE_COMMA: u32 = 0x222c;
/** `":` */
const QUOTE_COLON: u32 = 0x3a22;

/**
 * Writes the value at `slot`, exactly `slotSize(slot)` bytes (15 behind them may be written over); returns the end. Containers that are nodes have the end of
 * their text in AT afterwards.
 */
export function writeSlot(slot: usize, dst: usize): usize {
  const n = load<u32>(slot, 4), p = <usize>load<u32>(slot);
  if (n == NODE) return writeNode(p, dst);
  copyForward(dst, p, n);
  return dst + n;
}

function writeChain(chain: usize, dst: usize): usize {
  store<u8>(dst, 0x22);
  dst = chainSlice(chain, 0, dst + 1);
  store<u8>(dst, 0x22);
  return dst + 1;
}

let resumeAt: usize = 0;
let child: usize = 0;

function writeNode(root: usize, dst: usize): usize {
  if (kindOf(root) == CHAIN) return writeChain(root, dst);
  let node = root;
  store<u32>(root, 0, UP);
  store<u8>(dst++, kindOf(root) == ARRAY ? 0x5b : 0x7b);
  resumeAt = vectorOf(root);
  let isFirst = true;
  while (true) {
    const isArray = kindOf(node) == ARRAY;
    dst = isArray ? writeElements(node, dst, isFirst) : writeMembers(node, dst, isFirst);
    if (child) {
      store<u32>(node, <u32>resumeAt, AT);
      store<u32>(child, <u32>node, UP);
      node = child;
      store<u8>(dst++, kindOf(node) == ARRAY ? 0x5b : 0x7b);
      resumeAt = vectorOf(node);
      isFirst = true;
    } else {
      store<u8>(dst++, isArray ? 0x5d : 0x7d);
      // compaction asks where the text of a node ends
      store<u32>(node, <u32>dst, AT);
      node = <usize>load<u32>(node, UP);
      if (!node) return dst;
      resumeAt = <usize>load<u32>(node, AT);
      isFirst = false;
    }
  }
  return dst;
}

// From resumeAt to the end, or behind the next element that is a container node: that one is left in `child`.
function writeElements(node: usize, dst: usize, isFirst: bool): usize {
  let at = resumeAt, run: usize = 0, runEnd: usize = 0;
  const end = vectorOf(node) + (<usize>countOf(node) << strideShift(ARRAY));
  child = 0;
  while (at < end) {
    const p = <usize>load<u32>(at), n = load<u32>(at, 4);
    at += 8;
    if (p == runEnd + 1 && n != NODE && <u32>load<u8>(runEnd) == COMMA) { runEnd = p + n; continue; }
    if (runEnd) {
      copyForward(dst, run, <u32>(runEnd - run));
      dst += runEnd - run;
      runEnd = 0;
    }
    if (!isFirst) store<u8>(dst++, COMMA);
    isFirst = false;
    if (n != NODE) { run = p; runEnd = p + n; continue; }
    if (kindOf(p) == CHAIN) { dst = writeChain(p, dst); continue; }
    child = p;
    resumeAt = at;
    break;
  }
  if (runEnd) {
    copyForward(dst, run, <u32>(runEnd - run));
    dst += runEnd - run;
  }
  return dst;
}

function writeMembers(node: usize, dst: usize, isFirst: bool): usize {
  let at = resumeAt, run: usize = 0, runEnd: usize = 0;
  const end = vectorOf(node) + (<usize>countOf(node) << 4);
  child = 0;
  while (at < end) {
    const key = <usize>load<u32>(at), keyLength = load<u32>(at, 4), p = <usize>load<u32>(at, 8), n = load<u32>(at, 12);
    at += 16;
    if (n == REMOVED) continue;
    // a key may be named where it stands in another object: what counts is what stands before the value
    const own = p - keyLength - 2;
    const attached = n != NODE && p > keyLength + 2 && <u32>load<u16>(p - 2) == QUOTE_COLON && (own == key || isSameKey(own, key, keyLength));
    if (attached && own == runEnd + 2 && <u32>load<u16>(runEnd) == QUOTE_COMMA) { runEnd = p + n; continue; }
    if (runEnd) {
      copyForward(dst, run, <u32>(runEnd - run));
      dst += runEnd - run;
      runEnd = 0;
    }
    if (isFirst) store<u8>(dst++, 0x22);
    else { store<u16>(dst, QUOTE_COMMA); dst += 2; }
    isFirst = false;
    if (attached) { run = own; runEnd = p + n; continue; }
    copyForward(dst, key, keyLength);
    dst += keyLength;
    store<u16>(dst, QUOTE_COLON);
    dst += 2;
    if (n != NODE) { run = p; runEnd = p + n; continue; }
    if (kindOf(p) == CHAIN) { dst = writeChain(p, dst); continue; }
    child = p;
    resumeAt = at;
    break;
  }
  if (runEnd) {
    copyForward(dst, run, <u32>(runEnd - run));
    dst += runEnd - run;
  }
  return dst;
}
