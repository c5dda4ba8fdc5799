import { decodeUtf8 } from "../../../codec/text.js";
import type { Framer, MessageSink } from "./sink.js";

const EMPTY = /* @__PURE__ */ new Uint8Array(0);

/** Transport `json`: each chunk is one whole message. */
export class JsonFramer implements Framer {
  offset = 0;
  readonly skipping = false;
  readonly isPartial = false;
  private readonly limit: number;
  private chunk: Uint8Array = EMPTY;

  /** @param limit bytes of one message */
  constructor(limit: number) {
    this.limit = limit;
  }

  push(chunk: Uint8Array, sink: MessageSink): void {
    this.chunk = chunk;
    if (chunk.length > this.limit) {
      sink.tooLarge(this.offset);
    } else {
      const text = decodeUtf8(chunk);
      if (text === undefined) sink.illFormed(chunk);
      else sink.message(text);
    }
    this.offset += chunk.length;
    this.chunk = EMPTY;
  }

  messageStart(): number {
    return this.offset;
  }

  locate(position: number): number {
    return this.offset + position;
  }

  messageBytes(): Uint8Array {
    return this.chunk;
  }

  tail(): undefined {
    return undefined;
  }

  acceptTail(): void {}

  dropTail(): void {}

  partial(): Uint8Array {
    return EMPTY;
  }

  resume(_partial: Uint8Array, offset: number): boolean {
    this.offset = offset;
    return true;
  }
}
