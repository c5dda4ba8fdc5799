import { R_INTEGER, R_LIMIT_MESSAGE, R_OTHER_ID } from "../../../assembly/abi/codes.js";
import { describe, expectOptions, optionOf, readable } from "../../arguments.js";
import type { Bytes } from "../../bytes.js";
import { concatenate } from "../../codec/output.js";
import type { StreamStatus } from "../../engine/contract.js";
import { cloneValue } from "../../engine/js/codec/clone.js";
import type { OwnedTree } from "../../engine/js/session/protocol.js";
import { StreamfoldError, usageError } from "../../errors.js";
import type { JsonObject } from "../../json/object.js";
import { isWellFormed } from "../../json/text.js";
import { createEncoder } from "../../transport/encode.js";
import type { Encoder } from "../../transport/encoder.js";
import { isReferenceBlock } from "../references.js";
import type { AgentUEBlock, AgentUEError, AgentUEEvent, AgentUEModel, AgentUEReferenceBlock } from "../types.js";
import { ConsumerModel } from "./consumer-model.js";
import { differences } from "./difference.js";
import { type Draft, payloadAt } from "./draft.js";
import { HeldAppends } from "./held.js";
import {
  type Emitted,
  type EmitterOptions,
  type EmitterTransport,
  type Resolved,
  resolveEmitterOptions,
} from "./options.js";
import { Splitter } from "./split.js";

/** What any event may say of itself. */
export interface EventOptions {
  /** A hint for observers (AgentUE §4). */
  eventType?: string;
}

export interface AppendOptions extends EventOptions {
  /** The block's other members, for when it is not there yet. */
  insert?: { type: string; [member: string]: unknown };
}

/** A model to begin with: version, meta and blocks may be left out. */
export type NewModel = Partial<Omit<AgentUEModel, "biz">> & Pick<AgentUEModel, "biz">;

/**
 * Writes the events of one logical stream (docs/emitting.md).
 *
 * It keeps the model that consumers have, and refuses what they would refuse: a call throws the StreamfoldError that a reducer would report, with its code and path,
 * and has changed nothing then. It also throws what an encoder throws (`not_json`, `too_deep`, `too_large`, …), what hooks throw, and `reentrant` inside of one.
 */
export interface Emitter<T extends EmitterTransport = EmitterTransport> {
  /**
   * Establishes or replaces the model (AgentUE §5.1). Never split.
   *
   * @param options `seq`: for a resumed delivery, the highest seq that the model covers (AgentUE §6); otherwise the next one is taken
   */
  start(model: NewModel, options?: EventOptions & { seq?: number }): Emitted<T>;
  /** Replaces the block of that id, or adds it behind the last (AgentUE §5.2). */
  set(block: AgentUEBlock, options?: EventOptions): Emitted<T>;
  /** Sets what lies at a path of a block, `"tool.status"` (AgentUE §5.2). */
  setField(id: string, path: string, value: unknown, options?: EventOptions): Emitted<T>;
  /** Sets what lies at a path of the metadata (AgentUE §5.2). */
  setMeta(path: string, value: unknown, options?: EventOptions): Emitted<T>;
  /**
   * Appends a string or the elements of an array to a field of a block (AgentUE §5.3).
   *
   * Over MessagePack, which has no form for half of a pair of surrogates, a high half at the end waits for the next append to the field.
   */
  append(id: string, field: string, delta: string | readonly unknown[], options?: AppendOptions): Emitted<T>;
  /** Sets `meta.error` and signals failure (AgentUE §5.4). */
  error(error: AgentUEError, options?: EventOptions): Emitted<T>;
  /** Keeps the delivery alive: the present seq, and the time (AgentUE §5.5). What is held stays held. */
  ping(): Emitted<T>;
  /** Ends the delivery (AgentUE §5.6); a later `start` begins another. */
  end(options?: EventOptions): Emitted<T>;
  /**
   * The events that make `after` of the present model: what has grown is appended, what has changed is set, and where neither can say it (something was removed,
   * inserted or reordered) a `start`. A `start` as well without a model and behind an `end`. Costs what the two models cost.
   */
  update(after: AgentUEModel): Emitted<T>;
  /** Writes what `coalesce` has held. */
  flush(): Emitted<T>;
  /** Whether something is held, or half of a pair of surrogates waits. */
  readonly pending: boolean;
  /** The seq of the last event that was written. */
  readonly seq: number;
  readonly status: StreamStatus;
  /** A fresh value of the model that consumers have once they have got everything, what is held included; undefined before the first `start`. */
  snapshot<Model = AgentUEModel>(): Model | undefined;
}

