import {
  type FinishResult,
  loadEngine,
  type Reducer,
  StreamfoldError,
  type StreamStatus,
  type Transport,
} from "../entry/node.js";
import { chunksOf, transportOf } from "./input.js";
import { EXIT, type Io, line, write } from "./io.js";
import { Indenter } from "./pretty.js";
import { protocolOptions, type ReadingOptions } from "./reading.js";

/** Options of `streamfold reduce`, as commander names them. */
export interface ReduceOptions extends ReadingOptions {
  stream?: string;
  allStreams?: boolean;
  pretty?: boolean;
}

/** So many reports one chunk of the command line can hold at most: a message has two bytes or more. */
export const MOST_REPORTS = 65_536;

/**
 * Folds an input and prints the model (or an object of models by stream id) as JSON; what went wrong goes to stderr. What there is of
 * the models is printed in any case.
 *
 * @returns 0, or 1 when something was refused, the input is cut off or the asked-for stream is missing. A "json" input is one event and
 *   no body: it is judged for refusal only
 */
export async function reduce(file: string, options: ReduceOptions, io: Io): Promise<number> {
  const transport = await transportOf(file, options.from);
  const engine = await loadEngine({ kind: options.engine });
  const trouble = new Trouble(options.stream);
  const reducer = engine.createReducer({
    ...protocolOptions(options),
    transport,
    limits: { reports: MOST_REPORTS, messageBytes: options.maxMessage },
    onError: (error) => trouble.error(error),
    onWarning: (warning) => trouble.note(`warning: ${warning.message}${place(warning)}`),
  });
  try {
    for await (const chunk of chunksOf(file, transport, options.maxMessage, io)) {
      const goesOn = quietly(() => reducer.push(chunk));
      await write(io.stderr, trouble.take());
      if (!goesOn) break;
    }
    quietly(() => reducer.finish());
    trouble.end(reducer.finish(), transport);
    const printed = await printModels(reducer, options, io);
    if (!printed)
      trouble.fatal(
        `error: there is no ${options.stream === "" ? "unnamed stream" : `stream ${JSON.stringify(options.stream)}`}`,
      );
    await write(io.stderr, trouble.take());
    return trouble.any ? EXIT.refused : EXIT.fine;
  } finally {
    engine.close();
  }
}

/** Runs a call whose failures `onError` has heard already; false when the connection has failed. */
function quietly(call: () => unknown): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if (error instanceof StreamfoldError && error.scope === "connection") return false;
    throw error;
  }
}

/** Collects the lines for stderr, and whether the exit code must tell. With one stream asked for, faults of others do not count. */
class Trouble {
  any = false;
  #lines = "";
  readonly #only: string | undefined;

  constructor(only: string | undefined) {
    this.#only = only;
  }

  error(error: StreamfoldError): void {
    const concerns = this.#only === undefined || error.scope !== "stream" || error.streamId === this.#only;
    if (concerns) this.fatal(`error: ${error.code}: ${error.message}`);
    else this.note(`error: ${error.code}: ${error.message}`);
  }

  end(result: FinishResult, transport: Transport): void {
    const why = whyTruncated(result);
    if (why === undefined) return;
    const stream = result.streams.find(({ streamId }) => streamId === this.#only);
    if (transport === "json") this.note(`note: ${why}`);
    else if (this.#only !== undefined && stream !== undefined && hasEnded(stream.status))
      this.note(`truncated: ${why}`);
    else this.fatal(`truncated: ${why}`);
  }

  fatal(text: string): void {
    this.any = true;
    this.note(text);
  }

  note(text: string): void {
    this.#lines += line(text);
  }

  take(): string {
    const lines = this.#lines;
    this.#lines = "";
    return lines;
  }
}

/** The streams of a body that was not cut off are in one of these statuses; a run that failed has said so itself. */
const ENDED: ReadonlySet<StreamStatus> = new Set(["ended", "finished", "interrupted", "cancelled", "failed"]);

function hasEnded(status: StreamStatus): boolean {
  return ENDED.has(status);
}

/** Why a body counts as cut off, or undefined when it does not. */
export function whyTruncated(result: FinishResult): string | undefined {
  if (result.status === "complete") return undefined;
  if (result.streams.length === 0) return "no stream was opened";
  const cut = result.streams.filter(({ status }) => !hasEnded(status));
  if (cut.length === 0) return "the input ends inside a message";
  const shown = cut.slice(0, 10).map(({ streamId, status }) => `${nameOf(streamId)} is ${status}`);
  return `${shown.join(", ")}${cut.length > shown.length ? ` and ${cut.length - shown.length} more` : ""}, without an end`;
}

function nameOf(streamId: string): string {
  return streamId === "" ? "the unnamed stream" : `stream ${JSON.stringify(streamId)}`;
}

/** ` [stream "a", event 3]` */
function place({ streamId, eventIndex }: { streamId?: string; eventIndex: number }): string {
  return ` [${streamId ? `stream ${JSON.stringify(streamId)}, ` : ""}event ${eventIndex}]`;
}

/** Prints what was asked for; false when the asked-for stream has no model. */
async function printModels(reducer: Reducer, options: ReduceOptions, io: Io): Promise<boolean> {
  const indenter = options.pretty ? new Indenter() : undefined;
  const print = (json: string | Uint8Array): Promise<void> => {
    const bytes = typeof json === "string" ? Buffer.from(json) : json;
    return write(io.stdout, indenter ? indenter.indent(bytes) : bytes);
  };
  const ids = reducer.streamIds();
  const only = options.stream ?? (ids.length === 1 && !options.allStreams ? ids[0] : undefined);
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
