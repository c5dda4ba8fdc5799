import type { AgentueEvent, Folder } from "./contender.js";
import { MutableModels } from "./mutable-models.js";

/** White space alone and the closing `[DONE]` of some producers are no events. */
const NOT_AN_EVENT = /^[ \t\r\n]*(\[DONE\][ \t\r\n]*)?$/;
const encoder = new TextEncoder();

/** Common end of the contenders that read events as objects: models in a `MutableModels`. */
export abstract class JsonFolder implements Folder {
  readonly models = new MutableModels();

  abstract push(chunk: Uint8Array): void;

  value(streamId: string): unknown {
    return this.models.streams.get(streamId)?.model;
  }

  bytes(streamId: string): Uint8Array {
    return encoder.encode(JSON.stringify(this.value(streamId)));
  }

  close(): void {}

  /** One event of the wire that is more than a single `data: ` line: comments, ids, several data lines, other fields. */
  protected applyLines(block: string): void {
    let data: string | undefined;
    for (const line of block.split("\n")) {
      if (!line.startsWith("data")) continue;
      let value: string;
      if (line.length === 4) value = "";
      else if (line[4] === ":") value = line.slice(line[5] === " " ? 6 : 5);
      else continue;
      data = data === undefined ? value : `${data}\n${value}`;
    }
    if (data !== undefined) this.applyText(data);
  }

  /** One event as JSON text, if it is one. */
  protected applyText(text: string): void {
    if (!NOT_AN_EVENT.test(text)) this.apply(JSON.parse(text) as AgentueEvent);
  }

  protected apply(event: AgentueEvent): void {
    this.models.apply(event);
  }
}

/** Brings CR and CRLF of a text stream to LF. Most streams hold no CR at all, and then nothing is copied. */
export class LineEndings {
  #afterCr = false;

  normalize(text: string): string {
    if (text === "" || (!this.#afterCr && !text.includes("\r"))) return text;
    const rest = this.#afterCr && text.startsWith("\n") ? text.slice(1) : text;
    this.#afterCr = text.endsWith("\r");
    return rest.replace(/\r\n?/g, "\n");
  }
}
