// Limits of the connection whose messages are read next.

/** Nesting of a message; a model may be nested one level less. */
export let maxDepth: u32 = 0;
/** Characters of one number text. */
export let maxNumber: u32 = 0;
/** Blocks of one model. */
export let maxBlocks: u32 = 0;
/** Bytes of one model as compact JSON. */
export let maxModel: u32 = 0;

export function setLimits(depth: u32, numberLength: u32, blocks: u32, modelBytes: u32): void {
  maxDepth = depth;
  maxNumber = numberLength;
  maxBlocks = blocks;
  maxModel = modelBytes;
}
