// Strict validation of one JSON value, in one pass where its text is UTF-8: RFC 8259 grammar, UTF-8, nesting. Rows of one shape are compared (shape.ts). Iterative; what it saw is left in globals.
import { BLOCK, spaceRun } from "./block";
import { scanExactly, scanText, textsAreWhole } from "./long-string";
import { HAS_LOOSE_ESCAPE, numberEnd, scanFlags, setScanFlags } from "./scan";
import { learnShape, matchShape, mayLearnShape, shapeAt, shapeDepth } from "./shape";

/** Deepest nesting that can be asked for. */
export const DEEPEST: u32 = 4096;
const stack: usize = memory.data(4096 + 16);

let maxDepth: u32 = 512;
let maxNumber: u32 = 1024;
let lines: bool = false;
let sawSpace: bool = false;

/** The value holds white space, `\u` or `\/`: it is not yet canonical text. */
export let valueDirty: bool = false;
/** Deepest level reached, the starting depth included. */
export let valueDepth: u32 = 0;
/** First number text longer than the limit, 0 = none. Not a failure. */
export let longNumberAt: usize = 0;

/** Sets the limits of later calls: nesting (at most 4,096) and characters of one number text. */
export function setValidateLimits(depth: u32, numberLength: u32): void {
  maxDepth = min<u32>(depth, DEEPEST);
  maxNumber = numberLength;
}

/**
 * Validates the JSON value at `p` (no white space before it): the address behind it, or 0. The text ends with a NUL
 * sentinel. `lineMode`: LF and CR are not white space. Deeper nesting than the limit gives 0.
 */
export function skipValue(p: usize, lineMode: bool): usize {
  resetValidate();
  return skipValueAt(p, lineMode, 0);
}

/** Adds to the reports that a caller has met white space or a long escape between values. */
export function noteSpace(): void { valueDirty = true; }

/** Forgets what former calls reported. */
export function resetValidate(): void {
  valueDirty = false;
  valueDepth = 0;
  longNumberAt = 0;
}

// p at white space, or at a control character that is none (which then fails where it is looked at)
function passSpace(p: usize): usize {
  const c = <u32>load<u8>(p);
  if (c != 0x20 && c != 0x09 && (lines || (c != 0x0a && c != 0x0d))) return p;
  sawSpace = true;
  if (load<u8>(++p) > 0x20) return p;
  if (lines) {
    while (load<u8>(p) == 0x20 || load<u8>(p) == 0x09) p++;
    return p;
  }
  while (true) {
    const run = spaceRun(p);
    if (run < BLOCK) return p + run;
    p += BLOCK;
  }
  return p;
}

/**
 * `skipValue` for a value that itself stands inside of `depth` containers. Reports add to those of former calls since
 * `resetValidate`: the first long number, the deepest level, dirty when one of them was.
 */
export function skipValueAt(p: usize, lineMode: bool, depth: u32): usize {
  const end = skip(p, lineMode, depth), whole = textsAreWhole();
  if (!end || whole) return end;
  scanExactly(true);
  const exact = skip(p, lineMode, depth);
  scanExactly(false);
  return exact;
}

/**
 * `skipValueAt` for values one after the other that may have the shape of one before them. The caller asks `textsAreWhole`, and reads everything again where it is
 * not so.
 */
export function skipValueLater(p: usize, lineMode: bool, depth: u32): usize {
  isRow = true;
  const end = skip(p, lineMode, depth);
  isRow = false;
  return end;
}

function skip(p: usize, lineMode: bool, depth: u32): usize {
  const flags = scanFlags;
  setScanFlags(0);
  lines = lineMode;
  sawSpace = false;
  if (depth > valueDepth) valueDepth = depth;
  p = validate(p, depth);
  if (sawSpace || (scanFlags & HAS_LOOSE_ESCAPE) != 0) valueDirty = true;
  setScanFlags(scanFlags | flags);
  return p;
}

const NO_ROW: u32 = 0xffffffff;
// The value as a whole is taken for a row.
let isRow: bool = false;
let rowEnd: usize = 0;
let toLearn: bool = false;

// Whether the object at p, inside of `depth` containers, is one of the last ones there with other values: then it ends at `rowEnd`. Else `toLearn` says whether it
// is to be learned.
function skipRow(p: usize, depth: u32): bool {
  const shape = shapeAt(depth), levels = shapeDepth(shape);
  rowEnd = levels && depth + levels <= maxDepth ? matchShape(shape, p, maxNumber) : 0;
  // the first of a list may be the only one
  toLearn = !rowEnd && load<u8>(p - 1) != 0x5b && mayLearnShape(shape);
  if (rowEnd) valueDepth = max<u32>(valueDepth, depth + levels);
  return rowEnd != 0;
}

function validate(p: usize, base: u32): usize {
  let depth = base, deepest = valueDepth, closer: u32 = 0, row: usize = 0, rowDepth = NO_ROW;
  let c = <u32>load<u8>(p);
  toLearn = false;
  while (true) {
    // c at p begins a value
    let isKey = false;
    if (c == 0x22) {
      p = scanText(p + 1);
      if (!p) return 0;
      p++;
    } else if (c == 0x7b && (closer == 0x5d || (isRow && depth == base)) && skipRow(p, depth)) {
      p = rowEnd;
      deepest = valueDepth;
    } else if ((c | 0x20) == 0x7b) {
      if (depth >= maxDepth) return 0;
      if (toLearn) {
        row = p;
        rowDepth = depth;
        toLearn = false;
      }
      store<u8>(stack + depth, closer);
      if (++depth > deepest) { deepest = depth; valueDepth = depth; }
      closer = c + 2;
      c = load<u8>(++p);
      if (c <= 0x20) { p = passSpace(p); c = load<u8>(p); }
      if (c == closer) {
        p++;
        closer = load<u8>(stack + --depth);
        if (depth == rowDepth) rowDepth = NO_ROW;
      } else if (closer == 0x5d) continue;
      else isKey = true;
    } else if (c - 48 < 10 || c == 0x2d) {
      const start = p;
      p = numberEnd(p);
      if (!p) return 0;
      if (<u32>(p - start) > maxNumber && !longNumberAt) longNumberAt = start;
    } else if (c == 0x74) {
      if (load<u32>(p) != 0x65757274) return 0;
      p += 4;
    } else if (c == 0x66) {
      if (load<u32>(p, 1) != 0x65736c61) return 0;
      p += 5;
    } else if (c == 0x6e) {
      if (load<u32>(p) != 0x6c6c756e) return 0;
      p += 4;
    } else return 0;
    // a value ends at p
    if (!isKey) while (true) {
      if (depth == base) return p;
      c = load<u8>(p);
      if (c <= 0x20) { p = passSpace(p); c = load<u8>(p); }
      if (c == 0x2c) {
        c = load<u8>(++p);
        if (c <= 0x20) { p = passSpace(p); c = load<u8>(p); }
        isKey = closer == 0x7d;
        break;
      }
      if (c != closer) return 0;
      p++;
      closer = load<u8>(stack + --depth);
      if (depth == rowDepth) {
        learnShape(shapeAt(depth), row, p);
        rowDepth = NO_ROW;
      }
    }
    if (isKey) {
      if (c != 0x22) return 0;
      p = scanText(p + 1);
      if (!p) return 0;
      c = load<u8>(++p);
      if (c <= 0x20) { p = passSpace(p); c = load<u8>(p); }
      if (c != 0x3a) return 0;
      c = load<u8>(++p);
      if (c <= 0x20) { p = passSpace(p); c = load<u8>(p); }
    }
  }
  return 0;
}
