import { loadEngine } from "../entry/node.js";
import { wholeOf } from "./input.js";
import { EXIT, type Io, write } from "./io.js";
import { type ChoosingOptions, refusal } from "./reading.js";

/** Options of `streamfold frame`, as commander names them. */
export interface FrameOptions extends ChoosingOptions {
  maxBytes: number;
}

/**
 * Cuts a block into storage frames and prints them as NDJSON; white space around the block is left out.
 *
 * @returns 0, or 1 when the input is no inline block: then nothing is printed
 */
export async function frame(file: string, options: FrameOptions, io: Io): Promise<number> {
  const block = await wholeOf(file, io);
  const engine = await loadEngine({ kind: options.engine });
  try {
    await write(io.stdout, engine.frameBlock(block, { maxBytes: options.maxBytes }));
    return EXIT.fine;
  } catch (error) {
    return refusal(error, io);
  } finally {
    engine.close();
  }
}
