import { type AgentueEvent, delta, type Model, sseMessages } from "./fixtures.js";
import { seededRandom } from "./random.js";

/** About what one block of a patched state takes as compact JSON. */
const BLOCK_BYTES = 770;
/** Share of patches that go to meta. */
const META = 0.1;
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Where a patch can go: a block, or meta where `block` is undefined, and the names below it. */
interface Place {
  block: Record<string, unknown> | undefined;
  names: string[];
}

/** Paths of the members of `value` that are `least` to `most` names deep. Lists are ends: a mask cannot go into them. */
function paths(value: Record<string, unknown>, least: number, most: number, above: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, member]) => {
    const path = [...above, name];
    const here = path.length >= least ? [path] : [];
    if (path.length === most || member === null || typeof member !== "object" || Array.isArray(member)) return here;
    return [...here, ...paths(member as Record<string, unknown>, least, most, path)];
  });
}

/**
 * A state of nested blocks, half results of tools and half cards, and patches for it without end: `set` with a mask of one
 * to four names below `block` or `meta`, any existing path with equal chance, the value replaced by one of its kind.
 */
export class PatchedState {
  /** The `start` event that gives the state before the first patch, as a message. */
  readonly start: Uint8Array;
  /** The state after every patch that was handed out; built by no contender's code. */
  readonly model: Model;
  readonly #messages: (events: AgentueEvent[]) => Uint8Array[];
  readonly #random: () => number;
  readonly #inBlocks: Place[];
  readonly #inMeta: Place[];
  #seq = 1;

  /**
   * @param bytes about the length of the state as compact JSON; states of equal `bytes` have equally many blocks
   * @param seed states of equal shape differ by it
   * @param messages writes events as messages of a wire, one buffer each
   */
  constructor(bytes: number, seed: number, messages = sseMessages) {
    this.#messages = messages;
    this.#random = seededRandom(seed);
    const blocks = Array.from({ length: Math.round(bytes / BLOCK_BYTES) }, (_, number) =>
      number % 2 === 0 ? this.#tool(number) : this.#card(number),
    );
    const meta = {
      task_id: "task-1",
      error: null,
      stats: { tokens: 812, cost: 0.125, by_model: { large: 512, small: 300 } },
      ui: { panel: { open: true, width: 320, tab: "sources" }, progress: { done: 3, total: 7, label: "reading" } },
    };
    this.model = { version: "1.1", biz: "chat", meta, blocks };
    this.#inBlocks = blocks.flatMap((block) => paths(block, 2, 4).map((names) => ({ block, names })));
    this.#inMeta = paths({ stats: meta.stats, ui: meta.ui }, 2, 4).map((names) => ({ block: undefined, names }));
    this.start = messages([{ op: "start", seq: 1, model: this.model }])[0]!;
  }

  /** The next `count` patches, each a message in its own buffer. */
  next(count: number): Uint8Array[] {
    return Array.from({ length: count }, () =>
      this.#patch(this.#pick(this.#random() < META ? this.#inMeta : this.#inBlocks)),
    );
  }

  /** One patch for every block, in random order. */
  touch(): Uint8Array[] {
    const left = [...this.model.blocks];
    const chunks: Uint8Array[] = [];
    while (left.length > 0) {
      const block = left.splice(Math.floor(this.#random() * left.length), 1)[0]!;
      chunks.push(this.#patch({ block, names: this.#pick(paths(block, 2, 4)) }));
    }
    return chunks;
  }

  #patch({ block, names }: Place): Uint8Array {
    const parents = names.slice(0, -1);
    const last = names.at(-1)!;
    const target = parents.reduce(
      (value, name) => value[name] as Record<string, unknown>,
      block === undefined ? this.model.meta : block,
    );
    const value = this.#alike(target[last]);
    target[last] = value;
    const payload = names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
    this.#seq += 1;
    const head = { op: "set", seq: this.#seq };
    const mask = `${block === undefined ? "meta" : "block"}.${names.join(".")}`;
    const event: AgentueEvent =
      block === undefined
        ? { ...head, mask, event_type: "state.patch", meta: payload }
        : { ...head, mask, event_type: "state.patch", block: { id: block.id, ...payload } };
    return this.#messages([event])[0]!;
  }

  #pick<T>(list: T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  #words(count: number): string {
    return Array.from({ length: count }, () => delta(this.#random, 0.15)).join("");
  }

  /** A text of so many UTF-16 code units: states that are patched for long must not grow. */
  #text(length: number): string {
    let text = "";
    for (;;) {
      const word = delta(this.#random, 0.15);
      if (text.length + word.length > length) break;
      text += word;
    }
    while (text.length < length) text += LETTERS[Math.floor(this.#random() * LETTERS.length)]!;
    return text;
  }

  /** Another value of the same kind; texts keep their length, lists and objects their shape. */
  #alike(value: unknown): unknown {
    if (typeof value === "string") return this.#text(value.length);
    if (typeof value === "number") return Math.floor(this.#random() * 8000) / (Number.isInteger(value) ? 1 : 8);
    if (typeof value === "boolean") return this.#random() < 0.5;
    if (value === null) return null;
    if (Array.isArray(value)) return value.map((item) => this.#alike(item));
    return Object.fromEntries(Object.entries(value as object).map(([name, item]) => [name, this.#alike(item)]));
  }

  #tool(number: number): Record<string, unknown> {
    return {
      id: `tool-${number}`,
      type: "tool",
      tool: {
        name: "search_articles",
        status: "completed",
        args: { query: this.#words(4), limit: 50, strict: true, range: { from: 1990, to: 2026 } },
        usage: { input: 812, output: 96, cost: 0.125 },
      },
      result: {
        summary: this.#words(12),
        total: 97,
        items: Array.from({ length: 4 }, (_, hit) => ({
          id: number * 10 + hit,
          title: this.#words(4),
          score: hit / 8 + 0.5,
          tags: ["new", "short"],
          next: null,
        })),
        source: { name: "articles", fresh: false, license: { name: this.#words(2), year: 2024 } },
      },
    };
  }

  #card(number: number): Record<string, unknown> {
    return {
      id: `card-${number}`,
      type: "card",
      title: this.#words(4),
      content: this.#words(40),
      view: {
        layout: { columns: 3, width: 640, dense: false },
        theme: { name: "plain", colors: { text: "black", ground: "white" } },
        rows: Array.from({ length: 4 }, (_, row) => ({ key: `row-${row}`, value: this.#words(3), marked: false })),
      },
      state: { selected: 2, open: true, note: null, filter: { field: "title", value: this.#words(1), limit: 20 } },
    };
  }
}
