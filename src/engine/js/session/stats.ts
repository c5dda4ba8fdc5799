import type { Stats } from "../../contract.js";

/** Counters that are all zero. */
export function emptyStats(): Stats {
  return {
    events: 0,
    bytes: 0,
    applied: 0,
    skipped: 0,
    dropped: 0,
    errors: 0,
    warnings: 0,
    streams: 0,
    blocks: 0,
    queued: 0,
    version: 0,
    memory: 0,
  };
}
