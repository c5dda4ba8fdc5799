// One MessagePack value to canonical JSON text (docs/msgpack.md). Iterative; nothing is allocated for sizes that are only declared.
import { E_BAD_MSGPACK, E_NONE, E_OUT_OF_MEMORY, E_TOO_DEEP, LOSS_BINARY, LOSS_TIMESTAMP } from "../../abi/codes";
import { writeExactDouble } from "../../text/double-write";
import { writeUint } from "../../text/digits";
import { isMap, LEVELS, MOST_LEVELS, u16At, u32At, u64At } from "./format";
import {
  MSGPACK_EXTENSION, MSGPACK_KEY, MSGPACK_NOT_FINITE, MSGPACK_RESERVED, MSGPACK_SHORT, MSGPACK_TIMESTAMP, MSGPACK_TRAILING, refuseMsgpack,
} from "./fault";
import { closeOutput, dropOutput, moreOutput, openOutput, outputLimit } from "../output";
import { beginText, copyText, textFaultAt, textStatus } from "../string-contents";
import { copyBase64 } from "./base64";
import { putTimestamp, TIMESTAMP } from "./timestamp";

export { textReplaced as msgpackReplaced } from "../string-contents";

const OBJECT_END: u32 = 0x7d;
const ARRAY_END: u32 = 0x5d;

/** Address behind the value that was read. */
export let msgpackEnd: usize = 0;
/** What the text of the value that was read last does not say: LOSS_BINARY, LOSS_TIMESTAMP. */
export let msgpackReadLosses: u32 = 0;

let inputEnd: usize = 0;

/**
 * Appends the JSON text of the one MessagePack value [p, end) to the run `out`. 15 bytes behind `end` are readable.
 *
 * `maxDepth`: levels of maps and arrays, at most 4,096. `replace`: ill-formed UTF-8 in str becomes U+FFFD (`msgpackReplaced` tells) and
 * is no fault. Returns E_NONE, or the first fault in the order of the bytes, with its address in `msgpackFaultAt` and the run as it was:
 * E_BAD_MSGPACK with `msgpackReason`, E_INVALID_UTF8, E_TOO_DEEP, E_OUT_OF_MEMORY. The text is at most 6 bytes long per byte read.
 */
export function readMsgpack(p: usize, end: usize, out: usize, maxDepth: u32, replace: bool): u32 {
  const status = readMsgpackPrefix(p, end, out, maxDepth, replace);
  if (status || msgpackEnd == end) return status;
  dropOutput();
  return refuseMsgpack(E_BAD_MSGPACK, MSGPACK_TRAILING, msgpackEnd);
}

/**
 * `readMsgpack` of the value that begins at `p` and ends at `msgpackEnd`; what follows it is not looked at. Bytes that end inside of
 * the value are E_BAD_MSGPACK with the reason MSGPACK_SHORT.
 */
export function readMsgpackPrefix(p: usize, end: usize, out: usize, maxDepth: u32, replace: bool): u32 {
  inputEnd = end;
  msgpackReadLosses = 0;
  beginText(replace);
  // keys and short texts grow by their quotes
  const n = <u32>(end - p), d = openOutput(out, n + (n >> 3));
  if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p);
  const status = read(p, d, min<u32>(maxDepth, MOST_LEVELS));
  if (status) dropOutput();
  return status;
}

@inline function short(): u32 { return refuseMsgpack(E_BAD_MSGPACK, MSGPACK_SHORT, inputEnd); }
@inline function bad(reason: u32, at: usize): u32 { return refuseMsgpack(E_BAD_MSGPACK, reason, at); }
function badText(): u32 { return refuseMsgpack(textStatus, 0, textFaultAt); }

let bodyLength: u32 = 0;

