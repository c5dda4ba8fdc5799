// Frames of many blocks as they come, each block's text once it is whole (docs/frames.md §4). Every assembler pays for itself.
import * as code from "../../abi/codes";
import { alloc, free, setAccount } from "../../memory/heap";
import { copyExact, copyForward } from "../../memory/copy";
import { bytesAppend, bytesClear, bytesFree } from "../../memory/bytes";
import { canonicalEscapes } from "../../text/escape";
import { hashBytes } from "../../text/hash";
import { findByte } from "../../text/scan";
import { skipSpace } from "../../text/trusted";
import { setValidateLimits } from "../../text/validate";
import { lineFinish, lineMessageDone, lineNext } from "../line";
import {
  beginChunk, clearFlag, DISCARDING, endChunk, F_LIMIT, F_LINE, FRAME_NO_MEMORY, FRAME_NONE, FRAME_TOO_LARGE, frameEvent, messageEnd, messageOffset, messageStart, setFlag,
} from "../state";
import { clearRefusal, refuse, refusedAt, refusedRestored, refuseText } from "./fault";
import {
  G_BYTES, G_ID, G_ID_LENGTH, G_TABLE, groupAdmit, groupBegin, groupCount, groupFree, groupIsFull, groupIsOf, groupJoin, JOIN_SLACK, judgeRestored,
} from "./group";
import { FRAME_DEPTH, frameSeq, judgeFrame } from "./judge";
import { M_BLOCK_ID, M_DATA, M_ID, M_NONE, memberEnd, memberIsLoose, memberStart, readObject, readText, textLength, textStart } from "./members";
import { E_DATA, E_LENGTH, E_OWN, E_OWN_SIZE, tableAdd, tableDropLast } from "./table";

// Assembler, ASSEMBLER_SIZE bytes:
//   0 bytes charged to it | 4 most groups | 8 most bytes | 12 most frames | 16 groups | 20 frames held | 24 bytes held | 28 buckets | 32 number of them |
//  36 first group | 40 last group | 44 group chosen | 48 frame (state of the line reader, 128 B) | 176 frames read f64 | 184 frames accepted f64 | 192 next byte of the window | 196 its end
export const A_GROUPS: usize = 16, A_FRAMES: usize = 20, A_BYTES: usize = 24, A_FIRST: usize = 36, A_CHOSEN: usize = 44, A_READ: usize = 176, A_ACCEPTED: usize = 184;
const A_MOST_GROUPS: usize = 4, A_MOST_BYTES: usize = 8, A_MOST_FRAMES: usize = 12, A_BUCKETS: usize = 28, A_BUCKET_COUNT: usize = 32, A_LAST: usize = 40;
const A_FRAME: usize = 48, A_NEXT: usize = 192, A_END: usize = 196;
const ASSEMBLER_SIZE: u32 = 200;

// Group of an assembler: a group, and behind it
//  44 next in its bucket | 48 next in the order they came | 52 the one before | 56 hash of the block id | 60 text once it is whole (0: it is not) | 64 its length
//  68 its allocation | 72 allocation of the group | 76 bytes counted for it: the JSON of its frames, or its text; the block id
export const H_NEXT: usize = 48, H_TEXT: usize = 60, H_TEXT_LENGTH: usize = 64, H_BYTES: usize = 76;
const H_BUCKET: usize = 44, H_BEFORE: usize = 52, H_HASH: usize = 56, H_TEXT_SIZE: usize = 68, H_SIZE: usize = 72;
const HELD_SIZE: u32 = 80;


/** Number of the frame read last. */
export let assembledIndex: f64 = 0;
/** Byte of the last fault: on the wire, or in the restored text; −1 = it has none. */
export let assembledOffset: f64 = -1;
/** The block that the last fault speaks of, a run of canonical contents; empty: none is known. */
export const ASSEMBLED_NAME: usize = memory.data(16, 16);

/** An assembler with the limits at `options` (three u32: groups, bytes, frames); 0 = out of memory. */
export function assemblerNew(options: usize): usize {
  const a = alloc(ASSEMBLER_SIZE);
  if (!a) return 0;
  memory.fill(a, 0, ASSEMBLER_SIZE);
  copyExact(a + A_MOST_GROUPS, options, 12);
  store<u32>(a + A_FRAME, load<u32>(a, A_MOST_BYTES), F_LIMIT);
  return a;
}

