import { loadEngine, StreamfoldError, type Warning } from "../entry/node.js";
import { chunksOf, transportOf } from "./input.js";
import { EXIT, type Io, line, write } from "./io.js";
import { limitsOf, protocolOptions, type ReadingOptions } from "./reading.js";
import { FAR, otherProtocol, otherWire, whyTruncated } from "./trouble.js";

/** Options of `streamfold verify`, as commander names them. */
export type VerifyOptions = ReadingOptions;

/**
 * Checks an input against the protocol and goes on behind each violation. Prints one line per violation or warning and a last line
 * that sums up.
 *
 * @returns 0, or 1 when there was a violation or the input is cut off. A "json" input is one event and no body: it is judged for
 *   violations only
 */
export async function verify(file: string, options: VerifyOptions, io: Io): Promise<number> {
  const transport = await transportOf(file, options.from);
  const engine = await loadEngine({ kind: options.engine });
  let lines = "";
  let hint: string | undefined;
  const add = (text: string): void => {
    lines += line(text);
  };
  const flush = (): Promise<void> => {
    const text = lines;
    lines = "";
    return text === "" ? Promise.resolve() : write(io.stdout, text);
  };
  const reducer = engine.createReducer({
    ...protocolOptions(options),
    transport,
    onViolation: "skip-event",
    undecodable: "skip",
    limits: limitsOf(options),
    onError: (error) => {
      add(entry(error, sentence(error)));
      const found = otherProtocol(options.protocol, error);
      if (found === undefined) return;
      add(found);
      hint = found;
    },
    onWarning: (warning) => add(entry(warning, `warning: ${warning.message}`)),
  });
  try {
    for await (const chunk of chunksOf(file, transport, options.maxMessage, io)) {
      reducer.push(chunk);
      await flush();
    }
    const result = reducer.finish();
    const why = whyTruncated(result);
    if (why !== undefined) add(`end of input  truncated  ${why}`);
    const { events, bytes, applied, skipped, errors, warnings, streams } = reducer.stats();
    const wire = otherWire(transport, { events, bytes });
    if (wire !== undefined) add(wire);
    if (hint !== undefined && errors > FAR) add(hint);
    add(
      [
        `${count(events, "event")}: ${applied} applied`,
        `${skipped} skipped`,
        count(errors, "violation"),
        count(warnings, "warning"),
        count(streams, "stream"),
        result.status,
      ].join(", "),
    );
    await flush();
    const cut = why !== undefined && transport !== "json";
    return errors > 0 || cut ? EXIT.refused : EXIT.fine;
  } finally {
    engine.close();
  }
}

/** `event 12  byte 3401  stream "a"  unknown_op  /op  message`; what there is not is left out. */
function entry(report: StreamfoldError | Warning, text: string): string {
  const parts: string[] = [];
  if (report.eventIndex !== undefined) parts.push(`event ${report.eventIndex}`);
  if ("byteOffset" in report && report.byteOffset !== undefined) parts.push(`byte ${report.byteOffset}`);
  if (report.streamId) parts.push(`stream ${JSON.stringify(report.streamId)}`);
  parts.push(report.code);
  if (report.path !== undefined) parts.push(report.path === "" ? '""' : report.path);
  parts.push(text);
  return parts.join("  ");
}

/** An error's message without the position at its end, which has columns of its own here. */
function sentence(error: StreamfoldError): string {
  const { code, path, opIndex, streamId, seq, eventIndex, byteOffset } = error;
  const bare = new StreamfoldError({ code }).message;
  const placed = new StreamfoldError({ code, path, opIndex, streamId, seq, eventIndex, byteOffset }).message;
  return error.message.slice(0, error.message.length - (placed.length - bare.length));
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
