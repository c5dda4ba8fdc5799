import type { Output } from "../output.js";
import { ProtobufWriter } from "./write.js";

const PREFIX = 4;

/** Writes callers' events as frames behind what is in an output: the length of the payload as a big-endian uint32, and the payload, an `ag_ui.Event`. */
export class FrameWriter {
  readonly writer: ProtobufWriter;
  private readonly out: Output;

  /** @param depth levels of nesting allowed */
  constructor(out: Output, depth: number) {
    this.out = out;
    this.writer = new ProtobufWriter(depth);
  }

  /** Throws as `ProtobufWriter.write` does; then nothing was appended, and the writer still holds parts of the event. */
  write(event: unknown): void {
    this.writer.write(event);
    const payload = this.writer.out;
    const { size } = payload;
    const { out } = this;
    out.reserve(PREFIX + size);
    const { bytes, length } = out;
    bytes[length] = size >>> 24;
    bytes[length + 1] = size >>> 16;
    bytes[length + 2] = size >>> 8;
    bytes[length + 3] = size;
    payload.copyTo(bytes, length + PREFIX);
    out.length = length + PREFIX + size;
  }
}
