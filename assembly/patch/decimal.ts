// Whether two JSON number texts denote the same decimal, exactly and for any length: 1.0 = 1e0 = 10e-1, -0 = 0.

// The number read last: digits from the first to the last that is not 0 (address 0: the number is 0), the power of ten
// of the last one without the exponent, and the digits of the exponent.
let first: usize = 0;
let last: usize = 0;
let scale: i64 = 0;
let negative: bool = false;
let exponent: usize = 0;
let exponentEnd: usize = 0;
let exponentNegative: bool = false;

function readNumber(p: usize, n: u32): void {
  let end = p + n, point: usize = 0;
  negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  first = 0;
  exponent = end;
  exponentEnd = end;
  exponentNegative = false;
  for (let at = p; at < end; at++) {
    const c = <u32>load<u8>(at);
    if (c == 0x2e) point = at;
    else if ((c | 0x20) == 0x65) {
      const sign = load<u8>(at, 1);
      exponentNegative = sign == 0x2d;
      exponent = sign == 0x2d || sign == 0x2b ? at + 2 : at + 1;
      end = at;
    } else if (c != 0x30) {
      if (!first) first = at;
      last = at;
    }
  }
  const units = point ? point : end;
  scale = last < units ? <i64>(units - last) - 1 : -<i64>(last - units);
}

/** Further apart than any two texts can be shifted by their digits. */
const FAR: i64 = 1000000000000000;

@inline function digitAt(p: usize, end: usize, place: usize, isNegative: bool): i64 {
  if (<usize>(end - p) < place) return 0;
  const digit = <i64>load<u8>(end - place) - 48;
  return isNegative ? -digit : digit;
}

// a - b; once they are FAR apart more digits cannot bring them together again.
function exponentGap(a: usize, aEnd: usize, aNegative: bool, b: usize, bEnd: usize, bNegative: bool): i64 {
  let gap: i64 = 0;
  for (let place = max<usize>(aEnd - a, bEnd - b); place; place--) {
    gap = gap * 10 + digitAt(a, aEnd, place, aNegative) - digitAt(b, bEnd, place, bNegative);
    if (gap > FAR || gap < -FAR) break;
  }
  return gap;
}

/** Whether the number texts `a` and `b` (RFC 8259 §6) denote the same value. */
export function sameNumber(a: usize, an: u32, b: usize, bn: u32): bool {
  readNumber(a, an);
  let x = first;
  const xLast = last, xScale = scale, xNegative = negative, xExponent = exponent, xEnd = exponentEnd, xSign = exponentNegative;
  readNumber(b, bn);
  let y = first;
  if (!x || !y) return x == y;
  if (xNegative != negative) return false;
  while (true) {
    if (load<u8>(x) != load<u8>(y)) return false;
    if (x == xLast || y == last) break;
    if (load<u8>(++x) == 0x2e) x++;
    if (load<u8>(++y) == 0x2e) y++;
  }
  return x == xLast && y == last && exponentGap(xExponent, xEnd, xSign, exponent, exponentEnd, exponentNegative) == scale - xScale;
}
