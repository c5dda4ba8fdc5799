// A stored model whose blocks are partly frames: every block goes back to the place of its first frame, everything else stays byte for byte (docs/frames.md §5).
import * as code from "../../abi/codes";
import { bytesClear, bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { alloc, free, setAccount } from "../../memory/heap";
import { copyForward } from "../../memory/copy";
import { canonicalEscapes } from "../../text/escape";
import { skipSpace } from "../../text/trusted";
import { setValidateLimits } from "../../text/validate";
import { clearRefusal, refuse, refusedAt, refusedRestored, refuseText } from "./fault";
import {
  G_BYTES, G_ID, G_ID_LENGTH, G_TABLE, GROUP_SIZE, groupAdmit, groupBegin, groupFree, groupIsFull, groupJoin, JOIN_SLACK, judgeRestored, trimOrder,
  writeNumbers,
} from "./group";
import { BLOCK_DEPTH, frameSeq, judgeFrame, typeIsFrame } from "./judge";
import {
  isFullText, isObject, isText, M_BLOCK_ID, M_BLOCKS, M_DATA, M_ID, M_NONE, M_REF, M_TYPE, memberEnd, memberIsLoose, memberStart, readObject,
} from "./members";
import {
  E_DATA, E_GROUP, E_ID, E_ID_LENGTH, E_LENGTH, E_OWN, E_OWN_SIZE, TABLE_NO_MEMORY, TABLE_SIZE, entryAt, entryCount, tableAdd, tableAdmit, tableFind, tableFree,
} from "./table";

/** Blocks of the model, by id; E_GROUP of a frame is its group. */
const BLOCKS: usize = memory.data(TABLE_SIZE, 16);
/** Groups by block id; E_DATA is the group, E_LENGTH the index of its first frame. */
const GROUPS: usize = memory.data(TABLE_SIZE, 16);

/** Index of the block at fault, −1 = the model is. */
export let resolveIndex: i32 = -1;
/** Byte of the last fault: in the model, or in the restored text; −1 = it has none. */
export let resolveOffset: f64 = -1;
/** The block whose frames the last fault speaks of, a run of canonical contents; empty: none. */
export const RESOLVED_NAME: usize = memory.data(16, 16);

/**
 * Writes the model text [p, end), zeros behind it, with its frames resolved to the run `out`; it is read only, but for the ids of frames. False: the
 * refusal says why. When frames are missing, `out` then holds what `writeNumbers` wrote.
 */
export function resolve(p: usize, end: usize, out: usize): bool {
  clearRefusal();
  resolveIndex = -1;
  resolveOffset = -1;
  const account = setAccount(0);
  bytesClear(RESOLVED_NAME);
  bytesClear(out);
  const done = resolveModel(p, end, out);
  if (!done && refusedAt && !refusedRestored) resolveOffset = <f64>(refusedAt - p);
  for (let i: u32 = 0, count = entryCount(GROUPS); i < count; i++) {
    const g = <usize>load<u32>(entryAt(GROUPS, i), E_DATA);
    groupFree(g);
    free(g, GROUP_SIZE);
  }
  tableFree(GROUPS);
  tableFree(BLOCKS);
  trimOrder();
  setAccount(account);
  return done;
}

/** Gives the buffer of the name back. */
export function trimResolved(): void {
  const account = setAccount(0);
  bytesFree(RESOLVED_NAME);
  setAccount(account);
}

function resolveModel(p: usize, end: usize, out: usize): bool {
  setValidateLimits(BLOCK_DEPTH, 0xffffffff);
  const start = skipSpace(p), stop = readObject(start, false);
  if (!stop || skipSpace(stop) != end) return refuseText(p, end, BLOCK_DEPTH);
  if (!isObject) return refuse(code.E_BAD_MODEL, code.R_OBJECT, M_NONE);
  const blocks = memberStart(M_BLOCKS);
  if (!blocks) return refuse(code.E_BAD_MODEL, code.R_MISSING, M_BLOCKS);
  if (load<u8>(blocks) != 0x5b) return refuse(code.E_BAD_MODEL, code.R_ARRAY, M_BLOCKS);
  return readBlocks(blocks) && checkGroups(out) && write(p, end, out);
}

function readBlocks(p: usize): bool {
  p = skipSpace(p + 1);
  if (load<u8>(p) == 0x5d) return true;
  while (true) {
    resolveIndex++;
    const stop = readObject(p, false);
    if (!readBlock(p, stop)) return false;
    p = skipSpace(stop);
    if (load<u8>(p) == 0x5d) break;
    p = skipSpace(p + 1);
  }
  resolveIndex = -1;
  return true;
}

// One block, [p, end): its id must be its own, and of frames a group is made.
function readBlock(p: usize, end: usize): bool {
  if (!isObject) return refuse(code.E_BAD_BLOCK, code.R_OBJECT, M_NONE);
  const isFrame = isText(M_TYPE) && !memberStart(M_REF) && typeIsFrame();
  if (isFrame && !judgeFrame()) return false;
  if (!isFullText(M_ID)) return refuse(code.E_BAD_BLOCK, memberStart(M_ID) ? code.R_NON_EMPTY_STRING : code.R_MISSING, M_ID);
  let id = memberStart(M_ID) + 1, n = <u32>(memberEnd(M_ID) - id) - 1, own: usize = 0, ownSize: u32 = 0;
  if (memberIsLoose(M_ID)) {
    ownSize = n + 16;
    own = alloc(ownSize);
    if (!own) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
    n = <u32>(canonicalEscapes(id, id + n, own) - own);
    id = own;
  }
  const found = tableAdmit(BLOCKS, <f64>resolveIndex, id, n);
  if (found) {
    if (own) free(own, ownSize);
    return found == TABLE_NO_MEMORY ? refuse(code.E_OUT_OF_MEMORY, 0, M_NONE) : refuse(code.E_DUPLICATE_ID, 0, M_ID);
  }
  const e = tableAdd(BLOCKS, <f64>resolveIndex, id, n);
  store<u32>(e, <u32>p, E_DATA);
  store<u32>(e, <u32>(end - p), E_LENGTH);
  store<u32>(e, <u32>own, E_OWN);
  store<u32>(e, ownSize, E_OWN_SIZE);
  return !isFrame || readFrame(e, id, n);
}

function readFrame(e: usize, id: usize, n: u32): bool {
  // the block id in place: the text of a frame is written nowhere
  const name = memberStart(M_BLOCK_ID) + 1, nameEnd = memberEnd(M_BLOCK_ID) - 1;
  const nameLength = <u32>((memberIsLoose(M_BLOCK_ID) ? canonicalEscapes(name, nameEnd, name) : nameEnd) - name);
  const known = tableFind(GROUPS, name, nameLength), g = known ? <usize>load<u32>(known, E_DATA) : newGroup(name, nameLength);
  if (!g) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  if (!groupAdmit(g, id, n)) return nameGroup(g);
  const data = memberStart(M_DATA) + 1, length = <u32>(memberEnd(M_DATA) - data) - 1, frame = tableAdd(g + G_TABLE, frameSeq, id, n);
  store<u32>(frame, <u32>data, E_DATA);
  store<u32>(frame, length, E_LENGTH);
  store<u32>(g, load<u32>(g, G_BYTES) + length, G_BYTES);
  store<u32>(e, <u32>g, E_GROUP);
  return true;
}

function newGroup(name: usize, n: u32): usize {
  if (tableAdmit(GROUPS, <f64>resolveIndex, name, n)) return 0;
  const g = alloc(GROUP_SIZE);
  if (!g) return 0;
  groupBegin(g, name, n);
  const e = tableAdd(GROUPS, <f64>resolveIndex, name, n);
  store<u32>(e, <u32>g, E_DATA);
  store<u32>(e, resolveIndex, E_LENGTH);
  return g;
}

function nameGroup(g: usize): bool {
  setName(load<u32>(g, G_ID), load<u32>(g, G_ID_LENGTH));
  return false;
}

function setName(p: usize, n: u32): void {
  bytesClear(RESOLVED_NAME);
  // a name that finds no memory is left out
  if (!bytesReserve(RESOLVED_NAME, n)) return;
  copyForward(load<u32>(RESOLVED_NAME, RUN_PTR), p, n);
  store<u32>(RESOLVED_NAME, n, RUN_LEN);
}

// Every group is whole, and its block's id is nobody else's.
function checkGroups(out: usize): bool {
  for (let i: u32 = 0, count = entryCount(GROUPS); i < count; i++) {
    const entry = entryAt(GROUPS, i), g = <usize>load<u32>(entry, E_DATA);
    resolveIndex = load<u32>(entry, E_LENGTH);
    if (!groupIsFull(g)) {
      nameGroup(g);
      return writeNumbers(g, out) ? refuse(code.E_MISSING_FRAMES, 0, M_NONE) : refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
    }
    const other = tableFind(BLOCKS, load<u32>(entry, E_ID), load<u32>(entry, E_ID_LENGTH));
    if (!other || load<u32>(other, E_GROUP)) continue;
    nameGroup(g);
    return refuse(code.E_DUPLICATE_ID, 0, M_BLOCK_ID);
  }
  resolveIndex = -1;
  return true;
}

// Everything around frames as it stands; a frame that is not the first of its block goes with what separates it from its forerunner.
function write(p: usize, end: usize, out: usize): bool {
  if (!bytesReserve(out, <u32>(end - p) + JOIN_SLACK)) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
  let d = <usize>load<u32>(out, RUN_PTR), from = p;
  for (let i: u32 = 0, count = entryCount(BLOCKS); i < count; i++) {
    const e = entryAt(BLOCKS, i), g = <usize>load<u32>(e, E_GROUP);
    if (!g) continue;
    const start = <usize>load<u32>(e, E_DATA), stop = start + load<u32>(e, E_LENGTH);
    const first = tableFind(GROUPS, load<u32>(g, G_ID), load<u32>(g, G_ID_LENGTH));
    const isFirst = load<u32>(first, E_LENGTH) == i;
    // up to the frame, or up to the end of the block before it
    const until = isFirst ? start : <usize>load<u32>(entryAt(BLOCKS, i - 1), E_DATA) + load<u32>(entryAt(BLOCKS, i - 1), E_LENGTH);
    if (until > from) d = copy(d, from, until);
    from = stop;
    if (!isFirst) continue;
    const restored = d;
    d = groupJoin(g, d);
    if (!d) return refuse(code.E_OUT_OF_MEMORY, 0, M_NONE);
    if (judgeRestored(g, restored, d)) continue;
    resolveIndex = i;
    if (refusedRestored && refusedAt) resolveOffset = <f64>(refusedAt - restored);
    return nameGroup(g);
  }
  d = copy(d, from, end);
  store<u32>(out, <u32>(d - load<u32>(out, RUN_PTR)), RUN_LEN);
  return true;
}

function copy(d: usize, from: usize, end: usize): usize {
  memory.copy(d, from, end - from);
  return d + (end - from);
}
