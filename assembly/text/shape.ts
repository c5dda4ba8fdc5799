// Objects of one shape. Rows of a list differ in their values and in nothing else as a rule: what stands between the values of one row is kept, and the next row
// is compared with it instead of being parsed. Equal bytes, equal parse: a row that differs anywhere is no match and is read like any other value.
import { copyForward, equalText } from "../memory/copy";
import { scanText } from "./long-string";
import { numberEnd, stringEnd } from "./scan";
import { skipScalar } from "./trusted";
import { skipNonAscii } from "./utf8";

/** Longest text between the values of a row, and most values. */
const MOST_TEXT: u32 = 1024;
const MOST_VALUES: u32 = 64;
/** Longest key with its quotes. */
const LONGEST_KEY: u32 = 64;
/** Deepest nesting of a row. */
const MOST_DEPTH: u32 = 16;

// Shape: 0 nesting, 0 = none known | 4 credit | 8 values | 12 lengths of what stands before each value and behind the last one | 272 these texts
const DEPTH: usize = 0, CREDIT: usize = 4, VALUES: usize = 8, LENGTHS: usize = 12, TEXT: usize = 272;
const SHAPE_SIZE: usize = 272 + 1024 + 64;
// Lists in rows of lists have shapes of their own: one for each of four levels that follow each other.
const SHAPES: usize = memory.data(4 * (272 + 1024 + 64), 16);

// Learning costs about as much as reading the row: a bucket that matches fill and learning empties keeps it rare where rows have no common shape.
const FULL: u32 = 64;
const LEARNING: u32 = 16;
const MATCHING: u32 = 2;

/** The shape of rows that stand inside of `depth` containers. */
@inline export function shapeAt(depth: u32): usize { return SHAPES + <usize>(depth & 3) * SHAPE_SIZE; }

/** Nesting of the rows, 0: no shape is known. */
@inline export function shapeDepth(shape: usize): u32 { return load<u32>(shape, DEPTH); }

/** Whether a row that did not match is to be learned. */
export function mayLearnShape(shape: usize): bool {
  const credit = load<u32>(shape, CREDIT);
  if (credit >= LEARNING) return true;
  store<u32>(shape, credit + 1, CREDIT);
  return false;
}

/** Learns the shape of the validated object [p, end). */
export function learnShape(shape: usize, p: usize, end: usize): void {
  store<u32>(shape, load<u32>(shape, CREDIT) - LEARNING, CREDIT);
  store<u32>(shape, 0, DEPTH);
  const text = shape + TEXT;
  let at = text, start = at, values: u32 = 0, depth: u32 = 0, deepest: u32 = 0;
  while (p < end) {
    // no key of a row is longer, and nothing else that is copied at once
    if (at - text > MOST_TEXT - LONGEST_KEY) return;
    const c = <u32>load<u8>(p);
    let next = p + 1, isValue = false;
    if (c == 0x22) {
      next = stringEnd(p + 1) + 1;
      isValue = load<u8>(next) != 0x3a;
      if (!isValue && !copyKey(p, next, at)) return;
    } else if ((c | 0x20) == 0x7b) {
      if (++depth > MOST_DEPTH) return;
      deepest = max<u32>(deepest, depth);
    } else if ((c | 0x20) == 0x7d) depth--;
    else if (c <= 0x20) return;
    else if (c != 0x2c && c != 0x3a) {
      next = skipScalar(p);
      isValue = true;
    }
    if (isValue) {
      if (values == MOST_VALUES) return;
      store<u32>(shape + (values++ << 2), <u32>(at - start), LENGTHS);
      start = at;
    } else {
      if (c != 0x22) store<u8>(at, c);
      at += next - p;
    }
    p = next;
  }
  store<u32>(shape + (values << 2), <u32>(at - start), LENGTHS);
  store<u32>(shape, values, VALUES);
  store<u32>(shape, deepest, DEPTH);
}

// A key with its quotes; false: it is long, or may be in an other than the shortest spelling.
function copyKey(p: usize, end: usize, at: usize): bool {
  if (end - p > LONGEST_KEY) return false;
  for (let q = p; q < end;) {
    const c = load<u8>(q);
    if (c == 0x5c) return false;
    // whether the text is UTF-8 may not be known yet
    q = c < 0x80 ? q + 1 : skipNonAscii(q);
    if (!q) return false;
  }
  copyForward(at, p, <u32>(end - p));
  return true;
}

/** Behind the object at `p` if it has the shape, 0 = it has not, or is not valid, or holds a number of more than `maxNumber` characters. */
export function matchShape(shape: usize, p: usize, maxNumber: u32): usize {
  let text = shape + TEXT, length = shape + LENGTHS;
  const last = length + (<usize>load<u32>(shape, VALUES) << 2);
  while (true) {
    const n = load<u32>(length);
    if (!equalText(p, text, n)) return 0;
    p += n;
    if (length == last) break;
    text += n;
    length += 4;
    const c = <u32>load<u8>(p);
    if (c == 0x22) {
      p = scanText(p + 1);
      if (!p) return 0;
      p++;
    } else if (c - 48 < 10 || c == 0x2d) {
      const start = p;
      p = numberEnd(p);
      if (!p || <u32>(p - start) > maxNumber) return 0;
    } else {
      const word = load<u32>(p);
      if (word == 0x65757274 || word == 0x6c6c756e) p += 4;
      else if (word == 0x736c6166 && load<u8>(p, 4) == 0x65) p += 5;
      else return 0;
    }
  }
  store<u32>(shape, min<u32>(load<u32>(shape, CREDIT) + MATCHING, FULL), CREDIT);
  return p;
}
