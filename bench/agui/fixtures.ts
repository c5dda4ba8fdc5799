import { delta } from "../fixtures.js";
import { seededRandom } from "../random.js";

/** One AG-UI event as a plain value. */
export type AguiEvent = { type: string } & Record<string, unknown>;

/** What a fold of AG-UI events comes to, as far as it is compared. */
export interface AguiModel {
  messages: Record<string, unknown>[];
  state: unknown;
}

const encoder = new TextEncoder();

/** @returns the events as server-sent events, one buffer each */
export function sseBytes(events: readonly AguiEvent[]): Uint8Array[] {
  return events.map((event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
}

export interface TextRun {
  events: AguiEvent[];
  expected: AguiModel;
}

/**
 * One run of text messages that grow side by side.
 *
 * @param messages how many are open at once
 * @param odd share of deltas that hold an escape or a character outside of ASCII
 */
export function textRun(events: number, messages: number, odd: number, seed: number): TextRun {
  const random = seededRandom(seed);
  const ids = Array.from({ length: messages }, (_, index) => `msg_${seed}_${index}`);
  const texts = ids.map((): string[] => []);
  const run = { threadId: "thread_1", runId: `run_${seed}` };
  const list: AguiEvent[] = [{ type: "RUN_STARTED", ...run }];
  for (const messageId of ids) list.push({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  let at = 0;
  while (list.length < events - messages - 1) {
    if (messages > 1 && random() < 0.3) at = Math.floor(random() * messages);
    const text = delta(random, odd);
    texts[at]!.push(text);
    list.push({ type: "TEXT_MESSAGE_CONTENT", messageId: ids[at]!, delta: text });
  }
  for (const messageId of ids) list.push({ type: "TEXT_MESSAGE_END", messageId });
  list.push({ type: "RUN_FINISHED", ...run });
  return {
    events: list,
    expected: {
      messages: ids.map((id, index) => ({ id, role: "assistant", content: texts[index]!.join("") })),
      state: {},
    },
  };
}

type Json = Record<string, unknown>;

function leafObject(random: () => number, id: number): Json {
  return {
    id: `item-${id}`,
    title: Array.from({ length: 4 }, () => delta(random, 0.1)).join(""),
    done: random() < 0.5,
    count: Math.floor(random() * 10_000),
    score: Math.floor(random() * 1e6) / 1e4,
    tags: Array.from({ length: 3 }, () => delta(random, 0).trim()),
    owner: { name: `user ${Math.floor(random() * 500)}`, active: random() < 0.9, quota: null },
  };
}

/** A state of about `bytes` bytes of JSON: sections of items, and some settings beside them. */
export function stateOf(bytes: number, seed: number): Json {
  const random = seededRandom(seed);
  const perItem = 215;
  const items = Math.max(4, Math.round(bytes / perItem));
  const perSection = Math.max(4, Math.round(Math.sqrt(items) * 1.5));
  const sections: Json = {};
  for (let first = 0, section = 0; first < items; first += perSection, section++) {
    const list = Array.from({ length: Math.min(perSection, items - first) }, (_, index) =>
      leafObject(random, first + index),
    );
    sections[`section ${section}`] = { title: `Section ${section}`, open: section % 2 === 0, items: list };
  }
  return { version: 3, settings: { theme: "dark", language: "de", limit: 50 }, sections };
}

const FIELDS = ["title", "done", "count", "score"] as const;

export interface Operation {
  op: "replace";
  path: string;
  value: unknown;
}

/** Paths of a state's items, and operations on them. */
export class Patches {
  readonly #paths: string[] = [];
  readonly #hot: number;
  readonly #random: () => number;
  readonly #skew: boolean;

  /** @param skew 90 % of the operations go to 1 % of the items */
  constructor(state: Json, seed: number, skew: boolean) {
    const sections = state.sections as Record<string, { items: unknown[] }>;
    for (const [name, { items }] of Object.entries(sections)) {
      for (let index = 0; index < items.length; index++) this.#paths.push(`/sections/${name}/items/${index}`);
    }
    this.#random = seededRandom(seed);
    this.#skew = skew;
    this.#hot = Math.max(1, Math.floor(this.#paths.length / 100));
  }

  next(): Operation {
    const random = this.#random;
    const among = this.#skew && random() < 0.9 ? this.#hot : this.#paths.length;
    const path = this.#paths[Math.floor(random() * among)]!;
    const field = FIELDS[Math.floor(random() * FIELDS.length)]!;
    const value =
      field === "title"
        ? `${delta(random, 0.1)} ${delta(random, 0)}`
        : field === "done"
          ? random() < 0.5
          : Math.floor(random() * 100_000);
    return { op: "replace", path: `${path}/${field}`, value };
  }
}

/** A STATE_DELTA of one operation as JSON bytes. */
export function deltaBytes(operation: Operation): Uint8Array {
  return encoder.encode(JSON.stringify({ type: "STATE_DELTA", delta: [operation] }));
}

/** Sets a value by hand, for the expected answer. */
export function setByHand(state: unknown, { path, value }: Operation): void {
  const steps = path.split("/").slice(1);
  let at = state as Json;
  for (const step of steps.slice(0, -1)) at = at[step] as Json;
  at[steps.at(-1)!] = value;
}
