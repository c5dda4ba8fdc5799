import { describe, readable, shown } from "../../arguments.js";
import type { Bytes } from "../../bytes.js";
import { usageError } from "../../errors.js";
import { DEFAULT_LIMITS, type Limits, resolveLimits } from "../../limits.js";
import type { AgentUEEvent, AgentUEInlineBlock, AgentUEReferenceBlock } from "../types.js";

/** The wires of AgentUE. */
export type EmitterTransport = "sse" | "ndjson" | "msgpack" | "json";

/** What a call of an emitter gives: bytes to be written behind those before; of "json", whose messages stand alone, one element for each. */
export type Emitted<T extends EmitterTransport> = T extends "json" ? Bytes[] : Bytes;

/** The limits of a consumer that concern what is sent to it. */
export type ConsumerLimits = Partial<Pick<Limits, "blocks" | "depth" | "messageBytes" | "modelBytes">>;

export interface EmitterOptions<T extends EmitterTransport = EmitterTransport> {
  transport: T;
  /** The logical stream; omitted or "" is the unnamed one, whose events carry no `stream_id` (AgentUE §4.2). */
  streamId?: string;
  /** The seq that was used last; the first event has the next one. Default 0. */
  seq?: number;
  /**
   * What the consumers understand: "1.1" (default), or "1.0", inline blocks only. For "1.0" models get that version, and references are refused with `bad_block`
   * unless `materialize` gives their bodies (AgentUE §3.5).
   */
  consumer?: "1.0" | "1.1";
  /** The version of models that come without one. Default: that of the consumer. */
  version?: "1.0" | "1.1";
  /**
   * The complete inline block of a reference. For `consumer: "1.0"` it goes out in the place of each reference. For `"1.1"` references go out as they are, and it is
   * asked for when one is about to be patched: the emitter then goes on with the body, as the consumers do who have loaded it, and no event says so; nothing
   * refuses the patch with `unresolved_reference`. What it throws is the `cause` of `load_failed`.
   */
  materialize?(block: AgentUEReferenceBlock): AgentUEInlineBlock | undefined;
  /**
   * Sees every event before it is judged and written, secrets of payloads among them (AgentUE §8): gives the event or another one with the same op, seq and
   * stream, which it must not have changed in place, or undefined to leave it out.
   */
  redact?(event: AgentUEEvent): AgentUEEvent | undefined;
  /** Bytes that one message should not exceed: large strings and arrays are split over several `append` events. Default: nothing is split. */
  splitAt?: number;
  /**
   * Holds appends to one field until another event, `flush()`, or so many UTF-16 code units or elements have come, and writes them as one. `true`: 4,096.
   * Default: nothing is held.
   */
  coalesce?: boolean | number;
  /** Whether every event carries `ts`; `ping` always does (AgentUE §5.5). Default false. */
  ts?: boolean;
  /** Unix time in milliseconds for `ts`. Default `Date.now`. */
  now?(): number;
  /** For "sse": the id of an event, a cursor to resume from; undefined: none. */
  id?(event: AgentUEEvent): string | undefined;
  /** Default: those of a reducer. */
  limits?: ConsumerLimits;
  /** As for encoders: the results share larger buffers. Default false. */
  pool?: boolean;
}

/** Options with their defaults, checked. */
export interface Resolved {
  transport: EmitterTransport;
  streamId: string;
  seq: number;
  consumer: "1.0" | "1.1";
  version: "1.0" | "1.1";
  materialize: EmitterOptions["materialize"];
  redact: EmitterOptions["redact"];
  splitAt: number;
  /** Units to hold; 0: none. */
  coalesce: number;
  ts: boolean;
  now: () => number;
  id: EmitterOptions["id"];
  limits: Limits;
  pool: boolean;
}

