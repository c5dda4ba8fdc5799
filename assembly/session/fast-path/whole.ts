// An event that is a message of its own, as WebSockets bring it: a line of NDJSON but for its LF, which is put behind it, so that lines and messages share
// their templates. Without this road an AgentUE token over `json` took three times as long as over SSE.
import { findByte } from "../../text/scan";
import { putSentinel } from "../../frame/state";
import { passesOn, runOf } from "../roads";
import { foldSet } from "./agentue-set";
import { foldWholeDelta } from "./agui-delta";
import { foldAguiTokens } from "./agui-token";
import { passTokens } from "./pass-tokens";
import { foldTokens } from "./token";

// What a message was.
export const WHOLE_OTHER: u32 = 0;
export const WHOLE_TOKEN: u32 = 1;
export const WHOLE_PATCH: u32 = 2;

/** Folds the message [p, end), of which no bytes have come before and whose templates are the current ones, if it is a token or a patch of one value. WHOLE_ kind of it. */
export function foldWhole(c: usize, p: usize, end: usize, tokens: bool, patches: bool): u32 {
  const agui = runOf(c) != 0;
  if (patches && agui && foldWholeDelta(c, p, end)) return WHOLE_PATCH;
  if (!(tokens || (patches && !agui)) || !isLine(p, end)) return WHOLE_OTHER;
  putLineEnd(end);
  if (tokens) {
    const q = passesOn(c) ? passTokens(c, p, end + 1) : agui ? foldAguiTokens(c, p, end + 1) : foldTokens(c, p, end + 1);
    if (q != p) return WHOLE_TOKEN;
  }
  if (patches && !agui && foldSet(c, p, end + 1, false)) return WHOLE_PATCH;
  takeLineEnd(end);
  return WHOLE_OTHER;
}

/** Whether a message is `{…}` without a line end in it. */
export function isLine(p: usize, end: usize): bool { return p < end && load<u8>(p) == 0x7b && load<u8>(end - 1) == 0x7d && !findByte(p, end, 0x0a); }

/** Puts the LF behind a message that lies in the window. */
@inline export function putLineEnd(end: usize): void {
  putSentinel(end + 1);
  store<u8>(end, 0x0a);
}

/** Takes it away again. */
@inline export function takeLineEnd(end: usize): void { store<u8>(end, 0); }
