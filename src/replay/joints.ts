import type { Recording } from "./recording.js";
import { Walker } from "./walker.js";

/** A place in the log where one body has ended, perhaps broken off, and another one begins. No message stands across it. */
export interface Joint {
  at: number;
  /** It has cut a run of AG-UI. */
  truncated: boolean;
  /** The body behind it goes on with another run; undefined: not known yet. */
  startsRun: boolean | undefined;
}

const encoder = new TextEncoder();
const NOTHING = new Uint8Array(0);
const TERMINATORS = { sse: encoder.encode("\n\n"), ndjson: encoder.encode("\n") } as const;

/**
 * Lets another body follow: what is unfinished of the one before leaves the log, and a failure of its connection with the message that it was about.
 *
 * @throws StreamfoldError `out_of_memory` where there is none to find the place of a failure: nothing has changed; `reentrant`
 */
export function reconnect(recording: Recording): void {
  recording.expectQuiet();
  const [end, events, terminator] = endOfBody(recording);
  recording.reconnect();
  recording.join(end, events, terminator);
}

/** Where the messages of the present body end, how many the log has then, and what the last one lacks. */
function endOfBody(recording: Recording): [end: number, events: number, terminator: Uint8Array] {
  const { failed, tailRead, log, events, marks } = recording;
  const { transport, judging } = recording.options;
  if (failed) return [...readTo(recording), NOTHING];
  if (tailRead && (transport === "sse" || transport === "ndjson")) return [log.length, events, TERMINATORS[transport]];
  // a message that is too large counts before it is whole
  if (judging.undecodable === "skip") return [...readTo(recording), NOTHING];
  return [recording.endOfMessages(marks.list.at(-1)?.offset ?? 0), events, NOTHING];
}

/** How far the live reducer has read, in bytes and messages: found by reading again, since a failure of its connection says no place. */
function readTo(recording: Recording): [end: number, events: number] {
  const { live, marks } = recording;
  const { applied } = live.stats();
  const walker = new Walker(recording, marks.list.at(-1));
  try {
    let { offset, events } = walker;
    while (walker.step() !== undefined) {
      // memory may suffice here for what the connection had none for
      if (walker.reducer.stats().applied > applied || walker.events > recording.events) break;
      ({ offset, events } = walker);
    }
    return [Math.max(offset, recording.joints.at(-1)?.at ?? 0), events];
  } finally {
    walker.close();
  }
}

/**
 * The number of the first joint that what is behind a place has to do with. Of that and all later ones it is found out whether the body behind a run that was cut
 * goes on with another run: for consumers the first run has to end there.
 */
export function jointsBehind(recording: Recording, place: Walker): number {
  const { joints, marks } = recording;
  let first = joints.filter(({ at }) => at < place.offset).length;
  // the joint that cut the run was crossed, and nothing has been accepted since
  if (place.reducer.status() === "truncated" && joints[first]?.at !== place.offset) first--;
  for (const [number, joint] of joints.entries()) {
    if (number < first || !joint.truncated || joint.startsRun !== undefined) continue;
    const types: unknown[] = [];
    const mark = marks.last(({ offset }) => offset <= joint.at);
    const walker = new Walker(recording, mark, (event) => types.push((event as { type: unknown }).type));
    try {
      walker.leapTo(joint.at);
      types.length = 0;
      for (let step = walker.step(); step !== undefined; step = walker.step()) {
        if (step.from >= (joints[number + 1]?.at ?? Number.POSITIVE_INFINITY)) joint.startsRun = false;
        else if (step.accepted) joint.startsRun = types.includes("RUN_STARTED");
        if (joint.startsRun !== undefined) break;
      }
    } finally {
      walker.close();
    }
  }
  return first;
}
