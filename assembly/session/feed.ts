// The pipeline of one connection: bytes -> messages -> events, until the input is used up, the output queue is full or the connection fails.
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { bytesClear, bytesReserve, RUN_CAP, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { locateFault } from "../text/fault";
import { replaceInvalid } from "../text/replace-utf8";
import { setValidateLimits } from "../text/validate";
import { prefixAtStart, prefixIsPartial, prefixMessageDone, prefixNext } from "../frame/length-prefix";
import { lineAtStart, lineFinish, lineMessageDone, lineNext, wholeNext } from "../frame/line";
import { msgpackAtStart, msgpackMessageDone, msgpackNext } from "../frame/msgpack";
import { sseAtEventStart, sseCommitId, sseFinish, sseMessageDone, sseNext } from "../frame/sse";
import {
  beginChunk, endChunk, F_OFFSET, FRAME_MESSAGE, FRAME_NO_MEMORY, FRAME_NONE, FRAME_TOO_LARGE, frameEvent, messageEnd,
  messageOffset, messageStart, putSentinel, setFrameEvent, setMessage,
} from "../frame/state";
import { clearFault, fail, failWhole } from "../reduce/fault";
import { releaseText, SCRATCH_ADAPTED, SCRATCH_MESSAGE as REPLACED, SCRATCH_OUTPUT, SCRATCH_WIRE, scratchTrim } from "../reduce/scratch";
import { eventOp, isTokenLike, setSequence } from "../reduce/agentue/judge";
import { setGuard } from "../reduce/agentue/frames";
import { setLimits } from "../reduce/agentue/limits";
import { adaptEnd } from "./adapt/adapt";
import { handBack, isToldAtEnd, nameRun, refuse, skip } from "./agui-event";
import { endRun, setRunOptions } from "./agui-session";
import { resetDecoder, resetPosition } from "./position";
import { handleDirectText, readBinary, readDirectMsgpack } from "./binary";
import { failConnection, noMemory, setUnframed } from "./failure";
import { aguiTokenKnown, foldAguiTokens, foldedAguiTokens, learnAguiToken } from "./fast-path/agui-token";
import { allowsDeltas, foldDelta } from "./fast-path/agui-delta";
import { allowsSets, foldSet } from "./fast-path/agentue-set";
import { foldAguiBinary, foldedBinary } from "./fast-path/agui-binary";
import { allowsBrackets, foldBracket } from "./fast-path/agui-bracket";
import { foldBinaryPatch } from "./fast-path/binary-patch";
import { foldAppends, foldedAppends } from "./fast-path/msgpack-append";
import { learnPassed, passAppends, passedKnown, passedTokens, passTokens } from "./fast-path/pass-tokens";
import { directSize, readDirect, readDirectLine } from "./fast-path/direct";
import { mayFoldTokens, noteBinary, prepareOpening, takeTried } from "./fast-path/opening";
import { learnTemplate } from "./fast-path/templates";
import { foldedTokens, foldTokens, tokenKnown } from "./fast-path/token";
import { selectTextTemplates, templatesAwake } from "./fast-path/trie";
import { foldWhole, isLine, putLineEnd, takeLineEnd, WHOLE_OTHER, WHOLE_TOKEN } from "./fast-path/whole";
import {
  add, C_BYTES, C_EVENT_INDEX, C_FAILURE, C_FEEDING, C_FINISHED, C_FRAME, C_HELD_INDEX, C_HELD_OFFSET, C_LAST_PIECE, C_OPTIONS, C_QUEUE, C_REPORTS_LEFT,
  C_RESUMING, C_STATE, C_TRUNCATED, C_UNREAD, C_UNREAD_END, IN_CHUNK, IN_TAIL, option, PAUSED, T_FLAGS, WAITING,
} from "./layout";
import { isComplete } from "./inspect";
import { conclude, hasOption, hasRoom, nextIndex, readMessage } from "./message";
import { aboutMessage, isOutputFull, reportFault } from "./output";
import { handleMessage, scanMessage } from "./protocol";
import { endEmission, releaseWire } from "./transcode/emit";
import { failReferences } from "./events";
import { isWaiting } from "./waiting";
import { giveQueueBack, nextEntry, passEntry, passLoss, takeQueue, Q_BYTES, Q_INDEX, Q_LENGTH, Q_OFFSET, Q_TEXT } from "./queue";
import { adapterOf, isBinary, passesOn, runOf, SLIM, wireOf } from "./roads";

/** A larger output queue is given back with the next call. */
const KEPT_OUTPUT: u32 = 1 << 20;
/** The same for what a transcoder writes: twice what interrupts a call, and room for an event. */
const KEPT_WIRE: u32 = 3 << 20;

@inline function transport(c: usize): u32 { return <u32>load<u8>(c + C_OPTIONS, layout.OPT_TRANSPORT); }

/** Tokens that went out on another wire from where they were read. */
export let relayedTokens: u32 = 0;

// The connection whose options the rooms below have.
let entered: usize = 0;

/** Makes the options of a connection those of the rooms below. */
@inline export function enter(c: usize): void { if (c != entered) setOptions(c); }

/** A connection is closed: its address may come back with other options. */
export function leave(): void {
  entered = 0;
  prepareOpening(0);
}

function setOptions(c: usize): void {
  entered = c;
  const depth = option(c, layout.OPT_DEPTH), numberLength = option(c, layout.OPT_NUMBER_LENGTH);
  setValidateLimits(depth, numberLength);
  setLimits(depth, numberLength, option(c, layout.OPT_BLOCKS), option(c, layout.OPT_MODEL_BYTES));
  setSequence(load<u8>(c + C_OPTIONS, layout.OPT_SEQUENCE));
  setGuard((load<u8>(c + C_OPTIONS, layout.OPT_FLAGS) & layout.FLAG_GUARD_FRAMES) != 0);
  if (runOf(c)) setRunOptions(c);
  prepareOpening(c);
}

/** Begins a call that may report: empties the output and gives it a new allowance. */
export function beginCall(c: usize): void {
  enter(c);
  scratchTrim(SCRATCH_OUTPUT, KEPT_OUTPUT);
  if (!SLIM && (load<u32>(SCRATCH_WIRE, RUN_CAP) > KEPT_WIRE || load<u32>(SCRATCH_ADAPTED, RUN_CAP) > KEPT_WIRE)) releaseWire();
  bytesClear(SCRATCH_OUTPUT);
  bytesClear(SCRATCH_WIRE);
  store<u32>(c, option(c, layout.OPT_REPORTS), C_REPORTS_LEFT);
  store<u32>(c, layout.FEED_DONE, C_STATE);
}

/** Feeds the `n` bytes at `p`, which a NUL follows; returns the number of events accepted so far (`continueFeed` goes on). */
export function feed(c: usize, p: usize, n: u32, last: bool): u32 {
  if (load<u8>(c, C_FINISHED)) resetPosition(c);
  putSentinel(p + n);
  add(c, C_BYTES, n);
  store<u32>(c, <u32>p, C_UNREAD);
  store<u32>(c, <u32>p + n, C_UNREAD_END);
  store<u8>(c, last ? 1 : 0, C_LAST_PIECE);
  store<u8>(c, IN_CHUNK, C_FEEDING);
  return feedUnread(c);
}

/** Goes on after the host has drained a full output queue, or has handed back what its middleware made of an event. */
export function continueFeed(c: usize): u32 {
  bytesClear(SCRATCH_OUTPUT);
  bytesClear(SCRATCH_WIRE);
  store<u32>(c, layout.FEED_DONE, C_STATE);
  if (load<u32>(c + C_QUEUE, RUN_LEN)) return runQueue(c);
  const interrupted = load<u8>(c, C_FEEDING);
  if (interrupted == IN_CHUNK) {
    // the window may have served another connection meanwhile: the host has put the chunk back
    putSentinel(load<u32>(c, C_UNREAD_END));
    return feedUnread(c);
  }
  if (interrupted == IN_TAIL) {
    store<u8>(c, 0, C_FEEDING);
    if (runOf(c)) endRun(c);
  }
  return 0;
}

@inline function feedUnread(c: usize): u32 { return transport(c) == code.TRANSPORT_JSON ? runWhole(c) : run(c); }

// Without framing the chunk is a message, or a piece of one.
function runWhole(c: usize): u32 {
  const f = c + C_FRAME, p = <usize>load<u32>(c, C_UNREAD), end = <usize>load<u32>(c, C_UNREAD_END), last = load<u8>(c, C_LAST_PIECE) != 0, tried = takeTried();
  let accepted: bool = false;
  beginChunk(f, p);
  if (p < end || last) {
    const agui = runOf(c) != 0, whole = last && lineAtStart(f), passes = passesOn(c), tokens = mayFoldTokens(c);
    store<u8>(c, 0, C_LAST_PIECE);
    if (tokens) selectTextTemplates(code.TRANSPORT_JSON, agui);
    const awake = whole && tokens && templatesAwake();
    const folded = whole && p != tried ? foldWhole(c, p, end, awake, agui ? allowsDeltas(c) : allowsSets(c)) : WHOLE_OTHER;
    if (folded) {
      accepted = true;
      if (folded == WHOLE_TOKEN && wireOf(c)) relayedTokens++;
    } else {
      wholeNext(f, p, end, last);
      if (frameEvent != FRAME_NONE) {
        accepted = handleFrame(c, code.TRANSPORT_JSON);
        if (accepted && whole && tokens && !(awake && isKnown(passes, agui)) && isLine(p, end)) learnWhole(c, p, end, passes, agui);
      }
    }
  }
  suspend(c, end);
  if (load<u32>(c, C_STATE) != layout.FEED_HELD) store<u8>(c, 0, C_FEEDING);
  return accepted ? 1 : 0;
}

function run(c: usize): u32 {
  const f = c + C_FRAME, kind = transport(c), end = <usize>load<u32>(c, C_UNREAD_END);
  let p = <usize>load<u32>(c, C_UNREAD), accepted: u32 = 0;
  const agui = runOf(c) != 0;
  const deltas = agui && allowsDeltas(c), sets = !agui && allowsSets(c);
  const relays = wireOf(c) != 0, passes = passesOn(c);
  const tokens = mayFoldTokens(c), tried = takeTried(), binary = isBinary(kind), templates = tokens && !binary;
  const brackets = agui && allowsBrackets(c);
  if (templates) selectTextTemplates(kind, agui);
  beginChunk(f, p);
  while (p < end) {
    if (isOutputFull()) {
      suspend(c, p);
      store<u32>(c, layout.FEED_FULL, C_STATE);
      return accepted;
    }
    if (kind == code.TRANSPORT_SSE ? sseAtEventStart(f) : kind == code.TRANSPORT_NDJSON && lineAtStart(f)) {
      const awake = templates && templatesAwake();
      if (awake && p != tried) {
        const q = passes ? passTokens(c, p, end) : agui ? foldAguiTokens(c, p, end) : foldTokens(c, p, end);
        if (q != p) {
          sseCommitId(f);
          const n = passes ? passedTokens : agui ? foldedAguiTokens : foldedTokens;
          accepted += n;
          if (relays) relayedTokens += n;
          if (load<u32>(c, C_STATE)) { p = q; break; }
          if (q >= end) { p = q; break; }
          p = q;
        }
      }
      if (brackets && p != tried) {
        const q = foldBracket(c, p, end, kind);
        if (q) {
          sseCommitId(f);
          accepted++;
          p = q;
          if (load<u32>(c, C_STATE)) break;
          continue;
        }
      }
      if ((deltas || sets) && p != tried) {
        const q = deltas ? foldDelta(c, p, end, kind == code.TRANSPORT_SSE) : foldSet(c, p, end, kind == code.TRANSPORT_SSE);
        if (q) {
          sseCommitId(f);
          accepted++;
          p = q;
          if (load<u32>(c, C_STATE)) break;
          continue;
        }
      }
      const q = kind == code.TRANSPORT_SSE ? readDirect(c, p, end) : readDirectLine(c, p, end);
      if (q) {
        if (handleDirect(c, <u32>(q - p))) {
          accepted++;
          if (templates && !(awake && isKnown(passes, agui))) learn(c, p, q, passes, agui);
        }
        p = q;
        if (load<u32>(c, C_STATE)) break;
        continue;
      }
    }
    else if (binary && (kind == code.TRANSPORT_MSGPACK ? msgpackAtStart(f) : prefixAtStart(f))) {
      if (tokens && p != tried) {
        const q = agui ? foldAguiBinary(c, p, end, kind) : passes ? passAppends(c, p, end) : foldAppends(c, p, end);
        if (q != p) {
          const n = agui ? foldedBinary : passes ? passedTokens : foldedAppends;
          accepted += n;
          noteBinary(n);
          if (relays) relayedTokens += n;
          if (load<u32>(c, C_STATE)) { p = q; break; }
          if (q >= end) { p = q; break; }
          p = q;
        }
      }
      if (p != tried) {
        let q: usize = brackets ? foldBracket(c, p, end, kind) : 0;
        if (!q && !relays && (deltas || sets)) q = foldBinaryPatch(c, p, end, kind);
        if (q) {
          accepted++;
          p = q;
          if (load<u32>(c, C_STATE)) break;
          continue;
        }
      }
      const q = kind == code.TRANSPORT_MSGPACK ? readDirectMsgpack(c, p, end) : 0;
      if (q) {
        aboutMessage(nextIndex(c), messageOffset);
        if (handleDirectText(c)) accepted++;
        p = q;
        if (load<u32>(c, C_STATE)) break;
        continue;
      }
    }
    if (kind == code.TRANSPORT_SSE) p = sseNext(f, p, end);
    else if (!binary) p = lineNext(f, p, end);
    else p = kind == code.TRANSPORT_MSGPACK ? msgpackNext(f, p, end, option(c, layout.OPT_DEPTH)) : prefixNext(f, p, end);
    if (frameEvent == FRAME_NONE) continue;
    if (handleFrame(c, kind)) accepted++;
    if (load<u32>(c, C_STATE)) break;
  }
  if (load<u32>(c, C_STATE) == layout.FEED_HELD) {
    suspend(c, p);
    return accepted;
  }
  suspend(c, end);
  store<u8>(c, 0, C_FEEDING);
  return accepted;
}

// Whether a template knew the event that was asked about last.
@inline function isKnown(passes: bool, agui: bool): bool { return passes ? passedKnown : agui ? aguiTokenKnown : tokenKnown; }

// Learns the event [p, end) that was accepted.
function learn(c: usize, p: usize, end: usize, passes: bool, agui: bool): void {
  if (passes) learnPassed(c, p, end);
  else if (agui) learnAguiToken(p, end);
  else if (eventOp == code.OP_APPEND && isTokenLike()) learnTemplate(p, end);
}

// The same for a message without framing.
function learnWhole(c: usize, p: usize, end: usize, passes: bool, agui: bool): void {
  putLineEnd(end);
  learn(c, p, end + 1, passes, agui);
  takeLineEnd(end);
}

// Everything before `p` is done with.
function suspend(c: usize, p: usize): void {
  store<u32>(c, <u32>p, C_UNREAD);
  endChunk(c + C_FRAME, p);
}

// The event that readDirect has scanned where it lies.
function handleDirect(c: usize, size: u32): bool {
  aboutMessage(nextIndex(c), messageOffset);
  if (!hasRoom(c, size)) return false;
  const accepted = conclude(c, handleMessage(c, messageStart, messageEnd, directSize, false));
  if (!load<u8>(c, C_FAILURE)) sseCommitId(c + C_FRAME);
  return accepted;
}

function handleFrame(c: usize, kind: u32): bool {
  const f = c + C_FRAME;
  if (frameEvent == FRAME_NO_MEMORY) {
    aboutMessage(load<f64>(c, C_EVENT_INDEX), -1);
    noMemory(c);
    return false;
  }
  aboutMessage(nextIndex(c), messageOffset);
  if (frameEvent == FRAME_TOO_LARGE) {
    clearFault();
    failWhole(code.E_TOO_LARGE);
    fail(code.E_TOO_LARGE, code.R_LIMIT_MESSAGE);
    failConnection(c);
    return false;
  }
  const size = <u32>(messageEnd - messageStart);
  const accepted = isBinary(kind)
    ? readBinary(c, kind, messageStart, messageEnd)
    : hasRoom(c, size) && readMessage(c, messageStart, messageEnd, size, false);
  if (kind == code.TRANSPORT_SSE) {
    if (!load<u8>(c, C_FAILURE)) sseCommitId(f);
    sseMessageDone(f);
  } else if (!isBinary(kind)) lineMessageDone(f);
  else if (kind == code.TRANSPORT_MSGPACK) msgpackMessageDone(f);
  else prefixMessageDone(f);
  return accepted;
}

// ---------------------------------------------------------------- one event outside of the framing

// Places in a text without framing count from its own beginning.
function setWhole(p: usize, end: usize): void { setMessage(p, end, 0); }

/** Applies one event given as JSON text (a NUL lies behind it) or, `isValue`, as a value that has become one; text faults are reported without being sticky. */
export function applyText(c: usize, p: usize, n: u32, isValue: bool): u32 {
  memory.fill(p + n, 0, 64);
  setWhole(p, p + n);
  // a value has no place, nor will it have one when it comes out of a queue
  aboutMessage(nextIndex(c), isValue ? -1 : 0);
  if (!isValue && n > option(c, layout.OPT_MESSAGE_BYTES)) {
    clearFault();
    failWhole(code.E_TOO_LARGE);
    fail(code.E_TOO_LARGE, code.R_LIMIT_MESSAGE);
    reportFault(c);
    return 0;
  }
  if (!hasRoom(c, n)) return 0;
  setUnframed(true);
  const accepted = readMessage(c, p, p + n, n, false);
  setUnframed(false);
  return accepted ? 1 : 0;
}

// ---------------------------------------------------------------- queued events

/** Applies what was queued while the stream was paused. `skip`: an unresolved reference that the first event patches is an error. */
export function resumeStream(c: usize, t: usize, skip: bool): u32 {
  if (!(load<u8>(t, T_FLAGS) & PAUSED)) return 0;
  store<u8>(t, load<u8>(t, T_FLAGS) & ~(PAUSED | WAITING), T_FLAGS);
  takeQueue(c, t);
  store<u32>(c, <u32>t, C_RESUMING);
  failReferences(skip);
  const accepted = runQueue(c);
  failReferences(false);
  return accepted;
}

// Whether the event in hand has met a reference: it waits again, and what stands behind it.
function isResumedWaiting(c: usize): bool {
  const t = <usize>load<u32>(c, C_RESUMING);
  return t != 0 && isWaiting(t);
}

function runQueue(c: usize): u32 {
  let accepted: u32 = 0;
  while (true) {
    const entry = nextEntry(c);
    if (!entry) { store<u32>(c, 0, C_RESUMING); break; }
    if (isOutputFull()) { store<u32>(c, layout.FEED_FULL, C_STATE); return accepted; }
    const n = load<u32>(entry, Q_LENGTH);
    if (!n) { passLoss(c); passEntry(c, entry); continue; }
    setUnframed(true);
    const room = hasRoom(c, n);
    setUnframed(false);
    if (!room) { giveQueueBack(c); return accepted; }
    aboutMessage(load<f64>(entry, Q_INDEX), load<f64>(entry, Q_OFFSET));
    const end = scanMessage(c, entry + Q_TEXT, false);
    setUnframed(true);
    const done = conclude(c, handleMessage(c, entry + Q_TEXT, end, load<u32>(entry, Q_BYTES), true));
    setUnframed(false);
    failReferences(false);
    if (load<u32>(c, C_STATE) == layout.FEED_NO_MEMORY || isResumedWaiting(c)) { giveQueueBack(c); return accepted; }
    passEntry(c, entry);
    if (done) accepted++;
    if (load<u32>(c, C_STATE) == layout.FEED_HELD) return accepted;
  }
  return accepted;
}

// ---------------------------------------------------------------- end of the body

/** Ends the body: uses or discards the unterminated tail. */
export function finishBody(c: usize): u32 {
  const f = c + C_FRAME, kind = transport(c);
  if (load<u8>(c, C_FINISHED) || load<u8>(c, C_FAILURE)) {
    if (!load<u8>(c, C_FINISHED)) store<u8>(c, 1, C_TRUNCATED);
    store<u8>(c, 1, C_FINISHED);
    endBody(c);
    return 0;
  }
  store<u8>(c, 1, C_FINISHED);
  store<u8>(c, isBinary(kind) && (kind == code.TRANSPORT_MSGPACK ? !msgpackAtStart(f) : prefixIsPartial(f)), C_TRUNCATED);
  if (kind == code.TRANSPORT_SSE) sseFinish(f);
  else if (isBinary(kind)) setFrameEvent(FRAME_NONE);
  else lineFinish(f);
  let accepted = false;
  if (frameEvent == FRAME_TOO_LARGE || frameEvent == FRAME_NO_MEMORY) accepted = handleFrame(c, kind);
  else if (frameEvent == FRAME_MESSAGE) {
    if (kind == code.TRANSPORT_JSON || hasOption(c, layout.FLAG_DISCARD_TAIL) || !isWhole(c)) store<u8>(c, 1, C_TRUNCATED);
    else accepted = handleFrame(c, kind);
  }
  resetDecoder(c);
  // a transcoder has no middleware that could hold the last event
  if (load<u32>(c, C_STATE) == layout.FEED_HELD) store<u8>(c, IN_TAIL, C_FEEDING);
  else endBody(c);
  return accepted ? 1 : 0;
}

// Runs end with the body, what is written as AgentUE too, and halves that are held.
function endBody(c: usize): void {
  if (runOf(c)) endRun(c);
  if (adapterOf(c) && !isToldAtEnd(c, adaptEnd(c, isComplete(c)))) noMemory(c);
  if (wireOf(c)) endEmission(c);
}

function isWhole(c: usize): bool {
  if (!locateFault(messageStart, messageEnd, option(c, layout.OPT_DEPTH))) return true;
  if (!hasOption(c, layout.FLAG_REPLACE_UTF8)) return false;
  bytesClear(REPLACED);
  if (!bytesReserve(REPLACED, <u32>(messageEnd - messageStart) * 3 + 64)) return false;
  const text = <usize>load<u32>(REPLACED, RUN_PTR), stop = replaceInvalid(messageStart, messageEnd, text);
  memory.fill(stop, 0, 64);
  const whole = !locateFault(text, stop, option(c, layout.OPT_DEPTH));
  releaseText();
  return whole;
}

// ---------------------------------------------------------------- events that the host's middleware holds (docs/semantics-agui.md §3)

// What is reported next belongs to the event that the host holds.
function goOn(c: usize): void {
  enter(c);
  bytesClear(SCRATCH_OUTPUT);
  store<u32>(c, layout.FEED_DONE, C_STATE);
  aboutMessage(load<f64>(c, C_HELD_INDEX), load<f64>(c, C_HELD_OFFSET));
  nameRun(c);
  clearFault();
}

/** Takes the event of `n` bytes at `p`, where 64 bytes are writable behind it, in place of the one that the host holds; returns the events accepted. */
export function applyHeld(c: usize, p: usize, n: u32): u32 {
  memory.fill(p + n, 0, 64);
  goOn(c);
  setUnframed(load<u8>(c, C_FEEDING) == 0);
  const accepted = hasRoom(c, n) && conclude(c, handBack(c, p, p + n));
  setUnframed(false);
  if (load<u32>(c, C_STATE) == layout.FEED_NO_MEMORY) giveUp(c);
  return accepted ? 1 : 0;
}

// Memory ran out in the middle: what stands behind the event waits where it came from, or is lost with the connection.
function giveUp(c: usize): void {
  if (load<u32>(c + C_QUEUE, RUN_LEN)) giveQueueBack(c);
  if (load<u8>(c, C_FEEDING) == IN_CHUNK) suspend(c, load<u32>(c, C_UNREAD_END));
  store<u8>(c, 0, C_FEEDING);
}

/** The host's middleware wants nothing of the event that it holds. */
export function dropHeld(c: usize): void {
  goOn(c);
  skip(c);
}

/** The host's middleware has failed with the event that it holds. */
export function failHeld(c: usize): void {
  goOn(c);
  fail(code.E_MIDDLEWARE_FAILED, code.R_MIDDLEWARE);
  refuse(c);
}
