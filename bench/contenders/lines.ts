import { type ByteFraming, byteFolder } from "./byte-parser.js";
import type { AgentueEvent, FoldContender } from "./contender.js";
import { JsonFolder } from "./json-folder.js";

const LF = 10;
const OPEN_BRACE = 123;

type SlicingBuffer = Buffer & { utf8Slice(start: number, end: number): string };

/** NDJSON by a streaming TextDecoder and a search for the line feed. CR is white space to `JSON.parse`. */
class DecodedLines extends JsonFolder {
  readonly #decoder = new TextDecoder();
  #rest = "";

  push(chunk: Uint8Array): void {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (this.#rest !== "") text = this.#rest + text;
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const line = text.slice(start, end);
      if (text.charCodeAt(start) === OPEN_BRACE) this.models.apply(JSON.parse(line) as AgentueEvent);
      else this.applyText(line);
      start = end + 1;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }
}

/** NDJSON, Node only: lines are found in the bytes, and each is decoded by itself. */
class SlicedLines extends JsonFolder {
  #rest: Buffer | undefined;

  push(chunk: Uint8Array): void {
    let buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#rest !== undefined) buffer = Buffer.concat([this.#rest, buffer]);
    const bytes = buffer as SlicingBuffer;
    let start = 0;
    for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, start)) {
      const line = bytes.utf8Slice(start, end);
      if (bytes[start] === OPEN_BRACE) this.models.apply(JSON.parse(line) as AgentueEvent);
      else this.applyText(line);
      start = end + 1;
    }
    this.#rest = start < bytes.length ? Buffer.from(bytes.subarray(start)) : undefined;
  }
}

/** NDJSON with one `JSON.parse` per chunk: its lines become one array text. */
class LinesArray extends JsonFolder {
  readonly #decoder = new TextDecoder();
  #rest = "";

  push(chunk: Uint8Array): void {
    let text = this.#decoder.decode(chunk, { stream: true });
    if (this.#rest !== "") text = this.#rest + text;
    const end = text.lastIndexOf("\n");
    this.#rest = text.slice(end + 1);
    if (end < 0) return;
    const body = text.slice(0, end);
    if (body.startsWith("{")) {
      const list = body.replaceAll("\n{", ",{");
      if (!list.includes("\n")) {
        const events = JSON.parse(`[${list}]`) as AgentueEvent[];
        for (let index = 0; index < events.length; index++) this.models.apply(events[index]!);
        return;
      }
    }
    for (const line of body.split("\n")) this.applyText(line);
  }
}

/** Transport `json`: each chunk is one event. */
class DecodedMessages extends JsonFolder {
  readonly #decoder = new TextDecoder();

  push(chunk: Uint8Array): void {
    this.models.apply(JSON.parse(this.#decoder.decode(chunk)) as AgentueEvent);
  }
}

/** The same on Node, without a decoder. */
class SlicedMessages extends JsonFolder {
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) as SlicingBuffer;
    this.models.apply(JSON.parse(bytes.utf8Slice(0, bytes.length)) as AgentueEvent);
  }
}

const bytes = (framing: ByteFraming): FoldContender => ({
  name: "byte parser on Uint8Array",
  side: "js",
  open: () => byteFolder(framing),
});

/** The baselines for lines of JSON. */
export const LINE_BASELINES: readonly FoldContender[] = [
  { name: "TextDecoder + JSON.parse", side: "js", open: () => new DecodedLines() },
  { name: "Buffer.utf8Slice + JSON.parse", side: "js", open: () => new SlicedLines() },
  { name: "one JSON.parse per chunk", side: "js", open: () => new LinesArray() },
  bytes("ndjson"),
];

/** The baselines for one JSON text per chunk. */
export const MESSAGE_BASELINES: readonly FoldContender[] = [
  { name: "TextDecoder + JSON.parse", side: "js", open: () => new DecodedMessages() },
  { name: "Buffer.utf8Slice + JSON.parse", side: "js", open: () => new SlicedMessages() },
  bytes("json"),
];
