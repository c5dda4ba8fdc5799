import { R_LIMIT_MESSAGE, R_LIMIT_NUMBER, R_LIMIT_QUEUE, R_OBJECT, R_STRING } from "../../../../assembly/abi/codes.js";
import type { Fault, WarningCode } from "../../../errors.js";
import { mayHoldExactNumber, readExact, stringify } from "../../../json/exact.js";
import type { JsonObject } from "../../../json/object.js";
import { hasShortDigitRuns, mayHoldLongNumber, nestingOf } from "../../../json/text.js";
import type { Report, SessionOptions } from "../../contract.js";
import { findLongNumber, findTextFault } from "../codec/text-fault.js";
import { decodeReplacing, encodeUtf8 } from "../codec/utf8.js";
import { copyValue, isPlain, LONGEST_DOUBLE } from "../codec/value.js";
import type { Framer, MessageSink } from "../frame/sink.js";
import type { Source } from "../reduce/agentue/operations.js";
import { ACCEPTED, AgentueReducer, NO_GAP, SKIPPED, seqOf } from "../reduce/agentue/reducer.js";
import { REFUSED } from "../reduce/agentue/state.js";
import type { NamesAt } from "../reduce/agentue/validate.js";
import type { Violation } from "../reduce/agentue/violation.js";
import { namesOf } from "./names.js";
import type { QueuedMessage } from "./queue.js";
import { Stream, type Streams } from "./streams.js";
import { MOST_BYTES } from "./text.js";

/** Places of the event in hand other than an offset: the framer knows it; there is none. */
const ON_THE_WIRE = -2;
const NOWHERE = -1;

/** Stands where no call is in hand. */
const NO_REPORTS: Report[] = [];

/** Below this `numberLength` a text with short runs of digits could still hold a number that is too long. */
const QUICK_NUMBER_LENGTH = 40;
/** Digits and dots in a row that may be more than a double carries. */
const LONG_RUN = 16;

/** Violations that say nothing about the stream's content. */
const HARMLESS: ReadonlySet<string> = /* @__PURE__ */ new Set(["no_model", "after_end", "unresolved_reference"]);

/** Counters of a whole session. */
export class Counters {
  /** Index of the next message of this connection. */
  nextIndex = 0;
  events = 0;
  bytes = 0;
  applied = 0;
  skipped = 0;
  dropped = 0;
  errors = 0;
  warnings = 0;
}

/** From one message to its effect and its reports: decoding, routing, queueing, reducing (docs/semantics.md §2 to §5, §8). */
export class Pipeline implements MessageSink {
  framer: Framer;
  streams: Streams;
  counters = new Counters();
  /** The connection's sticky failure. */
  failure: Fault | undefined;
  readonly reducer: AgentueReducer;
  private readonly options: SessionOptions;
  private readonly quick: boolean;

  // The call in hand.
  private reports: Report[] = NO_REPORTS;
  private delivered = 0;
  private sticky = false;
  // The event in hand: its index, its offset or place, its text and what is known of it.
  private index = 0;
  private offset = NOWHERE;
  private text: string | undefined;
  private readonly source: Source = { nesting: 0, bytes: 0, exact: false };

  constructor(options: SessionOptions, framer: Framer, streams: Streams) {
    this.options = options;
    this.framer = framer;
    this.streams = streams;
    this.reducer = new AgentueReducer(options.limits, options.sequence);
    this.quick = options.limits.numberLength >= QUICK_NUMBER_LENGTH;
  }

  /** @param sticky whether a fault of the connection's stays */
  begin(reports: Report[], sticky: boolean): void {
    this.reports = reports;
    this.delivered = 0;
    this.sticky = sticky && this.options.undecodable === "fail";
  }

  /** Lets go of what belonged to the call. */
  end(): void {
    this.reports = NO_REPORTS;
    this.text = undefined;
  }

  // ---------------------------------------------------------------- messages in

  message(text: string): boolean {
    this.open(ON_THE_WIRE);
    return this.read(text, undefined, false);
  }

