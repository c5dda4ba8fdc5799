// Events of one producer share a skeleton: everything but seq, ts, ids and the delta is the same bytes again and again. A trie of learned
// skeletons is tried in front of the parser; equal bytes mean an equal parse, so what was judged once need not be judged again.
// At 64 KiB chunks that is 1.8-2.6x over the full parser. Templates belong to the engine, not to a stream.
import { alloc, free, roundUp, setAccount } from "../../memory/heap";
import { copyForward, equalBytes } from "../../memory/copy";
import { HAS_LOOSE_ESCAPE, scanFlags, scanStringShort, setScanFlags } from "../../text/scan";
import { F_SEQ, F_STREAM_ID, F_TS, fieldEnd, fieldKind, fieldStart, K_ABSENT } from "../../reduce/agentue/envelope";
import { patchEnd, patchId, patchIdLength, patchStart } from "../../reduce/agentue/judge";
import { maskEnd, maskPath } from "../../reduce/agentue/mask";

// Node: 0 sibling | 4 child | 8 literal length u16 | 10 hole behind the literal u8 (0: leaf) | 12 field offset u16, 14 field length u16 (leaf:
// where the appended field's name stands in the literal `fieldNode` holds) | 16 size of the allocation | 20 node of that literal | 24 literal
const N_CHILD: usize = 4, N_LENGTH: usize = 8, N_HOLE: usize = 10, N_FIELD: usize = 12, N_FIELD_LENGTH: usize = 14, N_ALLOCATION: usize = 16;
const N_FIELD_NODE: usize = 20, N_LITERAL: usize = 24;

const HOLE_SEQ: u8 = 1, HOLE_TS: u8 = 2, HOLE_STREAM: u8 = 3, HOLE_BLOCK: u8 = 4, HOLE_DELTA: u8 = 5;
const MOST_TEMPLATES: u32 = 32;
/** Longer skeletons are rare and not worth the memory. */
const LONGEST: u32 = 1024;

// Set of one transport, 16 B: 0 root | 4 templates | 8 level of the bucket | 12 events left to rest. What is a skeleton on one wire means
// something else on another.
const SETS: usize = memory.data(3 * 16, 16);
let set: usize = SETS;
const T_COUNT: usize = 4, T_LEVEL: usize = 8, T_RESTING: usize = 12;

/** Bytes the templates hold. */
export let templateBytes: u32 = 0;
/** Events that a template recognised. */
export let templateHits: u32 = 0;

// A leaky bucket: learning fills it, hits drain it. When it runs over, learning does not pay and matching rests for a while.
const LEARN_COST: u32 = 8;
const BUCKET: u32 = 96;
const REST: u32 = 1024;

/** What the matched event holds. */
export let matchedSeq: f64 = 0;
export let matchedStream: usize = 0;
export let matchedStreamLength: u32 = 0;
export let matchedBlock: usize = 0;
export let matchedBlockLength: u32 = 0;
export let matchedDelta: usize = 0;
export let matchedDeltaEnd: usize = 0;
/** Flags of the scan over the delta. */
export let matchedFlags: u32 = 0;
/** Name of the appended field. */
export let matchedField: usize = 0;
export let matchedFieldLength: u32 = 0;

/** Makes the templates of a transport (`TRANSPORT_` id below 3) the current ones. */
export function selectTemplates(transport: u32): void { set = SETS + (transport << 4); }

/** Whether templates are worth trying for the next event. */
@inline export function templatesAwake(): bool {
  const resting = load<u32>(set, T_RESTING);
  if (!resting) return load<u32>(set) != 0;
  store<u32>(set, resting - 1, T_RESTING);
  return false;
}

@inline function sameBytes(a: usize, b: usize, n: u32): bool {
  if (ASC_FEATURE_SIMD) {
    const end = a + n;
    while (a + 16 <= end) {
      if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
      a += 16;
      b += 16;
    }
    if (a == end) return true;
    const rest = (1 << <u32>(end - a)) - 1;
    return (i8x16.bitmask(i8x16.eq(v128.load(a), v128.load(b))) & rest) == rest;
  }
  return equalBytes(a, b, n);
}

// Digits without a leading zero, at most 15: the value in `number`, the end or 0.
let number: f64 = 0;
@inline function digits(p: usize): usize {
  const start = p;
  let v: u64 = 0, d = <u32>load<u8>(p) - 48;
  while (d < 10) {
    v = v * 10 + d;
    d = <u32>load<u8>(++p) - 48;
  }
  if (p == start || p - start > 15 || (load<u8>(start) == 48 && p - start > 1)) return 0;
  number = <f64>v;
  return p;
}

// An id: the one seen last is recognised without scanning. Canonical contents that match byte for byte end at the quote behind them.
@inline function idEnd(p: usize, likely: usize, n: u32): usize {
  if (likely && load<u8>(p + n) == 0x22 && equalBytes(p, likely, n)) return p + n;
  setScanFlags(0);
  const end = scanStringShort(p);
  return end && !(scanFlags & HAS_LOOSE_ESCAPE) ? end : 0;
}

/**
 * Matches the event at `p` (its `data:`), whose text ends before `end`. `stream` and `block` are the ids used last. Returns the address
 * behind its blank line, 0 where no template fits.
 */
