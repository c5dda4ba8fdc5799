import type { AppendChange, Change, ChangeSet } from "../../contract.js";

/** Coalesced changes that are kept (docs/semantics.md §6). */
const KEPT = 256;
/** A change of a field with a longer name is not kept. */
const LONGEST_FIELD = 1024;
/** Generation of a change that nothing may join any more. */
const CLOSED = -1;

/** What changes are logged of: a block, a message. */
export interface Changed {
  readonly id: string;
  /** The last change logged for it. */
  change: { readonly field: string | undefined } | undefined;
}

class LoggedChange<E extends Changed> {
  readonly kind: Change["kind"];
  /** The version that it first made. */
  readonly version: number;
  readonly entry: E | undefined;
  readonly field: string | undefined;
  readonly from: number;
  to: number;
  /** An append to a string. */
  readonly isText: boolean;
  /** Appends of this generation to the same field may join. */
  generation: number;
  /** What continues the field of a `meta`, as JSON pointer. */
  readonly pointer: string | undefined;

  constructor(
    kind: Change["kind"],
    version: number,
    generation: number,
    entry?: E,
    field?: string,
    from = 0,
    to = 0,
    isText = false,
    pointer?: string,
  ) {
    this.kind = kind;
    this.version = version;
    this.generation = generation;
    this.entry = entry;
    this.field = field;
    this.from = from;
    this.to = to;
    this.isText = isText;
    this.pointer = pointer;
  }
}

/** One stream's changes between reads; constant time per event. Whoever logs has made the new version before. */
export abstract class ChangeLog<E extends Changed> {
  version = 0;
  private readonly streamId: string;
  private readonly log: LoggedChange<E>[] = [];
  /** Versions at which the log was read and from which on it is complete, ascending. */
  private readonly reads: number[] = [];
  /** The version of the last `start`, -1 when the log does not begin with it. */
  private started = -1;
  /** Grows with each read, so that nothing after it joins what was before. */
  private generation = 0;

  constructor(streamId: string) {
    this.streamId = streamId;
  }

  /** A part of the text that stands at a field now, in code units. */
  protected abstract textAt(entry: E, field: string, from: number, to: number): string;

  /**
   * The tool call that a field lies in.
   *
   * @param end behind the last element, where elements came to the field; else 0
   */
  protected callAt(_entry: E, _field: string, _end: number): string | undefined {
    return undefined;
  }

  protected logStart(): void {
    this.log.length = 0;
    this.reads.length = 0;
    // Messages that stay may have changes of before.
    this.generation++;
    this.log.push(new LoggedChange("start", this.version, CLOSED));
    this.started = this.version;
  }

  /** @param index of the new one, where it is told; else -1 */
  protected logInsert(entry: E, index: number): void {
    this.touch(entry, new LoggedChange("insert", this.version, CLOSED, entry, undefined, index));
  }

  protected logReplace(entry: E, field: string | undefined): void {
    this.touch(entry, new LoggedChange("replace", this.version, CLOSED, entry, field));
  }

  protected logAppend(entry: E, field: string, from: number, to: number, isText: boolean): void {
    const last = entry.change as LoggedChange<E> | undefined;
    if (last !== undefined && last.generation === this.generation && last.field === field) {
      last.to = to;
      return;
    }
    this.touch(entry, new LoggedChange("append", this.version, this.generation, entry, field, from, to, isText));
  }

  protected logMeta(field: string, pointer?: string): void {
    this.add(new LoggedChange<E>("meta", this.version, CLOSED, undefined, field, 0, 0, false, pointer));
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
    const replaced = new Replaced<E>();
    const changes: Change[] = [];
    for (let i = log.length - 1; i >= 0 && log[i]!.version > since; i--) {
      const change = log[i]!;
      if (!replaced.covers(change)) changes.push(this.describe(change));
      replaced.add(change);
    }
    return { version, changes: changes.reverse() };
  }

  private touch(entry: E, change: LoggedChange<E>): void {
    entry.change = change;
    this.add(change);
  }

  private add(change: LoggedChange<E>): void {
    if ((change.field ?? "").length > LONGEST_FIELD || (change.pointer ?? "").length > LONGEST_FIELD) {
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

  private describe(change: LoggedChange<E>): Change {
    const described: Described = { streamId: this.streamId, kind: change.kind };
    if (change.entry !== undefined) described.id = change.entry.id;
    if (change.field !== undefined) described.field = change.field;
    if (change.pointer !== undefined) described.pointer = change.pointer;
    if (change.kind === "insert" && change.from >= 0) described.from = change.from;
    if (change.kind === "append") {
      described.from = change.from;
      described.to = change.to;
      // No later change replaced the field, or the answer would be without this one: its text is where it was appended.
      if (change.isText) described.text = this.textAt(change.entry!, change.field!, change.from, change.to);
    }
    if (change.entry !== undefined && change.field !== undefined) {
      const toolCallId = this.callAt(change.entry, change.field, change.isText ? 0 : change.to);
      if (toolCallId !== undefined) described.toolCallId = toolCallId;
    }
    return described as Change;
  }
}

/** A change while its members are gathered. */
type Described = { streamId: string; kind: Change["kind"]; pointer?: string } & Partial<
  Omit<AppendChange, "streamId" | "kind">
>;

/** What is replaced by the later changes of an answer, which is gathered from its end. */
class Replaced<E extends Changed> {
  /** Fields by block, `undefined` standing for meta; the empty field for a whole block. */
  private readonly fields = new Map<E | undefined, Set<string>>();

  /** Whether a later change replaces what this one changed, or something above it. */
  covers({ kind, entry, field = "", pointer = "" }: LoggedChange<E>): boolean {
    if (kind === "start" || kind === "insert") return false;
    const fields = this.fields.get(entry);
    if (fields === undefined) return false;
    if (fields.has("") || fields.has(field + pointer)) return true;
    for (let slash = pointer.lastIndexOf("/"); slash >= 0; slash = pointer.lastIndexOf("/", slash - 1)) {
      if (fields.has(field + pointer.slice(0, slash))) return true;
      if (slash === 0) break;
    }
    for (let dot = field.indexOf("."); dot >= 0; dot = field.indexOf(".", dot + 1)) {
      if (fields.has(field.slice(0, dot))) return true;
    }
    return false;
  }

  add({ kind, entry, field = "", pointer = "" }: LoggedChange<E>): void {
    if (kind !== "replace" && kind !== "meta") return;
    const fields = this.fields.get(entry);
    if (fields === undefined) this.fields.set(entry, new Set([field + pointer]));
    else fields.add(field + pointer);
  }
}
