import { ByteBuffer } from "../../../codec/bytes.js";
import { decodeReplacing, decodeUtf8, encodeUtf8 } from "../../../codec/text.js";
import { utf8Length } from "../../../json/text.js";
import { BATCH } from "./batch.js";
import { type Framer, isBlankOrDone, type MessageSink, NoMessage } from "./sink.js";

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const BOM = [0xef, 0xbb, 0xbf];
/** What a line may have beyond a message: `data: `. */
const FIELD = 6;
/** Mark of a gap that takes more than one byte, and how many bytes follow it. */
const WIDE_GAP = 255;
const WIDE_GAP_BYTES = 6;

/**
 * Transport `sse`: the WHATWG event stream grammar (docs/semantics.md §1).
 *
 * Whole events that lie inside a chunk and use LF are decoded in batches and cut as text; everything else goes line by line as bytes.
 */
export class SseFramer implements Framer {
  /** Wire bytes before the chunk in hand. */
  offset = 0;
  readonly isPartial = false;
  /** False while a byte order mark may still come. */
  started = false;
  /** An LF that comes next belongs to the CR before. */
  swallowLf = false;
  /** The rest of a too large event is being skipped up to its blank line. */
  skipping = false;
  /** While skipping: whether the present line has a byte. */
  skippedLine = false;
  lastEventId: string | undefined;
  retry: number | undefined;

  private readonly limit: number;
  /** Bytes of the byte order mark seen. */
  private bom = 0;
  /** The line that has no end yet. */
  private readonly line = new ByteBuffer();
  private lineStart = 0;
  /** The event's data lines, joined by LF. */
  private readonly data = new ByteBuffer();
  private lines = 0;
  /** Wire offsets of the first data byte and behind the last one. */
  private dataStart = 0;
  private dataEnd = 0;
  /** Wire bytes between one data line's value and the next one's (`addGap`). */
  private readonly gaps = new ByteBuffer();
  /** The id buffer; undefined when the connection has sent none. */
  private id: string | undefined;

  // The present message when it is part of a batch.
  private inBatch = false;
  private batch = "";
  private batchStart = 0;
  private from = 0;
  private to = 0;

  /** @param limit bytes of one event's joined data */
  constructor(limit: number) {
    this.limit = limit;
  }

  push(chunk: Uint8Array, sink: MessageSink): void {
    let at = 0;
    if (!this.started) {
      at = this.skipBom(chunk, sink);
      if (at < 0) return;
    }
    if (this.swallowLf && at < chunk.length) {
      this.swallowLf = false;
      if (chunk[at] === LF) at++;
    }
    this.consume(chunk, at, sink);
    this.offset += chunk.length;
  }

  /** Past a byte order mark at the very start; -1 when the connection failed. */
  private skipBom(chunk: Uint8Array, sink: MessageSink): number {
    let at = 0;
    while (at < chunk.length && this.bom < BOM.length && chunk[at] === BOM[this.bom]) {
      at++;
      this.bom++;
    }
    if (this.bom === BOM.length) {
      this.started = true;
    } else if (at < chunk.length) {
      this.started = true;
      // It was none: what matched in earlier chunks is the beginning of the first line.
      const earlier = this.bom - at;
      this.bom = 0;
      at = 0;
      if (earlier > 0) {
        this.offset -= earlier;
        const more = this.consume(Uint8Array.from(BOM.slice(0, earlier)), 0, sink);
        this.offset += earlier;
        if (!more) return -1;
      }
    }
    return at;
  }