export function matchTemplate(p: usize, end: usize, stream: usize, streamLength: u32, block: usize, blockLength: u32): usize {
  matchedStreamLength = 0;
  let node = <usize>load<u32>(set);
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if (p + n > end || !sameBytes(p, node + N_LITERAL, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = load<u8>(node, N_HOLE);
    if (hole == HOLE_DELTA) {
      setScanFlags(0);
      matchedDelta = p;
      p = scanStringShort(p);
      matchedDeltaEnd = p;
      matchedFlags = scanFlags;
    } else if (hole == HOLE_BLOCK) {
      matchedBlock = p;
      p = idEnd(p, block, blockLength);
      matchedBlockLength = <u32>(p - matchedBlock);
    } else if (hole == HOLE_SEQ) {
      p = digits(p);
      matchedSeq = number;
    } else if (hole == HOLE_STREAM) {
      matchedStream = p;
      p = idEnd(p, stream, streamLength);
      matchedStreamLength = <u32>(p - matchedStream);
    } else if (hole == HOLE_TS) p = digits(p);
    else {
      matchedField = <usize>load<u32>(node, N_FIELD_NODE) + N_LITERAL + load<u16>(node, N_FIELD);
      matchedFieldLength = load<u16>(node, N_FIELD_LENGTH);
      return p;
    }
    if (!p) return 0;
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}

/** Counts a matched event that was applied. */
@inline export function noteHit(): void {
  templateHits++;
  const level = load<u32>(set, T_LEVEL);
  if (level) store<u32>(set, level - 1, T_LEVEL);
}

// Holes of the event being learned, in the order of the text: {hole, start, end}
const HOLES: usize = memory.data(5 * 12, 4);
let holes: u32 = 0;

function addHole(hole: u8, start: usize, end: usize): void {
  let at = HOLES + holes * 12;
  while (at > HOLES && load<u32>(at - 12, 4) > <u32>start) {
    store<u32>(at, load<u32>(at - 12));
    store<u64>(at, load<u64>(at - 8), 4);
    at -= 12;
  }
  store<u32>(at, hole);
  store<u32>(at, <u32>start, 4);
  store<u32>(at, <u32>end, 8);
  holes++;
}

/** Learns the clean append event that was just applied; [p, end) is its text from `data:` to behind the blank line. */
export function learnTemplate(p: usize, end: usize): void {
  if (load<u32>(set, T_RESTING) || <u32>(end - p) > LONGEST + <u32>(patchEnd - patchStart)) return;
  const level = load<u32>(set, T_LEVEL) + LEARN_COST;
  if (level > BUCKET) {
    store<u32>(set, BUCKET >> 1, T_LEVEL);
    store<u32>(set, REST, T_RESTING);
    return;
  }
  store<u32>(set, level, T_LEVEL);
  holes = 0;
  addHole(HOLE_SEQ, fieldStart(F_SEQ), fieldEnd(F_SEQ));
  if (fieldKind(F_TS) != K_ABSENT) addHole(HOLE_TS, fieldStart(F_TS), fieldEnd(F_TS));
  if (fieldKind(F_STREAM_ID) != K_ABSENT) addHole(HOLE_STREAM, fieldStart(F_STREAM_ID) + 1, fieldEnd(F_STREAM_ID) - 1);
  addHole(HOLE_BLOCK, patchId, patchId + patchIdLength);
  addHole(HOLE_DELTA, patchStart + 1, patchEnd - 1);
  if (load<u32>(set, T_COUNT) == MOST_TEMPLATES) clearTemplates();
  const account = setAccount(0);
  insert(p, end);
  setAccount(account);
}

function insert(p: usize, end: usize): void {
  let siblings: usize = 0, parent: usize = 0, fieldNode: usize = 0, fieldAt: u32 = 0;
  for (let i: u32 = 0; i <= holes; i++) {
    const entry = HOLES + i * 12, isLeaf = i == holes;
    const hole: u8 = isLeaf ? 0 : <u8>load<u32>(entry);
    const stop = isLeaf ? end : <usize>load<u32>(entry, 4), n = <u32>(stop - p);
    siblings = <usize>(parent ? load<u32>(parent, N_CHILD) : load<u32>(set));
    let node = siblings;
    while (node && !(load<u16>(node, N_LENGTH) == n && load<u8>(node, N_HOLE) == hole && sameBytes(p, node + N_LITERAL, n))) node = load<u32>(node);
    if (!node) {
      node = newNode(p, n, hole);
      if (!node) return;
      store<u32>(node, <u32>siblings);
      if (parent) store<u32>(parent, <u32>node, N_CHILD);
      else store<u32>(set, <u32>node);
      if (isLeaf) store<u32>(set, load<u32>(set, T_COUNT) + 1, T_COUNT);
    }
    if (maskPath >= p && maskEnd <= stop) { fieldNode = node; fieldAt = <u32>(maskPath - p); }
    if (isLeaf) {
      store<u32>(node, <u32>fieldNode, N_FIELD_NODE);
      store<u16>(node, <u16>fieldAt, N_FIELD);
      store<u16>(node, <u16>(maskEnd - maskPath), N_FIELD_LENGTH);
      return;
    }
    parent = node;
    p = load<u32>(entry, 8);
  }
}

function newNode(p: usize, n: u32, hole: u8): usize {
  const size = roundUp(<u32>N_LITERAL + n + 16), node = alloc(size);
  if (!node) return 0;
  templateBytes += size;
  memory.fill(node, 0, N_LITERAL);
  store<u16>(node, <u16>n, N_LENGTH);
  store<u8>(node, hole, N_HOLE);
  store<u32>(node, size, N_ALLOCATION);
  copyForward(node + N_LITERAL, p, n);
  return node;
}

// Forgets the templates of the current set.
function clearTemplates(): void {
  const account = setAccount(0);
  freeNodes(load<u32>(set));
  setAccount(account);
  store<u64>(set, 0);
}

function freeNodes(node: usize): void {
  while (node) {
    const next = <usize>load<u32>(node);
    freeNodes(load<u32>(node, N_CHILD));
    templateBytes -= load<u32>(node, N_ALLOCATION);
    free(node, load<u32>(node, N_ALLOCATION));
    node = next;
  }
}
