import type { EventObject } from "./encoders.js";
import { installed, joined, once, type Reading } from "./installed.js";

interface MsgpackDecoder {
  decode(bytes: Uint8Array): unknown;
  decodeMulti(bytes: Uint8Array): Generator<unknown>;
  /** Not declared by the library, but the only way to tell where a message ends without reading it twice. */
  readonly pos: number;
}

interface Unpackr {
  unpack(bytes: Uint8Array): unknown;
  unpackMultiple(bytes: Uint8Array, use: (value: unknown, start: number, end: number) => void): void;
}

/** A library that reads MessagePack. */
export interface MsgpackLibrary {
  name: string;
  open(): Reading<EventObject>;
  /** One whole value. */
  decode(bytes: Uint8Array): unknown;
  /** One whole value. */
  encode(value: unknown): Uint8Array;
}

/**
 * Messages of a stream by a library. As long as each chunk is one message it takes the call for one value, which is the cheaper one in both
 * libraries; from the first chunk on that is not it takes the call for many, and keeps the message that is cut.
 */
abstract class MsgpackReading implements Reading<EventObject> {
  #rest: Uint8Array | undefined;
  #isWhole = true;

  push(chunk: Uint8Array, use: (event: EventObject) => void): void {
    if (this.#isWhole) {
      const event = this.one(chunk);
      if (event !== undefined) {
        use(event);
        return;
      }
      this.#isWhole = false;
    }
    const bytes = joined(this.#rest, chunk);
    const end = bytes.length === 0 ? 0 : this.many(bytes, use);
    this.#rest = end < bytes.length ? bytes.slice(end) : undefined;
  }

  /** The event, when the chunk is one message. */
  protected abstract one(chunk: Uint8Array): EventObject | undefined;

  /** @returns where the last complete message ends */
  protected abstract many(bytes: Uint8Array, use: (event: EventObject) => void): number;
}

class DecoderReading extends MsgpackReading {
  readonly #decoder: MsgpackDecoder;

  constructor(decoder: MsgpackDecoder) {
    super();
    this.#decoder = decoder;
  }

  protected one(chunk: Uint8Array): EventObject | undefined {
    try {
      return this.#decoder.decode(chunk) as EventObject;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return undefined;
    }
  }

  protected many(bytes: Uint8Array, use: (event: EventObject) => void): number {
    let end = 0;
    try {
      for (const event of this.#decoder.decodeMulti(bytes)) {
        end = this.#decoder.pos;
        use(event as EventObject);
      }
    } catch (error) {
      // the library's word for bytes that end too early
      if (!(error instanceof RangeError)) throw error;
    }
    return end;
  }
}

class UnpackrReading extends MsgpackReading {
  readonly #unpackr: Unpackr;

  constructor(unpackr: Unpackr) {
    super();
    this.#unpackr = unpackr;
  }

  protected one(chunk: Uint8Array): EventObject | undefined {
    try {
      return this.#unpackr.unpack(chunk) as EventObject;
    } catch {
      // what is wrong, and not just more or less than one message, is found by `many` again
      return undefined;
    }
  }

  protected many(bytes: Uint8Array, use: (event: EventObject) => void): number {
    let last = 0;
    try {
      this.#unpackr.unpackMultiple(bytes, (event, _start, end) => {
        last = end;
        use(event as EventObject);
      });
    } catch (error) {
      if ((error as { incomplete?: boolean }).incomplete !== true) throw error;
    }
    return last;
  }
}

function msgpackJs(): MsgpackLibrary | undefined {
  const library = installed<{
    Decoder: new () => MsgpackDecoder;
    Encoder: new () => { encode(value: unknown): Uint8Array };
  }>("@msgpack/msgpack");
  if (library === undefined) return undefined;
  // one of each for all streams: the library caches the names of members in them
  const decoder = new library.Decoder();
  const encoder = new library.Encoder();
  return {
    name: "@msgpack/msgpack",
    open: () => new DecoderReading(decoder),
    decode: (bytes) => decoder.decode(bytes),
    encode: (value) => encoder.encode(value),
  };
}

function msgpackr(): MsgpackLibrary | undefined {
  const library = installed<{
    Packr: new (options: object) => Unpackr & { pack(value: unknown): Uint8Array };
  }>("msgpackr");
  if (library === undefined) return undefined;
  // maps of plain MessagePack instead of its own records; integers of 64 bits as numbers, which spares it a BigInt each
  const packr = new library.Packr({ useRecords: false, int64AsType: "number" });
  return {
    name: "msgpackr",
    open: () => new UnpackrReading(packr),
    decode: (bytes) => packr.unpack(bytes),
    encode: (value) => packr.pack(value),
  };
}

/** The MessagePack libraries that are installed, in their fastest settings for plain MessagePack. */
export const msgpackLibraries: () => readonly MsgpackLibrary[] = once(() =>
  [msgpackJs(), msgpackr()].filter((library) => library !== undefined),
);
