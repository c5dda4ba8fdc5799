import type { JsonObject } from "../../../../json/object.js";

/** Where the delta of an event stands, and what it continues. */
export interface Delta<Key> {
  readonly holder: JsonObject;
  readonly name: string;
  readonly key: Key;
}

/** A high surrogate half that waits for its other half. */
export interface Held<Key> {
  readonly key: Key;
  readonly half: string;
  /** Another delta of its owner has come since: only an event that names its message finds it. */
  passed: boolean;
}

/** What a protocol knows of its deltas. */
export interface DeltaRules<Key> {
  /** The delta of an event, when it has one. */
  deltaOf(event: JsonObject): Delta<Key> | undefined;
  /** Place among those that are held of the half that a delta with this key continues, -1: there is none. */
  find(held: readonly Held<Key>[], key: Key): number;
  /** Whether a delta of one key leaves a half of the other one passed. */
  passes(key: Key, other: Key): boolean;
  /** UTF-16 code units of the names in a key. */
  lengthOf(key: Key): number;
  /** Those that are left when an event has come that has no delta. */
  without(held: readonly Held<Key>[], event: JsonObject): Held<Key>[];
}

/** The delta of an event as a wire of UTF-8 can carry it. */
export interface Joined {
  readonly holder: JsonObject;
  readonly name: string;
  readonly text: string;
}

/** More halves than this are not held: the oldest is lost then. */
export const MOST_HALVES = 256;
/** UTF-16 code units of the names of one half: they could be as long as a message. */
const LONGEST_NAMES = 4096;

/** High surrogate halves at the end of deltas, held until the other half comes or what they belong to ends (docs/transcoding.md §3). */
export class Halves<Key = unknown> {
  private readonly rules: DeltaRules<Key>;
  private held: Held<Key>[] = [];
  /** What will be held when the event in hand goes out; undefined: the same. */
  private next: Held<Key>[] | undefined = undefined;
  /** The event in hand leaves a half without its other half. */
  private loses = false;

  constructor(rules: DeltaRules<Key>) {
    this.rules = rules;
  }

  /** Looks at the next event; nothing changes until `settle`. Returns its delta where it is to go out as another one. */
  look(event: JsonObject): Joined | undefined {
    this.next = undefined;
    this.loses = false;
    const { held, rules } = this;
    const delta = rules.deltaOf(event);
    if (delta === undefined) {
      if (held.length === 0) return undefined;
      const left = rules.without(held, event);
      if (left.length === held.length) return undefined;
      this.next = left;
      this.loses = true;
      return undefined;
    }
    const { holder, name, key } = delta;
    const text = holder[name] as string;
    const endsHigh = isHigh(text.charCodeAt(text.length - 1)) && rules.lengthOf(key) <= LONGEST_NAMES;
    if (!endsHigh && held.length === 0) return undefined;
    const place = rules.find(held, key);
    // An empty delta says nothing of what comes.
    const found = text === "" ? undefined : held[place];
    const next = held
      .filter((one) => one !== found)
      .map((one) => (one !== held[place] && rules.passes(key, one.key) ? { ...one, passed: true } : one));
    if (endsHigh) next.push({ key, half: text.slice(-1), passed: false });
    if (next.length > MOST_HALVES) {
      next.shift();
      this.loses = true;
    }
    this.next = next;
    if (!endsHigh && found === undefined) return undefined;
    return { holder, name, text: (found?.half ?? "") + (endsHigh ? text.slice(0, -1) : text) };
  }

  /** The event that was looked at has gone out; whether it has left a half without its other half. */
  settle(): boolean {
    if (this.next !== undefined) this.held = this.next;
    this.next = undefined;
    return this.loses;
  }

  /** Forgets all; whether there was any. */
  clear(): boolean {
    const found = this.held.length > 0;
    this.held = [];
    this.next = undefined;
    return found;
  }
}

function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}
