// Forms: templates of appends whose numbers and ids have fixed lengths, so that all of an event in front of its delta, and all behind it, stands where it
// stood before. Walking a template costs a mispredicted branch wherever events take turns; a form is compared as a whole, each byte with the least and the
// greatest that may stand there. Each form was a match of a template first, so a form says what the templates would say; events whose numbers or ids are
// longer make forms of their own, the oldest giving way. What is not entirely ordinary is left to the templates. In 64 KiB chunks a token costs 0.6 of what
// it costs on templates where 8 shapes take turns. Without SIMD the comparison would cost more than it saves.
import { STATUS_OPEN } from "../../abi/codes";
import { OPT_TRANSPORT } from "../../abi/layout";
import { alloc, roundUp, setAccount } from "../../memory/heap";
import { equalText } from "../../memory/copy";
import { HAS_LOOSE_ESCAPE, scanFlags, scanString, scanUnits, setScanFlags } from "../../text/scan";
import { stringRun } from "../../text/block";
import { codeUnits } from "../../text/units";
import { appendHot, appendPlain, hasHotField } from "../../reduce/agentue/append";
import { RECALL_IDS, RECALL_LENGTHS, recall, recalledBlock, recalledOwner, recalledState, recallEntry, recallSlot } from "../../reduce/agentue/recall";
import { B_ID, findBlock, IN_BURST, S_SEQ, S_STATUS, SEQ_KNOWN } from "../../reduce/agentue/state";
import { F_LIMIT } from "../../frame/state";
import { C_FRAME, C_OPTIONS, PAUSED, T_FLAGS, T_ID, T_STATE } from "../layout";
import { findStream } from "../streams";
import { matchedDelta, matchedDeltaEnd, matchedFieldWord, matchedHoles, MATCH_NUMBER, MATCH_SOURCE, MATCH_TARGET, MATCH_TIME } from "./templates";

// Form, FORM_SIZE bytes. Places count from the event's first byte as if its delta were empty; for what stands behind the delta there are ones in `behind`.
//   0 bytes of the word that ends the seq which are its digits, u64 | 8 name of the field as one word u64 | 16 bytes in front of the delta | 20 behind it |
//  24 blocks of 16 bytes of these | 28 end of the seq, 32 behind | 36 end of the block's id, 40 behind | 44 end of the stream's id, 48 behind |
//  52 lengths of both ids, the stream's in the upper half | 56 end of the time, 60 behind (nobody asks)
//  64, 80 which of the last 16 bytes of the ids of block and stream belong to them
//  96 ranges: for each 16 bytes the least and the greatest that may stand there, HEAD_BLOCKS in front of the delta, TAIL_BLOCKS behind it
const KEEP: usize = 0, WORD: usize = 8, HEAD: usize = 16, TAIL: usize = 20, TAIL_USED: usize = 24, SEQ_END: usize = 28, SEQ_BEHIND: usize = 32;
const TARGET_END: usize = 36, TARGET_BEHIND: usize = 40, SOURCE_END: usize = 44, SOURCE_BEHIND: usize = 48, LENGTHS: usize = 52;
const TARGET_MASK: usize = 64, SOURCE_MASK: usize = 80, RANGES: usize = 96;
const HEAD_BLOCKS: u32 = 16, TAIL_BLOCKS: u32 = 8;
const TAIL_RANGES: usize = RANGES + (<usize>HEAD_BLOCKS << 5);
const FORM_SIZE: u32 = <u32>TAIL_RANGES + (TAIL_BLOCKS << 5);
const MOST_SEQ_DIGITS: u32 = 8;

// Forms of a set: 0 places of the windows, 8 x u8 | 8 windows | 12 forms | 16 the one to give way next | 20 blocks in front of the delta at most |
// 24 level of the bucket | 28 events to rest | 32 form met last | 36 how much events take turns | 48 forms ptr | 176 a table for each window: byte -> bits
// of the forms that may have it there
const WINDOWS: usize = 8, COUNT: usize = 12, NEXT: usize = 16, BLOCKS: usize = 20, LEVEL: usize = 24, RESTING: usize = 28, LAST: usize = 32, TURNS: usize = 36;
const LIST: usize = 48, TABLES: usize = 176;
const MOST_WINDOWS: u32 = 8, MOST_FORMS: u32 = 32;
const SET_SIZE: u32 = <u32>TABLES + (MOST_WINDOWS << 10);

