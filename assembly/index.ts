// The ABI: the only functions the host sees. They look up handles, delegate and return a status or a length; no logic lives here.
// A call of one event or chunk crosses once; what it brings forth waits in the output queue and the result run.
import { alloc, free, heapInit, heldBytes, liveBytes, roundUp } from "./memory/heap";
import { bytesClear, bytesReserve, RUN_LEN, RUN_PTR } from "./memory/bytes";
import { hashSeed } from "./text/hash";
import { ABI_VERSION, E_BAD_CHECKPOINT, E_NO_MODEL, E_OUT_OF_MEMORY, FORMAT_MSGPACK } from "./abi/codes";
import * as layout from "./abi/layout";
import {
  clearFault, failWhole, faultCode, faultHasPath, faultHasSubject, faultReason, faultReceivedKind, pathLength, pathStart, subjectLength, subjectStart,
} from "./reduce/fault";
import { SCRATCH_ID, SCRATCH_OUTPUT, SCRATCH_RESULT, SCRATCH_WIRE, trimScratch } from "./reduce/scratch";
import { argumentsComplete, argumentsFrom, argumentsGeneration } from "./reduce/agui/arguments";
import { formBytes, formHits } from "./session/fast-path/forms";
import { hotAppends } from "./reduce/agentue/append";
import { F_RETRY } from "./frame/state";
import * as layoutOf from "./session/layout";
import { adaptedTokens } from "./session/adapt/token";
import { noteGiven } from "./session/adapt/allowance";
import { openAdapter } from "./session/adapt/state";
import { readCheckpoint, writeCheckpoint } from "./session/checkpoint";
import { closeConnection, openConnection, reconnect, resetConnection } from "./session/connection";
import {
  applyHeld, applyText, beginCall, continueFeed, dropHeld, enter, failHeld, feed, finishBody, leave, relayedTokens, resumeStream,
} from "./session/feed";
import { binaryTokens, foldOpening, openedTokens, openingEvents } from "./session/fast-path/opening";
import { repeatFailure } from "./session/failure";
import { forkStream } from "./session/fork";
import { framedMessages } from "./session/message";
import { directEvents } from "./session/fast-path/direct";
import { quickDeltas } from "./session/fast-path/agui-delta";
import { quickSets } from "./session/fast-path/agentue-set";
import { templateBytes, templateHits } from "./session/fast-path/trie";
import { writtenTokens } from "./session/fast-path/written";
import {
  framesFaultIndex, framesFaultOffset, framesSize, giveFrameId, openFrames, planFrames, resolveModelText, restoreBlock, restoredAddress, restoredLength, writeNextFrames,
} from "./session/frames";
import {
  addToAssembler, assemblerCounter, chooseGroup, chosenLength, chosenText, dropChosen, feedAssembler, finishAssembling, goOnAssembling, writeChosenNumbers, writeGroups,
} from "./session/assembler";
import { assemblerFree, assemblerNew } from "./frame/storage/assembler";
import { closeDocument, documentFaultOffset, documentFaultOperation, findValue, foundValue, openDocument, patchDocument, sizeOfDocument } from "./session/documents";
import {
  addAssemblerHandle, addDocumentHandle, addHandle, assemblerOf, connectionOf, documentOf, dropHandle, findAssembler, findConnection, findDocument, replaceHandle,
} from "./session/handles";
import {
  isComplete, NO_RESULT, NO_RESULT_FORM, NO_RESULT_MEMORY, seqOf, STATS, statusOf, trim, versionOf, writeArgumentText, writeChangesOf, writeLastEventId, writeSnapshot, writeSnapshotMsgpack, writeStats, writeStreamIds,
  writeStreamStats, writeUnresolved,
} from "./session/inspect";
import { baselineText, keepBaseIds, loadMsgpack, loadText, materializeText, textFaultOffset } from "./session/stored";
import { findStream, releaseStream } from "./session/streams";
import { adapterOf, runOf, runOfStream, SLIM } from "./session/roads";

let input: usize = 0;
let staging: usize = 0;
let stagingSize: u32 = 0;
const FAULT: usize = memory.data(48, 8);
const NO_SUBJECT: u32 = 0xffffffff;

// ---------------------------------------------------------------- engine

