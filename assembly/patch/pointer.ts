// JSON pointers (RFC 6901) as canonical string contents: `/` and `~` stand there as themselves, so a token without `~`
// is the key as documents hold it.
import { R_BAD_INDEX, R_INDEX_RANGE, R_NO_VALUE, R_NOT_CONTAINER, R_POINTER } from "../abi/codes";
import { BLOCK, byteRun, eitherRun } from "../text/block";
import { TOO_LARGE, containerNode, documentFault, elementCount, elementSlot, expandSlot, findEntry, isArrayNode, putMember, vectorOf } from "../document/index";
import { TOKEN, scratchFor } from "./scratch";

/**
 * Given instead of an `R_` id: memory is exhausted; the parents that would have to be made nest too deep, or take the document beyond what any may
 * hold.
 */
export const NO_MEMORY: u32 = 0xffffffff, NO_DEPTH: u32 = 0xfffffffe, NO_ROOM: u32 = 0xfffffffd;

/** Node that holds, or would hold, the value; 0: the pointer names the root. */
export let parentNode: usize = 0;
/** The last token, decoded: canonical escaped key text. */
export let tokenAt: usize = 0;
export let tokenLength: u32 = 0;
/** Tokens of the pointer. */
export let tokenCount: u32 = 0;
/** Element before which `findPlace` would insert. */
export let placeIndex: u32 = 0;

/** Why `targetSlot` or a step of a walk has found nothing. */
export let missingReason: u32 = 0;

const NOT_AN_INDEX: u32 = 0xffffffff;
/** Beyond any array. */
const BEYOND: u32 = 0xfffffffe;

// From p to the next `/` or the end; whether a `~` stood before it is left in sawTilde.
let sawTilde: bool = false;
@inline function tokenEnd(p: usize, end: usize): usize {
  sawTilde = false;
  while (p < end) {
    const run = eitherRun(p, 0x2f, 0x7e);
    p += run;
    if (run == BLOCK) continue;
    if (p >= end || load<u8>(p) == 0x2f) break;
    sawTilde = true;
    p++;
  }
  return min<usize>(p, end);
}

/** Whether canonical string contents are a JSON pointer: empty, or tokens behind `/` in which `~` stands only as `~0` and `~1`. */
export function isPointer(p: usize, n: u32): bool {
  if (!n) return true;
  if (load<u8>(p) != 0x2f) return false;
  const end = p + n;
  while (p < end) {
    const run = byteRun(p, 0x7e);
    p += run;
    if (run < BLOCK) return p >= end || tildesAreSound(p, end);
  }
  return true;
}

function tildesAreSound(p: usize, end: usize): bool {
  for (; p < end; p++) {
    if (load<u8>(p) != 0x7e) continue;
    if (++p == end || <u32>load<u8>(p) - 0x30 > 1) return false;
  }
  return true;
}

// Decodes the token [p, end) into a buffer: 0, R_POINTER or NO_MEMORY.
function decodeToken(p: usize, end: usize): u32 {
  if (!tildesAreSound(p, end)) return R_POINTER;
  // block-wise reads of keys look behind the token
  let to = scratchFor(TOKEN, <u32>(end - p) + 16);
  if (!to) return NO_MEMORY;
  const start = to;
  for (; p < end; p++) {
    let c = load<u8>(p);
    if (c == 0x7e) c = load<u8>(++p) == 0x30 ? 0x7e : 0x2f;
    store<u8>(to++, c);
  }
  tokenAt = start;
  tokenLength = <u32>(to - start);
  return 0;
}

/** Reads the token of a sound pointer that begins at `from`, behind its slash, into `tokenAt` and `tokenLength`; the address behind it, 0 = out of memory. */
export function readToken(from: usize, end: usize): usize {
  const p = tokenEnd(from, end);
  if (sawTilde) return decodeToken(from, p) ? 0 : p;
  tokenAt = from;
  tokenLength = <u32>(p - from);
  return p;
}

// RFC 6901 §4: `0`, or digits without a leading zero.
function arrayIndex(p: usize, n: u32): u32 {
  if (!n) return NOT_AN_INDEX;
  let value = <u32>load<u8>(p) - 48;
  if (value > 9 || (value == 0 && n > 1)) return NOT_AN_INDEX;
  for (let i: u32 = 1; i < n; i++) {
    const digit = <u32>load<u8>(p + i) - 48;
    if (digit > 9) return NOT_AN_INDEX;
    value = value < 0x10000000 ? value * 10 + digit : BEYOND;
  }
  return value;
}