// A leaky bucket, as for templates: a form costs as much as a few events that are read without one.
const LEARN_COST: u32 = 8, BUCKET: u32 = 512, REST: u32 = 1024;
// From here on events take turns so much that their forms are looked up and not guessed.
const TURNING: i32 = 32, MOST_TURNS: i32 = 64;

// The forms of SSE and NDJSON, by the `TRANSPORT_` id: a ptr each, 0 = none yet.
const SETS: usize = memory.data(4 * 4, 4);
/** Events that a form recognised. */
export let formHits: u32 = 0;
/** Bytes the forms hold; like templates they belong to the engine. */
export let formBytes: u32 = 0;
/** Events that the last call of `foldForms` has folded. */
export let foldedByForms: u32 = 0;
/** Whether the event that it left has a form it knows: then there is nothing to learn from it. */
let formKnown: bool = false;

@inline function setOf(c: usize): usize { return SETS + (<usize>load<u8>(c + C_OPTIONS, OPT_TRANSPORT) << 2); }

@inline function window(f: usize, p: usize, w: u32): u32 {
  return load<u32>(f + TABLES + (w << 10) + (<usize>load<u8>(p + load<u8>(f + w)) << 2));
}

// Bits of the forms that the event at `p` may have.
@inline function candidates(f: usize, p: usize): u32 {
  const bits = window(f, p, 0) & window(f, p, 1) & window(f, p, 2) & window(f, p, 3);
  return load<u32>(f, WINDOWS) > 4 ? bits & window(f, p, 4) & window(f, p, 5) & window(f, p, 6) & window(f, p, 7) : bits;
}

@inline function formOf(f: usize, bits: u32): usize { return <usize>load<u32>(f + LIST + (<usize>ctz(bits) << 2)); }

// Not zero where a byte of the block is out of its range.
@inline function outside(p: usize, ranges: usize): v128 {
  const text = v128.load(p);
  return v128.or(i8x16.sub_sat_u(v128.load(ranges), text), i8x16.sub_sat_u(text, v128.load(ranges, 16)));
}

@inline function fourOutside(p: usize, ranges: usize): v128 {
  return v128.or(
    v128.or(outside(p, ranges), outside(p + 16, ranges + 32)), v128.or(outside(p + 32, ranges + 64), outside(p + 48, ranges + 96)));
}

/** Folds the events from `p` on as long as forms know them; the address behind them. */
export function foldForms(c: usize, p: usize, end: usize): usize {
  foldedByForms = 0;
  formKnown = false;
  if (!ASC_FEATURE_SIMD) return p;
  const f = <usize>load<u32>(setOf(c));
  if (!f) return p;
  const limit = load<u32>(c + C_FRAME, F_LIMIT);
  let n: u32 = 0, turns = load<i32>(f, TURNS), last = <usize>load<u32>(f, LAST), form = last, bits: u32 = 0, looked = false;
  if (!last) return p;
  while (p < end) {
    if (turns >= TURNING && !looked) {
      bits = candidates(f, p);
      if (!bits) break;
      form = formOf(f, bits);
      looked = true;
    }
    const q = foldForm(c, p, form, load<u32>(f, BLOCKS), limit);
    if (q > KNOWN) {
      if (looked) {
        turns = turns >= TURNING ? min<i32>(turns + (form == last ? -1 : 2), MOST_TURNS) : turns + 4;
        last = form;
        looked = false;
      }
      n++;
      p = q;
      continue;
    }
    if (q == KNOWN) { formKnown = true; break; }
    bits = looked ? bits & (bits - 1) : candidates(f, p);
    looked = true;
    if (!bits) break;
    form = formOf(f, bits);
  }
  foldedByForms = n;
  store<u32>(f, <u32>last, LAST);
  store<i32>(f, turns, TURNS);
  if (n) {
    formHits += n;
    store<u32>(f, load<u32>(f, LEVEL) > n ? load<u32>(f, LEVEL) - n : 0, LEVEL);
  }
  return p;
}