export function abi_version(): u32 { return ABI_VERSION; }

/** Starts the engine once: hash seed, memory limit in pages (0 = none). 1 = ready, 0 = out of memory. */
export function engine_init(seedLow: u32, seedHigh: u32, maxPages: u32): u32 {
  heapInit(maxPages);
  if (input) return 1;
  hashSeed(seedLow, seedHigh);
  // the first block of the heap: templates are compared behind its end (fast-path/trie.ts, LONGEST). Nobody pays for it, and it is not counted as live
  input = alloc(layout.INPUT_CAPACITY + 256);
  engineBytes = liveBytes();
  return input ? 1 : 0;
}

let engineBytes: u32 = 0;

/** Bytes held for connections and streams; buffers that serve single calls are given back first. */
export function engine_live(): u32 {
  trim();
  staging_release();
  return liveBytes() - engineBytes - templateBytes - formBytes;
}

export function engine_held(): u32 { return heldBytes(); }

/**
 * Counters for tests and measurements: 0 events read where they lay, 1 messages framed first, 2 appends to a remembered chain, 3 events folded by a
 * template, 4 deltas of the state and patches of a field of AgentUE folded in one pass, 5 tokens of the binary wires folded, or passed on, where they lay (by a template or
 * without one),
 * 6 tokens that went out as AgentUE from where they were folded, 7 tokens that went out on another wire from where they were read, 8 tokens whose form there a
 * template has kept, 9 tokens, and patches of one value, that a chunk began with and that were folded before its call had begun,
 * 10 those of 3 that had a form.
 */
export function engine_counter(i: u32): u32 {
  switch (i) {
    case 0: return directEvents;
    case 1: return framedMessages;
    case 2: return hotAppends;
    case 3: return templateHits;
    case 4: return quickDeltas + quickSets;
    case 5: return binaryTokens;
    case 6: return adaptedTokens;
    case 7: return relayedTokens;
    case 8: return writtenTokens;
    case 9: return openedTokens;
    default: return formHits;
  }
}

// ---------------------------------------------------------------- input and results

/** Address of the input window: INPUT_CAPACITY bytes for chunks, options and stream ids. */
export function input_pointer(): usize { return input; }

/** Address of a staging area of at least `n` bytes for a model, block, checkpoint or event; 0 = out of memory. */
export function staging_reserve(n: u32): usize {
  if (n > 0x7ff00000) return 0;
  if (n + 128 > stagingSize) {
    staging_release();
    const size = roundUp(n + 128);
    staging = alloc(size);
    stagingSize = staging ? size : 0;
  }
  return staging;
}

export function staging_release(): void {
  if (staging) free(staging, stagingSize);
  staging = 0;
  stagingSize = 0;
}

/** Address of what the last writing call produced. */
export function result_pointer(): usize { return load<u32>(SCRATCH_RESULT, RUN_PTR); }

/** Gives the result and other buffers of single calls back. */
export function result_release(): void { trimScratch(); }

/** Address of the fault record of the last call that failed. */
export function fault_pointer(): usize { return FAULT; }

function keepFault(offset: f64): u32 {
  store<u32>(FAULT, faultCode, layout.FAULT_CODE);
  store<u32>(FAULT, faultReason, layout.FAULT_REASON);
  store<u32>(FAULT, (faultHasPath ? layout.HAS_PATH : 0) | (offset >= 0 ? layout.HAS_BYTE_OFFSET : 0), layout.FAULT_HAS);
  store<u32>(FAULT, <u32>pathStart(), layout.FAULT_PATH);
  store<u32>(FAULT, pathLength(), layout.FAULT_PATH_LENGTH);
  store<u32>(FAULT, 0xffffffff, layout.FAULT_OP_INDEX);
  store<f64>(FAULT, offset, layout.FAULT_BYTE_OFFSET);
  store<u32>(FAULT, faultReceivedKind, layout.FAULT_RECEIVED);
  store<u32>(FAULT, <u32>subjectStart(), layout.FAULT_SUBJECT);
  store<u32>(FAULT, faultHasSubject ? subjectLength() : NO_SUBJECT, layout.FAULT_SUBJECT_LENGTH);
  return faultCode;
}

function keepCode(code: u32): u32 {
  clearFault();
  failWhole(code);
  return keepFault(-1);
}

