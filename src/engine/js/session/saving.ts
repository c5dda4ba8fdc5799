import type { SessionOptions } from "../../contract.js";
import { TRANSPORT_IDS } from "../../transport-ids.js";
import type { Framer } from "../frame/sink.js";
import { SseFramer } from "../frame/sse.js";
import type { Checkpoint } from "./checkpoint.js";
import { Counters } from "./pipeline.js";
import type { Protocol } from "./protocol.js";

/** A connection as a checkpoint holds it. */
export interface Connection {
  framer: Framer;
  counters: Counters;
  finished: boolean;
  /** The body ended inside a message. */
  cut: boolean;
}

/** What a checkpoint brings. */
export interface Rebuilt extends Connection {
  /** Puts the streams in place. */
  adopt: () => void;
}

/** A session's state for a checkpoint; a connection that has failed is saved as after `reconnect`. AG-UI knows no event ids. */
export function save(
  state: Connection,
  protocol: Protocol,
  { transport, protocol: name }: SessionOptions,
  failed: boolean,
): Checkpoint {
  const { framer, counters } = state;
  const sse = framer instanceof SseFramer ? framer : undefined;
  const ids = name === "agentue" ? sse : undefined;
  // Between two connections there is nothing to go on with.
  const idle = failed || state.finished;
  return {
    protocol: protocol.number,
    transport: TRANSPORT_IDS[transport],
    offset: failed ? 0 : framer.offset,
    eventIndex: failed ? 0 : counters.nextIndex,
    retry: ids?.retry,
    events: counters.events,
    applied: counters.applied,
    skipped: counters.skipped,
    dropped: counters.dropped,
    errors: counters.errors,
    warnings: counters.warnings,
    started: !idle && sse?.started === true,
    swallowLf: !idle && sse?.swallowLf === true,
    finished: !failed && state.finished,
    cut: !failed && state.cut,
    skipping: !idle && framer.skipping,
    skippedLine: !idle && sse?.skipping === true && sse.skippedLine,
    lastEventId: ids?.lastEventId,
    partial: idle ? new Uint8Array(0) : framer.partial(),
    streams: protocol.save(),
  };
}

/**
 * Makes a session's parts from a checkpoint and changes nothing yet.
 *
 * @param framer a fresh one; it takes over the saved state
 * @returns undefined when the checkpoint belongs elsewhere or is malformed
 */
export function rebuild(
  checkpoint: Checkpoint,
  framer: Framer,
  protocol: Protocol,
  { transport }: SessionOptions,
): Rebuilt | undefined {
  if (checkpoint.protocol !== protocol.number || checkpoint.transport !== TRANSPORT_IDS[transport]) return undefined;
  const adopt = protocol.rebuild(checkpoint.streams);
  if (adopt === undefined || !resumeFraming(checkpoint, framer)) return undefined;
  const counters = new Counters();
  counters.nextIndex = checkpoint.eventIndex;
  counters.bytes = checkpoint.offset;
  counters.events = checkpoint.events;
  counters.applied = checkpoint.applied;
  counters.skipped = checkpoint.skipped;
  counters.dropped = checkpoint.dropped;
  counters.errors = checkpoint.errors;
  counters.warnings = checkpoint.warnings;
  const { finished, cut } = checkpoint;
  return { framer, counters, finished, cut, adopt };
}

function resumeFraming(checkpoint: Checkpoint, framer: Framer): boolean {
  const { partial, offset, skipping } = checkpoint;
  if (!(framer instanceof SseFramer)) return framer.resume(partial, offset, skipping);
  framer.started = checkpoint.started;
  framer.lastEventId = checkpoint.lastEventId;
  framer.retry = checkpoint.retry;
  if (!framer.resume(partial, offset, skipping) || framer.started !== checkpoint.started) return false;
  framer.swallowLf = checkpoint.swallowLf;
  framer.skippedLine = checkpoint.skippedLine;
  return true;
}
