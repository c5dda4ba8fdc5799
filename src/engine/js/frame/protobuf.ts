import { type FrameSink, LengthPrefixFrames } from "../../../codec/protobuf/frames.js";
import { BinaryFramer } from "./binary.js";

/** Transport `protobuf`: frames of a big-endian length and as many bytes (docs/protobuf.md). A message is the payload. */
export class ProtobufFramer extends BinaryFramer implements FrameSink {
  private readonly frames: LengthPrefixFrames;

  /** @param limit bytes of one payload */
  constructor(limit: number) {
    super();
    this.frames = new LengthPrefixFrames(limit);
  }

  get offset(): number {
    return this.frames.offset;
  }

  get skipping(): boolean {
    return this.frames.skipping;
  }

  get isPartial(): boolean {
    return this.frames.isPartial;
  }

  protected cut(chunk: Uint8Array): void {
    this.frames.push(chunk, this);
  }

  frame(payload: Uint8Array, offset: number): boolean {
    return this.message(payload, offset);
  }

  dropTail(): void {
    this.frames.drop();
  }

  partial(): Uint8Array {
    return this.frames.partial();
  }

  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean {
    return this.frames.resume(partial, offset, skipping);
  }
}
