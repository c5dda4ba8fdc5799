import type { ModelChanges } from "../../reduce/agui/changes.js";
import type { CallEntry, MessageEntry } from "../../reduce/agui/messages.js";

const CALL_FIELD = /^toolCalls\.\d+\.(.+)$/;

/** What one accepted event has done to the model, as it tells its changes (docs/semantics-agui.md §10). */
export class Touched implements ModelChanges {
  /** Everything is new, or a message came in between. */
  everything = false;
  /** The event brought a message that comes last, or replaced one whole. */
  message: MessageEntry | undefined = undefined;
  /** The event brought a call. */
  call: CallEntry | undefined = undefined;
  /** A text has grown. */
  text = false;
  metadata = false;
  name = false;
  state = false;
  /** What a patch has touched, from the patched value on. */
  pointers: string[] = [];
  private versions: ModelChanges | undefined = undefined;
  private count = 0;

  /** Begins with an event; `versions` counts, `count` messages are held now. */
  begin(versions: ModelChanges, count: number): this {
    this.everything = this.text = this.metadata = this.name = this.state = false;
    this.message = undefined;
    this.call = undefined;
    this.pointers = [];
    this.versions = versions;
    this.count = count;
    return this;
  }

  next(): void {
    this.versions!.next();
  }

  start(): void {
    this.everything = true;
  }

  insert(entry: MessageEntry, index: number): void {
    if (index !== this.count - 1) this.everything = true;
    this.message = entry;
    this.call = entry.calls[0];
  }

  replace(entry: MessageEntry, field?: string, pointers?: readonly string[]): void {
    if (field === undefined) {
      this.message = entry;
    } else if (field === "toolCalls") {
      this.call = entry.calls[0];
    } else if (field === "content") {
      this.text = pointers === undefined;
      this.pointers = [...(pointers ?? [])];
    } else {
      const name = CALL_FIELD.exec(field)?.[1] ?? field;
      if (name === "metadata") this.metadata = true;
      else if (name === "function.name") this.name = true;
    }
  }

  losesCalls(): void {
    this.everything = true;
  }

  append(entry: MessageEntry, _field: string, _from: number, to: number, isText: boolean): void {
    if (isText) this.text = true;
    else this.call = entry.calls[to - 1];
  }

  meta(field: "state" | "run", pointer?: string): void {
    if (field === "run") return;
    if (pointer === undefined) this.state = true;
    else this.pointers.push(pointer);
  }
}
