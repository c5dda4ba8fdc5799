// Wire offsets of places inside of the current message.
import { OPT_TRANSPORT } from "../abi/layout";
import { TRANSPORT_SSE } from "../abi/codes";
import { sseOffset } from "../frame/sse";
import { F_LINES, messageOffset, messageStart } from "../frame/state";
import { C_FRAME, C_OPTIONS } from "./layout";

/** Wire offset of the byte at `p`, which lies in the message's own text. */
export function placeInMessage(c: usize, p: usize): f64 {
  if (load<u8>(c + C_OPTIONS, OPT_TRANSPORT) == TRANSPORT_SSE && load<u32>(c + C_FRAME, F_LINES) > 1) {
    return sseOffset(c + C_FRAME, <u32>(p - messageStart));
  }
  return messageOffset + <f64>(p - messageStart);
}
