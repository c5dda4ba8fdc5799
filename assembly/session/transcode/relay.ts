// Tokens that the fast road has folded, or passes on unjudged, on their way to another wire. What the road takes is neither lost nor refused there: numbers of few digits without exponents,
// strings that are plain or well-formed.
import { TRANSPORT_SSE } from "../../abi/codes";
import { OPT_DEPTH, OPT_TRANSPORT } from "../../abi/layout";
import { bytesClear, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { readMsgpack } from "../../codec/msgpack/read";
import { putSentinel } from "../../frame/state";
import { HAS_LOOSE_ESCAPE } from "../../text/scan";
import { SCRATCH_MESSAGE as TEXT, SCRATCH_WIRE as WIRE } from "../../reduce/scratch";
import { noMemory } from "../failure";
import { C_EVENT_INDEX, C_OPTIONS, option } from "../layout";
import { aboutMessage, isOutputFull } from "../output";
import { closeText, isTextWire, NO_MEMORY, noteReadLosses, openText, putBinary, putText, reserveToken } from "./emit";
import { holdsHalves } from "./halves";
import { wireOf } from "../roads";

/** Whether a token of at most `n` bytes of text may be folded now: there is room for what it comes to, and the host need not take anything before. */
@inline export function mayRelay(wire: u32, n: u32): bool { return !isOutputFull() && reserveToken(wire, n); }

/** The same for one of `n` bytes on a binary wire, of which any may be an escape of six bytes in text. */
@inline export function mayRelayBytes(wire: u32, n: u32): bool { return mayRelay(wire, isTextWire(wire) ? n * 6 : n); }

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
  if (isTextWire(wire) ? putText(p, end, wire == TRANSPORT_SSE, (seen & HAS_LOOSE_ESCAPE) != 0) : putBinary(c, p, end, wire) != NO_MEMORY) return true;
  return relayed(c, false);
}

/** Writes the applied event [p, end), which is canonical, and says what reading it has lost; out of memory fails the connection. */
export function relayCanonical(c: usize, p: usize, end: usize): void {
  const wire = wireOf(c);
  if (isTextWire(wire)) {
    if (putText(p, end, wire == TRANSPORT_SSE, false)) noteReadLosses(c);
    else noMemory(c);
  } else if (putBinary(c, p, end, wire) == NO_MEMORY) noMemory(c);
}

/** Whether a token was written; if not, memory ran out, and the connection has failed. */
export function relayed(c: usize, done: bool): bool {
  if (done) return true;
  // which of the tokens it was is not known here
  aboutMessage(load<f64>(c, C_EVENT_INDEX), -1);
  noMemory(c);
  return false;
}

/** Writes the folded map [p, end) of MessagePack on the other wire; false = out of memory, and the connection has failed. */
export function relayMap(c: usize, p: usize, end: usize): bool {
  const wire = wireOf(c), depth = option(c, OPT_DEPTH);
  return relayed(c, isTextWire(wire) ? readInto(p, end, depth, wire == TRANSPORT_SSE) : readThrough(c, p, end, depth, wire));
}

// The text is what goes out.
function readInto(p: usize, end: usize, depth: u32, sse: bool): bool {
  const before = load<u32>(WIRE, RUN_LEN);
  if (openText(sse) && !readMsgpack(p, end, WIRE, depth, false) && closeText(sse)) return true;
  store<u32>(WIRE, before, RUN_LEN);
  return false;
}

function readThrough(c: usize, p: usize, end: usize, depth: u32, wire: u32): bool {
  bytesClear(TEXT);
  if (readMsgpack(p, end, TEXT, depth, false)) return false;
  const text = <usize>load<u32>(TEXT, RUN_PTR), stop = text + load<u32>(TEXT, RUN_LEN);
  putSentinel(stop);
  return putBinary(c, text, stop, wire) != NO_MEMORY;
}
