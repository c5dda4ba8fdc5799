import type { AgentueEvent, FoldContender } from "./contender.js";
import { JsonFolder, LineEndings } from "./json-folder.js";

const LF = 10;
const CR = 13;
/** `data: {` */
const HEAD = [0x64, 0x61, 0x74, 0x61, 0x3a, 0x20, 0x7b];

/** Node's `utf8Slice`, which its type declarations leave out: decodes a range without a view of its own. */
type SlicingBuffer = Buffer & { utf8Slice(start: number, end: number): string };

/**
 * Node only: events are found in the bytes and each is decoded by itself with `Buffer.utf8Slice`, so one character
 * outside of Latin-1 does not make the text of a whole chunk two bytes wide.
 */
class BufferSliceFolder extends JsonFolder {
  #rest: Buffer | undefined;
  #endings: LineEndings | undefined;
  #first = true;

  push(chunk: Uint8Array): void {
    let buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.#endings !== undefined || buffer.includes(CR)) {
      // CR is one byte of its own in UTF-8, so it may be handled on Latin-1 text.
      this.#endings ??= new LineEndings();
      buffer = Buffer.from(this.#endings.normalize(buffer.toString("latin1")), "latin1");
    }
    if (this.#rest !== undefined) {
      buffer = Buffer.concat([this.#rest, buffer]);
      this.#rest = undefined;
    }
    if (this.#first) {
      if (buffer.length < 3) {
        this.#rest = buffer;
        return;
      }
      this.#first = false;
      if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) buffer = buffer.subarray(3);
    }
    const bytes = buffer as SlicingBuffer;
    const length = bytes.length;
    let start = 0;
    while (start < length) {
      let end = bytes.indexOf(LF, start);
      if (end >= 0 && bytes[end + 1] === LF && isSingleLine(bytes, start)) {
        this.models.apply(JSON.parse(bytes.utf8Slice(start + 6, end)) as AgentueEvent);
        start = end + 2;
        continue;
      }
      end = bytes.indexOf("\n\n", start);
      if (end < 0) break;
      this.applyLines(bytes.utf8Slice(start, end));
      start = end + 2;
    }
    if (start < length) this.#rest = Buffer.from(bytes.subarray(start));
  }
}

function isSingleLine(bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < HEAD.length; index++) if (bytes[start + index] !== HEAD[index]) return false;
  return true;
}

export const bufferSlice: FoldContender = {
  name: "Buffer.utf8Slice + JSON.parse",
  side: "js",
  open: () => new BufferSliceFolder(),
};
