// Validating a model text and noting its members and blocks in the same pass: a 100 KB model is read once and copied once.
import { bytesClear, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { equalBytes } from "../../memory/copy";
import { scanExactly, scanText, textsAreWhole } from "../../text/long-string";
import { HAS_LOOSE_ESCAPE, scanFlags, setScanFlags } from "../../text/scan";
import { noteSpace, skipValueLater } from "../../text/validate";
import { SCRATCH_FOUND as FOUND, scratchReserve } from "../scratch";
import { maxBlocks, maxDepth } from "./limits";
import { beginFacts, FACT_END, FACT_FLAGS, FACTS_SIZE, noteMember, NO_OBJECT } from "./facts";

// Member record of the model, 16 B: 0 key | 4 key length | 8 start | 12 end
const MOST_MEMBERS: u32 = 16;
const MEMBERS: usize = memory.data(16 * 16, 16);

/** Members of the model, and whether there were more than are noted or a name stands twice. */
export let modelMembers: u32 = 0;
export let modelIsIrregular: bool = false;
/** Blocks found, one more than the limit at most. */
export let foundBlocks: u32 = 0;
/** Deepest level that the model, its blocks array and its blocks open. */
export let modelDepth: u32 = 0;
/** The table of blocks found no memory. */
export let scanOutOfMemory: bool = false;

let lines: bool = false;

export function foundAt(i: u32): usize { return <usize>load<u32>(FOUND, RUN_PTR) + i * FACTS_SIZE; }
@inline export function modelMemberAt(i: u32): usize { return MEMBERS + (i << 4); }

@inline function skipBlank(p: usize): usize { return load<u8>(p) > 0x20 ? p : skipBlankSlow(p); }

function skipBlankSlow(p: usize): usize {
  while (true) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x09 && (lines || (c != 0x0a && c != 0x0d))) return p;
    noteSpace();
    p++;
  }
}

let keyEnd: usize = 0;

// A key at p and its colon: the address of the value, or 0.
@inline function readKey(p: usize): usize {
  if (load<u8>(p) != 0x22) return 0;
  setScanFlags(0);
  keyEnd = scanText(p + 1);
  if (!keyEnd) return 0;
  if (scanFlags & HAS_LOOSE_ESCAPE) noteSpace();
  p = skipBlank(keyEnd + 1);
  return load<u8>(p) == 0x3a ? skipBlank(p + 1) : 0;
}

// Most members of blocks are strings.
@inline function skipText(p: usize): usize {
  setScanFlags(0);
  const end = scanText(p + 1);
  if (scanFlags & HAS_LOOSE_ESCAPE) noteSpace();
  return end ? end + 1 : 0;
}

/** Reads the model object at `p`, which stands inside of `depth` containers; the address behind it, or 0. */
export function scanModel(p: usize, lineMode: bool, depth: u32): usize {
  const end = scanMembersOfModel(p, lineMode, depth), whole = textsAreWhole();
  if (!end || whole) return end;
  scanExactly(true);
  const exact = scanMembersOfModel(p, lineMode, depth);
  scanExactly(false);
  return exact;
}

function scanMembersOfModel(p: usize, lineMode: bool, depth: u32): usize {
  lines = lineMode;
  modelMembers = 0;
  modelIsIrregular = false;
  foundBlocks = 0;
  scanOutOfMemory = false;
  bytesClear(FOUND);
  if (depth >= maxDepth) return 0;
  modelDepth = depth + 1;
  p = skipBlank(p + 1);
  if (load<u8>(p) == 0x7d) return p + 1;
  while (true) {
    const key = p + 1, start = readKey(p);
    if (!start) return 0;
    const n = <u32>(keyEnd - key);
    const isBlocks = n == 6 && load<u32>(key) == 0x636f6c62 && load<u16>(key, 4) == 0x736b;
    p = isBlocks && load<u8>(start) == 0x5b ? scanBlocks(start, depth + 1) : skipValueLater(start, lines, depth + 1);
    if (!p) return 0;
    noteModelMember(key, n, start, p);
    p = skipBlank(p);
    const c = load<u8>(p);
    if (c == 0x2c) { p = skipBlank(p + 1); continue; }
    return c == 0x7d ? p + 1 : 0;
  }
  return 0;
}

function noteModelMember(key: usize, n: u32, start: usize, end: usize): void {
  if (modelMembers == MOST_MEMBERS) { modelIsIrregular = true; return; }
  for (let i: u32 = 0; i < modelMembers; i++) {
    const other = modelMemberAt(i);
    if (load<u32>(other, 4) == n && equalBytes(load<u32>(other), key, n)) modelIsIrregular = true;
  }
  const member = modelMemberAt(modelMembers++);
  store<u32>(member, <u32>key);
  store<u32>(member, n, 4);
  store<u32>(member, <u32>start, 8);
  store<u32>(member, <u32>end, 12);
}

function scanBlocks(p: usize, depth: u32): usize {
  foundBlocks = 0;
  bytesClear(FOUND);
  if (depth >= maxDepth) return 0;
  modelDepth = max<u32>(modelDepth, depth + 1);
  p = skipBlank(p + 1);
  if (load<u8>(p) == 0x5d) return p + 1;
  while (true) {
    p = scanBlock(p, depth + 1);
    if (!p) return 0;
    p = skipBlank(p);
    const c = load<u8>(p);
    if (c == 0x2c) { p = skipBlank(p + 1); continue; }
    return c == 0x5d ? p + 1 : 0;
  }
  return 0;
}

// Facts of one block at the end of the table; behind the limit nothing is noted any more.
function scanBlock(p: usize, depth: u32): usize {
  if (foundBlocks > maxBlocks || scanOutOfMemory) return skipValueLater(p, lines, depth);
  if (!scratchReserve(FOUND, FACTS_SIZE)) { scanOutOfMemory = true; return skipValueLater(p, lines, depth); }
  const facts = <usize>load<u32>(FOUND, RUN_PTR) + load<u32>(FOUND, RUN_LEN);
  store<u32>(FOUND, load<u32>(FOUND, RUN_LEN) + FACTS_SIZE, RUN_LEN);
  foundBlocks++;
  beginFacts(facts, p);
  if (load<u8>(p) == 0x7b) p = scanMembers(facts, p, depth);
  else {
    store<u32>(facts, NO_OBJECT, FACT_FLAGS);
    p = skipValueLater(p, lines, depth);
  }
  store<u32>(facts, <u32>p, FACT_END);
  return p;
}

function scanMembers(facts: usize, p: usize, depth: u32): usize {
  if (depth >= maxDepth) return 0;
  modelDepth = max<u32>(modelDepth, depth + 1);
  p = skipBlank(p + 1);
  if (load<u8>(p) == 0x7d) return p + 1;
  while (true) {
    const key = p + 1, start = readKey(p);
    if (!start) return 0;
    const end = keyEnd;
    p = load<u8>(start) == 0x22 ? skipText(start) : skipValueLater(start, lines, depth + 1);
    if (!p) return 0;
    noteMember(facts, key, <u32>(end - key), start, p);
    p = skipBlank(p);
    const c = load<u8>(p);
    if (c == 0x2c) { p = skipBlank(p + 1); continue; }
    return c == 0x7d ? p + 1 : 0;
  }
  return 0;
}
