// Everything a connection knows as bytes, and back (docs/semantics.md §10).
import * as code from "../abi/codes";
import { E_OUT_OF_MEMORY } from "../abi/codes";
import * as layout from "../abi/layout";
import { setAccount } from "../memory/heap";
import { bytesAppend, bytesClear, bytesReserve, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { canonicalEscapes } from "../text/escape";
import { canonicalize } from "../text/minify";
import { findByte, HAS_LOOSE_ESCAPE, scanFlags, scanString, setScanFlags } from "../text/scan";
import { isWellFormed } from "../text/replace-utf8";
import { skipValue } from "../text/validate";
import { clearFault, failWhole } from "../reduce/fault";
import { storeAgui } from "../reduce/agui/stored";
import { A_APPLIED, A_DROPPED, A_SKIPPED, A_VERSION, statusOfAgui } from "../reduce/agui/state";
import { F_STREAM_ID, fieldEnd, fieldKind, fieldStart, isString, K_ABSENT, scanEnvelope } from "../reduce/agentue/envelope";
import { prefixPartial, prefixResume } from "../frame/length-prefix";
import { lineNext } from "../frame/line";
import { msgpackPartial, msgpackResume } from "../frame/msgpack";
import { sseNext } from "../frame/sse";
import {
  AFTER_CR, beginChunk, DISCARDING, F_DATA, F_ID, F_LAST_ID, F_LINE, F_LINES, F_OFFSET, F_RETRY, F_SKIP, FRAME_NONE, frameEvent, hasFlag, ID_SET,
  LAST_ID_KNOWN, LINE_HAS_BYTES, setFlag, STARTED,
} from "../frame/state";
import { SCRATCH_RESULT as OUT } from "../reduce/scratch";
import { scratch } from "../reduce/agentue/content";
import { forgetChanges } from "../reduce/change-log";
import { writeModel } from "../reduce/agentue/write";
import {
  IN_BURST, S_APPLIED, S_DROPPED, S_END_ORDER, S_FLAGS, S_LOG, S_SEQ, S_SIZE, S_SKIPPED, S_STATUS, S_VERSION,
  SEQ_KNOWN,
} from "../reduce/agentue/state";
import {
  C_APPLIED, C_BYTES, C_COUNT, C_DROPPED, C_END_ORDER, C_ERRORS, C_EVENT_INDEX, C_EVENTS, C_FAILURE, C_FINISHED, C_FIRST, C_FRAME, C_OPTIONS, C_SKIPPED,
  C_TRUNCATED, C_WARNINGS, LOST, option, PAUSED, T_FLAGS, T_ID, T_ID_LENGTH, T_NEXT, T_QUEUE, T_QUEUED_BYTES, T_STATE, WAITING,
} from "./layout";
import { addEntry, Q_INDEX, Q_LENGTH, Q_OFFSET, Q_SIZE, Q_TEXT } from "./queue";
import { loadText, restoreText } from "./stored";
import { findStream, linkEnded } from "./streams";
import { awaitedReference } from "./waiting";
import { isBinary, runOf, runOfStream } from "./roads";

const HEADER: u32 = 12;
const BODY_FINISHED: u32 = 8, CUT_OFF: u32 = 16, PASSING: u32 = 32, PASSING_LINE: u32 = 64;

// ---------------------------------------------------------------- writing

function put8(v: u32): bool {
  if (!bytesReserve(OUT, 1)) return false;
  const n = load<u32>(OUT, RUN_LEN);
  store<u8>(<usize>load<u32>(OUT, RUN_PTR) + n, <u8>v);
  store<u32>(OUT, n + 1, RUN_LEN);
  return true;
}

function put32(v: u32): bool {
  if (!bytesReserve(OUT, 4)) return false;
  const n = load<u32>(OUT, RUN_LEN);
  store<u32>(<usize>load<u32>(OUT, RUN_PTR) + n, v);
  store<u32>(OUT, n + 4, RUN_LEN);
  return true;
}

function put64(v: f64): bool {
  if (!bytesReserve(OUT, 8)) return false;
  const n = load<u32>(OUT, RUN_LEN);
  store<f64>(<usize>load<u32>(OUT, RUN_PTR) + n, v);
  store<u32>(OUT, n + 8, RUN_LEN);
  return true;
}

function putBytes(p: usize, n: u32): bool { return put32(n) && bytesAppend(OUT, p, n); }

const DATA_LINE: usize = memory.data<u8>([0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0, 0]);
const ID_LINE: usize = memory.data<u8>([0x69, 0x64, 0x3a, 0x20, 0, 0, 0, 0]);
const LINE_FEED: usize = memory.data<u8>([0x0a, 0, 0, 0, 0, 0, 0, 0]);

// Wire bytes that bring a fresh decoder to where this one stands.
function putPartial(c: usize, f: usize): bool {
  const at = load<u32>(OUT, RUN_LEN), transport = load<u8>(c + C_OPTIONS, layout.OPT_TRANSPORT);
  if (!put32(0)) return false;
  const done = !isBinary(transport) ? putLines(f) : transport == code.TRANSPORT_MSGPACK ? msgpackPartial(f, OUT) : prefixPartial(f, OUT);
  store<u32>(<usize>load<u32>(OUT, RUN_PTR) + at, load<u32>(OUT, RUN_LEN) - at - 4);
  return done;
}

function putLines(f: usize): bool {
  if (hasFlag(f, ID_SET)) {
    const id = f + F_ID;
    if (!bytesAppend(OUT, ID_LINE, 4) || !bytesAppend(OUT, load<u32>(id, RUN_PTR), load<u32>(id, RUN_LEN)) || !bytesAppend(OUT, LINE_FEED, 1)) return false;
  }
  if (load<u32>(f, F_LINES)) {
    const data = f + F_DATA, end = <usize>load<u32>(data, RUN_PTR) + load<u32>(data, RUN_LEN);
    let p = <usize>load<u32>(data, RUN_PTR) + load<u32>(f, F_SKIP);
    while (true) {
      const feed = p < end ? findByte(p, end, 0x0a) : 0, stop = feed ? feed : end;
      if (!bytesAppend(OUT, DATA_LINE, 6) || !bytesAppend(OUT, p, <u32>(stop - p)) || !bytesAppend(OUT, LINE_FEED, 1)) return false;
      if (!feed) break;
      p = feed + 1;
    }
  }
  return bytesAppend(OUT, load<u32>(f + F_LINE, RUN_PTR), load<u32>(f + F_LINE, RUN_LEN));
}

/** Writes the checkpoint to the result run; false = out of memory. */
export function writeCheckpoint(c: usize): bool {
  const f = c + C_FRAME, failed = load<u8>(c, C_FAILURE) != 0, agui = runOf(c) != 0;
  bytesClear(OUT);
  if (!put32(layout.CHECKPOINT_MAGIC) || !put8(layout.CHECKPOINT_FORMAT) || !put8(0) || !put8(load<u8>(c + C_OPTIONS, layout.OPT_PROTOCOL))
    || !put8(load<u8>(c + C_OPTIONS, layout.OPT_TRANSPORT)) || !put32(0)) return false;
  // a failed connection is saved as after reconnect()
  if (!put64(failed ? 0 : load<f64>(f, F_OFFSET)) || !put64(failed ? 0 : load<f64>(c, C_EVENT_INDEX)) || !put64(agui ? -1 : load<f64>(f, F_RETRY))
    || !put64(load<f64>(c, C_EVENTS)) || !put64(load<f64>(c, C_APPLIED)) || !put64(load<f64>(c, C_SKIPPED)) || !put64(load<f64>(c, C_DROPPED))
    || !put64(load<f64>(c, C_ERRORS)) || !put64(load<f64>(c, C_WARNINGS))) return false;
  const knowsId = hasFlag(f, LAST_ID_KNOWN) && !agui;
  let flags: u32 = knowsId ? 4 : 0;
  if (!failed) {
    flags |= (hasFlag(f, STARTED) ? 1 : 0) | (hasFlag(f, AFTER_CR) ? 2 : 0) | (load<u8>(c, C_FINISHED) ? BODY_FINISHED : 0)
      | (load<u8>(c, C_TRUNCATED) ? CUT_OFF : 0) | (hasFlag(f, DISCARDING) ? PASSING : 0) | (hasFlag(f, LINE_HAS_BYTES) ? PASSING_LINE : 0);
  }
  if (!put8(flags) || !putBytes(load<u32>(f + F_LAST_ID, RUN_PTR), knowsId ? load<u32>(f + F_LAST_ID, RUN_LEN) : 0)) return false;
  if (!(failed ? put32(0) : putPartial(c, f)) || !put32(load<u32>(c, C_COUNT))) return false;
  for (let t = <usize>load<u32>(c, C_FIRST); t; t = load<u32>(t, T_NEXT)) if (!putStream(t)) return false;
  store<u32>(<usize>load<u32>(OUT, RUN_PTR) + 8, load<u32>(OUT, RUN_LEN));
  return true;
}

function putStream(t: usize): bool {
  const s = t + T_STATE, run = runOfStream(t), state = load<u8>(s, S_FLAGS), paused = load<u8>(t, T_FLAGS);
  const flags: u32 = (state & SEQ_KNOWN ? 1 : 0) | (paused & PAUSED ? 2 : 0) | (state & IN_BURST ? 4 : 0) | (paused & LOST ? 8 : 0)
    | (paused & WAITING ? 16 : 0);
  const status: u32 = run ? (statusOfAgui(run) == code.RUN_REJECTED ? code.STATUS_REFUSED : code.STATUS_OPEN) : load<u8>(s, S_STATUS);
  if (!putBytes(t + T_ID, load<u32>(t, T_ID_LENGTH)) || !put8(status) || !put8(flags)) return false;
  if (!put64(load<f64>(s, S_SEQ)) || !put64(run ? load<f64>(run, A_VERSION) : load<f64>(s, S_VERSION))
    || !put64(run ? load<f64>(run, A_APPLIED) : load<f64>(s, S_APPLIED)) || !put64(run ? load<f64>(run, A_SKIPPED) : load<f64>(s, S_SKIPPED))
    || !put64(run ? load<f64>(run, A_DROPPED) : load<f64>(s, S_DROPPED)) || !put64(load<f64>(s, S_END_ORDER))) return false;
  const queue = t + T_QUEUE, count = load<u32>(OUT, RUN_LEN);
  let queued: u32 = 0;
  if (!put32(0)) return false;
  for (let at: u32 = 0; at < load<u32>(queue, RUN_LEN);) {
    const entry = <usize>load<u32>(queue, RUN_PTR) + at, n = load<u32>(entry, Q_LENGTH);
    at += load<u32>(entry, Q_SIZE);
    // the flag above says that the queue ends in a loss
    if (!n) continue;
    queued++;
    if (!put64(load<f64>(entry, Q_INDEX)) || !put64(load<f64>(entry, Q_OFFSET)) || !putBytes(entry + Q_TEXT, n)) return false;
  }
  store<u32>(<usize>load<u32>(OUT, RUN_PTR) + count, queued);
  if (run) {
    const start = load<u32>(OUT, RUN_LEN);
    if (!put32(0) || !storeAgui(run, OUT)) return false;
    store<u32>(<usize>load<u32>(OUT, RUN_PTR) + start, load<u32>(OUT, RUN_LEN) - start - 4);
    return true;
  }
  const size = load<u32>(s, S_SIZE);
  if (!put32(size) || !bytesReserve(OUT, size)) return false;
  writeModel(s, <usize>load<u32>(OUT, RUN_PTR) + load<u32>(OUT, RUN_LEN));
  store<u32>(OUT, load<u32>(OUT, RUN_LEN) + size, RUN_LEN);
  return true;
}

// ---------------------------------------------------------------- reading

let at: usize = 0;
let stop: usize = 0;
let bad: bool = false;

function take(n: u32): usize {
  if (bad || stop - at < <usize>n) { bad = true; return 0; }
  const p = at;
  at += n;
  return p;
}
function take8(): u32 { const p = take(1); return p ? <u32>load<u8>(p) : 0; }
function take32(): u32 { const p = take(4); return p ? load<u32>(p) : 0; }
// A count or position: an integer a double holds exactly, −1 where that is allowed.
function take64(least: f64): f64 {
  const p = take(8);
  const v = p ? load<f64>(p) : 0;
  // −0 is not written by anybody
  if (!(v >= least && v <= 9007199254740991 && Math.floor(v) == v) || (v == 0 && reinterpret<u64>(v) != 0)) bad = true;
  return v;
}
let takenLength: u32 = 0;
function takeBytes(): usize {
  takenLength = take32();
  return take(takenLength);
}

/** Reads a checkpoint of `n` bytes at `p` into the fresh connection `c`; false: it cannot be read. The bytes are used up. */
export function readCheckpoint(c: usize, p: usize, n: u32): bool {
  at = p;
  stop = p + n;
  bad = n < HEADER;
  clearFault();
  if (take32() != layout.CHECKPOINT_MAGIC || take8() != layout.CHECKPOINT_FORMAT || take8() != 0) return false;
  if (take8() != load<u8>(c + C_OPTIONS, layout.OPT_PROTOCOL) || take8() != load<u8>(c + C_OPTIONS, layout.OPT_TRANSPORT) || take32() != n) return false;
  if (!readConnection(c)) return false;
  const count = take32();
  if (runOf(c) && count != 1) return false;
  for (let i: u32 = 0; i < count && !bad; i++) if (!readStream(c)) return false;
  if (bad || at != stop) return false;
  return linkAllEnded(c);
}

function readConnection(c: usize): bool {
  const f = c + C_FRAME, offset = take64(0);
  store<f64>(c, take64(0), C_EVENT_INDEX);
  store<f64>(f, take64(-1), F_RETRY);
  store<f64>(c, take64(0), C_EVENTS);
  store<f64>(c, take64(0), C_APPLIED);
  store<f64>(c, take64(0), C_SKIPPED);
  store<f64>(c, take64(0), C_DROPPED);
  store<f64>(c, take64(0), C_ERRORS);
  store<f64>(c, take64(0), C_WARNINGS);
  store<f64>(c, offset, C_BYTES);
  const flags = take8();
  if (flags > 127) return false;
  const id = takeBytes();
  if (bad || (takenLength && !(flags & 4)) || !isWellFormed(id, id + takenLength)) return false;
  if (!bytesAppend(f + F_LAST_ID, id, takenLength)) return failWhole(E_OUT_OF_MEMORY);
  const partial = takeBytes(), n = takenLength;
  if (bad || (n && !(flags & 1) && load<u8>(c + C_OPTIONS, layout.OPT_TRANSPORT) == code.TRANSPORT_SSE && !isMarkBegun(partial, n)) || !readPartial(c, partial, n, flags)) return false;
  if (flags & 1) setFlag(f, STARTED);
  if (flags & 2) setFlag(f, AFTER_CR);
  if (flags & 4) setFlag(f, LAST_ID_KNOWN);
  if (flags & PASSING) setFlag(f, DISCARDING);
  if (flags & PASSING_LINE) setFlag(f, LINE_HAS_BYTES);
  store<u8>(c, flags & BODY_FINISHED ? 1 : 0, C_FINISHED);
  store<u8>(c, flags & CUT_OFF ? 1 : 0, C_TRUNCATED);
  store<f64>(f, offset, F_OFFSET);
  return true;
}

// Before the first bytes are judged only the beginning of a byte-order mark can wait, and only in SSE is it told apart.
function isMarkBegun(p: usize, n: u32): bool { return n < 3 && load<u8>(p) == 0xef && (n < 2 || load<u8>(p, 1) == 0xbb); }

// The partial bytes go through the decoder; a whole message among them does not belong there.
function readPartial(c: usize, p: usize, n: u32, flags: u32): bool {
  const f = c + C_FRAME, offset = load<f64>(c, C_BYTES) - n;
  const transport = load<u8>(c + C_OPTIONS, layout.OPT_TRANSPORT), passing = (flags & PASSING) != 0;
  // lines of SSE, and what stands for a message being passed over, may be longer than what has come
  if (offset < 0 && transport != code.TRANSPORT_SSE && !(isBinary(transport) && passing)) return false;
  store<f64>(f, offset, F_OFFSET);
  if (flags & 1) setFlag(f, STARTED);
  beginChunk(f, p);
  if (isBinary(transport)) return transport == code.TRANSPORT_MSGPACK ? msgpackResume(f, p, n, option(c, layout.OPT_DEPTH), passing) : prefixResume(f, p, n, passing);
  if (transport == code.TRANSPORT_SSE) sseNext(f, p, p + n);
  else if (transport == code.TRANSPORT_NDJSON) { if (n) lineNext(f, p, p + n); }
  else return n == 0;
  return n == 0 || frameEvent == FRAME_NONE;
}

function readStream(c: usize): bool {
  const id = takeBytes(), idLength = takenLength;
  const status = take8(), flags = take8();
  const seq = take64(0), version = take64(runOf(c) ? 0 : 1), applied = take64(0), skipped = take64(0), dropped = take64(0), endOrder = take64(0);
  const count = take32(), queue = at;
  for (let i: u32 = 0; i < count && !bad; i++) { take64(0); take64(-1); takeBytes(); }
  const model = takeBytes(), n = takenLength;
  if (bad || status - 1 > <u32>code.STATUS_REFUSED - 1 || flags > 31 || !isContents(id, idLength)) return false;
  if ((endOrder > 0) != (status == code.STATUS_ENDED)) return false;
  const run = runOf(c), following = at;
  if (run ? idLength != 0 || flags & 21 || status == code.STATUS_ERRORED || endOrder > 0 : findStream(c, id, idLength) != 0) return false;
  if (run) {
    store<f64>(run, version, A_VERSION);
    store<f64>(run, applied, A_APPLIED);
    store<f64>(run, skipped, A_SKIPPED);
    store<f64>(run, dropped, A_DROPPED);
  }
  // the byte behind the model is borrowed for the NUL
  const kept = load<u64>(model + n);
  store<u64>(model + n, 0);
  const loaded = run ? restoreText(c, model, n) : loadText(c, 0, id, idLength, flags & 1 ? seq : -1, model, n);
  store<u64>(model + n, kept);
  at = following;
  if (!loaded) return false;
  if (run) {
    return (statusOfAgui(run) == code.RUN_REJECTED) == (status == code.STATUS_REFUSED) && readQueue(c, load<u32>(c, C_FIRST), queue, count, flags);
  }
  const t = findStream(c, id, idLength), s = t + T_STATE;
  store<u8>(s, <u8>status, S_STATUS);
  store<f64>(s, applied, S_APPLIED);
  store<f64>(s, skipped, S_SKIPPED);
  store<f64>(s, dropped, S_DROPPED);
  store<f64>(s, endOrder, S_END_ORDER);
  if (flags & 4) store<u8>(s, load<u8>(s, S_FLAGS) | IN_BURST, S_FLAGS);
  const account = setAccount(t);
  forgetChanges(s + S_LOG, version);
  setAccount(account);
  return readQueue(c, t, queue, count, flags);
}

function readQueue(c: usize, t: usize, queue: usize, count: u32, flags: u32): bool {
  const following = at;
  at = queue;
  for (let i: u32 = 0; i < count; i++) {
    const index = take64(0), offset = take64(-1), text = takeBytes(), n = takenLength;
    if (!n || !isEvent(text, n)) return false;
    const entry = addEntry(t, index, offset, n, n);
    if (!entry) return failWhole(E_OUT_OF_MEMORY);
    store<u32>(entry, <u32>(canonicalize(text, entry + Q_TEXT) - entry - Q_TEXT), Q_LENGTH);
    if (!runOfStream(t) && (!scanEnvelope(entry + Q_TEXT, false) || !hasId(t))) return false;
  }
  at = following;
  if (flags & 8 && !addEntry(t, 0, 0, 0, 0)) return failWhole(E_OUT_OF_MEMORY);
  if (load<u32>(t, T_QUEUED_BYTES) > option(c, layout.OPT_QUEUED_BYTES)) return false;
  store<u8>(t, (flags & 2 ? PAUSED : 0) | (flags & 8 ? LOST : 0) | (flags & 16 ? WAITING : 0), T_FLAGS);
  if (flags & 16 && !awaitedReference(t)) return false;
  return (!count && !(flags & 8)) || (flags & 2) != 0;
}

// Whether [p, p + n) is canonical JSON string contents. Eight bytes behind it are borrowed for the closing quote.
function isContents(p: usize, n: u32): bool {
  const kept = load<u64>(p + n);
  store<u64>(p + n, 0x22);
  setScanFlags(0);
  let good = scanString(p) == p + n;
  if (good && scanFlags & HAS_LOOSE_ESCAPE) {
    const copy = scratch(n + 16);
    good = copy != 0 && canonicalEscapes(p, p + n, copy) == copy + n && memory.compare(copy, p, n) == 0;
  }
  store<u64>(p + n, kept);
  return good;
}

// Whether [p, p + n) is one well-formed JSON object; eight bytes behind it are borrowed for the NUL.
function isEvent(p: usize, n: u32): bool {
  const kept = load<u64>(p + n);
  store<u64>(p + n, 0);
  const good = load<u8>(p) == 0x7b && skipValue(p, false) == p + n;
  store<u64>(p + n, kept);
  return good;
}

// Whether the scanned canonical event is addressed to the stream.
function hasId(t: usize): bool {
  const n = load<u32>(t, T_ID_LENGTH);
  if (fieldKind(F_STREAM_ID) == K_ABSENT) return n == 0;
  if (!isString(fieldKind(F_STREAM_ID))) return false;
  const id = fieldStart(F_STREAM_ID) + 1;
  return <u32>(fieldEnd(F_STREAM_ID) - id - 1) == n && memory.compare(id, t + T_ID, n) == 0;
}

// Streams that have ended, in the order of ending: a shell sort of their addresses.
function linkAllEnded(c: usize): bool {
  const count = load<u32>(c, C_COUNT), list = scratch((count << 2) + 16);
  if (!list) return failWhole(E_OUT_OF_MEMORY);
  let n: u32 = 0;
  for (let t = <usize>load<u32>(c, C_FIRST); t; t = load<u32>(t, T_NEXT)) {
    if (load<f64>(t + T_STATE, S_END_ORDER) > 0) store<u32>(list + (n++ << 2), <u32>t);
  }
  for (let gap = n >> 1; gap; gap >>= 1) {
    for (let i = gap; i < n; i++) {
      const t = <usize>load<u32>(list + (i << 2)), order = load<f64>(t + T_STATE, S_END_ORDER);
      let j = i;
      while (j >= gap && load<f64>(<usize>load<u32>(list + ((j - gap) << 2)) + T_STATE, S_END_ORDER) > order) {
        store<u32>(list + (j << 2), load<u32>(list + ((j - gap) << 2)));
        j -= gap;
      }
      store<u32>(list + (j << 2), <u32>t);
    }
  }
  for (let i: u32 = 0; i < n; i++) {
    const t = <usize>load<u32>(list + (i << 2));
    linkEnded(c, t);
    store<f64>(c, load<f64>(t + T_STATE, S_END_ORDER), C_END_ORDER);
  }
  return true;
}