  private consume(chunk: Uint8Array, at: number, sink: MessageSink): boolean {
    // Behind a batch that has to be taken line by line.
    let single = 0;
    let lf = -1;
    while (at < chunk.length) {
      if (at >= single && this.lines === 0 && this.line.length === 0 && !this.skipping) {
        const end = batchEnd(chunk, at);
        if (end > at && end - at <= this.limit) {
          const text = decodeUtf8(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
          if (text !== undefined && !text.includes("\r")) {
            const done = this.runBatch(text, this.offset + at, sink);
            if (done < 0) return false;
            if (done === text.length) {
              at = end;
              continue;
            }
            at += utf8Length(text, 0, done);
          }
        }
        single = end > at ? end : chunk.length;
      }
      if (lf < at) {
        lf = chunk.indexOf(LF, at);
        if (lf < 0) lf = chunk.length;
      }
      const cr = chunk.subarray(at, lf).indexOf(CR);
      const end = cr < 0 ? lf : at + cr;
      if (end === chunk.length) return this.addToLine(chunk, at, sink);
      if (!this.endLine(chunk, at, end, sink)) return false;
      at = end + 1;
      if (cr >= 0) {
        if (at === chunk.length) this.swallowLf = true;
        else if (chunk[at] === LF) at++;
      }
    }
    return true;
  }

  /**
   * Whole events as text. Returns how much was consumed: less than all of it before an event of several data lines, -1 when the connection failed.
   */
  private runBatch(text: string, start: number, sink: MessageSink): number {
    this.inBatch = true;
    this.batch = text;
    this.batchStart = start;
    let at = 0;
    while (at < text.length) {
      let end = text.indexOf("\n", at);
      if (text.charCodeAt(end + 1) === LF && text.startsWith("data: ", at)) {
        this.from = at + FIELD;
        this.to = end;
        at = end + 2;
      } else {
        this.from = -1;
        let line = at;
        while (end > line) {
          if (text.startsWith("data", line) && (end === line + 4 || text.charCodeAt(line + 4) === COLON)) {
            if (this.from >= 0) {
              this.inBatch = false;
              return at;
            }
            this.from = Math.min(end, text.charCodeAt(line + 5) === SPACE ? line + FIELD : line + 5);
            this.to = end;
          } else {
            this.textField(text, line, end);
          }
          line = end + 1;
          end = text.indexOf("\n", line);
        }
        at = line + 1;
      }
      if (this.from >= 0) {
        const message = text.slice(this.from, this.to);
        if (!isBlankOrDone(message) && !sink.message(message)) return -1;
      }
      if (this.id !== undefined) this.lastEventId = this.id;
    }
    this.inBatch = false;
    this.batch = "";
    return at;
  }

  /** `id` and `retry`. */
  private textField(text: string, from: number, to: number): void {
    const c = text.charCodeAt(from);
    if (c !== 0x69 && c !== 0x72) return;
    const line = text.slice(from, to);
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1);
    if (name === "id") {
      if (!value.includes("\0")) this.id = value;
    } else if (name === "retry" && /^[0-9]+$/.test(value)) {
      this.retry = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
    }
  }

  /** A piece of a line whose end has not come. */
  private addToLine(chunk: Uint8Array, at: number, sink: MessageSink): boolean {
    if (this.skipping) {
      this.skippedLine = true;
      return true;
    }
    if (this.line.length === 0) this.lineStart = this.offset + at;
    if (this.line.length + chunk.length - at > this.limit + FIELD) {
      this.line.append(chunk, at, Math.min(chunk.length, at + FIELD));
      return this.tooLarge(sink, true);
    }
    this.line.append(chunk, at, chunk.length);
    const length = this.line.length;
    if (length <= FIELD) return true;
    const value = dataValue(this.line.view(), 0, length);
    return value < 0 || this.joined(length - value) <= this.limit || this.tooLarge(sink, true);
  }

  private endLine(chunk: Uint8Array, from: number, to: number, sink: MessageSink): boolean {
    if (this.skipping) {
      const blank = !this.skippedLine && to === from;
      this.skippedLine = false;
      if (!blank) return true;
      this.skipping = false;
      return this.dispatch(sink);
    }
    const held = this.line.length;
    if (held === 0) {
      if (to === from) return this.dispatch(sink);
      this.lineStart = this.offset + from;
    }
    if (held + to - from > this.limit + FIELD) {
      this.line.append(chunk, from, Math.min(to, from + FIELD));
      return this.tooLarge(sink, false);
    }
    if (held === 0) return this.field(chunk, from, to, sink);
    this.line.append(chunk, from, to);
    const more = this.field(this.line.view(), 0, this.line.length, sink);
    this.line.clear();
    return more;
  }

