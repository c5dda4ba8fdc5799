import type { Journal } from "./journal.js";

/** Kinds of chunk streams, as numbered in checkpoints (docs/semantics-agui.md §12). */
export const TEXT_LANE = 0;
export const TOOL_LANE = 1;
export const REASONING_LANE = 2;
export type LaneKind = 0 | 1 | 2;

/** The chunk stream that a lane has pending, and what its opener established. */
export interface Lane {
  readonly owner: string | undefined;
  readonly kind: LaneKind;
  readonly id: string;
  /** The role of a text, the name of a tool. */
  readonly first: string | undefined;
  /** The name of a text's author, the parent message of a tool call. */
  readonly second: string | undefined;
  /** The opener's `subagentRunId`. */
  readonly tag: string | undefined;
}

/** The pending chunk streams of a run: one per owner at most (docs/semantics-agui.md §5). */
export class Lanes {
  /** By owner; the order is that of opening, but for what a rollback has put back. */
  private readonly byOwner = new Map<string | undefined, Lane>();
  private readonly byId: readonly Map<string, Lane>[] = [new Map(), new Map(), new Map()];
  private readonly openings = new WeakMap<Lane, number>();
  private opened = 0;

  get size(): number {
    return this.byOwner.size;
  }

  of(owner: string | undefined): Lane | undefined {
    return this.byOwner.get(owner);
  }

  holding(kind: LaneKind, id: string): Lane | undefined {
    return this.byId[kind]!.get(id);
  }

  /** The only lane that holds a kind; "several", or undefined where none does. */
  only(kind: LaneKind): Lane | "several" | undefined {
    const lanes = this.byId[kind]!;
    if (lanes.size > 1) return "several";
    return lanes.values().next().value;
  }

  open(lane: Lane, journal?: Journal): void {
    this.openings.set(lane, ++this.opened);
    this.put(lane);
    journal?.note(() => this.take(lane));
  }

  close(lane: Lane, journal: Journal): void {
    this.take(lane);
    journal.note(() => this.put(lane));
  }

  /** The same lanes, to go on with independently. */
  copy(): Lanes {
    const copy = new Lanes();
    for (const lane of this.all()) copy.open(lane);
    return copy;
  }

  /** In the order of opening. */
  all(): Lane[] {
    return [...this.byOwner.values()].sort((a, b) => this.openings.get(a)! - this.openings.get(b)!);
  }

  private put(lane: Lane): void {
    this.byOwner.set(lane.owner, lane);
    this.byId[lane.kind]!.set(lane.id, lane);
  }

  private take(lane: Lane): void {
    this.byOwner.delete(lane.owner);
    this.byId[lane.kind]!.delete(lane.id);
  }
}
