import type { Bytes } from "../../../bytes.js";
import { decodeUtf8, encodeUtf8 } from "../../../codec/text.js";

/** The `SFCK` container, byte for byte (docs/semantics.md §10); what the parts mean is the session's business. */

const MAGIC = 0x4b434653;
const FORMAT = 1;
const HEADER = 12;
const MAX = Number.MAX_SAFE_INTEGER;

export interface SavedMessage {
  eventIndex: number;
  /** -1 for an event that came as a value. */
  byteOffset: number;
  text: string;
}

export interface SavedStream {
  id: string;
  /** 1 open, 2 errored, 3 ended, 4 refused. */
  status: number;
  seq: number | undefined;
  paused: boolean;
  /** AgentUE: it has paused by itself. */
  waiting?: boolean;
  /** In a run of skipped events. */
  skipping: boolean;
  /** An event was lost from the queue. */
  lost: boolean;
  version: number;
  applied: number;
  skipped: number;
  dropped: number;
  /** 0 = not ended. */
  endOrder: number;
  queue: SavedMessage[];
  /** Compact JSON. */
  model: string;
}

export interface Checkpoint {
  protocol: number;
  transport: number;
  offset: number;
  eventIndex: number;
  retry: number | undefined;
  events: number;
  applied: number;
  skipped: number;
  dropped: number;
  errors: number;
  warnings: number;
  /** First bytes seen: no byte order mark can come. */
  started: boolean;
  swallowLf: boolean;
  finished: boolean;
  /** The body ended inside a message. */
  cut: boolean;
  /** The rest of a too large message is being skipped. */
  skipping: boolean;
  /** The line that is being skipped has a byte. */
  skippedLine: boolean;
  lastEventId: string | undefined;
  partial: Uint8Array;
  streams: SavedStream[];
}

export function writeCheckpoint(checkpoint: Checkpoint): Bytes {
  const out = new Writer();
  out.u32(MAGIC);
  out.u16(FORMAT);
  out.u8(checkpoint.protocol);
  out.u8(checkpoint.transport);
  out.u32(0);
  const { lastEventId } = checkpoint;
  for (const name of ["offset", "eventIndex"] as const) out.f64(checkpoint[name]);
  out.f64(checkpoint.retry ?? -1);
  for (const name of COUNTERS) out.f64(checkpoint[name]);
  out.u8(
    (checkpoint.started ? 1 : 0) |
      (checkpoint.swallowLf ? 2 : 0) |
      (lastEventId !== undefined ? 4 : 0) |
      (checkpoint.finished ? 8 : 0) |
      (checkpoint.cut ? 16 : 0) |
      (checkpoint.skipping ? 32 : 0) |
      (checkpoint.skippedLine ? 64 : 0),
  );
  out.text(lastEventId ?? "");
  out.bytes(checkpoint.partial);
  out.u32(checkpoint.streams.length);
  for (const stream of checkpoint.streams) {
    out.text(JSON.stringify(stream.id).slice(1, -1));
    out.u8(stream.status);
    out.u8(
      (stream.seq !== undefined ? 1 : 0) |
        (stream.paused ? 2 : 0) |
        (stream.skipping ? 4 : 0) |
        (stream.lost ? 8 : 0) |
        (stream.waiting ? 16 : 0),
    );
    out.f64(stream.seq ?? 0);
    for (const name of STREAM_COUNTERS) out.f64(stream[name]);
    out.u32(stream.queue.length);
    for (const message of stream.queue) {
      out.f64(message.eventIndex);
      out.f64(message.byteOffset);
      out.text(message.text);
    }
    out.text(stream.model);
  }
  return out.finish();
}

/**
 * @returns undefined for bytes that are no checkpoint of this format; JSON texts are not looked at
 */
