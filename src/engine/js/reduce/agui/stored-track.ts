import { memberTexts, readPlain } from "../../../../json/exact.js";
import { type JsonObject, own } from "../../../../json/object.js";
import { isObject } from "../../../../json/tree.js";
import { type LaneKind, REASONING_LANE, TEXT_LANE, TOOL_LANE } from "./lanes.js";
import { Thinking } from "./thinking.js";
import {
  ACTIVITY,
  CALL,
  type Item,
  type ItemKind,
  NO_RUN,
  OPEN_MESSAGE,
  OPEN_SPAN,
  REASONING,
  REJECTED,
  RUNNING,
  TRUNCATED,
  Track,
} from "./track.js";

const NAMES = ["phase", "items", "steps", "subagents", "calls", "lanes", "thinking", "named"] as const;
/** Nobody counts further than a run could. */
const LARGEST_NUMBER = 999_999_999;
const ROLES: readonly unknown[] = ["developer", "system", "assistant", "user"];

/** What a checkpoint keeps of a run besides the model (docs/semantics-agui.md §12). */
export function writeTrack(track: Track, { minted, span, message }: Thinking, rejected: boolean): object {
  return {
    phase: rejected ? REJECTED : track.phase,
    items: [...track.items].map(writeItem),
    steps: track.steps().map(({ name, owner }) => [name, owner ?? null]),
    subagents: [...track.subagents],
    calls: [...track.calls],
    lanes: track.lanes
      .all()
      .map(({ owner, kind, id, first, second, tag }) => [
        owner ?? null,
        kind,
        id,
        first ?? null,
        second ?? null,
        tag ?? null,
      ]),
    thinking: [minted, span, message],
    named: track.named ?? null,
  };
}

function writeItem({ kind, id, owner, open, messageNumber, spanNumber }: Item): unknown[] {
  const written: unknown[] = [kind, id, owner ?? null, open];
  if ((open & OPEN_MESSAGE) !== 0) written.push(messageNumber);
  if ((open & OPEN_SPAN) !== 0) written.push(spanNumber);
  return written;
}

/**
 * The same read back; undefined when it says what no engine could have written, or names more than the limit.
 *
 * @param stored well-formed JSON text
 */
export function readTrack(stored: string, limit: number): { track: Track; thinking: Thinking } | undefined {
  try {
    const value = readPlain(stored);
    // repeated members
    check(isObject(value) && memberTexts(stored).length === NAMES.length);
    return read(value, limit);
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

class Malformed extends Error {}

function check(condition: boolean): asserts condition {
  if (!condition) throw new Malformed();
}

function read(stored: JsonObject, limit: number): { track: Track; thinking: Thinking } {
  const [phase, items, steps, subagents, calls, lanes, thinking, named] = NAMES.map((name) => own(stored, name));
  check(isCount(phase) && phase <= TRUNCATED);
  const track = new Track();
  track.phase = phase;
  readItems(items, track);
  for (const step of rows(steps, 2)) {
    const [name, owner] = step;
    check(typeof name === "string" && isOwner(owner) && !track.hasStep(name, owner ?? undefined));
    track.startStep(name, owner ?? undefined);
  }
  readFlags(subagents, track.subagents);
  readFlags(calls, track.calls);
  check(track.names <= limit);
  // A call has been started by the START that opened it.
  for (const id of track.calls.keys()) check(track.find(CALL, id) !== undefined);
  for (const { id } of track.openItems(CALL)) check(track.calls.has(id));
  readLanes(lanes, track);
  check(Array.isArray(named) ? named.length > 0 && named.every((id) => typeof id === "string") : named === null);
  track.named = Array.isArray(named) ? named : undefined;
  if (phase !== RUNNING && phase !== TRUNCATED && phase !== REJECTED) check(isClosed(track));
  if (phase === NO_RUN) check(track.names === 0);

  const [minted, span, message] = rows([thinking], 3)[0] as unknown[];
  check(isCount(minted) && isCount(span) && isCount(message) && span <= minted && message <= minted);
  check(span === 0 || span !== message);
  const numbers = new Thinking();
  numbers.minted = minted;
  numbers.span = span;
  numbers.message = message;
  return { track, thinking: numbers };
}

function readItems(stored: unknown, track: Track): void {
  check(Array.isArray(stored));
  const numbers = new Set<unknown>();
  for (const row of stored) {
    check(Array.isArray(row));
    const [kind, id, owner, open, ...opened] = row as unknown[];
    check(isCount(kind) && kind <= ACTIVITY && typeof id === "string" && isOwner(owner) && isCount(open));
    check(track.find(kind as ItemKind, id) === undefined);
    check(open <= (kind === REASONING ? OPEN_MESSAGE | OPEN_SPAN : kind === ACTIVITY ? 0 : OPEN_MESSAGE));
    const item = track.add(kind as ItemKind, id, owner ?? undefined);
    for (const bit of [OPEN_MESSAGE, OPEN_SPAN]) {
      if ((open & bit) === 0) continue;
      const number = opened.shift();
      check(isCount(number) && number > 0 && !numbers.has(number));
      numbers.add(number);
      track.open(item, bit, undefined, number);
    }
    check(opened.length === 0);
  }
}

function readLanes(stored: unknown, track: Track): void {
  const { lanes } = track;
  for (const [owner, kind, id, first, second, tag] of rows(stored, 6)) {
    check(isOwner(owner) && isCount(kind) && kind <= REASONING_LANE && typeof id === "string" && tag === owner);
    check(isOwner(first) && isOwner(second));
    if (kind === TEXT_LANE) check(ROLES.includes(first));
    else if (kind === TOOL_LANE) check(first !== null);
    else check(first === null && second === null);
    // Lanes and the items that they name have kinds of the same numbers. The item may have been ended from another lane.
    check(track.find(kind as ItemKind, id) !== undefined && (kind !== TOOL_LANE || track.calls.has(id)));
    check(lanes.of(owner ?? undefined) === undefined && lanes.holding(kind as LaneKind, id) === undefined);
    lanes.open({
      owner: owner ?? undefined,
      kind: kind as LaneKind,
      id,
      first: first ?? undefined,
      second: second ?? undefined,
      tag: owner ?? undefined,
    });
  }
}

function readFlags(stored: unknown, target: Map<string, boolean>): void {
  for (const [id, flag] of rows(stored, 2)) {
    check(typeof id === "string" && typeof flag === "boolean" && !target.has(id));
    target.set(id, flag);
  }
}

/** A list of lists of one length. */
function rows(stored: unknown, length: number): unknown[][] {
  check(Array.isArray(stored));
  for (const row of stored) check(Array.isArray(row) && row.length === length);
  return stored as unknown[][];
}

function isClosed(track: Track): boolean {
  if (track.lanes.size > 0 || track.steps().length > 0 || track.activeSubagents().length > 0) return false;
  for (const { open } of track.items) if (open !== 0) return false;
  return true;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value <= LARGEST_NUMBER;
}

function isOwner(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
