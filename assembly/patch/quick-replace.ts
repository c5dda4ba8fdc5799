// A patch of one `replace`, spelled as `JSON.stringify` spells `{ op, path, value }`: one short walk, and nothing
// is recorded, since nothing is left that could fail. What else there is goes by `patchScan` and `patchSteps`.
import { equalBits } from "../text/bitmap";
import { BLOCK, plainRun } from "../text/block";
import { plainLanes } from "../text/lanes";
import { HAS_LOOSE_ESCAPE, numberEnd, scanFlags, scanStringShort, setScanFlags } from "../text/scan";
import { ARRAY, countOf, documentSize, expandSlot, findUsual, kindOf, NODE, NODE_SIZE, OBJECT, replaceNow, rootSlot, slotSize, vectorOf } from "../document/index";
import { ordinaryEnd } from "./scan";

/** The pointer that was read: canonical contents. */
export let quickPath: usize = 0;
export let quickPathLength: u32 = 0;
// The text of the value.
let value: usize = 0;
let valueLength: u32 = 0;
let isContainer: bool = false;

// {"op":"replace","path":"
const HEAD: usize = 24;
@inline function begins(p: usize): bool {
  return load<u64>(p) == 0x72223a22706f227b && load<u64>(p, 8) == 0x2c226563616c7065 && load<u64>(p, 16) == 0x223a226874617022;
}

/**
 * Reads the operation at `p`, text that nobody has judged yet and behind which the sentinel stands. `depth`: levels around its value; `numberLength`: the
 * longest number. Returns the address behind it; 0: it is not of this kind.
 */
export function quickReplaceRead(p: usize, depth: u32, numberLength: u32): usize {
  if (!begins(p)) return 0;
  p += HEAD;
  quickPath = p;
  if (load<u8>(p) != 0x2f) return 0;
  p = plainEnd(p);
  // ","value":
  if (load<u64>(p) != 0x65756c6176222c22 || load<u16>(p, 8) != 0x3a22) return 0;
  quickPathLength = <u32>(p - quickPath);
  value = p + 10;
  isContainer = (load<u8>(value) | 0x20) == 0x7b;
  p = isContainer ? ordinaryEnd(value, depth, numberLength, true) : scalarEnd(value, numberLength);
  if (!p || load<u8>(p) != 0x7d) return 0;
  valueLength = <u32>(p - value);
  return p + 1;
}

/**
 * Takes the parts of an operation that was not text: its pointer of `n` bytes at `path`, and the canonical text [text, end) of its value, behind which the sentinel
 * stands. False: it is not of this kind, as above.
 */
export function quickReplaceTake(path: usize, n: u32, text: usize, end: usize, depth: u32, numberLength: u32): bool {
  if (!n || load<u8>(path) != 0x2f) return false;
  for (let p = path, stop = path + n; p < stop; p += BLOCK) {
    const run = plainRun(p);
    if (run < BLOCK && p + run < stop) return false;
  }
  quickPath = path;
  quickPathLength = n;
  value = text;
  valueLength = <u32>(end - text);
  isContainer = (load<u8>(text) | 0x20) == 0x7b;
  return (isContainer ? ordinaryEnd(text, depth, numberLength, true) : scalarEnd(text, numberLength)) == end;
}

/**
 * Applies what was read last to document `d`, at once and for good. `depth` and `size`: the most levels and bytes it may have. `false`: it does not apply, a limit
 * or memory may be in the way; nothing has changed.
 */
export function quickReplaceApply(d: usize, depth: u32, size: u32): bool {
  const end = quickPath + quickPathLength;
  let from = quickPath, slashes = equalBits(from, 0x2f) & ~1;
  let at = quickPath, node: usize = 0, slot = rootSlot(d), p = <usize>load<u32>(slot), n = load<u32>(slot, 4);
  do {
    const token = ++at;
    while (!slashes && from + 64 < end) {
      from += 64;
      slashes = equalBits(from, 0x2f);
    }
    at = slashes ? min<usize>(from + <usize>ctz(slashes), end) : end;
    slashes &= slashes - 1;
    const length = <u32>(at - token);
    node = n == NODE ? p : expandSlot(d, slot);
    if (!length || !depth-- || !node) return false;
    const kind = kindOf(node);
    if (kind == ARRAY) {
      const i = indexOf(token, length);
      if (i >= countOf(node)) return false;
      // as in `findUsual`
      if (vectorOf(node) == node + NODE_SIZE) {
        slot = node + NODE_SIZE + (<usize>i << 3);
        p = load<u32>(slot);
        n = load<u32>(slot, 4);
      } else {
        slot = vectorOf(node) + (<usize>i << 3);
        p = load<u32>(slot);
        n = load<u32>(slot, 4);
      }
    } else {
      const entry = kind == OBJECT ? findUsual(node, token, length) : 0;
      if (!entry) return false;
      slot = entry + 8;
      p = load<u32>(slot);
      n = load<u32>(slot, 4);
    }
  } while (at < end);
  // a level takes two bytes, so short values need no count
  if (isContainer && valueLength >> 1 > depth) return false;
  return documentSize(d) + valueLength - slotSize(slot) <= size && replaceNow(d, node, slot, value, valueLength);
}

// RFC 6901 §4 for up to 7 digits at once; more than any count: something else.
@inline function indexOf(p: usize, n: u32): u32 {
  if (n > 7) return 0xffffffff;
  // zeros in front of the digits, which stand with the first one lowest
  const shift = <u64>n << 3, text = (load<u64>(p) << (64 - shift)) | (0x3030303030303030 >> shift);
  let digits = text - 0x3030303030303030;
  if (((digits + 0x7676767676767676) | digits) & 0x8080808080808080 || (<u32>(n > 1) & <u32>(load<u8>(p) == 0x30))) return 0xffffffff;
  digits = digits * 10 + (digits >> 8);
  return <u32>(((digits & 0x000000ff000000ff) * 0x000f424000000064 + ((digits >> 16 & 0x000000ff000000ff) * 0x0000271000000001)) >> 32);
}

// Behind the plain characters of a pointer. Pointers differ in their lengths: one of less than 64 bytes is read without a loop.
@inline function plainEnd(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    let odd = plainLanes(p);
    for (; !odd; odd = plainLanes(p)) p += 64;
    return p + <usize>ctz(odd);
  } else {
    let run = plainRun(p);
    for (; run == BLOCK; run = plainRun(p)) p += BLOCK;
    return p + run;
  }
}

// Behind the scalar in canonical spelling at `p`, or 0.
@inline function scalarEnd(p: usize, numberLength: u32): usize {
  const c = <u32>load<u8>(p);
  if (c == 0x22) {
    setScanFlags(0);
    p = scanStringShort(p + 1);
    return p && !(scanFlags & HAS_LOOSE_ESCAPE) ? p + 1 : 0;
  }
  if (c - 48 < 10 || c == 0x2d) {
    const end = numberEnd(p);
    return end - p <= <usize>numberLength ? end : 0;
  }
  const word = load<u32>(p);
  return word == 0x65757274 || word == 0x6c6c756e ? p + 4 : word == 0x736c6166 && load<u8>(p, 4) == 0x65 ? p + 5 : 0;
}