  /** One whole line that is not blank and begins at `lineStart`. */
  private field(bytes: Uint8Array, from: number, to: number, sink: MessageSink): boolean {
    const value = dataValue(bytes, from, to);
    if (value < 0) {
      const c = bytes[from];
      if (c === 0x69 || c === 0x72) {
        const text = decodeReplacing(bytes.subarray(from, to));
        this.textField(text, 0, text.length);
      }
      return true;
    }
    const start = this.lineStart + value - from;
    if (this.joined(to - value) > this.limit) {
      const more = sink.tooLarge(this.lines > 0 ? this.dataStart : start);
      this.skip(false);
      return more;
    }
    if (this.lines === 0) {
      this.dataStart = start;
    } else {
      this.data.appendByte(LF);
      this.addGap(start - this.dataEnd);
    }
    this.lines++;
    this.data.append(bytes, value, to);
    this.dataEnd = start + to - value;
    return true;
  }

  /** Bytes of the joined data with one more line. */
  private joined(length: number): number {
    return this.lines > 0 ? this.data.length + 1 + length : length;
  }

  /** The line that begins at `lineStart`, and whose first bytes are in `line`, is beyond the limit. */
  private tooLarge(sink: MessageSink, open: boolean): boolean {
    const value = dataValue(this.line.view(), 0, this.line.length);
    const start = value < 0 ? this.lineStart : this.lines > 0 ? this.dataStart : this.lineStart + value;
    const more = sink.tooLarge(start);
    this.skip(open);
    return more;
  }

  private skip(open: boolean): void {
    this.clear();
    this.skipping = true;
    this.skippedLine = open;
  }

  private dispatch(sink: MessageSink): boolean {
    let more = true;
    if (this.lines > 0) {
      const bytes = this.data.view();
      const text = decodeUtf8(bytes);
      more = text === undefined ? sink.illFormed(bytes) : isBlankOrDone(text) || sink.message(text);
      this.clear();
    }
    if (more && this.id !== undefined) this.lastEventId = this.id;
    return more;
  }

  private clear(): void {
    this.line.clear();
    this.data.clear();
    this.gaps.clear();
    this.lines = 0;
  }

  messageStart(): number {
    return this.inBatch ? this.batchStart + utf8Length(this.batch, 0, this.from) : this.dataStart;
  }

  locate(position: number): number {
    if (this.inBatch) return this.messageStart() + position;
    const data = this.data.view();
    // The LF that joins two lines stands for the first byte of the second one.
    const end = data[position] === LF ? position + 1 : position;
    let offset = this.dataStart + end;
    for (let i = data.indexOf(LF), gap = 0; i >= 0 && i < end; i = data.indexOf(LF, i + 1)) {
      offset += this.gapAt(gap) - 1;
      gap += this.gaps.view()[gap] === WIDE_GAP ? 1 + WIDE_GAP_BYTES : 1;
    }
    return offset;
  }

  messageBytes(): Uint8Array {
    return this.inBatch ? encodeUtf8(this.batch.slice(this.from, this.to)) : this.data.view();
  }

  tail(sink: MessageSink, use: boolean): Uint8Array | undefined {
    if (this.line.length > 0) {
      const bytes = this.line.view();
      const isData = dataValue(bytes, 0, bytes.length) >= 0;
      if (isData || (use && this.lines > 0)) this.field(bytes, 0, bytes.length, sink);
      this.line.clear();
    }
    return this.lines > 0 ? this.data.view() : undefined;
  }

  acceptTail(): void {
    if (this.id !== undefined) this.lastEventId = this.id;
    this.clear();
  }

  dropTail(): void {
    this.clear();
  }

