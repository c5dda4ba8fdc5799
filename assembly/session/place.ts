// Wire offsets of places inside of the current message.
import { placeBeforeReplacing } from "../text/replace-utf8";
import { sseOffset } from "../frame/sse";
import { messageEnd, messageIsJoined, messageOffset, messageStart } from "../frame/state";
import { C_FRAME } from "./layout";

// Start of the copy in which ill-formed UTF-8 was replaced, 0 = the message itself is being read.
let copy: usize = 0;

/** The message is read from a copy at `p` in which ill-formed UTF-8 was replaced; 0: from where it lies. */
export function readFromCopy(p: usize): void { copy = p; }

// The text was read from bytes that are no text: nothing in it has a place of its own.
let fromWire: bool = false;

/** Says whether the text being read was made of a message of a binary wire. */
export function readFromWire(yes: bool): void { fromWire = yes; }

/** Wire offset of the byte at `p`, which lies in the text being read. */
export function placeInMessage(c: usize, p: usize): f64 {
  if (fromWire) return messageOffset;
  if (copy) p = placeBeforeReplacing(messageStart, messageEnd, p - copy);
  return messageIsJoined ? sseOffset(c + C_FRAME, <u32>(p - messageStart)) : messageOffset + <f64>(p - messageStart);
}
