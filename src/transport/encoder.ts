import { readable } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import { Output } from "../codec/output.js";
import { POOL, POOLED } from "../codec/result-pool.js";
import { Unwritable } from "../codec/unwritable.js";
import type { Protocol, Transport } from "../engine/contract.js";
import { type Fault, StreamfoldError, usageError } from "../errors.js";
import { DEFAULT_LIMITS, MAXIMUM_LIMITS } from "../limits.js";
import { mediaTypeOf } from "./media-types.js";
import type { SseFields } from "./sse.js";
import { isTransport, transportsOf } from "./transports.js";
import { type Wire, wireOf } from "./wire.js";

/** How events become bytes. */
export interface EncodeOptions {
  transport: Transport;
  /** Default: an event with `op` is AgentUE's, one with `type` AG-UI's. The protocol decides about `"protobuf"` alone. */
  protocol?: Protocol | undefined;
  /** Levels of nesting of an event, as `limits.depth` of its reader. Default 512, at most 4096. */
  depth?: number | undefined;
}

export interface EncoderOptions extends EncodeOptions {
  /**
   * Whether the results share larger buffers, as small `Buffer`s of Node do: that saves an allocation per event. `bytes.buffer` then holds other
   * events too, so it must be neither sent nor transferred. Default false: each result has a buffer of its own.
   */
  pool?: boolean | undefined;
}

interface Resolved {
  transport: Transport;
  depth: number;
  pool: boolean;
}

/** Writes events as the messages of one wire, with buffers that it uses again. */
export interface Encoder {
  readonly transport: Transport;
  /** For the `Content-Type` header. */
  readonly mediaType: string;
  /** Bytes that `add` has gathered. */
  readonly pending: number;
  /**
   * One event as one message.
   *
   * @param fields `id` and `retry`, for `"sse"` only
   * @throws StreamfoldError as `encodeEvent` does, `reentrant` from inside of a getter or `toJSON` of an event
   */
  encode(event: unknown, fields?: SseFields): Bytes;
  /** Writes an event behind those that are pending; one that cannot be written leaves no trace. Throws as `encode` does, for `"json"` also `bad_argument` when one is pending. */
  add(event: unknown, fields?: SseFields): void;
  /** The messages that are pending, in one piece; none are afterwards. */
  take(): Bytes;
}

/** Bytes of a buffer at first. */
const FIRST = 1024;
/** A buffer of one encoder alone that has grown beyond this is not kept. */
const KEPT = 256 * 1024;

/** The encoder behind every function here. */
export class EventEncoder implements Encoder {
  readonly transport: Transport;
  readonly mediaType: string;
  /** Whether an event is being written. */
  isBusy = false;
  private readonly depth: number;
  private readonly isPooled: boolean;
  /** What is pending stands behind `from`. */
  private readonly out: Output;
  private wire: Wire;

  /** @param options as `resolveEncodeOptions` gives them */
  constructor({ transport, depth, pool }: Resolved) {
    this.transport = transport;
    this.mediaType = mediaTypeOf(transport);
    this.depth = depth;
    this.isPooled = pool;
    this.out = new Output(pool ? POOL : FIRST);
    this.wire = wireOf(transport, this.out, depth);
  }

  get pending(): number {
    return this.out.length - this.out.from;
  }

  encode(event: unknown, fields?: SseFields): Bytes {
    const { out } = this;
    const { pending } = this;
    this.write(event, fields);
    if (this.isPooled && pending === 0) return this.handOut();
    const bytes = out.bytes.slice(out.from + pending, out.length);
    out.length = out.from + pending;
    if (pending === 0) this.trim();
    return bytes;
  }

  add(event: unknown, fields?: SseFields): void {
    this.append(event, fields);
  }

  /** `add`; a fault tells the number of the event. */
  append(event: unknown, fields: SseFields | undefined, eventIndex?: number): void {
    if (this.transport === "json" && this.pending > 0 && !this.isBusy)
      throw usageError(
        "bad_argument",
        'messages of "json" do not stand behind each other: "ndjson" is the wire for that',
      );
    this.write(event, fields, eventIndex);
  }

