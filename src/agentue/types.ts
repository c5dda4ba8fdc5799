/** The error object of `meta.error` (AgentUE §3.2). */
export interface AgentUEError {
  code: string;
  message: string;
  detail?: string | null;
  trace_id?: string | null;
  [member: string]: unknown;
}

/** Model-level metadata; members that AgentUE does not name are kept (AgentUE §3.2). */
export interface AgentUEMeta {
  error?: AgentUEError | null;
  task_id?: string | null;
  trace_id?: string | null;
  stats?: { [member: string]: unknown } | null;
  [member: string]: unknown;
}

/** A block with its body; everything but the members named here is the domain's (AgentUE §3.3). */
export interface AgentUEInlineBlock {
  id: string;
  type: string;
  parent_id?: string | null;
  group_id?: string | null;
  /** A member `ref` would make it a reference block. */
  ref?: never;
  [member: string]: unknown;
}

/** A piece of another block's JSON text, kept as a block of its own (AgentUE §3.3; docs/frames.md). */
export interface AgentUEFrameBlock extends AgentUEInlineBlock {
  type: "frame";
  /** The block that it is a piece of. */
  block_id: string;
  /** Which piece, from 0. */
  seq: number;
  /** How many pieces there are. */
  total: number;
  data: string;
}

/** A block whose body the application keeps elsewhere: these two members and no other (AgentUE §3.4). */
export interface AgentUEReferenceBlock {
  id: string;
  ref: string;
  type?: never;
}

export type AgentUEBlock = AgentUEInlineBlock | AgentUEReferenceBlock;

/** The complete model (AgentUE §3.1). Reference blocks need version "1.1". */
export interface AgentUEModel {
  version: "1.0" | "1.1";
  biz: string;
  meta: AgentUEMeta;
  blocks: AgentUEBlock[];
  [member: string]: unknown;
}

/** What every event may carry (AgentUE §4). */
interface Envelope {
  /** 0 to 2^53-1. */
  seq: number;
  /** Absent or "" is the unnamed stream. */
  stream_id?: string;
  /** Unix time in milliseconds. */
  ts?: number;
  event_type?: string;
}

/** Establishes or replaces the model (AgentUE §5.1). */
export interface AgentUEStartEvent extends Envelope {
  op: "start";
  model: AgentUEModel;
  mask?: never;
  meta?: never;
  block?: never;
}

/** Inserts or replaces a whole block (AgentUE §5.2). */
export interface AgentUESetBlockEvent extends Envelope {
  op: "set";
  block: AgentUEBlock;
  mask?: never;
  model?: never;
  meta?: never;
}

/** Sets what lies at a path of a block: `block` holds the id and the value at that path (AgentUE §5.2). */
export interface AgentUESetFieldEvent extends Envelope {
  op: "set";
  mask: `block.${string}`;
  block: { id: string; ref?: never; [member: string]: unknown };
  model?: never;
  meta?: never;
}

/** Sets what lies at a path of the metadata (AgentUE §5.2). */
export interface AgentUESetMetaEvent extends Envelope {
  op: "set";
  mask: `meta.${string}`;
  meta: AgentUEMeta;
  model?: never;
  block?: never;
}

export type AgentUESetEvent = AgentUESetBlockEvent | AgentUESetFieldEvent | AgentUESetMetaEvent;

/** Appends a string or array to one field of a block, or inserts the block when it is complete (AgentUE §5.3). */
export interface AgentUEAppendEvent extends Envelope {
  op: "append";
  mask: `block.${string}`;
  block: { id: string; ref?: never; [member: string]: unknown };
  model?: never;
  meta?: never;
}

/** Sets `meta.error` and signals failure (AgentUE §5.4). */
export interface AgentUEErrorEvent extends Envelope {
  op: "error";
  mask: "meta.error";
  meta: { error: AgentUEError; [member: string]: unknown };
  model?: never;
  block?: never;
}

/** Keeps a delivery alive; `seq` is the latest known one (AgentUE §5.5). */
export interface AgentUEPingEvent extends Envelope {
  op: "ping";
  mask?: never;
  model?: never;
  meta?: never;
  block?: never;
}

/** Ends the delivery of one logical stream (AgentUE §5.6). */
export interface AgentUEEndEvent extends Envelope {
  op: "end";
  mask?: never;
  model?: never;
  meta?: never;
  block?: never;
}

/** An AgentUE 1.1 event, told apart by `op` (and `mask` for "set"). */
export type AgentUEEvent =
  | AgentUEStartEvent
  | AgentUESetEvent
  | AgentUEAppendEvent
  | AgentUEErrorEvent
  | AgentUEPingEvent
  | AgentUEEndEvent;
