import { writeJson } from "../../../../json/exact.js";
import type { JsonObject } from "../../../../json/object.js";
import { utf8Length } from "../../../../json/text.js";
import { jsonLength } from "../../../../json/tree.js";
import type { Outlet } from "../transcode/outlet.js";
import type { Allowance } from "./allowance.js";

/** What a delivery with hooks asks for: blocks as they are now. */
export interface BlockSource {
  /** The model of a `start`. */
  model(): JsonObject;
  /** The block of that id, which was sent before. */
  block(id: string): JsonObject | undefined;
}

/** The AgentUE events of one transcoder: numbered, and sent at once (docs/adapter.md §1). */
export class Delivery {
  /** A `start` has gone out that no `end` has followed. */
  underWay = false;
  /** One has begun in this body. */
  begun = false;
  /** Values may hold an `ExactNumber`. */
  exact = false;
  /** Type of the AG-UI event in hand, "" at the end of the body. */
  eventType = "";
  blocks: BlockSource | undefined = undefined;
  /** An event may be too long to be written before it is known to be allowed. */
  mayBeLong = false;
  readonly allowance: Allowance;
  private readonly outlet: Outlet;
  private readonly streamId: string;
  /** The member `stream_id` behind its comma, or nothing. */
  private readonly stream: string;
  private readonly streamBytes: number;
  /** What the text of the last `append` had between seq and delta, and of which field. */
  private lastId: string | undefined = undefined;
  private lastField = "";
  private lastHead = "";
  private seq = 1;

  constructor(outlet: Outlet, streamId: string, allowance: Allowance) {
    this.outlet = outlet;
    this.allowance = allowance;
    this.streamId = streamId;
    this.stream = streamId === "" ? "" : `,"stream_id":${JSON.stringify(streamId)}`;
    this.streamBytes = utf8Length(this.stream);
  }

  /** Begins anew, as just made. */
  reset(): void {
    this.underWay = false;
    this.begun = false;
    this.seq = 1;
    this.allowance.reset();
  }

  start(model: JsonObject): void {
    if (!this.send("start", undefined, "model", model)) {
      this.allowance.spendOnStart();
      return;
    }
    this.underWay = true;
    this.begun = true;
    this.allowance.isCut = false;
  }

  set(block: JsonObject): void {
    this.send("set", undefined, "block", block);
  }

  /**
   * @param names below the field
   * @param value of the field, down to the end of the names
   */
  setField(id: string, field: string, value: unknown, names: readonly string[] = []): void {
    const mask = names.length === 0 ? `block.${field}` : `block.${field}.${names.join(".")}`;
    this.send("set", mask, "block", { id, [field]: value });
  }

  setMeta(name: string, value: unknown): void {
    this.send("set", `meta.${name}`, "meta", { [name]: value });
  }

  append(id: string, field: string, text: string): void {
    this.send("append", `block.${field}`, "block", { id, [field]: text });
  }

  /** Whether `appendToken` may be called. */
  get writesTokens(): boolean {
    return this.outlet.writesText;
  }

  /** The same on a text wire, uncounted, for a text that comes to no more than its event may write in any case. */
  appendToken(id: string, field: string, text: string): void {
    const { outlet } = this;
    if (id !== this.lastId || field !== this.lastField) {
      this.lastId = id;
      this.lastField = field;
      this.lastHead = `${this.stream},"mask":"block.${field}","block":{"id":${JSON.stringify(id)},"${field}":`;
    }
    outlet.sendText(`{"op":"append","seq":${this.seq++}${this.lastHead}${JSON.stringify(text)}}}`);
  }

  error(error: JsonObject): void {
    this.send("error", "meta.error", "meta", { error });
  }

  end(): void {
    if (this.send("end")) this.underWay = false;
  }

  private send(op: string, mask?: string, slot?: string, payload?: unknown): boolean {
    const event: JsonObject = { op, seq: this.seq };
    if (this.streamId !== "") event.stream_id = this.streamId;
    if (mask !== undefined) event.mask = mask;
    if (slot !== undefined) event[slot] = payload;
    const sent = this.write(event);
    if (sent) this.seq++;
    return sent;
  }

  /** Whether the event has gone out: it must be allowed, and have a form on the wire. */
  private write(event: JsonObject): boolean {
    const { outlet, allowance, exact, streamBytes } = this;
    const text = outlet.writesText && !this.mayBeLong ? writeJson(event, exact) : undefined;
    const bytes = text === undefined ? jsonLength(event, allowance.room + streamBytes) : utf8Length(text);
    if (!allowance.take(bytes - streamBytes)) return false;
    if (text === undefined) return outlet.send(event, exact);
    outlet.sendText(text);
    return true;
  }
}
