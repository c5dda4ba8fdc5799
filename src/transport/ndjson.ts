import { JsonWriter } from "../codec/json/write.js";
import type { Output } from "../codec/output.js";
import type { Wire } from "./wire.js";

/** `application/x-ndjson`: compact JSON and LF. */
export class NdjsonWire implements Wire {
  private readonly out: Output;
  private readonly json: JsonWriter;

  constructor(out: Output, depth: number) {
    this.out = out;
    this.json = new JsonWriter(out, depth);
  }

  write(event: unknown): void {
    const { out } = this;
    this.json.write(event);
    out.reserve(1);
    out.bytes[out.length++] = 0x0a;
  }
}
