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
    const payload = this.writer.out.finished();
    const { out } = this;
    out.reserve(PREFIX + payload.length);
    const { bytes, length } = out;
    bytes[length] = payload.length >>> 24;
    bytes[length + 1] = payload.length >>> 16;
    bytes[length + 2] = payload.length >>> 8;
    bytes[length + 3] = payload.length;
    bytes.set(payload, length + PREFIX);
    out.length = length + PREFIX + payload.length;
  }
}

/** AgentUE events have an `op`, those of AG-UI a `type`. */
function isAgentue(event: unknown): boolean {
  return typeof event === "object" && event !== null && Object.hasOwn(event, "op") && !Object.hasOwn(event, "type");
}
