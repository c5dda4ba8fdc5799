// What happens to a run without an event: the body ends, the connection is lost, the stream is rejected (docs/semantics-agui.md §1, §9).
// What is noted of it is charged to the account that is set.
import * as code from "../../abi/codes";
import { changeStatus, statusOfAgui } from "./state";
import { interruptTrack, PHASE_REJECTED, setTrackPhase } from "./track";

/** The body has ended: a running run is truncated; what is open stays. */
export function finishAgui(s: usize): void { interruptAgui(s); }

/** The connection is lost: a running run is truncated; an event may continue it. */
export function interruptAgui(s: usize): void {
  if (statusOfAgui(s) != code.RUN_RUNNING) return;
  interruptTrack(s);
  changeStatus(s, code.RUN_TRUNCATED);
}

/** The consumer refuses the stream for good, unless it has done so before. */
export function rejectAgui(s: usize): void {
  if (statusOfAgui(s) == code.RUN_REJECTED) return;
  setTrackPhase(s, PHASE_REJECTED);
  changeStatus(s, code.RUN_REJECTED);
}

/** Whether the run has come to an end that an event has told. */
export function isOverAgui(s: usize): bool {
  const status = statusOfAgui(s);
  return status - code.RUN_FINISHED <= <u32>code.RUN_FAILED - code.RUN_FINISHED;
}
