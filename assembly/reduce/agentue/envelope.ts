// One validating pass over an event: the envelope's members (AgentUE §4) and the first members of its block as spans.
// A clean event (compact, shortest escapes) is judged where it lies; any other is brought to canonical form in place and read again.
import { HAS_LOOSE_ESCAPE, scanFlags, scanStringShort, setScanFlags, skipNumber } from "../../text/scan";
import { longNumberAt, resetValidate, skipValueAt, valueDepth, valueDirty } from "../../text/validate";
import { canonicalize } from "../../text/minify";
import { integerValue } from "../../text/number";
import { equalBytes } from "../../memory/copy";
import { findMember, valueEnd as foundEnd, valueStart as foundStart } from "../../codec/json/members";
import { maxDepth, maxNumber } from "./limits";
import { modelDepth, scanModel } from "./model-scan";
import { OP_APPEND, OP_END, OP_ERROR, OP_PING, OP_SET, OP_START } from "../../abi/codes";

// Field record 16 B: 0 start | 4 end (strings with their quotes) | 8 kind | 12 order of first appearance
export const F_OP: u32 = 0, F_SEQ: u32 = 1, F_STREAM_ID: u32 = 2, F_TS: u32 = 3, F_MASK: u32 = 4, F_EVENT_TYPE: u32 = 5;
export const F_MODEL: u32 = 6, F_META: u32 = 7, F_BLOCK: u32 = 8, FIELD_COUNT: u32 = 9;
const FIELDS: usize = memory.data(9 * 16, 16);

export const K_ABSENT: u32 = 0, K_STRING: u32 = 1, K_ESCAPED: u32 = 2, K_NUMBER: u32 = 3, K_OBJECT: u32 = 4, K_OTHER: u32 = 5;

// Member record of the block, 20 B: 0 key | 4 key length | 8 start | 12 end | 16 kind
const MEMBERS: u32 = 16;
const MEMBER_SIZE: u32 = 20;
const BLOCK_MEMBERS: usize = memory.data(16 * 20, 16);
let blockCount: u32 = 0;
let blockMore: bool = false;

/** White space, or an escape in other than its shortest spelling outside of the block's own string values. */
let envelopeDirty: bool = false;
/** String values of the block whose escapes may not be in their shortest spelling. */
export let escapedMembers: u32 = 0;
/** The text was brought to canonical form in place: it is not the wire's bytes any more. */
export let envelopeRewritten: bool = false;
/** First number longer than the limit, 0 = none. */
export let envelopeLongNumber: usize = 0;
/** Deepest nesting, the event being level 1. */
export let envelopeDepth: u32 = 0;
export let unknownKey: usize = 0;
export let unknownLength: u32 = 0;
export let unknownOrder: u32 = 0;

let order: u32 = 0;
let readStart: usize = 0;
let readKind: u32 = 0;

@inline export function fieldStart(f: u32): usize { return load<u32>(FIELDS + (f << 4)); }
@inline export function fieldEnd(f: u32): usize { return load<u32>(FIELDS + (f << 4), 4); }
@inline export function fieldKind(f: u32): u32 { return load<u32>(FIELDS + (f << 4), 8); }
@inline export function fieldOrder(f: u32): u32 { return load<u32>(FIELDS + (f << 4), 12); }
@inline export function isString(kind: u32): bool { return kind - 1 < 2; }

@inline function skipBlank(p: usize, lineMode: bool): usize {
  return load<u8>(p) > 0x20 ? p : skipBlankSlow(p, lineMode);
}

// In line mode LF and CR end the line that holds the text, so they are no white space.
function skipBlankSlow(p: usize, lineMode: bool): usize {
  while (true) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x09 && (lineMode || (c != 0x0a && c != 0x0d))) return p;
    envelopeDirty = true;
    p++;
  }
}

// Reads the value at p into readStart, readKind; returns its end or 0.
@inline function readValue(p: usize, lineMode: bool, depth: u32): usize {
  const c = <u32>load<u8>(p);
  readStart = p;
  if (c == 0x22) {
    setScanFlags(0);
    p = scanStringShort(p + 1);
    if (!p) return 0;
    readKind = scanFlags & HAS_LOOSE_ESCAPE ? K_ESCAPED : K_STRING;
    return p + 1;
  }
  if (c - 48 < 10 || c == 0x2d) {
    p = skipNumber(p);
    if (<u32>(p - readStart) > maxNumber && p && !envelopeLongNumber) envelopeLongNumber = readStart;
    readKind = K_NUMBER;
    return p;
  }
  readKind = c == 0x7b ? K_OBJECT : K_OTHER;
  return skipValueAt(p, lineMode, depth);
}

