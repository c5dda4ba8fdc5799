// Appends as templates: what the holes of an append hold, and learning one.
import { scanFlags, scanStringShort, scanUnits, setScanFlags } from "../../text/scan";
import { F_SEQ, F_STREAM_ID, F_TS, fieldEnd, fieldKind, fieldStart, K_ABSENT } from "../../reduce/agentue/envelope";
import { patchEnd, patchId, patchIdLength, patchStart } from "../../reduce/agentue/judge";
import { maskEnd, maskPath } from "../../reduce/agentue/mask";
import { B_ID, B_ID_LENGTH, findBlock, findOtherBlock, S_LAST_BLOCK } from "../../reduce/agentue/state";
import { C_LAST_USED, T_ID, T_ID_LENGTH, T_STATE } from "../layout";
import { findOtherStream, findStream } from "../streams";
import {
  addHole, beginTemplate, digits, endTemplate, firstNode, HOLE_DELTA, HOLE_NUMBER, HOLE_SOURCE, HOLE_TARGET, HOLE_TIME, idEnd, LEAF, N_CHILD, N_HOLE,
  N_LENGTH, N_LITERAL, N_NAME_LENGTH, N_NAME_WORD, number, repeats, standsAt,
} from "./trie";

/** What the matched event holds. */
export let matchedSeq: f64 = 0;
/** Its stream and block, 0 = not there. */
export let matchedStream: usize = 0;
export let matchedBlock: usize = 0;
export let matchedDelta: usize = 0;
export let matchedDeltaEnd: usize = 0;
/** Flags of the scan over the delta. */
export let matchedFlags: u32 = 0;
/** Its UTF-16 code units where the flags are not 0: 0, the scan has not counted them. */
export let matchedUnits: u32 = 0;
/** Where the other holes of the matched event lie, {start, length} each, start 0: it has none of that kind. */
export const matchedHoles: usize = memory.data(4 * 8, 8);
export const MATCH_NUMBER: usize = 0, MATCH_TIME: usize = 8, MATCH_SOURCE: usize = 16, MATCH_TARGET: usize = 24;
@inline function noteHole(hole: usize, start: usize, end: usize): void {
  store<u32>(matchedHoles + hole, <u32>start);
  store<u32>(matchedHoles + hole, <u32>(end - start), 4);
}
/** Name of the appended field, and the same as one word (0: longer). */
export let matchedField: usize = 0;
export let matchedFieldLength: u32 = 0;
export let matchedFieldWord: u64 = 0;
/** Its time, and the leaf of the template. */
export let matchedTime: f64 = 0;
export let matchedLeaf: usize = 0;

/**
 * Matches the event at `p` (its `data:`), behind whose chunk the sentinel stands: literals hold no NUL, so none of them reaches beyond it.
 * Returns the address behind its blank line, 0 where no template fits. Stream and block are looked up as soon as their ids are read: their
 * records come in while the rest of the text is compared.
 */
export function matchTemplate(c: usize, p: usize): usize {
  let t = <usize>load<u32>(c, C_LAST_USED), b: usize = 0, owner: usize = 0, named = false, node = firstNode();
  let id: usize = 0, idLength: u32 = 0;
  store<u64>(matchedHoles + MATCH_TIME, 0);
  store<u64>(matchedHoles + MATCH_SOURCE, 0);
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if (!standsAt(p, node, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = load<u8>(node, N_HOLE);
    if (hole == HOLE_DELTA) {
      setScanFlags(0);
      matchedDelta = p;
      p = scanStringShort(p);
      matchedDeltaEnd = p;
      matchedFlags = scanFlags;
      if (scanFlags) matchedUnits = scanUnits;
    } else if (hole == HOLE_TARGET) {
      b = t ? <usize>load<u32>(t + T_STATE, S_LAST_BLOCK) : 0;
      owner = t;
      id = p;
      if (b && repeats(p, b + B_ID, load<u32>(b, B_ID_LENGTH))) p += load<u32>(b, B_ID_LENGTH);
      else {
        p = idEnd(p);
        b = t && p ? findOtherBlock(t + T_STATE, id, <u32>(p - id)) : 0;
      }
      idLength = <u32>(p - id);
      noteHole(MATCH_TARGET, id, p);
    } else if (hole == HOLE_NUMBER) {
      const start = p;
      p = digits(p);
      matchedSeq = number;
      noteHole(MATCH_NUMBER, start, p);
    } else if (hole == LEAF) {
      if (!named && !(t && !load<u32>(t, T_ID_LENGTH))) t = findStream(c, p, 0);
      matchedStream = t;
      matchedLeaf = node;
      matchedBlock = t == owner ? b : t ? findBlock(t + T_STATE, id, idLength) : 0;
      matchedField = node + N_LITERAL + n;
      matchedFieldLength = load<u16>(node, N_NAME_LENGTH);
      matchedFieldWord = load<u64>(node, N_NAME_WORD);
      return p;
    } else if (hole == HOLE_SOURCE) {
      named = true;
      const start = p;
      if (t && repeats(p, t + T_ID, load<u32>(t, T_ID_LENGTH))) p += load<u32>(t, T_ID_LENGTH);
      else {
        p = idEnd(p);
        t = p ? findOtherStream(c, start, <u32>(p - start)) : 0;
      }
      noteHole(MATCH_SOURCE, start, p);
    } else if (hole == HOLE_TIME) {
      const start = p;
      p = digits(p);
      matchedTime = number;
      noteHole(MATCH_TIME, start, p);
    }
    if (!p) return 0;
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}

/** Learns the clean append event that was just applied; [p, end) is its text from `data:` to behind the blank line. */
export function learnTemplate(p: usize, end: usize): void {
  // where ill-formed UTF-8 was replaced it was read in a copy
  if (fieldStart(F_SEQ) < p || fieldStart(F_SEQ) >= end) return;
  if (!beginTemplate(<u32>(end - p) - <u32>(patchEnd - patchStart), maskPath, <u32>(maskEnd - maskPath))) return;
  addHole(HOLE_NUMBER, fieldStart(F_SEQ), fieldEnd(F_SEQ));
  if (fieldKind(F_TS) != K_ABSENT) addHole(HOLE_TIME, fieldStart(F_TS), fieldEnd(F_TS));
  if (fieldKind(F_STREAM_ID) != K_ABSENT) addHole(HOLE_SOURCE, fieldStart(F_STREAM_ID) + 1, fieldEnd(F_STREAM_ID) - 1);
  addHole(HOLE_TARGET, patchId, patchId + patchIdLength);
  addHole(HOLE_DELTA, patchStart + 1, patchEnd - 1);
  endTemplate(p, end);
}
