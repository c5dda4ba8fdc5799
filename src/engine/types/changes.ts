// What has changed in a model since it was last read (docs/semantics.md §6).

/** One coalesced change (docs/semantics.md §6), told apart by `kind`. */
export type Change = StartChange | InsertChange | ReplaceChange | AppendChange | MetaChange;

/** The whole model is new. */
export interface StartChange {
  kind: "start";
  streamId: string;
}

/** A block came in at the end of the model's blocks. */
export interface InsertChange {
  kind: "insert";
  streamId: string;
  /** The block or message. */
  id: string;
  /** AG-UI: its index among the messages. */
  from?: number;
}

/** A block, or one field of it, was set. */
export interface ReplaceChange {
  kind: "replace";
  streamId: string;
  /** The block. */
  id: string;
  /** Path of the field (`tool.status`); absent for the whole block. */
  field?: string;
  /** AG-UI: the tool call that the field lies in. */
  toolCallId?: string;
}

/** A field of a block has grown at its end. */
export interface AppendChange {
  kind: "append";
  streamId: string;
  /** The block. */
  id: string;
  field: string;
  /** The field's length before: UTF-16 code units of a string, elements of an array. */
  from: number;
  /** The field's length after, in the same unit. */
  to: number;
  /** What a string has grown by; absent for an array. */
  text?: string;
  /** AG-UI: the tool call that the field lies in; where calls came to `toolCalls`, the last of them. */
  toolCallId?: string;
}

/** What lies at a path of the model's `meta` was set. AG-UI: the `state` or the `run` has changed. */
export interface MetaChange {
  kind: "meta";
  streamId: string;
  /** The path below `meta` (`error`, `stats`); AG-UI: `state` or `run`. */
  field: string;
  /** AG-UI: what a state delta has touched, as JSON pointer into the state. */
  pointer?: string;
}

export type ChangeSet =
  | { version: number; changes: Change[]; resync?: undefined }
  | { version: number; resync: true; changes?: undefined };
