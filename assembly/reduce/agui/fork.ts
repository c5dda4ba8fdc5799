// A second state over the text of the first (docs/semantics-agui.md §13).
import { alloc, reserve } from "../../memory/heap";
import { documentFork, documentFree, documentShare } from "../../document/index";
import { forgetChanges } from "../change-log";
import { forgetChains } from "./calls";
import { addMessage, addMessageNeeds, documentOf, freeMessage, messageAt, newMessage, R_HASH, R_ID, R_ID_LENGTH, roleOf } from "./messages";
import { shareTexts } from "./run";
import {
  A_APPLIED, A_COUNT, A_DROPPED, A_FLAGS, A_LOG, A_SIZE, A_SKIPPED, A_STATE, A_TRACK, A_VERSION, A_WARNING_COUNT, A_WARNINGS, CALLS_KNOWN, setStatus,
  statusOfAgui, WARNINGS_KEPT,
} from "./state";
import { forkTrack } from "./track-fork";

/**
 * Gives the fresh state `s` what `other` has: messages, whose documents both hold from now on, and state, the run with all that it has named and what is open of
 * it, the warnings it has had, the counters. Calls are found again when somebody asks; the log of changes begins here. False = out of memory: what was
 * made so far hangs on `s`.
 */
export function forkAgui(s: usize, other: usize): bool {
  const d = documentFork(load<u32>(other, A_STATE));
  if (!d) return false;
  documentFree(load<u32>(s, A_STATE));
  store<u32>(s, <u32>d, A_STATE);
  if (!forkMessages(s, other) || !shareTexts(s, other, 0) || !forkWarnings(s, other) || !forkTrack(s + A_TRACK, other + A_TRACK)) return false;
  store<u32>(s, load<u32>(other, A_SIZE), A_SIZE);
  setStatus(s, statusOfAgui(other));
  store<u8>(s, load<u8>(other, A_FLAGS) & ~CALLS_KNOWN, A_FLAGS);
  store<f64>(s, load<f64>(other, A_APPLIED), A_APPLIED);
  store<f64>(s, load<f64>(other, A_SKIPPED), A_SKIPPED);
  store<f64>(s, load<f64>(other, A_DROPPED), A_DROPPED);
  forgetChanges(s + A_LOG, load<f64>(other, A_VERSION));
  return true;
}

function forkMessages(s: usize, other: usize): bool {
  const count = load<u32>(other, A_COUNT);
  for (let i: u32 = 0; i < count; i++) {
    const from = messageAt(other, i), document = documentShare(documentOf(from));
    forgetChains(from);
    const m = newMessage(from + R_ID, load<u32>(from, R_ID_LENGTH), load<u32>(from, R_HASH), roleOf(from), document);
    if (!m || !reserve(addMessageNeeds(s))) {
      if (m) freeMessage(m);
      else documentFree(document);
      return false;
    }
    addMessage(s, m, i);
  }
  return true;
}

function forkWarnings(s: usize, other: usize): bool {
  const from = <usize>load<u32>(other, A_WARNINGS);
  if (!from) return true;
  const set = alloc(WARNINGS_KEPT * 16);
  if (!set) return false;
  memory.copy(set, from, WARNINGS_KEPT * 16);
  store<u32>(s, <u32>set, A_WARNINGS);
  store<u32>(s, load<u32>(other, A_WARNING_COUNT), A_WARNING_COUNT);
  return true;
}
