// Events of one producer share a skeleton: everything but seq, ts, ids and the delta is the same bytes again and again. A trie of learned
// skeletons is tried in front of the parser; equal bytes mean an equal parse, so what was judged once need not be judged again.
// At 64 KiB chunks that is 1.8-2.6x over the full parser. Templates belong to the engine, not to a stream.
import { alloc, free, roundUp, setAccount } from "../../memory/heap";
import { equalText } from "../../memory/copy";
import { HAS_LOOSE_ESCAPE, scanFlags, scanStringShort, scanUnits, setScanFlags } from "../../text/scan";
import { F_SEQ, F_STREAM_ID, F_TS, fieldEnd, fieldKind, fieldStart, K_ABSENT } from "../../reduce/agentue/envelope";
import { patchEnd, patchId, patchIdLength, patchStart } from "../../reduce/agentue/judge";
import { maskEnd, maskPath } from "../../reduce/agentue/mask";
import { B_ID, B_ID_LENGTH, findBlock, findOtherBlock, S_LAST_BLOCK } from "../../reduce/agentue/state";
import { C_LAST_USED, T_ID, T_ID_LENGTH, T_STATE } from "../layout";
import { findOtherStream, findStream } from "../streams";

// Node: 0 sibling | 4 child | 8 literal length u16 | 10 what stands behind the literal u8 | 12 length of the appended field's name u16 (leaf) |
// 16 size of the allocation | 20 spare | 24 the name as one word, 0 when it is longer (leaf) | 32 literal, behind it the name (leaf).
// Siblings differ in their first byte, so that a wrong one costs one compare; a node without a literal is the last of its siblings.
const N_CHILD: usize = 4, N_LENGTH: usize = 8, N_HOLE: usize = 10, N_FIELD_LENGTH: usize = 12, N_ALLOCATION: usize = 16;
const N_FIELD_WORD: usize = 24, N_LITERAL: usize = 32;

const LEAF: u8 = 0, HOLE_SEQ: u8 = 1, HOLE_TS: u8 = 2, HOLE_STREAM: u8 = 3, HOLE_BLOCK: u8 = 4, HOLE_DELTA: u8 = 5;
/** Nothing: the literals of two templates part here. */
const FORK: u8 = 6;
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
/** Its stream and block, 0 = not there. */
export let matchedStream: usize = 0;
export let matchedBlock: usize = 0;
export let matchedDelta: usize = 0;
export let matchedDeltaEnd: usize = 0;
/** Flags of the scan over the delta. */
export let matchedFlags: u32 = 0;
/** Its UTF-16 code units where the flags are not 0 and the scan has counted them, else 0. */
export let matchedUnits: u32 = 0;
/** Name of the appended field, and the same as one word (0: longer). */
export let matchedField: usize = 0;
export let matchedFieldLength: u32 = 0;
export let matchedFieldWord: u64 = 0;

/** Makes the templates of a transport (`TRANSPORT_` id below 3) the current ones. */
export function selectTemplates(transport: u32): void { set = SETS + (transport << 4); }

