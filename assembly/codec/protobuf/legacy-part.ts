// The retired `binary` part travels as a document whose metadata says what it was.
import { LOSS_EMPTY, LOSS_MEMBER } from "../../abi/codes";
import { equalBytes } from "../../memory/copy";
import { findMember, firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../json/members";
import { closeLength, openLength, putContents, putVarint } from "./bytes-out";
import { lose } from "./loss";
import { writeValue } from "./value-write";
import { PROTOBUF_UNFIT, fail } from "./wire";

const DATA: usize = memory.data<u8>([0x64, 0x61, 0x74, 0x61, 0, 0, 0, 0]);
const URL: usize = memory.data<u8>([0x75, 0x72, 0x6c, 0, 0, 0, 0, 0]);
const ID: usize = memory.data<u8>([0x69, 0x64, 0, 0, 0, 0, 0, 0]);
const MIME_TYPE: usize = memory.data<u8>([0x6d, 0x69, 0x6d, 0x65, 0x54, 0x79, 0x70, 0x65]);
const FILE_NAME: usize = memory.data<u8>([0x66, 0x69, 0x6c, 0x65, 0x6e, 0x61, 0x6d, 0x65]);
const LEGACY_BINARY: usize = memory.data<u8>([0x6c, 0x65, 0x67, 0x61, 0x63, 0x79, 0x42, 0x69, 0x6e, 0x61, 0x72, 0x79, 0, 0, 0, 0]);
const TYPE: usize = memory.data<u8>([0x74, 0x79, 0x70, 0x65, 0, 0, 0, 0]);
const TRUE: usize = memory.data<u8>([0x74, 0x72, 0x75, 0x65, 0, 0, 0, 0]);

/** Whether the part at `p` has a string of at least one character under that name. */
function hasText(p: usize, key: usize, n: u32): bool {
  return findMember(p, key, n) && load<u8>(valueStart) == 0x22 && valueEnd - valueStart > 2;
}

/** Writes the retired part at `p`, an object, as a field of that tag. False = a fault is noted, or the part says nothing that could travel. */
export function writeLegacyPart(tag: u32, p: usize): bool {
  // what it holds is its data, or else where it lies, or else its id
  const isData = hasText(p, DATA, 4), isUrl = !isData && hasText(p, URL, 3);
  if (!isData && !isUrl && !hasText(p, ID, 2)) return false;
  const value = valueStart + 1, end = valueEnd - 1;
  judgeMembers(p, isData, isUrl);
  if (!putVarint(tag)) return false;
  const part = openLength();
  if (!part || !putVarint(0x2a)) return false;
  const document = openLength();
  if (!document || !putVarint(0x0a)) return false;
  const source = openLength();
  if (!source || !putVarint(isData ? 0x0a : 0x12)) return false;
  const held = openLength();
  if (!held || !putVarint(0x0a) || !putContents(value, end)) return false;
  if (findMember(p, MIME_TYPE, 8)) {
    if (load<u32>(valueStart) == 0x6c6c756e) lose(LOSS_EMPTY);
    else if (load<u8>(valueStart) != 0x22) return fail(PROTOBUF_UNFIT, valueStart);
    else if ((!isData || valueEnd - valueStart > 2) && (!putVarint(0x12) || !putContents(valueStart + 1, valueEnd - 1))) return false;
  }
  closeLength(held);
  closeLength(source);
  if (!putVarint(0x12)) return false;
  const metadata = openLength();
  if (!metadata || !putVarint(0x2a)) return false;
  const members = openLength();
  if (!members || !writeEntry(LEGACY_BINARY, 12, TRUE)) return false;
  if (findMember(p, FILE_NAME, 8) && !writeEntry(FILE_NAME, 8, valueStart)) return false;
  if (findMember(p, ID, 2) && !writeEntry(ID, 2, valueStart)) return false;
  closeLength(members);
  closeLength(metadata);
  closeLength(document);
  closeLength(part);
  return true;
}

@inline function isKey(key: usize, n: u32): bool { return keyLength == n && equalBytes(keyStart, key, n); }

// Of data and address at most one is written; an id always, as metadata.
function judgeMembers(p: usize, isData: bool, isUrl: bool): void {
  let q = firstMember(p);
  while (q) {
    q = readMember(q);
    if (isKey(TYPE, 4) || isKey(MIME_TYPE, 8) || isKey(FILE_NAME, 8) || isKey(ID, 2)) continue;
    if ((isData && isKey(DATA, 4)) || (isUrl && isKey(URL, 3))) continue;
    lose(LOSS_MEMBER);
  }
}

function writeEntry(key: usize, n: u32, value: usize): bool {
  if (!putVarint(0x0a)) return false;
  const entry = openLength();
  if (!entry || !putVarint(0x0a) || !putContents(key, key + n) || !writeValue(0x12, value)) return false;
  closeLength(entry);
  return true;
}