function scanBlock(p: usize, lineMode: bool): usize {
  blockCount = 0;
  blockMore = false;
  escapedMembers = 0;
  if (maxDepth < 2) return 0;
  p = skipBlank(p + 1, lineMode);
  if (load<u8>(p) == 0x7d) return p + 1;
  while (true) {
    if (load<u8>(p) != 0x22) return 0;
    setScanFlags(0);
    const key = p + 1;
    p = scanStringShort(key);
    if (!p) return 0;
    const n = <u32>(p - key);
    if (scanFlags & HAS_LOOSE_ESCAPE) envelopeDirty = true;
    p = skipBlank(p + 1, lineMode);
    if (load<u8>(p) != 0x3a) return 0;
    p = readValue(skipBlank(p + 1, lineMode), lineMode, 2);
    if (!p) return 0;
    if (readKind == K_ESCAPED) escapedMembers++;
    if (blockCount < MEMBERS) {
      const entry = BLOCK_MEMBERS + blockCount * MEMBER_SIZE;
      store<u32>(entry, <u32>key);
      store<u32>(entry, n, 4);
      store<u32>(entry, <u32>readStart, 8);
      store<u32>(entry, <u32>p, 12);
      store<u32>(entry, readKind, 16);
      blockCount++;
    } else blockMore = true;
    p = skipBlank(p, lineMode);
    const c = load<u8>(p);
    if (c == 0x2c) { p = skipBlank(p + 1, lineMode); continue; }
    return c == 0x7d ? p + 1 : 0;
  }
  return 0;
}

function fieldOf(key: usize, n: u32): u32 {
  switch (n) {
    case 2: return load<u16>(key) == 0x706f ? F_OP : load<u16>(key) == 0x7374 ? F_TS : FIELD_COUNT;
    case 3: return load<u16>(key) == 0x6573 && load<u8>(key, 2) == 0x71 ? F_SEQ : FIELD_COUNT;
    case 4: return load<u32>(key) == 0x6b73616d ? F_MASK : load<u32>(key) == 0x6174656d ? F_META : FIELD_COUNT;
    case 5:
      if (load<u32>(key) == 0x636f6c62 && load<u8>(key, 4) == 0x6b) return F_BLOCK;
      return load<u32>(key) == 0x65646f6d && load<u8>(key, 4) == 0x6c ? F_MODEL : FIELD_COUNT;
    case 9: return load<u64>(key) == 0x695f6d6165727473 && load<u8>(key, 8) == 0x64 ? F_STREAM_ID : FIELD_COUNT;
    case 10: return load<u64>(key) == 0x79745f746e657665 && load<u16>(key, 8) == 0x6570 ? F_EVENT_TYPE : FIELD_COUNT;
    default: return FIELD_COUNT;
  }
}

function noteUnknown(key: usize, n: u32): void {
  if (!unknownKey) {
    unknownKey = key;
    unknownLength = n;
    unknownOrder = order;
  }
  order++;
}

/**
 * Reads the event at `p` (its opening brace). Returns the address behind it, or 0 where the text is not one well-formed object within
 * the limits. `lineMode`: the text stands on one line, a line end is not white space.
 */
export function scanEnvelope(p: usize, lineMode: bool): usize {
  for (let f: u32 = 0; f < FIELD_COUNT; f++) store<u32>(FIELDS + (f << 4), K_ABSENT, 8);
  envelopeDirty = false;
  envelopeRewritten = false;
  escapedMembers = 0;
  envelopeLongNumber = 0;
  unknownKey = 0;
  order = 0;
  blockCount = 0;
  blockMore = false;
  resetValidate();
  p = skipBlank(p + 1, lineMode);
  if (load<u8>(p) == 0x7d) { p++; return finishScan(p); }
  while (true) {
    if (load<u8>(p) != 0x22) return 0;
    setScanFlags(0);
    const key = p + 1;
    p = scanStringShort(key);
    if (!p) return 0;
    const n = <u32>(p - key);
    if (scanFlags & HAS_LOOSE_ESCAPE) envelopeDirty = true;
    p = skipBlank(p + 1, lineMode);
    if (load<u8>(p) != 0x3a) return 0;
    p = skipBlank(p + 1, lineMode);
    const f = fieldOf(key, n);
    if (f == F_BLOCK && load<u8>(p) == 0x7b) {
      const start = p;
      p = scanBlock(p, lineMode);
      readStart = start;
      readKind = K_OBJECT;
    } else if (f == F_MODEL && load<u8>(p) == 0x7b) {
      const start = p;
      p = scanModel(p, lineMode, 1);
      readStart = start;
      readKind = K_OBJECT;
    } else p = readValue(p, lineMode, 1);
    if (!p) return 0;
    if (readKind == K_ESCAPED) envelopeDirty = true;
    if (f < FIELD_COUNT) {
      const field = FIELDS + (f << 4);
      if (load<u32>(field, 8) == K_ABSENT) store<u32>(field, order++, 12);
      store<u32>(field, <u32>readStart);
      store<u32>(field, <u32>p, 4);
      store<u32>(field, readKind, 8);
    } else noteUnknown(key, n);
    p = skipBlank(p, lineMode);
    const c = load<u8>(p);
    if (c == 0x2c) { p = skipBlank(p + 1, lineMode); continue; }
    return c == 0x7d ? finishScan(p + 1) : 0;
  }
  return 0;
}

