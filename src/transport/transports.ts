import type { Transport } from "../engine/contract.js";

/** The wires that a reducer of this version reads. */
export const TRANSPORTS: readonly Transport[] = ["sse", "ndjson", "json"];

/** Whether `name` is one of `TRANSPORTS`. */
export function isTransport(name: string): name is Transport {
  return (TRANSPORTS as readonly string[]).includes(name);
}