// Where the bytes of the str with the lead byte c at p begin, `bodyLength` of them; 0: they do not all stand there.
@inline function stringBody(p: usize, c: u32): usize {
  if (c < 0xc0) {
    bodyLength = c & 31;
    return inputEnd - p > <usize>bodyLength ? p + 1 : 0;
  }
  return sizedBody(p, c - 0xd9);
}

// The same behind a size of 1, 2 or 4 bytes (`width` 0, 1 or 2).
function sizedBody(p: usize, width: u32): usize {
  const header: usize = 1 + (<usize>1 << width);
  if (inputEnd - p < header) return 0;
  bodyLength = width == 0 ? <u32>load<u8>(p, 1) : width == 1 ? u16At(p + 1) : u32At(p + 1);
  return inputEnd - p - header >= <usize>bodyLength ? p + header : 0;
}

function read(p: usize, d: usize, maxDepth: u32): u32 {
  const end = inputEnd;
  // items (pairs of a map) that are still to come, and the bracket that ends the container; 0 around the value itself
  let left: u32 = 1, closer: u32 = 0, depth: u32 = 0;
  while (true) {
    if (p >= end) return short();
    let c = <u32>load<u8>(p);
    if (closer == OBJECT_END) {
      if ((c & 0xe0) != 0xa0 && c - 0xd9 > 2) return bad(c == 0xc1 ? MSGPACK_RESERVED : MSGPACK_KEY, p);
      const body = stringBody(p, c);
      if (!body) return short();
      p = body + bodyLength;
      store<u8>(d, 0x22);
      d = copyText(body, p, d + 1);
      if (!d) return badText();
      store<u16>(d, 0x3a22);
      d += 2;
      if (d > outputLimit) { d = moreOutput(d, 0); if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p); }
      if (p >= end) return short();
      c = load<u8>(p);
    }
    let opens: u32 = 0, items: u32 = 0;
    if (c < 0x80) {
      d = writeUint(<u64>c, d);
      p++;
    } else if ((c & 0xe0) == 0xa0 || c - 0xd9 < 3) {
      const body = stringBody(p, c);
      if (!body) return short();
      p = body + bodyLength;
      store<u8>(d, 0x22);
      d = copyText(body, p, d + 1);
      if (!d) return badText();
      store<u8>(d++, 0x22);
    } else if (c >= 0xe0) {
      store<u8>(d, 0x2d);
      d = writeUint(<u64>(256 - c), d + 1);
      p++;
    } else if (c < 0xa0 || c - 0xdc < 4) {
      if (depth >= maxDepth) return refuseMsgpack(E_TOO_DEEP, 0, p);
      opens = isMap(c) ? OBJECT_END : ARRAY_END;
      if (c < 0xa0) {
        items = c & 15;
        p++;
      } else {
        const width: u32 = c & 1 ? 4 : 2;
        if (end - p <= <usize>width) return short();
        items = width == 2 ? u16At(p + 1) : u32At(p + 1);
        p += 1 + width;
      }
      store<u8>(d++, opens - 2);
    } else {
      d = readOther(p, c, d);
      if (!d) return otherStatus;
      p = otherEnd;
    }
    if (opens) {
      if (items) {
        const level = LEVELS + (depth++ << 3);
        store<u32>(level, left);
        store<u32>(level, closer, 4);
        left = items;
        closer = opens;
        if (d > outputLimit) { d = moreOutput(d, 0); if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p); }
        continue;
      }
      store<u8>(d++, opens);
    }
    while (--left == 0) {
      if (!depth) {
        msgpackEnd = p;
        closeOutput(d);
        return E_NONE;
      }
      if (d > outputLimit) { d = moreOutput(d, 0); if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p); }
      store<u8>(d++, closer);
      const level = LEVELS + (--depth << 3);
      left = load<u32>(level);
      closer = load<u32>(level, 4);
    }
    store<u8>(d++, 0x2c);
    if (d > outputLimit) { d = moreOutput(d, 0); if (!d) return refuseMsgpack(E_OUT_OF_MEMORY, 0, p); }
  }
  return E_NONE;
}