  illFormed(bytes: Uint8Array): boolean {
    this.open(ON_THE_WIRE);
    return this.readIllFormed(bytes);
  }

  tooLarge(offset: number): boolean {
    this.open(offset);
    return this.fail({ code: "too_large", reason: R_LIMIT_MESSAGE, byteOffset: offset });
  }

  /** The tail of the body, known to be a whole text; `replaced`: its ill-formed UTF-8 was. */
  tail(text: string, bytes: Uint8Array, replaced: boolean): boolean {
    this.open(ON_THE_WIRE);
    if (replaced) this.warn("utf8_replaced");
    return this.read(text, bytes, replaced);
  }

  /** A text from outside of the framing: offsets count from its first byte. */
  separate(text: string | undefined, bytes: Uint8Array): void {
    if (bytes.length > this.options.limits.messageBytes) {
      this.tooLarge(0);
      return;
    }
    this.open(0);
    if (text === undefined) this.readIllFormed(bytes);
    else this.read(text, bytes, false);
  }

  /** An event that came as a value. */
  value(event: unknown): void {
    if (this.quick && this.appendValue(event)) return;
    const copy = copyValue(event, this.options.limits.depth);
    if ("code" in copy && copy.code === "not_json") {
      // The caller's mistake: no message was read.
      this.reports.push({ kind: "error", fault: copy });
      return;
    }
    this.open(NOWHERE);
    if ("code" in copy) {
      this.fail({ code: copy.code, path: copy.path });
      return;
    }
    this.text = undefined;
    this.source.nesting = copy.depth - 1;
    this.source.bytes = copy.bound;
    this.source.exact = copy.exact;
    this.route(copy.value, event);
  }

  /** A message that was queued. */
  replay(streamId: string, message: QueuedMessage): void {
    const { text } = message;
    this.index = message.eventIndex;
    this.offset = message.byteOffset;
    this.text = text;
    this.source.nesting = nestingOf(text, this.options.limits.depth + 1) - 1;
    const event = JSON.parse(text) as JsonObject;
    this.apply(this.streams.find(streamId), streamId, event, event);
  }

  /** One more message. */
  private open(offset: number): void {
    this.index = this.counters.nextIndex++;
    this.counters.events++;
    this.offset = offset;
  }

  private readIllFormed(bytes: Uint8Array): boolean {
    if (this.options.utf8 === "fatal") return this.undecodable(bytes, false);
    this.warn("utf8_replaced");
    return this.read(decodeReplacing(bytes), bytes, true);
  }

  /** @param bytes the message as it came, where it is at hand */
  private read(text: string, bytes: Uint8Array | undefined, replaced: boolean): boolean {
    let event: unknown;
    try {
      event = JSON.parse(text);
    } catch {
      return this.undecodable(bytes ?? this.framer.messageBytes(), replaced);
    }
    const { depth } = this.options.limits;
    const nesting = nestingOf(text, depth + 1);
    if (nesting > depth) return this.undecodable(bytes ?? this.framer.messageBytes(), replaced);
    this.text = text;
    this.source.nesting = nesting - 1;
    return this.route(event, event);
  }

  private undecodable(bytes: Uint8Array, replaced: boolean): boolean {
    const fault = findTextFault(bytes, this.options.limits.depth, replaced);
    const { code, position } = fault ?? { code: "bad_json" as const, position: bytes.length };
    return this.fail({ code, byteOffset: this.locate(position) });
  }

  // ---------------------------------------------------------------- from event to stream

  /**
   * @param event the event as JSON; a copy of our own when it came as a value
   * @param reported what listeners get
   */
  private route(event: unknown, reported: unknown): boolean {
    if (typeof event !== "object" || event === null || Array.isArray(event)) {
      return this.fail({ code: "not_an_event", reason: R_OBJECT, ...this.start() });
    }
    const id = (event as JsonObject).stream_id;
    if (id !== undefined && typeof id !== "string") {
      return this.fail({ code: "not_an_event", reason: R_STRING, path: "/stream_id", ...this.start() });
    }
    const streamId = id ?? "";
    const stream = this.streams.find(streamId);
    if (stream?.queue !== undefined) this.enqueue(stream, event as JsonObject);
    else this.apply(stream, streamId, event as JsonObject, reported);
    return true;
  }

