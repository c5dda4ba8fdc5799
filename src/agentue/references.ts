import type { AgentUEBlock, AgentUEModel, AgentUEReferenceBlock } from "./types.js";

/** An unresolved reference: the block's id and its opaque key. Several blocks may have the same key. */
export interface AgentUEReference {
  id: string;
  ref: string;
}

/** Whether a block of a valid model is a reference: a member `ref` makes it one (AgentUE §3.4). */
export function isReferenceBlock(block: AgentUEBlock): block is AgentUEReferenceBlock {
  return Object.hasOwn(block, "ref");
}

/**
 * The references that have not been materialized yet.
 *
 * @param model a snapshot, or undefined as `snapshot()` gives it for a stream without a model
 * @returns ids and keys in block order
 */
export function listReferences(model: AgentUEModel | undefined): AgentUEReference[] {
  return (model?.blocks ?? []).filter(isReferenceBlock).map(({ id, ref }) => ({ id, ref }));
}
