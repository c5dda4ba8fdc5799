// A token-sized append recognised by a form or a template, folded without parsing. Whatever is not entirely ordinary (another status, a gap, a stale seq,
// an unknown block or field, a limit in reach) is left to the full road; nothing has been touched then.
import { SEQUENCE_OFF, STATUS_ENDED, STATUS_NONE, STATUS_REFUSED } from "../../abi/codes";
import { FLAG_REPORT_EVENTS, OPT_DEPTH, OPT_FLAGS, OPT_NUMBER_LENGTH, OPT_SEQUENCE } from "../../abi/layout";
import { TOKEN_DEPTH, TOKEN_DIGITS } from "../../reduce/agentue/judge";
import { appendHot, hasHotField } from "../../reduce/agentue/append";
import { B_ID, B_ID_LENGTH, IN_BURST, S_APPLIED, S_FLAGS, S_SEQ, S_STATUS, SEQ_KNOWN } from "../../reduce/agentue/state";
import { F_LIMIT } from "../../frame/state";
import { addFolded, C_FRAME, C_OPTIONS, option, PAUSED, T_FLAGS, T_ID, T_ID_LENGTH, T_STATE } from "../layout";
import {
  matchedBlock, matchedDelta, matchedDeltaEnd, matchedField, matchedFieldLength, matchedFieldWord, matchedFlags, matchedLeaf, matchedSeq, matchedStream, matchedTime,
  matchedUnits, matchTemplate,
} from "./templates";
import { mayRelay, needsHalves } from "../transcode/relay";
import { foldedByForms, foldForms, learnForm } from "./forms";
import { setHole } from "./holes";
import { HOLE_DELTA, noteHits } from "./trie";
import { relayMatched, setNames } from "./written";
import { wireOf } from "../roads";

/** Whether a connection's options let templates decide: nobody wants the events themselves, and the limits are above what templates take. */
@inline export function allowsTokens(c: usize): bool {
  return !(<u32>load<u8>(c + C_OPTIONS, OPT_FLAGS) & FLAG_REPORT_EVENTS) && option(c, OPT_NUMBER_LENGTH) >= TOKEN_DIGITS
    && option(c, OPT_DEPTH) >= TOKEN_DEPTH;
}

/** Whether a template knew the last event that `foldTokens` was asked about, whatever became of it: then there is nothing to learn from it. */
export let tokenKnown: bool = false;

/** Events that the last call of `foldTokens` has folded. */
export let foldedTokens: u32 = 0;

/** Folds the events from `p` on as long as templates know them; the address behind them. */
export function foldTokens(c: usize, p: usize, end: usize): usize {
  let n: u32 = 0;
  if (wireOf(c)) return foldAndRelay(c, p, end);
  while (true) {
    p = foldForms(c, p, end);
    n += foldedByForms;
    if (p >= end) break;
    const q = foldToken(c, p, 0);
    if (!q) break;
    learnForm(c, p, q);
    n++;
    p = q;
  }
  noteFolded(c, n);
  return p;
}

// The same for a transcoder; apart, because the loop above takes 5 % longer with its questions in it.
function foldAndRelay(c: usize, p: usize, end: usize): usize {
  let n: u32 = 0;
  const wire = wireOf(c);
  while (p < end && mayRelay(wire, <u32>(end - p))) {
    const q = foldToken(c, p, wire);
    if (!q) break;
    n++;
    const start = p;
    p = q;
    setNames(matchedStream + T_ID, load<u32>(matchedStream, T_ID_LENGTH), matchedBlock + B_ID, load<u32>(matchedBlock, B_ID_LENGTH), matchedSeq, matchedTime);
    setHole(HOLE_DELTA, matchedDelta, <u32>(matchedDeltaEnd - matchedDelta));
    if (!relayMatched(c, matchedLeaf, start, q, matchedFlags)) break;
  }
  noteFolded(c, n);
  return p;
}

@inline function noteFolded(c: usize, n: u32): void {
  foldedTokens = n;
  if (n) {
    addFolded(c, n);
    noteHits(n);
  }
}

// Folds the event at `p`; the address behind it, 0 = not done.
@inline function foldToken(c: usize, p: usize, wire: u32): usize {
  const q = matchTemplate(c, p), t = matchedStream;
  tokenKnown = q != 0;
  if (!q || !t || !matchedBlock || (wire && needsHalves(c, wire, matchedFlags))) return 0;
  return foldAppend(c, t, matchedSeq, matchedBlock, matchedField, matchedFieldLength, matchedFieldWord, matchedDelta, matchedDeltaEnd, matchedFlags, matchedUnits,
    <u32>(q - p)) ? q : 0;
}

/**
 * Folds an append that was read: seq, block of stream `t`, name of the field (and the same as one word, 0: longer), string contents [delta, deltaEnd) with what a
 * scan has seen and counted of them; its message takes `size` bytes. False: it is not entirely ordinary, and nothing was touched.
 */
@inline export function foldAppend(
  c: usize, t: usize, seq: f64, block: usize, field: usize, fieldLength: u32, fieldWord: u64, delta: usize, deltaEnd: usize, seen: u32, units: u32, size: u32,
): bool {
  if (size > load<u32>(c + C_FRAME, F_LIMIT) || load<u8>(t, T_FLAGS) & PAUSED) return false;
  const s = t + T_STATE, status = load<u8>(s, S_STATUS), flags = load<u8>(s, S_FLAGS);
  if (status == STATUS_NONE || status == STATUS_ENDED || status == STATUS_REFUSED || !(flags & SEQ_KNOWN)) return false;
  if (load<u8>(c + C_OPTIONS, OPT_SEQUENCE) != SEQUENCE_OFF && seq != load<f64>(s, S_SEQ) + 1) return false;
  if (!hasHotField(block, fieldWord, field, fieldLength) || !appendHot(s, block, delta, deltaEnd, seen, units, t)) return false;
  store<f64>(s, seq, S_SEQ);
  if (flags & IN_BURST) store<u8>(s, flags & ~IN_BURST, S_FLAGS);
  store<f64>(s, load<f64>(s, S_APPLIED) + 1, S_APPLIED);
  return true;
}
