import type { Cutter, CutterSink } from "../../../codec/cutter.js";
import { type Framer, type MessageSink, NoMessage } from "./sink.js";

/** A binary wire, `msgpack` or `protobuf`: a message is bytes that have no part without the rest. */
export class BinaryFramer implements Framer, CutterSink {
  private readonly cutter: Cutter;
  private sink: MessageSink = NOBODY;
  private start = 0;
  private bytes: Uint8Array = NOTHING;

  /** @param cutter of that wire, fresh */
  constructor(cutter: Cutter) {
    this.cutter = cutter;
  }

  get offset(): number {
    return this.cutter.offset;
  }

  get skipping(): boolean {
    return this.cutter.skipping;
  }

  get isPartial(): boolean {
    return this.cutter.isPartial;
  }

  push(chunk: Uint8Array, sink: MessageSink): void {
    this.sink = sink;
    this.cutter.push(chunk, this);
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

  dropTail(): void {
    this.cutter.drop();
  }

  partial(): Uint8Array {
    return this.cutter.partial();
  }

  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean {
    return this.cutter.resume(partial, offset, skipping);
  }
}

const NOBODY = /* @__PURE__ */ new NoMessage();
const NOTHING = /* @__PURE__ */ new Uint8Array(0);
