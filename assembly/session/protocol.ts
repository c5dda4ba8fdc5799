// Which protocol reads and judges the messages of a connection.
import { OPT_PASS } from "../abi/layout";
import { readEvent } from "../reduce/agui/event";
import { scanEnvelope } from "../reduce/agentue/envelope";
import { handleRunEvent } from "./agui-event";
import { handleEvent } from "./events";
import { C_OPTIONS, C_RUN } from "./layout";
import { passOn } from "./transcode/pass";

/**
 * Reads the message at `p` (its opening brace). Returns the address behind it, or 0 where the text is not one well-formed object within the
 * limits. `lineMode`: a line end is not white space.
 */
@inline export function scanMessage(c: usize, p: usize, lineMode: bool): usize {
  return load<u32>(c, C_RUN) ? readEvent(p, lineMode) : scanEnvelope(p, lineMode);
}

/** Handles the message [p, end) that `scanMessage` has just read; `size` is its length on the wire. `queued`: it comes out of a queue. EVENT_ status. */
@inline export function handleMessage(c: usize, p: usize, end: usize, size: u32, queued: bool): u32 {
  if (load<u8>(c + C_OPTIONS, OPT_PASS)) return passOn(c, p, end);
  return load<u32>(c, C_RUN) ? handleRunEvent(c, p, end, size, queued) : handleEvent(c, p, end, size, queued);
}
