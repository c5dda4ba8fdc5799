// UTF-8 by tables, 16 bytes at a time (Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte", 2021); SIMD alone. Which vectors are
// to be judged is noted and not branched upon: where every other block holds a foreign character, the branch would cost as much as the judging.

const TOO_SHORT: u8 = 1;
const TOO_LONG: u8 = 2;
const OVERLONG_3: u8 = 4;
const TOO_LARGE: u8 = 8;
const SURROGATE: u8 = 16;
const OVERLONG_2: u8 = 32;
const TOO_LARGE_1000: u8 = 64;
const OVERLONG_4: u8 = 64;
const TWO_CONTS: u8 = 128;
const CARRY: u8 = TOO_SHORT | TOO_LONG | TWO_CONTS;

// What a pair of bytes may be wrong in, by the halves of its bytes; in memory because engines build such constants anew at each use.
const TABLES: usize = memory.data<u8>([
  // first byte, high half
  TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TWO_CONTS, TWO_CONTS, TWO_CONTS, TWO_CONTS,
  TOO_SHORT | OVERLONG_2, TOO_SHORT, TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | TOO_LARGE | TOO_LARGE_1000 | OVERLONG_4,
  // first byte, low half
  CARRY | OVERLONG_3 | OVERLONG_2 | OVERLONG_4, CARRY | OVERLONG_2, CARRY, CARRY, CARRY | TOO_LARGE, CARRY | TOO_LARGE | TOO_LARGE_1000,
  CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
  CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
  CARRY | TOO_LARGE | TOO_LARGE_1000 | SURROGATE, CARRY | TOO_LARGE | TOO_LARGE_1000, CARRY | TOO_LARGE | TOO_LARGE_1000,
  // second byte, high half
  TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
  TOO_LONG | OVERLONG_2 | TWO_CONTS | OVERLONG_3 | TOO_LARGE_1000 | OVERLONG_4, TOO_LONG | OVERLONG_2 | TWO_CONTS | OVERLONG_3 | TOO_LARGE,
  TOO_LONG | OVERLONG_2 | TWO_CONTS | SURROGATE | TOO_LARGE, TOO_LONG | OVERLONG_2 | TWO_CONTS | SURROGATE | TOO_LARGE,
  TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT,
], 16);

/** Addresses of vectors to be judged: noted by the scanner, from `utf8Noted` on. */
const NOTES: usize = memory.data(4 * 256 + 16, 16);
/** From here on there may be no place for four more. */
export const UTF8_NOTES_FULL: usize = NOTES + 4 * 252;
/** Behind the last note. */
export let utf8Noted: usize = NOTES;
let wrong: bool = false;

/** Keeps what was noted up to `end` for later. */
@inline export function keepUtf8(end: usize): void { utf8Noted = end; }

// What pairs of bytes are wrong in, of 16 of them and those one before each.
@inline function wrongPairs(v: v128, one: v128): v128 {
  const low = i8x16.splat(15);
  return v128.and(v128.and(
    i8x16.swizzle(v128.load(TABLES), v128.and(i16x8.shr_u(one, 4), low)),
    i8x16.swizzle(v128.load(TABLES, 16), v128.and(one, low))),
    i8x16.swizzle(v128.load(TABLES, 32), v128.and(i16x8.shr_u(v, 4), low)));
}

/** From `FIRST_BYTES` + 16 - n on stands the mask of the first n bytes of a vector. */
export const FIRST_BYTES: usize = memory.data<u64>([0xffffffffffffffff, 0xffffffffffffffff, 0, 0]);

/** Whether the `n` bytes at `p`, up to 15, are UTF-8. Reads 16. */
export function isUtf8Short(p: usize, n: u32): bool {
  // the zeros tell of a character that the end cuts
  const v = v128.and(v128.load(p), v128.load(FIRST_BYTES + 16 - n)), zero = i64x2.splat(0), one = i8x16.shuffle(zero, v, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  const two = i8x16.shuffle(zero, v, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
  const three = i8x16.shuffle(zero, v, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28);
  const longer = v128.or(i8x16.sub_sat_u(two, i8x16.splat(0x60)), i8x16.sub_sat_u(three, i8x16.splat(0x70)));
  return !v128.any_true(v128.xor(wrongPairs(v, one), v128.and(longer, i8x16.splat(-128))));
}

// Not 0 where one of the 16 bytes at `p`, behind those before them, is no UTF-8.
@inline function errors(p: usize): v128 {
  const pairs = wrongPairs(v128.load(p), v128.load(p - 1));
  // third and fourth bytes are what makes two continuations in a row right
  const longer = v128.or(i8x16.sub_sat_u(v128.load(p - 2), i8x16.splat(0x60)), i8x16.sub_sat_u(v128.load(p - 3), i8x16.splat(0x70)));
  return v128.xor(pairs, v128.and(longer, i8x16.splat(-128)));
}

/**
 * Judges what is noted up to `end`, from 3 bytes before it on; the place for the next note. A character that the end of a vector cuts is told by the next one, which
 * must be noted, too.
 */
export function judgeUtf8(end: usize): usize {
  let all: v128 = i64x2.splat(0);
  for (let note = NOTES; note < end; note += 4) all = v128.or(all, errors(load<u32>(note)));
  if (v128.any_true(all)) wrong = true;
  return NOTES;
}

/** Whether everything that was noted since the last call is UTF-8. */
@inline export function settleUtf8(): bool { return utf8Noted == NOTES && !wrong ? true : settleNotes(); }

function settleNotes(): bool {
  utf8Noted = judgeUtf8(utf8Noted);
  const good = !wrong;
  wrong = false;
  return good;
}
