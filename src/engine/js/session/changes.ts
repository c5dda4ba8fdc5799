import { own } from "../../../json/object.js";
import type { AppendChange, Change, ChangeSet } from "../../contract.js";
import type { BlockChange, BlockEntry } from "../reduce/agentue/document.js";
import type { ChangeSink } from "../reduce/agentue/state.js";

/** Coalesced changes that are kept (docs/semantics.md §6). */
const KEPT = 256;
/** A change of a field with a longer name is not kept. */
const LONGEST_FIELD = 1024;
/** Generation of a change that nothing may join any more. */
const CLOSED = -1;

class LoggedChange implements BlockChange {
  readonly kind: Change["kind"];
  /** The version that it first made. */
  readonly version: number;
  readonly entry: BlockEntry | undefined;
  readonly field: string | undefined;
  readonly from: number;
  to: number;
  /** An append to a string. */
  readonly isText: boolean;
  /** Appends of this generation to the same field may join. */
  generation: number;

  constructor(
    kind: Change["kind"],
    version: number,
    generation: number,
    entry?: BlockEntry,
    field?: string,
    from = 0,
    to = 0,
    isText = false,
  ) {
    this.kind = kind;
    this.version = version;
    this.generation = generation;
    this.entry = entry;
    this.field = field;
    this.from = from;
    this.to = to;
    this.isText = isText;
  }
}

/** One stream's changes between reads; constant time per event. */
export class ChangeLog implements ChangeSink {
  version = 0;
  private readonly streamId: string;
  private readonly log: LoggedChange[] = [];
  /** Versions at which the log was read and from which on it is complete, ascending. */
  private readonly reads: number[] = [];
  /** The version of the last `start`, -1 when the log does not begin with it. */
  private started = -1;
  /** Grows with each read, so that nothing after it joins what was before. */
  private generation = 0;

  constructor(streamId: string) {
    this.streamId = streamId;
  }

  start(): void {
    this.version++;
    this.log.length = 0;
    this.reads.length = 0;
    this.log.push(new LoggedChange("start", this.version, CLOSED));
    this.started = this.version;
  }

  insert(entry: BlockEntry): void {
    this.version++;
    this.touch(entry, new LoggedChange("insert", this.version, CLOSED, entry));
  }

  replace(entry: BlockEntry, field: string | undefined): void {
    this.version++;
    this.touch(entry, new LoggedChange("replace", this.version, CLOSED, entry, field));
  }

  append(entry: BlockEntry, field: string, from: number, to: number, isText: boolean): void {
    this.version++;
    const last = entry.change as LoggedChange | undefined;
    if (last !== undefined && last.generation === this.generation && last.field === field) {
      last.to = to;
      return;
    }
    this.touch(entry, new LoggedChange("append", this.version, this.generation, entry, field, from, to, isText));
  }

  meta(field: string): void {
    this.version++;
    this.add(new LoggedChange("meta", this.version, CLOSED, undefined, field));
  }

  /** Continues a saved stream, or forgets what was: only the present version is known. */
  restore(version: number): void {
    this.version = version;
    this.log.length = 0;
    this.started = -1;
    this.reads.length = 0;
    this.reads.push(version);
  }

  /** Everything after version `since`, without what a later change of the answer makes pointless. */
  read(since = 0): ChangeSet {
    const { version, log } = this;
    const known = since === version || (since < version && (since < this.started || this.reads.includes(since)));
    if (this.reads[this.reads.length - 1] !== version) this.reads.push(version);
    this.generation++;
    if (!known) return { version, resync: true };
    const replaced = new Replaced();
    const changes: Change[] = [];
    for (let i = log.length - 1; i >= 0 && log[i]!.version > since; i--) {
      const change = log[i]!;
      if (!replaced.covers(change)) changes.push(this.describe(change));
      replaced.add(change);
    }
    return { version, changes: changes.reverse() };
  }

  private touch(entry: BlockEntry, change: LoggedChange): void {
    entry.change = change;
    this.add(change);
  }

  private add(change: LoggedChange): void {
    if (change.field !== undefined && change.field.length > LONGEST_FIELD) {
      this.restore(this.version);
      this.generation++;
      return;
    }
    this.log.push(change);
    if (this.log.length <= KEPT) return;
    const dropped = this.log.shift()!;
    dropped.generation = CLOSED;
    if (dropped.kind === "start") this.started = -1;
    while (this.reads.length > 0 && this.reads[0]! < dropped.version) this.reads.shift();
  }

  private describe(change: LoggedChange): Change {
    const described: Described = { streamId: this.streamId, kind: change.kind };
    if (change.entry !== undefined) described.id = change.entry.id;
    if (change.field !== undefined) described.field = change.field;
    if (change.kind === "append") {
      described.from = change.from;
      described.to = change.to;
      // No later change replaced the field, or the answer would be without this one: its text is where it was appended.
      if (change.isText)
        described.text = (own(change.entry!.value, change.field!) as string).slice(change.from, change.to);
    }
    return described as Change;
  }
}

/** A change while its members are gathered. */
type Described = { streamId: string; kind: Change["kind"] } & Partial<Omit<AppendChange, "streamId" | "kind">>;

/** What is replaced by the later changes of an answer, which is gathered from its end. */
class Replaced {
  /** Fields by block, `undefined` standing for meta; the empty field for a whole block. */
  private readonly fields = new Map<BlockEntry | undefined, Set<string>>();

  /** Whether a later change replaces what this one changed, or something above it. */
  covers({ kind, entry, field = "" }: LoggedChange): boolean {
    if (kind === "start" || kind === "insert") return false;
    const fields = this.fields.get(entry);
    if (fields === undefined) return false;
    if (fields.has("") || fields.has(field)) return true;
    for (let dot = field.indexOf("."); dot >= 0; dot = field.indexOf(".", dot + 1)) {
      if (fields.has(field.slice(0, dot))) return true;
    }
    return false;
  }

  add({ kind, entry, field = "" }: LoggedChange): void {
    if (kind !== "replace" && kind !== "meta") return;
    const fields = this.fields.get(entry);
    if (fields === undefined) this.fields.set(entry, new Set([field]));
    else fields.add(field);
  }
}
