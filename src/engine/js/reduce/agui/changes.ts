import type { MessageEntry } from "./messages.js";

/** Where accepted events tell what they changed (docs/semantics-agui.md §10). */
export interface ModelChanges {
  /** One more version; what follows belongs to it. */
  next(): void;
  start(): void;
  insert(entry: MessageEntry, index: number): void;
  /** @param pointers into the field, of a patch */
  replace(entry: MessageEntry, field?: string, pointers?: readonly string[]): void;
  /** A message that was replaced held calls, which are gone. */
  losesCalls?(): void;
  append(entry: MessageEntry, field: string, from: number, to: number, isText: boolean): void;
  /** @param pointer into the state, of a delta */
  meta(field: "state" | "run", pointer?: string): void;
}
