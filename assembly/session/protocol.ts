// Which protocol reads and judges the messages of a connection.
import { readEvent } from "../reduce/agui/event";
import { scanEnvelope } from "../reduce/agentue/envelope";
import { handleRunEvent } from "./agui-event";
import { handleEvent } from "./events";
import { C_OPTIONS } from "./layout";
import { passOn } from "./transcode/pass";
import { passesOn, runOf } from "./roads";

/**
 * Reads the message at `p` (its opening brace). Returns the address behind it, or 0 where the text is not one well-formed object within the
 * limits. `lineMode`: a line end is not white space.
 */
@inline export function scanMessage(c: usize, p: usize, lineMode: bool): usize {
  return runOf(c) ? readEvent(p, lineMode) : scanEnvelope(p, lineMode);
}

/** Handles the message [p, end) that `scanMessage` has just read; `size` is its length on the wire. `queued`: it comes out of a queue. EVENT_ status. */
@inline export function handleMessage(c: usize, p: usize, end: usize, size: u32, queued: bool): u32 {
  if (passesOn(c)) return passOn(c, p, end);
  return runOf(c) ? handleRunEvent(c, p, end, size, queued) : handleEvent(c, p, end, size, queued);
}