/** Gives everything back. */
export function assemblerFree(a: usize): void {
  const account = setAccount(a);
  bytesFree(a + A_FRAME + F_LINE);
  while (load<u32>(a, A_FIRST)) dropGroup(a, load<u32>(a, A_FIRST));
  if (load<u32>(a, A_BUCKETS)) free(load<u32>(a, A_BUCKETS), load<u32>(a, A_BUCKET_COUNT) << 2);
  setAccount(account);
  free(a, ASSEMBLER_SIZE);
}

// ---------------------------------------------------------------- wire

/** Begins the chunk [p, end) and reads it up to the first frame that is refused; false: it stopped there. */
export function assemblerFeed(a: usize, p: usize, end: usize): bool {
  store<u32>(a, <u32>p, A_NEXT);
  store<u32>(a, <u32>end, A_END);
  return assemblerGoOn(a);
}

/** Goes on in the chunk. */
export function assemblerGoOn(a: usize): bool {
  const f = a + A_FRAME, start = <usize>load<u32>(a, A_NEXT), end = <usize>load<u32>(a, A_END), account = setAccount(a);
  let p = start, fine = true;
  beginChunk(f, start);
  while (fine && p < end) {
    const from = p;
    p = lineNext(f, p, end);
    if (frameEvent == FRAME_NONE) continue;
    fine = take(a);
    if (frameEvent == FRAME_NO_MEMORY) p = passOver(f, from, end);
  }
  store<u32>(a, <u32>p, A_NEXT);
  endChunk(f, p);
  setAccount(account);
  return fine;
}

/** Ends the body: an unfinished line is a frame; false: it was refused. */
export function assemblerFinish(a: usize): bool {
  const account = setAccount(a);
  lineFinish(a + A_FRAME);
  const fine = frameEvent == FRAME_NONE || take(a);
  clearFlag(a + A_FRAME, DISCARDING);
  setAccount(account);
  return fine;
}

// A line that found no memory is passed over to its end, and nothing else.
function passOver(f: usize, from: usize, end: usize): usize {
  bytesFree(f + F_LINE);
  const stop = findByte(from, end, 0x0a);
  if (!stop) setFlag(f, DISCARDING);
  return stop ? stop + 1 : end;
}

// Takes what the line reader has found.
function take(a: usize): bool {
  const offset = messageOffset, start = messageStart;
  beginFrame(a);
  assembledOffset = offset;
  if (frameEvent == FRAME_NO_MEMORY) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  if (frameEvent == FRAME_TOO_LARGE) return refuse(code.E_LIMIT, code.R_LIMIT_BYTES, M_NONE);
  const fine = addText(a, start, messageEnd);
  if (!fine && refusedAt && !refusedRestored) assembledOffset = offset + <f64>(refusedAt - start);
  lineMessageDone(a + A_FRAME);
  return fine;
}

/** Takes the one frame [p, end), zeros behind it; false: refused. */
export function assemblerAdd(a: usize, p: usize, end: usize): bool {
  beginFrame(a);
  assembledOffset = -1;
  const account = setAccount(a), fine = addText(a, p, end);
  setAccount(account);
  if (!fine && refusedAt && !refusedRestored) assembledOffset = <f64>(refusedAt - p);
  return fine;
}

function beginFrame(a: usize): void {
  clearRefusal();
  bytesClear(ASSEMBLED_NAME);
  assembledIndex = load<f64>(a, A_READ);
  store<f64>(a, assembledIndex + 1, A_READ);
}

// ---------------------------------------------------------------- frames

function nameBlock(p: usize, n: u32): void {
  const account = setAccount(0);
  bytesClear(ASSEMBLED_NAME);
  // a name that finds no memory is left out
  bytesAppend(ASSEMBLED_NAME, p, n);
  setAccount(account);
}

/** Gives the buffer of the name back. */
export function trimAssembled(): void {
  const account = setAccount(0);
  bytesFree(ASSEMBLED_NAME);
  setAccount(account);
}

// The frame in hand was the last one of its block: what was read since is the joined text, whose memory may be gone.
let isJoined: bool = false;

function addText(a: usize, p: usize, end: usize): bool {
  isJoined = false;
  setValidateLimits(FRAME_DEPTH, 0xffffffff);
  const start = skipSpace(p), stop = readObject(start, false);
  if (!stop || skipSpace(stop) != end) return refuseText(p, end, FRAME_DEPTH);
  if (!judgeFrame()) return false;
  if (!readText(M_BLOCK_ID)) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  if (fit(a, textStart, textLength, <u32>(stop - start))) return true;
  if (!isJoined) nameBlock(textStart, textLength);
  return false;
}

