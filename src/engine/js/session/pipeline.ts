import { R_LIMIT_MESSAGE, R_OBJECT } from "../../../../assembly/abi/codes.js";
import { MsgpackFault, type MsgpackMessage, type MsgpackOptions, readMsgpack } from "../../../codec/msgpack/index.js";
import { readProtobuf } from "../../../codec/protobuf/read.js";
import { decodeReplacing, encodeUtf8 } from "../../../codec/text.js";
import type { Fault, WarningFacts } from "../../../errors.js";
import { ExactNumber, stringify } from "../../../json/exact.js";
import { LONGEST_DOUBLE } from "../../../json/number.js";
import type { JsonObject } from "../../../json/object.js";
import { mayHoldLongNumber, nestingOf } from "../../../json/text.js";
import type { Report, SessionOptions } from "../../contract.js";
import { findLongNumber, findTextFault } from "../codec/text-fault.js";
import { copyValue } from "../codec/value.js";
import type { Framer, MessageSink } from "../frame/sink.js";
import type { Source } from "../reduce/agentue/operations.js";
import type { NamesAt } from "../reduce/agentue/validate.js";
import { MOST_BYTES_OF_MSGPACK, msgpackFault } from "./binary.js";
import { namesOf } from "./names.js";
import type { Protocol } from "./protocol.js";
import type { QueuedMessage } from "./queue.js";
import { Outlet } from "./transcode/outlet.js";

/** Places of the event in hand other than an offset: the framer knows it; there is none. */
const ON_THE_WIRE = -2;
export const NOWHERE = -1;

/** Stands for the bytes of a message that are to be found by a walk, where they are asked for. */
export const UNMEASURED = -1;

/** Stands where no call is in hand. */
const NO_REPORTS: Report[] = [];

/** Below this `numberLength` a text with short runs of digits could still hold a number that is too long. */
const QUICK_NUMBER_LENGTH = 40;

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

/** From bytes, texts and values to messages for the protocol, and from its verdicts to reports (docs/semantics.md §2.1, §2.3, §8). */
export class Pipeline implements MessageSink {
  framer: Framer;
  counters = new Counters();
  /** The connection's sticky failure. */
  failure: Fault | undefined;
  readonly options: SessionOptions;
  /** Whether a text with short runs of digits holds no number that is too long. */
  readonly quick: boolean;
  readonly protocol: Protocol;
  /** Where accepted events go out on another wire. */
  readonly outlet: Outlet | undefined;

  // The call in hand.
  private reports: Report[] = NO_REPORTS;
  private delivered = 0;
  private sticky = false;
  // The message in hand.
  /** Its index. */
  index = 0;
  /** Its text; undefined when it came as a value. */
  text: string | undefined;
  /** What is known of it; of a text, bytes and exactness are for the protocol to fill in. */
  readonly source: Source = { nesting: 0, bytes: 0, exact: false };
  private offset = NOWHERE;
  /** Positions in its text are positions in its bytes. */
  private isText = true;
  /** It came over a binary wire and has a number text that is too long. */
  private longNumber = false;
  /** Without a text: the order of members where JavaScript has another one. */
  readonly orders = new Map<object, string[]>();
  /** How binary messages are read. */
  private readonly reading: MsgpackOptions;

