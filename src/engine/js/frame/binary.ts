import { type Framer, type MessageSink, NoMessage } from "./sink.js";

/** What the binary wires have in common: a message is bytes that have no part without the rest. */
export abstract class BinaryFramer implements Framer {
  private sink: MessageSink = NOBODY;
  private start = 0;
  private bytes: Uint8Array = NOTHING;

  abstract readonly offset: number;
  abstract readonly skipping: boolean;
  abstract readonly isPartial: boolean;
  abstract dropTail(): void;
  abstract partial(): Uint8Array;
  abstract resume(partial: Uint8Array, offset: number, skipping: boolean): boolean;
  /** Hands the messages of a chunk to `message` and `tooLarge`. */
  protected abstract cut(chunk: Uint8Array): void;

  push(chunk: Uint8Array, sink: MessageSink): void {
    this.sink = sink;
    this.cut(chunk);
    this.sink = NOBODY;
    this.bytes = NOTHING;
  }

  message(bytes: Uint8Array, offset: number): boolean {
    this.start = offset;
    this.bytes = bytes;
    return this.sink.binary(bytes);
  }

  tooLarge(offset: number): boolean {
    return this.sink.tooLarge(offset);
  }

  messageStart(): number {
    return this.start;
  }

  locate(position: number): number {
    return this.start + position;
  }

  messageBytes(): Uint8Array {
    return this.bytes;
  }

  tail(): undefined {
    return undefined;
  }

  acceptTail(): void {}
}

const NOBODY = /* @__PURE__ */ new NoMessage();
const NOTHING = /* @__PURE__ */ new Uint8Array(0);
