// New messages: judged against the limits, then put among the others; all or nothing.
import * as code from "../../abi/codes";
import { reserve } from "../../memory/heap";
import { documentFree } from "../../document/index";
import { hashBytes } from "../../text/hash";
import { maxBlocks } from "../agentue/limits";
import { callRoom, fileCall, freeCall, newCall } from "./calls";
import { composed, composedLength, newDocument } from "./compose";
import { failLimit, failMemory, isTooDeep, isTooLarge, MESSAGE_LEVELS } from "./limits";
import { addMessage, addMessageNeeds, newMessage, newMessageNeeds } from "./messages";
import { A_COUNT, A_FLAGS, CALLS_KNOWN } from "./state";

/** The member of the event to blame for more than `blocks` messages, for nesting, and for size. */
let countField: u32 = 0;
let depthField: u32 = 0;
let sizeField: u32 = 0;

/** Names the members of the event to blame when the next `placeMessage` finds too many messages, too much nesting or size. */
export function blame(count: u32, depth: u32, size: u32): void {
  countField = count;
  depthField = depth;
  sizeField = size;
}

/**
 * Puts the composed message before index `at`: its id is the JSON string [id, idEnd). `call`, `callEnd`: the id of the one call it holds, 0 =
 * none. Returns the message, 0 with a fault.
 */
export function placeMessage(s: usize, id: usize, idEnd: usize, role: u32, at: u32, call: usize, callEnd: usize): usize {
  const p = composed(), n = composedLength(), count = load<u32>(s, A_COUNT), idLength = <u32>(idEnd - id) - 2;
  if (count >= maxBlocks) { failLimit(countField, code.R_LIMIT_BLOCKS); return 0; }
  if (isTooDeep(MESSAGE_LEVELS, p, n)) { failLimit(depthField, code.R_LIMIT_DEPTH); return 0; }
  if (isTooLarge(s, 0, n + (count ? 1 : 0))) { failLimit(sizeField, code.R_LIMIT_MODEL); return 0; }
  const d = newDocument(p, n);
  if (!d) { failMemory(); return 0; }
  const files = call != 0 && (load<u8>(s, A_FLAGS) & CALLS_KNOWN) != 0;
  const c: usize = files && callRoom(s) ? newCall(call + 1, <u32>(callEnd - call) - 2) : 0;
  if ((files && !c) || !reserve(addMessageNeeds(s) + newMessageNeeds(idLength))) {
    if (c) freeCall(c);
    documentFree(d);
    failMemory();
    return 0;
  }
  const m = newMessage(id + 1, idLength, hashBytes(id + 1, idLength), role, d);
  addMessage(s, m, at);
  if (c) fileCall(s, c, m, 0);
  return m;
}