let otherStatus: u32 = 0;
let otherEnd: usize = 0;

@inline function stop(status: u32): usize {
  otherStatus = status;
  return 0;
}

// What is no small integer, str, map or array: C0 to D8.
function readOther(p: usize, c: u32, d: usize): usize {
  if (c == 0xc0) { otherEnd = p + 1; store<u32>(d, 0x6c6c756e); return d + 4; }
  if (c == 0xc3) { otherEnd = p + 1; store<u32>(d, 0x65757274); return d + 4; }
  if (c == 0xc2) { otherEnd = p + 1; store<u64>(d, 0x65736c6166); return d + 5; }
  if (c == 0xc1) return stop(bad(MSGPACK_RESERVED, p));
  if (c - 0xcc < 8) return readInteger(p, c, d);
  if (c == 0xca || c == 0xcb) {
    const size: usize = c == 0xca ? 4 : 8;
    if (inputEnd - p <= size) return stop(short());
    const value = size == 4 ? <f64>reinterpret<f32>(u32At(p + 1)) : reinterpret<f64>(u64At(p + 1));
    if (!isFinite<f64>(value)) return stop(bad(MSGPACK_NOT_FINITE, p));
    otherEnd = p + 1 + size;
    return writeExactDouble(value, d);
  }
  if (c < 0xc7) {
    const body = sizedBody(p, c - 0xc4);
    if (!body) return stop(short());
    otherEnd = body + bodyLength;
    msgpackReadLosses |= LOSS_BINARY;
    store<u8>(d, 0x22);
    d = copyBase64(body, otherEnd, d + 1);
    if (!d) return stop(refuseMsgpack(E_OUT_OF_MEMORY, 0, body));
    store<u8>(d, 0x22);
    return d + 1;
  }
  return readExtension(p, c, d);
}

function readInteger(p: usize, c: u32, d: usize): usize {
  const size: u32 = 1 << (c & 3);
  if (inputEnd - p <= <usize>size) return stop(short());
  otherEnd = p + 1 + size;
  let value: u64 = 0;
  if (size == 1) value = <u64>load<u8>(p, 1);
  else if (size == 2) value = <u64>u16At(p + 1);
  else if (size == 4) value = <u64>u32At(p + 1);
  else value = u64At(p + 1);
  if (c >= 0xd0) {
    const unused = <u64>(64 - (size << 3)), signed = <i64>(value << unused) >> unused;
    if (signed < 0) {
      store<u8>(d++, 0x2d);
      value = 0 - <u64>signed;
    }
  }
  return writeUint(value, d);
}

// ext: only timestamps have a form in JSON. Judged as soon as the type stands there.
function readExtension(p: usize, c: u32, d: usize): usize {
  let body = p + 2, n: u32 = 0;
  if (c >= 0xd4) {
    n = 1 << (c - 0xd4);
    if (inputEnd - p < 2) return stop(short());
  } else {
    const width = c - 0xc7, header: usize = 2 + (<usize>1 << width);
    if (inputEnd - p < header) return stop(short());
    n = width == 0 ? <u32>load<u8>(p, 1) : width == 1 ? u16At(p + 1) : u32At(p + 1);
    body = p + header;
  }
  if (<u32>load<u8>(body - 1) != TIMESTAMP) return stop(bad(MSGPACK_EXTENSION, p));
  if (n != 4 && n != 8 && n != 12) return stop(bad(MSGPACK_TIMESTAMP, p));
  if (inputEnd - body < <usize>n) return stop(short());
  otherEnd = body + n;
  msgpackReadLosses |= LOSS_TIMESTAMP;
  store<u8>(d, 0x22);
  d = putTimestamp(body, n, d + 1);
  if (!d) return stop(bad(MSGPACK_TIMESTAMP, p));
  store<u8>(d, 0x22);
  return d + 1;
}
