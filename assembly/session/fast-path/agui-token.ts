// Tokens of a text, of a tool call's arguments or of a reasoning message recognised by a template, folded without parsing. Whatever is not entirely
// ordinary (another phase, a pending chunk stream, an id that is not open, another owner, a limit in reach) is left to the full road; nothing has been
// touched then.
import {
  AG_REASONING_MESSAGE_CONTENT, AG_TEXT_MESSAGE_CONTENT, AG_TOOL_CALL_ARGS, F_DELTA, F_MESSAGE_ID, F_SUBAGENT_RUN_ID, F_TIMESTAMP, F_TOOL_CALL_ID, F_TYPE,
} from "../../abi/agui";
import { TRANSPORT_PROTOBUF } from "../../abi/codes";
import {
  AGUI_NO_SUBAGENTS, FLAG_REPORT_EVENTS, OPT_AGUI_FLAGS, OPT_EVENT_TYPES, OPT_FLAGS, OPT_HELD_TYPES, OPT_NUMBER_LENGTH,
} from "../../abi/layout";
import { setAccount } from "../../memory/heap";
import { HAS_LOOSE_ESCAPE, scanFlags, scanStringShort, scanUnits, setScanFlags } from "../../text/scan";
import { appendToken } from "../../reduce/agui/apply-text";
import { eventRewritten, eventText, slotEnd, slotsPresent, slotStart, wireType } from "../../reduce/agui/event";
import { A_APPLIED, A_TRACK } from "../../reduce/agui/state";
import { ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, itemId, lanesPending, openItem, ownerAgrees, textLength, trackPhase } from "../../reduce/agui/track";
import { isMarked, KIND, E_BITS, OPEN, PHASE_RUNNING, T_LAST } from "../../reduce/agui/track-layout";
import { F_LIMIT } from "../../frame/state";
import { add, addFolded, C_FIRST, C_FRAME, C_OPTIONS, C_RUN, option, PAUSED, T_FLAGS } from "../layout";
import { refill } from "../adapt/allowance";
import { hasEscapedName, putAppend, reserveAppend } from "../adapt/token";
import { isUnderWay } from "../adapt/state";
import { isOutputFull } from "../output";
import { mayHoldHalf, putTokenFrame } from "../transcode/token-frame";
import { mayRelay, needsHalves, relayed } from "../transcode/relay";
import { setHole } from "./holes";
import {
  addHole, beginTemplate, digits, endTemplate, firstNode, HOLE_DELTA, HOLE_SOURCE, HOLE_TARGET, HOLE_TIME, idEnd, LEAF, MOST_DIGITS, N_CHILD, N_HOLE,
  N_LENGTH, N_NAME_LENGTH, noteHits, number, repeats, standsAt,
} from "./trie";
import { relayMatched, setNames } from "./written";
import { adapterOf, wireOf } from "../roads";

/** Types whose events are learned, as bits. */
export const TOKENS: u64 = (<u64>1 << AG_TEXT_MESSAGE_CONTENT) | (<u64>1 << AG_TOOL_CALL_ARGS) | (<u64>1 << AG_REASONING_MESSAGE_CONTENT);
/** Members they may have. */
const MEMBERS: u64 = (<u64>1 << F_TYPE) | (<u64>1 << F_MESSAGE_ID) | (<u64>1 << F_TOOL_CALL_ID) | (<u64>1 << F_DELTA) | (<u64>1 << F_TIMESTAMP)
  | (<u64>1 << F_SUBAGENT_RUN_ID);

/** Whether a connection's options let templates decide: nobody wants the events themselves, nothing is removed from them, and numbers may be as long as templates take. */
export function allowsAguiTokens(c: usize): bool {
  const reported = <u32>load<u8>(c + C_OPTIONS, OPT_FLAGS) & FLAG_REPORT_EVENTS ? load<u64>(c + C_OPTIONS, OPT_EVENT_TYPES) : 0;
  return ((reported | load<u64>(c + C_OPTIONS, OPT_HELD_TYPES)) & TOKENS) == 0 && !(<u32>load<u8>(c + C_OPTIONS, OPT_AGUI_FLAGS) & AGUI_NO_SUBAGENTS)
    && option(c, OPT_NUMBER_LENGTH) >= MOST_DIGITS;
}

/** Whether a template knew the last event that `foldAguiTokens` was asked about, whatever became of it: then there is nothing to learn from it. */
export let aguiTokenKnown: bool = false;

