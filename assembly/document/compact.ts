// Compaction: the text of a document in one fresh piece, everything that was replaced given back. Containers of large
// children stay expanded over the new text, because finding their children again costs a pass over all of it: with paths
// at random that made half of a patch of a 2 MB document.
import { fillTable, indexOf, tableBytes } from "./index-table";
import {
  ARRAY, AT, CAPACITY, CHAIN, COMPACTIONS, COUNT, HELD, MEMBERS, NODE, PIECES, REMOVED, SIZE, SPANS_SHARED, WORK, bumpEpoch, countOf, isVectorBehind, kindOf, nodeBytes, renewText, strideShift, vectorOf,
} from "./layout";
import { shareKeys } from "./keys";
import { openLog } from "./log";
import { valueSize } from "./measure";
import { PIECE_HEADER, dropPieces, linkPiece, newPiece, pieceRoomEnd } from "./piece";
import { releaseValue } from "./release";
import { installText } from "./root";
import { editDocument } from "./undo-log";
import { writeSlot } from "./write";

/** Memory a document may hold besides twice its text before it is compacted, at least. */
const COMPACTION_SLACK: u32 = 4096;
/** A large document may hold half of its text more, but for what a log of its changes takes beside it: 256 records with their pointers. */
const LOG_OF_CHANGES: u32 = 30720;
/** A node stays when it takes at most 1/8 of its text; others while all that stay take no more than 7/8 of the document's. */
const CHEAP_SHIFT: u32 = 3;
/** Levels that may stay expanded, so that what is kept and what is measured stay in proportion to the text. */
const KEPT_LEVELS: u32 = 8;

/** Compacts a document that holds much more than its text and has done enough work since it was compacted last. Not under edit. */
export function compactIfWasteful(d: usize): void {
  const size = load<u32>(d, SIZE);
  // Containers of many tiny elements hold more than twice their text as soon as they are expanded: the work condition
  // keeps such a document from being compacted by every edit.
  const half = size >> 1, slack = half > COMPACTION_SLACK + LOG_OF_CHANGES ? half - LOG_OF_CHANGES : COMPACTION_SLACK;
  if (load<u32>(d, HELD) > (size << 1) + slack && load<u32>(d, WORK) > size >> 2) compactWith(d, true);
}

/** Writes the document into one piece and gives everything else back. `false` = out of memory, or under edit; nothing changed. */
export function compact(d: usize): bool { return compactWith(d, false); }

function compactWith(d: usize, keep: bool): bool {
  if (editDocument == d) return false;
  const size = load<u32>(d, SIZE), piece = newPiece(d, size + 16);
  if (!piece) return false;
  const text = piece + PIECE_HEADER;
  writeSlot(d, text);
  allowance = size - (size >> 3);
  if (keep && load<u32>(d, 4) == NODE && stays(load<u32>(d), size)) {
    renewText(d);
    memory.fill(renamed, 0, RENAMED << 3);
    rebase(d, load<u32>(d), text, 1);
    dropPieces(d, <usize>load<u32>(d, PIECES), 0);
    linkPiece(piece, 0);
    store<u32>(d, <u32>piece, PIECES);
    openLog(d, text + size, pieceRoomEnd(piece, 0));
    store<u32>(d, 0, WORK);
    store<u32>(d, 0, SPANS_SHARED);
    bumpEpoch(d);
  } else installText(d, piece, size);
  store<u32>(d, load<u32>(d, COMPACTIONS) + 1, COMPACTIONS);
  return true;
}

// What is left of those 7/8.
let allowance: u32 = 0;

// Whether the node, whose text takes `size` bytes, stays; what it takes of the allowance is taken.
function stays(node: usize, size: u32): bool {
  const kind = kindOf(node);
  if (kind == CHAIN) return false;
  const table: u32 = kind != ARRAY && indexOf(node) ? tableBytes(node) : 0;
  const vector = isVectorBehind(node) ? 0 : load<u32>(node, CAPACITY) << strideShift(kind), cost = nodeBytes(node) + table + vector;
  const done = cost <= allowance;
  if (!done && cost > size >> CHEAP_SHIFT) return false;
  allowance = done ? allowance - cost : 0;
  return true;
}

// Lets the node, whose text now begins at `at`, name its children there; those that do not stay become spans again. Where the texts of nodes end has been
// noted as they were written: counting their sizes anew at each level took as long as the writing.
function rebase(d: usize, node: usize, at: usize, level: u32): void {
  const isArray = kindOf(node) == ARRAY;
  if (!isArray) forgetRemoved(node);
  let isNew = false, place = vectorOf(node);
  const end = place + (<usize>countOf(node) << strideShift(kindOf(node)));
  at++;
  while (place < end) {
    let slot = place;
    place += 8;
    if (!isArray) {
      isNew = isNew | rename(slot, <u32>at + 1);
      at += load<u32>(slot, 4) + 3;
      slot = place;
      place += 8;
    }
    const p = load<u32>(slot), n = load<u32>(slot, 4), size = n != NODE ? n : kindOf(p) == CHAIN ? valueSize(p, n) : load<u32>(p, AT) - <u32>at;
    if (n == NODE && level < KEPT_LEVELS && stays(p, size)) rebase(d, p, at, level + 1);
    else {
      releaseValue(d, p, n);
      store<u32>(slot, <u32>at);
      store<u32>(slot, size, 4);
    }
    at += size + 1;
  }
  if (isNew) shareKeys(d, vectorOf(node), countOf(node));
}

// Where keys stood before and stand now, {u32, u32} by a hash of the former: objects that shared the text of a key go on sharing one.
const RENAMED: u32 = 64;
const renamed: usize = memory.data(64 * 8, 8);

// Gives a key the text that the one which it shared its text with has been given, or else its own at `own`; whether it is that.
@inline function rename(slot: usize, own: u32): bool {
  const former = load<u32>(slot), known = renamed + <usize>((former * 0x9e3779b1) >> 26 << 3);
  if (load<u32>(known) == former) {
    store<u32>(slot, load<u32>(known, 4));
    return false;
  }
  store<u32>(known, former);
  store<u32>(known, own, 4);
  store<u32>(slot, own);
  return true;
}

// Closes the places of removed members.
function forgetRemoved(node: usize): void {
  const members = load<u32>(node, MEMBERS), vector = vectorOf(node);
  if (members == countOf(node)) return;
  let to = vector;
  for (let from = vector, end = vector + (<usize>countOf(node) << 4); from < end; from += 16) {
    if (load<u32>(from, 12) == REMOVED) continue;
    store<u64>(to, load<u64>(from));
    store<u64>(to, load<u64>(from, 8), 8);
    to += 16;
  }
  store<u32>(node, members, COUNT);
  const table = indexOf(node);
  if (!table) return;
  const bytes = tableBytes(node);
  memory.fill(table, 0, bytes);
  fillTable(node, table, <u32>ctz(bytes) - 2);
}
