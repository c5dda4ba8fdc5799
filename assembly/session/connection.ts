// The life of a connection: open, reconnect, reset, close.
import { alloc, free } from "../memory/heap";
import { bytesFree } from "../memory/bytes";
import * as layout from "../abi/layout";
import { F_FLAGS, F_LAST_ID, F_LIMIT, F_RETRY } from "../frame/state";
import { PROTOCOL_AG_UI } from "../abi/codes";
import { interruptRun, openRun, resetRun } from "./agui-session";
import {
  C_END_ORDER, C_EVENT_INDEX, C_FAILURE, C_FAILURE_PATH, C_FEEDING, C_FRAME, C_LOSSES, C_OPTIONS, C_QUEUE, C_RESUMING, C_UNREAD, C_UNREAD_END, CONNECTION_SIZE,
  layoutsAddUp,
} from "./layout";
import { closeAdapter, resetAdapter } from "./adapt/state";
import { freeHalves } from "./transcode/halves";
import { resetPosition } from "./position";
import { releaseStreams } from "./streams";
import { adapterOf, runOf, SLIM, wireOf } from "./roads";

/** A connection with the options block at `options`; 0 = out of memory. */
export function openConnection(options: usize): usize {
  if (!layoutsAddUp()) unreachable();
  const c = alloc(CONNECTION_SIZE);
  if (!c) return 0;
  memory.fill(c, 0, CONNECTION_SIZE);
  memory.copy(c + C_OPTIONS, options, layout.OPT_SIZE);
  store<u32>(c + C_FRAME, load<u32>(options, layout.OPT_MESSAGE_BYTES), F_LIMIT);
  store<f64>(c + C_FRAME, -1, F_RETRY);
  if (!SLIM && load<u8>(options, layout.OPT_PROTOCOL) == PROTOCOL_AG_UI && !openRun(c)) {
    closeConnection(c);
    return 0;
  }
  return c;
}

/** A new connection of the same client: partial bytes and the failure are forgotten; models, seq, last event id and `retry` stay. */
export function reconnect(c: usize): void {
  if (runOf(c)) interruptRun(c);
  resetPosition(c);
  store<u8>(c, 0, C_FAILURE);
  bytesFree(c + C_FAILURE_PATH);
  store<u32>(c, 0, C_RESUMING);
  store<u32>(c, 0, C_UNREAD);
  store<u32>(c, 0, C_UNREAD_END);
  store<u8>(c, 0, C_FEEDING);
}

/** As if it had just been opened, without the baseline of an AG-UI model; false = out of memory: it can be tried again. */
export function resetConnection(c: usize): bool {
  if (runOf(c)) {
    if (!resetRun(c)) return false;
    resetAdapter(c);
  } else releaseStreams(c);
  forget(c);
  return true;
}

// What belongs to no stream.
function forget(c: usize): void {
  reconnect(c);
  bytesFree(c + C_QUEUE);
  if (wireOf(c)) freeHalves(c);
  store<u32>(c, 0, C_LOSSES);
  const f = c + C_FRAME;
  bytesFree(f + F_LAST_ID);
  store<u8>(f, 0, F_FLAGS);
  store<f64>(f, -1, F_RETRY);
  memory.fill(c + C_EVENT_INDEX, 0, C_END_ORDER + 8 - C_EVENT_INDEX);
}

/** Gives everything back. */
export function closeConnection(c: usize): void {
  if (adapterOf(c)) closeAdapter(c);
  releaseStreams(c);
  forget(c);
  free(c, CONNECTION_SIZE);
}