  take(): Bytes {
    if (this.isBusy) throw usageError("reentrant");
    return this.handOut();
  }

  /** Gives away what is pending. */
  private handOut(): Bytes {
    const { out } = this;
    if (this.isPooled && this.pending < POOLED) {
      const bytes = out.bytes.subarray(out.from, out.length);
      out.from = out.length;
      return bytes;
    }
    const bytes = out.copy();
    out.length = out.from;
    this.trim();
    return bytes;
  }

  /** With nothing pending: goes on at the front of a buffer that nobody shares, and lets go of one that has grown. */
  private trim(): void {
    const { out } = this;
    if (out.bytes.length > (this.isPooled ? POOL : KEPT)) out.renew();
    else if (!this.isPooled) {
      out.length = 0;
      out.from = 0;
    }
  }

  /** Writes a message behind what is pending, or leaves no trace. */
  private write(event: unknown, fields: SseFields | undefined, eventIndex?: number): void {
    if (this.isBusy) throw usageError("reentrant");
    if (fields !== undefined && this.transport !== "sse")
      throw usageError("bad_argument", 'only messages of "sse" have an id and retry');
    const { out } = this;
    const { pending } = this;
    this.isBusy = true;
    try {
      this.wire.write(event, fields);
    } catch (error) {
      out.length = out.from + pending;
      // The old one may still hold parts of the event.
      this.wire = wireOf(this.transport, out, this.depth);
      throw failure(error, event, eventIndex);
    } finally {
      this.isBusy = false;
    }
  }
}

/** The public form of what a writer throws. */
function failure(error: unknown, event: unknown, eventIndex: number | undefined): StreamfoldError {
  if (error instanceof StreamfoldError) return error;
  if (!(error instanceof Unwritable)) {
    const failed = new StreamfoldError({ code: "not_json", detail: "reading it has thrown", ...numbered(eventIndex) });
    failed.cause = error;
    return failed;
  }
  const { code, path, cause } = error;
  const fault: Fault = { code, ...(code !== "out_of_memory" && { path }), ...numbered(eventIndex) };
  if (code === "bad_event") {
    const { type } = event as { type?: unknown };
    if (typeof type === "string") fault.eventType = type;
    fault.detail =
      path === "/type" ? "this wire has no message for its type" : "this wire has no form for what stands there";
  }
  const failed = new StreamfoldError(fault);
  if (cause !== undefined) failed.cause = cause;
  return failed;
}

const numbered = (eventIndex: number | undefined) => (eventIndex === undefined ? {} : { eventIndex });

/**
 * Checks options and fills in the defaults.
 *
 * @throws StreamfoldError `bad_argument`, `unsupported_transport`
 */
export function resolveEncodeOptions(options: EncoderOptions, takesPool: boolean): Resolved {
  return readable(() => resolve(options, takesPool));
}

function resolve(options: EncoderOptions, takesPool: boolean): Resolved {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", "the options must be an object with a transport");
  for (const name in options) {
    const isKnown = name === "transport" || name === "protocol" || name === "depth" || (takesPool && name === "pool");
    if (!isKnown && Object.hasOwn(options, name)) throw usageError("bad_argument", `there is no option ${name}`);
  }
  const { transport, protocol, depth = DEFAULT_LIMITS.depth, pool = false } = options;
  if (protocol !== undefined && protocol !== "agentue" && protocol !== "ag-ui")
    throw usageError("bad_argument", 'protocol must be "agentue" or "ag-ui"');
  if (typeof transport !== "string") throw usageError("bad_argument", 'transport must be a name such as "sse"');
  if (!isTransport(transport, protocol ?? "ag-ui")) {
    const names = transportsOf(protocol ?? "ag-ui").map((name) => JSON.stringify(name));
    throw usageError("unsupported_transport", `${JSON.stringify(transport)}; there are ${names.join(", ")}`);
  }
  if (!Number.isInteger(depth) || depth < 1 || depth > MAXIMUM_LIMITS.depth)
    throw usageError("bad_argument", `depth must be an integer from 1 to ${MAXIMUM_LIMITS.depth}`);
  if (typeof pool !== "boolean") throw usageError("bad_argument", "pool must be true or false");
  return { transport, depth, pool };
}