// The frame read last, of `cost` bytes of JSON and of the block whose id is [name, name + n).
function fit(a: usize, name: usize, n: u32, cost: u32): bool {
  const hash = hashBytes(name, n), found = find(a, name, n, hash);
  if (found && load<u32>(found, H_TEXT)) return refuse(code.E_FRAME_CONFLICT, code.R_FRAME_WHOLE, M_BLOCK_ID);
  const id = memberStart(M_ID) + 1, idEnd = memberEnd(M_ID) - 1;
  const idLength = <u32>((memberIsLoose(M_ID) ? canonicalEscapes(id, idEnd, id) : idEnd) - id);
  const data = memberStart(M_DATA) + 1, length = <u32>(memberEnd(M_DATA) - data) - 1;
  // what does not fit its group says so before a limit does
  if (found && !groupAdmit(found, id, idLength)) return false;
  if (!admit(a, found != 0, cost)) return false;
  const g = found ? found : newGroup(a, name, n, hash);
  if (!g) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  const taken = (found || groupAdmit(g, id, idLength)) && addFrame(a, g, id, idLength, data, length, cost);
  if (taken && (!groupIsFull(g) || complete(a, g))) {
    store<f64>(a, load<f64>(a, A_ACCEPTED) + 1, A_ACCEPTED);
    return true;
  }
  if (isJoined) nameBlock(load<u32>(g, G_ID), load<u32>(g, G_ID_LENGTH));
  if (refusedRestored) {
    // no frame could mend it
    dropGroup(a, g);
    return false;
  }
  if (taken) {
    tableDropLast(g + G_TABLE);
    store<u32>(g, load<u32>(g, G_BYTES) - length, G_BYTES);
    charge(a, g, -1, 0 - cost);
  }
  if (!groupCount(g)) dropGroup(a, g);
  return false;
}

function admit(a: usize, known: bool, cost: u32): bool {
  if (!known && load<u32>(a, A_GROUPS) >= load<u32>(a, A_MOST_GROUPS)) return refuse(code.E_LIMIT, code.R_LIMIT_GROUPS, M_BLOCK_ID);
  if (load<u32>(a, A_FRAMES) >= load<u32>(a, A_MOST_FRAMES)) return refuse(code.E_LIMIT, code.R_LIMIT_FRAMES, M_ID);
  return <u64>cost + load<u32>(a, A_BYTES) <= <u64>load<u32>(a, A_MOST_BYTES) || refuse(code.E_LIMIT, code.R_LIMIT_BYTES, M_DATA);
}

// The frame's data and id, in memory of its own.
function addFrame(a: usize, g: usize, id: usize, n: u32, data: usize, length: u32, cost: u32): bool {
  const size = length + n + 16, own = alloc(size);
  if (!own) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  copyForward(own, data, length);
  copyForward(own + length, id, n);
  const e = tableAdd(g + G_TABLE, frameSeq, own + length, n);
  store<u32>(e, <u32>own, E_DATA);
  store<u32>(e, length, E_LENGTH);
  store<u32>(e, <u32>own, E_OWN);
  store<u32>(e, size, E_OWN_SIZE);
  store<u32>(g, load<u32>(g, G_BYTES) + length, G_BYTES);
  charge(a, g, 1, cost);
  return true;
}

function charge(a: usize, g: usize, frames: i32, bytes: u32): void {
  store<u32>(a, load<u32>(a, A_FRAMES) + frames, A_FRAMES);
  store<u32>(a, load<u32>(a, A_BYTES) + bytes, A_BYTES);
  store<u32>(g, load<u32>(g, H_BYTES) + bytes, H_BYTES);
}

// Joins the block's text and lets its frames go.
function complete(a: usize, g: usize): bool {
  isJoined = true;
  const size = load<u32>(g, G_BYTES) + JOIN_SLACK, text = alloc(size), end = text ? groupJoin(g, text) : 0;
  if (!end) {
    if (text) free(text, size);
    return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  }
  if (!judgeRestored(g, text, end)) {
    assembledOffset = refusedRestored && refusedAt ? <f64>(refusedAt - text) : -1;
    free(text, size);
    return false;
  }
  const length = <u32>(end - text);
  store<u32>(g, <u32>text, H_TEXT);
  store<u32>(g, length, H_TEXT_LENGTH);
  store<u32>(g, size, H_TEXT_SIZE);
  // the text in place of the frames
  charge(a, g, 0 - <i32>groupCount(g), length - load<u32>(g, H_BYTES));
  groupFree(g);
  return true;
}