function finishScan(p: usize): usize {
  envelopeDepth = max<u32>(valueDepth, fieldKind(F_MODEL) == K_OBJECT ? modelDepth : fieldKind(F_BLOCK) == K_OBJECT ? 2 : 1);
  if (valueDirty) envelopeDirty = true;
  if (longNumberAt && (!envelopeLongNumber || longNumberAt < envelopeLongNumber)) envelopeLongNumber = longNumberAt;
  return p;
}

/**
 * Whether the scanned event can be judged as it lies: it is canonical, or it is an append of one string whose escapes are brought to
 * their shortest spelling when it is copied.
 */
export function canStayRaw(): bool {
  if (envelopeDirty) return false;
  if (!escapedMembers) return true;
  if (blockMore || escapedMembers != 1 || opOf() != OP_APPEND || fieldKind(F_MASK) != K_STRING) return false;
  const field = fieldStart(F_MASK) + 7, n = <u32>(fieldEnd(F_MASK) - field) - 1;
  return <i32>n > 0 && !(n == 2 && load<u16>(field) == 0x6469) && findBlockMember(field, n) && memberKind == K_ESCAPED;
}

/** Whether the block holds scalars only, and no number text of more than `digits` characters. */
export function isFlatBlock(digits: u32): bool {
  if (blockMore || envelopeDepth > 2) return false;
  for (let i: u32 = 0; i < blockCount; i++) {
    const entry = BLOCK_MEMBERS + i * MEMBER_SIZE;
    if (load<u32>(entry, 16) == K_NUMBER && !isShortNumber(load<u32>(entry, 8), load<u32>(entry, 12), digits)) return false;
  }
  return true;
}

// Without an exponent so few digits are within the range of a double and survive it: no wire loses or refuses them.
function isShortNumber(p: usize, end: usize, digits: u32): bool {
  if (<u32>(end - p) > digits) return false;
  for (; p < end; p++) if ((<u32>load<u8>(p) | 32) == 0x65) return false;
  return true;
}

/** Brings the scanned event at `start` to canonical form in place and reads it again; returns its new end. */
export function normalizeEnvelope(start: usize): usize {
  const long = envelopeLongNumber;
  const end = canonicalize(start, start);
  scanEnvelope(start, false);
  envelopeLongNumber = long;
  envelopeRewritten = true;
  return end;
}

/** The last member of that name in the block; leaves its span in `memberStart`, `memberEnd`, its kind in `memberKind`. */
export let memberStart: usize = 0;
export let memberEnd: usize = 0;
export let memberKind: u32 = 0;
export function findBlockMember(key: usize, n: u32): bool {
  if (blockMore) {
    if (!findMember(fieldStart(F_BLOCK), key, n)) return false;
    memberStart = foundStart;
    memberEnd = foundEnd;
    const c = load<u8>(foundStart);
    memberKind = c == 0x22 ? K_ESCAPED : c == 0x7b ? K_OBJECT : c == 0x2d || <u32>c - 48 < 10 ? K_NUMBER : K_OTHER;
    return true;
  }
  for (let i = blockCount; i > 0; i--) {
    const entry = BLOCK_MEMBERS + (i - 1) * MEMBER_SIZE;
    if (load<u32>(entry, 4) == n && equalBytes(load<u32>(entry), key, n)) {
      memberStart = load<u32>(entry, 8);
      memberEnd = load<u32>(entry, 12);
      memberKind = load<u32>(entry, 16);
      return true;
    }
  }
  return false;
}

/** The op's `OP_` id, 0 for an unknown one or a member that is no string. */
export function opOf(): u32 {
  if (fieldKind(F_OP) != K_STRING) return 0;
  const p = fieldStart(F_OP) + 1;
  switch (<u32>(fieldEnd(F_OP) - p) - 1) {
    case 3:
      if (load<u16>(p) == 0x6573) return load<u8>(p, 2) == 0x74 ? OP_SET : 0;
      return load<u16>(p) == 0x6e65 && load<u8>(p, 2) == 0x64 ? OP_END : 0;
    case 4: return load<u32>(p) == 0x676e6970 ? OP_PING : 0;
    case 5:
      if (load<u32>(p) == 0x72617473) return load<u8>(p, 4) == 0x74 ? OP_START : 0;
      return load<u32>(p) == 0x6f727265 && load<u8>(p, 4) == 0x72 ? OP_ERROR : 0;
    case 6: return load<u32>(p) == 0x65707061 && load<u16>(p, 4) == 0x646e ? OP_APPEND : 0;
    default: return 0;
  }
}

/** The integer that a field holds (any JSON spelling), −1 when it is no integer in 0 … 2^53−1. */
export function integerOf(f: u32): f64 {
  if (fieldKind(f) != K_NUMBER) return -1;
  const p = fieldStart(f), n = <u32>(fieldEnd(f) - p);
  if (n > 15) return integerValue(p, n);
  let v: u64 = 0;
  for (let i: u32 = 0; i < n; i++) {
    const d = <u32>load<u8>(p + i) - 48;
    if (d > 9) return integerValue(p, n);
    v = v * 10 + d;
  }
  return <f64>v;
}