// What `foldForm` says of an event whose form it is, but which is not entirely ordinary. No address.
const KNOWN: usize = 1;

const ONES: u64 = 0x0101010101010101;

// The address behind the event, 0: it is not of this form, or KNOWN.
@inline function foldForm(c: usize, p: usize, form: usize, blocks: u32, limit: u32): usize {
  const delta = p + load<u32>(form, HEAD);
  let q = delta + stringRun(delta), units = <u32>(q - delta), isLoose = false;
  if (load<u8>(q) != 0x22) {
    setScanFlags(0);
    q = scanString(delta);
    if (!q) return 0;
    isLoose = (scanFlags & HAS_LOOSE_ESCAPE) != 0;
    units = !scanFlags ? <u32>(q - delta) : scanUnits || isLoose ? scanUnits : codeUnits(delta, q);
  }
  const shift = <u32>(q - delta);
  // the text in front of the delta and behind it, digits of its numbers included
  let wrong = v128.or(fourOutside(p, form + RANGES), fourOutside(p + 64, form + RANGES + 128));
  if (blocks > 8) {
    wrong = v128.or(wrong, fourOutside(p + 128, form + RANGES + 256));
    if (blocks > 12) wrong = v128.or(wrong, fourOutside(p + 192, form + RANGES + 384));
  }
  wrong = v128.or(wrong, outside(q, form + TAIL_RANGES));
  const tail = load<u32>(form, TAIL_USED);
  if (tail > 1) {
    wrong = v128.or(wrong, outside(q + 16, form + TAIL_RANGES + 32));
    for (let i: usize = 2; i < <usize>tail; i++) wrong = v128.or(wrong, outside(q + (i << 4), form + TAIL_RANGES + (i << 5)));
  }
  // ids
  const targetEnd = p + load<u32>(form, TARGET_END) + (shift & load<u32>(form, TARGET_BEHIND));
  const sourceEnd = p + load<u32>(form, SOURCE_END) + (shift & load<u32>(form, SOURCE_BEHIND));
  const target = v128.and(v128.load(targetEnd - 16), v128.load(form, TARGET_MASK)), source = v128.and(v128.load(sourceEnd - 16), v128.load(form, SOURCE_MASK));
  const lengths = load<u32>(form, LENGTHS);
  const slot = recallSlot(i64x2.extract_lane(source, 1), i64x2.extract_lane(target, 1));
  let entry = recallEntry(slot);
  if (v128.any_true(wrong)) return 0;
  // stream and block
  if (recalledOwner(entry) != c || load<u32>(entry, RECALL_LENGTHS) != lengths
    || v128.any_true(v128.or(v128.xor(target, v128.load(entry, RECALL_IDS)), v128.xor(source, v128.load(entry, RECALL_IDS + 16))))) {
    entry = lookUp(c, slot, targetEnd, sourceEnd, lengths);
    if (!entry) return 0;
    v128.store(entry, target, RECALL_IDS);
    v128.store(entry, source, RECALL_IDS + 16);
  }
  const s = recalledState(entry), block = recalledBlock(entry);
  // the rest of long ids
  if (lengths & 0xfff0fff0 && !sameIds(s, block, targetEnd, sourceEnd, lengths)) return 0;
  const size = load<u32>(form, HEAD) + shift + load<u32>(form, TAIL);
  if (size > limit) return KNOWN;
  if (load<u8>(s - T_STATE, T_FLAGS) & PAUSED) return KNOWN;
  if ((load<u16>(s, S_STATUS) & ((<u32>(SEQ_KNOWN | IN_BURST) << 8) | 0xff)) != (<u32>SEQ_KNOWN << 8 | STATUS_OPEN)) return KNOWN;
  // seq: two digits, four, eight at once
  let d = (load<u64>(p + load<u32>(form, SEQ_END) + (shift & load<u32>(form, SEQ_BEHIND)) - 8) ^ (ONES * 0x30)) & load<u64>(form, KEEP);
  d = d * 10 + (d >> 8);
  d = ((d & 0xff000000ff) * 0x000f424000000064 + ((d >> 16) & 0xff000000ff) * 0x0000271000000001) >> 32;
  // seq and the number of applied events stand side by side
  const counts = f64x2.add(v128.load(s, S_SEQ), f64x2.splat(1));
  if (f64x2.extract_lane(counts, 0) != <f64><i64>d) return KNOWN;
  if (isLoose) {
    if (!appendLoose(s, block, load<u64>(form, WORD), delta, q, units)) return KNOWN;
  } else if (!appendPlain(s, block, load<u64>(form, WORD), delta, shift, units, s - T_STATE)) return KNOWN;
  v128.store(s, counts, S_SEQ);
  return p + size;
}

