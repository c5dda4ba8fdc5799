import { R_FRAME_OTHER_TOTAL, R_FRAME_SEQ, R_RESTORED_ID } from "../../../../assembly/abi/codes.js";
import type { Bytes } from "../../../bytes.js";
import { encodeUtf8 } from "../../../codec/text.js";
import type { Fault } from "../../../errors.js";
import { type Frame, judgeFramed } from "./judge.js";
import { BLOCK_DEPTH, readText } from "./text.js";

/** The frames of one block that have come so far (AgentUE §3.3). */
export class Group {
  readonly blockId: string;
  readonly total: number;
  readonly #ids = new Set<string>();
  /** Data by seq. */
  readonly #parts = new Map<number, string>();

  constructor(first: Frame) {
    this.blockId = first.blockId;
    this.total = first.total;
  }

  /** Takes a frame of this block in, or says why it does not fit. */
  add(frame: Frame): Fault | undefined {
    if (frame.total !== this.total) return conflict("total", R_FRAME_OTHER_TOTAL);
    if (this.#ids.has(frame.id)) return { code: "duplicate_id", path: "/id" };
    if (this.#parts.has(frame.seq)) return conflict("seq", R_FRAME_SEQ);
    this.#ids.add(frame.id);
    this.#parts.set(frame.seq, frame.data);
    return undefined;
  }

  /** Takes a frame out again. */
  remove(frame: Frame): void {
    this.#ids.delete(frame.id);
    this.#parts.delete(frame.seq);
  }

  get count(): number {
    return this.#parts.size;
  }

  get isFull(): boolean {
    return this.#parts.size === this.total;
  }

  /** Numbers of the frames, in the order they came. */
  numbers(): Float64Array {
    return Float64Array.from(this.#parts.keys());
  }

  /** The text of a full group. */
  join(): string {
    const parts: string[] = [];
    for (let seq = 0; seq < this.total; seq++) parts.push(this.#parts.get(seq)!);
    return parts.join("");
  }
}

/** A frame that does not fit the others. */
export function conflict(member: string, reason: number): Fault {
  return { code: "frame_conflict", reason, path: `/${member}` };
}

/** The bytes of a full group's block, judged: one inline block of that id, no frame, no reference. Paths and offsets are those of the block. */
export function restore(group: Group): Bytes | Fault {
  const bytes = encodeUtf8(group.join());
  const read = readText(bytes, BLOCK_DEPTH, false);
  const fault = "code" in read ? read : restoredFault(read.value, group.blockId);
  return fault === undefined ? bytes : { ...fault, subject: group.blockId };
}

function restoredFault(value: unknown, id: string): Fault | undefined {
  const judged = judgeFramed(value);
  if ("code" in judged) return judged;
  return judged.id === id ? undefined : { code: "bad_block", reason: R_RESTORED_ID, path: "/id" };
}
