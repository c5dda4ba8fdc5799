import type { AgentueEvent, FoldContender, Folder } from "./contender.js";
import { JsonFolder, LineEndings } from "./json-folder.js";
import type { Block, StreamState } from "./mutable-models.js";

const LF = 10;
const CR = 13;
const QUOTE = 34;
const COMMA = 44;
const DIGIT_0 = 48;
const COLON = 58;
const BACKSLASH = 92;
const LETTER_U = 117;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** Bytes that end a run of plain string contents: quote, backslash, control characters, anything outside of ASCII. */
const STOPS = new Uint8Array(256);
STOPS.fill(1, 0, 32);
STOPS.fill(1, 128);
STOPS[QUOTE] = 1;
STOPS[BACKSLASH] = 1;

/** What the byte behind a backslash stands for; 0 for `u` and for what must not be there. */
const ESCAPES = new Uint8Array(256);
for (const [letter, code] of Object.entries({ '"': 34, "\\": 92, "/": 47, b: 8, f: 12, n: 10, r: 13, t: 9 })) {
  ESCAPES[letter.charCodeAt(0)] = code;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const EVENT = encoder.encode("data: {");
const OBJECT = encoder.encode("{");
const OP = encoder.encode("op");
const SEQ = encoder.encode("seq");
const MASK = encoder.encode("mask");
const BLOCK = encoder.encode("block");
const STREAM_ID = encoder.encode("stream_id");
const APPEND = encoder.encode("append");
const MASK_HEAD = encoder.encode("block.");
const ID = encoder.encode("id");
const NONE = new Uint8Array(0);

/** Block members that are remembered: name offset, name length, value offset, value length (-1 - length when it holds escapes). */
const MEMBERS = 8;
/** Below this many bytes a loop is cheaper than `set(subarray())`. */
const COPY_BY_LOOP = 48;

/** How events stand in the bytes: as SSE, as lines, or each chunk one event. */
export type ByteFraming = "sse" | "ndjson" | "json";

/** Line feeds behind an event. */
const FEEDS: Record<ByteFraming, number> = { sse: 2, ndjson: 1, json: 0 };

/** A text field under append: its new text is held as UTF-8 until somebody reads or patches the block. */
interface OpenText {
  id: Uint8Array;
  /** Undefined when the block may have been replaced since: it is looked up again. */
  block: Block | undefined;
  field: string;
  fieldBytes: Uint8Array;
  buffer: Uint8Array;
  length: number;
  next: OpenText | undefined;
}

interface Lane {
  id: Uint8Array;
  stream: StreamState;
  /** Open texts by hash of their block's id, and by the id itself. */
  texts: Map<number, OpenText>;
  named: Map<string, OpenText>;
  last: OpenText | undefined;
  next: Lane | undefined;
}

/**
 * The algorithm of the WebAssembly core written by hand for a Uint8Array: one pass over `data: {…}` finds the members of
 * an append event, and the delta is unescaped straight into a growable byte buffer; no string and no object is made.
 * Every other event is read by `JSON.parse` and folded by the mutable reducer, with the text it may touch written back
 * before. Ill-formed UTF-8 goes that way too, and is replaced there as the other contenders do.
 */
class ByteParserFolder extends JsonFolder {
  readonly #head: Uint8Array;
  readonly #feeds: number;
  #bytes: Uint8Array = NONE;
  #end = 0;
  #rest: Uint8Array | undefined;
  #endings: LineEndings | undefined;
  #first: boolean;
  readonly #lanes = new Map<number, Lane>();
  readonly #namedLanes = new Map<string, Lane>();
  #lastLane: Lane | undefined;

  // The event being read; lengths of -1 mean that the member was not there.
  #opAt = 0;
  #opLength = -1;
  #seq = -1;
  #streamAt = 0;
  #streamLength = -1;
  #maskAt = 0;
  #maskLength = -1;
  #idAt = 0;
  #idLength = -1;
  readonly #members = new Int32Array(MEMBERS * 4);
  #memberCount = 0;
  #escaped = false;

  constructor(framing: ByteFraming) {
    super();
    this.#head = framing === "sse" ? EVENT : OBJECT;
    this.#feeds = FEEDS[framing];
    // A byte order mark belongs to SSE, as lines that end at CR do.
    this.#first = framing === "sse";
  }

  push(chunk: Uint8Array): void {
    let bytes = chunk;
    const sse = this.#feeds === 2;
    // In the other framings CR is white space, which JSON.parse takes.
    if (sse && (this.#endings !== undefined || bytes.includes(CR))) {
      this.#endings ??= new LineEndings();
      bytes = Buffer.from(this.#endings.normalize(Buffer.from(bytes).toString("latin1")), "latin1");
    }
    if (this.#rest !== undefined) {
      const joined = new Uint8Array(this.#rest.length + bytes.length);
      joined.set(this.#rest);
      joined.set(bytes, this.#rest.length);
      bytes = joined;
      this.#rest = undefined;
    }
    if (this.#first) {
      if (bytes.length < 3) {
        this.#rest = bytes.slice();
        return;
      }
      this.#first = false;
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3);
    }
    this.#bytes = bytes;
    this.#end = bytes.length;
    let at = 0;
    while (at < bytes.length) {
      const behind = this.#appendEvent(at);
      if (behind >= 0) {
        at = behind;
        continue;
      }
      const close = this.#close(at);
      if (close < 0) break;
      const text = decoder.decode(bytes.subarray(at, close));
      if (sse) this.applyLines(text);
      else this.applyText(text);
      at = close + this.#feeds;
    }
    if (at < bytes.length) this.#rest = bytes.slice(at);
    this.#bytes = NONE;
  }

  override value(streamId: string): unknown {
    const lane = this.#namedLanes.get(streamId);
    if (lane !== undefined) for (const text of lane.named.values()) writeBack(text);
    return super.value(streamId);
  }

  protected override apply(event: AgentueEvent): void {
    const streamId = event.stream_id ?? "";
    const lane = this.#namedLanes.get(streamId);
    if (lane === undefined) {
      this.models.apply(event);
    } else if (event.op === "start") {
      lane.texts.clear();
      lane.named.clear();
      lane.last = undefined;
      this.models.apply(event);
      lane.stream = this.models.streams.get(streamId)!;
    } else {
      const text = event.block === undefined ? undefined : lane.named.get(event.block.id as string);
      if (text !== undefined) {
        writeBack(text);
        text.block = undefined;
      }
      this.models.apply(event);
    }
  }

  /** Offset of the line feeds that close the event at `at`; -1 when it is not complete. */
  #close(at: number): number {
    const bytes = this.#bytes;
    if (this.#feeds === 0) return this.#end;
    if (this.#feeds === 1) return bytes.indexOf(LF, at);
    for (let lf = bytes.indexOf(LF, at); lf >= 0; lf = bytes.indexOf(LF, lf + 1)) {
      if (bytes[lf + 1] === LF) return lf;
    }
    return -1;
  }

  /** Applies `data: {…}` with its blank line, or what the framing has instead, at `at`; returns the offset behind it, or -1 with nothing done when it is no plain append. */
  #appendEvent(at: number): number {
    const bytes = this.#bytes;
    const head = this.#head;
    const feeds = this.#feeds;
    if (at + head.length > this.#end || !this.#is(at, head)) return -1;
    this.#opLength = this.#seq = this.#streamLength = this.#maskLength = this.#idLength = -1;
    this.#memberCount = 0;
    let p = at + head.length;
    for (;;) {
      if (bytes[p] !== QUOTE) return -1;
      const name = p + 1;
      p = this.#string(name);
      if (p < 0 || this.#escaped || bytes[p + 1] !== COLON) return -1;
      p = this.#envelopeMember(name, p - name, p + 2);
      if (p < 0) return -1;
      const next = bytes[p];
      p++;
      if (next === CLOSE_BRACE) break;
      if (next !== COMMA) return -1;
    }
    if (p + feeds > this.#end || (feeds > 0 && bytes[p] !== LF) || (feeds > 1 && bytes[p + 1] !== LF)) return -1;
    // A chunk that is one event holds nothing behind it.
    if (feeds === 0 && p !== this.#end) return -1;
    return this.#append() ? p + feeds : -1;
  }

  /** Reads the value at `p` of the envelope member named by a span; returns the offset behind the value or -1. */
  #envelopeMember(name: number, length: number, p: number): number {
    const bytes = this.#bytes;
    if (length === 5 && this.#is(name, BLOCK)) return this.#block(p);
    if (bytes[p] === QUOTE) {
      const from = p + 1;
      p = this.#string(from);
      if (p < 0) return -1;
      const size = p - from;
      if (length === 2 && this.#is(name, OP)) {
        this.#opAt = from;
        this.#opLength = size;
      } else if (length === 4 && this.#is(name, MASK)) {
        this.#maskAt = from;
        this.#maskLength = size;
      } else if (length === 9 && this.#is(name, STREAM_ID)) {
        if (this.#escaped) return -1;
        this.#streamAt = from;
        this.#streamLength = size;
      }
      return p + 1;
    }
    let value = 0;
    const from = p;
    for (; p < this.#end; p++) {
      const digit = bytes[p]! - DIGIT_0;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    // 15 digits are exact in a double; leading zeros and anything but an integer are left to JSON.parse.
    if (p === from || p - from > 15 || (p - from > 1 && bytes[from] === DIGIT_0)) return -1;
    if (length === 3 && this.#is(name, SEQ)) this.#seq = value;
    return p;
  }

  /** Reads the block payload at `p`: strings only. Returns the offset behind it or -1. */
  #block(p: number): number {
    const bytes = this.#bytes;
    const members = this.#members;
    if (bytes[p] !== OPEN_BRACE) return -1;
    this.#memberCount = 0;
    this.#idLength = -1;
    p++;
    for (;;) {
      if (bytes[p] !== QUOTE) return -1;
      const name = p + 1;
      p = this.#string(name);
      if (p < 0 || this.#escaped || bytes[p + 1] !== COLON || bytes[p + 2] !== QUOTE) return -1;
      const length = p - name;
      const from = p + 3;
      p = this.#string(from);
      if (p < 0 || this.#memberCount === MEMBERS) return -1;
      const size = p - from;
      if (length === 2 && this.#is(name, ID)) {
        if (this.#escaped) return -1;
        this.#idAt = from;
        this.#idLength = size;
      }
      const slot = this.#memberCount++ << 2;
      members[slot] = name;
      members[slot + 1] = length;
      members[slot + 2] = from;
      members[slot + 3] = this.#escaped ? -1 - size : size;
      const next = bytes[p + 1];
      p += 2;
      if (next === CLOSE_BRACE) return p;
      if (next !== COMMA) return -1;
    }
  }

  /** Offset of the quote that closes the string whose contents begin at `p`; -1 when it is not there. */
  #string(p: number): number {
    const bytes = this.#bytes;
    const end = this.#end;
    this.#escaped = false;
    for (;;) {
      while (p < end && STOPS[bytes[p]!] === 0) p++;
      if (p >= end) return -1;
      const stop = bytes[p]!;
      if (stop === QUOTE) return p;
      if (stop === BACKSLASH) {
        this.#escaped = true;
        p += 2;
        continue;
      }
      p = stop < 0x80 ? -1 : this.#character(p);
      if (p < 0) return -1;
    }
  }

  /** Offset behind the UTF-8 sequence at `p`; -1 for an ill-formed one, which must not meet the bytes of the next delta. */
  #character(p: number): number {
    const bytes = this.#bytes;
    const lead = bytes[p]!;
    const second = bytes[p + 1]!;
    if (lead < 0xc2 || lead > 0xf4 || p + 4 > this.#end || (second & 0xc0) !== 0x80) return -1;
    if (lead < 0xe0) return p + 2;
    if ((bytes[p + 2]! & 0xc0) !== 0x80 || (lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f))
      return -1;
    if (lead < 0xf0) return p + 3;
    if ((bytes[p + 3]! & 0xc0) !== 0x80 || (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f))
      return -1;
    return p + 4;
  }

  /** Whether the bytes at `p` are these. */
  #is(p: number, expected: Uint8Array): boolean {
    const bytes = this.#bytes;
    for (let index = 0; index < expected.length; index++) if (bytes[p + index] !== expected[index]) return false;
    return true;
  }

  #hash(p: number, length: number): number {
    const bytes = this.#bytes;
    let hash = length;
    for (let index = 0; index < length; index++) hash = Math.imul(hash ^ bytes[p + index]!, 0x01000193);
    return hash;
  }

  /** Applies the event whose spans are known; false, with nothing changed, when the long way must take it. */
  #append(): boolean {
    if (this.#opLength !== APPEND.length || !this.#is(this.#opAt, APPEND) || this.#seq < 0 || this.#idLength < 1)
      return false;
    const fieldLength = this.#maskLength - MASK_HEAD.length;
    if (fieldLength < 1 || !this.#is(this.#maskAt, MASK_HEAD)) return false;
    const lane = this.#lane();
    if (lane === undefined || lane.stream.ended) return false;
    const text = this.#text(lane, this.#maskAt + MASK_HEAD.length, fieldLength);
    if (text === undefined) return false;
    const members = this.#members;
    // The last member of a name counts, as in JSON.parse.
    for (let slot = (this.#memberCount - 1) << 2; slot >= 0; slot -= 4) {
      if (members[slot + 1] !== fieldLength || !this.#is(members[slot]!, text.fieldBytes)) continue;
      const stream = lane.stream;
      if (this.#seq <= stream.seq) return true;
      if (!this.#copy(text, members[slot + 2]!, members[slot + 3]!)) return false;
      if (this.#seq !== stream.seq + 1) this.models.gaps++;
      stream.seq = this.#seq;
      return true;
    }
    return false;
  }

  #lane(): Lane | undefined {
    const length = Math.max(this.#streamLength, 0);
    const last = this.#lastLane;
    if (last !== undefined && last.id.length === length && this.#is(this.#streamAt, last.id)) return last;
    const hash = this.#hash(this.#streamAt, length);
    let lane = this.#lanes.get(hash);
    while (lane !== undefined && !(lane.id.length === length && this.#is(this.#streamAt, lane.id))) lane = lane.next;
    if (lane === undefined) {
      const id = this.#bytes.slice(this.#streamAt, this.#streamAt + length);
      const name = decoder.decode(id);
      const stream = this.models.streams.get(name);
      if (stream === undefined) return undefined;
      lane = { id, stream, texts: new Map(), named: new Map(), last: undefined, next: this.#lanes.get(hash) };
      this.#lanes.set(hash, lane);
      this.#namedLanes.set(name, lane);
    }
    this.#lastLane = lane;
    return lane;
  }

  /** The open text of the event's block for this field; undefined when the field holds no string to append to. */
  #text(lane: Lane, fieldAt: number, fieldLength: number): OpenText | undefined {
    const length = this.#idLength;
    let text = lane.last;
    if (text === undefined || text.id.length !== length || !this.#is(this.#idAt, text.id)) {
      const hash = this.#hash(this.#idAt, length);
      const head = lane.texts.get(hash);
      text = head;
      while (text !== undefined && !(text.id.length === length && this.#is(this.#idAt, text.id))) text = text.next;
      if (text === undefined) {
        const id = this.#bytes.slice(this.#idAt, this.#idAt + length);
        text = { id, block: undefined, field: "", fieldBytes: NONE, buffer: new Uint8Array(64), length: 0, next: head };
        lane.texts.set(hash, text);
        lane.named.set(decoder.decode(id), text);
      }
      lane.last = text;
    }
    if (text.block !== undefined && text.fieldBytes.length === fieldLength && this.#is(fieldAt, text.fieldBytes))
      return text;
    writeBack(text);
    const block = lane.stream.blocks.get(decoder.decode(text.id));
    const fieldBytes = this.#bytes.slice(fieldAt, fieldAt + fieldLength);
    const field = decoder.decode(fieldBytes);
    text.block = undefined;
    if (block === undefined || block.ref !== undefined || typeof block[field] !== "string") return undefined;
    text.block = block;
    text.field = field;
    text.fieldBytes = fieldBytes;
    return text;
  }

  /** Appends the string contents at `from`, unescaped; false with nothing changed for what JSON.parse must judge. */
  #copy(text: OpenText, from: number, size: number): boolean {
    const bytes = this.#bytes;
    const length = size < 0 ? -1 - size : size;
    if (text.length + length > text.buffer.length) {
      const grown = new Uint8Array(Math.max(text.buffer.length * 2, text.length + length));
      grown.set(text.buffer.subarray(0, text.length));
      text.buffer = grown;
    }
    const buffer = text.buffer;
    let to = text.length;
    if (size >= 0) {
      if (size > COPY_BY_LOOP) buffer.set(bytes.subarray(from, from + size), to);
      else for (let index = 0; index < size; index++) buffer[to + index] = bytes[from + index]!;
      text.length = to + size;
      return true;
    }
    for (let p = from, end = from + length; p < end; ) {
      const byte = bytes[p]!;
      if (byte !== BACKSLASH) {
        buffer[to++] = byte;
        p++;
        continue;
      }
      const letter = bytes[p + 1]!;
      if (letter !== LETTER_U) {
        if (ESCAPES[letter] === 0) return false;
        buffer[to++] = ESCAPES[letter]!;
        p += 2;
        continue;
      }
      let point = this.#hex(p + 2);
      p += 6;
      if (point >= 0xd800 && point < 0xdc00 && bytes[p] === BACKSLASH && bytes[p + 1] === LETTER_U) {
        const low = this.#hex(p + 2);
        if (low < 0xdc00 || low > 0xdfff) return false;
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
      }
      // A lone half has no UTF-8; as a string it may still meet its other half in the next delta.
      if (point < 0 || (point >= 0xd800 && point < 0xe000)) return false;
      if (point < 0x80) {
        buffer[to++] = point;
      } else if (point < 0x800) {
        buffer[to++] = 0xc0 | (point >> 6);
        buffer[to++] = 0x80 | (point & 63);
      } else if (point < 0x10000) {
        buffer[to++] = 0xe0 | (point >> 12);
        buffer[to++] = 0x80 | ((point >> 6) & 63);
        buffer[to++] = 0x80 | (point & 63);
      } else {
        buffer[to++] = 0xf0 | (point >> 18);
        buffer[to++] = 0x80 | ((point >> 12) & 63);
        buffer[to++] = 0x80 | ((point >> 6) & 63);
        buffer[to++] = 0x80 | (point & 63);
      }
    }
    text.length = to;
    return true;
  }

  /** Four hexadecimal digits, or -1. */
  #hex(p: number): number {
    let value = 0;
    for (let index = 0; index < 4; index++) {
      const byte = this.#bytes[p + index]!;
      const lower = byte | 32;
      if (byte >= DIGIT_0 && byte <= 57) value = (value << 4) | (byte - DIGIT_0);
      else if (lower >= 97 && lower <= 102) value = (value << 4) | (lower - 87);
      else return -1;
    }
    return value;
  }
}

function writeBack(text: OpenText): void {
  if (text.length === 0 || text.block === undefined) return;
  text.block[text.field] = (text.block[text.field] as string) + decoder.decode(text.buffer.subarray(0, text.length));
  text.length = 0;
}

/** The byte parser for another framing than SSE, which `byteParser` reads. */
export function byteFolder(framing: ByteFraming): Folder {
  return new ByteParserFolder(framing);
}

export const byteParser: FoldContender = {
  name: "byte parser on Uint8Array",
  side: "js",
  open: () => new ByteParserFolder("sse"),
};
