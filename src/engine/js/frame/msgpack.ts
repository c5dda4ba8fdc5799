import { type MsgpackSink, MsgpackSplitter } from "../../../codec/msgpack/index.js";
import { BinaryFramer } from "./binary.js";

/** Transport `msgpack`: MessagePack values one behind the other (docs/msgpack.md §1). */
export class MsgpackFramer extends BinaryFramer implements MsgpackSink {
  private readonly splitter: MsgpackSplitter;

  /**
   * @param limit bytes of one message
   * @param depth levels of maps and arrays
   */
  constructor(limit: number, depth: number) {
    super();
    this.splitter = new MsgpackSplitter(limit, depth);
  }

  get offset(): number {
    return this.splitter.offset;
  }

  get skipping(): boolean {
    return this.splitter.skipping;
  }

  get isPartial(): boolean {
    return this.splitter.pending;
  }

  protected cut(chunk: Uint8Array): void {
    this.splitter.push(chunk, this);
  }

  dropTail(): void {
    this.splitter.drop();
  }

  partial(): Uint8Array {
    return this.splitter.partial();
  }

  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean {
    this.splitter.skipping = skipping;
    return this.splitter.resume(partial, offset);
  }
}
