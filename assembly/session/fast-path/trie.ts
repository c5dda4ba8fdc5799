// Events of one producer share a skeleton: everything but numbers, ids and the delta is the same bytes again and again. A trie of learned
// skeletons is tried in front of the parser; equal bytes mean an equal parse, so what was judged once need not be judged again.
// At 64 KiB chunks that is 1.8-2.6x over the full parser. Templates belong to the engine, not to a stream; each protocol says which holes
// the events have that it teaches, and looks up what their contents name.
import { TRANSPORT_JSON, TRANSPORT_NDJSON } from "../../abi/codes";
import { alloc, free, roundUp, setAccount } from "../../memory/heap";
import { equalText } from "../../memory/copy";
import { HAS_LOOSE_ESCAPE, scanFlags, scanStringShort, setScanFlags } from "../../text/scan";

// Node: 0 sibling | 4 child | 8 literal length u16 | 10 what stands behind the literal u8 | 12 length of the event's name u16 (leaf) |
// 16 size of the allocation | 20 what the event is on another wire (written.ts), 0 = not known yet, 1 = nothing that stays the same (leaf) | 24 the name as one word, 0 when it is longer (leaf) | 32 literal, behind it the name (leaf).
// Siblings differ in their first byte, so that a wrong one costs one compare; a node without a literal is the last of its siblings.
// The name is what tells events of equal form apart: the appended field, or the type.
export const N_CHILD: usize = 4, N_LENGTH: usize = 8, N_HOLE: usize = 10, N_NAME_LENGTH: usize = 12, N_WRITTEN: usize = 20, N_NAME_WORD: usize = 24, N_LITERAL: usize = 32;
const N_ALLOCATION: usize = 16;

export const LEAF: u8 = 0;
/** A number that matters. */
export const HOLE_NUMBER: u8 = 1;
/** A number that does not matter. */
export const HOLE_TIME: u8 = 2;
/** The id of a stream or of an owner. */
export const HOLE_SOURCE: u8 = 3;
/** The id of what is appended to. */
export const HOLE_TARGET: u8 = 4;
/** The text that is appended. */
export const HOLE_DELTA: u8 = 5;
/** Nothing: the literals of two templates part here. */
export const FORK: u8 = 6;
const MOST_TEMPLATES: u32 = 32;
/**
 * Longer skeletons are rare and not worth the memory. Literals may be compared behind the end of the input, also of the whole window: that is the first block of
 * the heap (index.ts), so the literals themselves lie behind it, and memory does not end before as many bytes do.
 */
const LONGEST: u32 = 1024;

// Set of one protocol and transport, 16 B: 0 root | 4 templates | 8 level of the bucket | 12 events left to rest. What is a skeleton on one
// wire means something else on another. AgentUE: 0 MessagePack, 1 SSE, 2 NDJSON; AG-UI: 3 MessagePack, 4 SSE, 5 NDJSON.
const SETS: usize = memory.data(6 * 16, 16);
/** AgentUE over MessagePack. */
export const MSGPACK_SET: u32 = 0;
/** AG-UI over MessagePack. */
export const AGUI_MSGPACK_SET: u32 = 3;
/** What is added to the `TRANSPORT_` id of a text wire for AG-UI. */
const AGUI_SETS: u32 = 3;
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

/** Makes a set the current one: MSGPACK_SET, AGUI_MSGPACK_SET. */
export function selectTemplates(i: u32): void { set = SETS + (<usize>i << 4); }

/** Makes that of a text wire the current one. A whole message is a line without its end (whole.ts). */
export function selectTextTemplates(transport: u32, agui: bool): void {
  selectTemplates((agui ? AGUI_SETS : 0) + (transport == TRANSPORT_JSON ? TRANSPORT_NDJSON : transport));
}

/** The first node of the current set, 0 = none. */
@inline export function firstNode(): usize { return <usize>load<u32>(set); }

/** Whether the `n` bytes of a node's literal stand at `p`; most that do not differ in their first byte. */
@inline export function standsAt(p: usize, node: usize, n: u32): bool { return (load<u8>(p) == load<u8>(node, N_LITERAL) || !n) && equalText(p, node + N_LITERAL, n); }

/** Whether there are templates, and they do not rest. */
@inline export function haveTemplates(): bool { return load<u32>(set) != 0 && !load<u32>(set, T_RESTING); }

/** Whether templates are worth trying for the next event. */
@inline export function templatesAwake(): bool {
  const resting = load<u32>(set, T_RESTING);
  if (!resting) return load<u32>(set) != 0;
  store<u32>(set, resting - 1, T_RESTING);
  return false;
}

/** Numbers of more digits are not learned: other limits may refuse them. */
export const MOST_DIGITS: u32 = 15;

/** What `digits` has read. */
export let number: f64 = 0;