// Contents with `\u`, which may be the half of a character that is there already.
function appendLoose(s: usize, block: usize, word: u64, p: usize, end: usize, units: u32): bool {
  return hasHotField(block, word, 0, 0) && appendHot(s, block, p, end, HAS_LOOSE_ESCAPE, units, s - T_STATE);
}

// Finds stream and block the long way and notes where they are; 0: they are not there.
function lookUp(c: usize, slot: usize, targetEnd: usize, sourceEnd: usize, lengths: u32): usize {
  const targetLength = lengths & 0xffff, sourceLength = lengths >> 16;
  const t = findStream(c, sourceEnd - sourceLength, sourceLength), block: usize = t ? findBlock(t + T_STATE, targetEnd - targetLength, targetLength) : 0;
  return block ? recall(slot, c, lengths, t + T_STATE, block) : 0;
}

function sameIds(s: usize, block: usize, targetEnd: usize, sourceEnd: usize, lengths: u32): bool {
  const targetLength = lengths & 0xffff, sourceLength = lengths >> 16;
  return equalText(targetEnd - targetLength, block + B_ID, targetLength) && equalText(sourceEnd - sourceLength, s - T_STATE + T_ID, sourceLength);
}

// ---------------------------------------------------------------- learning

/** Learns the append [p, end) that a template has just matched, where its numbers and ids are of ordinary length. */
export function learnForm(c: usize, p: usize, end: usize): void {
  if (!ASC_FEATURE_SIMD || formKnown) return;
  const head = <u32>(matchedDelta - p), tail = <u32>(end - matchedDeltaEnd);
  if (head > HEAD_BLOCKS << 4 || tail > TAIL_BLOCKS << 4 || !matchedFieldWord || load<u32>(matchedHoles + MATCH_NUMBER, 4) > MOST_SEQ_DIGITS) return;
  const account = setAccount(0);
  let f = <usize>load<u32>(setOf(c));
  if (!f) f = openForms(setOf(c));
  if (f && mayLearn(f)) learn(f, p, head, tail);
  setAccount(account);
}

function openForms(set: usize): usize {
  const f = alloc(SET_SIZE);
  if (f) {
    memory.fill(f, 0, TABLES);
    forgetForms(f);
    store<u32>(set, <u32>f);
    formBytes += roundUp(SET_SIZE);
  }
  return f;
}

function mayLearn(f: usize): bool {
  const resting = load<u32>(f, RESTING);
  if (resting) { store<u32>(f, resting - 1, RESTING); return false; }
  const level = load<u32>(f, LEVEL) + LEARN_COST;
  store<u32>(f, level > BUCKET ? BUCKET >> 1 : level, LEVEL);
  if (level <= BUCKET) return true;
  store<u32>(f, REST, RESTING);
  return false;
}