// ---------------------------------------------------------------- groups

function find(a: usize, name: usize, n: u32, hash: u32): usize {
  const buckets = <usize>load<u32>(a, A_BUCKETS);
  if (!buckets) return 0;
  let g = <usize>load<u32>(buckets + ((hash & (load<u32>(a, A_BUCKET_COUNT) - 1)) << 2));
  while (g && !(load<u32>(g, H_HASH) == hash && groupIsOf(g, name, n))) g = load<u32>(g, H_BUCKET);
  return g;
}

/** The group of that block, 0 = none. */
export function assemblerFind(a: usize, name: usize, n: u32): usize { return find(a, name, n, hashBytes(name, n)); }

function newGroup(a: usize, name: usize, n: u32, hash: u32): usize {
  if (load<u32>(a, A_GROUPS) >= load<u32>(a, A_BUCKET_COUNT) && !moreBuckets(a)) return 0;
  const size = HELD_SIZE + n + 16, g = alloc(size);
  if (!g) return 0;
  memory.fill(g, 0, HELD_SIZE);
  copyForward(g + HELD_SIZE, name, n);
  groupBegin(g, g + HELD_SIZE, n);
  store<u32>(g, hash, H_HASH);
  store<u32>(g, size, H_SIZE);
  putIntoBucket(a, g);
  const last = <usize>load<u32>(a, A_LAST);
  store<u32>(g, <u32>last, H_BEFORE);
  if (last) store<u32>(last, <u32>g, H_NEXT);
  else store<u32>(a, <u32>g, A_FIRST);
  store<u32>(a, <u32>g, A_LAST);
  store<u32>(a, load<u32>(a, A_GROUPS) + 1, A_GROUPS);
  return g;
}

function putIntoBucket(a: usize, g: usize): void {
  const bucket = <usize>load<u32>(a, A_BUCKETS) + ((load<u32>(g, H_HASH) & (load<u32>(a, A_BUCKET_COUNT) - 1)) << 2);
  store<u32>(g, load<u32>(bucket), H_BUCKET);
  store<u32>(bucket, <u32>g);
}

function moreBuckets(a: usize): bool {
  const former = load<u32>(a, A_BUCKET_COUNT), count: u32 = former ? former << 1 : 8, buckets = alloc(count << 2);
  if (!buckets) return false;
  memory.fill(buckets, 0, count << 2);
  if (former) free(load<u32>(a, A_BUCKETS), former << 2);
  store<u32>(a, <u32>buckets, A_BUCKETS);
  store<u32>(a, count, A_BUCKET_COUNT);
  for (let g = <usize>load<u32>(a, A_FIRST); g; g = load<u32>(g, H_NEXT)) putIntoBucket(a, g);
  return true;
}

/** Forgets a group and gives its memory back. */
export function assemblerDrop(a: usize, g: usize): void {
  const account = setAccount(a);
  dropGroup(a, g);
  setAccount(account);
}

function dropGroup(a: usize, g: usize): void {
  let bucket = <usize>load<u32>(a, A_BUCKETS) + ((load<u32>(g, H_HASH) & (load<u32>(a, A_BUCKET_COUNT) - 1)) << 2);
  let other = <usize>load<u32>(bucket);
  if (other == g) store<u32>(bucket, load<u32>(g, H_BUCKET));
  else {
    while (load<u32>(other, H_BUCKET) != <u32>g) other = load<u32>(other, H_BUCKET);
    store<u32>(other, load<u32>(g, H_BUCKET), H_BUCKET);
  }
  const before = <usize>load<u32>(g, H_BEFORE), next = <usize>load<u32>(g, H_NEXT);
  if (before) store<u32>(before, <u32>next, H_NEXT);
  else store<u32>(a, <u32>next, A_FIRST);
  if (next) store<u32>(next, <u32>before, H_BEFORE);
  else store<u32>(a, <u32>before, A_LAST);
  store<u32>(a, load<u32>(a, A_GROUPS) - 1, A_GROUPS);
  charge(a, g, 0 - <i32>groupCount(g), 0 - load<u32>(g, H_BYTES));
  groupFree(g);
  if (load<u32>(g, H_TEXT)) free(load<u32>(g, H_TEXT), load<u32>(g, H_TEXT_SIZE));
  if (load<u32>(a, A_CHOSEN) == <u32>g) store<u32>(a, 0, A_CHOSEN);
  free(g, load<u32>(g, H_SIZE));
}
