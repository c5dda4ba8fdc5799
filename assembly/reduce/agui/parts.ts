// Retired content parts `{"type":"binary","mimeType":M,"data":V | "url":V,"filename"?:F}` and the parts they have become
// (docs/semantics-agui.md §2). A part is dropped where its list already holds what it would become.
import { RUN_PTR, bytesClear } from "../../memory/bytes";
import { equalBytes } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { stringEnd } from "../../text/scan";
import { skipTrusted } from "../../text/trusted";
import { F_METADATA, F_SOURCE, F_TYPE, F_VALUE } from "../../abi/agui";
import { SCRATCH_ENFORCED as INDEX, scratchReserve } from "../scratch";
import { putByte, putComma, putText, noteLack } from "./rewrite";
import { findNamed, findText } from "./schema";
import { N_MIME_TYPE } from "./schema-table.generated";

const BINARY: usize = memory.data<u8>([0x62, 0x69, 0x6e, 0x61, 0x72, 0x79, 0, 0]);
const DATA: usize = memory.data<u8>([0x64, 0x61, 0x74, 0x61, 0, 0, 0, 0]);
const URL: usize = memory.data<u8>([0x75, 0x72, 0x6c, 0, 0, 0, 0, 0]);
const FILENAME: usize = memory.data<u8>([0x66, 0x69, 0x6c, 0x65, 0x6e, 0x61, 0x6d, 0x65, 0, 0, 0, 0, 0, 0, 0, 0]);
// image audio video document, 8 B each
const KINDS: usize = memory.data<u8>([
  0x69, 0x6d, 0x61, 0x67, 0x65, 0, 0, 0, 0x61, 0x75, 0x64, 0x69, 0x6f, 0, 0, 0, 0x76, 0x69, 0x64, 0x65, 0x6f, 0, 0, 0,
  0x64, 0x6f, 0x63, 0x75, 0x6d, 0x65, 0x6e, 0x74,
]);
const DOCUMENT: u32 = 3;
// pieces of the new part: {"type":" | ","source":{"type":" | ","value": | ,"mimeType": | ,"metadata":{"filename":
const PIECES: usize = memory.data<u8>([
  0x7b, 0x22, 0x74, 0x79, 0x70, 0x65, 0x22, 0x3a, 0x22,
  0x22, 0x2c, 0x22, 0x73, 0x6f, 0x75, 0x72, 0x63, 0x65, 0x22, 0x3a, 0x7b, 0x22, 0x74, 0x79, 0x70, 0x65, 0x22, 0x3a, 0x22,
  0x22, 0x2c, 0x22, 0x76, 0x61, 0x6c, 0x75, 0x65, 0x22, 0x3a,
  0x2c, 0x22, 0x6d, 0x69, 0x6d, 0x65, 0x54, 0x79, 0x70, 0x65, 0x22, 0x3a,
  0x2c, 0x22, 0x6d, 0x65, 0x74, 0x61, 0x64, 0x61, 0x74, 0x61, 0x22, 0x3a, 0x7b, 0x22, 0x66, 0x69, 0x6c, 0x65, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a,
  0, 0, 0, 0, 0, 0, 0, 0,
]);

// The part that was read last: JSON strings with their quotes, 0 = it has none.
let kind: u32 = 0;
let isData: bool = false;
let value: usize = 0;
let mimeType: usize = 0;
let fileName: usize = 0;

@inline function sizeOf(string: usize): u32 { return <u32>(stringEnd(string + 1) - string) + 1; }

// A non-empty string, 0 = something else.
@inline function filledString(p: usize): usize { return p && load<u8>(p) == 0x22 && load<u8>(p, 1) != 0x22 ? p : 0; }
@inline function anyString(p: usize): usize { return p && load<u8>(p) == 0x22 ? p : 0; }
@inline function anyObject(p: usize): usize { return p && load<u8>(p) == 0x7b ? p : 0; }

@inline function is(string: usize, text: usize, n: u32): bool { return string != 0 && sizeOf(string) == n + 2 && equalBytes(string + 1, text, n); }

function kindLength(which: u32): u32 { return which == DOCUMENT ? 8 : 5; }

/** Reads the object at `p` as a retired part; false: it is none that can be translated. */
export function readRetired(p: usize): bool {
  if (!is(anyString(findNamed(p, F_TYPE)), BINARY, 6)) return false;
  mimeType = anyString(findNamed(p, N_MIME_TYPE));
  if (!mimeType) return false;
  value = filledString(findText(p, DATA, 4));
  isData = value != 0;
  if (!value) value = filledString(findText(p, URL, 3));
  if (!value) return false;
  fileName = filledString(findText(p, FILENAME, 8));
  const prefix = load<u64>(mimeType + 1) & 0xffffffffffff;
  kind = prefix == 0x2f6567616d69 ? 0 : prefix == 0x2f6f69647561 ? 1 : prefix == 0x2f6f65646976 ? 2 : DOCUMENT;
  return true;
}

