import { loadEngine, type Protocol, type TranscoderOptions } from "../entry/node.js";
import { chunksOf, transportOf } from "./input.js";
import { EXIT, type Io, write } from "./io.js";
import { limitsOf, protocolOptions, type ReadingOptions } from "./reading.js";
import { place, quietly, Trouble } from "./trouble.js";

/** Options of `streamfold transcode`, as commander names them. */
export interface TranscodeOptions extends ReadingOptions {
  to: TranscoderOptions["to"];
  enforce: boolean;
  toProtocol?: Protocol;
}

/**
 * Writes the events of an input on another wire; what went wrong goes to stderr, and what was written before it goes out in any case.
 *
 * @returns 0, or 1 when something was refused or left out with an error, or the input is cut off. A "json" input is one event and no body: it is judged for refusal only
 */
export async function transcode(file: string, options: TranscodeOptions, io: Io): Promise<number> {
  const from = await transportOf(file, options.from);
  const engine = await loadEngine({ kind: options.engine });
  try {
    const trouble = new Trouble(options.protocol);
    const transcoder = engine.createTranscoder({
      ...protocolOptions(options),
      from,
      to: options.to,
      enforce: options.enforce,
      ...(options.toProtocol !== undefined && { toProtocol: options.toProtocol }),
      limits: limitsOf(options),
      onError: (error) => trouble.error(error),
      onWarning: (warning) => trouble.note(`warning: ${warning.message}${place(warning)}`),
    });
    const put = async (bytes: Uint8Array | undefined): Promise<void> => {
      if (bytes !== undefined && bytes.length > 0) await write(io.stdout, bytes);
      await write(io.stderr, trouble.take());
    };
    for await (const chunk of chunksOf(file, from, options.maxMessage, io)) {
      const written = quietly(() => transcoder.push(chunk));
      await put(written);
      if (written === undefined) break;
    }
    // What a call that has failed had written comes with the next one.
    await put(quietly(() => transcoder.finish()) ?? transcoder.finish());
    if (transcoder.status === "truncated") {
      if (from === "json") trouble.note("note: one event has no end");
      else trouble.fatal("truncated: the input ends inside of a message, or before a stream has ended");
    }
    trouble.close(from, transcoder.stats());
    await put(undefined);
    return trouble.any ? EXIT.refused : EXIT.fine;
  } finally {
    engine.close();
  }
}
