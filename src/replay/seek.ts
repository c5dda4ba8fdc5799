import { describe, readable } from "../arguments.js";
import { usageError } from "../errors.js";
import type { Recording } from "./recording.js";
import { Walker } from "./walker.js";

/**
 * A place in a log: behind everything that brought a stream to `seq` (AgentUE §6; a number alone is one), behind message number `eventIndex`, or behind
 * the first message with an `id` of the SSE wire.
 */
export type ReplayCursor =
  | number
  | { seq: number; streamId?: string }
  | { eventIndex: number }
  /** AgentUE over SSE. */
  | { id: string };

/**
 * Reads the log up to a place.
 *
 * @param streamId the stream that a seq is about when the cursor does not say
 * @returns a walker at that place, to be closed; undefined: the end of what has come, where the live reducer stands
 * @throws StreamfoldError `bad_argument` for what is no cursor, or one that the log does not know: an id or message that has not come
 */
export function seek(recording: Recording, cursor: ReplayCursor, streamId: string): Walker | undefined {
  if (typeof cursor === "number") return seekSeq(recording, position("the cursor", cursor), streamId);
  if (cursor === null || typeof cursor !== "object") {
    throw usageError("bad_argument", `a cursor is a seq, { seq }, { eventIndex } or { id }, not ${describe(cursor)}`);
  }
  const { seq, eventIndex, id, of } = readable(() => membersOf(cursor));
  if (seq !== undefined) return seekSeq(recording, position("seq", seq.value), of ?? streamId);
  if (eventIndex !== undefined) return seekIndex(recording, position("eventIndex", eventIndex.value));
  if (typeof id === "string") return seekId(recording, id);
  throw usageError("bad_argument", "a cursor is a seq, { seq }, { eventIndex } or { id }");
}

interface Members {
  seq?: { value: unknown };
  of?: string | undefined;
  eventIndex?: { value: unknown };
  id?: unknown;
}

function membersOf(cursor: Exclude<ReplayCursor, number>): Members {
  if ("seq" in cursor) return { seq: { value: cursor.seq }, of: cursor.streamId };
  return "eventIndex" in cursor ? { eventIndex: { value: cursor.eventIndex } } : { id: cursor.id };
}

function position(name: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw usageError("bad_argument", `${name} must be an integer from 0 to 2^53-1`);
}

/**
 * The first message that takes the stream above `seq`, behind the last checkpoint that is not above it: where seqs only grow, all that the stream has
 * up to that seq lies before it and nothing else of it does.
 */
function seekSeq(recording: Recording, seq: number, streamId: string): Walker | undefined {
  const { live, marks, options } = recording;
  if (options.judging.protocol === "ag-ui") throw usageError("bad_argument", "events of AG-UI have no seq");
  const last = live.seq({ streamId });
  if (last !== undefined && last <= seq) return undefined;
  const mark = marks.last(({ view }) => (view.seq(streamId) ?? 0) <= seq);
  let places = 0;
  const scout = new Walker(recording, mark);
  try {
    while (scout.step() !== undefined && (scout.reducer.seq({ streamId }) ?? 0) <= seq) places++;
  } finally {
    scout.close();
  }
  const walker = new Walker(recording, mark);
  return guarded(walker, () => {
    if (places > 0) walker.leap(places);
  });
}

function seekIndex(recording: Recording, index: number): Walker | undefined {
  const wanted = index + 1;
  const { events } = recording;
  if (wanted > events) throw usageError("bad_argument", `the log has no message number ${index}`);
  if (wanted === events) return undefined;
  const walker = new Walker(
    recording,
    recording.marks.last((mark) => mark.events <= wanted),
  );
  return guarded(walker, () => {
    // between two places is one message at most
    let missing = wanted - walker.events;
    while (missing > 0 && walker.leap(missing)) missing = wanted - walker.events;
  });
}

function seekId(recording: Recording, id: string): Walker | undefined {
  const { options, marks } = recording;
  if (options.transport === "sse" && options.judging.protocol === "agentue") {
    /** Goes on from line to line: a log may hold many that a later line of their message overrules. */
    let walker: Walker | undefined;
    for (const place of idLines(recording, id)) {
      const mark = marks.last(({ offset }) => offset <= place);
      if (walker === undefined || (mark !== undefined && mark.offset > walker.offset)) {
        walker?.close();
        walker = new Walker(recording, mark);
      }
      const scout: Walker = walker;
      if (scout.offset > place) continue;
      guarded(scout, () => {
        scout.leapTo(place);
        while (scout.offset <= place && scout.step() !== undefined) {}
      });
      if (scout.offset > place && scout.reducer.lastEventId === id) return scout;
    }
    walker?.close();
  }
  throw usageError("bad_argument", `the log has no message with the id ${JSON.stringify(id)}`);
}

/** Closes a walker when what it is made to do fails. */
function guarded(walker: Walker, run: () => void): Walker {
  try {
    run();
    return walker;
  } catch (error) {
    walker.close();
    throw error;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LF = 10;
const CR = 13;

/** Where lines end that give events an id, in the order of the log. */
function* idLines(recording: Recording, id: string): Generator<number> {
  let at = 0;
  for (const joint of recording.joints) {
    yield* idLinesIn(recording, id, at, joint.at);
    at = joint.at;
  }
  yield* idLinesIn(recording, id, at, recording.log.length);
}

/** The same of one body, which may begin with a byte order mark. */
function* idLinesIn({ log }: Recording, id: string, from: number, to: number): Generator<number> {
  let at = from + log.byteOrderMark(from);
  /** The present line as far as it may be one of `id`: longer ones are not. */
  let line: number[] = [];
  const most = 8 + 3 * id.length;
  for (const piece of log.pieces(at, to)) {
    for (let i = 0; i < piece.length; i++) {
      const byte = piece[i]!;
      if (byte !== LF && byte !== CR) {
        if (line.length > 0 ? line[0] === 0x69 : byte === 0x69) {
          if (line.length <= most) line.push(byte);
        } else {
          // no line of an id: on to its end
          const end = endOfLine(piece, i);
          line = end < piece.length ? [] : [0];
          i = end;
        }
        continue;
      }
      if (line.length <= most && isIdLine(line, id)) yield at + i;
      line = [];
    }
    at += piece.length;
  }
}

function endOfLine(piece: Uint8Array, from: number): number {
  let at = from;
  while (at < piece.length && piece[at] !== LF && piece[at] !== CR) at++;
  return at;
}

function isIdLine(line: number[], id: string): boolean {
  const text = decoder.decode(Uint8Array.from(line));
  return text === `id:${id}` || text === `id: ${id}` || (id === "" && text === "id");
}