// ---------------------------------------------------------------- sessions

/** Opens a connection with the options block at the input pointer; a handle, 0 = out of memory. */
export function session_open(): u32 {
  const c = openConnection(input);
  if (!c) return 0;
  const handle = addHandle(c);
  if (!handle) closeConnection(c);
  return handle;
}

export function session_close(h: u32): void {
  const c = findConnection(h);
  if (!c) return;
  closeConnection(c);
  leave();
  dropHandle(h);
}

/** Feeds `n` bytes of the input window; `last` ends a `json` message. Returns the events accepted; see `session_state`. */
export function session_feed(h: u32, n: u32, last: u32): u32 {
  const c = connectionOf(h), taken = foldOpening(c, input, n, last != 0), opened = openingEvents;
  if (taken == n && opened) return opened;
  beginCall(c);
  if (load<u8>(c, layoutOf.C_FAILURE)) { repeatFailure(c); return ATTENTION; }
  return noted(c, opened + feed(c, input + taken, n - taken, last != 0));
}

// Set in what feeding calls return when there are reports to drain or the state is not FEED_DONE.
const ATTENTION: u32 = layout.FEED_ATTENTION;

@inline function noted(c: usize, accepted: u32): u32 {
  return load<u32>(SCRATCH_OUTPUT, RUN_LEN) | load<u32>(c, layoutOf.C_STATE) ? accepted | ATTENTION : accepted;
}

/** Goes on after FEED_FULL, when the host has drained the queue, or after FEED_HELD, when it has handed back what it made of the event. */
export function session_continue(h: u32): u32 {
  const c = connectionOf(h);
  enter(c);
  return noted(c, continueFeed(c));
}

/** Goes on with the next window of the same chunk: like session_feed without a new allowance of reports. */
export function session_feed_more(h: u32, n: u32, last: u32): u32 {
  const c = connectionOf(h), left = load<u32>(c, layoutOf.C_REPORTS_LEFT);
  beginCall(c);
  store<u32>(c, left, layoutOf.C_REPORTS_LEFT);
  return noted(c, feed(c, input, n, last != 0));
}

/** FEED_ state of the last feeding call. */
export function session_state(h: u32): u32 { return load<u32>(connectionOf(h), layoutOf.C_STATE); }

/** Applies the event of `n` bytes in the staging area; `isValue`: it came as a value, which has no bytes on the wire. */
export function session_apply(h: u32, n: u32, isValue: u32): u32 {
  const c = connectionOf(h);
  beginCall(c);
  return noted(c, applyText(c, staging, n, isValue != 0));
}

/** After FEED_HELD: takes the event of `n` bytes in the staging area in place of the one held; any number of times. Returns the events accepted. */
export function session_apply_held(h: u32, n: u32): u32 {
  const c = connectionOf(h);
  return noted(c, applyHeld(c, staging, n));
}

/** After FEED_HELD: the event is dropped. */
export function session_drop_held(h: u32): void { dropHeld(connectionOf(h)); }

/** After FEED_HELD: the middleware has failed, which is reported. */
export function session_fail_held(h: u32): void { failHeld(connectionOf(h)); }

/** Ends the body; returns the events accepted from its tail. */
export function session_finish(h: u32): u32 {
  const c = connectionOf(h);
  beginCall(c);
  return noted(c, finishBody(c));
}

/** 1 when the finished body was whole and every stream has ended. */
export function session_is_complete(h: u32): u32 { return isComplete(connectionOf(h)) ? 1 : 0; }

export function session_reconnect(h: u32): void { reconnect(connectionOf(h)); }

/** Resets the connection; an AG-UI one has no baseline then. 0 or an E_ id: it can be tried again. */
export function session_reset(h: u32): u32 {
  const c = connectionOf(h);
  if (resetConnection(c)) return 0;
  // a state without messages needs a little memory before it gives any back: what is kept for later calls goes first
  trim();
  return resetConnection(c) ? 0 : keepCode(E_OUT_OF_MEMORY);
}

