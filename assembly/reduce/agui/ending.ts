// What happens to a run without an event: the body ends, the connection is lost, the stream is rejected (docs/semantics-agui.md §1, §9).
import * as code from "../../abi/codes";
import { setStatus, statusOfAgui } from "./state";
import { interruptTrack, PHASE_REJECTED, setTrackPhase } from "./track";

/** The body has ended: a running run is truncated; what is open stays. */
export function finishAgui(s: usize): void { interruptAgui(s); }

/** The connection is lost: a running run is truncated; an event may continue it. */
export function interruptAgui(s: usize): void {
  if (statusOfAgui(s) != code.RUN_RUNNING) return;
  setStatus(s, code.RUN_TRUNCATED);
  interruptTrack(s);
}

/** The consumer refuses the stream for good. */
export function rejectAgui(s: usize): void {
  setStatus(s, code.RUN_REJECTED);
  setTrackPhase(s, PHASE_REJECTED);
}

/** Whether the run has come to an end that an event has told. */
export function isOverAgui(s: usize): bool {
  const status = statusOfAgui(s);
  return status - code.RUN_FINISHED <= <u32>code.RUN_FAILED - code.RUN_FINISHED;
}
