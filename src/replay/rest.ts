import { jointsBehind } from "./joints.js";
import type { Output } from "./output.js";
import type { Recording } from "./recording.js";
import { Walker } from "./walker.js";

/**
 * Every accepted event from where a walker stands to the end of the log. Between checkpoints where nothing was refused the bytes go out as they are; else they
 * are read again.
 *
 * @param streamId only events of that stream
 */
export function writeRest(output: Output, recording: Recording, walker: Walker, streamId: string | undefined): void {
  const { marks, live, log, failed, tailRead, result } = recording;
  output.goOnFrom(jointsBehind(recording, walker));
  let { events } = walker;
  let { applied } = walker.reducer.stats();
  let at = walker.offset;
  const whole = streamId === undefined;
  for (const mark of [...marks.list.filter(({ offset }) => offset > at), undefined]) {
    const then = { events: (mark ?? recording).events, applied: (mark?.view ?? live.stats()).applied };
    if (whole && then.events - events === then.applied - applied && (mark !== undefined || !failed)) {
      if (mark !== undefined) output.stretch(at, mark.offset);
      else writeEnd(output, recording, at);
    } else {
      const own =
        at === walker.offset
          ? walker
          : new Walker(
              recording,
              marks.last(({ offset }) => offset === at),
            );
      try {
        copyAccepted(output, own, mark?.offset ?? log.length, streamId, result !== undefined && tailRead);
      } finally {
        if (own !== walker) own.close();
      }
    }
    if (mark === undefined) return;
    at = mark.offset;
    ({ events, applied } = then);
  }
}

/** The rest of the log, to the end of its last whole message. */
function writeEnd(output: Output, recording: Recording, from: number): void {
  const { log, tailRead } = recording;
  if (tailRead) {
    output.stretch(from, log.length);
    output.terminate();
    return;
  }
  const end = recording.endOfMessages(from);
  if (end > from) output.stretch(from, end);
}

function copyAccepted(
  output: Output,
  walker: Walker,
  end: number,
  streamId: string | undefined,
  tailRead: boolean,
): void {
  const { reducer } = walker;
  const countOf = (): number => (streamId === undefined ? 0 : reducer.stats({ streamId }).applied);
  let count = countOf();
  while (walker.offset < end) {
    const step = walker.step();
    if (step === undefined) return;
    if (!step.accepted) continue;
    const before = count;
    count = countOf();
    if (streamId !== undefined && count === before) continue;
    output.stretch(step.from, step.to);
    if (tailRead && walker.endedUnterminated) output.terminate();
  }
}
