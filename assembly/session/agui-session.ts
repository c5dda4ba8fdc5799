// The one stream of an AG-UI connection: its record and its model exist as long as the connection does (docs/semantics-agui.md §1, §9).
import * as layout from "../abi/layout";
import { setAccount } from "../memory/heap";
import { bytesFree } from "../memory/bytes";
import { setAguiOptions } from "../reduce/agui/enforce";
import { setTrackLimits } from "../reduce/agui/track";
import { finishAgui, interruptAgui, rejectAgui } from "../reduce/agui/ending";
import { newAgui, resetAgui } from "../reduce/agui/state";
import { C_FIRST, C_OPTIONS, C_RUN, option, T_FLAGS, T_QUEUE, T_QUEUED, T_QUEUED_BYTES, T_RUN } from "./layout";
import { openStream } from "./streams";

/** Gives a fresh connection its stream and an empty model; false = out of memory, the caller closes the connection. */
export function openRun(c: usize): bool {
  const t = openStream(c, 0, 0);
  if (!t) return false;
  const account = setAccount(t), s = newAgui();
  setAccount(account);
  store<u32>(t, <u32>s, T_RUN);
  store<u32>(c, <u32>s, C_RUN);
  return s != 0;
}

/** Makes the options of the connection those of the rooms below. */
export function setRunOptions(c: usize): void {
  setAguiOptions(<u32>load<u8>(c + C_OPTIONS, layout.OPT_AGUI_FLAGS), load<u64>(c + C_OPTIONS, layout.OPT_HELD_TYPES));
  setTrackLimits(option(c, layout.OPT_ITEMS));
}

/** The body has ended: a running run is cut off. */
export function endRun(c: usize): void {
  const s = <usize>load<u32>(c, C_RUN);
  if (!s) return;
  const account = setAccount(load<u32>(c, C_FIRST));
  finishAgui(s);
  setAccount(account);
}

/** The connection was lost: a running run is cut off, what was pending of it waits. */
export function interruptRun(c: usize): void {
  const s = <usize>load<u32>(c, C_RUN);
  if (!s) return;
  const account = setAccount(load<u32>(c, C_FIRST));
  interruptAgui(s);
  setAccount(account);
}

/** The stream is refused for good. */
export function rejectRun(c: usize): void {
  const account = setAccount(load<u32>(c, C_FIRST));
  rejectAgui(load<u32>(c, C_RUN));
  setAccount(account);
}

/** Forgets the model, the queue and the pause; false = out of memory: it can be tried again. */
export function resetRun(c: usize): bool {
  const t = <usize>load<u32>(c, C_FIRST), account = setAccount(t);
  const done = resetAgui(load<u32>(c, C_RUN));
  if (done) {
    bytesFree(t + T_QUEUE);
    store<u32>(t, 0, T_QUEUED);
    store<u32>(t, 0, T_QUEUED_BYTES);
    store<u8>(t, 0, T_FLAGS);
  }
  setAccount(account);
  return done;
}
