import { shown } from "../arguments.js";
import type { Transport } from "../engine/contract.js";
import { usageError } from "../errors.js";

/** The wires and their media types: the one that is written first, then other names that clients use for it. */
const MEDIA_TYPES: Readonly<Record<Transport, readonly [string, ...string[]]>> = {
  sse: ["text/event-stream"],
  ndjson: ["application/x-ndjson", "application/ndjson", "application/jsonl"],
  json: ["application/json"],
  msgpack: ["application/vnd.msgpack", "application/msgpack", "application/x-msgpack"],
  protobuf: ["application/vnd.ag-ui.event+proto"],
};

/**
 * The media type of a wire, for a `Content-Type` header.
 *
 * @throws StreamfoldError `unsupported_transport` for a name that is no wire
 */
export function mediaTypeOf(transport: Transport): string {
  return mediaTypesOf(transport)[0];
}

/** All media types of a wire, that of `mediaTypeOf` first. Throws as `mediaTypeOf` does. */
export function mediaTypesOf(transport: Transport): readonly [string, ...string[]] {
  if (typeof transport !== "string" || !Object.hasOwn(MEDIA_TYPES, transport))
    throw usageError("unsupported_transport", shown(transport));
  return MEDIA_TYPES[transport];
}

/**
 * The wire that a `Content-Type` header names: in any case, parameters such as `charset` aside (RFC 9110 §8.3.1).
 *
 * @param contentType the header's value; null and undefined, as header lists answer, for none
 * @returns undefined when no wire has this media type
 */
export function transportOfMediaType(contentType: string | null | undefined): Transport | undefined {
  if (typeof contentType !== "string") return undefined;
  const end = contentType.indexOf(";");
  const name = (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  for (const [transport, names] of Object.entries(MEDIA_TYPES)) {
    if (names.includes(name)) return transport as Transport;
  }
  return undefined;
}