/** Events that the last call of `foldAguiTokens` has folded. */
export let foldedAguiTokens: u32 = 0;

/** Folds the events from `p` on as long as templates know them; the address behind them. */
export function foldAguiTokens(c: usize, p: usize, end: usize): usize {
  const t = <usize>load<u32>(c, C_FIRST), s = <usize>load<u32>(c, C_RUN);
  foldedAguiTokens = 0;
  // while another event decides, there is nothing to learn
  aguiTokenKnown = true;
  if (!areTokensOrdinary(t, s)) return p;
  if (wireOf(c)) return adapterOf(c) ? foldAndAdapt(c, p, end, t, s) : foldAndRelay(c, p, end, t, s);
  let n: u32 = 0;
  const most = load<u32>(c + C_FRAME, F_LIMIT), account = setAccount(t);
  while (p < end) {
    const q = matchToken(s, p);
    aguiTokenKnown = q != 0;
    if (!q || <u32>(q - p) > most || !item || !ownerAgrees(item, tag, tagLength)) break;
    if (!appendToken(s, item, isCall, delta, deltaEnd, deltaFlags, deltaUnits)) break;
    n++;
    p = q;
  }
  setAccount(account);
  noteFolded(c, s, n);
  return p;
}

// The same for a transcoder; apart, because the loop above takes 5 % longer with its questions in it.
function foldAndRelay(c: usize, p: usize, end: usize, t: usize, s: usize): usize {
  let n: u32 = 0;
  const most = load<u32>(c + C_FRAME, F_LIMIT), wire = wireOf(c), account = setAccount(t);
  while (p < end && mayRelay(wire, <u32>(end - p))) {
    const q = matchToken(s, p);
    aguiTokenKnown = q != 0;
    if (!q || <u32>(q - p) > most || !item || !ownerAgrees(item, tag, tagLength) || needsRoad(c, wire)) break;
    if (!appendToken(s, item, isCall, delta, deltaEnd, deltaFlags, deltaUnits)) break;
    n++;
    const start = p;
    p = q;
    if (!relay(c, start, q, t, wire)) break;
  }
  setAccount(account);
  noteFolded(c, s, n);
  return p;
}

// The same where they go out as AgentUE.
function foldAndAdapt(c: usize, p: usize, end: usize, t: usize, s: usize): usize {
  if (!isUnderWay(adapterOf(c))) return p;
  let n: u32 = 0;
  const most = load<u32>(c + C_FRAME, F_LIMIT), wire = wireOf(c), account = setAccount(t);
  while (p < end && !isOutputFull()) {
    const q = matchToken(s, p);
    aguiTokenKnown = q != 0;
    if (!q || <u32>(q - p) > most || !item || !ownerAgrees(item, tag, tagLength) || needsHalves(c, wire, deltaFlags)) break;
    const id = itemId(item), idLength = textLength(item);
    if (hasEscapedName(c, id, idLength) || !reserveAppend(c, idLength, <u32>(deltaEnd - delta))) break;
    if (!appendToken(s, item, isCall, delta, deltaEnd, deltaFlags, deltaUnits)) break;
    putAppend(c, isCall, id, idLength, delta, deltaEnd, (deltaFlags & HAS_LOOSE_ESCAPE) != 0);
    n++;
    p = q;
  }
  refill(adapterOf(c), n);
  setAccount(account);
  noteFolded(c, s, n);
  return p;
}

@inline function noteFolded(c: usize, s: usize, n: u32): void {
  foldedAguiTokens = n;
  if (n) {
    addFolded(c, n);
    add(s, A_APPLIED, n);
    noteHits(n);
  }
}

// Whether the matched event must go the full road, for a half in its delta or in a name of it.
@inline function needsRoad(c: usize, wire: u32): bool {
  return needsHalves(c, wire, deltaFlags)
    || (wire == TRANSPORT_PROTOBUF && (mayHoldHalf(itemId(item), textLength(item)) || (tag != 0 && mayHoldHalf(tag, tagLength))));
}

// What the writers take for themselves is not the stream's.
function relay(c: usize, p: usize, end: usize, t: usize, wire: u32): bool {
  setAccount(0);
  const kind = load<u32>(item, E_BITS) & KIND;
  const done = wire == TRANSPORT_PROTOBUF
    ? relayed(c, putTokenFrame(kind, itemId(item), textLength(item), delta, <u32>(deltaEnd - delta), tag, tagLength, time, true))
    : relayWritten(c, p, end);
  setAccount(t);
  return done;
}