/** The slot of the child of `node` that the current token names; 0 with `missingReason` = there is none. */
@inline function childOf(node: usize): usize {
  if (!isArrayNode(node)) {
    const i = findEntry(node, tokenAt, tokenLength);
    if (i >= 0) return vectorOf(node) + (<usize>i << 4) + 8;
    missingReason = R_NO_VALUE;
    return 0;
  }
  const i = arrayIndex(tokenAt, tokenLength);
  if (i < elementCount(node)) return elementSlot(node, i);
  missingReason = i == NOT_AN_INDEX ? R_BAD_INDEX : R_INDEX_RANGE;
  return 0;
}

const EMPTY_OBJECT: usize = memory.data<u8>([0x7b, 0x7d, 0, 0, 0, 0, 0, 0]);
let makesParents: bool = false;
let mostTokens: u32 = 0;

/** Whether walks make objects of missing members on their way, for pointers of at most so many tokens. */
export function setMakesParents(value: bool, most: u32): void {
  makesParents = value;
  mostTokens = most;
}

// Whether more than `most` tokens begin in [p, end).
function beginMore(p: usize, end: usize, most: u32): bool {
  for (; p < end; p++) if (load<u8>(p) == 0x2f && most-- == 0) return true;
  return false;
}

/**
 * Walks from `root` (a slot of document `d`) to the parent of what the pointer names and leaves it in `parentNode`, the
 * last token in `tokenAt`. Containers on the way become nodes. Returns 0, an `R_` id (a step through a scalar or to
 * something that is not there; a malformed pointer), NO_MEMORY, or what keeps parents from being made.
 */
export function walkPointer(d: usize, root: usize, p: usize, n: u32): u32 {
  parentNode = 0;
  tokenCount = 0;
  if (!n) return 0;
  if (!p || load<u8>(p) != 0x2f) return R_POINTER;
  const end = p + n;
  let slot = root, makes = false;
  while (true) {
    const from = p + 1;
    p = tokenEnd(from, end);
    if (sawTilde) {
      const fault = decodeToken(from, p);
      if (fault) return fault;
    } else {
      tokenAt = from;
      tokenLength = <u32>(p - from);
    }
    const node = containerNode(slot) || expandSlot(d, slot);
    if (!node) return isContainerText(slot) ? NO_MEMORY : R_NOT_CONTAINER;
    tokenCount++;
    if (p == end) { parentNode = node; return 0; }
    slot = childOf(node);
    if (!slot) {
      if (!makesParents || missingReason != R_NO_VALUE) return missingReason;
      // judged before the first one: a pointer of megabytes must not make millions of objects
      if (!makes && beginMore(p, end, mostTokens > tokenCount ? mostTokens - tokenCount : 0)) return NO_DEPTH;
      makes = true;
      slot = putMember(d, node, tokenAt, tokenLength, EMPTY_OBJECT, 2);
      if (!slot) return documentFault == TOO_LARGE ? NO_ROOM : NO_MEMORY;
    }
  }
  return 0;
}

// A container that `expandSlot` could not make a node of: memory is exhausted.
@inline function isContainerText(slot: usize): bool {
  return load<u32>(slot, 4) < 0xfffffffe && (<u32>load<u8>(<usize>load<u32>(slot)) | 0x20) == 0x7b;
}

/** After a walk from `root`: the slot of the value the pointer names; 0 with `missingReason` = there is none. */
export function targetSlot(root: usize): usize { return parentNode ? childOf(parentNode) : root; }

/** After a walk: where `add` puts an element (`placeIndex`) if the parent is an array. 0 or an `R_` id. */
export function findPlace(): u32 {
  if (!parentNode || !isArrayNode(parentNode)) return 0;
  const count = elementCount(parentNode);
  if (tokenLength == 1 && load<u8>(tokenAt) == 0x2d) { placeIndex = count; return 0; }
  const i = arrayIndex(tokenAt, tokenLength);
  placeIndex = i;
  return i <= count ? 0 : i == NOT_AN_INDEX ? R_BAD_INDEX : R_INDEX_RANGE;
}
