import { R_FRAME_WHOLE, R_LIMIT_BYTES, R_LIMIT_FRAMES, R_LIMIT_GROUPS } from "../../../../assembly/abi/codes.js";
import type { Bytes } from "../../../bytes.js";
import type { Fault } from "../../../errors.js";
import { utf8Length } from "../../../json/text.js";
import type { AssembledBlock, AssemblerLimits, AssemblerStats, EngineAssembler } from "../../contract.js";
import { LineFramer } from "../frame/line.js";
import type { MessageSink } from "../frame/sink.js";
import { conflict, Group, restore } from "./group.js";
import { type Frame, judgeFrame } from "./judge.js";
import { FRAME_DEPTH, readText } from "./text.js";

/** A block of the assembler: its frames, or its text once they are all there. */
interface Held {
  total: number;
  /** What the limit counts: the JSON of its frames, or its text. */
  bytes: number;
  group: Group | undefined;
  text: Uint8Array | undefined;
}

/** Frames of many blocks on the JavaScript heap. */
export class JsAssembler implements EngineAssembler {
  readonly #limits: AssemblerLimits;
  readonly #framer: LineFramer;
  readonly #blocks = new Map<string, Held>();
  #read = 0;
  #taken = 0;
  #frames = 0;
  #bytes = 0;

  constructor(limits: AssemblerLimits) {
    this.#limits = limits;
    this.#framer = new LineFramer(limits.bytes);
  }

  push(chunk: Uint8Array, refuse: (fault: Fault) => void): void {
    const framer = this.#framer;
    const take = (line: Uint8Array): boolean => {
      const fault = this.#take(line, framer.messageStart());
      if (fault !== undefined) refuse(fault);
      return true;
    };
    const sink: MessageSink = {
      message: () => take(framer.messageBytes()),
      illFormed: take,
      binary: take,
      tooLarge: (byteOffset) => {
        refuse({ code: "limit", reason: R_LIMIT_BYTES, path: "", eventIndex: this.#read++, byteOffset });
        return true;
      },
    };
    framer.push(chunk, sink);
  }

  add(frame: Uint8Array): Fault | undefined {
    return this.#take(frame, undefined);
  }

  finish(refuse: (fault: Fault) => void): void {
    const tail = this.#framer.tail();
    const fault = tail === undefined || isBlankLine(tail) ? undefined : this.#take(tail, this.#framer.messageStart());
    this.#framer.dropTail();
    if (fault !== undefined) refuse(fault);
  }

  /** @param offset of the line on the wire; undefined: it came by itself */
  #take(line: Uint8Array, offset: number | undefined): Fault | undefined {
    const eventIndex = this.#read++;
    const read = readText(line, FRAME_DEPTH, true);
    if ("code" in read) return { ...read, eventIndex, byteOffset: (offset ?? 0) + read.byteOffset! };
    const frame = judgeFrame(read.value);
    const fault = "code" in frame ? frame : this.#fit(frame, utf8Length(read.text.trim()));
    if (fault !== undefined) return { ...fault, eventIndex, ...(offset !== undefined && { byteOffset: offset }) };
    const restored = this.#complete((frame as Frame).blockId);
    if (restored !== undefined) return { ...restored, eventIndex };
    this.#taken++;
    return undefined;
  }

  /** Takes a frame of so many bytes into its group, or says why it does not fit. */
  #fit(frame: Frame, bytes: number): Fault | undefined {
    const subject = frame.blockId;
    const held = this.#blocks.get(subject);
    if (held?.text !== undefined) return { ...conflict("block_id", R_FRAME_WHOLE), subject };
    const group = held?.group ?? new Group(frame);
    const fault = group.add(frame);
    if (fault !== undefined) return { ...fault, subject };
    const limit = this.#limitFor(held === undefined, bytes);
    if (limit !== undefined) {
      group.remove(frame);
      return { ...limit, subject };
    }
    if (held === undefined) this.#blocks.set(subject, { total: frame.total, bytes, group, text: undefined });
    else held.bytes += bytes;
    this.#frames++;
    this.#bytes += bytes;
    return undefined;
  }

  #limitFor(isNew: boolean, bytes: number): Fault | undefined {
    const limit = (reason: number, member: string): Fault => ({ code: "limit", reason, path: `/${member}` });
    if (isNew && this.#blocks.size >= this.#limits.groups) return limit(R_LIMIT_GROUPS, "block_id");
    if (this.#frames >= this.#limits.frames) return limit(R_LIMIT_FRAMES, "id");
    return this.#bytes + bytes > this.#limits.bytes ? limit(R_LIMIT_BYTES, "data") : undefined;
  }

  /** Restores a block whose frames are all there; one that is none is given up: no frame could mend it. */
  #complete(blockId: string): Fault | undefined {
    const held = this.#blocks.get(blockId)!;
    const group = held.group!;
    if (!group.isFull) return undefined;
    const text = restore(group);
    if ("code" in text) {
      this.drop(blockId);
      return text;
    }
    this.#frames -= group.count;
    this.#bytes += text.length - held.bytes;
    held.bytes = text.length;
    held.text = text;
    held.group = undefined;
    return undefined;
  }

  list(): AssembledBlock[] {
    return Array.from(this.#blocks, ([blockId, { total, bytes, group }]) => ({
      blockId,
      frames: group?.count ?? total,
      total,
      bytes,
      whole: group === undefined,
    }));
  }

  numbers(blockId: string): { total: number; numbers: Float64Array } | undefined {
    const group = this.#blocks.get(blockId)?.group;
    return group && { total: group.total, numbers: group.numbers() };
  }

  text(blockId: string): Bytes | undefined {
    return this.#blocks.get(blockId)?.text?.slice();
  }

  isWhole(blockId: string): boolean {
    return this.#blocks.get(blockId)?.text !== undefined;
  }

  drop(blockId: string): boolean {
    const held = this.#blocks.get(blockId);
    if (held === undefined) return false;
    this.#frames -= held.group?.count ?? 0;
    this.#bytes -= held.bytes;
    return this.#blocks.delete(blockId);
  }

  stats(): AssemblerStats {
    const { size: groups } = this.#blocks;
    return { read: this.#read, taken: this.#taken, groups, frames: this.#frames, bytes: this.#bytes, memory: 0 };
  }

  get taken(): number {
    return this.#taken;
  }

  close(): void {
    this.#blocks.clear();
  }
}

function isBlankLine(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
