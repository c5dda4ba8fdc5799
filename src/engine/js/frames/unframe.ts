import { R_FRAME_OTHER_BLOCK } from "../../../../assembly/abi/codes.js";
import type { Bytes } from "../../../bytes.js";
import type { Fault } from "../../../errors.js";
import { missingText } from "../../../json/ranges.js";
import { conflict, Group, restore } from "./group.js";
import { judgeFrame } from "./judge.js";
import { FRAME_DEPTH, readText } from "./text.js";

const LF = 0x0a;

/** See `EngineCore.unframe`. */
export function unframe(frames: Uint8Array): Bytes | Fault {
  let group: Group | undefined;
  let index = 0;
  for (let at = 0; at < frames.length; ) {
    const found = frames.indexOf(LF, at);
    const end = found < 0 ? frames.length : found;
    const start = firstOf(frames, at, end);
    at = end + 1;
    if (start === end) continue;
    const place = { eventIndex: index++, byteOffset: start };
    const read = readText(frames.subarray(start, end), FRAME_DEPTH, true);
    if ("code" in read) return { ...read, ...place, byteOffset: start + read.byteOffset! };
    const frame = judgeFrame(read.value);
    if ("code" in frame) return { ...frame, ...place };
    group ??= new Group(frame);
    const fault = frame.blockId === group.blockId ? group.add(frame) : conflict("block_id", R_FRAME_OTHER_BLOCK);
    if (fault !== undefined) return { ...fault, ...place };
  }
  if (group === undefined) return { code: "missing_frames", detail: missingText(0, new Float64Array(0)) };
  if (group.isFull) return restore(group);
  return { code: "missing_frames", detail: missingText(group.total, group.numbers()), subject: group.blockId };
}

/** The first byte of a line that is no white space; its end for a blank one. */
function firstOf(bytes: Uint8Array, at: number, end: number): number {
  while (at < end) {
    const byte = bytes[at]!;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return at;
    at++;
  }
  return end;
}
