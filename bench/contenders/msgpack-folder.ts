import type { AgentueEvent, FoldContender } from "./contender.js";
import type { EventObject } from "./encoders.js";
import type { Reading } from "./installed.js";
import { JsonFolder } from "./json-folder.js";
import { msgpackLibraries } from "./msgpack.js";

/** Events by a MessagePack library, into the hand-tuned models. */
class MsgpackFolder extends JsonFolder {
  readonly #reading: Reading<EventObject>;
  readonly #use = (event: EventObject): void => this.models.apply(event as unknown as AgentueEvent);

  constructor(reading: Reading<EventObject>) {
    super();
    this.#reading = reading;
  }

  push(chunk: Uint8Array): void {
    this.#reading.push(chunk, this.#use);
  }
}

/** The MessagePack libraries that are installed, each with the same mutable models. */
export function msgpackFolders(): FoldContender[] {
  return msgpackLibraries().map(({ name, open }) => ({
    name: `${name} + mutable models`,
    side: "js",
    open: () => new MsgpackFolder(open()),
  }));
}