// No form is known: window 0, which looks at what is the same in all of them, says so. Windows that are not open yet exclude none.
function forgetForms(f: usize): void {
  store<u64>(f, 0);
  store<u32>(f, 1, WINDOWS);
  store<u32>(f, 0, COUNT);
  store<u32>(f, 0, NEXT);
  // none of them may be guessed any more either: it may be longer than those to come
  store<u32>(f, 0, BLOCKS);
  store<u32>(f, 0, LAST);
  memory.fill(f + TABLES, 0, 1024);
  memory.fill(f + TABLES + 1024, 0xff, (MOST_WINDOWS - 1) << 10);
}

// The form of the matched event is a new one, or takes the place of the oldest.
function learn(f: usize, p: usize, head: u32, tail: u32): void {
  const i = load<u32>(f, NEXT), list = f + LIST + (<usize>i << 2), bit: u32 = 1 << i;
  let form = <usize>load<u32>(list);
  if (!form) {
    form = alloc(FORM_SIZE);
    if (!form) return;
    store<u32>(list, <u32>form);
    formBytes += roundUp(FORM_SIZE);
  } else exclude(f, bit);
  fillForm(form, p, head, tail);
  separate(f, form, p);
  for (let w: u32 = 0, windows = load<u32>(f, WINDOWS); w < windows; w++) mark(f, w, form, bit);
  store<u32>(f, (i + 1) & (MOST_FORMS - 1), NEXT);
  store<u32>(f, max<u32>(load<u32>(f, COUNT), i + 1), COUNT);
  store<u32>(f, max<u32>(load<u32>(f, BLOCKS), (head + 15) >> 4), BLOCKS);
  store<u32>(f, <u32>form, LAST);
}

function fillForm(form: usize, p: usize, head: u32, tail: u32): void {
  memory.fill(form, 0, RANGES);
  store<u64>(form, matchedFieldWord, WORD);
  store<u32>(form, head, HEAD);
  store<u32>(form, tail, TAIL);
  store<u32>(form, (tail + 15) >> 4, TAIL_USED);
  putRanges(form + RANGES, p, head, HEAD_BLOCKS);
  putRanges(form + TAIL_RANGES, matchedDeltaEnd, tail, TAIL_BLOCKS);
  const digits = putHole(form, p, MATCH_NUMBER, SEQ_END, true);
  store<u64>(form, ~(<u64>0) << (64 - (digits << 3)), KEEP);
  if (load<u32>(matchedHoles + MATCH_TIME)) putHole(form, p, MATCH_TIME, SEQ_END + 28, true);
  const target = putHole(form, p, MATCH_TARGET, TARGET_END, false);
  memory.fill(form + TARGET_MASK + 16 - min<u32>(target, 16), 0xff, min<u32>(target, 16));
  let source: u32 = 0;
  if (load<u32>(matchedHoles + MATCH_SOURCE)) source = putHole(form, p, MATCH_SOURCE, SOURCE_END, false);
  // nothing is read in front of the text
  else store<u32>(form, 16, SOURCE_END);
  memory.fill(form + SOURCE_MASK + 16 - min<u32>(source, 16), 0xff, min<u32>(source, 16));
  store<u32>(form, target | source << 16, LENGTHS);
}

// 16 bytes of ones, and as many zeros
const ONES_AND_ZEROS: usize = memory.data<u64>([0xffffffffffffffff, 0xffffffffffffffff, 0, 0]);

function putRanges(at: usize, p: usize, n: usize, blocks: usize): void {
  for (let i: usize = 0; i < blocks << 4; i += 16, at += 32) {
    const known = v128.load(ONES_AND_ZEROS + 16 - (i < n ? min<usize>(n - i, 16) : 0)), text = v128.load(p + i);
    v128.store(at, v128.and(text, known));
    v128.store(at, v128.or(text, v128.not(known)), 16);
  }
}

@inline function rangeAt(ranges: usize, i: u32): usize { return ranges + ((i >> 4) << 5) + (i & 15); }

