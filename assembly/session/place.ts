// Wire offsets of places inside of the current message.
import { sseOffset } from "../frame/sse";
import { messageIsJoined, messageOffset, messageStart } from "../frame/state";
import { C_FRAME } from "./layout";

/** Wire offset of the byte at `p`, which lies in the message's own text. */
export function placeInMessage(c: usize, p: usize): f64 {
  return messageIsJoined ? sseOffset(c + C_FRAME, <u32>(p - messageStart)) : messageOffset + <f64>(p - messageStart);
}
