// A token-sized append recognised by a template, folded without parsing. Whatever is not entirely ordinary (another status, a gap, a stale seq,
// an unknown block or field, a limit in reach) is left to the full road; nothing has been touched then.
import { SEQUENCE_OFF, STATUS_ENDED, STATUS_NONE, STATUS_REFUSED } from "../../abi/codes";
import { FLAG_REPORT_EVENTS, OPT_DEPTH, OPT_FLAGS, OPT_NUMBER_LENGTH, OPT_SEQUENCE } from "../../abi/layout";
import { setAccount } from "../../memory/heap";
import { TOKEN_DEPTH, TOKEN_DIGITS } from "../../reduce/agentue/judge";
import { appendToken } from "../../reduce/agentue/append";
import { B_ID, B_ID_LENGTH, findBlock, IN_BURST, S_APPLIED, S_FLAGS, S_LAST_BLOCK, S_SEQ, S_STATUS, SEQ_KNOWN } from "../../reduce/agentue/state";
import { F_LIMIT } from "../../frame/state";
import { C_APPLIED, C_EVENT_INDEX, C_EVENTS, C_FRAME, C_LAST_USED, C_OPTIONS, add, option, PAUSED, T_FLAGS, T_ID, T_ID_LENGTH, T_STATE } from "../layout";
import { findStream } from "../streams";
import {
  matchedBlock, matchedBlockLength, matchedDelta, matchedDeltaEnd, matchedField, matchedFieldLength, matchedFlags, matchedSeq, matchedStream,
  matchedStreamLength, matchTemplate, noteHit,
} from "./templates";

/** Whether a connection's options let templates decide: nobody wants the events themselves, and the limits are above what templates take. */
@inline export function allowsTokens(c: usize): bool {
  return !(<u32>load<u8>(c + C_OPTIONS, OPT_FLAGS) & FLAG_REPORT_EVENTS) && option(c, OPT_NUMBER_LENGTH) >= TOKEN_DIGITS
    && option(c, OPT_DEPTH) >= TOKEN_DEPTH;
}

/** Whether a template knew the last event that `foldToken` was asked about, whatever became of it: then there is nothing to learn from it. */
export let tokenKnown: bool = false;

/** Folds the event at `p` if a template knows it; the address behind it, 0 = not done. */
export function foldToken(c: usize, p: usize, end: usize): usize {
  const last = <usize>load<u32>(c, C_LAST_USED), lastBlock = last ? <usize>load<u32>(last + T_STATE, S_LAST_BLOCK) : 0;
  const q = matchTemplate(p, end, last ? last + T_ID : 0, last ? load<u32>(last, T_ID_LENGTH) : 0,
    lastBlock ? lastBlock + B_ID : 0, lastBlock ? load<u32>(lastBlock, B_ID_LENGTH) : 0);
  tokenKnown = q != 0;
  if (!q || <u32>(q - p) > load<u32>(c + C_FRAME, F_LIMIT)) return 0;
  const t = findStream(c, matchedStream, matchedStreamLength);
  if (!t || load<u8>(t, T_FLAGS) & PAUSED) return 0;
  const s = t + T_STATE, status = load<u8>(s, S_STATUS), flags = load<u8>(s, S_FLAGS);
  if (status == STATUS_NONE || status == STATUS_ENDED || status == STATUS_REFUSED || !(flags & SEQ_KNOWN)) return 0;
  if (load<u8>(c + C_OPTIONS, OPT_SEQUENCE) != SEQUENCE_OFF && matchedSeq != load<f64>(s, S_SEQ) + 1) return 0;
  const block = findBlock(s, matchedBlock, matchedBlockLength);
  if (!block) return 0;
  const account = setAccount(t);
  const done = appendToken(s, block, matchedField, matchedFieldLength, matchedDelta, matchedDeltaEnd, matchedFlags);
  setAccount(account);
  if (!done) return 0;
  store<f64>(s, matchedSeq, S_SEQ);
  if (flags & IN_BURST) store<u8>(s, flags & ~IN_BURST, S_FLAGS);
  store<f64>(s, load<f64>(s, S_APPLIED) + 1, S_APPLIED);
  add(c, C_APPLIED, 1);
  add(c, C_EVENTS, 1);
  add(c, C_EVENT_INDEX, 1);
  noteHit();
  return q;
}