// Notes where a hole ends, and what may stand in it: digits without a leading zero, or anything. Its length.
function putHole(form: usize, p: usize, hole: usize, end: usize, isNumber: bool): u32 {
  const start = <usize>load<u32>(matchedHoles + hole), n = load<u32>(matchedHoles + hole, 4), isBehind = start >= matchedDeltaEnd;
  store<u32>(form + end, <u32>(start - p) + n - (isBehind ? <u32>(matchedDeltaEnd - matchedDelta) : 0));
  store<u32>(form + end, isBehind ? 0xffffffff : 0, 4);
  const ranges = form + (isBehind ? TAIL_RANGES : RANGES), at = <u32>(start - (isBehind ? matchedDeltaEnd : p));
  for (let i: u32 = 0; i < n; i++) {
    const to = rangeAt(ranges, at + i);
    store<u8>(to, isNumber ? i || n == 1 ? 0x30 : 0x31 : 0);
    store<u8>(to, isNumber ? 0x39 : 0xff, 16);
  }
  return n;
}

// Whether a byte may stand at a place of a form. A hole for an id does not let a quote pass: there an id of another length ends.
@inline function admits(form: usize, at: u32, byte: u32): bool {
  const to = rangeAt(form + RANGES, at), least = <u32>load<u8>(to), most = <u32>load<u8>(to, 16);
  return byte >= least && byte <= most && !(byte == 0x22 && most == 0xff && at < load<u32>(form, HEAD));
}

// Whether no byte at that place is of both forms; one of them must be certain there.
function excludes(a: usize, b: usize, at: u32): bool {
  const x = rangeAt(a + RANGES, at), y = rangeAt(b + RANGES, at);
  return (load<u8>(x) == load<u8>(x, 16) && !admits(b, at, load<u8>(x))) || (load<u8>(y) == load<u8>(y, 16) && !admits(a, at, load<u8>(y)));
}

// Takes a form out of all windows.
function exclude(f: usize, bit: u32): void {
  const others = i32x4.splat(~bit);
  for (let at = f + TABLES, stop = at + (load<u32>(f, WINDOWS) << 10); at < stop; at += 16) v128.store(at, v128.and(v128.load(at), others));
}

// Lets a form through window `w` with what it may have there.
function mark(f: usize, w: u32, form: usize, bit: u32): void {
  const at = <u32>load<u8>(f + w), to = rangeAt(form + RANGES, at), least = <u32>load<u8>(to), most = <u32>load<u8>(to, 16);
  const table = f + TABLES + (w << 10), quote = table + (0x22 << 2), quoted = load<u32>(quote);
  if (w && most < 0xff) {
    for (let byte = least; byte <= most; byte++) store<u32>(table + (byte << 2), load<u32>(table + (byte << 2)) | bit);
    return;
  }
  const too = i32x4.splat(bit);
  for (let i: u32 = 0; i < 1024; i += 16) v128.store(table + i, v128.or(v128.load(table + i), too));
  if (w && !admits(form, at, 0x22)) store<u32>(quote, quoted);
}

// Opens windows until no other form may be the event at `p`, which has the form `form`.
function separate(f: usize, form: usize, p: usize): void {
  let bits = candidates(f, p);
  while (bits) {
    const other = formOf(f, bits), most = min<u32>(load<u32>(form, HEAD), load<u32>(other, HEAD));
    let at: u32 = 0;
    while (at < most && !excludes(form, other, at)) at++;
    // they differ behind their deltas only
    if (at == most) { bits &= bits - 1; continue; }
    openWindow(f, at);
    bits &= candidates(f, p);
  }
}

function openWindow(f: usize, at: u32): void {
  const w = load<u32>(f, WINDOWS);
  if (w == MOST_WINDOWS) {
    forgetForms(f);
    return;
  }
  store<u8>(f + w, <u8>at);
  store<u32>(f, w + 1, WINDOWS);
  const known = load<u32>(f + TABLES), count = load<u32>(f, COUNT);
  memory.fill(f + TABLES + (w << 10), 0, 1024);
  for (let i: u32 = 0; i < count; i++) if ((known >> i) & 1) mark(f, w, load<u32>(f + LIST + (<usize>i << 2)), 1 << i);
}
