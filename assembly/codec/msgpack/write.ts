// JSON text to MessagePack in its shortest form (docs/msgpack.md). Short texts take one pass, which writes the heads of its containers when these end;
// others one pass that counts members and one that writes.
import { E_BAD_MSGPACK, E_NONE, E_OUT_OF_MEMORY, LOSS_NUMBER, LOSS_SURROGATE } from "../../abi/codes";
import { copyForward } from "../../memory/copy";
import { eitherRun, BLOCK, copyBlock } from "../../text/block";
import { losesExactDigits } from "../../text/decimal-loss";
import { decimalCut, decimalDigits, decimalDouble, decimalNegative, decimalPower, scanDecimal } from "../../text/double-read";
import { unescape } from "../../text/escape";
import { replaceHalves } from "../../text/replace-utf8";
import { integerMagnitude, integerNegative, readInteger } from "../../text/integer-read";
import { skipScalar } from "../../text/trusted";
import { countMembers, nextCount, releaseCounts } from "./count";
import { MSGPACK_RANGE, refuseMsgpack } from "./fault";
import { LEVELS } from "./format";
import { closeOutput, dropOutput, moreOutput, openOutput, outputAt, outputLimit, outputOffset } from "../output";
import { putHeader, putNegative, putStringHeader, putUint, stringHeader } from "./put";

export { trimMsgpack } from "./count";

/** What the bytes that were written last do not say, judged by what the reader makes of them: LOSS_NUMBER, LOSS_SURROGATE. */
export let msgpackWriteLosses: u32 = 0;

/**
 * Appends the validated JSON text [p, end) to the run `out` as MessagePack. A NUL and 64 readable bytes follow it.
 *
 * Returns E_NONE, or a fault with its address in `msgpackFaultAt` and the run as it was: E_BAD_MSGPACK with MSGPACK_RANGE for a number
 * beyond the range of a double, E_TOO_DEEP beyond 4,096 levels, E_OUT_OF_MEMORY. At most 9 bytes are written for 4 read.
 */
export function writeMsgpack(p: usize, end: usize, out: usize): u32 {
  msgpackWriteLosses = 0;
  if (<u32>(end - p) <= SHORT) {
    const d = openOutput(out, <u32>(end - p));
    if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p);
    const status = write(p, end, d, false);
    if (status != MORE_MEMBERS) {
      if (status) dropOutput();
      return status;
    }
    dropOutput();
    msgpackWriteLosses = 0;
  }
  return writeCounted(p, end, out);
}

/** Texts of at most so many bytes are written in one pass; of a token of 120 bytes that takes about half of the time. */
const SHORT: u32 = 1024;
/** No status: a container has more members, or more are open, than one pass takes. */
const MORE_MEMBERS: u32 = 0xffff;
const MOST_OPEN: u32 = 64;

function writeCounted(p: usize, end: usize, out: usize): u32 {
  let status = countMembers(p, end);
  if (status) return status;
  const d = openOutput(out, <u32>(end - p));
  status = d ? write(p, end, d, true) : refuseMsgpack(E_OUT_OF_MEMORY, 0, p);
  if (status) dropOutput();
  releaseCounts();
  return status;
}