/** Gives a new or reset AG-UI connection its baseline, the partial run input of `n` bytes in the staging area; 0 or an E_ id. */
export function session_baseline(h: u32, n: u32): u32 {
  const c = connectionOf(h);
  enter(c);
  memory.fill(staging + n, 0, 64);
  if (!baselineText(c, staging, n)) return keepFault(textFaultOffset);
  if (adapterOf(c)) noteGiven(adapterOf(c), n);
  return 0;
}

/**
 * Makes a new AG-UI connection that writes to a wire write AgentUE (docs/adapter.md): the staging area holds the canonical contents of `biz`, `biz` bytes, and of
 * `stream_id`, `stream` bytes; `most`: `outputBytes`. 0 or an E_ id.
 */
export function session_adapt(h: u32, biz: u32, stream: u32, most: f64): u32 {
  return openAdapter(connectionOf(h), staging, biz, stream, most) ? 0 : keepCode(E_OUT_OF_MEMORY);
}

/** Sticky failure: its E_ id, 0 = none. Reports it into the output queue. */
export function session_failure(h: u32): u32 {
  const c = connectionOf(h), code = <u32>load<u8>(c, layoutOf.C_FAILURE);
  if (code) { beginCall(c); repeatFailure(c); }
  return code;
}

/** Address and length of the records of the feeding call under way, to be drained before any other call. */
export function report_pointer(): usize { return load<u32>(SCRATCH_OUTPUT, RUN_PTR); }
export function report_length(): u32 { return load<u32>(SCRATCH_OUTPUT, RUN_LEN); }

/** Address and length of what a transcoder's feeding call under way has written, to be taken before any other call. */
export function wire_pointer(): usize { return load<u32>(SCRATCH_WIRE, RUN_PTR); }
export function wire_length(): u32 { return load<u32>(SCRATCH_WIRE, RUN_LEN); }

/** Writes a checkpoint to the result; its length, −2 = out of memory. */
export function session_checkpoint(h: u32): i32 {
  return writeCheckpoint(connectionOf(h)) ? <i32>load<u32>(SCRATCH_RESULT, RUN_LEN) : NO_RESULT_MEMORY;
}

/** Restores the checkpoint of `n` bytes in the staging area; 0 or an E_ id. */
export function session_restore(h: u32, n: u32): u32 {
  const old = connectionOf(h);
  const c = openConnection(old + layoutOf.C_OPTIONS);
  if (!c) return keepCode(E_OUT_OF_MEMORY);
  enter(old);
  if (!readCheckpoint(c, staging, n) || !keepBaseIds(c, old)) {
    const code = faultCode == E_OUT_OF_MEMORY ? E_OUT_OF_MEMORY : E_BAD_CHECKPOINT;
    closeConnection(c);
    leave();
    return keepCode(code);
  }
  closeConnection(old);
  leave();
  replaceHandle(h, c);
  return 0;
}

/**
 * Gives the connection, just opened, a fork of a stream of the connection `from`: its id is at the input pointer, and behind it the `asLength` bytes of the id
 * it has in the fork. 0 or an E_ id: then the new connection is good for nothing but being closed, and the other one is as it was.
 */
export function session_fork(h: u32, from: u32, idLength: u32, asLength: u32): u32 {
  const id = idAddress(), t = findStream(connectionOf(from), id, idLength);
  if (!t) return keepCode(E_NO_MODEL);
  return forkStream(connectionOf(h), t, id + idLength, asLength) ? 0 : keepCode(E_OUT_OF_MEMORY);
}

/** Writes the ids of the streams as JSON to the result; its length. */
export function session_stream_ids(h: u32): i32 { return writeStreamIds(connectionOf(h)); }
/** Writes the counters of the connection; returns where they stand: STAT_COUNT f64. */
export function session_stats(h: u32): usize {
  writeStats(connectionOf(h));
  return STATS;
}
/** Writes the last event id to the result; −1 = none. */
export function session_last_event_id(h: u32): i32 { return writeLastEventId(connectionOf(h)); }
/** Reconnection time in milliseconds, −1 = none. */
export function session_retry(h: u32): f64 {
  const c = connectionOf(h);
  return runOf(c) ? -1 : load<f64>(c + layoutOf.C_FRAME, F_RETRY);
}

// ---------------------------------------------------------------- streams: the id is `idLength` bytes at the input pointer

