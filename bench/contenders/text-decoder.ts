import type { AgentueEvent, FoldContender } from "./contender.js";
import { JsonFolder, LineEndings } from "./json-folder.js";

/** The way most programs go: a streaming TextDecoder, a search for the blank line, `JSON.parse` of each event. */
class TextDecoderFolder extends JsonFolder {
  readonly #decoder = new TextDecoder();
  readonly #endings = new LineEndings();
  #rest = "";

  push(chunk: Uint8Array): void {
    let text = this.#endings.normalize(this.#decoder.decode(chunk, { stream: true }));
    if (this.#rest !== "") text = this.#rest + text;
    let start = 0;
    for (;;) {
      const end = text.indexOf("\n\n", start);
      if (end < 0) break;
      if (text.startsWith("data: {", start) && text.indexOf("\n", start) === end) {
        this.models.apply(JSON.parse(text.slice(start + 6, end)) as AgentueEvent);
      } else {
        this.applyLines(text.slice(start, end));
      }
      start = end + 2;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }
}

export const textDecoder: FoldContender = {
  name: "TextDecoder + JSON.parse",
  side: "js",
  open: () => new TextDecoderFolder(),
};
