import { loadEngine, type ModelFormat, type Reducer, StreamfoldError } from "../entry/node.js";
import { chunksOf, transportOf } from "./input.js";
import { EXIT, type Io, UsageError, write } from "./io.js";
import { mapOf } from "./msgpack.js";
import { Indenter } from "./pretty.js";
import { limitsOf, protocolOptions, type ReadingOptions } from "./reading.js";
import { place, quietly, Trouble } from "./trouble.js";

/** Options of `streamfold reduce`, as commander names them. */
export interface ReduceOptions extends ReadingOptions {
  to: ModelFormat;
  stream?: string;
  allStreams?: boolean;
  pretty?: boolean;
}

/**
 * Folds an input and prints the model (or an object of models by stream id) as JSON or MessagePack; what went wrong goes to stderr. What there is of
 * the models is printed in any case.
 *
 * @returns 0, or 1 when something was refused, the input is cut off or the asked-for stream is missing. A "json" input is one event and
 *   no body: it is judged for refusal only
 */
export async function reduce(file: string, options: ReduceOptions, io: Io): Promise<number> {
  if (options.pretty && options.to === "msgpack") throw new UsageError("--pretty is for --to json");
  const transport = await transportOf(file, options.from);
  const engine = await loadEngine({ kind: options.engine });
  const trouble = new Trouble(options.protocol, options.stream);
  const reducer = engine.createReducer({
    ...protocolOptions(options),
    transport,
    limits: limitsOf(options),
    onError: (error) => trouble.error(error),
    onWarning: (warning) => trouble.note(`warning: ${warning.message}${place(warning)}`),
  });
  try {
    for await (const chunk of chunksOf(file, transport, options.maxMessage, io)) {
      const applied = quietly(() => reducer.push(chunk));
      await write(io.stderr, trouble.take());
      if (applied === undefined) break;
    }
    quietly(() => reducer.finish());
    trouble.end(reducer.finish(), transport);
    trouble.close(transport, reducer.stats());
    const printed = options.to === "msgpack" ? printMsgpack : printJson;
    if (!(await printed(reducer, options, io, trouble)))
      trouble.fatal(
        `error: there is no ${options.stream === "" ? "unnamed stream" : `stream ${JSON.stringify(options.stream)}`}`,
      );
    await write(io.stderr, trouble.take());
    return trouble.any ? EXIT.refused : EXIT.fine;
  } finally {
    engine.close();
  }
}

/** The one stream whose model is asked for; undefined: an object of all. */
function onlyOf(ids: readonly string[], { stream, allStreams }: ReduceOptions): string | undefined {
  return stream ?? (ids.length === 1 && !allStreams ? ids[0] : undefined);
}

/** Prints what was asked for; false when the asked-for stream has no model. */
async function printJson(reducer: Reducer, options: ReduceOptions, io: Io): Promise<boolean> {
  const indenter = options.pretty ? new Indenter() : undefined;
  const print = (json: string | Uint8Array): Promise<void> => {
    const bytes = typeof json === "string" ? Buffer.from(json) : json;
    return write(io.stdout, indenter ? indenter.indent(bytes) : bytes);
  };
  const ids = reducer.streamIds();
  const only = onlyOf(ids, options);
  if (only !== undefined) {
    if (reducer.status({ streamId: only }) === "none") return false;
    await print(reducer.snapshotBytes({ streamId: only }));
  } else if (ids.length > 0 || options.allStreams) {
    await print("{");
    for (const [index, streamId] of ids.entries()) {
      await print(`${index > 0 ? "," : ""}${JSON.stringify(streamId)}:`);
      await print(reducer.snapshotBytes({ streamId }));
    }
    await print("}");
  } else return true;
  await write(io.stdout, "\n");
  return true;
}

/** The same as MessagePack. A model that has no form there is an error, and then nothing is printed. */
async function printMsgpack(reducer: Reducer, options: ReduceOptions, io: Io, trouble: Trouble): Promise<boolean> {
  const ids = reducer.streamIds();
  const only = onlyOf(ids, options);
  if (only !== undefined && reducer.status({ streamId: only }) === "none") return false;
  if (only === undefined && ids.length === 0 && !options.allStreams) return true;
  const bytesOf = (streamId: string) => reducer.snapshotBytes({ streamId, format: "msgpack" });
  let parts: Uint8Array[];
  try {
    parts = only === undefined ? mapOf(ids.map((id) => [id, bytesOf(id)] as const)) : [bytesOf(only)];
  } catch (error) {
    if (!(error instanceof StreamfoldError) || error.code !== "bad_msgpack") throw error;
    trouble.error(error);
    return true;
  }
  for (const part of parts) await write(io.stdout, part);
  return true;
}
