import type { Engine, Protocol } from "../../src/engine/contract.js";
import { readEvents } from "../wires.js";
import type { Side } from "./contender.js";
import type { EncodedWire, EventObject } from "./encoders.js";
import { engineName } from "./engines.js";
import { joined, type Reading } from "./installed.js";
import { type MsgpackLibrary, msgpackLibraries } from "./msgpack.js";
import { eventOf, framedAll, protobufjs } from "./protobuf.js";

/** One connection whose events go out on another wire. */
export interface Transcoding {
  push(chunk: Uint8Array): Uint8Array;
  finish(): Uint8Array;
  close(): void;
}

export interface TranscodeContender {
  name: string;
  side: Side;
  open(): Transcoding;
}

/** What is transcoded, and how. */
export interface Route {
  protocol: Protocol;
  from: EncodedWire;
  to: EncodedWire;
  /** Our engines judge the events and keep the model. No other contender does. */
  enforce: boolean;
}

/** Whether an engine has a transcoder. */
export function transcodes(engine: Engine): boolean {
  const transcoder = engine.createTranscoder({ protocol: "agentue", from: "sse", to: "msgpack" });
  try {
    return transcoder.finish().length === 0;
  } catch {
    return false;
  } finally {
    transcoder.close();
  }
}

/** An engine of ours. */
export function engineTranscoder(engine: Engine, { protocol, from, to, enforce }: Route): TranscodeContender {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    open: () => engine.createTranscoder({ protocol, from, to, enforce }),
  };
}

/** A way to write the events of one connection. */
interface Writing {
  add(event: EventObject): void;
  /** What `add` has gathered. */
  take(): Uint8Array;
}

/** Server-sent events by a streaming decoder, each parsed by itself. */
class EventByEvent implements Reading<EventObject> {
  readonly #decoder = new TextDecoder();
  #rest = "";

  push(chunk: Uint8Array, use: (event: EventObject) => void): void {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (this.#rest !== "") text = this.#rest + text;
    let start = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", start)) {
      use(JSON.parse(text.slice(start + "data: ".length, end)) as EventObject);
      start = end + 2;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }
}

/** Server-sent events of a chunk, parsed as one array. */
class ChunkByChunk implements Reading<EventObject> {
  #rest: Uint8Array | undefined;

  push(chunk: Uint8Array, use: (event: EventObject) => void): void {
    const bytes = joined(this.#rest, chunk);
    const end = lastBlankLine(bytes);
    this.#rest = end < bytes.length ? bytes.slice(end) : undefined;
    if (end === 0) return;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, end - 2).toString();
    const events = JSON.parse(`[${text.slice("data: ".length).replaceAll("\n\ndata: ", ",")}]`) as EventObject[];
    for (let index = 0; index < events.length; index++) use(events[index]!);
  }
}

/** Where the last message ends. */
function lastBlankLine(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at--) if (bytes[at] === 10 && bytes[at - 1] === 10) return at + 1;
  return 0;
}

class JsonWriting implements Writing {
  #text = "";

  add(event: EventObject): void {
    this.#text += `data: ${JSON.stringify(event)}\n\n`;
  }

  take(): Uint8Array {
    const bytes = Buffer.from(this.#text);
    this.#text = "";
    return bytes;
  }
}

/** Messages that a library gives one by one. */
class ListWriting implements Writing {
  readonly #encode: (event: EventObject) => Uint8Array;
  readonly #join: (messages: Uint8Array[]) => Uint8Array;
  #messages: Uint8Array[] = [];

  constructor(encode: (event: EventObject) => Uint8Array, join: (messages: Uint8Array[]) => Uint8Array) {
    this.#encode = encode;
    this.#join = join;
  }

  add(event: EventObject): void {
    this.#messages.push(this.#encode(event));
  }

  take(): Uint8Array {
    const bytes = this.#join(this.#messages);
    this.#messages = [];
    return bytes;
  }
}

class LibraryTranscoding implements Transcoding {
  readonly #reading: Reading<EventObject>;
  readonly #writing: Writing;
  readonly #use = (event: EventObject): void => this.#writing.add(event);

  constructor(reading: Reading<EventObject>, writing: Writing) {
    this.#reading = reading;
    this.#writing = writing;
  }

  push(chunk: Uint8Array): Uint8Array {
    this.#reading.push(chunk, this.#use);
    return this.#writing.take();
  }

  finish(): Uint8Array {
    return new Uint8Array();
  }

  close(): void {}
}

/** The faster of the MessagePack libraries. */
function msgpackr(): MsgpackLibrary | undefined {
  return msgpackLibraries().find(({ name }) => name === "msgpackr");
}

interface Part<T> {
  name: string;
  open(): T;
}

/** The best ways to read server-sent events as objects. */
export function sseReadings(): Part<Reading<EventObject>>[] {
  return [
    { name: "JSON.parse", open: () => new EventByEvent() },
    { name: "one JSON.parse per chunk", open: () => new ChunkByChunk() },
  ];
}

function readings(wire: EncodedWire): Part<Reading<EventObject>>[] {
  if (wire === "sse") return sseReadings();
  if (wire === "msgpack") {
    const library = msgpackr();
    return library === undefined ? [] : [library];
  }
  const library = protobufjs();
  if (library === undefined) return [];
  const open = (): Reading<EventObject> => {
    const messages = library.open();
    return { push: (chunk, use) => messages.push(chunk, (message) => use(eventOf(message))) };
  };
  return [{ name: "protobufjs", open }];
}

function writing(wire: EncodedWire): Part<Writing> | undefined {
  if (wire === "sse") return { name: "JSON.stringify", open: () => new JsonWriting() };
  if (wire === "msgpack") {
    const library = msgpackr();
    if (library === undefined) return undefined;
    return { name: library.name, open: () => new ListWriting(library.encode, (messages) => Buffer.concat(messages)) };
  }
  const library = protobufjs();
  if (library === undefined) return undefined;
  return { name: "protobufjs", open: () => new ListWriting(library.encode, framedAll) };
}

/** The best pairs of libraries for a route, events as objects between them; those that are not installed do not take part. */
export function libraryTranscoders({ from, to }: Route): TranscodeContender[] {
  const writer = writing(to);
  if (writer === undefined) return [];
  return readings(from).map((reader) => ({
    name: `${reader.name} + ${writer.name}`,
    side: "js",
    open: () => new LibraryTranscoding(reader.open(), writer.open()),
  }));
}

/** The events that a transcoder has written, by the library of the wire, or by our own reader where it is not installed. */
export function readWritten(wire: EncodedWire, written: readonly Uint8Array[]): unknown[] {
  const bytes = Buffer.concat(written);
  const reading = wire === "sse" ? undefined : readings(wire)[0]?.open();
  if (reading === undefined) return readEvents(wire, bytes);
  const events: EventObject[] = [];
  reading.push(bytes, (event) => events.push(event));
  return events;
}
