// An event that lies whole in the chunk, in SSE as `data: {…}` and a blank line, in NDJSON as `{…}` and LF: the JSON text itself delimits
// the line, so no line end is searched first. That alone is worth 1.15-2.0x in 64 KiB chunks. Everything else takes the road through the frame room.
import { F_LIMIT, offsetOf, setMessage } from "../../frame/state";
import { C_FRAME } from "../layout";
import { scanMessage } from "../protocol";

/** Events that were read where they lay. */
export let directEvents: u32 = 0;
/** Bytes of the message that was read last: in NDJSON a CR behind the event is one of them. */
export let directSize: u32 = 0;

/** Reads the SSE event at `p`, where the frame stands between two events; returns the address behind its blank line, 0 when it is not of that form. */
export function readDirect(c: usize, p: usize, end: usize): usize {
  if (load<u32>(p) != 0x61746164 || load<u8>(p, 4) != 0x3a) return 0;
  const start = p + 5 + (load<u8>(p, 5) == 0x20 ? 1 : 0);
  if (load<u8>(start) != 0x7b) return 0;
  const q = scanMessage(c, start, true);
  if (!q) return 0;
  const next = load<u16>(q) == 0x0a0a ? q + 2 : load<u32>(q) == 0x0a0d0a0d ? q + 4 : 0;
  if (!next || next > end || <u32>(q - start) > load<u32>(c + C_FRAME, F_LIMIT)) return 0;
  setMessage(start, q, offsetOf(start));
  directSize = <u32>(q - start);
  directEvents++;
  return next;
}

/** Reads the NDJSON event at `p`, where a line begins; returns the address behind its line end, 0 when it is not of that form. */
export function readDirectLine(c: usize, p: usize, end: usize): usize {
  if (load<u8>(p) != 0x7b) return 0;
  const q = scanMessage(c, p, true);
  if (!q) return 0;
  // the CR belongs to the line, the LF does not
  const stop = load<u8>(q) == 0x0d ? q + 1 : q;
  if (load<u8>(stop) != 0x0a || stop >= end || <u32>(stop - p) > load<u32>(c + C_FRAME, F_LIMIT)) return 0;
  setMessage(p, q, offsetOf(p));
  directSize = <u32>(stop - p);
  directEvents++;
  return stop + 1;
}
