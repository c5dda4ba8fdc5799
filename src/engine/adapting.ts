// How AG-UI is to look as AgentUE: what applications say of it, and what sessions are told.

/** How AG-UI becomes AgentUE. */
export interface AdaptOptions {
  /** `biz` of the models. */
  biz: string;
  /** `stream_id` of the events, "" for none. */
  streamId: string;
  block?: BlockHook;
}

/** Sees a block whenever it is new or has changed, as a value of its own; gives what is to go out in its place, or nothing (docs/adapter.md §10). */
export type BlockHook = BlockHandler["block"];

interface BlockHandler {
  // a method: its parameter may be declared as the block that it is
  block(block: Record<string, unknown>, context: BlockContext): unknown;
}

/** What a block hook is told besides the block. */
export interface BlockContext {
  /** Type of the AG-UI event that has made or changed the block, "" at the end of the body and where the stream is rejected. */
  eventType: string;
}

/** How AG-UI events are to look as AgentUE (docs/adapter.md). */
export interface AdapterOptions {
  /** `biz` of the models: no empty string. Default "ag-ui". */
  biz?: string;
  /** `stream_id` of the events. Default: none, the unnamed stream. */
  streamId?: string;
  /** Overrides blocks: gives the block that goes out in the place of each, `undefined` to leave it out. Such a transcoder runs on the plain JavaScript engine. */
  block?: BlockHook;
}