/**
 * An emitter of AgentUE events.
 *
 * @throws StreamfoldError `unsupported_transport`, `bad_argument` for options that are not as `EmitterOptions` says
 */
export function createEmitter<T extends EmitterTransport>(options: EmitterOptions<T>): Emitter<T> {
  return new EventEmitter(resolveEmitterOptions(options)) as unknown as Emitter<T>;
}

/** The first half of a pair of surrogates, and where its other half belongs. */
interface Half {
  id: string;
  field: string;
  eventType: string | undefined;
  unit: string;
}

/** Bytes of an SSE message before and behind its data. */
const SSE_HEAD = 6;
const SSE_TAIL = 2;
/** Most bytes that a UTF-16 code unit takes. */
const MOST_BYTES = 6;
const NOTHING: Bytes = new Uint8Array(0);

class EventEmitter {
  readonly #options: Resolved;
  readonly #encoder: Encoder;
  readonly #model: ConsumerModel;
  readonly #splitter: Splitter | undefined;
  /** Bytes of a message that need no second look. */
  readonly #quickBytes: number;
  readonly #isQuick: boolean;
  #seq: number;
  #held: HeldAppends | undefined;
  #half: Half | undefined;
  #busy = false;
  /** The field that was appended to last, and its mask. */
  #field = "content";
  #mask = "block.content";

