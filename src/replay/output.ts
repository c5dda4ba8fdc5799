import { shown } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { concatenate } from "../codec/output.js";
import type { Transcoder, Transport } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { isTransport } from "../transport/transports.js";
import type { Recording } from "./recording.js";

const encoder = new TextEncoder();
const LINE_END = encoder.encode("\n");
const BLANK_LINE = encoder.encode("\n\n");
/** What a consumer hears where a connection has broken off in a run of AG-UI and another run follows. */
const BROKEN_OFF = encoder.encode('{"type":"RUN_ERROR","message":"the connection broke off"}');

/**
 * Bytes of one wire.
 *
 * @param to the log's own wire by default
 * @throws StreamfoldError `unsupported_transport` for a wire that the protocol does not have, and for "json", which has no framing
 */
export function write(recording: Recording, to: Transport | undefined, use: (output: Output) => void): Bytes {
  const output = new Output(recording, to ?? recording.options.transport);
  try {
    use(output);
    return output.bytes();
  } finally {
    output.close();
  }
}

/** What a replay writes: events that it makes, and stretches of the log, on one wire. */
export class Output {
  readonly #recording: Recording;
  readonly #to: Exclude<Transport, "json">;
  readonly #parts: Uint8Array[] = [];
  /** From events that are made to the wire, where that is none of text. */
  #made: Transcoder | undefined;
  /** From the wire of the log to another one. */
  #stretches: Transcoder | undefined;
  /** Number of the joint of the log that comes next. */
  #joint = 0;

  constructor(recording: Recording, to: Transport) {
    const { protocol } = recording.options.judging;
    if (typeof to !== "string" || !isTransport(to, protocol) || to === "json") {
      throw usageError("unsupported_transport", `${shown(to)} cannot be written for "${protocol}"`);
    }
    this.#recording = recording;
    this.#to = to;
  }

  /** An event that the replay makes. */
  event(json: Uint8Array, id: string | undefined): void {
    switch (this.#to) {
      case "sse":
        if (id !== undefined) this.#parts.push(encoder.encode(`id: ${id}\n`));
        this.#parts.push(encoder.encode("data: "), json, BLANK_LINE);
        break;
      case "ndjson":
        this.#parts.push(json, LINE_END);
        break;
      default:
        this.#made ??= this.#transcoder("ndjson");
        this.#parts.push(this.#made.push(json), this.#made.push(LINE_END));
    }
  }

  /** Stretches come from here on. */
  goOnFrom(joint: number): void {
    this.#joint = joint;
  }

  /**
   * The messages between two places of the log, behind those of the last stretch. What were several bodies goes out as one: a byte order mark may stand at its
   * beginning only, and a run that was cut off has to end before another one.
   */
  stretch(from: number, to: number): void {
    const { log, joints, options } = this.#recording;
    let at = from;
    for (let joint = joints[this.#joint]; joint !== undefined && joint.at < to; joint = joints[++this.#joint]) {
      if (joint.at > at) {
        this.#copy(at, joint.at);
        at = joint.at;
      }
      if (joint.startsRun) this.event(BROKEN_OFF, undefined);
      if (joint.at === at && options.transport === "sse") at += log.byteOrderMark(at);
    }
    this.#copy(at, to);
  }

  #copy(from: number, to: number): void {
    const { log, options } = this.#recording;
    if (this.#to === options.transport) {
      for (const piece of log.pieces(from, to)) this.#parts.push(piece);
      return;
    }
    this.#stretches ??= this.#transcoder(options.transport);
    for (const piece of log.pieces(from, to)) this.#parts.push(this.#stretches.push(piece));
  }

  /** The last message came without a terminator: it gets one. */
  terminate(): void {
    if (this.#stretches !== undefined) this.#parts.push(this.#stretches.finish());
    else if (this.#to === "sse") this.#parts.push(BLANK_LINE);
    else this.#parts.push(LINE_END);
  }

  /** Everything, as one piece. */
  bytes(): Bytes {
    return concatenate(this.#parts);
  }

  close(): void {
    this.#made?.close();
    this.#stretches?.close();
  }

  /** Every event goes out: those of the log were judged when it was read. */
  #transcoder(from: Transport): Transcoder {
    const { engine, options } = this.#recording;
    const { protocol, limits, utf8, undecodable } = options.judging;
    const { onWarning } = options.listeners;
    return engine.createTranscoder({
      protocol,
      ...(limits && { limits }),
      ...(utf8 && { utf8 }),
      ...(undecodable && { undecodable }),
      ...(onWarning && { onWarning }),
      from,
      to: this.#to,
      enforce: false,
    });
  }
}
