import { expectOptions, readable, shown } from "../arguments.js";
import type { Protocol, Transport } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { fitOf, type MediaRange, parseAccept } from "./accept.js";
import { mediaTypeOf, mediaTypesOf } from "./media-types.js";
import { isTransport, transportsOf } from "./transports.js";

/** `T`: the wires that the answer may name, those of `transports`. */
export interface NegotiateOptions<T extends Transport = Transport> {
  protocol: Protocol;
  /** What the server can write, the wire that it likes best first. Default: every wire of the protocol, `sse` first. */
  transports?: readonly T[];
}

/** The wire to answer with, and the value of the `Content-Type` header. */
export interface Negotiated<T extends Transport = Transport> {
  transport: T;
  mediaType: string;
}

/** What a header says about one media type. */
interface Preference {
  /** Weight; 0 for what is not acceptable. */
  q: number;
  /** How exactly it was named. */
  fit: number;
}

/**
 * Chooses the wire of a response from the request's `Accept` header.
 *
 * AG-UI (HTTP + protobuf, rules M1 and M2): where the header admits the protobuf media type, by name or by a wildcard and with whatever weight
 * above 0, protobuf is chosen; where nothing is acceptable, SSE, unless the header refuses it by name. Without a header nobody has asked for protobuf.
 * Everything else is RFC 9110 §12.5.1: the highest weight, of equal ones the wire that is named most exactly, of those the server's first.
 *
 * @param accept the header's value; null, undefined or no well-formed member at all: anything is acceptable
 * @returns undefined when nothing is acceptable: the answer is 406
 * @throws StreamfoldError `bad_argument`, `unsupported_transport` for options that are not as described
 */
export function negotiate<T extends Transport = Transport>(
  accept: string | null | undefined,
  options: NegotiateOptions<T>,
): Negotiated<T> | undefined {
  return choose(accept, options) as Negotiated<T> | undefined;
}

function choose(accept: string | null | undefined, options: NegotiateOptions): Negotiated | undefined {
  const { isAgui, transports } = readable(() => resolve(options));
  if (accept !== undefined && accept !== null && typeof accept !== "string")
    throw usageError("bad_argument", "the Accept header must be a string, null or undefined");
  const ranges = parseAccept(accept ?? "");
  if (ranges.length === 0) {
    const first = transports.find((transport) => transport !== "protobuf") ?? transports[0]!;
    return { transport: first, mediaType: mediaTypeOf(first) };
  }
  if (isAgui && transports.includes("protobuf")) {
    const mediaType = mediaTypeOf("protobuf");
    if (preference(ranges, mediaType, false).q > 0) return { transport: "protobuf", mediaType };
  }
  let best: (Negotiated & Preference) | undefined;
  for (const transport of transports) {
    for (const [place, mediaType] of mediaTypesOf(transport).entries()) {
      // Wildcards mean the usual name of a wire only.
      const { q, fit } = preference(ranges, mediaType, place > 0);
      if (q === 0) continue;
      if (best === undefined || q > best.q || (q === best.q && fit > best.fit)) best = { transport, mediaType, q, fit };
    }
  }
  if (best !== undefined) return { transport: best.transport, mediaType: best.mediaType };
  if (isAgui && transports.includes("sse")) {
    const mediaType = mediaTypeOf("sse");
    if (preference(ranges, mediaType, true).fit === 0) return { transport: "sse", mediaType };
  }
  return undefined;
}

/** What the most exact range that fits says; of equally exact ones the highest weight counts. */
function preference(ranges: readonly MediaRange[], mediaType: string, byNameOnly: boolean): Preference {
  const isText = mediaType.startsWith("text/") || mediaType.endsWith("json") || mediaType.endsWith("jsonl");
  const best: Preference = { q: 0, fit: 0 };
  for (const range of ranges) {
    // Every text here is UTF-8, so that charset asks for nothing else.
    if (range.parameters === "other" || (range.parameters === "utf-8" && !isText)) continue;
    const fit = fitOf(range, mediaType);
    if (fit === 0 || (byNameOnly && fit < 3) || fit < best.fit) continue;
    best.q = fit > best.fit ? range.q : Math.max(best.q, range.q);
    best.fit = fit;
  }
  return best;
}

function resolve(options: NegotiateOptions): { isAgui: boolean; transports: readonly Transport[] } {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", "the options must be an object with a protocol");
  expectOptions(options, "protocol", "transports");
  const { protocol, transports } = options;
  if (protocol !== "agentue" && protocol !== "ag-ui")
    throw usageError("bad_argument", 'protocol must be "agentue" or "ag-ui"');
  if (transports === undefined) return { isAgui: protocol === "ag-ui", transports: transportsOf(protocol) };
  if (!Array.isArray(transports) || transports.length === 0)
    throw usageError("bad_argument", "transports must be a list of at least one name");
  // Read once: what an accessor gives next may be another name.
  const names = [...transports];
  for (const name of names) {
    if (!isTransport(name, protocol))
      throw usageError("unsupported_transport", `${shown(name)} is no wire of "${protocol}"`);
  }
  return { isAgui: protocol === "ag-ui", transports: names };
}
