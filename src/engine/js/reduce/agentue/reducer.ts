import { R_LIMIT_DEPTH, R_LIMIT_MODEL, R_LIMIT_STREAMS, R_NONE, R_OBJECT } from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import type { Limits } from "../../../../limits.js";
import type { Sequence } from "../../../contract.js";
import { judgeContents } from "./contents.js";
import { type BlockEntry, Document } from "./document.js";
import { judgeEnvelope, judgeSlots, type Op } from "./envelope.js";
import { isObject, sequenceOf } from "./kinds.js";
import { type Mask, parseMask } from "./mask.js";
import { append, isTooDeep, materialize, type Source, setBlock, setPath } from "./operations.js";
import { ENDED, ERRORED, OPEN, type StreamState, UNKNOWN_SEQ } from "./state.js";
import { judgeModel, type NamesAt } from "./validate.js";
import { below, type Violation } from "./violation.js";

/** What became of an event. */
export const ACCEPTED = 0;
export const SKIPPED = 1;
export const VIOLATED = 2;

/** No gap before the event. */
export const NO_GAP = -1;

/** The AgentUE reducer: judges one event after the other and folds the accepted ones into their stream's model. */
export class AgentueReducer {
  /** After VIOLATED: why. */
  violation: Violation | undefined;
  /** After ACCEPTED: the last seq before a gap, or NO_GAP. */
  gap = NO_GAP;
  private readonly limits: Limits;
  private readonly sequence: Sequence;
  private readonly guard: boolean;
  /** The mask of the last quick append. */
  private recent: Mask = parseMask("block.content");

  /** @param guard patches of blocks that are kept in frames are refused */
  constructor(limits: Limits, sequence: Sequence, guard: boolean) {
    this.limits = limits;
    this.sequence = sequence;
    this.guard = guard;
  }

  /**
   * The traffic that matters: a string appended to a string of a known block. Takes nothing but events that are valid beyond doubt and leaves
   * all others, and every other op, to `reduce`.
   *
   * @param event a value with JSON members; only those that are read need to be JSON
   * @returns whether the event was accepted
   */
  appendText(state: StreamState, event: JsonObject): boolean {
    const { op, seq, mask, ts, event_type: type } = event;
    if (op !== "append" || (state.status !== OPEN && state.status !== ERRORED)) return false;
    // Zero could be a number too small for a double.
    if (!Number.isSafeInteger(seq) || (seq as number) <= 0) return false;
    let members = event.stream_id === undefined ? 4 : 5;
    if (ts !== undefined) {
      if (!Number.isSafeInteger(ts) || (ts as number) <= 0) return false;
      members++;
    }
    if (type !== undefined) {
      if (typeof type !== "string") return false;
      members++;
    }
    if (mask !== this.recent.text) {
      if (typeof mask !== "string") return false;
      this.recent = parseMask(mask);
    }
    const field = this.recent.field;
    // A type may come to be "frame": left to where that is noted.
    if (field === "" || field === "type") return false;
    const payload = event.block as JsonObject | null | undefined;
    if (typeof payload !== "object" || payload === null || payload.ref !== undefined) return false;
    const { id } = payload;
    const text = payload[field];
    if (typeof text !== "string" || typeof id !== "string") return false;
    // As many members as were looked at: there is no other one.
    for (const _ in event) members--;
    if (members !== 0) return false;

    const last = state.seq;
    this.gap = NO_GAP;
    if (this.sequence !== "off" && last !== UNKNOWN_SEQ) {
      if ((seq as number) <= last) return false;
      if (seq !== last + 1) this.gap = last;
    }
    const document = state.document!;
    let entry = document.recent;
    if (entry === undefined || entry.id !== id) {
      entry = document.entries.get(id);
      if (entry === undefined || entry.shared) return false;
      document.recent = entry;
    }
    const current = entry.value[field];
    if (typeof current !== "string" || entry.reference) return false;
    const size = document.size + 6 * text.length;
    if (size > this.limits.modelBytes || document.counted) return false;

    entry.appendText(field, current, text);
    document.size = size;
    state.changes.append(entry, field, current.length, current.length + text.length, true);
    state.seq = seq as number;
    state.skipping = false;
    return true;
  }

