// Frames as NDJSON, written window by window from the plan.
import { RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { digitCount, writeUint } from "../../text/digits";
import { escapeJson } from "../../text/escape";
import { AROUND, BLOCK_NAME, blockEnd, blockStart, cutAt, frameCount, IDS, idsArePrefix, longestHead, totalDigits } from "./plan";

const HEAD: usize = memory.data<u8>([0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22]);
const TYPE: usize = memory.data<u8>([
  0x22, 0x2c, 0x22, 0x74, 0x79, 0x70, 0x65, 0x22, 0x3a, 0x22, 0x66, 0x72, 0x61, 0x6d, 0x65, 0x22, 0x2c, 0x22, 0x62, 0x6c, 0x6f, 0x63, 0x6b, 0x5f, 0x69, 0x64, 0x22,
  0x3a, 0x22,
]);
const SEQ: usize = memory.data<u8>([0x22, 0x2c, 0x22, 0x73, 0x65, 0x71, 0x22, 0x3a]);
const TOTAL: usize = memory.data<u8>([0x2c, 0x22, 0x74, 0x6f, 0x74, 0x61, 0x6c, 0x22, 0x3a]);
const DATA: usize = memory.data<u8>([0x2c, 0x22, 0x64, 0x61, 0x74, 0x61, 0x22, 0x3a, 0x22]);

/** Least room that is worth going on with. */
const LEAST: usize = 128;

let budget: u64 = 0;
let at: usize = 0;
let frameEnd: usize = 0;
let number: u64 = 0;
let idAt: usize = 0;
let isInside: bool = false;

/** Begins to write what was planned with the budget. */
export function writeBegin(maxBytes: f64): void {
  budget = maxBytes < 8589934592 ? <u64>maxBytes : 8589934592;
  at = blockStart;
  number = 0;
  idAt = 0;
  isInside = false;
}

/** Bytes that a window must have at least. */
export function windowNeeds(): u32 { return longestHead + <u32>LEAST; }

function put(d: usize, p: usize, n: u32): usize {
  memory.copy(d, p, n);
  return d + n;
}

/** Writes on, from `d` up to `last`; behind that 16 bytes of slack. Returns the end: `d` itself when all is written. */
export function writeFrames(d: usize, last: usize): usize {
  while (true) {
    if (!isInside) {
      if (at == blockEnd || last - d < <usize>windowNeeds()) return d;
      d = putHead(d);
      isInside = true;
    }
    while (at < frameEnd) {
      if (last - d < LEAST) return d;
      const n = min<usize>(frameEnd - at, (last - d) >> 1);
      d = escapeJson(at, at + n, d);
      at += n;
    }
    if (last - d < LEAST) return d;
    // `"}` and a line end
    store<u16>(d, 0x7d22);
    store<u8>(d, 0x0a, 2);
    d += 3;
    number++;
    isInside = false;
  }
  return d;
}

function putHead(d: usize): usize {
  const ids = <usize>load<u32>(IDS, RUN_PTR);
  let id: u32;
  d = put(d, HEAD, 7);
  if (idsArePrefix) {
    id = load<u32>(IDS, RUN_LEN);
    d = writeUint(number, put(d, ids, id));
    id += digitCount(number);
  } else {
    id = load<u32>(ids + idAt);
    d = put(d, ids + idAt + 4, id);
    idAt += 4 + id;
  }
  const name = load<u32>(BLOCK_NAME, RUN_LEN);
  d = put(put(d, TYPE, 29), load<u32>(BLOCK_NAME, RUN_PTR), name);
  d = writeUint(number, put(d, SEQ, 8));
  d = writeUint(<u64>frameCount, put(d, TOTAL, 9));
  d = put(d, DATA, 9);
  frameEnd = cutAt(at, budget - AROUND - id - name - digitCount(number) - totalDigits);
  return d;
}
