import type { Fault } from "../../../errors.js";
import type { ArgumentText, ChangeSet, FinishResult, Reference, Stats, StreamStatus } from "../../contract.js";
import type { Source } from "../reduce/agentue/operations.js";
import type { SavedStream } from "./checkpoint.js";

/** A model as a reader sees it. */
export interface ModelView {
  /** The model, to be copied. */
  value: unknown;
  /** Whether it may hold an `ExactNumber`. */
  exact: boolean;
}

/** A tree of our own that was read from the caller's text or value. */
export interface OwnedTree {
  value: unknown;
  /** The text it came from; undefined when it came as a value or as MessagePack. */
  text: string | undefined;
  source: Source;
  /** Without a text: the order of members where JavaScript has another one. */
  orders?: ReadonlyMap<object, readonly string[]>;
}

/**
 * What a protocol makes of messages, and the streams that come of them: everything above the connection. One session has one; what belongs to
 * the message in hand (its index, its place, reports) it finds in the pipeline.
 */
export interface Protocol {
  /** PROTOCOL_ number in checkpoints. */
  readonly number: number;
  /**
   * A message that is an object.
   *
   * @param event a tree of our own when it came as a value or over a binary wire
   * @param reported what listeners get where the event is passed on as it came; undefined: a copy of the event
   * @returns whether reading goes on
   */
  take(event: Record<string, unknown>, reported: unknown): boolean;
  /** The quick way for a caller's value, which has to be beyond doubt; opens the message itself. Whether it was accepted. */
  takeValue(value: unknown): boolean;
  /** A message that holds nothing but an event of a kind that the wire does not describe. */
  dropUnknown?(): void;
  /** An event of a type that the other wire has no message for was left out. */
  leftOut?(type: string): void;
  /** Parts of kinds that the wire does not describe were left out of the message that comes next. */
  partsLeftOut?(): void;

  /** The body has ended. */
  finish(): void;
  /** Another body begins. */
  beginBody?(): void;
  /** What is written ends with the body; `whole`: and so have its runs. */
  endDelivery?(whole: boolean): void;
  /** @param whole nothing was cut off */
  finishResult(whole: boolean): FinishResult;
  reconnect(): void;
  reset(): void;

  load(streamId: string, seq: number | undefined, model: OwnedTree): Fault | undefined;
  /** @param id the id that the block must have; undefined: any */
  materialize(streamId: string, block: OwnedTree, id: string | undefined): Fault | undefined;
  pause(streamId: string): Fault | undefined;
  /**
   * Applies what was queued, between `begin` and `end` of the pipeline.
   *
   * @param skip whether an unresolved reference that the first event patches is an error
   */
  resume(streamId: string, skip: boolean): void;
  /** What there is to know of a block, or without `id` of the one that the stream waits for, when it is a reference. */
  unresolved?(streamId: string, id: string | undefined): Reference | undefined;
  release(streamId: string): boolean;

  status(streamId: string): StreamStatus;
  seq(streamId: string): number | undefined;
  view(streamId: string): ModelView | undefined;
  /** The strings of the models were flattened by a reader. */
  settle(streamId: string): void;
  changes(streamId: string, since: number | undefined): ChangeSet;
  /** What concerns streams; counters of the connection stay 0. */
  stats(streamId: string | undefined): Stats;
  streamIds(): string[];
  argumentText?(toolCallId: string, from: number): ArgumentText | undefined;

  /**
   * Gives the protocol of a fresh session a fork of a stream: model, place in the timeline, counters, pause and queue.
   *
   * @param as its id there
   * @param target of the same protocol and limits
   */
  fork(streamId: string, as: string, target: this): Fault | undefined;

  /** The streams for a checkpoint. */
  save(): SavedStream[];
  /**
   * Reads saved streams without touching those that are there.
   *
   * @returns what puts them in place, or undefined when they are malformed or beyond a limit
   */
  rebuild(saved: readonly SavedStream[]): (() => void) | undefined;
}
