import { encodeEvent } from "../entry/node.js";

const MSGPACK = { transport: "msgpack" } as const;

/**
 * The MessagePack of a map whose values come written: head and names are the encoder's, which knows no values of that kind.
 *
 * @param entries names, of which none comes twice, and the bytes of their values
 * @returns the pieces of the map, in their order
 */
export function mapOf(entries: readonly (readonly [string, Uint8Array])[]): Uint8Array[] {
  // A map of one member has a head of one byte, and so has null.
  const names = entries.map(([name]) => encodeEvent({ [name]: null }, MSGPACK).subarray(1, -1));
  const ofNulls = encodeEvent(Object.fromEntries(entries.map(([name]) => [name, null])), MSGPACK);
  const members = names.reduce((sum, name) => sum + name.length + 1, 0);
  return [ofNulls.subarray(0, ofNulls.length - members), ...entries.flatMap(([, value], i) => [names[i]!, value])];
}
