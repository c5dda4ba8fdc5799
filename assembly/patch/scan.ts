// A patch in its ordinary spelling, validated and read in one pass. Whatever is not ordinary is left to `patchRead` and `patchJudge`.
import { RUN_LEN } from "../memory/bytes";
import { HAS_LOOSE_ESCAPE, numberEnd, scanFlags, scanStringShort, setScanFlags } from "../text/scan";
import { longNumberAt, resetValidate, skipValueAt, valueDirty } from "../text/validate";
import {
  FROM, moreOperations, NO_OBJECT, NO_OP, OP_ADD, OP_COPY, OP_MOVE, OP_REMOVE, opCode, opLength, PATH, VALUE,
} from "./operations";
import { RECORDS } from "./scratch";

const HAS_OP: u32 = 1, HAS_PATH: u32 = 2, HAS_FROM: u32 = 4, HAS_VALUE: u32 = 8;

/**
 * Reads the patch at `p` from text that nobody has judged yet and behind which the sentinel stands: a list of operations, compact, in canonical
 * spelling, each with the members that it needs and no others, each of them once, in any order. `depth`: levels around its values, which
 * the caller has compared with the limit; `numberLength`: the longest number. Returns the address behind the list; 0: something is not as described, or
 * memory is exhausted. Pointers have been judged as strings only: those that are none fail when they are walked.
 */
export function patchScan(p: usize, depth: u32, numberLength: u32, lineMode: bool): usize {
  store<u32>(RECORDS, 0, RUN_LEN);
  if (load<u16>(p) != 0x7b5b) return 0;
  setScanFlags(0);
  while (true) {
    const record = moreOperations();
    if (!record || load<u8>(++p) != 0x7b) return 0;
    p = scanOperation(p + 1, record, depth, numberLength, lineMode);
    if (!p) return 0;
    const c = <u32>load<u8>(p);
    if (c == 0x5d) break;
    if (c != 0x2c) return 0;
  }
  return scanFlags & HAS_LOOSE_ESCAPE ? 0 : p + 1;
}

// From behind the `{` to behind the `}`, or 0.
function scanOperation(p: usize, record: usize, depth: u32, numberLength: u32, lineMode: bool): usize {
  let seen: u32 = 0, op: u32 = NO_OP;
  while (true) {
    const word = load<u64>(p);
    let member: u32, start: usize;
    if ((word & 0xffffffffff) == 0x3a22706f22) {
      member = HAS_OP;
      op = opCode(p + 5);
      if (op - OP_ADD >= NO_OBJECT - OP_ADD) return 0;
      store<u32>(record, op);
      p += 5 + opLength(op);
    } else if ((word & 0xffffffffffffff) == 0x3a226874617022) {
      member = HAS_PATH;
      start = p + 8;
      if (load<u8>(p, 7) != 0x22) return 0;
      p = scanStringShort(start);
      if (!p) return 0;
      store<u32>(record, <u32>start, PATH);
      store<u32>(record, <u32>(p++ - start), PATH + 4);
    } else if (word == 0x3a2265756c617622) {
      member = HAS_VALUE;
      start = p + 8;
      p = scanValue(start, depth, numberLength, lineMode);
      if (!p) return 0;
      store<u32>(record, <u32>start, VALUE);
      store<u32>(record, <u32>(p - start), VALUE + 4);
    } else if ((word & 0xffffffffffffff) == 0x3a226d6f726622) {
      member = HAS_FROM;
      start = p + 8;
      if (load<u8>(p, 7) != 0x22) return 0;
      p = scanStringShort(start);
      if (!p) return 0;
      store<u32>(record, <u32>start, FROM);
      store<u32>(record, <u32>(p++ - start), FROM + 4);
    } else return 0;
    if (seen & member) return 0;
    seen |= member;
    const c = <u32>load<u8>(p++);
    if (c == 0x2c) continue;
    const needed = HAS_OP | HAS_PATH | (op == OP_REMOVE ? 0 : op == OP_MOVE || op == OP_COPY ? HAS_FROM : HAS_VALUE);
    return c == 0x7d && seen == needed ? p : 0;
  }
  return 0;
}

/** The address behind the value in canonical spelling at `p`, below `depth` levels and with no number longer than `numberLength`; 0: it is none. */
export function ordinaryEnd(p: usize, depth: u32, numberLength: u32, lineMode: bool): usize {
  setScanFlags(0);
  resetValidate();
  const end = scanValue(p, depth, numberLength, lineMode);
  return scanFlags & HAS_LOOSE_ESCAPE ? 0 : end;
}

function scanValue(p: usize, depth: u32, numberLength: u32, lineMode: bool): usize {
  const c = <u32>load<u8>(p);
  if (c == 0x22) {
    p = scanStringShort(p + 1);
    return p ? p + 1 : 0;
  }
  if (c - 48 < 10 || c == 0x2d) {
    const end = numberEnd(p);
    return end - p <= <usize>numberLength ? end : 0;
  }
  const flags = scanFlags;
  resetValidate();
  p = skipValueAt(p, lineMode, depth);
  if (valueDirty || longNumberAt) return 0;
  setScanFlags(flags);
  return p;
}