// Reads the object at p as a part that a retired one may have become.
function readModern(p: usize): bool {
  const type = anyString(findNamed(p, F_TYPE)), source = anyObject(findNamed(p, F_SOURCE));
  if (!type || !source) return false;
  for (kind = 0; kind <= DOCUMENT; kind++) if (is(type, KINDS + (kind << 3), kindLength(kind))) break;
  if (kind > DOCUMENT) return false;
  const sourceType = anyString(findNamed(source, F_TYPE));
  isData = is(sourceType, DATA, 4);
  if (!isData && !is(sourceType, URL, 3)) return false;
  value = anyString(findNamed(source, F_VALUE));
  mimeType = anyString(findNamed(source, N_MIME_TYPE));
  const metadata = anyObject(findNamed(p, F_METADATA));
  fileName = metadata ? anyString(findText(metadata, FILENAME, 8)) : 0;
  return value != 0 && mimeType != 0;
}

/** Puts what the retired part that was read has become. */
export function putTranslated(): void {
  putComma();
  putText(PIECES, 9);
  putText(KINDS + (kind << 3), kindLength(kind));
  putText(PIECES + 9, 20);
  putText(isData ? DATA : URL, isData ? 4 : 3);
  putText(PIECES + 29, 10);
  putText(value, sizeOf(value));
  putText(PIECES + 39, 12);
  putText(mimeType, sizeOf(mimeType));
  putByte(0x7d);
  if (fileName) {
    putText(PIECES + 51, 24);
    putText(fileName, sizeOf(fileName));
    putByte(0x7d);
  }
  putByte(0x7d);
}

// ---------------------------------------------------------------- parts of a list, found by what they hold

// Place, 8 B: 0 hash | 4 part, 0 = free. A part stands there once by its source and, when it names a file, once more by source and file.
let indexed: usize = 0;
let mask: u32 = 0;

/** Forgets the parts of a former list. The index takes the room of the text behind enforcement, which begins later. */
export function beginList(): void { indexed = 0; }

@inline function partHash(withName: bool): u32 {
  const source = hashBytes(value, sizeOf(value)) * 31 + hashBytes(mimeType, sizeOf(mimeType)) * 7 + (kind << 1) + <u32>isData;
  return withName ? source ^ hashBytes(fileName, sizeOf(fileName)) * 0x9e3779b1 : source;
}

@inline function isSame(a: usize, b: usize): bool { return sizeOf(a) == sizeOf(b) && equalBytes(a, b, sizeOf(a)); }

// The place of the part that holds what the one read last holds, or the free place for it; which one is told by its part.
function placeFor(hash: u32, withName: bool): usize {
  const wantedKind = kind, wantedData = isData, wantedValue = value, wantedMime = mimeType, wantedName = fileName;
  let place: usize = 0;
  for (let i = hash & mask; ; i = (i + 1) & mask) {
    place = indexed + (i << 3);
    const part = <usize>load<u32>(place, 4);
    if (!part) break;
    if (load<u32>(place) != hash) continue;
    readModern(part);
    if (kind == wantedKind && isData == wantedData && isSame(value, wantedValue) && isSame(mimeType, wantedMime)
      && (!withName || (fileName != 0 && isSame(fileName, wantedName)))) break;
  }
  kind = wantedKind; isData = wantedData; value = wantedValue; mimeType = wantedMime; fileName = wantedName;
  return place;
}

function indexParts(list: usize): void {
  let count: u32 = 0, p = list;
  do {
    p = skipTrusted(p + 1);
    count++;
  } while (load<u8>(p) == 0x2c);
  const capacity: u32 = 4 << (32 - clz(count));
  bytesClear(INDEX);
  if (!scratchReserve(INDEX, capacity << 3)) { noteLack(); return; }
  indexed = load<u32>(INDEX, RUN_PTR);
  mask = capacity - 1;
  memory.fill(indexed, 0, capacity << 3);
  p = list;
  do {
    const part = p + 1;
    p = skipTrusted(part);
    if (load<u8>(part) != 0x7b || !readModern(part)) continue;
    addPart(part, false);
    if (fileName) addPart(part, true);
  } while (load<u8>(p) == 0x2c);
}

function addPart(part: usize, withName: bool): void {
  const hash = partHash(withName), place = placeFor(hash, withName);
  if (load<u32>(place, 4)) return;
  store<u32>(place, hash);
  store<u32>(place, <u32>part, 4);
}

/** Whether the list at `list` holds, as it came, what the retired part that was read has become. */
export function isThere(list: usize): bool {
  const wantedKind = kind, wantedData = isData, wantedValue = value, wantedMime = mimeType, wantedName = fileName;
  if (!indexed) indexParts(list);
  kind = wantedKind; isData = wantedData; value = wantedValue; mimeType = wantedMime; fileName = wantedName;
  if (!indexed) return false;
  const withName = fileName != 0;
  return load<u32>(placeFor(partHash(withName), withName), 4) != 0;
}
