// JSON text on its way into a run. Where a piece begins, the write address may lie behind `outputLimit` by what the last string has left there: each asks first.
import { copyForward } from "../../memory/copy";
import { writeUint } from "../../text/digits";
import { DOUBLE_ROOM } from "../../text/double-write";
import { closeOutput, dropOutput, moreOutput, openOutput, outputAt, outputLimit, outputOffset } from "../output";
import { beginText, copyText } from "../string-contents";
import { PROTOBUF_NO_MEMORY, fail } from "./wire";

let d: usize = 0;

/** Begins a text behind what the run holds; false = out of memory. */
export function textBegin(out: usize): bool {
  beginText(true);
  d = openOutput(out, 0);
  return d != 0 || fail(PROTOBUF_NO_MEMORY, 0);
}

/** Ends the text: a NUL and 63 more lie behind it. */
export function textEnd(): void {
  closeOutput(d);
  for (let i: usize = 0; i < 64; i += 8) store<u64>(d + i, 0);
}

/** Takes the whole text back. */
export function textCancel(): void { dropOutput(); }

/** Where the text stands, as an offset in the run. */
@inline export function textMark(): u32 { return outputOffset(d); }
/** Takes back what was written behind the mark. */
@inline export function textTakeBack(mark: u32): void { d = outputAt(mark); }

// Pieces are far shorter than 64 KiB, which no address is short of.
@inline function room(n: u32): bool { return d + <usize>n <= outputLimit || grow(n); }

function grow(n: u32): bool {
  const more = moreOutput(d, n);
  if (!more) return fail(PROTOBUF_NO_MEMORY, 0);
  d = more;
  return true;
}

export function putByte(c: u32): bool {
  if (!room(1)) return false;
  store<u8>(d++, <u8>c);
  return true;
}

/** Appends `n` bytes of text. */
@inline export function put(p: usize, n: u32): bool {
  if (!room(n)) return false;
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
  else store<u8>(outputAt(mark), <u8>open);
  store<u8>(d++, <u8>(open + 2));
  return true;
}

/** Room for what `writeDouble` writes, 0 = out of memory; `advance` follows. */
@inline export function doubleRoom(): usize { return room(DOUBLE_ROOM) ? d : 0; }
@inline export function advance(end: usize): void { d = end; }

/** Appends a decimal integer. */
export function putInteger(value: i64): bool {
  if (!room(24)) return false;
  if (value < 0) store<u8>(d++, 0x2d);
  d = writeUint(<u64>(value < 0 ? 0 - value : value), d);
  return true;
}

/** Appends the UTF-8 text [p, end) as a JSON string; ill-formed parts become U+FFFD. */
export function putString(p: usize, end: usize): bool {
  if (!room(2)) return false;
  store<u8>(d, 0x22);
  const stop = copyText(p, end, d + 1);
  if (!stop) return fail(PROTOBUF_NO_MEMORY, p);
  store<u8>(stop, 0x22);
  d = stop + 1;
  return true;
}