  private enqueue(stream: Stream, event: JsonObject): void {
    const queue = stream.queue!;
    const starts = event.op === "start";
    if (queue.lost && !starts) {
      this.drop(stream);
      return;
    }
    const text = this.text ?? stringify(event);
    const byteOffset = this.offset === NOWHERE ? NOWHERE : this.locate(0);
    if (queue.add({ eventIndex: this.index, byteOffset, text })) {
      // From a start that is kept on nothing was lost.
      queue.lost = false;
    } else {
      this.report(
        this.faultOf(
          { code: "limit", reason: R_LIMIT_QUEUE, path: "/stream_id" },
          stream.id,
          event,
          this.start().byteOffset,
        ),
      );
      if (this.options.onViolation === "refuse-stream") queue.lost = true;
    }
  }

  private apply(stream: Stream | undefined, streamId: string, event: JsonObject, reported: unknown): void {
    const { text } = this;
    if (
      stream !== undefined &&
      text !== undefined &&
      this.quick &&
      event.op === "append" &&
      hasShortDigitRuns(text, LONG_RUN) &&
      this.reducer.appendText(stream, event)
    ) {
      this.accept(stream, event);
      return;
    }
    const numberAt = this.findLongNumber(event);
    if (numberAt !== undefined) {
      this.violate(stream, streamId, event, { code: "limit", reason: R_LIMIT_NUMBER }, numberAt);
      return;
    }
    if (stream !== undefined && stream.status === REFUSED && event.op !== "start") {
      stream.skipping = false;
      this.drop(stream);
      return;
    }
    const { source } = this;
    let owned = event;
    if (text !== undefined) {
      source.bytes = MOST_BYTES * text.length;
      source.exact = mayHoldExactNumber(text);
      if (source.exact) owned = readExact(text) as JsonObject;
      // The listeners get the other copy.
      else if (this.options.events) owned = JSON.parse(text);
    }
    const target = stream ?? (event.op === "start" ? new Stream(streamId) : undefined);
    const full = stream === undefined && this.streams.size >= this.options.limits.streams;
    const verdict = this.reducer.reduce(target, owned, this.namesAt([], owned), this.namesAt, source, full);
    if (verdict === ACCEPTED) {
      if (stream === undefined) this.streams.add(target!);
      this.accept(target!, reported);
    } else if (verdict === SKIPPED) {
      this.skip(stream!, owned);
    } else {
      // as judged: a double may show an integer where the text holds none (1e-400)
      this.violate(stream, streamId, owned, this.reducer.violation!, this.start().byteOffset);
    }
  }

  /** The quick way for a value: whether it was accepted. */
  private appendValue(value: unknown): boolean {
    if (typeof value !== "object" || value === null || !isPlain(value)) return false;
    const event = value as JsonObject;
    let stream: Stream | undefined;
    try {
      const { stream_id: id, block } = event;
      if (id !== undefined && typeof id !== "string") return false;
      stream = this.streams.find(id ?? "");
      if (stream === undefined || stream.queue !== undefined) return false;
      if (typeof block !== "object" || block === null || !isPlain(block)) return false;
      if (!this.reducer.appendText(stream, event)) return false;
    } catch {
      // An accessor or a Proxy has thrown: the long way tells where.
      return false;
    }
    this.open(NOWHERE);
    this.accept(stream, event);
    return true;
  }

