import type { ModelChanges } from "../reduce/agui/changes.js";
import type { MessageEntry } from "../reduce/agui/messages.js";
import { ChangeLog } from "./changes.js";

/** Changes of an AG-UI model (docs/semantics-agui.md §10): one event may log several under one version. */
export class AguiChanges extends ChangeLog<MessageEntry> implements ModelChanges {
  constructor(streamId: string) {
    super(streamId);
    // The model is there from the start: its first version is known.
    this.restore(0);
  }

  next(): void {
    this.version++;
  }

  start(): void {
    this.logStart();
  }

  insert(entry: MessageEntry, index: number): void {
    this.logInsert(entry, index);
  }

  replace(entry: MessageEntry, field?: string): void {
    this.logReplace(entry, field);
  }

  append(entry: MessageEntry, field: string, from: number, to: number, isText: boolean): void {
    this.logAppend(entry, field, from, to, isText);
  }

  meta(field: "state" | "run", pointer?: string): void {
    this.logMeta(field, pointer);
  }

  protected override callAt(entry: MessageEntry, field: string, end: number): string | undefined {
    const [list, place] = field.split(".", 2);
    if (list !== "toolCalls") return undefined;
    return entry.calls[place === undefined ? end - 1 : Number(place)]?.id;
  }

  protected textAt(entry: MessageEntry, field: string, from: number, to: number): string {
    if (field === "content") return entry.content.slice(entry.value.content as string, from, to);
    const call = entry.calls[Number(field.split(".", 2)[1])]!;
    return call.text.slice(call.function.arguments, from, to);
  }
}
