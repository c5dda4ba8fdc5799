// The timestamp extension (type -1) as an RFC 3339 date and time.
import { u32At, u64At } from "./format";

/** The extension type of timestamps. */
export const TIMESTAMP: u32 = 0xff;

// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z
const FIRST_SECOND: i64 = -62167219200;
const LAST_SECOND: i64 = 253402300799;

@inline function putTwo(d: usize, v: u32): void { store<u16>(d, (v / 10) | ((v % 10) << 8) | 0x3030); }

/**
 * Writes the timestamp of the `n` bytes at `p` (4: u32 seconds; 8: 30 bits of nanoseconds, 34 of seconds; 12: u32 nanoseconds, i64
 * seconds) at `d` as `2018-02-03T04:05:06.789Z` with 0, 3, 6 or 9 digits of the second. Returns the address behind it, at most 30
 * bytes; 0 = another size, a second or more of nanoseconds, or no year from 0000 to 9999.
 */
export function putTimestamp(p: usize, n: u32, d: usize): usize {
  let seconds: i64 = 0, nanoseconds: u32 = 0;
  if (n == 4) seconds = <i64>u32At(p);
  else if (n == 8) {
    const both = u64At(p);
    nanoseconds = <u32>(both >> 34);
    seconds = <i64>(both & 0x3ffffffff);
  } else if (n == 12) {
    nanoseconds = u32At(p);
    seconds = <i64>u64At(p + 4);
  } else return 0;
  if (nanoseconds > 999999999 || seconds < FIRST_SECOND || seconds > LAST_SECOND) return 0;
  const sinceFirst = <u64>(seconds - FIRST_SECOND), second = <u32>(sinceFirst % 86400);
  putDate(d, <u32>(sinceFirst / 86400));
  store<u8>(d, 0x54, 10);
  putTwo(d + 11, second / 3600);
  store<u8>(d, 0x3a, 13);
  putTwo(d + 14, second / 60 % 60);
  store<u8>(d, 0x3a, 16);
  putTwo(d + 17, second % 60);
  d += 19;
  if (nanoseconds) {
    store<u8>(d++, 0x2e);
    let digits: u32 = 9;
    while (nanoseconds % 1000 == 0) { nanoseconds /= 1000; digits -= 3; }
    for (let at = digits; at; at--) {
      store<u8>(d + at - 1, 48 + nanoseconds % 10);
      nanoseconds /= 10;
    }
    d += digits;
  }
  store<u8>(d, 0x5a);
  return d + 1;
}

// The day that many days after 0000-01-01. Years begin in March here, so that the day that leap years add is their last one.
function putDate(d: usize, days: u32): void {
  // 0000-03-01 is day 60; a cycle earlier January and February of year 0 have a place too
  const shifted = days + 146097 - 60, cycle = shifted / 146097, day = shifted % 146097;
  const yearOfCycle = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  const dayOfYear = day - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100);
  const fromMarch = (5 * dayOfYear + 2) / 153, month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = cycle * 400 + yearOfCycle - 400 + (month < 3 ? 1 : 0);
  putTwo(d, year / 100);
  putTwo(d + 2, year % 100);
  store<u8>(d, 0x2d, 4);
  putTwo(d + 5, month);
  store<u8>(d, 0x2d, 7);
  putTwo(d + 8, dayOfYear - (153 * fromMarch + 2) / 5 + 1);
}