  private accept(stream: Stream, event: unknown): void {
    stream.skipping = false;
    stream.applied++;
    this.counters.applied++;
    const lastSeq = this.reducer.gap;
    if (lastSeq !== NO_GAP) {
      const { op } = event as { op: "set" | "append" | "error" | "ping" | "end" };
      const seq = seqOf(event as JsonObject)!;
      this.reports.push({ kind: "gap", gap: { streamId: stream.id, op, lastSeq, seq, eventIndex: this.index } });
    }
    if (this.options.events) {
      this.reports.push({ kind: "event", event, streamId: stream.id, eventIndex: this.index });
    }
    this.streams.followStatus(stream);
  }

  private skip(stream: Stream, event: JsonObject): void {
    stream.skipped++;
    this.counters.skipped++;
    if (!stream.skipping) this.warn("duplicate_seq", stream.id, seqOf(event));
    stream.skipping = true;
  }

  private drop(stream: Stream): void {
    stream.dropped++;
    this.counters.dropped++;
  }

  /** Reports a violation and refuses the stream where that is asked for. */
  private violate(
    stream: Stream | undefined,
    streamId: string,
    event: JsonObject,
    violation: Violation,
    byteOffset?: number,
  ): void {
    this.report(this.faultOf(violation, streamId, event, byteOffset));
    if (stream === undefined) return;
    stream.skipping = false;
    if (this.options.onViolation === "refuse-stream" && !HARMLESS.has(violation.code)) this.refuse(streamId);
  }

  /** The stream takes nothing but a `start` from now on. */
  refuse(streamId: string): void {
    const stream = this.streams.find(streamId);
    if (stream === undefined) return;
    stream.status = REFUSED;
    this.streams.followStatus(stream);
  }

  // ---------------------------------------------------------------- what is known of the event in hand

  /** The wire offset of a byte position in the event in hand. */
  private locate(position: number): number {
    if (this.offset !== ON_THE_WIRE) return this.offset + position;
    return position === 0 ? this.framer.messageStart() : this.framer.locate(position);
  }

  private start(): { byteOffset?: number } {
    return this.offset === NOWHERE ? {} : { byteOffset: this.locate(0) };
  }

  /** Where the first number text beyond the limit is: undefined when there is none, NOWHERE when the event came as a value. */
  private findLongNumber(event: JsonObject): number | undefined {
    const limit = this.options.limits.numberLength;
    const { text } = this;
    if (text === undefined && limit >= LONGEST_DOUBLE) return undefined;
    if (text !== undefined && (text.length <= limit || !mayHoldLongNumber(text, limit))) return undefined;
    const bytes = this.offset === ON_THE_WIRE ? this.framer.messageBytes() : encodeUtf8(text ?? stringify(event));
    const position = findLongNumber(bytes, limit);
    if (position < 0) return undefined;
    return this.offset === NOWHERE ? NOWHERE : this.locate(position);
  }

  private readonly namesAt: NamesAt = (path, object) => namesOf(this.text, path, object);

  // ---------------------------------------------------------------- reports

  private faultOf(violation: Violation, streamId: string, event: JsonObject, byteOffset = NOWHERE): Fault {
    const fault: Fault = { ...violation, streamId, eventIndex: this.index };
    const seq = seqOf(event);
    if (seq !== undefined) fault.seq = seq;
    if (byteOffset >= 0) fault.byteOffset = byteOffset;
    return fault;
  }

  /** A fault of the connection's: returns whether reading goes on. */
  private fail(fault: Fault): boolean {
    fault.eventIndex = this.index;
    this.report(fault);
    if (!this.sticky) return true;
    this.failure = fault;
    return false;
  }

  private report(fault: Fault): void {
    this.counters.errors++;
    if (this.delivered++ < this.options.limits.reports) this.reports.push({ kind: "error", fault });
  }

  private warn(code: WarningCode, streamId?: string, seq?: number): void {
    this.counters.warnings++;
    if (this.delivered++ >= this.options.limits.reports) return;
    const warning: Report = { kind: "warning", code, eventIndex: this.index };
    if (code === "duplicate_seq") warning.path = "/seq";
    if (streamId !== undefined) warning.streamId = streamId;
    if (seq !== undefined) warning.seq = seq;
    this.reports.push(warning);
  }
}