  /**
   * Judges one event and applies it when it is valid (docs/semantics.md §3, steps 3 to 8, and §4).
   *
   * @param state the stream; without a model when it does not exist yet; undefined when it does not exist and the event is no `start`
   * @param event owned by the reducer from now on
   * @param names the event's members in document order
   * @param full whether a new stream would be one too many
   */
  reduce(
    state: StreamState | undefined,
    event: JsonObject,
    names: readonly string[],
    namesAt: NamesAt,
    source: Source,
    full: boolean,
  ): number {
    this.violation = undefined;
    this.gap = NO_GAP;
    let mask: Mask | undefined;
    let entries: Map<string, BlockEntry> | undefined;
    let violation = judgeEnvelope(event, names);
    if (violation === undefined) {
      const slots = judgeSlots(event);
      if (slots !== undefined && "code" in slots) violation = slots;
      else mask = slots;
    }
    const op = event.op as Op;
    if (violation === undefined) {
      if (op === "start") {
        entries = new Map();
        const inModel: NamesAt = (path, object) => namesAt(["model", ...path], object);
        violation = below("/model", judgeModel(event.model as JsonObject, this.limits.blocks, inModel, entries));
      } else {
        violation = judgeContents(event, op, mask, namesAt);
      }
    }
    violation ??= this.judgeState(state, op, full);
    if (violation !== undefined) return this.refuse(violation);

    const seq = sequenceOf(event.seq);
    const last = state!.seq;
    if (this.sequence !== "off" && last !== UNKNOWN_SEQ && op !== "start") {
      const late = op === "end" ? seq < last : op !== "ping" && seq <= last;
      if (late && this.sequence === "strict") return this.refuse({ code: "stale_seq", reason: R_NONE, path: "/seq" });
      if (late && op !== "end") return SKIPPED;
      if (seq > (op === "ping" ? last : last + 1)) this.gap = last;
    }
    violation = this.perform(state!, event, op, mask, entries, source);
    if (violation !== undefined) return this.refuse(violation);
    if (op !== "ping" && (op !== "end" || seq > last)) state!.seq = seq;
    return ACCEPTED;
  }

  /**
   * A stored model as a stream's beginning (docs/semantics.md §5). Paths are below the model.
   *
   * @param seq the last seq, or UNKNOWN_SEQ
   * @param full whether a new stream would be one too many
   */
  load(
    state: StreamState,
    seq: number,
    model: unknown,
    namesAt: NamesAt,
    source: Source,
    full: boolean,
  ): Violation | undefined {
    if (!isObject(model)) return { code: "bad_model", reason: R_OBJECT, path: "" };
    const entries = new Map<string, BlockEntry>();
    const violation =
      judgeModel(model, this.limits.blocks, namesAt, entries) ??
      (full ? ({ code: "limit", reason: R_LIMIT_STREAMS } as const) : this.start(state, model, entries, source, ""));
    if (violation === undefined) state.seq = seq;
    return violation;
  }

  /**
   * Paths are below the block.
   *
   * @param id the id that it must have; undefined: any
   */
  materialize(
    state: StreamState | undefined,
    block: unknown,
    source: Source,
    id: string | undefined,
  ): Violation | undefined {
    if (!isObject(block)) return { code: "bad_block", reason: R_OBJECT, path: "" };
    return materialize(state, block, source, this.limits, id);
  }

  private refuse(violation: Violation): number {
    this.violation = violation;
    return VIOLATED;
  }

  private judgeState(state: StreamState | undefined, op: Op, full: boolean): Violation | undefined {
    if (op === "start") {
      const isNew = state?.document === undefined;
      return isNew && full ? { code: "limit", reason: R_LIMIT_STREAMS, path: "/stream_id" } : undefined;
    }
    if (state?.document === undefined) return { code: "no_model", reason: R_NONE };
    return state.status === ENDED ? { code: "after_end", reason: R_NONE } : undefined;
  }

  private perform(
    state: StreamState,
    event: JsonObject,
    op: Op,
    mask: Mask | undefined,
    entries: Map<string, BlockEntry> | undefined,
    source: Source,
  ): Violation | undefined {
    const { limits } = this;
    switch (op) {
      case "start":
        return this.start(state, event.model as JsonObject, entries!, source, "/model");
      case "set":
        if (mask === undefined) return setBlock(state, event.block as JsonObject, source, limits, this.guard);
        return setPath(state, event, mask, source, limits, this.guard);
      case "append":
        return append(state, event.block as JsonObject, mask!, source, limits, this.guard);
      case "error": {
        const fault = setPath(state, event, mask!, source, limits, false);
        if (fault === undefined) state.status = ERRORED;
        return fault;
      }
      case "end":
        state.status = ENDED;
        return undefined;
      case "ping":
        return undefined;
    }
  }

  private start(
    state: StreamState,
    model: JsonObject,
    entries: Map<string, BlockEntry>,
    source: Source,
    path: string,
  ): Violation | undefined {
    if (isTooDeep(model, 1, source, this.limits)) return { code: "limit", reason: R_LIMIT_DEPTH, path };
    const document = new Document(model, entries, source.exact, source.bytes);
    if (!document.fits(this.limits.modelBytes)) return { code: "limit", reason: R_LIMIT_MODEL, path };
    state.document = document;
    state.status = OPEN;
    state.skipping = false;
    state.changes.start();
    return undefined;
  }
}

/** The seq of an event, if it has a valid one; for reports. */
export function seqOf(event: JsonObject): number | undefined {
  const seq = sequenceOf(own(event, "seq"));
  return seq < 0 ? undefined : seq;
}