/** Address for a stream id that is longer than the input window; the next call that names a stream reads it there. 0 = out of memory. */
export function id_reserve(n: u32): usize {
  bytesClear(SCRATCH_ID);
  longId = bytesReserve(SCRATCH_ID, n) ? <usize>load<u32>(SCRATCH_ID, RUN_PTR) : 0;
  return longId;
}

let longId: usize = 0;

function idAddress(): usize {
  const p = longId ? longId : input;
  longId = 0;
  return p;
}

@inline function streamOf(h: u32, idLength: u32): usize { return findStream(connectionOf(h), idAddress(), idLength); }

export function stream_status(h: u32, idLength: u32): u32 { return statusOf(streamOf(h, idLength)); }
export function stream_seq(h: u32, idLength: u32): f64 { return seqOf(streamOf(h, idLength)); }
export function stream_version(h: u32, idLength: u32): f64 { return versionOf(streamOf(h, idLength)); }
/** Writes the model in a form (`FORMAT_` id) to the result; its length, −1 = no model, −2 = out of memory, −3 = that form cannot hold it: the fault record says why. */
export function stream_snapshot(h: u32, idLength: u32, format: u32): i32 {
  const t = streamOf(h, idLength);
  const n = !SLIM && format == FORMAT_MSGPACK ? writeSnapshotMsgpack(t) : writeSnapshot(t, SCRATCH_RESULT);
  if (n == NO_RESULT_FORM) keepFault(-1);
  return n;
}

/** Writes the changes after `since` as JSON to the result; −1 = no such stream. */
export function stream_changes(h: u32, idLength: u32, since: f64): i32 {
  const t = streamOf(h, idLength);
  return t ? writeChangesOf(t, since) : NO_RESULT;
}

/** The same of one stream; 0 = no such stream. */
export function stream_stats(h: u32, idLength: u32): usize { return writeStreamStats(streamOf(h, idLength)) ? STATS : 0; }

/** Loads the model of `n` bytes in the staging area, in that form (`FORMAT_` id); `seq` < 0: unknown. 0 or an E_ id. */
export function stream_load(h: u32, idLength: u32, seq: f64, n: u32, format: u32): u32 {
  const c = connectionOf(h);
  enter(c);
  memory.fill(staging + n, 0, 64);
  const id = idAddress(), t = findStream(c, id, idLength);
  const done = !SLIM && format == FORMAT_MSGPACK ? loadMsgpack(c, t, id, idLength, seq, staging, n) : loadText(c, t, id, idLength, seq, staging, n);
  return done ? 0 : keepFault(textFaultOffset);
}

/**
 * Materializes the block of `n` bytes in the staging area, 64 bytes behind which the id of `blockIdLength` bytes stands that it must have (0: any); 0 or an
 * E_ id.
 */
export function stream_materialize(h: u32, idLength: u32, n: u32, blockIdLength: u32): u32 {
  const c = connectionOf(h);
  enter(c);
  memory.fill(staging + n, 0, 64);
  return materializeText(c, findStream(c, idAddress(), idLength), staging, n, staging + n + 64, blockIdLength) ? 0 : keepFault(textFaultOffset);
}

/** Pauses the stream; 0 or an E_ id. */
export function stream_pause(h: u32, idLength: u32): u32 {
  const t = streamOf(h, idLength);
  if (!t) return keepCode(E_NO_MODEL);
  store<u8>(t, (load<u8>(t, layoutOf.T_FLAGS) & ~layoutOf.WAITING) | layoutOf.PAUSED, layoutOf.T_FLAGS);
  return 0;
}

/**
 * Writes what there is to know of the block whose id is `blockIdLength` bytes in the staging area (0xffffffff: of the one that the stream waits for), when it
 * is a reference, to the result: JSON with generation, biz, id, ref; its length, −1 = it is none.
 */
export function stream_unresolved(h: u32, idLength: u32, blockIdLength: u32): i32 {
  const c = connectionOf(h);
  enter(c);
  return writeUnresolved(findStream(c, idAddress(), idLength), staging, blockIdLength);
}

/** Applies what was queued; `skip`: the first event is refused when it patches a reference. Returns the events accepted; see `session_state`. */
export function stream_resume(h: u32, idLength: u32, skip: u32): u32 {
  const c = connectionOf(h), t = findStream(c, idAddress(), idLength);
  beginCall(c);
  return t ? noted(c, resumeStream(c, t, skip != 0)) : 0;
}

