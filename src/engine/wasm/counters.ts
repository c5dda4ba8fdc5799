import type { SessionCore } from "../contract.js";
import type { Core } from "./instance.js";

/** How often the core took which road; for tests and measurements. */
export interface CoreCounters {
  /** Events that were read where they lay in the chunk. */
  directEvents: number;
  /** Messages that were framed and copied first. */
  framedMessages: number;
  /** Appends that went straight to a remembered text chain. */
  hotAppends: number;
  /** Events folded by a template. */
  templateHits: number;
  /** Deltas of an AG-UI state, and patches of a field of AgentUE, folded in one pass. */
  quickDeltas: number;
  /** Tokens of the binary wires that were folded, or passed on, where they lay, by a template or without one. */
  binaryTokens: number;
  /** Tokens of AG-UI that were written as AgentUE from where they were folded. */
  adaptedTokens: number;
  /** Tokens that went out on another wire from where they were read. */
  relayedTokens: number;
  /** Tokens that went out in a form that their template has kept. */
  writtenTokens: number;
  /** Tokens, and patches of one value, that a chunk began with and that were folded before its call had begun. */
  openedTokens: number;
  /** Events of AgentUE that had a form: those of `templateHits` that were compared as a whole. */
  formHits: number;
}

const cores = new WeakMap<SessionCore, Core>();

/** Remembers whose counters those of an engine are. */
export function noteCore<Made extends SessionCore>(engine: Made, core: Core): Made {
  cores.set(engine, core);
  return engine;
}

/** Counters of an engine on a compiled core. */
export function coreCounters(engine: SessionCore): CoreCounters {
  const core = cores.get(engine);
  const read = (i: number) => (core === undefined ? 0 : core.exports.engine_counter(i) >>> 0);
  return {
    directEvents: read(0),
    framedMessages: read(1),
    hotAppends: read(2),
    templateHits: read(3),
    quickDeltas: read(4),
    binaryTokens: read(5),
    adaptedTokens: read(6),
    relayedTokens: read(7),
    writtenTokens: read(8),
    openedTokens: read(9),
    formHits: read(10),
  };
}
