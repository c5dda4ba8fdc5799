import { createParser } from "eventsource-parser";
import type { AgentueEvent, FoldContender } from "./contender.js";
import { JsonFolder } from "./json-folder.js";

/** The usual library for the framing: `eventsource-parser` behind a streaming TextDecoder, then `JSON.parse`. */
class EventsourceParserFolder extends JsonFolder {
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: ({ data }) => {
      if (data.startsWith("{")) this.models.apply(JSON.parse(data) as AgentueEvent);
      else this.applyLines(`data: ${data.replaceAll("\n", "\ndata: ")}`);
    },
  });

  push(chunk: Uint8Array): void {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }
}

export const eventsourceParser: FoldContender = {
  name: "eventsource-parser + JSON.parse",
  side: "js",
  open: () => new EventsourceParserFolder(),
};
