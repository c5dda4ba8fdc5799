import type { StreamStatus } from "../../engine/contract.js";
import { cloneValue } from "../../engine/js/codec/clone.js";
import { copyValue } from "../../engine/js/codec/value.js";
import type { Document } from "../../engine/js/reduce/agentue/document.js";
import { ACCEPTED, AgentueReducer, seqOf } from "../../engine/js/reduce/agentue/reducer.js";
import { type ChangeSink, STATUS_NAMES, StreamState } from "../../engine/js/reduce/agentue/state.js";
import { below } from "../../engine/js/reduce/agentue/violation.js";
import { readMsgpackTree } from "../../engine/js/session/binary.js";
import { namesIn } from "../../engine/js/session/names.js";
import type { OwnedTree } from "../../engine/js/session/protocol.js";
import { readText } from "../../engine/js/session/text.js";
import { type Fault, StreamfoldError } from "../../errors.js";
import type { JsonObject } from "../../json/object.js";
import type { Limits } from "../../limits.js";

/** Nobody asks an emitter for changes. */
class NoChanges implements ChangeSink {
  version = 0;
  start(): void {}
  insert(): void {}
  replace(): void {}
  append(): void {}
  meta(): void {}
}

/** What a model was at some moment. */
export interface Saved {
  document: Document | undefined;
  status: number;
}

/** The model that the consumers of an emitter have, kept by the judge and the operations of the JavaScript engine. */
export class ConsumerModel {
  private readonly reducer: AgentueReducer;
  private readonly limits: Limits;
  private readonly streamId: string;
  private readonly isBinary: boolean;
  private state = new StreamState(new NoChanges());

  /** @param isBinary whether messages are MessagePack rather than JSON text */
  constructor(limits: Limits, streamId: string, isBinary: boolean) {
    // Whether a seq is above the last one is the emitter's own affair.
    this.reducer = new AgentueReducer(limits, "off", false);
    this.limits = limits;
    this.streamId = streamId;
    this.isBinary = isBinary;
  }

  get status(): StreamStatus {
    return STATUS_NAMES[this.state.status]!;
  }

  get exists(): boolean {
    return this.state.document !== undefined;
  }

  /** A string for a string of a known block, judged and appended when it is beyond doubt; else nothing has happened. */
  appendText(event: JsonObject): boolean {
    return this.reducer.appendText(this.state, event);
  }

  /** A message as its readers see it. */
  read(message: Uint8Array): OwnedTree {
    const read = this.isBinary ? readMsgpackTree(message, this.limits) : readText(message, this.limits);
    if ("code" in read) throw new StreamfoldError({ ...read, streamId: this.streamId });
    return read;
  }

  /** Judges an event that was read and applies it; throws why it is refused, and then nothing has changed. */
  apply(event: OwnedTree): void {
    this.reduce(this.state, event);
  }

  /** The reference that an event is about to patch; undefined for any other event. */
  patched({ value }: OwnedTree): { id: string; ref: string } | undefined {
    const { op, mask, block } = value as { op: unknown; mask?: unknown; block?: { id?: unknown } };
    if ((op !== "set" && op !== "append") || mask === undefined || typeof block?.id !== "string") return undefined;
    const entry = this.state.document?.entries.get(block.id);
    return entry?.reference ? { id: entry.id, ref: entry.value.ref as string } : undefined;
  }

  /** A body takes the place of a reference, as it does at the consumers; throws why it is none. */
  materialize(id: string, body: unknown): void {
    const copy = copyValue(body, this.limits.depth);
    if ("code" in copy) throw new StreamfoldError({ ...copy, streamId: this.streamId });
    const source = { nesting: copy.depth, bytes: copy.bound, exact: copy.exact };
    const fault = below("/block", this.reducer.materialize(this.state, copy.value, source, id));
    if (fault !== undefined) throw new StreamfoldError({ ...fault, streamId: this.streamId });
  }

  /** Throws why a `start` would be refused. */
  check(start: OwnedTree): void {
    this.reduce(new StreamState(new NoChanges()), start);
  }

  private reduce(state: StreamState, { value, text, source, orders }: OwnedTree): void {
    const event = value as JsonObject;
    const seq = seqOf(event);
    const namesAt = namesIn(text, orders);
    if (this.reducer.reduce(state, event, namesAt([], event), namesAt, source, false) === ACCEPTED) return;
    const fault: Fault = { ...this.reducer.violation!, streamId: this.streamId };
    if (seq !== undefined) fault.seq = seq;
    throw new StreamfoldError(fault);
  }

  /** A fresh value of the model, or undefined without one. */
  snapshot(): unknown {
    return this.exists ? cloneValue(this.state.document!.model, "number") : undefined;
  }

  /** The model as it is, to come back to. */
  save(): Saved {
    return { document: this.state.document?.fork(), status: this.state.status };
  }

  restore({ document, status }: Saved): void {
    this.state = new StreamState(new NoChanges());
    this.state.document = document;
    this.state.status = status;
  }
}
