// The edges of an event that is read where it lies on a text wire: `data: {…}` and a blank line of SSE, `{…}` and LF of NDJSON.
import { F_LIMIT } from "../../frame/state";
import { C_FRAME } from "../layout";

/** Where the text begins of the event at `p`, where the frame stands between two events; 0: it does not begin as events do. */
@inline export function textBegin(p: usize, sse: bool): usize {
  if (!sse) return p;
  if (load<u32>(p) != 0x61746164 || load<u8>(p, 4) != 0x3a) return 0;
  return p + 5 + (load<u8>(p, 5) == 0x20 ? 1 : 0);
}

/** Where the next event begins when the text from `start` on ends at `q` (0: it is not of the form) and all of it is there, else 0. */
@inline export function nextBegin(c: usize, start: usize, q: usize, end: usize, sse: bool): usize {
  if (!q || <u32>(q - start) > load<u32>(c + C_FRAME, F_LIMIT)) return 0;
  let next: usize = 0;
  if (sse) next = load<u16>(q) == 0x0a0a ? q + 2 : load<u32>(q) == 0x0a0d0a0d ? q + 4 : 0;
  else if (load<u8>(q) == 0x0a) next = q + 1;
  return next <= end ? next : 0;
}
