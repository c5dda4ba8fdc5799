// What inline blocks and frames must be (AgentUE §3.3), judged on the members read last.
import * as code from "../../abi/codes";
import { hexFour } from "../../text/hex";
import { integerValue } from "../../text/number";
import { equalBytes } from "../../memory/copy";
import { refuse } from "./fault";
import {
  isFullText, isObject, isText, isTextNullOrAbsent, M_BLOCK_ID, M_DATA, M_GROUP_ID, M_ID, M_NONE, M_PARENT_ID, M_REF, M_SEQ, M_TOTAL, M_TYPE, memberEnd, memberIsLoose,
  memberStart, readText, textLength, textStart,
} from "./members";

/** Deepest nesting of a frame's text, and of a block's. */
export const FRAME_DEPTH: u32 = 512;
export const BLOCK_DEPTH: u32 = 4096;

/** "frame", with slack behind it. */
export const FRAME: usize = memory.data<u8>([0x66, 0x72, 0x61, 0x6d, 0x65, 0, 0, 0]);

function needText(m: u32): bool {
  if (!memberStart(m)) return refuse(code.E_BAD_BLOCK, code.R_MISSING, m);
  return isFullText(m) || refuse(code.E_BAD_BLOCK, code.R_NON_EMPTY_STRING, m);
}

/** A complete inline block: FIELDS of AgentUE §3.3, no `ref`. */
export function judgeInline(): bool {
  if (!isObject) return refuse(code.E_BAD_BLOCK, code.R_OBJECT, M_NONE);
  if (!needText(M_ID)) return false;
  if (memberStart(M_REF)) return refuse(code.E_BAD_BLOCK, code.R_FRAMED_REFERENCE, M_REF);
  if (!needText(M_TYPE)) return false;
  if (!isTextNullOrAbsent(M_PARENT_ID)) return refuse(code.E_BAD_BLOCK, code.R_STRING_OR_NULL, M_PARENT_ID);
  return isTextNullOrAbsent(M_GROUP_ID) || refuse(code.E_BAD_BLOCK, code.R_STRING_OR_NULL, M_GROUP_ID);
}

/** Whether the string `type` says "frame". A text too long for that is not looked at. */
export function typeIsFrame(): bool {
  // five characters, each as six at most
  if (memberEnd(M_TYPE) - memberStart(M_TYPE) > 32 || !readText(M_TYPE)) return false;
  return textLength == 5 && equalBytes(textStart, FRAME, 5);
}

/** A block that may be framed, or was restored: inline, and no frame itself. */
export function judgeFramed(): bool {
  return judgeInline() && (!typeIsFrame() || refuse(code.E_BAD_BLOCK, code.R_NESTED_FRAME, M_TYPE));
}

/** `seq` and `total` of the frame that `judgeFrame` accepted. */
export let frameSeq: f64 = 0;
export let frameTotal: f64 = 0;

/** A frame, judged by itself. */
export function judgeFrame(): bool {
  if (!judgeInline()) return false;
  if (!typeIsFrame()) return refuse(code.E_BAD_BLOCK, code.R_FRAME_TYPE, M_TYPE);
  if (!needText(M_BLOCK_ID)) return false;
  if (!memberStart(M_SEQ)) return refuse(code.E_BAD_BLOCK, code.R_MISSING, M_SEQ);
  frameSeq = integerAt(M_SEQ);
  if (frameSeq < 0) return refuse(code.E_BAD_BLOCK, code.R_INTEGER, M_SEQ);
  if (!memberStart(M_TOTAL)) return refuse(code.E_BAD_BLOCK, code.R_MISSING, M_TOTAL);
  frameTotal = integerAt(M_TOTAL);
  if (frameTotal < 1) return refuse(code.E_BAD_BLOCK, code.R_FRAME_TOTAL, M_TOTAL);
  if (!memberStart(M_DATA)) return refuse(code.E_BAD_BLOCK, code.R_MISSING, M_DATA);
  if (!isText(M_DATA)) return refuse(code.E_BAD_BLOCK, code.R_STRING, M_DATA);
  if (memberIsLoose(M_DATA) && hasLoneHalf(memberStart(M_DATA) + 1, memberEnd(M_DATA) - 1)) return refuse(code.E_BAD_BLOCK, code.R_FRAME_HALF, M_DATA);
  return frameSeq < frameTotal || refuse(code.E_FRAME_CONFLICT, code.R_FRAME_RANGE, M_SEQ);
}

// The number as an integer, -1 when it is none.
function integerAt(m: u32): f64 {
  const start = memberStart(m), c = <u32>load<u8>(start);
  return c - 48 < 10 || c == 0x2d ? integerValue(start, <u32>(memberEnd(m) - start)) : -1;
}

// Whether validated contents hold half of a surrogate pair: no text could be made of it.
function hasLoneHalf(p: usize, end: usize): bool {
  while (p < end) {
    if (load<u8>(p) != 0x5c) { p++; continue; }
    if (load<u8>(p, 1) != 0x75) { p += 2; continue; }
    const unit = hexFour(p + 2) & 0xfc00;
    p += 6;
    if (unit == 0xdc00) return true;
    if (unit != 0xd800) continue;
    if (end - p < 6 || load<u16>(p) != 0x755c || (hexFour(p + 2) & 0xfc00) != 0xdc00) return true;
    p += 6;
  }
  return false;
}
