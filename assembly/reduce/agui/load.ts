// Stored models and baselines: messages and state that come from the application (docs/semantics-agui.md §7, §9).
import * as code from "../../abi/codes";
import { documentFree, documentSize } from "../../document/index";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { skipTrusted } from "../../text/trusted";
import { maxModel } from "../agentue/limits";
import { noteStart } from "../change-log";
import { clearFault, fail, failWhole, faultReason, faultReceived, pathName, pathReset } from "../fault";
import { allSize, installAll, makeAll, readAll } from "./apply-messages";
import { STATE_LEVELS } from "./apply-state";
import { compose, composed, newDocument, put, putByte } from "./compose";
import { enforcedText, enforceShape, EVENT_NO_MEMORY, EVENT_OK } from "./enforce";
import * as piece from "./fragments";
import { passQuietly } from "./legacy";
import { failMemory, isTooDeep } from "./limits";
import { beginIdle, copyBaseIds, dropBaseIds, setBaseIds } from "./run";
import { kindAt } from "./schema";
import { SHAPE_RUN_AGENT_INPUT } from "./schema-table.generated";
import { A_LOG, A_SIZE, A_STATE, addToSize, advance, statusOfAgui } from "./state";
import { trackFree } from "./track";

/**
 * Makes the stored model `{messages, state?}`, the canonical JSON value at `p`, the model; other members are passed over. False: `bad_order` while
 * a run is running, `bad_model`, `limit` (paths into the model) or memory; nothing has changed.
 */
export function loadAgui(s: usize, p: usize): bool {
  if (statusOfAgui(s) == code.RUN_RUNNING) {
    failWhole(code.E_BAD_ORDER);
    return fail(code.E_BAD_ORDER, code.R_RUNNING);
  }
  if (!readModel(p, code.E_BAD_MODEL) || !replaceModel(s, true)) return false;
  trackFree(s);
  advance(s);
  noteStart(s + A_LOG);
  return true;
}

/**
 * Makes `messages` and `state` of a partial RunAgentInput, the canonical JSON value at `p`, what there is before the first event, and shows its ids.
 * `s` is fresh. False: `bad_argument`, `limit` (paths into the input) or memory; nothing has changed.
 */
export function baselineAgui(s: usize, p: usize): bool {
  return readInput(p) && setBaseIds(s, enforcedText) && replaceModel(s, true);
}

// What was read: the enforced list of messages and the state, 0 = absent.
let messages: usize = 0;
let messagesEnd: usize = 0;
let state: usize = 0;
let stateEnd: usize = 0;

// The members that are looked at, put into one object behind each other.
let members: u32 = 0;

function copyMember(p: usize, key: usize, n: u32): void {
  if (!findMember(p, key, n)) return;
  putByte(members++ ? 0x2c : 0x7b);
  putByte(0x22);
  put(key, n);
  putByte(0x22);
  putByte(0x3a);
  put(valueStart, <u32>(valueEnd - valueStart));
}

// Enforces the members copied so far.
function enforceCopy(error: u32): bool {
  if (!members) putByte(0x7b);
  putByte(0x7d);
  // scanners look behind the text
  for (let i: u32 = 0; i < 64; i++) putByte(0);
  const text = passQuietly(composed(), SHAPE_RUN_AGENT_INPUT), verdict: u32 = text ? enforceShape(SHAPE_RUN_AGENT_INPUT, text, true) : EVENT_NO_MEMORY;
  if (verdict == EVENT_NO_MEMORY) return failMemory();
  return verdict == EVENT_OK || fail(error, faultReason);
}

function beginCopy(p: usize, error: u32): bool {
  clearFault();
  pathReset();
  members = 0;
  if (load<u8>(p) == 0x7b) return compose(<u32>(skipTrusted(p) - p)) || failMemory();
  faultReceived(kindAt(p));
  return fail(error, code.R_X_OBJECT);
}

function noteMessages(): void {
  const found = findMember(enforcedText, piece.MESSAGES, 8);
  messages = found ? valueStart : 0;
  messagesEnd = found ? valueEnd : 0;
}

function noteState(p: usize): void {
  const found = findMember(p, piece.STATE, 5);
  state = found ? valueStart : 0;
  stateEnd = found ? valueEnd : 0;
}

/** Reads `messages`, which has to be there, and `state` of the canonical value at `p` for `replaceModel`; false: a fault with that code. */
export function readModel(p: usize, error: u32): bool {
  if (!beginCopy(p, error)) return false;
  copyMember(p, piece.MESSAGES, 8);
  if (!members) {
    pathName(piece.MESSAGES, 8);
    return fail(error, code.R_MISSING);
  }
  if (!enforceCopy(error)) return false;
  noteMessages();
  noteState(p);
  return true;
}

/** Bytes of the list of messages that `readModel` has left. */
export function modelMessagesSize(): u32 { return <u32>(messagesEnd - messages); }

function readInput(p: usize): bool {
  if (!beginCopy(p, code.E_BAD_ARGUMENT)) return false;
  copyMember(p, piece.THREAD_ID, 8);
  copyMember(p, piece.RUN_ID, 5);
  copyMember(p, piece.PARENT_RUN_ID, 11);
  copyMember(p, piece.MESSAGES, 8);
  copyMember(p, piece.STATE, 5);
  if (!enforceCopy(code.E_BAD_ARGUMENT)) return false;
  noteMessages();
  noteState(enforcedText);
  return true;
}

/**
 * Makes what was read the messages and the state, `{}` where there is none; `idle`: the run begins anew; else it comes from a checkpoint, where an empty model is none
 * too deep, whatever the depth. False: `limit` or memory, nothing has changed.
 */
export function replaceModel(s: usize, idle: bool): bool {
  const text = state ? state : piece.EMPTY_OBJECT, n: u32 = state ? <u32>(stateEnd - state) : 2;
  if (!readAll(messages)) return false;
  pathReset();
  const least: u32 = idle ? 0 : 2;
  if (messagesEnd - messages > least && isTooDeep(STATE_LEVELS, messages, <u32>(messagesEnd - messages))) return failAt(piece.MESSAGES, 8, code.R_LIMIT_DEPTH);
  if (n > least && isTooDeep(STATE_LEVELS, text, n)) return failAt(piece.STATE, 5, code.R_LIMIT_DEPTH);
  // beyond the limit may be what is no larger than what was there
  if (allSize + <u64>n > <u64>max<u32>(maxModel, load<u32>(s, A_SIZE))) return fail(code.E_LIMIT, code.R_LIMIT_MODEL);
  const d = newDocument(text, n), old = <usize>load<u32>(s, A_STATE), before = documentSize(old);
  if (!d) return failMemory();
  if ((idle && !copyBaseIds(s)) || !makeAll()) {
    if (idle) dropBaseIds();
    documentFree(d);
    return failMemory();
  }
  installAll(s);
  if (idle) beginIdle(s);
  documentFree(old);
  store<u32>(s, <u32>d, A_STATE);
  addToSize(s, n - before);
  return true;
}

function failAt(key: usize, n: u32, reason: u32): bool {
  pathName(key, n);
  return fail(code.E_LIMIT, reason);
}
