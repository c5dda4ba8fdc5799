import type { Journal } from "./journal.js";
import { Lanes } from "./lanes.js";

/** Name spaces of items, as numbered in checkpoints (docs/semantics-agui.md §12). */
export const MESSAGE = 0;
export const CALL = 1;
export const REASONING = 2;
export const ACTIVITY = 3;
export type ItemKind = 0 | 1 | 2 | 3;

/** Bits of what is open: a text, call or reasoning message; a reasoning span. */
export const OPEN_MESSAGE = 1;
export const OPEN_SPAN = 2;

/** Phases of a run, as numbered in checkpoints. */
export const NO_RUN = 0;
export const RUNNING = 1;
export const FINISHED = 2;
export const ERRORED = 3;
export const REJECTED = 4;
export const TRUNCATED = 5;

/** `subagentRunId` of who owns something; undefined is the parent agent. */
export type Owner = string | undefined;

/** Something that this run has named. */
export class Item {
  readonly kind: ItemKind;
  readonly id: string;
  owner: Owner;
  open = 0;
  /** Numbers of its openings, in the order of which things are open. */
  messageNumber = 0;
  spanNumber = 0;

  constructor(kind: ItemKind, id: string, owner: Owner) {
    this.kind = kind;
    this.id = id;
    this.owner = owner;
  }
}

/** A step that is open. */
export interface Step {
  name: string;
  owner: Owner;
}

/** What the events of one run have opened, owned and called (docs/semantics-agui.md §6). A new run gets a new one. */
export class Track {
  phase = NO_RUN;
  lanes = new Lanes();
  /** Every item in the order of its first appearance. */
  readonly items = new Set<Item>();
  /** Whether subagents are active, in the order of their start. */
  readonly subagents = new Map<string, boolean>();
  /** Whether tool calls are answered, in the order of their start. */
  readonly calls = new Map<string, boolean>();
  /** Calls that a success outcome has named as pending itself. */
  named: string[] | undefined = undefined;
  /** Openings of items so far. */
  openings = 0;
  private readonly byId: readonly Map<string, Item>[] = [new Map(), new Map(), new Map(), new Map()];
  /** Items with something open, by kind of what is open: text, calls, reasoning messages, spans. */
  private readonly opened: readonly Set<Item>[] = [new Set(), new Set(), new Set(), new Set()];
  /** Open steps by name and owner, with the number of their opening. */
  private readonly stepsByName = new Map<string, Map<Owner, number>>();
  private stepOpenings = 0;
  private openSteps = 0;
  private recent: Item | undefined = undefined;

  /** A track of its own that is where this one is. */
  fork(): Track {
    const fork = new Track();
    fork.phase = this.phase;
    fork.lanes = this.lanes.copy();
    for (const item of this.items) {
      const twin = fork.add(item.kind, item.id, item.owner);
      if (item.open & OPEN_MESSAGE) fork.open(twin, OPEN_MESSAGE, undefined, item.messageNumber);
      if (item.open & OPEN_SPAN) fork.open(twin, OPEN_SPAN, undefined, item.spanNumber);
    }
    fork.openings = this.openings;
    for (const { name, owner } of this.steps()) fork.startStep(name, owner);
    for (const [id, active] of this.subagents) fork.subagents.set(id, active);
    for (const [id, answered] of this.calls) fork.calls.set(id, answered);
    fork.named = this.named;
    return fork;
  }

  /** How many names the limit `items` counts. */
  get names(): number {
    return this.items.size + this.openSteps + this.subagents.size;
  }

  // ---------------------------------------------------------------- items

  find(kind: ItemKind, id: string): Item | undefined {
    const { recent } = this;
    if (recent !== undefined && recent.kind === kind && recent.id === id) return recent;
    const item = this.byId[kind]!.get(id);
    if (item !== undefined) this.recent = item;
    return item;
  }

  add(kind: ItemKind, id: string, owner: Owner, journal?: Journal): Item {
    const item = new Item(kind, id, owner);
    this.items.add(item);
    this.byId[kind]!.set(id, item);
    journal?.note(() => {
      this.items.delete(item);
      this.byId[kind]!.delete(id);
      if (this.recent === item) this.recent = undefined;
    });
    return item;
  }

  setOwner(item: Item, owner: Owner, journal: Journal): void {
    const before = item.owner;
    if (before === owner) return;
    item.owner = owner;
    journal.note(() => {
      item.owner = before;
    });
  }

