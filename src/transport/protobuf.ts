import type { Output } from "../codec/output.js";
import { ProtobufWriter } from "../codec/protobuf/write.js";
import { usageError } from "../errors.js";
import type { Wire } from "./wire.js";

const PREFIX = 4;

/** `application/vnd.ag-ui.event+proto`: the length of the payload as a big-endian uint32, and the payload, an `ag_ui.Event`. */
export class ProtobufWire implements Wire {
  private readonly out: Output;
  private readonly writer: ProtobufWriter;

  constructor(out: Output, depth: number) {
    this.out = out;
    this.writer = new ProtobufWriter(depth);
  }

  write(event: unknown): void {
    if (isAgentue(event)) throw usageError("unsupported_transport", '"protobuf" is a wire of "ag-ui" only');
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

/** AgentUE events have an `op`, those of AG-UI a `type`. */
function isAgentue(event: unknown): boolean {
  return typeof event === "object" && event !== null && Object.hasOwn(event, "op") && !Object.hasOwn(event, "type");
}
