// The members of one JSON object that storage frames speak of (AgentUE §3.3), found in the pass that validates its text. The text is not canonical:
// white space may stand anywhere, and names and values may be spelt with escapes.
import { bytesClear, bytesFree, bytesReserve, RUN_PTR } from "../../memory/bytes";
import { setAccount } from "../../memory/heap";
import { stringRun } from "../../text/block";
import { canonicalEscapes } from "../../text/escape";
import { scanLongString } from "../../text/long-string";
import { HAS_LOOSE_ESCAPE, scanFlags, scanStringShort, setScanFlags } from "../../text/scan";
import { skipValueAt } from "../../text/validate";

export const M_ID: u32 = 0, M_TYPE: u32 = 1, M_REF: u32 = 2, M_PARENT_ID: u32 = 3, M_GROUP_ID: u32 = 4;
export const M_BLOCK_ID: u32 = 5, M_SEQ: u32 = 6, M_TOTAL: u32 = 7, M_DATA: u32 = 8, M_BLOCKS: u32 = 9;
/** No member is meant. */
export const M_NONE: u32 = 255;
const COUNT: u32 = 10;

// Names, 16 B each, padded with zeros
const NAMES: usize = memory.data<u8>([
  0x69, 0x64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0x74, 0x79, 0x70, 0x65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0x72, 0x65, 0x66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0x70, 0x61, 0x72, 0x65, 0x6e, 0x74, 0x5f, 0x69, 0x64, 0, 0, 0, 0, 0, 0, 0,
  0x67, 0x72, 0x6f, 0x75, 0x70, 0x5f, 0x69, 0x64, 0, 0, 0, 0, 0, 0, 0, 0,
  0x62, 0x6c, 0x6f, 0x63, 0x6b, 0x5f, 0x69, 0x64, 0, 0, 0, 0, 0, 0, 0, 0,
  0x73, 0x65, 0x71, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0x74, 0x6f, 0x74, 0x61, 0x6c, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0x64, 0x61, 0x74, 0x61, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0x62, 0x6c, 0x6f, 0x63, 0x6b, 0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** The name of a member as bytes, with readable slack behind it. */
export function memberName(m: u32): usize { return NAMES + (m << 4); }

/** Bytes of that name. */
export function memberNameLength(m: u32): u32 {
  let n: u32 = 0;
  while (load<u8>(NAMES + (m << 4) + n)) n++;
  return n;
}

// Members, 16 B each: 0 start of the value (0: absent) | 4 its end | 8 what its strings hold (HAS_ bits of text/scan)
const MEMBERS: usize = memory.data(10 * 16, 16);

/** Whether the value that was read is an object. */
export let isObject: bool = false;

@inline export function memberStart(m: u32): usize { return <usize>load<u32>(MEMBERS + (m << 4)); }
@inline export function memberEnd(m: u32): usize { return <usize>load<u32>(MEMBERS + (m << 4), 4); }
/** Whether the member is spelt with `\u` or `\/`. */
@inline export function memberIsLoose(m: u32): bool { return (load<u32>(MEMBERS + (m << 4), 8) & HAS_LOOSE_ESCAPE) != 0; }

@inline export function isText(m: u32): bool { return memberStart(m) != 0 && load<u8>(memberStart(m)) == 0x22; }
@inline export function isFullText(m: u32): bool { return isText(m) && memberEnd(m) - memberStart(m) > 2; }
@inline export function isTextNullOrAbsent(m: u32): bool {
  return !memberStart(m) || load<u8>(memberStart(m)) == 0x22 || load<u8>(memberStart(m)) == 0x6e;
}

let lines: bool = false;

@inline function skipBlank(p: usize): usize { return load<u8>(p) > 0x20 ? p : skipBlanks(p); }

function skipBlanks(p: usize): usize {
  while (true) {
    const c = load<u8>(p);
    if (c != 0x20 && c != 0x09 && (lines || (c != 0x0a && c != 0x0d))) return p;
    p++;
  }
  return p;
}

/**
 * Validates the JSON value at `p` (no white space before it) and notes its members when it is an object; of a repeated one the last. Returns the
 * address behind it, 0 when it is not valid. `lineMode`: LF and CR are not white space.
 */
export function readObject(p: usize, lineMode: bool): usize {
  lines = lineMode;
  memory.fill(MEMBERS, 0, COUNT << 4);
  isObject = load<u8>(p) == 0x7b;
  if (!isObject) return skipValueAt(p, lineMode, 0);
  p = skipBlank(p + 1);
  if (load<u8>(p) == 0x7d) return p + 1;
  while (true) {
    if (load<u8>(p) != 0x22) return 0;
    const key = p + 1;
    setScanFlags(0);
    const keyEnd = scanStringShort(key);
    if (!keyEnd) return 0;
    const isLoose = (scanFlags & HAS_LOOSE_ESCAPE) != 0;
    p = skipBlank(keyEnd + 1);
    if (load<u8>(p) != 0x3a) return 0;
    p = skipBlank(p + 1);
    setScanFlags(0);
    const end = load<u8>(p) == 0x22 ? textEnd(p) : skipValueAt(p, lineMode, 1);
    if (!end) return 0;
    const m = isLoose ? looseMember(key, <u32>(keyEnd - key)) : memberOf(key, <u32>(keyEnd - key));
    if (m != M_NONE) {
      const member = MEMBERS + (m << 4);
      store<u32>(member, <u32>p);
      store<u32>(member, <u32>end, 4);
      store<u32>(member, scanFlags, 8);
    }
    p = skipBlank(end);
    const c = load<u8>(p);
    if (c == 0x2c) { p = skipBlank(p + 1); continue; }
    return c == 0x7d ? p + 1 : 0;
  }
  return 0;
}

// Behind the string at `p`: short ones end in their first block, the long one holds JSON.
@inline function textEnd(p: usize): usize {
  const run = stringRun(p + 1), q = p + 1 + run;
  if (load<u8>(q) == 0x22) return q + 1;
  const end = scanLongString(p + 1);
  return end ? end + 1 : 0;
}

function memberOf(key: usize, n: u32): u32 {
  switch (n) {
    case 2: return load<u16>(key) == 0x6469 ? M_ID : M_NONE;
    case 3:
      if (load<u16>(key) == 0x6573 && load<u8>(key, 2) == 0x71) return M_SEQ;
      return load<u16>(key) == 0x6572 && load<u8>(key, 2) == 0x66 ? M_REF : M_NONE;
    case 4: return load<u32>(key) == 0x61746164 ? M_DATA : load<u32>(key) == 0x65707974 ? M_TYPE : M_NONE;
    case 5: return load<u32>(key) == 0x61746f74 && load<u8>(key, 4) == 0x6c ? M_TOTAL : M_NONE;
    case 6: return load<u32>(key) == 0x636f6c62 && load<u16>(key, 4) == 0x736b ? M_BLOCKS : M_NONE;
    case 8: return load<u64>(key) == 0x64695f6b636f6c62 ? M_BLOCK_ID : load<u64>(key) == 0x64695f70756f7267 ? M_GROUP_ID : M_NONE;
    case 9: return load<u64>(key) == 0x695f746e65726170 && load<u8>(key, 8) == 0x64 ? M_PARENT_ID : M_NONE;
  }
  return M_NONE;
}

/** The longest name with every character as `\uXXXX`. */
const LONGEST: u32 = 9 * 6;
const KEY: usize = memory.data(9 * 6 + 16, 16);

function looseMember(key: usize, n: u32): u32 {
  return n > LONGEST ? M_NONE : memberOf(KEY, <u32>(canonicalEscapes(key, key + n, KEY) - KEY));
}

const TEXT: usize = memory.data(16, 16);

/** Canonical contents of the string that `readText` was asked for, until the next call. */
export let textStart: usize = 0;
export let textLength: u32 = 0;

/** Brings the contents of a string member to their shortest spelling, in a buffer where that differs from how they stand; false = out of memory. */
export function readText(m: u32): bool {
  textStart = memberStart(m) + 1;
  textLength = <u32>(memberEnd(m) - textStart) - 1;
  if (!memberIsLoose(m)) return true;
  bytesClear(TEXT);
  const account = setAccount(0), done = bytesReserve(TEXT, textLength);
  setAccount(account);
  if (!done) return false;
  const start = textStart;
  textStart = <usize>load<u32>(TEXT, RUN_PTR);
  textLength = <u32>(canonicalEscapes(start, start + textLength, textStart) - textStart);
  return true;
}

/** Gives the buffer of `readText` back. */
export function trimMembers(): void {
  const account = setAccount(0);
  bytesFree(TEXT);
  setAccount(account);
}