  partial(): Uint8Array {
    const out = new ByteBuffer();
    const write = (text: string): void => {
      const bytes = encodeUtf8(text);
      out.append(bytes, 0, bytes.length);
    };
    if (!this.started) return Uint8Array.from(BOM.slice(0, this.bom));
    if (this.id !== undefined && this.id !== this.lastEventId) write(`id: ${this.id}\n`);
    if (this.lines > 0) {
      // Where lines between were dropped, a comment of their length keeps the offsets.
      write("data: ");
      const data = this.data.view();
      let from = 0;
      let gap = 0;
      for (let i = data.indexOf(LF); i >= 0; i = data.indexOf(LF, from)) {
        out.append(data, from, i);
        const width = this.gapAt(gap);
        gap += this.gaps.view()[gap] === WIDE_GAP ? 1 + WIDE_GAP_BYTES : 1;
        if (width < 9) write(["", "", "", "", "", "\ndata", "\ndata:", "\ndata: ", "\r\ndata: "][width]!);
        else write(`\n${filler(width - 7)}data: `);
        from = i + 1;
      }
      out.append(data, from, data.length);
      const rest = (this.line.length > 0 ? this.lineStart : this.offset) - this.dataEnd;
      write(`\n${filler(rest - 1)}`);
    }
    out.append(this.line.view(), 0, this.line.length);
    return out.view();
  }

  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean {
    this.offset = offset - partial.length;
    const sink = new NoMessage();
    this.push(partial, sink);
    this.skipping = skipping;
    return !sink.came;
  }

  /** Wire bytes between two data lines' values: one byte each as a rule, so that many short lines cost little more than their data. */
  private addGap(gap: number): void {
    if (gap < WIDE_GAP) {
      this.gaps.appendByte(gap);
      return;
    }
    this.gaps.appendByte(WIDE_GAP);
    for (let i = 0; i < WIDE_GAP_BYTES; i++) {
      this.gaps.appendByte(gap % 256);
      gap = Math.floor(gap / 256);
    }
  }

  private gapAt(index: number): number {
    const gaps = this.gaps.view();
    const first = gaps[index]!;
    if (first !== WIDE_GAP) return first;
    let gap = 0;
    for (let i = WIDE_GAP_BYTES; i > 0; i--) gap = gap * 256 + gaps[index + i]!;
    return gap;
  }
}

/** A comment line of `length` bytes, its LF included; nothing where none fits or it would be large. */
function filler(length: number): string {
  return length < 2 || length > 65_536 ? "" : `:${" ".repeat(length - 2)}\n`;
}

/** Where the value of a data line begins; -1 for any other line. */
function dataValue(bytes: Uint8Array, from: number, to: number): number {
  if (
    to - from < 4 ||
    bytes[from] !== 0x64 ||
    bytes[from + 1] !== 0x61 ||
    bytes[from + 2] !== 0x74 ||
    bytes[from + 3] !== 0x61
  )
    return -1;
  if (to - from === 4) return to;
  if (bytes[from + 4] !== COLON) return -1;
  return from + 5 < to && bytes[from + 5] === SPACE ? from + FIELD : from + 5;
}

/**
 * Behind the blank line that ends a batch of about `BATCH` bytes from `at`; -1 when no event ends there, or where lines end at CRLF.
 */
function batchEnd(chunk: Uint8Array, at: number): number {
  const length = chunk.length;
  if (length - at > BATCH) {
    let lf = chunk.indexOf(LF, at + BATCH);
    while (lf >= 0) {
      if (chunk[lf + 1] === LF) return lf + 2;
      if (chunk[lf - 1] === CR) return -1;
      lf = chunk.indexOf(LF, lf + 1);
    }
  }
  let lf = chunk[length - 1] === LF ? length - 1 : chunk.lastIndexOf(LF);
  while (lf > at) {
    const before = chunk[lf - 1];
    if (before === LF) return lf + 1;
    if (before === CR) return -1;
    lf = chunk.lastIndexOf(LF, lf - 1);
  }
  return -1;
}
