// Tokens that the fast road has folded, on their way to another wire. What the road takes has no losses: its numbers are short, its strings plain or well-formed.
import { TRANSPORT_MSGPACK, TRANSPORT_SSE } from "../../abi/codes";
import { OPT_DEPTH, OPT_TRANSPORT } from "../../abi/layout";
import { bytesClear, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { readMsgpack } from "../../codec/msgpack/read";
import { readProtobuf } from "../../codec/protobuf/read";
import { HAS_LOOSE_ESCAPE } from "../../text/scan";
import { SCRATCH_MESSAGE as TEXT, SCRATCH_WIRE as WIRE } from "../../reduce/scratch";
import { noMemory } from "../failure";
import { C_OPTIONS, option } from "../layout";
import { isOutputFull } from "../output";
import { closeText, isTextWire, openText, putBinary, putText, reserveWire, wireOf } from "./emit";
import { holdsHalves } from "./halves";

/** Whether a token of at most `n` bytes may be folded now: there is room for what it comes to, and the host need not take anything before. */
@inline export function mayRelay(n: u32): bool { return !isOutputFull() && reserveWire(n); }

/** Whether a delta of a text wire, in which a scan has `seen` these flags, must go the full road: halves of characters are held there. */
@inline export function needsHalves(c: usize, wire: u32, seen: u32): bool { return !isTextWire(wire) && ((seen & HAS_LOOSE_ESCAPE) != 0 || holdsHalves(c)); }

/**
 * Writes the folded event [p, end) of a text wire, from `data:` or its brace to behind its line end, in whose delta a scan has `seen` these flags; false = out of
 * memory, and the connection has failed.
 */
export function relayText(c: usize, p: usize, end: usize, seen: u32): bool {
  if (load<u8>(c + C_OPTIONS, OPT_TRANSPORT) == TRANSPORT_SSE) p += load<u8>(p, 5) == 0x20 ? 6 : 5;
  while (load<u8>(end - 1) != 0x7d) end--;
  const wire = wireOf(c);
  if (isTextWire(wire) ? putText(p, end, wire == TRANSPORT_SSE, (seen & HAS_LOOSE_ESCAPE) != 0) : putBinary(c, p, end, wire, 0)) return true;
  noMemory(c);
  return false;
}

/** Whether a token was written; if not, memory ran out, and the connection has failed. */
export function relayed(c: usize, done: bool): bool {
  if (!done) noMemory(c);
  return done;
}

/** Writes the folded message [p, end) of a binary wire, a frame with its length; false = out of memory, and the connection has failed. */
export function relayMessage(c: usize, p: usize, end: usize): bool {
  const wire = wireOf(c);
  if (isTextWire(wire) ? readInto(c, p, end, wire == TRANSPORT_SSE) : readThrough(c, p, end, wire)) return true;
  noMemory(c);
  return false;
}

@inline function read(c: usize, p: usize, end: usize, run: usize): u32 {
  const depth = option(c, OPT_DEPTH);
  return load<u8>(c + C_OPTIONS, OPT_TRANSPORT) == TRANSPORT_MSGPACK ? readMsgpack(p, end, run, depth, false) : readProtobuf(p + 4, end, run, depth);
}

// The text is what goes out.
function readInto(c: usize, p: usize, end: usize, sse: bool): bool {
  const before = load<u32>(WIRE, RUN_LEN);
  if (openText(sse) && !read(c, p, end, WIRE) && closeText(sse)) return true;
  store<u32>(WIRE, before, RUN_LEN);
  return false;
}

function readThrough(c: usize, p: usize, end: usize, wire: u32): bool {
  bytesClear(TEXT);
  if (read(c, p, end, TEXT)) return false;
  const text = <usize>load<u32>(TEXT, RUN_PTR), stop = text + load<u32>(TEXT, RUN_LEN);
  for (let i: usize = 0; i < 64; i += 8) store<u64>(stop + i, 0);
  return putBinary(c, text, stop, wire, 0);
}