  constructor(options: Resolved) {
    const { transport, limits, pool, streamId, splitAt, redact, id, ts } = options;
    this.#options = options;
    this.#encoder = createEncoder({ transport, protocol: "agentue", depth: limits.depth, pool });
    this.#model = new ConsumerModel(limits, streamId, transport === "msgpack");
    this.#quickBytes = Math.min(splitAt, limits.messageBytes);
    this.#splitter =
      splitAt === Number.POSITIVE_INFINITY ? undefined : new Splitter(splitAt, (event) => this.#encoder.encode(event));
    this.#isQuick = redact === undefined && id === undefined && !ts;
    this.#seq = options.seq;
  }

  get seq(): number {
    return this.#seq;
  }

  get pending(): boolean {
    return this.#held !== undefined || this.#half !== undefined;
  }

  get status(): StreamStatus {
    return this.#model.status;
  }

  snapshot<Model>(): Model | undefined {
    return this.#model.snapshot() as Model | undefined;
  }

  start(model: NewModel, options?: EventOptions & { seq?: number }): unknown {
    const type = typeOf(options, "seq");
    const seq = optionOf(options, "seq");
    if (seq !== undefined && (!Number.isSafeInteger(seq) || seq < 0))
      throw usageError("bad_argument", "seq must be an integer from 0 to 2^53-1");
    return this.#emit({ op: "start", ...type, model: this.#versioned(model) }, seq);
  }

  set(block: AgentUEBlock, options?: EventOptions): unknown {
    return this.#emit({ op: "set", ...typeOf(options), block: block as unknown as JsonObject });
  }

  setField(id: string, path: string, value: unknown, options?: EventOptions): unknown {
    const block = { id, ...payloadAt(namesOf(path), value) };
    return this.#emit({ op: "set", mask: `block.${path}`, ...typeOf(options), block });
  }

  setMeta(path: string, value: unknown, options?: EventOptions): unknown {
    const meta = payloadAt(namesOf(path), value);
    return this.#emit({ op: "set", mask: `meta.${path}`, ...typeOf(options), meta });
  }

  append(id: string, field: string, delta: string | readonly unknown[], options?: AppendOptions): unknown {
    if (this.#options.transport === "msgpack" && typeof delta === "string" && (this.#half || !isWellFormed(delta)))
      return this.#appendHalves(id, field, delta, options);
    if (options === undefined && this.#isQuick && typeof delta === "string") {
      const written = this.#appendQuickly(id, field, delta);
      if (written !== undefined) return written;
    }
    return this.#emit(appendOf(id, field, delta, options));
  }

  error(error: AgentUEError, options?: EventOptions): unknown {
    return this.#emit({ op: "error", mask: "meta.error", ...typeOf(options), meta: { error } });
  }

  ping(): unknown {
    return this.#emit({ op: "ping" }, this.#seq);
  }

  end(options?: EventOptions): unknown {
    return this.#emit({ op: "end", ...typeOf(options) });
  }

  flush(): unknown {
    return this.#guarded(() => this.#release(this.#prepared()));
  }

  update(after: AgentUEModel): unknown {
    const model = this.#versioned(after);
    if (!this.#model.exists || this.status === "ended") return this.#emit({ op: "start", model });
    return this.#guarded(() =>
      this.#atomically(() => {
        const lone = this.#loneHalf();
        const start = this.#bodies(this.#event({ op: "start", model }, this.#seq + 1));
        const read = this.#model.read(this.#data(this.#encoder.encode(start)));
        this.#model.check(read);
        const wanted = plain((read.value as { model: JsonObject }).model);
        const drafts = differences(this.#model.snapshot() as JsonObject, wanted);
        return [...lone, ...(this.#processAll(drafts) ?? this.#process({ op: "start", model: wanted }))];
      }),
    );
  }

  /** All of the events; undefined when there are none to say it, or a limit of the consumers' lies in the way that the successor keeps to. */
  #processAll(drafts: readonly Draft[] | undefined): Bytes[] | undefined {
    try {
      return drafts && this.#atomically(() => drafts.flatMap((draft) => this.#process(draft)));
    } catch (error) {
      if (error instanceof StreamfoldError && error.code === "limit") return undefined;
      throw error;
    }
  }

  /** Runs what takes several steps: where one throws, none was taken. */
  #atomically<R>(run: () => R): R {
    const saved = this.#model.save();
    const seq = this.#seq;
    const held = this.#held?.copy();
    const half = this.#half;
    try {
      return run();
    } catch (error) {
      this.#model.restore(saved);
      this.#seq = seq;
      this.#held = held;
      this.#half = half;
      throw error;
    }
  }

  /** The traffic that matters; undefined: nothing has happened, the long way is to decide. */
  #appendQuickly(id: string, field: string, delta: string): unknown {
    if (this.#busy) throw usageError("reentrant");
    if (field !== this.#field) {
      this.#mask = `block.${field}`;
      this.#field = field;
    }
    const { streamId, coalesce, transport } = this.#options;
    const seq = this.#seq + 1;
    const mask = this.#mask;
    const block = { id, [field]: delta };
    const event =
      streamId === "" ? { op: "append", seq, mask, block } : { op: "append", seq, stream_id: streamId, mask, block };
    if (coalesce > 0) {
      if (delta.length > coalesce || !this.#model.appendText(event)) return undefined;
      return this.#guarded(() => this.#hold(event, block, field, MOST_BYTES * delta.length, []));
    }
    const message = this.#encoder.encode(event);
    if (message.length > this.#quickBytes || !this.#model.appendText(event)) return undefined;
    this.#seq = seq;
    return transport === "json" ? [message] : message;
  }

  #emit(draft: Draft, seq?: number): unknown {
    return this.#guarded(() => {
      if (this.#half === undefined || draft.op === "ping") return this.#process(draft, seq);
      return this.#atomically(() => [...this.#loneHalf(), ...this.#process(draft, seq)]);
    });
  }

  /** Runs what may call hooks, getters and `toJSON` of the caller's; what it writes as the call gives it. */
  #guarded(run: () => Bytes[]): unknown {
    if (this.#busy) throw usageError("reentrant");
    this.#busy = true;
    try {
      return this.#out(run());
    } finally {
      this.#busy = false;
    }
  }

  /**
   * One event from draft to messages, behind what was held. Throws with nothing changed.
   *
   * @param given the seq of a resumed start, or of a ping
   */
  #process(draft: Draft, given?: number): Bytes[] {
    const isPing = draft.op === "ping";
    let held = isPing || this.#joins(draft) ? [] : this.#prepared();
    let event = this.#redacted(this.#bodies(this.#event(draft, given ?? this.#seq + held.length + 1)));
    if (event === undefined) return [];
    if (!isPing && held.length === 0 && this.#held !== undefined && !this.#joins(event)) {
      held = this.#prepared();
      event = { ...event, seq: given ?? this.#seq + held.length + 1 };
    }
    const whole = this.#encoder.encode(event);
    const messages = this.#messagesOf(event, whole);
    const read = this.#model.read(this.#data(whole));
    this.#apply(read);
    if (this.#options.coalesce > 0 && draft.op === "append") {
      // A copy: what the model holds may change before this is written.
      const own = plain(read.value as JsonObject);
      const block = own.block as JsonObject;
      return this.#hold(own, block, String(own.mask).slice("block.".length), whole.length, held);
    }
    this.#release(held);
    if (!isPing) this.#seq = given ?? this.#seq + messages.length;
    return [...held, ...messages];
  }

  /** The event with what the emitter adds. */
  #event({ op, mask, event_type, model, meta, block }: Draft, seq: number): JsonObject {
    const { streamId, ts, now } = this.#options;
    return {
      op,
      seq,
      ...(streamId !== "" && { stream_id: streamId }),
      ...((ts || op === "ping") && { ts: now() }),
      ...(mask !== undefined && { mask }),
      ...(event_type !== undefined && { event_type }),
      ...(model !== undefined && { model }),
      ...(meta !== undefined && { meta }),
      ...(block !== undefined && { block }),
    };
  }

