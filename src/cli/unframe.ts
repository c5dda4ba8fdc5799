import { loadEngine } from "../entry/node.js";
import { wholeOf } from "./input.js";
import { EXIT, type Io, write } from "./io.js";
import { type ChoosingOptions, refusal } from "./reading.js";

/** Options of `streamfold unframe`, as commander names them. */
export type UnframeOptions = ChoosingOptions;

/**
 * Restores the block of its storage frames and prints it byte for byte, with a line end behind it.
 *
 * @returns 0, or 1 when the frames do not make one block: then nothing is printed
 */
export async function unframe(file: string, options: UnframeOptions, io: Io): Promise<number> {
  const frames = await wholeOf(file, io);
  const engine = await loadEngine({ kind: options.engine });
  try {
    await write(io.stdout, engine.unframe(frames));
    await write(io.stdout, "\n");
    return EXIT.fine;
  } catch (error) {
    return refusal(error, io);
  } finally {
    engine.close();
  }
}
