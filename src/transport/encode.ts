import { readable } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type { Transport } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { DEFAULT_LIMITS } from "../limits.js";
import {
  type EncodeOptions,
  type Encoder,
  type EncoderOptions,
  EventEncoder,
  resolveEncodeOptions,
} from "./encoder.js";
import type { SseFields } from "./sse.js";

/** One encoder a wire for calls that have none of their own. */
const shared: Partial<Record<Transport, EventEncoder>> = {};

/**
 * Writes one event as one message of a wire (docs/transports.md): `data: …` and a blank line for `"sse"`, JSON and LF for `"ndjson"`, JSON,
 * MessagePack, or a length and the payload for `"protobuf"`. What the protocol demands of the event is not judged.
 *
 * @param event an object of JSON values; as for `JSON.stringify`, `toJSON` speaks for a value and members that are undefined are left out
 * @returns bytes in a buffer of their own
 * @throws StreamfoldError `not_json` with the path of what JSON does not have, or what a getter has thrown as `cause`; `not_an_event` for anything but
 *   an object, `too_deep`; `bad_event` with a path for what protobuf cannot carry; `unsupported_transport`, `bad_argument` for the options
 */
export function encodeEvent(event: unknown, options: EncodeOptions): Bytes {
  return encoderFor(options).encode(event);
}

/**
 * Writes one event for an SSE response, with an id to resume from or a time to wait before a reconnect. There is no event name: nobody reads one.
 *
 * @throws StreamfoldError as `encodeEvent` does; `bad_argument` for fields that are not as `SseFields` says
 */
export function encodeSse(event: unknown, fields?: SseFields): Bytes {
  return encoderFor({ transport: "sse" }).encode(event, fields);
}

/**
 * Writes events as one piece: the messages of `encodeEvent` behind each other.
 *
 * @returns bytes in a buffer of their own; none for no events
 * @throws StreamfoldError as `encodeEvent` does, with `eventIndex`, the number of the event from 0; `bad_argument` for more than one event
 *   of `"json"`, whose messages do not stand behind each other; and whatever the iteration throws
 */
export function encodeEvents(events: Iterable<unknown>, options: EncodeOptions): Bytes {
  const encoder = new EventEncoder(resolveEncodeOptions(options, false));
  const iterable = events as Partial<Iterable<unknown>> | null | undefined;
  if (typeof readable(() => iterable?.[Symbol.iterator]) !== "function")
    throw usageError("bad_argument", "the events must be an array or another iterable");
  let eventIndex = 0;
  for (const event of events) {
    encoder.append(event, undefined, eventIndex++);
  }
  return encoder.take();
}

/**
 * An encoder that uses its buffers again: for a server that writes many events. Either each by itself, `response.write(encoder.encode(event))`, or those
 * of a tick in one piece: `add` them, then `response.write(encoder.take())`.
 *
 * @throws StreamfoldError `unsupported_transport`, `bad_argument` for options that are not as `EncoderOptions` says
 */
export function createEncoder(options: EncoderOptions): Encoder {
  return new EventEncoder(resolveEncodeOptions(options, true));
}

function encoderFor(options: EncodeOptions): EventEncoder {
  const resolved = resolveEncodeOptions(options, false);
  const { transport, depth } = resolved;
  if (depth !== DEFAULT_LIMITS.depth) return new EventEncoder(resolved);
  shared[transport] ??= new EventEncoder(resolved);
  const encoder = shared[transport];
  // A toJSON that encodes events itself.
  return encoder.isBusy ? new EventEncoder(resolved) : encoder;
}
