import type { Bytes } from "../../bytes.js";
import type { JsonObject } from "../../json/object.js";
import { isAddressable, PROTOCOL_MEMBERS } from "./draft.js";

/** Something that can come in pieces: a text, or a list. */
type Growing = string | readonly unknown[];

/** One of the events that another was split into. */
export interface Part {
  event: JsonObject;
  message: Bytes;
}

/** Writes an event of the given seq as one message. */
export type Write = (event: JsonObject) => Bytes;

/**
 * One event as several that come to the same model, each of no more than so many bytes where that can be had (AgentUE §8): a large text or list of one field comes by
 * several appends, a whole block as its head and appends. Pairs of surrogates are never cut; one element of a list, one character, and everything but fields of a block stays whole.
 */
export class Splitter {
  private readonly most: number;
  private readonly write: Write;
  private parts: Part[] = [];
  private seq = 0;

  /** @param most bytes of a message */
  constructor(most: number, write: Write) {
    this.most = most;
    this.write = write;
  }

  /**
   * @param event written in more than `most` bytes
   * @returns undefined when it cannot be split
   */
  split(event: JsonObject): Part[] | undefined {
    this.parts = [];
    this.seq = event.seq as number;
    const { op, mask, block } = event as { op: string; mask?: string; block?: JsonObject };
    if (typeof block !== "object" || block === null) return undefined;
    const field = typeof mask === "string" ? mask.slice("block.".length) : undefined;
    if (op === "append") this.field(event, block, field!);
    else if (op !== "set") return undefined;
    else if (field !== undefined) {
      if (!isAddressable(field) || PROTOCOL_MEMBERS.has(field)) return undefined;
      this.field(event, block, field);
    } else if (!Object.hasOwn(block, "ref")) this.whole(event, block);
    const { parts } = this;
    this.parts = [];
    return parts.length > 1 ? parts : undefined;
  }

  /** A field patch: its first piece as it would be, the others appended. */
  private field(event: JsonObject, block: JsonObject, field: string): void {
    const value = block[field];
    if (!isGrowing(value)) return;
    const more = this.appending(event, block, field);
    this.pieces(value, (piece, isFirst) =>
      isFirst ? { ...event, seq: this.seq, block: { ...block, [field]: piece } } : more(piece),
    );
  }

  /** A whole block: what is large in it is appended to the rest. */
  private whole(event: JsonObject, block: JsonObject): void {
    const fields = Object.keys(block).filter(
      (name) => isAddressable(name) && !PROTOCOL_MEMBERS.has(name) && isGrowing(block[name]),
    );
    const sizes = new Map(fields.map((name) => [name, this.write({ value: block[name] }).length]));
    const head = { ...block };
    const taken = new Set<string>();
    for (const name of [...fields].sort((a, b) => sizes.get(b)! - sizes.get(a)!)) {
      if (taken.size > 0 && this.write({ ...event, block: head }).length <= this.most) break;
      head[name] = typeof block[name] === "string" ? "" : [];
      taken.add(name);
    }
    if (taken.size === 0) return;
    const first = { ...event, block: head };
    this.add(first, this.write(first));
    for (const name of fields) {
      if (taken.has(name)) this.pieces(block[name] as Growing, this.appending(event, block, name));
    }
  }

  /** Appends to a field of a block that is there. */
  private appending(event: JsonObject, block: JsonObject, field: string): (piece: Growing) => JsonObject {
    const { op: _, seq: __, mask: ___, block: ____, ...others } = event;
    return (piece) => ({
      op: "append",
      seq: this.seq,
      ...others,
      mask: `block.${field}`,
      block: { id: block.id, [field]: piece },
    });
  }

  /** Writes a value piece by piece: as many even ones as are needed, halved where one is still too large. */
  private pieces(value: Growing, eventOf: (piece: Growing, isFirst: boolean) => JsonObject): void {
    const empty = this.write(eventOf(value.slice(0, 0), true)).length;
    const bytes = this.write(eventOf(value, true)).length - empty;
    const count = Math.min(value.length, Math.ceil(bytes / Math.max(1, this.most - empty)));
    const open: [number, number][] = [];
    let to = value.length;
    for (let i = count - 1; i >= 0; i--) {
      const from = i === 0 ? 0 : cutBefore(value, Math.round((value.length * i) / count));
      if (from < to) open.push([from, to]);
      to = Math.min(from, to);
    }
    let isFirst = true;
    for (let range = open.pop(); range !== undefined; range = open.pop()) {
      const [from, end] = range;
      const event = eventOf(value.slice(from, end), isFirst);
      const message = this.write(event);
      const middle = cutBefore(value, (from + end) >> 1);
      if (message.length > this.most && middle > from && middle < end) open.push([middle, end], [from, middle]);
      else {
        this.add(event, message);
        isFirst = false;
      }
    }
  }

  private add(event: JsonObject, message: Bytes): void {
    this.parts.push({ event, message });
    this.seq++;
  }
}

function isGrowing(value: unknown): value is Growing {
  return (typeof value === "string" || Array.isArray(value)) && value.length > 0;
}

/** The place `at`, or the one behind it in the middle of a pair of surrogates. */
function cutBefore(value: Growing, at: number): number {
  if (typeof value !== "string") return at;
  const isInside = (value.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (value.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isInside ? at + 1 : at;
}
