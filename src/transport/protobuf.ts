import type { Output } from "../codec/output.js";
import { FrameWriter } from "../codec/protobuf/write-frame.js";
import { usageError } from "../errors.js";
import type { Wire } from "./wire.js";

/** `application/vnd.ag-ui.event+proto`: frames, each a length and an `ag_ui.Event`. */
export class ProtobufWire implements Wire {
  private readonly frames: FrameWriter;

  constructor(out: Output, depth: number) {
    this.frames = new FrameWriter(out, depth);
  }

  write(event: unknown): void {
    if (isAgentue(event)) throw usageError("unsupported_transport", '"protobuf" is a wire of "ag-ui" only');
    this.frames.write(event);
  }
}

/** AgentUE events have an `op`, those of AG-UI a `type`. */
function isAgentue(event: unknown): boolean {
  return typeof event === "object" && event !== null && Object.hasOwn(event, "op") && !Object.hasOwn(event, "type");
}
