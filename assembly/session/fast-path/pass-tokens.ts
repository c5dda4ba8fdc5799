// Tokens that a transcoder passes on without judging, by the templates that judged ones have, too: what goes out is found in the event, and no model is asked.
// What a template does not know goes the full road and teaches one; what the other wire cannot carry as it is (halves of characters) goes it always.
import { OP_APPEND, TRANSPORT_PROTOBUF } from "../../abi/codes";
import { F_LIMIT } from "../../frame/state";
import { opOf } from "../../reduce/agentue/envelope";
import { hasForm, isTokenLike } from "../../reduce/agentue/judge";
import { cleanType, passClean } from "../../reduce/agui/enforce";
import { clearFault } from "../../reduce/fault";
import { addFolded, C_FRAME, C_RUN } from "../layout";
import { mayRelay, mayRelayBytes, needsHalves, relayed, relayMap } from "../transcode/relay";
import { putTokenFrame } from "../transcode/token-frame";
import { kindOf, learnAguiToken, TOKENS } from "./agui-token";
import { holeFlags, holeLeaf, holeLength, holeStart, holeTime, matchPacked, matchText, setHole } from "./holes";
import { learnAppend, readAppend } from "./msgpack-append";
import { learnTemplate } from "./templates";
import { HOLE_DELTA, HOLE_SOURCE, HOLE_TARGET, HOLE_TIME, MSGPACK_SET, N_NAME_LENGTH, noteHits, selectTemplates, templatesAwake } from "./trie";
import { isPlain, takenEnd, takenStart, takeText } from "./wire-text";
import { relayMatched, relayMatchedMap } from "./written";
import { wireOf } from "../roads";

/** Events that the last call of one of these functions has passed on. */
export let passedTokens: u32 = 0;
/** Whether a template knew the last event that `passTokens` was asked about. */
export let passedKnown: bool = false;

/** Passes on the events of a text wire from `p` on as long as templates know them; the address behind them. */
export function passTokens(c: usize, p: usize, end: usize): usize {
  let n: u32 = 0;
  const wire = wireOf(c), most = load<u32>(c + C_FRAME, F_LIMIT);
  passedKnown = true;
  while (p < end && mayRelay(wire, <u32>(end - p))) {
    const q = matchText(p), start = p;
    passedKnown = q != 0;
    if (!q || <u32>(q - p) > most || needsHalves(c, wire, holeFlags)) break;
    n++;
    p = q;
    if (!(wire == TRANSPORT_PROTOBUF ? relayed(c, putFrame()) : relayMatched(c, holeLeaf, start, q, holeFlags))) break;
  }
  if (n) noteHits(n);
  notePassed(c, n);
  return p;
}

/** Passes on the appends of AgentUE over MessagePack from `p` on as long as they are ordinary; the address behind them. */
export function passAppends(c: usize, p: usize, end: usize): usize {
  let n: u32 = 0, hits: u32 = 0;
  const wire = wireOf(c), most = load<u32>(c + C_FRAME, F_LIMIT);
  selectTemplates(MSGPACK_SET);
  while (p < end && mayRelayBytes(wire, <u32>(end - p))) {
    const start = p, q = templatesAwake() ? matchPacked(p, end) : 0;
    if (q && isOrdinary()) {
      if (<u32>(q - p) > most) break;
      hits++;
      n++;
      p = q;
      if (!relayMatchedMap(c, holeLeaf, start, q)) break;
      continue;
    }
    const next = readAppend(p, end);
    if (!next || <u32>(next - p) > most) break;
    n++;
    p = next;
    if (!relayMap(c, start, next)) break;
    learnAppend(start, next);
  }
  if (hits) noteHits(hits);
  notePassed(c, n);
  return p;
}

// Whether the names of the matched event are plain, and its delta well-formed, which then stands for itself.
@inline function isOrdinary(): bool {
  if (!isPlain(holeStart(HOLE_TARGET), holeLength(HOLE_TARGET)) || !isPlain(holeStart(HOLE_SOURCE), holeLength(HOLE_SOURCE))) return false;
  if (!takeText(holeStart(HOLE_DELTA), holeLength(HOLE_DELTA))) return false;
  setHole(HOLE_DELTA, takenStart, <u32>(takenEnd - takenStart));
  return true;
}

@inline function putFrame(): bool {
  return putTokenFrame(
    kindOf(load<u16>(holeLeaf, N_NAME_LENGTH)), holeStart(HOLE_TARGET), holeLength(HOLE_TARGET), holeStart(HOLE_DELTA), holeLength(HOLE_DELTA), holeStart(HOLE_SOURCE), holeLength(HOLE_SOURCE),
    holeStart(HOLE_TIME) ? holeTime : -1, true,
  );
}

/** Counts events that were passed on. */
export function notePassed(c: usize, n: u32): void {
  passedTokens = n;
  if (!n) return;
  addFolded(c, n);
}

/** Learns the event that was just passed on, if it is one that enforcement would let pass as it is; [p, end) is its text from `data:` to behind the blank line. */
export function learnPassed(c: usize, p: usize, end: usize): void {
  if (load<u32>(c, C_RUN)) {
    const type = cleanType();
    if (TOKENS >> <u64>type & 1 && passClean(type)) learnAguiToken(p, end);
  } else if (opOf() == OP_APPEND) {
    if (hasForm() && isTokenLike()) learnTemplate(p, end);
    clearFault();
  }
}
