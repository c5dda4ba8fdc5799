// Patches of one value over MessagePack and protobuf, in their ordinary spelling and order of members: an AgentUE `set` of one field, and a STATE_DELTA of one
// `replace`. Of such an event only the value becomes text; ids, mask and pointer are taken where they lie. Whatever is not entirely ordinary goes the full road;
// nothing has been touched then. Against text of the whole event, read again, a patch takes half to three quarters of the time.
import { TRANSPORT_MSGPACK } from "../../abi/codes";
import { OPT_DEPTH } from "../../abi/layout";
import { bytesClear, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { equalText } from "../../memory/copy";
import { msgpackEnd, readMsgpackPrefix } from "../../codec/msgpack/read";
import { protobufReplaced, readProtobufValue } from "../../codec/protobuf/read";
import { ARM_DELTA, NUMBER_DELTA, OPERATION_REPLACE } from "../../codec/protobuf/tokens";
import { F_LIMIT, putSentinel } from "../../frame/state";
import { quickReplaceTake } from "../../patch/index";
import { maxNumber } from "../../reduce/agentue/limits";
import { maskPath, maskRoot, maskSegments, ROOT_META } from "../../reduce/agentue/mask";
import { releaseText, SCRATCH_MESSAGE as TEXT } from "../../reduce/scratch";
import { C_FRAME, option } from "../layout";
import { runOf } from "../roads";
import { foldTakenSet, nameEnd, takeMask } from "./agentue-set";
import { foldTakenReplace, isDeltaReady, VALUE_LEVELS } from "./agui-delta";
import { lengthAt, lengthEnd } from "./frame-scan";
import { mapBegin, mapSize, strAt, strLength, uintEnd, uintValue } from "./msgpack-scan";
import { isPlain } from "./wire-text";

/** Folds the patch at `p`, where a message begins, of a connection whose options let patches be folded and that writes nothing; the address behind it, or 0. */
export function foldBinaryPatch(c: usize, p: usize, end: usize, transport: u32): usize {
  return transport != TRANSPORT_MSGPACK ? foldFrame(c, p, end) : runOf(c) ? foldDeltaMap(c, p, end) : foldSetMap(c, p, end);
}

// The text of the value that was read.
let text: usize = 0;
let textEnd: usize = 0;

@inline function valueTaken(): void {
  text = <usize>load<u32>(TEXT, RUN_PTR);
  textEnd = text + load<u32>(TEXT, RUN_LEN);
  putSentinel(textEnd);
}

// Reads the MessagePack value at `p` as text; the address behind it, or 0.
function readPacked(c: usize, p: usize, end: usize): usize {
  if (p >= end) return 0;
  bytesClear(TEXT);
  if (readMsgpackPrefix(p, end, TEXT, option(c, OPT_DEPTH), false)) return 0;
  valueTaken();
  return msgpackEnd;
}

@inline function fits(c: usize, p: usize, q: usize): bool { return <u32>(q - p) <= load<u32>(c + C_FRAME, F_LIMIT); }

// ---------------------------------------------------------------- STATE_DELTA

// Applies the `replace` of the text at the pointer.
function replace(c: usize, path: usize, n: u32): bool {
  const done = quickReplaceTake(path, n, text, textEnd, VALUE_LEVELS, maxNumber) && foldTakenReplace(c);
  releaseText();
  return done;
}

function foldDeltaMap(c: usize, p: usize, end: usize): usize {
  const start = p;
  p = mapBegin(p);
  // "type", "STATE_DELTA", "delta", a list of one
  if (!p || mapSize != 2 || load<u64>(p) != 0x5453ab65707974a4 || load<u64>(p, 8) != 0x544c45445f455441 || load<u64>(p, 16) != 0x9161746c6564a541) return 0;
  p = mapBegin(p + 24);
  // "op", "replace", "path"
  if (!p || mapSize != 3 || load<u64>(p) != 0x6c706572a7706fa2 || load<u64>(p, 8) != 0x68746170a4656361) return 0;
  const path = strAt(p + 16, end), n = strLength;
  if (!path) return 0;
  p = path + n;
  // "value"
  if (load<u32>(p) != 0x6c6176a5 || load<u16>(p, 4) != 0x6575 || !isDeltaReady(c)) return 0;
  p = readPacked(c, p + 6, end);
  return p && fits(c, start, p) && replace(c, path, n) ? p : 0;
}

function foldFrame(c: usize, p: usize, end: usize): usize {
  if (end - p < 16) return 0;
  const size = bswap<u32>(load<u32>(p)), stop = p + 4 + <usize>size;
  if (size > <u32>(end - p) - 4 || size > load<u32>(c + C_FRAME, F_LIMIT) || load<u8>(p, 4) != ARM_DELTA) return 0;
  if (lengthAt(p + 5) != <u32>(stop - lengthEnd)) return 0;
  p = lengthEnd;
  // the type alone, and one operation up to the end
  if (load<u32>(p) != (0x0008020a | NUMBER_DELTA << 24) || load<u8>(p, 4) != 0x12) return 0;
  if (lengthAt(p + 5) != <u32>(stop - lengthEnd)) return 0;
  p = lengthEnd;
  if (load<u16>(p) != (0x08 | OPERATION_REPLACE << 8) || load<u8>(p, 2) != 0x12) return 0;
  const n = lengthAt(p + 3), path = lengthEnd;
  if (path > stop || <usize>n > stop - path) return 0;
  p = path + n;
  if (p >= stop || load<u8>(p) != 0x22 || lengthAt(p + 1) != <u32>(stop - lengthEnd) || !isDeltaReady(c)) return 0;
  bytesClear(TEXT);
  if (readProtobufValue(lengthEnd, stop, TEXT, VALUE_LEVELS, option(c, OPT_DEPTH)) || protobufReplaced) return 0;
  valueTaken();
  return replace(c, path, n) ? stop : 0;
}

// ---------------------------------------------------------------- set

const HAS_OP: u32 = 1, HAS_SEQ: u32 = 2, HAS_MASK: u32 = 4, HAS_SLOT: u32 = 8, HAS_STREAM: u32 = 16, HAS_TIME: u32 = 32, HAS_TYPE: u32 = 64;
const NEEDED: u32 = HAS_OP | HAS_SEQ | HAS_MASK | HAS_SLOT;

let block: usize = 0;
let blockLength: u32 = 0;

// The mask stands before the slot that it selects from.
function foldSetMap(c: usize, p: usize, end: usize): usize {
  const start = p;
  p = mapBegin(p);
  // "op", "set"
  if (!p || mapSize < 4 || load<u64>(p) << 8 != 0x746573a3706fa200) return 0;
  p += 7;
  let seen = HAS_OP, seq: f64 = 0, stream: usize = 0, streamLength: u32 = 0;
  for (let left = mapSize - 1; left; left--) {
    const key = strAt(p, end), n = strLength;
    if (!key) return 0;
    const word = load<u64>(key), at = key + n;
    let member: u32;
    if (n == 3 && (word & 0xffffff) == 0x716573) {
      member = HAS_SEQ;
      p = uintEnd(at);
      seq = uintValue;
    } else if (n == 2 && <u32>(word & 0xffff) == 0x7374) {
      member = HAS_TIME;
      p = uintEnd(at);
    } else if ((n == 5 && (word & 0xffffffffff) == 0x6b636f6c62) || (n == 4 && <u32>word == 0x6174656d)) {
      member = HAS_SLOT;
      if (!(seen & HAS_MASK) || (n == 4) != (maskRoot == ROOT_META)) return 0;
      p = n == 4 ? readNest(c, at, end, 0) : readBlock(c, at, end);
    } else {
      const value = strAt(at, end), length = strLength;
      if (!value || !isPlain(value, length)) return 0;
      p = value + length;
      if (n == 4 && <u32>word == 0x6b73616d) {
        member = HAS_MASK;
        if (!takeMask(value, p)) return 0;
      } else if (n == 9 && word == 0x695f6d6165727473 && load<u8>(key, 8) == 0x64) {
        member = HAS_STREAM;
        stream = value;
        streamLength = length;
      } else if (n == 10 && word == 0x79745f746e657665 && load<u16>(key, 8) == 0x6570) member = HAS_TYPE;
      else return 0;
    }
    if (!p || seen & member) return 0;
    seen |= member;
  }
  if ((seen & NEEDED) != NEEDED || p > end || !fits(c, start, p)) return 0;
  const done = foldTakenSet(c, seq, stream, streamLength, block, blockLength, text, textEnd);
  releaseText();
  return done ? p : 0;
}

// The block at `p`: its id, and what the mask selects; behind it, or 0.
function readBlock(c: usize, p: usize, end: usize): usize {
  p = mapBegin(p);
  if (!p || mapSize != 2 || (load<u32>(p) & 0xffffff) != 0x6469a2) return 0;
  block = strAt(p + 3, end);
  blockLength = strLength;
  return block && blockLength && isPlain(block, blockLength) ? readNest(c, block + blockLength, end, 1) : 0;
}

// From where the names of the mask begin, one in each map, to behind the value; or 0. `opened`: the map of the first one has begun.
function readNest(c: usize, p: usize, end: usize, opened: u32): usize {
  let segment = maskPath;
  for (let i: u32 = 0; i < maskSegments; i++) {
    if (i >= opened) {
      p = mapBegin(p);
      if (!p || mapSize != 1) return 0;
    }
    const stop = nameEnd(i), key = strAt(p, end);
    if (!key || strLength != <u32>(stop - segment) || !equalText(key, segment, strLength)) return 0;
    p = key + strLength;
    segment = stop + 1;
  }
  return readPacked(c, p, end);
}