const NAMES: { readonly [Name in keyof Required<EmitterOptions>]: true } = {
  transport: true,
  streamId: true,
  seq: true,
  consumer: true,
  version: true,
  materialize: true,
  redact: true,
  splitAt: true,
  coalesce: true,
  ts: true,
  now: true,
  id: true,
  limits: true,
  pool: true,
};
const LIMITS: readonly string[] = ["blocks", "depth", "messageBytes", "modelBytes"];
const TRANSPORTS: readonly string[] = ["sse", "ndjson", "msgpack", "json"];
/** Below this hardly any event has room for a part of its text. */
const LEAST_SPLIT = 128;
const HELD = 4096;

/**
 * Checks the options of an emitter and fills in the defaults.
 *
 * @throws StreamfoldError `unsupported_transport`, `bad_argument`
 */
export function resolveEmitterOptions(options: EmitterOptions): Resolved {
  return readable(() => resolve(options));
}

function resolve(options: EmitterOptions): Resolved {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", `the options must be an object, not ${describe(options)}`);
  for (const name of Object.keys(options))
    if (!Object.hasOwn(NAMES, name)) throw usageError("bad_argument", `there is no option ${JSON.stringify(name)}`);
  const { transport, streamId = "", seq = 0, consumer = "1.1", splitAt = Number.POSITIVE_INFINITY } = options;
  if (!TRANSPORTS.includes(transport))
    throw usageError("unsupported_transport", `${shown(transport)}; there are ${TRANSPORTS.join(", ")}`);
  if (typeof streamId !== "string") throw usageError("bad_argument", "streamId must be a string");
  if (!Number.isSafeInteger(seq) || seq < 0)
    throw usageError("bad_argument", "seq must be an integer from 0 to 2^53-1");
  const version = options.version ?? consumer;
  for (const one of [consumer, version])
    if (one !== "1.0" && one !== "1.1") throw usageError("bad_argument", 'consumer and version must be "1.0" or "1.1"');
  if (consumer === "1.0" && version === "1.1")
    throw usageError("bad_argument", "a consumer of 1.0 does not know models of version 1.1");
  if (splitAt !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(splitAt) && splitAt >= LEAST_SPLIT))
    throw usageError("bad_argument", `splitAt must be an integer from ${LEAST_SPLIT}`);
  const coalesce = options.coalesce === true ? HELD : options.coalesce || 0;
  if (!Number.isSafeInteger(coalesce) || coalesce < 0)
    throw usageError("bad_argument", "coalesce must be true, false or an integer from 1");
  const limits = limitsOf(options.limits);
  if (coalesce > limits.messageBytes / 8)
    throw usageError("bad_argument", "coalesce must be no more than an eighth of limits.messageBytes");
  if (options.id !== undefined && transport !== "sse")
    throw usageError("bad_argument", 'only messages of "sse" have an id');
  const { ts = false, pool = false } = options;
  if (typeof ts !== "boolean" || typeof pool !== "boolean")
    throw usageError("bad_argument", "ts and pool must be true or false");
  return {
    transport,
    streamId,
    seq,
    consumer,
    version,
    materialize: hook(options, "materialize"),
    redact: hook(options, "redact"),
    splitAt,
    coalesce,
    ts,
    now: hook(options, "now") ?? Date.now,
    id: hook(options, "id"),
    limits,
    pool,
  };
}

function hook<K extends "materialize" | "redact" | "now" | "id">(options: EmitterOptions, name: K): EmitterOptions[K] {
  const value: unknown = options[name];
  if (value === undefined) return undefined;
  if (typeof value !== "function")
    throw usageError("bad_argument", `${name} must be a function, not ${describe(value)}`);
  return value.bind(options) as EmitterOptions[K];
}

function limitsOf(given: ConsumerLimits | undefined): Limits {
  if (given === undefined) return { ...DEFAULT_LIMITS };
  for (const name of Object.keys(given ?? {}))
    if (!LIMITS.includes(name)) throw usageError("bad_argument", `an emitter has no limit named ${name}`);
  return resolveLimits(given);
}
