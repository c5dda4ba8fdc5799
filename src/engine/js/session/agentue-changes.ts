import type { BlockEntry } from "../reduce/agentue/document.js";
import type { ChangeSink } from "../reduce/agentue/state.js";
import { ChangeLog } from "./changes.js";

/** Changes of AgentUE blocks: every one is a version of its own. */
export class AgentueChanges extends ChangeLog<BlockEntry> implements ChangeSink {
  start(): void {
    this.version++;
    this.logStart();
  }

  insert(entry: BlockEntry): void {
    this.version++;
    this.logInsert(entry, -1);
  }

  replace(entry: BlockEntry, field: string | undefined): void {
    this.version++;
    this.logReplace(entry, field);
  }

  append(entry: BlockEntry, field: string, from: number, to: number, isText: boolean): void {
    this.version++;
    this.logAppend(entry, field, from, to, isText);
  }

  meta(field: string): void {
    this.version++;
    this.logMeta(field);
  }

  protected textAt(entry: BlockEntry, field: string, from: number, to: number): string {
    return entry.sliceText(field, from, to);
  }
}
