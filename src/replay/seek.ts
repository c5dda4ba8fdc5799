import { describe, namesIn, readable, shown } from "../arguments.js";
import { type StreamfoldError, usageError } from "../errors.js";
import type { Mark } from "./marks.js";
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
  const place = placeOf(cursor);
  switch (place.by) {
    case "seq":
      return seekSeq(recording, position("seq", place.value), place.streamId ?? streamId);
    case "eventIndex":
      return seekIndex(recording, position("eventIndex", place.value));
    case "id": {
      const walker = typeof place.value === "string" ? seekId(recording, place.value) : undefined;
      if (walker !== undefined) return walker;
      throw usageError("bad_argument", `the log has no message with the id ${shown(place.value)}`);
    }
  }
}

/**
 * Whether there is the place.
 *
 * @throws StreamfoldError `bad_argument` for what is no cursor, whatever its values
 */
export function has(recording: Recording, cursor: ReplayCursor): boolean {
  const { by, value, streamId } = placeOf(cursor);
  if (by === "id") {
    const walker = typeof value === "string" ? seekId(recording, value) : undefined;
    walker?.close();
    return walker !== undefined;
  }
  if (!isPosition(value)) return false;
  if (by === "eventIndex") return value < recording.events && value + 1 >= (recording.start?.events ?? 0);
  expectSeqs(recording);
  return isLeft(recording, value, streamId ?? "");
}

/** The stream that a cursor is about, when it says. */
export function streamOfCursor(cursor: ReplayCursor): string | undefined {
  return placeOf(cursor).streamId;
}

const KINDS = ["seq", "eventIndex", "id"] as const;

/** What a cursor says, its value not judged. */
interface Place {
  by: (typeof KINDS)[number];
  value: unknown;
  streamId: string | undefined;
}

function placeOf(cursor: ReplayCursor): Place {
  if (typeof cursor === "number") return { by: "seq", value: cursor, streamId: undefined };
  if (cursor === null || typeof cursor !== "object") throw noCursor(describe(cursor));
  const { names, given, streamId } = readable(() => {
    const members = cursor as Partial<Record<string, unknown>>;
    return {
      names: namesIn(cursor).filter((name) => members[name] !== undefined),
      given: KINDS.flatMap((by) => (members[by] === undefined ? [] : [{ by, value: members[by] }])),
      streamId: members.streamId,
    };
  });
  const [place] = given;
  if (place === undefined || given.length > 1)
    throw noCursor(`one with ${given.length === 0 ? "none" : "several"} of them`);
  const odd = names.find((name) => name !== place.by && (name !== "streamId" || place.by !== "seq"));
  if (odd !== undefined) throw noCursor(`one with ${JSON.stringify(odd)}`);
  if (streamId !== undefined && typeof streamId !== "string")
    throw noCursor(`one whose streamId is ${describe(streamId)}`);
  return { ...place, streamId };
}

function noCursor(what: string): StreamfoldError {
  return usageError("bad_argument", `a cursor is a seq, { seq, streamId? }, { eventIndex } or { id }, not ${what}`);
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function position(name: string, value: unknown): number {
  if (isPosition(value)) return value;
  throw usageError("bad_argument", `${name} must be an integer from 0 to 2^53-1`);
}

function expectSeqs({ options }: Recording): void {
  if (options.judging.protocol === "ag-ui") throw usageError("bad_argument", "events of AG-UI have no seq");
}

/**
 * The first message that takes the stream above `seq`, behind the last checkpoint that is not above it: where seqs only grow, all that the stream has
 * up to that seq lies before it and nothing else of it does.
 */
function seekSeq(recording: Recording, seq: number, streamId: string): Walker | undefined {
  const { live, marks } = recording;
  expectSeqs(recording);
  const last = live.seq({ streamId });
  if (last !== undefined && last <= seq) return undefined;
  if (!isLeft(recording, seq, streamId)) throw trimmed();
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

/** Whether what is left of the log goes back to a seq of a stream. */
function isLeft({ live, marks, start }: Recording, seq: number, streamId: string): boolean {
  const holds = ({ view }: Mark): boolean => (view.seq(streamId) ?? 0) <= seq;
  const last = live.seq({ streamId });
  return start === undefined || holds(start) || (last !== undefined && last <= seq) || marks.last(holds) !== undefined;
}

function trimmed(): StreamfoldError {
  return usageError("bad_argument", "the place lies before what is left of the log, which was trimmed");
}

function seekIndex(recording: Recording, index: number): Walker | undefined {
  const wanted = index + 1;
  const { events } = recording;
  if (wanted > events) throw usageError("bad_argument", `the log has no message number ${index}`);
  if (wanted < (recording.start?.events ?? 0)) throw trimmed();
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
    if (recording.start !== undefined) {
      walker = new Walker(recording, undefined);
      if (walker.reducer.lastEventId === id) return walker;
    }
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
  return undefined;
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
  let at = recording.log.begin;
  for (const joint of recording.joints) {
    if (joint.at <= at) continue;
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
