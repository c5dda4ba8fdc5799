// JSON text on its way into a run.
import { bytesClear, bytesFree, bytesReserve, RUN_CAP, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { BLOCK, copyBlock, stringRun } from "../../text/block";
import { DOUBLE_ROOM } from "../../text/double-write";
import { escapeTo } from "../../text/escape";
import { replaceInvalid } from "../../text/replace-utf8";
import { utf8Sequence } from "../../text/utf8";
import { PROTOBUF_NO_MEMORY, fail } from "./wire";

/** A string is written in steps of so many bytes, so that room for the worst case is taken for one step only. */
const STEP: u32 = 4096;
/** A string whose ill-formed UTF-8 was replaced. */
const well: usize = memory.data(16, 16);

let run: usize = 0;
let d: usize = 0;
let limit: usize = 0;
let begun: u32 = 0;
/** Ill-formed UTF-8 was replaced by U+FFFD since `textBegin`. */
export let textReplaced: bool = false;

/** Begins a text behind what the run holds. */
export function textBegin(out: usize): void {
  run = out;
  begun = load<u32>(run, RUN_LEN);
  d = <usize>load<u32>(run, RUN_PTR) + load<u32>(run, RUN_LEN);
  limit = <usize>load<u32>(run, RUN_PTR) + load<u32>(run, RUN_CAP);
  textReplaced = false;
}

/** Ends the text: a NUL and 63 more lie behind it. */
export function textEnd(): void {
  store<u32>(run, textMark(), RUN_LEN);
  for (let i: usize = 0; i < 64; i += 8) store<u64>(d + i, 0);
}

/** Takes the whole text back. */
export function textCancel(): void { store<u32>(run, begun, RUN_LEN); }

/** Where the text stands, as an offset in the run. */
@inline export function textMark(): u32 { return <u32>(d - load<u32>(run, RUN_PTR)); }
/** Takes back what was written behind the mark. */
@inline export function textTakeBack(mark: u32): void { d = <usize>load<u32>(run, RUN_PTR) + mark; }

/** Gives the memory of the repair buffer back. */
export function textFree(): void { bytesFree(well); }

// n > 0
@inline function room(n: u32): bool { return limit - d >= <usize>n || grow(n); }

function grow(n: u32): bool {
  store<u32>(run, textMark(), RUN_LEN);
  if (!bytesReserve(run, n)) return fail(PROTOBUF_NO_MEMORY, 0);
  d = <usize>load<u32>(run, RUN_PTR) + load<u32>(run, RUN_LEN);
  limit = <usize>load<u32>(run, RUN_PTR) + load<u32>(run, RUN_CAP);
  return true;
}

export function putByte(c: u32): bool {
  if (!room(1)) return false;
  store<u8>(d++, <u8>c);
  return true;
}

/** Appends `n` bytes of text. */
@inline export function put(p: usize, n: u32): bool {
  if (limit - d < <usize>n && !grow(n)) return false;
  copyForward(d, p, n);
  d += n;
  return true;
}

/** Opens a container: nothing yet, its members and elements begin with commas. */
@inline export function openList(): u32 { return textMark(); }

/** Closes the container that was opened at `mark`: its first comma becomes the bracket. */
export function closeList(mark: u32, open: u32): bool {
  if (!room(2)) return false;
  if (textMark() == mark) store<u8>(d++, <u8>open);
  else store<u8>(<usize>load<u32>(run, RUN_PTR) + mark, <u8>open);
  store<u8>(d++, <u8>(open + 2));
  return true;
}

/** Room for what `writeDouble` writes, 0 = out of memory; `advance` follows. */
@inline export function doubleRoom(): usize { return room(DOUBLE_ROOM) ? d : 0; }
@inline export function advance(end: usize): void { d = end; }

const digits: usize = memory.data(32, 16);

/** Appends a decimal integer. */
export function putInteger(value: i64): bool {
  if (!room(24)) return false;
  let rest = <u64>value, p = digits + 24, n: u32 = 0;
  if (value < 0) { store<u8>(d++, 0x2d); rest = <u64>-value; }
  do {
    store<u8>(--p, <u8>(48 + rest % 10));
    n++;
    rest /= 10;
  } while (rest);
  copyForward(d, p, n);
  d += n;
  return true;
}

/** Appends the UTF-8 text [p, end) as a JSON string; ill-formed parts become U+FFFD. */
export function putString(p: usize, end: usize): bool {
  const mark = textMark(), start = p;
  if (!room(2)) return false;
  store<u8>(d++, 0x22);
  while (p < end) {
    const stop = end - p > <usize>STEP ? p + STEP : end;
    if (!room(<u32>(stop - p) * 6 + 32)) return false;
    p = putPart(p, stop, end);
    if (!p) return putRepaired(mark, start, end);
  }
  return putByte(0x22);
}

function putRepaired(mark: u32, p: usize, end: usize): bool {
  textTakeBack(mark);
  textReplaced = true;
  bytesClear(well);
  if (!bytesReserve(well, <u32>(end - p) * 3)) return fail(PROTOBUF_NO_MEMORY, p);
  const start = <usize>load<u32>(well, RUN_PTR);
  return putString(start, replaceInvalid(p, end, start));
}

// Writes from p up to `stop` at least; the place reached, 0 = the text is ill-formed.
function putPart(p: usize, stop: usize, end: usize): usize {
  while (p < stop) {
    const n = stringRun(p), left = end - p;
    copyBlock(d, p);
    if (n >= left) { d += left; return end; }
    p += n; d += n;
    if (n == BLOCK) continue;
    const c = <u32>load<u8>(p);
    if (c < 0x80) { d = escapeTo(p, p + 1, d); p++; continue; }
    do {
      const q = utf8Sequence(p);
      if (!q || q > end) return 0;
      store<u32>(d, load<u32>(p));
      d += q - p;
      p = q;
    } while (p < stop && load<u8>(p) >= 0x80);
  }
  return p;
}
