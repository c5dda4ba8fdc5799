import type { AgentueEvent, FoldContender } from "./contender.js";
import { JsonFolder, LineEndings } from "./json-folder.js";

/**
 * One `JSON.parse` per chunk: the events of a chunk become one array text, which spares the call per event. It works
 * because JSON in a single data line cannot hold a raw line feed; anything else goes the long way.
 */
class ChunkArrayFolder extends JsonFolder {
  readonly #decoder = new TextDecoder();
  readonly #endings = new LineEndings();
  #rest = "";

  push(chunk: Uint8Array): void {
    let text = this.#endings.normalize(this.#decoder.decode(chunk, { stream: true }));
    if (this.#rest !== "") text = this.#rest + text;
    const end = text.lastIndexOf("\n\n");
    if (end < 0) {
      this.#rest = text;
      return;
    }
    const body = text.slice(0, end);
    this.#rest = text.slice(end + 2);
    if (body.startsWith("data: {")) {
      const list = body.slice(6).replaceAll("\n\ndata: {", ",{");
      if (!list.includes("\n")) {
        const events = JSON.parse(`[${list}]`) as AgentueEvent[];
        for (let index = 0; index < events.length; index++) this.models.apply(events[index]!);
        return;
      }
    }
    for (const block of body.split("\n\n")) this.applyLines(block);
  }
}

export const chunkArray: FoldContender = {
  name: "one JSON.parse per chunk",
  side: "js",
  open: () => new ChunkArrayFolder(),
};