  #redacted(event: JsonObject): JsonObject | undefined {
    const { redact } = this.#options;
    if (redact === undefined) return event;
    const { op, seq, stream_id } = event;
    const result = redact(event as unknown as AgentUEEvent) as JsonObject | undefined;
    if (result === undefined) return undefined;
    if (result === null || typeof result !== "object")
      throw usageError("bad_argument", `redact must give an event or undefined, not ${describe(result)}`);
    if (!readable(() => result.op === op && result.seq === seq && result.stream_id === stream_id))
      throw usageError("bad_argument", "redact must keep op, seq and stream_id");
    return result;
  }

  /** Judges an event that was read and applies it. A reference that it patches has its body at the consumers before. */
  #apply(read: OwnedTree): void {
    const { consumer, materialize } = this.#options;
    const reference = consumer === "1.1" && materialize !== undefined ? this.#model.patched(read) : undefined;
    if (reference === undefined) {
      this.#model.apply(read);
      return;
    }
    this.#atomically(() => {
      const body = this.#asked(reference);
      // without one the event is refused
      if (body !== undefined && body !== null) this.#model.materialize(reference.id, body);
      this.#model.apply(read);
    });
  }

  /** For consumers of 1.0: bodies in the place of references. */
  #bodies(event: JsonObject): JsonObject {
    if (this.#options.consumer !== "1.0" || this.#options.materialize === undefined) return event;
    const { model, block, mask } = event as { model?: AgentUEModel; block?: AgentUEBlock; mask?: string };
    if (Array.isArray(model?.blocks)) {
      const blocks = model.blocks.map((one, i) => this.#bodyOf(one, `/model/blocks/${i}`));
      return { ...event, model: { ...model, blocks } };
    }
    return block === undefined || mask !== undefined ? event : { ...event, block: this.#bodyOf(block, "/block") };
  }

  #bodyOf(block: AgentUEBlock, path: string): unknown {
    if (typeof block !== "object" || block === null || !isReferenceBlock(block)) return block;
    const { id, ref } = block as AgentUEReferenceBlock;
    const body = this.#asked({ id, ref });
    const given: unknown = (body as Partial<AgentUEBlock> | null | undefined)?.id;
    if (given !== id) {
      const { streamId } = this.#options;
      throw new StreamfoldError({ code: "bad_block", reason: R_OTHER_ID, path: `${path}/id`, streamId });
    }
    return body;
  }

  #asked({ id, ref }: AgentUEReferenceBlock): unknown {
    const { streamId, materialize } = this.#options;
    try {
      return materialize!({ id, ref });
    } catch (cause) {
      const failure = new StreamfoldError({
        code: "load_failed",
        detail: "materialize has thrown",
        streamId,
        subject: id,
      });
      failure.cause = cause;
      throw failure;
    }
  }

  /** A model with what may be left out, in the version that consumers know. */
  #versioned(model: NewModel): JsonObject {
    if (typeof model !== "object" || model === null) return model as unknown as JsonObject;
    const { consumer, version } = this.#options;
    const { version: given, biz, meta = {}, blocks = [], ...others } = readable(() => ({ ...model }));
    return { version: consumer === "1.0" ? "1.0" : (given ?? version), biz, meta, blocks, ...others };
  }

  // ---------------------------------------------------------------- messages

  /** The messages of an event, which is split where that is asked for; `whole` is all of it in one. */
  #messagesOf(event: JsonObject, whole: Bytes): Bytes[] {
    const { splitAt, id } = this.#options;
    const parts = whole.length > splitAt ? this.#splitter?.split(event) : undefined;
    const written = parts ?? [{ event, message: whole }];
    // The first one's seq is judged with the event.
    if (!Number.isSafeInteger(written.at(-1)!.event.seq))
      throw new StreamfoldError({
        code: "bad_field",
        reason: R_INTEGER,
        path: "/seq",
        streamId: this.#options.streamId,
      });
    for (const { message } of written) this.#checkSize(message);
    return written.map(({ event: one, message }) => {
      const cursor = id?.(one as unknown as AgentUEEvent);
      return cursor === undefined ? message : this.#encoder.encode(one, { id: cursor });
    });
  }

  /** The data of a message without id: what its readers read. */
  #data(message: Uint8Array): Uint8Array {
    return this.#options.transport === "sse" ? message.subarray(SSE_HEAD, message.length - SSE_TAIL) : message;
  }

  #checkSize(message: Uint8Array): void {
    const { limits, streamId, transport } = this.#options;
    const size = this.#data(message).length - (transport === "ndjson" ? 1 : 0);
    if (size > limits.messageBytes) throw new StreamfoldError({ code: "too_large", reason: R_LIMIT_MESSAGE, streamId });
  }

  /** Messages as the calls give them. */
  #out(messages: Bytes[]): unknown {
    if (this.#options.transport === "json") return messages;
    if (messages.length < 2) return messages[0] ?? NOTHING;
    return concatenate(messages);
  }

  // ---------------------------------------------------------------- halves of pairs, on a wire that has no form for them

  /** An append that ends in the middle of a pair, or comes behind one that did: the high half waits for the next append to the field. */
  #appendHalves(id: string, field: string, delta: string, options: AppendOptions | undefined): unknown {
    const former = this.#half;
    const eventType = typeOf(options, "insert").event_type;
    const joins = former !== undefined && former.id === id && former.field === field && former.eventType === eventType;
    const text = joins ? former.unit + delta : delta;
    const end = text.length - 1;
    const isOpen = (text.charCodeAt(end) & 0xfc00) === 0xd800;
    return this.#guarded(() =>
      this.#atomically(() => {
        if (joins) this.#half = undefined;
        const lone = this.#loneHalf();
        const messages = this.#process(appendOf(id, field, isOpen ? text.slice(0, end) : text, options));
        if (isOpen) this.#half = { id, field, eventType, unit: text[end]! };
        return [...lone, ...messages];
      }),
    );
  }

  /** The other half does not come: what stands for the one that has waited. */
  #loneHalf(): Bytes[] {
    const half = this.#half;
    if (half === undefined) return [];
    this.#half = undefined;
    return this.#process(
      appendOf(half.id, half.field, "\ufffd", half.eventType === undefined ? undefined : { eventType: half.eventType }),
    );
  }

  // ---------------------------------------------------------------- holding

  #joins(event: Draft | JsonObject): boolean {
    return this.#held?.joins(event as Draft) === true;
  }

  /**
   * Takes an append that was applied to those held.
   *
   * @param event, block our own
   * @param bytes not less than it takes
   * @param former the messages of those held, where the append does not join them
   * @returns what this makes ready to be written
   */
  #hold(event: JsonObject, block: JsonObject, field: string, bytes: number, former: Bytes[]): Bytes[] {
    const delta = block[field] as string | unknown[];
    const { coalesce, limits } = this.#options;
    let held = this.#joins(event) ? this.#held : undefined;
    if (held !== undefined && held.bytes + bytes > limits.messageBytes) held = undefined;
    let messages: Bytes[] = [];
    if (held === undefined) {
      messages = this.#release(former.length > 0 ? former : this.#prepared());
      held = new HeldAppends(event, block, field, typeof delta === "string" ? undefined : []);
      this.#held = held;
    }
    held.add(delta, bytes, event.ts);
    return held.length < coalesce ? messages : [...messages, ...this.#release(this.#prepared())];
  }

  /** The messages of what is held. */
  #prepared(): Bytes[] {
    if (this.#held === undefined) return [];
    const whole = this.#held.whole(this.#seq + 1);
    return this.#messagesOf(whole, this.#encoder.encode(whole));
  }

  /** Nothing is held any more: the messages of it go out. */
  #release(messages: Bytes[]): Bytes[] {
    if (messages.length > 0) this.#held = undefined;
    this.#seq += messages.length;
    return messages;
  }
}

/** A fresh copy of what was read, with doubles for numbers. */
function plain(value: JsonObject): JsonObject {
  return cloneValue(value, "number") as JsonObject;
}

function appendOf(
  id: string,
  field: string,
  delta: string | readonly unknown[],
  options: AppendOptions | undefined,
): Draft {
  const block = readable(() => ({ id, ...options?.insert, [field]: delta }));
  return { op: "append", mask: `block.${field}`, ...typeOf(options, "insert"), block };
}

/** @param names of the other options of the call */
function typeOf(options: EventOptions | undefined, ...names: readonly string[]): { event_type?: string } {
  if (options === undefined) return {};
  expectOptions(options, "eventType", ...names);
  const eventType = optionOf(options, "eventType");
  return eventType === undefined ? {} : { event_type: eventType };
}

/** The names that a path goes through. */
function namesOf(path: unknown): string[] {
  if (typeof path !== "string") throw usageError("bad_argument", `the path must be a string, not ${describe(path)}`);
  return path.split(".");
}