/**
 * Writes the argument text of the tool call whose id is at the input pointer, from UTF-16 code unit `from` on, as a JSON string to the result;
 * its length, −1 = no such call. `argument_fact` says more.
 */
export function session_argument_text(h: u32, idLength: u32, from: u32): i32 { return writeArgumentText(connectionOf(h), idAddress(), idLength, from); }

/** Of the argument text read last: 0 the code unit it begins at, 1 its generation, 2 whether the call has ended. */
export function argument_fact(i: u32): u32 { return i == 0 ? argumentsFrom : i == 1 ? argumentsGeneration : argumentsComplete ? 1 : 0; }

/** Forgets the stream; 1 when there was one. An AG-UI connection keeps its only one. */
export function stream_release(h: u32, idLength: u32): u32 {
  const t = streamOf(h, idLength);
  if (!t || runOfStream(t)) return 0;
  releaseStream(connectionOf(h), t);
  return 1;
}

// ---------------------------------------------------------------- documents

function keepDocumentFault(): u32 {
  keepFault(documentFaultOffset);
  store<u32>(FAULT, documentFaultOperation, layout.FAULT_OP_INDEX);
  return faultCode;
}

/** Opens a document of the `n` bytes of JSON text in the staging area, with the limits at the input pointer; a handle, 0 = the fault record says why. */
export function document_open(n: u32): u32 {
  const record = openDocument(input, staging, n);
  if (!record) { keepDocumentFault(); return 0; }
  const handle = addDocumentHandle(record);
  if (handle) return handle;
  closeDocument(record);
  keepCode(E_OUT_OF_MEMORY);
  return 0;
}

export function document_close(h: u32): void {
  const record = findDocument(h);
  if (!record) return;
  closeDocument(record);
  dropHandle(h);
}

// Text of up to INPUT_CAPACITY bytes comes through the input window, longer text through the staging area.
@inline function textAddress(n: u32): usize { return n <= <u32>layout.INPUT_CAPACITY ? input : staging; }

/** Applies the patch of `n` bytes of JSON text, at the input pointer when it fits there, else in the staging area; 0 or an E_ id. */
export function document_patch(h: u32, n: u32): u32 {
  return patchDocument(documentOf(h), textAddress(n), n) ? 0 : keepDocumentFault();
}

/** Finds the value at the pointer of `n` bytes (string contents, placed as for `document_patch`): its length, DOC_NOTHING or DOC_NO_MEMORY. */
export function document_find(h: u32, n: u32): i32 { return findValue(documentOf(h), textAddress(n), n); }

/** Address of the value found last. */
export function document_value(): usize { return foundValue; }

/** Bytes of the document as compact JSON. */
export function document_size(h: u32): u32 { return sizeOfDocument(documentOf(h)); }

// ---------------------------------------------------------------- storage frames (AgentUE §3.3)

function keepFramesFault(): u32 {
  keepFault(framesFaultOffset);
  if (framesFaultIndex < 0) return faultCode;
  store<u32>(FAULT, load<u32>(FAULT, layout.FAULT_HAS) | layout.HAS_EVENT_INDEX, layout.FAULT_HAS);
  store<u32>(FAULT, framesFaultIndex, layout.FAULT_EVENT_INDEX);
  return faultCode;
}

/** Reads the block of `n` bytes in the staging area, to be cut into frames of `maxBytes` at most; 0 or an E_ id. */
export function frame_open(n: u32, maxBytes: f64): u32 { return openFrames(staging, n, maxBytes) ? 0 : keepFramesFault(); }

/** Gives the `n` bytes at the input pointer (canonical string contents) as the prefix of all frame ids, or as the next id; 0 or an E_ id. */
export function frame_id(n: u32, isPrefix: u32): u32 { return giveFrameId(idAddress(), n, isPrefix != 0) ? 0 : keepCode(E_OUT_OF_MEMORY); }

/** Plans on: the number of frames, 0 = the next frame needs an id, −1 = `maxBytes` is too small (`frame_size`: what would do), −2 = out of memory. */
export function frame_plan(): f64 { return planFrames(); }