/** Whether templates are worth trying for the next event. */
@inline export function templatesAwake(): bool {
  const resting = load<u32>(set, T_RESTING);
  if (!resting) return load<u32>(set) != 0;
  store<u32>(set, resting - 1, T_RESTING);
  return false;
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

@inline function idEnd(p: usize): usize {
  setScanFlags(0);
  const end = scanStringShort(p);
  return end && !(scanFlags & HAS_LOOSE_ESCAPE) ? end : 0;
}

// An id that is seen again is recognised without scanning: canonical contents that match byte for byte end at the quote behind them.
@inline function repeats(p: usize, id: usize, n: u32): bool { return load<u8>(p + n) == 0x22 && equalText(p, id, n); }

/**
 * Matches the event at `p` (its `data:`), behind whose chunk the sentinel stands: literals hold no NUL, so none of them reaches beyond it.
 * Returns the address behind its blank line, 0 where no template fits. Stream and block are looked up as soon as their ids are read: their
 * records come in while the rest of the text is compared.
 */
export function matchTemplate(c: usize, p: usize): usize {
  let t = <usize>load<u32>(c, C_LAST_USED), b: usize = 0, owner: usize = 0, named = false, node = <usize>load<u32>(set);
  let id: usize = 0, idLength: u32 = 0;
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if ((load<u8>(p) != load<u8>(node, N_LITERAL) && n) || !equalText(p, node + N_LITERAL, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = load<u8>(node, N_HOLE);
    if (hole == HOLE_DELTA) {
      setScanFlags(0);
      matchedDelta = p;
      p = scanStringShort(p);
      matchedDeltaEnd = p;
      matchedFlags = scanFlags;
      if (scanFlags) matchedUnits = scanUnits;
    } else if (hole == HOLE_BLOCK) {
      b = t ? <usize>load<u32>(t + T_STATE, S_LAST_BLOCK) : 0;
      owner = t;
      id = p;
      if (b && repeats(p, b + B_ID, load<u32>(b, B_ID_LENGTH))) p += load<u32>(b, B_ID_LENGTH);
      else {
        p = idEnd(p);
        b = t && p ? findOtherBlock(t + T_STATE, id, <u32>(p - id)) : 0;
      }
      idLength = <u32>(p - id);
    } else if (hole == HOLE_SEQ) {
      p = digits(p);
      matchedSeq = number;
    } else if (hole == LEAF) {
      if (!named && !(t && !load<u32>(t, T_ID_LENGTH))) t = findStream(c, p, 0);
      matchedStream = t;
      matchedBlock = t == owner ? b : t ? findBlock(t + T_STATE, id, idLength) : 0;
      matchedField = node + N_LITERAL + n;
      matchedFieldLength = load<u16>(node, N_FIELD_LENGTH);
      matchedFieldWord = load<u64>(node, N_FIELD_WORD);
      return p;
    } else if (hole == HOLE_STREAM) {
      named = true;
      if (t && repeats(p, t + T_ID, load<u32>(t, T_ID_LENGTH))) p += load<u32>(t, T_ID_LENGTH);
      else {
        const start = p;
        p = idEnd(p);
        t = p ? findOtherStream(c, start, <u32>(p - start)) : 0;
      }
    } else if (hole == HOLE_TS) p = digits(p);
    if (!p) return 0;
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}

/** Counts matched events that were applied. */
export function noteHits(n: u32): void {
  templateHits += n;
  const level = load<u32>(set, T_LEVEL);
  store<u32>(set, level > n ? level - n : 0, T_LEVEL);
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
  const account = setAccount(0), before = templateBytes;
  insert(p, end);
  setAccount(account);
  if (templateBytes != before) store<u32>(set, load<u32>(set, T_COUNT) + 1, T_COUNT);
}

function insert(p: usize, end: usize): void {
  let link = set;
  for (let i: u32 = 0; i < holes; i++) {
    const entry = HOLES + i * 12, stop = <usize>load<u32>(entry, 4);
    const node = place(link, p, <u32>(stop - p), <u8>load<u32>(entry));
    if (!node) return;
    link = node + N_CHILD;
    p = load<u32>(entry, 8);
  }
  place(link, p, <u32>(end - p), LEAF);
}

// The node for a literal and what stands behind it, in the list of siblings that hangs on `link`; literals part where they differ. 0 = out of
// memory, or the place is taken: the same text goes on with something else there.
function place(link: usize, p: usize, n: u32, hole: u8): usize {
  while (true) {
    let node = <usize>load<u32>(link), last: usize = 0;
    while (node && !(load<u16>(node, N_LENGTH) ? n && load<u8>(node, N_LITERAL) == load<u8>(p) : !n)) {
      last = node;
      node = load<u32>(node);
    }
    if (!node) {
      node = newNode(p, n, hole, maskPath, <u32>(maskEnd - maskPath));
      if (!node) return 0;
      if (n || !last) {
        store<u32>(node, load<u32>(link));
        store<u32>(link, <u32>node);
      } else store<u32>(last, <u32>node);
      return node;
    }
    const length = <u32>load<u16>(node, N_LENGTH);
    let common: u32 = 0;
    while (common < n && common < length && load<u8>(node + common, N_LITERAL) == load<u8>(p + common)) common++;
    if (common == n && common == length && load<u8>(node, N_HOLE) != FORK) return load<u8>(node, N_HOLE) == hole ? node : 0;
    if ((common < length || load<u8>(node, N_HOLE) != FORK) && !fork(node, common)) return 0;
    link = node + N_CHILD;
    p += common;
    n -= common;
  }
  return 0;
}

// Cuts the literal of a node behind `common` bytes; the rest becomes its child.
function fork(node: usize, common: u32): bool {
  const n = <u32>load<u16>(node, N_LENGTH), text = node + N_LITERAL;
  const rest = newNode(text + common, n - common, load<u8>(node, N_HOLE), text + n, load<u16>(node, N_FIELD_LENGTH));
  if (!rest) return false;
  store<u32>(rest, load<u32>(node, N_CHILD), N_CHILD);
  store<u32>(node, <u32>rest, N_CHILD);
  store<u16>(node, <u16>common, N_LENGTH);
  store<u8>(node, FORK, N_HOLE);
  return true;
}

// `field` is the name of the appended field: only a leaf keeps it.
function newNode(p: usize, n: u32, hole: u8, field: usize, fieldLength: u32): usize {
  const name: u32 = hole == LEAF ? fieldLength : 0, size = roundUp(<u32>N_LITERAL + n + name + 16), node = alloc(size);
  if (!node) return 0;
  templateBytes += size;
  memory.fill(node, 0, size);
  store<u16>(node, <u16>n, N_LENGTH);
  store<u8>(node, hole, N_HOLE);
  store<u16>(node, <u16>name, N_FIELD_LENGTH);
  store<u32>(node, size, N_ALLOCATION);
  memory.copy(node + N_LITERAL, p, n);
  memory.copy(node + N_LITERAL + n, field, name);
  if (name <= 8) store<u64>(node, load<u64>(node + N_LITERAL + n), N_FIELD_WORD);
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
