import type { Bytes } from "../../../../bytes.js";
import { MsgpackFault } from "../../../../codec/msgpack/fault.js";
import { MSGPACK_LOSSES, msgpackLosses } from "../../../../codec/msgpack/losses.js";
import { MsgpackItems } from "../../../../codec/msgpack/put.js";
import { writeItems } from "../../../../codec/msgpack/write.js";
import { Output } from "../../../../codec/output.js";
import { PROTOBUF_LOSSES, protobufLosses } from "../../../../codec/protobuf/losses.js";
import { faultOf } from "../../../../codec/protobuf/write.js";
import { FrameWriter } from "../../../../codec/protobuf/write-frame.js";
import type { ResultPool } from "../../../../codec/result-pool.js";
import { Unwritable } from "../../../../codec/unwritable.js";
import { usageError } from "../../../../errors.js";
import type { JsonObject } from "../../../../json/object.js";

/** Why an event has no form on a binary wire: a number beyond the range of a double, a member that its field cannot carry, a type without an arm. */
export type WhyNot = "range" | "unfit" | "unknown";

type Orders = Map<object, string[]> | undefined;

/** Bytes of a buffer at first, and of one that is kept when it is taken. */
const FIRST = 1024;
const KEPT = 256 * 1024;

/** What a transcoder writes on a binary wire: an event is drafted behind what has gone out, and stays there once it is committed. */
export class BinaryOutlet {
  private readonly to: "msgpack" | "protobuf";
  private readonly out = new Output(FIRST);
  /** Bytes in `out` that have gone out; what stands behind is a draft. */
  private gone = 0;
  private readonly items = new MsgpackItems(this.out);
  private frames = new FrameWriter(this.out, Number.POSITIVE_INFINITY);

  constructor(to: "msgpack" | "protobuf") {
    this.to = to;
  }

  /**
   * Drafts an event in place of the last one that was not committed.
   *
   * @param orders as for `writeMsgpack` and `writeProtobuf`
   * @param told `LOSS_` bits that nobody asks for
   * @returns what the bytes do not say of it, or why it has none
   * @throws StreamfoldError `out_of_memory`
   */
  draft(event: JsonObject, orders: Orders, told: number): { losses: number } | { fault: WhyNot } {
    this.out.length = this.gone;
    try {
      return this.to === "msgpack" ? this.msgpack(event, orders, told) : this.protobuf(event, orders, told);
    } catch (error) {
      this.out.length = this.gone;
      if (error instanceof MsgpackFault) return { fault: "range" };
      if (!(error instanceof Unwritable)) throw error;
      // The old one still holds parts of the event.
      this.frames = new FrameWriter(this.out, Number.POSITIVE_INFINITY);
      if (error.code === "out_of_memory") throw usageError("out_of_memory");
      return { fault: typeof event.type === "string" ? faultOf(error) : "unfit" };
    }
  }

  private msgpack(event: JsonObject, orders: Orders, told: number): { losses: number } {
    writeItems(this.items, event, orders);
    return { losses: (MSGPACK_LOSSES & ~told) === 0 ? 0 : msgpackLosses(event) };
  }

  private protobuf(event: JsonObject, orders: Orders, told: number): { losses: number } {
    this.frames.writer.orders = orders;
    this.frames.write(event);
    return { losses: (PROTOBUF_LOSSES & ~told) === 0 ? 0 : protobufLosses(event) };
  }

  /** What was drafted goes out. */
  commit(): void {
    this.gone = this.out.length;
  }

  /** What has gone out since the last call, the caller's. */
  take(pool: ResultPool | undefined): Bytes {
    this.out.length = this.gone;
    const taken = pool === undefined ? this.out.copy() : pool.copy(this.out.bytes.subarray(this.out.from, this.gone));
    this.clear();
    return taken;
  }

  /** Forgets what has gone out. */
  clear(): void {
    this.gone = 0;
    this.out.length = 0;
    if (this.out.bytes.length > KEPT) this.out.renew();
  }
}