export function readCheckpoint(bytes: Uint8Array): Checkpoint | undefined {
  try {
    return read(new Reader(bytes));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

const COUNTERS = ["events", "applied", "skipped", "dropped", "errors", "warnings"] as const;
const STREAM_COUNTERS = ["version", "applied", "skipped", "dropped", "endOrder"] as const;

function read(input: Reader): Checkpoint {
  check(input.u32() === MAGIC && input.u16() === FORMAT);
  const protocol = input.u8();
  const transport = input.u8();
  check(input.u32() === input.length);
  const offset = input.count();
  const eventIndex = input.count();
  const retry = input.count(-1);
  const [events, applied, skipped, dropped, errors, warnings] = COUNTERS.map(() => input.count()) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const flags = input.u8();
  check(flags < 128);
  const id = input.text();
  check((flags & 4) !== 0 || id === "");
  const partial = input.bytes();
  const streams: SavedStream[] = [];
  const seen = new Set<string>();
  for (let left = input.u32(); left > 0; left--) {
    const stream = readStream(input);
    check(!seen.has(stream.id));
    seen.add(stream.id);
    streams.push(stream);
  }
  check(input.atEnd);
  return {
    protocol,
    transport,
    offset,
    eventIndex,
    retry: retry < 0 ? undefined : retry,
    events,
    applied,
    skipped,
    dropped,
    errors,
    warnings,
    started: (flags & 1) !== 0,
    swallowLf: (flags & 2) !== 0,
    lastEventId: (flags & 4) !== 0 ? id : undefined,
    finished: (flags & 8) !== 0,
    cut: (flags & 16) !== 0,
    skipping: (flags & 32) !== 0,
    skippedLine: (flags & 64) !== 0,
    partial,
    streams,
  };
}

function readStream(input: Reader): SavedStream {
  const id = unescapeText(input.text());
  const status = input.u8();
  const flags = input.u8();
  check(status >= 1 && status <= 4 && flags < 32);
  const seq = input.count();
  const [version, applied, skipped, dropped, endOrder] = STREAM_COUNTERS.map(() => input.count()) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const paused = (flags & 2) !== 0;
  const lost = (flags & 8) !== 0;
  const queue: SavedMessage[] = [];
  for (let left = input.u32(); left > 0; left--) {
    queue.push({ eventIndex: input.count(), byteOffset: input.count(-1), text: input.text() });
  }
  const waiting = (flags & 16) !== 0;
  check(paused || (queue.length === 0 && !lost && !waiting));
  return {
    id,
    status,
    seq: (flags & 1) !== 0 ? seq : undefined,
    paused,
    waiting,
    skipping: (flags & 4) !== 0,
    lost,
    version,
    applied,
    skipped,
    dropped,
    endOrder,
    queue,
    model: input.text(),
  };
}

/** Canonical JSON string contents to a string. */
function unescapeText(escaped: string): string {
  let text: unknown;
  try {
    text = JSON.parse(`"${escaped}"`);
  } catch {
    throw new Malformed();
  }
  check(typeof text === "string" && JSON.stringify(text) === `"${escaped}"`);
  return text as string;
}

class Malformed extends Error {}

function check(condition: boolean): void {
  if (!condition) throw new Malformed();
}

class Writer {
  private target = new Uint8Array(1024);
  private view = new DataView(this.target.buffer);
  private length = 0;

  u8(value: number): void {
    this.reserve(1);
    this.target[this.length++] = value;
  }

  u16(value: number): void {
    this.reserve(2);
    this.view.setUint16(this.length, value, true);
    this.length += 2;
  }

  u32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  f64(value: number): void {
    this.reserve(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  text(value: string): void {
    this.bytes(encodeUtf8(value));
  }

  bytes(value: Uint8Array): void {
    this.u32(value.length);
    this.reserve(value.length);
    this.target.set(value, this.length);
    this.length += value.length;
  }

  finish(): Bytes {
    this.view.setUint32(HEADER - 4, this.length, true);
    return this.target.slice(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.target.length) return;
    const grown = new Uint8Array(Math.max(this.length + more, this.target.length * 2));
    grown.set(this.target.subarray(0, this.length));
    this.target = grown;
    this.view = new DataView(grown.buffer);
  }
}

class Reader {
  readonly length: number;
  private readonly source: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(source: Uint8Array) {
    this.source = source;
    this.length = source.length;
    this.view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  }

  get atEnd(): boolean {
    return this.at === this.length;
  }

  u8(): number {
    return this.view.getUint8(this.take(1));
  }

  u16(): number {
    return this.view.getUint16(this.take(2), true);
  }

  u32(): number {
    return this.view.getUint32(this.take(4), true);
  }

  /** An integer from `least` to 2^53-1, stored as a double. */
  count(least = 0): number {
    const value = this.view.getFloat64(this.take(8), true);
    check(Number.isInteger(value) && value >= least && value <= MAX && !Object.is(value, -0));
    return value;
  }

  text(): string {
    const text = decodeUtf8(this.bytes());
    if (text === undefined) throw new Malformed();
    return text;
  }

  bytes(): Uint8Array {
    const length = this.u32();
    const from = this.take(length);
    return this.source.subarray(from, from + length);
  }

  private take(bytes: number): number {
    const from = this.at;
    check(bytes <= this.length - from);
    this.at += bytes;
    return from;
  }
}
