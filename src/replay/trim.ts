import { waysTo } from "./agui.js";
import type { Mark } from "./marks.js";
import type { Recording } from "./recording.js";
import { type ReplayCursor, seek } from "./seek.js";
import { Walker } from "./walker.js";

/**
 * Forgets what lies before a place, but what has to stay so that every later place can be reached.
 *
 * @returns bytes that the log has become shorter by
 */
export function trim(recording: Recording, cursor: ReplayCursor): number {
  recording.expectQuiet();
  const before = recording.log.begin;
  const walker = seek(recording, cursor, "") ?? endOf(recording);
  let mark: Mark | undefined;
  try {
    mark = reachable(recording, walker);
  } finally {
    walker.close();
  }
  if (mark !== undefined) recording.trim(mark);
  return recording.log.begin - before;
}

/** Behind the last whole message. */
function endOf(recording: Recording): Walker {
  const mark = recording.marks.list.at(-1);
  // counted first: a leap to a message that fails the connection would not say how far it came
  let messages = 0;
  const scout = new Walker(recording, mark);
  try {
    while (scout.step() !== undefined) messages++;
  } finally {
    scout.close();
  }
  const walker = new Walker(recording, mark);
  try {
    if (messages > 0) walker.leap(messages);
    return walker;
  } catch (error) {
    walker.close();
    throw error;
  }
}

/** The place, or where no events lead a consumer of AG-UI there the last checkpoint before it that they lead to; undefined: there is none. */
function reachable({ options, marks }: Recording, walker: Walker): Mark | undefined {
  const mark = walker.mark();
  if (options.judging.protocol !== "ag-ui" || waysTo(mark.view.model()).length > 0) return mark;
  return marks.last(({ offset, view }) => offset <= mark.offset && waysTo(view.model()).length > 0);
}
