// Where and why a text is not JSON: the slow, exact scan that runs after the fast one has refused. The fault is at the
// first byte where the text stops being a prefix of a valid one.
import { DEEPEST } from "./validate";
import { hexValue } from "./hex";
import { utf8Sequence } from "./utf8";

/** Not RFC 8259. */
export const FAULT_JSON: u32 = 1;
/** Ill-formed UTF-8. */
export const FAULT_UTF8: u32 = 2;
/** A bracket opens one level too many. */
export const FAULT_DEPTH: u32 = 3;

/** Address of the fault that `locateFault` found; the end of the text when it ends too early. */
export let faultAt: usize = 0;

const stack: usize = memory.data(4096 + 16);
let textEnd: usize = 0;
let fault: u32 = 0;

/**
 * Scans the one JSON text [start, end), white space around it allowed; NUL is an ordinary bad byte. `maxDepth` <= 4,096.
 * Returns 0 when nothing is wrong, else FAULT_JSON, FAULT_UTF8 or FAULT_DEPTH with the place in `faultAt`:
 * at the lead byte of an ill-formed sequence wherever it stands, at the bracket that opens too much.
 */
export function locateFault(start: usize, end: usize, maxDepth: u32): u32 {
  textEnd = end;
  fault = 0;
  faultAt = 0;
  const p = text(start, min<u32>(maxDepth, DEEPEST));
  if (p) { const rest = spaces(p); if (rest < end) refuse(rest); }
  return fault;
}

// The byte at p cannot continue the text.
function refuse(p: usize): usize {
  faultAt = p;
  fault = FAULT_JSON;
  if (p < textEnd && load<u8>(p) >= 0x80 && !sequence(p)) fault = FAULT_UTF8;
  return 0;
}

@inline function sequence(p: usize): usize {
  const next = utf8Sequence(p);
  return next <= textEnd ? next : 0;
}

// the byte at p, or 256 at the end
@inline function at(p: usize): u32 { return p < textEnd ? <u32>load<u8>(p) : 256; }
@inline function isDigit(c: u32): bool { return c - 48 < 10; }

function spaces(p: usize): usize {
  while (true) {
    const c = at(p);
    if (c != 0x20 && c != 0x0a && c != 0x0d && c != 0x09) return p;
    p++;
  }
  return p;
}

function text(p: usize, maxDepth: u32): usize {
  let depth: u32 = 0, closer: u32 = 0;
  while (true) {
    p = spaces(p);
    const c = at(p);
    let isKey = false;
    if ((c | 0x20) == 0x7b && c < 256) {
      if (depth >= maxDepth) { faultAt = p; fault = FAULT_DEPTH; return 0; }
      store<u8>(stack + depth++, closer);
      closer = c + 2;
      p = spaces(p + 1);
      if (at(p) == closer) { p++; closer = load<u8>(stack + --depth); }
      else if (closer == 0x5d) continue;
      else isKey = true;
    } else {
      p = scalar(p, c);
      if (!p) return 0;
    }
    if (!isKey) while (true) {
      if (!depth) return p;
      p = spaces(p);
      const following = at(p);
      if (following == 0x2c) { isKey = closer == 0x7d; p = spaces(p + 1); break; }
      if (following != closer) return refuse(p);
      p++;
      closer = load<u8>(stack + --depth);
    }
    if (isKey) {
      if (at(p) != 0x22) return refuse(p);
      p = string(p + 1);
      if (!p) return 0;
      p = spaces(p);
      if (at(p) != 0x3a) return refuse(p);
      p++;
    }
  }
  return 0;
}

function scalar(p: usize, c: u32): usize {
  if (c == 0x22) return string(p + 1);
  if (c == 0x2d || isDigit(c)) return number(p);
  if (c == 0x74) return word(p, 0x65757274, 4);
  if (c == 0x66) return word(p, 0x65736c6166, 5);
  if (c == 0x6e) return word(p, 0x6c6c756e, 4);
  return refuse(p);
}

function word(p: usize, letters: u64, n: u32): usize {
  for (; n; n--) {
    if (at(p) != <u32>(letters & 255)) return refuse(p);
    letters >>= 8;
    p++;
  }
  return p;
}

function number(p: usize): usize {
  if (at(p) == 0x2d) p++;
  if (!isDigit(at(p))) return refuse(p);
  if (at(p) == 48) p++;
  else p = digits(p);
  if (at(p) == 0x2e) {
    if (!isDigit(at(++p))) return refuse(p);
    p = digits(p);
  }
  if (at(p) == 0x65 || at(p) == 0x45) {
    const sign = at(++p);
    if (sign == 0x2b || sign == 0x2d) p++;
    if (!isDigit(at(p))) return refuse(p);
    p = digits(p);
  }
  return p;
}

function digits(p: usize): usize {
  while (isDigit(at(p))) p++;
  return p;
}

// from behind the opening quote to behind the closing one
function string(p: usize): usize {
  while (true) {
    const c = at(p);
    if (c == 0x22) return p + 1;
    if (c < 0x20 || c == 256) return refuse(p);
    if (c == 0x5c) {
      const e = at(++p);
      if (e == 0x75) {
        for (let i: u32 = 0; i < 4; i++) {
          const digit = at(++p);
          if (digit == 256 || hexValue(digit) > 15) return refuse(p);
        }
      } else if (e != 0x22 && e != 0x5c && e != 0x2f && e != 0x62 && e != 0x66 && e != 0x6e && e != 0x72 && e != 0x74) {
        return refuse(p);
      }
      p++;
    } else if (c >= 0x80) {
      const next = sequence(p);
      if (!next) return refuse(p);
      p = next;
    } else p++;
  }
  return 0;
}
