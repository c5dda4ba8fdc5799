import { ByteBuffer } from "../../../codec/bytes.js";
import { decodeUtf8, encodeUtf8 } from "../../../codec/text.js";
import { utf8Length } from "../../../json/text.js";
import { BATCH } from "./batch.js";
import { type Framer, isBlank, type MessageSink, NoMessage } from "./sink.js";

const LF = 0x0a;

/** Transport `ndjson`: one message per line. */
export class LineFramer implements Framer {
  /** Wire bytes before the chunk in hand. */
  offset = 0;
  readonly isPartial = false;
  skipping = false;
  private readonly limit: number;
  /** The line that has no end yet. */
  private readonly line = new ByteBuffer();

  // The present message: either `bytes` at `start`, or a part of a batch.
  private bytes: Uint8Array | undefined;
  private start = 0;
  private batch = "";
  private batchStart = 0;
  private from = 0;
  private to = 0;

  /** @param limit bytes of one line without its LF */
  constructor(limit: number) {
    this.limit = limit;
  }

  push(chunk: Uint8Array, sink: MessageSink): void {
    this.consume(chunk, sink);
    this.offset += chunk.length;
  }

  private consume(chunk: Uint8Array, sink: MessageSink): void {
    let at = 0;
    // Behind a batch that has to be taken line by line.
    let single = 0;
    while (at < chunk.length) {
      if (this.line.length === 0 && !this.skipping && at >= single) {
        const end = batchEnd(chunk, at);
        if (end > at && end - at <= this.limit) {
          const text = decodeUtf8(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end));
          if (text !== undefined) {
            if (!this.runBatch(text, this.offset + at, sink)) return;
            at = end;
            continue;
          }
        }
        single = end > at ? end : chunk.length;
      }
      const found = chunk.indexOf(LF, at);
      const end = found < 0 ? chunk.length : found;
      if (!this.skipping) {
        if (this.line.length + end - at > this.limit) {
          if (!sink.tooLarge(this.offset + at - this.line.length)) return;
          this.line.clear();
          this.skipping = true;
        } else if (found < 0) {
          this.line.append(chunk, at, end);
        } else if (!this.endLine(chunk, at, end, sink)) {
          return;
        }
      }
      if (found >= 0) this.skipping = false;
      at = end + 1;
    }
  }

  private endLine(chunk: Uint8Array, from: number, to: number, sink: MessageSink): boolean {
    this.start = this.offset + from - this.line.length;
    if (this.line.length === 0) {
      this.bytes = chunk.subarray(from, to);
    } else {
      this.line.append(chunk, from, to);
      this.bytes = this.line.view();
    }
    const text = decodeUtf8(this.bytes);
    const more = text === undefined ? sink.illFormed(this.bytes) : isBlank(text) || sink.message(text);
    this.bytes = undefined;
    this.line.clear();
    return more;
  }

  /** Whole lines, decoded. */
  private runBatch(text: string, start: number, sink: MessageSink): boolean {
    this.batch = text;
    this.batchStart = start;
    let at = 0;
    while (at < text.length) {
      const end = text.indexOf("\n", at);
      const line = text.slice(at, end);
      if (!isBlank(line)) {
        this.from = at;
        this.to = end;
        if (!sink.message(line)) return false;
      }
      at = end + 1;
    }
    this.batch = "";
    return true;
  }

  messageStart(): number {
    return this.bytes === undefined ? this.batchStart + utf8Length(this.batch, 0, this.from) : this.start;
  }

  locate(position: number): number {
    return this.messageStart() + position;
  }

  messageBytes(): Uint8Array {
    return this.bytes ?? encodeUtf8(this.batch.slice(this.from, this.to));
  }

  tail(): Uint8Array | undefined {
    if (this.line.length === 0) return undefined;
    this.bytes = this.line.view();
    this.start = this.offset - this.line.length;
    return this.bytes;
  }

  acceptTail(): void {
    this.dropTail();
  }

  dropTail(): void {
    this.bytes = undefined;
    this.line.clear();
    this.skipping = false;
  }

  partial(): Uint8Array {
    return this.line.view().slice();
  }

  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean {
    this.offset = offset - partial.length;
    const sink = new NoMessage();
    this.push(partial, sink);
    this.skipping = skipping;
    return !sink.came;
  }
}

/** Behind the last LF of a batch of about `BATCH` bytes from `at`; at most `at` when no line ends there. */
function batchEnd(chunk: Uint8Array, at: number): number {
  if (chunk.length - at > BATCH) {
    const end = chunk.indexOf(LF, at + BATCH);
    if (end >= 0) return end + 1;
  }
  return chunk.lastIndexOf(LF) + 1;
}