@inline function relayWritten(c: usize, p: usize, end: usize): bool {
  setNames(tag, tagLength, itemId(item), textLength(item), 0, time);
  setHole(HOLE_DELTA, delta, <u32>(deltaEnd - delta));
  return relayMatched(c, leaf, p, end, deltaFlags);
}

/** Whether the model of the stream is in a phase in which a token is judged by what it names alone. */
@inline export function areTokensOrdinary(t: usize, s: usize): bool {
  return !(load<u8>(t, T_FLAGS) & PAUSED) && trackPhase(s) == PHASE_RUNNING && !lanesPending(s);
}

// What the matched event speaks of.
let item: usize = 0;
let isCall: bool = false;
let tag: usize = 0;
let tagLength: u32 = 0;
let delta: usize = 0;
let deltaEnd: usize = 0;
let deltaFlags: u32 = 0;
// Its code units where the flags are not 0: 0, the scan has not counted them.
let deltaUnits: u32 = 0;
let time: f64 = -1;
let leaf: usize = 0;

// Matches the event at `p` (its `data:`), behind whose chunk the sentinel stands: literals hold no NUL, so none of them reaches beyond it. Returns the
// address behind its blank line, 0 where no template fits.
@inline function matchToken(s: usize, p: usize): usize {
  let node = firstNode(), id: usize = 0, idLength: u32 = 0, last = <usize>load<u32>(s + A_TRACK, T_LAST);
  tag = 0;
  tagLength = 0;
  time = -1;
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if (!standsAt(p, node, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = load<u8>(node, N_HOLE);
    if (hole == HOLE_DELTA) {
      setScanFlags(0);
      delta = p;
      p = scanStringShort(p);
      deltaEnd = p;
      deltaFlags = scanFlags;
      if (scanFlags) deltaUnits = scanUnits;
    } else if (hole == HOLE_TARGET) {
      id = p;
      if (last && repeats(p, itemId(last), textLength(last))) p += textLength(last);
      else {
        p = idEnd(p);
        last = 0;
      }
      idLength = <u32>(p - id);
    } else if (hole == LEAF) {
      const kind = kindOf(load<u16>(node, N_NAME_LENGTH));
      isCall = kind == ITEM_CALL;
      leaf = node;
      item = last && (load<u32>(last, E_BITS) & KIND) == kind ? (isMarked(last, OPEN) ? last : 0) : openItem(s, kind, id, idLength);
      return p;
    } else if (hole == HOLE_SOURCE) {
      tag = p;
      p = idEnd(p);
      tagLength = <u32>(p - tag);
    } else if (hole == HOLE_TIME) {
      p = digits(p);
      time = number;
    }
    if (!p) return 0;
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}

/** ITEM_ kind that events of a type name, of which the length of its name is enough. */
@inline export function kindOf(length: u32): u32 { return length == 20 ? ITEM_MESSAGE : length == 14 ? ITEM_CALL : ITEM_REASONING; }

/** Learns the event that was just applied, if templates may know its like; [p, end) is its text from `data:` to behind the blank line. */
export function learnAguiToken(p: usize, end: usize): void {
  if (!((TOKENS >> <u64>wireType) & 1) || eventRewritten || eventText < p || eventText >= end || slotsPresent & ~MEMBERS) return;
  const id = wireType == AG_TOOL_CALL_ARGS ? F_TOOL_CALL_ID : F_MESSAGE_ID, tagStart = slotStart(F_SUBAGENT_RUN_ID), time = slotStart(F_TIMESTAMP);
  if (time && digits(time) != slotEnd(F_TIMESTAMP)) return;
  const type = slotStart(F_TYPE) + 1, text = slotStart(F_DELTA) + 1, textEnd = slotEnd(F_DELTA) - 1;
  if (!beginTemplate(<u32>(end - p) - <u32>(textEnd - text), type, <u32>(slotEnd(F_TYPE) - type) - 1)) return;
  if (time) addHole(HOLE_TIME, time, slotEnd(F_TIMESTAMP));
  if (tagStart) addHole(HOLE_SOURCE, tagStart + 1, slotEnd(F_SUBAGENT_RUN_ID) - 1);
  addHole(HOLE_TARGET, slotStart(id) + 1, slotEnd(id) - 1);
  addHole(HOLE_DELTA, text, textEnd);
  endTemplate(p, end);
}