// `counted`: the members of all containers are known. Else the head of each, one byte, waits for its end: LEVELS holds where it stands, as an offset in the
// run's memory, which may move, and the commas so far.
@inline function write(p: usize, end: usize, d: usize, counted: bool): u32 {
  let open: u32 = 0;
  while (p < end) {
    let c = <u32>load<u8>(p);
    if (c == 0x2c) {
      if (!counted) {
        const level = LEVELS + ((open - 1) << 3), commas = load<u32>(level, 4) + 1;
        if (commas > 14) return MORE_MEMBERS;
        store<u32>(level, commas, 4);
      }
      c = load<u8>(++p);
    }
    if (c <= 0x20 || c == 0x3a || (c | 0x20) == 0x7d) {
      p++;
      if (counted || c <= 0x20 || c == 0x3a) continue;
      // the byte before the bracket tells an empty container
      const level = LEVELS + ((open - 1) << 3), head = outputAt(load<u32>(level)), n = d == head + 1 ? 0 : load<u32>(level, 4) + 1;
      store<u8>(head, (c == 0x7d ? 0x80 : 0x90) | n);
      open--;
      continue;
    }
    if (d > outputLimit) { d = moreOutput(d, 0); if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p); }
    if (c == 0x22) {
      // nearly every key and token ends in its first block
      const run = eitherRun(++p, 0x22, 0x5c);
      if (run < BLOCK && load<u8>(p + run) == 0x22) {
        store<u8>(d, 0xa0 | <u32>run);
        copyBlock(d + 1, p);
        d += 1 + run;
        p += run + 1;
        // behind a key
        if (load<u8>(p) == 0x3a) p++;
        continue;
      }
      d = putString(p, d);
      if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p);
      p = stringStop + 1;
    } else if ((c | 0x20) == 0x7b) {
      if (counted) d = c == 0x7b ? putHeader(d, nextCount(), 0x80, 0xde) : putHeader(d, nextCount(), 0x90, 0xdc);
      else {
        if (open == MOST_OPEN) return MORE_MEMBERS;
        const level = LEVELS + (open++ << 3);
        store<u64>(level, <u64>outputOffset(d++));
      }
      p++;
    } else if (c - 48 < 10 || c == 0x2d) {
      let short = c - 48, digit = <u32>load<u8>(p, 1) - 48, at = p + 1;
      if (digit < 10 && c != 0x2d) {
        // up to nine digits, then something that is no part of a number
        do { short = short * 10 + digit; digit = <u32>load<u8>(++at) - 48; } while (digit < 10 && at - p < 9);
      }
      if (short < 1000000000 && digit > 9 && digit != 0xfffffffe && (digit | 32) != 0x35) {
        d = putUint(d, short);
        p = at;
        continue;
      }
      const stop = skipScalar(p);
      d = putNumber(p, stop, d);
      if (!d) return refuseMsgpack(E_BAD_MSGPACK, MSGPACK_RANGE, p);
      p = stop;
    } else {
      store<u8>(d++, c == 0x6e ? 0xc0 : c == 0x74 ? 0xc3 : 0xc2);
      p += c == 0x66 ? 5 : 4;
    }
  }
  closeOutput(d);
  return E_NONE;
}

let stringStop: usize = 0;

// A str of the JSON string contents at p, which end at `stringStop`; 0 = out of memory.
function putString(p: usize, d: usize): usize {
  let end = p, escaped = false;
  while (true) {
    const run = eitherRun(end, 0x22, 0x5c);
    end += run;
    if (run == BLOCK) continue;
    if (load<u8>(end) == 0x22) break;
    escaped = true;
    end += 2;
  }
  stringStop = end;
  const length = <u32>(end - p);
  if (d > outputLimit || outputLimit - d < <usize>length) { d = moreOutput(d, length); if (!d) return 0; }
  if (!escaped) {
    d = putStringHeader(d, length);
    copyForward(d, p, length);
    return d + length;
  }
  // unescaped it is shorter, perhaps with a shorter header
  const body = d + stringHeader(length), n = <u32>(unescape(p, end, body) - body);
  if (replaceHalves(body, body + n)) msgpackWriteLosses |= LOSS_SURROGATE;
  const start = putStringHeader(d, n);
  if (start != body) memory.copy(start, body, n);
  return start + n;
}

// The number text [p, end): integers of 64 bits by their value, others as the nearest double: as an integer where that is one, in 4 bytes
// where these hold it. 0 = out of range.
function putNumber(p: usize, end: usize, d: usize): usize {
  scanDecimal(p, end);
  if (decimalPower == 0 && !decimalCut && !decimalNegative) return putUint(d, decimalDigits);
  // a fraction of up to 19 digits whose last one is not 0 is no integer
  if ((decimalPower >= 0 || decimalCut || decimalDigits % 10 == 0) && readInteger(p, end)) {
    if (!integerNegative) return putUint(d, integerMagnitude);
    if (integerMagnitude) return putNegative(d, integerMagnitude);
  }
  const value = decimalDouble();
  if (!isFinite<f64>(value)) return 0;
  if (losesExactDigits(value)) msgpackWriteLosses |= LOSS_NUMBER;
  // -2^63 to 2^64; what is read of a double of that size are its digits, which are to be written as the same bytes again
  if (Math.trunc(value) == value && value >= -9.223372036854775808e18 && value < 1.8446744073709552e19 && reinterpret<u64>(value) != 0x8000000000000000) {
    return value < 0 ? putNegative(d, <u64>-value) : putUint(d, <u64>value);
  }
  if (<f64><f32>value == value) {
    store<u8>(d, 0xca);
    store<u32>(d, bswap<u32>(reinterpret<u32>(<f32>value)), 1);
    return d + 5;
  }
  store<u8>(d, 0xcb);
  store<u64>(d, bswap<u64>(reinterpret<u64>(value)), 1);
  return d + 9;
}