/** Reads digits without a leading zero, at most MOST_DIGITS: their end, 0 = not that. */
@inline export function digits(p: usize): usize {
  const start = p;
  let v: u64 = 0, d = <u32>load<u8>(p) - 48;
  while (d < 10) {
    v = v * 10 + d;
    d = <u32>load<u8>(++p) - 48;
  }
  if (p == start || <u32>(p - start) > MOST_DIGITS || (load<u8>(start) == 48 && p - start > 1)) return 0;
  number = <f64>v;
  return p;
}

/** The end of an id that is canonical contents, 0 = it is not. */
@inline export function idEnd(p: usize): usize {
  setScanFlags(0);
  const end = scanStringShort(p);
  return end && !(scanFlags & HAS_LOOSE_ESCAPE) ? end : 0;
}

/** Whether an id is seen again, which takes no scan: canonical contents that match byte for byte end at the quote behind them. */
@inline export function repeats(p: usize, id: usize, n: u32): bool { return load<u8>(p + n) == 0x22 && equalText(p, id, n); }

/** Counts matched events that were applied. */
export function noteHits(n: u32): void {
  templateHits += n;
  const level = load<u32>(set, T_LEVEL);
  store<u32>(set, level > n ? level - n : 0, T_LEVEL);
}

// Holes of the event being learned, in the order of the text: {hole, start, end}
const HOLES: usize = memory.data(5 * 12, 4);
let holes: u32 = 0;
// The name that the leaf keeps.
let eventName: usize = 0;
let eventNameLength: u32 = 0;

/** Adds a hole of the event being learned: its string contents or digits [start, end); one of each kind at most. */
export function addHole(hole: u8, start: usize, end: usize): void {
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

/** Begins to learn the event that was just applied, whose skeleton takes `n` bytes, and whose name is [name, name + nameLength); false: not now. */
export function beginTemplate(n: u32, name: usize, nameLength: u32): bool {
  if (load<u32>(set, T_RESTING) || n > LONGEST) return false;
  const level = load<u32>(set, T_LEVEL) + LEARN_COST;
  if (level > BUCKET) {
    store<u32>(set, BUCKET >> 1, T_LEVEL);
    store<u32>(set, REST, T_RESTING);
    return false;
  }
  store<u32>(set, level, T_LEVEL);
  holes = 0;
  eventName = name;
  eventNameLength = nameLength;
  return true;
}

/** Learns the event [p, end), with the holes that were added: from `data:` to behind its blank line, a line with its LF, or a map of MessagePack. */
export function endTemplate(p: usize, end: usize): void {
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
      node = newNode(p, n, hole, eventName, eventNameLength);
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
  const rest = newNode(text + common, n - common, load<u8>(node, N_HOLE), text + n, load<u16>(node, N_NAME_LENGTH));
  if (!rest) return false;
  store<u32>(rest, load<u32>(node, N_CHILD), N_CHILD);
  store<u32>(rest, load<u32>(node, N_WRITTEN), N_WRITTEN);
  store<u32>(node, 0, N_WRITTEN);
  store<u32>(node, <u32>rest, N_CHILD);
  store<u16>(node, <u16>common, N_LENGTH);
  store<u8>(node, FORK, N_HOLE);
  return true;
}

// Only a leaf keeps the name.
function newNode(p: usize, n: u32, hole: u8, text: usize, length: u32): usize {
  const name: u32 = hole == LEAF ? length : 0, size = roundUp(<u32>N_LITERAL + n + name + 16), node = alloc(size);
  if (!node) return 0;
  templateBytes += size;
  memory.fill(node, 0, size);
  store<u16>(node, <u16>n, N_LENGTH);
  store<u8>(node, hole, N_HOLE);
  store<u16>(node, <u16>name, N_NAME_LENGTH);
  store<u32>(node, size, N_ALLOCATION);
  memory.copy(node + N_LITERAL, p, n);
  memory.copy(node + N_LITERAL + n, text, name);
  if (name <= 8) store<u64>(node, load<u64>(node + N_LITERAL + n), N_NAME_WORD);
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
    const written = <usize>load<u32>(node, N_WRITTEN);
    if (written > NOTHING_WRITTEN) freeCounted(written, load<u32>(written));
    freeCounted(node, load<u32>(node, N_ALLOCATION));
    node = next;
  }
}

function freeCounted(p: usize, size: u32): void {
  templateBytes -= size;
  free(p, size);
}

/** In N_WRITTEN: the event is written anew each time. */
export const NOTHING_WRITTEN: usize = 1;

/** Memory for what a leaf's events are on another wire, which goes with the leaf; its size stands in its first four bytes. 0 = there is none. */
export function allocWritten(leaf: usize, n: u32): usize {
  const size = roundUp(n), account = setAccount(0), block = alloc(size);
  setAccount(account);
  if (!block) return 0;
  templateBytes += size;
  store<u32>(block, size);
  store<u32>(leaf, <u32>block, N_WRITTEN);
  return block;
}