  /** @param number of the opening, where it is not the next one */
  open(item: Item, bit: number, journal?: Journal, number = this.openings + 1): void {
    const { openings } = this;
    this.openings = Math.max(openings, number);
    item.open |= bit;
    if (bit === OPEN_SPAN) item.spanNumber = number;
    else item.messageNumber = number;
    this.setOf(item.kind, bit).add(item);
    journal?.note(() => {
      item.open &= ~bit;
      this.setOf(item.kind, bit).delete(item);
      this.openings = openings;
    });
  }

  close(item: Item, bit: number, journal: Journal): void {
    item.open &= ~bit;
    this.setOf(item.kind, bit).delete(item);
    journal.note(() => {
      item.open |= bit;
      this.setOf(item.kind, bit).add(item);
    });
  }

  /** What is open of one kind, in the order of opening. */
  openItems(kind: ItemKind, bit = OPEN_MESSAGE): Item[] {
    const number = (item: Item): number => (bit === OPEN_SPAN ? item.spanNumber : item.messageNumber);
    return [...this.setOf(kind, bit)].sort((a, b) => number(a) - number(b));
  }

  /** Ids of open spans and reasoning messages together, in the order of opening. */
  openReasoning(): string[] {
    const open = [
      ...this.openItems(REASONING).map(({ id, messageNumber }) => ({ id, number: messageNumber })),
      ...this.openItems(REASONING, OPEN_SPAN).map(({ id, spanNumber }) => ({ id, number: spanNumber })),
    ];
    return open.sort((a, b) => a.number - b.number).map(({ id }) => id);
  }

  private setOf(kind: ItemKind, bit: number): Set<Item> {
    return this.opened[bit === OPEN_SPAN ? ACTIVITY : kind]!;
  }

  // ---------------------------------------------------------------- steps

  hasStep(name: string, owner: Owner): boolean {
    return this.stepsByName.get(name)?.has(owner) === true;
  }

  /** Whether anybody has a step of this name open. */
  hasStepOfAnybody(name: string): boolean {
    return this.stepsByName.has(name);
  }

  startStep(name: string, owner: Owner, journal?: Journal): void {
    this.putStep(name, owner, ++this.stepOpenings);
    journal?.note(() => this.takeStep(name, owner));
  }

  finishStep(name: string, owner: Owner, journal: Journal): void {
    const number = this.takeStep(name, owner);
    journal.note(() => this.putStep(name, owner, number));
  }

  /** Open steps in the order of opening. */
  steps(): Step[] {
    const all: (Step & { number: number })[] = [];
    for (const [name, owners] of this.stepsByName) {
      for (const [owner, number] of owners) all.push({ name, owner, number });
    }
    return all.sort((a, b) => a.number - b.number).map(({ name, owner }) => ({ name, owner }));
  }

  private putStep(name: string, owner: Owner, number: number): void {
    const owners = this.stepsByName.get(name);
    if (owners === undefined) this.stepsByName.set(name, new Map([[owner, number]]));
    else owners.set(owner, number);
    this.openSteps++;
  }

  private takeStep(name: string, owner: Owner): number {
    const owners = this.stepsByName.get(name)!;
    const number = owners.get(owner)!;
    owners.delete(owner);
    if (owners.size === 0) this.stepsByName.delete(name);
    this.openSteps--;
    return number;
  }

  // ---------------------------------------------------------------- the rest

  setSubagent(id: string, active: boolean, journal: Journal): void {
    const before = this.subagents.get(id);
    this.subagents.set(id, active);
    journal.note(() => (before === undefined ? this.subagents.delete(id) : this.subagents.set(id, before)));
  }

  setCall(id: string, answered: boolean, journal: Journal): void {
    const before = this.calls.get(id);
    this.calls.set(id, answered);
    journal.note(() => (before === undefined ? this.calls.delete(id) : this.calls.set(id, before)));
  }

  setPhase(phase: number, journal: Journal): void {
    const before = this.phase;
    if (before === phase) return;
    this.phase = phase;
    journal.note(() => {
      this.phase = before;
    });
  }

  activeSubagents(): string[] {
    const active: string[] = [];
    for (const [id, isActive] of this.subagents) if (isActive) active.push(id);
    return active;
  }

  /** Calls that nobody has answered. */
  pendingCalls(): string[] {
    const pending: string[] = [];
    for (const [id, answered] of this.calls) if (!answered) pending.push(id);
    return pending;
  }

  /** Closes everything, after which nothing of the same event can fail (RUN_ERROR). */
  closeAll(): void {
    for (const set of this.opened) {
      for (const item of set) item.open = 0;
      set.clear();
    }
    this.stepsByName.clear();
    this.openSteps = 0;
    for (const id of this.activeSubagents()) this.subagents.set(id, false);
    this.named = undefined;
  }
}