/** Bytes of the frames planned, as NDJSON; of a plan refused, the least budget; of an unframing that misses frames, the bytes of numbers in the result. */
export function frame_size(): f64 { return framesSize; }

/** Writes the next frames to the result, until 0: their bytes. No other call may come between. */
export function frame_write(): u32 { return writeNextFrames(); }

/** Restores the block whose frames are the `n` bytes of NDJSON in the staging area; 0 or an E_ id. */
export function frame_join(n: u32): u32 { return restoreBlock(staging, n) ? 0 : keepFramesFault(); }

/** The text restored last: where it is, and its bytes. */
export function frame_text(): usize { return restoredAddress(); }
export function frame_text_length(): u32 { return restoredLength(); }

/** Resolves the frames of the model of `n` bytes in the staging area to the result; 0 or an E_ id. */
export function frame_resolve(n: u32): u32 { return resolveModelText(staging, n) ? 0 : keepFramesFault(); }
/** Bytes of the model resolved last. */
export function frame_resolved_length(): u32 { return load<u32>(SCRATCH_RESULT, RUN_LEN); }

/** Opens an assembler with the limits at the input pointer (groups, bytes, frames; u32 each); a handle, 0 = out of memory. */
export function assembler_open(): u32 {
  const a = assemblerNew(input);
  if (!a) return 0;
  const handle = addAssemblerHandle(a);
  if (!handle) assemblerFree(a);
  return handle;
}

export function assembler_close(h: u32): void {
  const a = findAssembler(h);
  if (!a) return;
  assemblerFree(a);
  dropHandle(h);
}

/** Feeds `n` bytes of the input window; 0, or an E_ id: stopped at a frame that was refused, and `assembler_continue` goes on. */
export function assembler_feed(h: u32, n: u32): u32 { return feedAssembler(assemblerOf(h), input, n) ? 0 : keepFramesFault(); }
export function assembler_continue(h: u32): u32 { return goOnAssembling(assemblerOf(h)) ? 0 : keepFramesFault(); }
/** Ends the body; 0 or an E_ id. */
export function assembler_finish(h: u32): u32 { return finishAssembling(assemblerOf(h)) ? 0 : keepFramesFault(); }
/** Takes the one frame of `n` bytes in the staging area; 0 or an E_ id. */
export function assembler_add(h: u32, n: u32): u32 { return addToAssembler(assemblerOf(h), staging, n) ? 0 : keepFramesFault(); }
/** Chooses the block whose id is `n` bytes at the input pointer: 0 there is none, 1 frames are missing, 2 it is whole. */
export function assembler_choose(h: u32, n: u32): u32 { return chooseGroup(assemblerOf(h), idAddress(), n); }
/** Where the text of the block chosen is, and its bytes. */
export function assembler_text(h: u32): usize { return chosenText(assemblerOf(h)); }
export function assembler_text_length(h: u32): u32 { return chosenLength(assemblerOf(h)); }
/** Writes the total of the block chosen and the numbers of its frames to the result, f64 each; the bytes, 0 = out of memory. */
export function assembler_numbers(h: u32): u32 { return writeChosenNumbers(assemblerOf(h)); }
/** Forgets the block chosen. */
export function assembler_drop(h: u32): void { dropChosen(assemblerOf(h)); }
/** Writes a JSON array of `[id, frames, total, bytes, whole]` to the result; its length, 0 = out of memory. */
export function assembler_list(h: u32): u32 { return writeGroups(assemblerOf(h)); }
/** Counters: 0 blocks, 1 frames held, 2 bytes counted, 3 frames read, 4 frames accepted, 5 bytes charged. */
export function assembler_counter(h: u32, i: u32): f64 { return assemblerCounter(assemblerOf(h), i); }

/** Materializes the block chosen in the stream whose id is `idLength` bytes at the input pointer; it stays. 0 or an E_ id. */
export function assembler_materialize(h: u32, session: u32, idLength: u32): u32 {
  const a = assemblerOf(h), n = chosenLength(a);
  // it is brought to canonical form in place: a copy, since the bytes are promised
  if (!staging_reserve(n)) return keepCode(E_OUT_OF_MEMORY);
  memory.copy(staging, chosenText(a), n);
  return stream_materialize(session, idLength, n, 0);
}