  /** @param protocol makes the protocol of this pipeline */
  constructor(options: SessionOptions, framer: Framer, protocol: (pipeline: Pipeline) => Protocol) {
    this.options = options;
    this.framer = framer;
    this.quick = options.limits.numberLength >= QUICK_NUMBER_LENGTH;
    const { depth, numberLength } = options.limits;
    this.reading = { depth, numberLength, replace: options.utf8 === "replace", orders: this.orders };
    this.outlet = options.transcode === undefined ? undefined : new Outlet(options.transcode, this);
    if (this.outlet !== undefined) this.reading.losses = this.outlet.read;
    this.protocol = protocol(this);
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

  binary(bytes: Uint8Array): boolean {
    this.open(ON_THE_WIRE);
    return this.options.transport === "msgpack" ? this.fromMsgpack(bytes) : this.fromProtobuf(bytes);
  }

  tooLarge(offset: number): boolean {
    this.open(offset);
    return this.fail({ code: "too_large", reason: R_LIMIT_MESSAGE, byteOffset: offset });
  }

  /** The tail of the body, known to be a whole text; `replaced`: its ill-formed UTF-8 was. */
  tail(text: string, bytes: Uint8Array, replaced: boolean): boolean {
    this.open(ON_THE_WIRE);
    if (replaced) this.warn({ code: "utf8_replaced" });
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
    if (this.quick && this.protocol.takeValue(event)) return;
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
    this.forgetOrders();
    this.source.nesting = copy.depth - 1;
    this.source.bytes = copy.bound;
    this.source.exact = copy.exact;
    this.route(copy.value, event);
  }

  /** Takes a message that was queued in hand again; returns the event. */
  reopen(message: QueuedMessage): JsonObject {
    const { text } = message;
    this.index = message.eventIndex;
    this.offset = message.byteOffset;
    this.isText = this.options.transport !== "msgpack" && this.options.transport !== "protobuf";
    this.text = text;
    this.source.nesting = nestingOf(text, this.options.limits.depth + 1) - 1;
    return JSON.parse(text) as JsonObject;
  }

  /** The message in hand for a queue; `event` is written where there is no text. */
  queued(event: JsonObject): QueuedMessage {
    const byteOffset = this.offset === NOWHERE ? NOWHERE : this.locate(0);
    return { eventIndex: this.index, byteOffset, text: this.text ?? stringify(event, this.orders) };
  }

  /** The body has ended: what is said from here on is about no message. */
  beginEnd(): void {
    this.index = this.counters.nextIndex;
    this.offset = NOWHERE;
  }

  /** One more message that came as a value. */
  openValue(): void {
    this.open(NOWHERE);
  }

  /** Clearing makes a new table, even of an empty one. */
  private forgetOrders(): void {
    if (this.orders.size > 0) this.orders.clear();
  }

  /** One more message. */
  private open(offset: number): void {
    this.index = this.counters.nextIndex++;
    this.counters.events++;
    this.offset = offset;
    this.isText = true;
  }

  private readIllFormed(bytes: Uint8Array): boolean {
    if (this.options.utf8 === "fatal") return this.undecodable(bytes, false);
    this.warn({ code: "utf8_replaced" });
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

  private fromMsgpack(bytes: Uint8Array): boolean {
    this.forgetOrders();
    if (this.outlet !== undefined) this.outlet.read.bits = 0;
    const message = readMsgpack(bytes, this.reading);
    if (message instanceof MsgpackFault) {
      return this.fail({ ...msgpackFault(message), byteOffset: this.framer.locate(message.offset) });
    }
    if (message.replaced) this.warn({ code: "utf8_replaced" });
    return this.routeTree(message, MOST_BYTES_OF_MSGPACK * bytes.length);
  }

  /** Routes what was read of a binary message. */
  private routeTree(read: Pick<MsgpackMessage, "value" | "depth" | "exact" | "longNumber">, bound: number): boolean {
    const { source } = this;
    this.text = undefined;
    this.longNumber = read.longNumber;
    source.nesting = read.depth - 1;
    source.bytes = bound;
    source.exact = read.exact;
    return this.route(read.value, undefined);
  }

  private fromProtobuf(bytes: Uint8Array): boolean {
    this.forgetOrders();
    const reading = readProtobuf(bytes, this.reading);
    if ("fault" in reading) {
      if (reading.fault === "unknown") {
        this.protocol.dropUnknown?.();
        return true;
      }
      const code = reading.fault === "malformed" ? "bad_protobuf" : "too_deep";
      return this.fail({ code, byteOffset: this.framer.locate(reading.offset) });
    }
    if (reading.replaced) this.warn({ code: "utf8_replaced" });
    if (reading.dropped > 0) this.protocol.partsLeftOut?.();
    return this.routeTree(reading, UNMEASURED);
  }

  private undecodable(bytes: Uint8Array, replaced: boolean): boolean {
    const fault = findTextFault(bytes, this.options.limits.depth, replaced);
    const { code, position } = fault ?? { code: "bad_json" as const, position: bytes.length };
    return this.fail({ code, byteOffset: this.locate(position) });
  }

  /**
   * @param event the message as JSON; a tree of our own when it came as a value or over a binary wire
   * @param reported what listeners get; undefined: a copy of the event
   */
  private route(event: unknown, reported: unknown): boolean {
    if (typeof event === "object" && event !== null && !Array.isArray(event) && !(event instanceof ExactNumber)) {
      if (this.outlet?.passes) return this.pass(event as JsonObject, this.outlet);
      return this.protocol.take(event as JsonObject, reported);
    }
    return this.fail({ code: "not_an_event", reason: R_OBJECT, ...this.start() });
  }

  /** Passes an object on that nobody judges. */
  private pass(event: JsonObject, outlet: Outlet): boolean {
    outlet.draftMessage(event, this.text);
    outlet.commit(this.options.protocol === "ag-ui" ? { streamId: "" } : {});
    this.counters.applied++;
    return true;
  }

  // ---------------------------------------------------------------- what is known of the event in hand

  /** The wire offset of a byte position in the event in hand. */
  private locate(position: number): number {
    const at = this.isText ? position : 0;
    if (this.offset !== ON_THE_WIRE) return this.offset + at;
    return at === 0 ? this.framer.messageStart() : this.framer.locate(at);
  }

  /** Bytes of the message in hand, which came on the wire. */
  size(): number {
    return this.framer.messageBytes().length;
  }

  /** Where the message in hand starts, if it came as bytes. */
  start(): { byteOffset?: number } {
    return this.offset === NOWHERE ? {} : { byteOffset: this.locate(0) };
  }

  /** Where the first number text beyond the limit is: undefined when there is none, NOWHERE when the event came as a value. */
  findLongNumber(event: JsonObject): number | undefined {
    const limit = this.options.limits.numberLength;
    const { text } = this;
    if (text === undefined) {
      if (limit >= LONGEST_DOUBLE) return undefined;
      if (this.offset !== NOWHERE) return this.longNumber ? this.locate(0) : undefined;
      return findLongNumber(encodeUtf8(stringify(event)), limit) < 0 ? undefined : NOWHERE;
    }
    if (text.length <= limit || !mayHoldLongNumber(text, limit)) return undefined;
    const bytes = this.offset === ON_THE_WIRE ? this.framer.messageBytes() : encodeUtf8(text);
    const position = findLongNumber(bytes, limit);
    if (position < 0) return undefined;
    return this.offset === NOWHERE ? NOWHERE : this.locate(position);
  }

  /** Member names of an object inside of the message in hand, in document order. */
  readonly namesAt: NamesAt = (path, object) => namesOf(this.text, this.orders, path, object);

  // ---------------------------------------------------------------- reports

  /** A fault of the connection's: returns whether reading goes on. */
  fail(fault: Fault): boolean {
    fault.eventIndex = this.index;
    this.report(fault);
    if (!this.sticky) return true;
    this.failure = fault;
    return false;
  }

  /** An error of the message in hand. */
  report(fault: Fault): void {
    this.counters.errors++;
    if (this.delivered++ < this.options.limits.reports) this.reports.push({ kind: "error", fault });
  }

  /** @param seq of the event, if it is valid */
  warn(facts: WarningFacts, streamId?: string, seq?: number): void {
    this.counters.warnings++;
    if (this.delivered++ >= this.options.limits.reports) return;
    const warning: Report = { kind: "warning", ...facts, eventIndex: this.index };
    if (streamId !== undefined) warning.streamId = streamId;
    if (seq !== undefined) warning.seq = seq;
    this.reports.push(warning);
  }

  /** An accepted event, or a gap before it. */
  deliver(report: Report): void {
    this.reports.push(report);
  }
}
