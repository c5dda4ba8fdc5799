import { seededRandom } from "./random.js";

/** One AgentUE event as a plain value. */
export interface AgentueEvent {
  op: string;
  seq: number;
  stream_id?: string;
  ts?: number;
  mask?: string;
  event_type?: string;
  model?: Model;
  meta?: Record<string, unknown>;
  block?: Record<string, unknown>;
}

export interface Model {
  version: string;
  biz: string;
  meta: Record<string, unknown>;
  blocks: Record<string, unknown>[];
}

/** What the events of one payload look like. */
export interface FoldShape {
  /** Events, the `start`s included. */
  events: number;
  /** Text blocks of each stream. */
  blocks: number;
  /** Logical streams; 1 is the unnamed one. */
  streams: number;
  /** Share of deltas that hold an escape or a character outside of ASCII. */
  odd: number;
  /** Different skeletons of an append event, drawn anew for each event: 1 to 8. */
  shapes: number;
  /** Share of events that are no text append: status, results, stats, whole blocks, list items. */
  mixed: number;
}

/** Events with the models they lead to; the models are built beside the events, by no contender's code. */
export interface FoldPayload {
  events: AgentueEvent[];
  expected: Map<string, Model>;
}

const WORDS =
  "the and model stream Hello agent world token state build value tool call result answer block quick brown fox jumps over lazy dog with some text about".split(
    " ",
  );
const ODD = [
  '"',
  "\\",
  "\n",
  "\n\n",
  "\t",
  "é",
  "ñandú",
  "中文",
  "日本",
  "😀",
  "→",
  "ü",
  '"quoted"',
  "e\u0301",
  "한국",
];

/** A token-sized delta of 1 to 12 UTF-16 code units. */
export function delta(random: () => number, odd: number): string {
  const text = (random() < 0.7 ? " " : "") + WORDS[Math.floor(random() * WORDS.length)]!;
  if (random() >= odd) return text;
  return (random() < 0.5 ? text.slice(0, 4) : "") + ODD[Math.floor(random() * ODD.length)]!;
}

type Envelope = (seq: number, streamId: string | undefined, id: string, content: string) => AgentueEvent;

function append(eventType: string, stamp = false): Envelope {
  return (seq, streamId, id, content) => ({
    op: "append",
    seq,
    ...(streamId === undefined ? {} : { stream_id: streamId }),
    ...(stamp ? { ts: 1_767_600_000_000 + seq * 7 } : {}),
    mask: "block.content",
    event_type: eventType,
    block: { id, type: "text", content },
  });
}

/** Skeletons of one append event: other names, other members, another order. The first is about 145 bytes of SSE. */
const SHAPES: Envelope[] = [
  append("message.delta"),
  append("reasoning.delta"),
  append("tool.arguments.delta"),
  append("message.part.delta", true),
  append("x.delta"),
  (seq, streamId, id, content) => ({
    seq,
    op: "append",
    mask: "block.content",
    ...(streamId === undefined ? {} : { stream_id: streamId }),
    block: { id, content },
  }),
  (seq, streamId, id, content) => ({
    ...(streamId === undefined ? {} : { stream_id: streamId }),
    op: "append",
    seq,
    block: { content, id, type: "text" },
    mask: "block.content",
    event_type: "summary.delta",
  }),
  append("artifact.delta", true),
];

const TOOL_STATUS = ["pending", "running", "waiting", "completed"];

/** One stream's generator state: its model as it will be, and the next seq. */
interface Lane {
  id: string | undefined;
  seq: number;
  model: Model;
  block: number;
}

/** An event that is no text append, applied to the lane's model by hand. */
function toolEvent(random: () => number, lane: Lane): AgentueEvent {
  lane.seq += 1;
  const { seq, model } = lane;
  const head = { seq, ...(lane.id === undefined ? {} : { stream_id: lane.id }) };
  const number = Math.floor(random() * 4);
  const id = `tool-${number}`;
  const at = model.blocks.findIndex((block) => block.id === id);
  const kind = Math.floor(random() * 5);
  if (at < 0 || kind === 0) {
    const args = { limit: seq % 50, query: delta(random, 0) };
    const block = { id, type: "tool", tool: { name: "search", status: "pending", args }, log: [] };
    // The event keeps its own value: later events change the model's.
    model.blocks[at < 0 ? model.blocks.length : at] = structuredClone(block);
    return { op: "set", ...head, event_type: "tool.start", block };
  }
  const tool = model.blocks[at] as { tool: Record<string, unknown>; log: unknown[] };
  if (kind === 1) {
    const status = TOOL_STATUS[Math.floor(random() * TOOL_STATUS.length)]!;
    tool.tool.status = status;
    return { op: "set", ...head, mask: "block.tool.status", block: { id, tool: { status } } };
  }
  if (kind === 2) {
    const result = { hits: seq % 97, best: delta(random, 0.15), score: 0.8125, exact: false, next: null };
    tool.tool.result = { ...result };
    return { op: "set", ...head, mask: "block.tool.result", block: { id, tool: { result } } };
  }
  if (kind === 3) {
    const entry = { ms: seq % 900, text: delta(random, 0.15) };
    tool.log.push({ ...entry });
    return { op: "append", ...head, mask: "block.log", event_type: "tool.log", block: { id, log: [entry] } };
  }
  const stats = { status: "running", tokens: seq, cost: (seq % 1000) / 8 };
  model.meta.stats = { ...stats };
  return { op: "set", ...head, mask: "meta.stats", meta: { stats } };
}

/**
 * Events of one payload with the models they lead to.
 *
 * @param shape what the events look like
 * @param seed payloads of equal shape differ by it
 */
export function foldPayload(shape: FoldShape, seed: number): FoldPayload {
  const random = seededRandom(seed);
  const events: AgentueEvent[] = [];
  const lanes: Lane[] = [];
  const texts = new Map<Record<string, unknown>, string[]>();
  for (let number = 0; number < shape.streams; number++) {
    const id = shape.streams === 1 ? undefined : `message-${1000 + number}`;
    const blocks = Array.from({ length: shape.blocks }, (_, index) => ({
      id: `answer-${index}`,
      type: "text",
      content: "",
    }));
    const model: Model = { version: "1.1", biz: "chat", meta: { task_id: `task-${number}`, error: null }, blocks };
    lanes.push({ id, seq: 1, model, block: 0 });
    events.push({ op: "start", seq: 1, ...(id === undefined ? {} : { stream_id: id }), model: structuredClone(model) });
    for (const block of blocks) texts.set(block, []);
  }
  const textBlocks = lanes.map((lane) => [...lane.model.blocks]);
  let current = 0;
  while (events.length < shape.events) {
    if (lanes.length > 1 && random() < 0.8) current = Math.floor(random() * lanes.length);
    const lane = lanes[current]!;
    if (shape.mixed > 0 && random() < shape.mixed) {
      events.push(toolEvent(random, lane));
      continue;
    }
    if (shape.blocks > 1 && random() < 0.3) lane.block = Math.floor(random() * shape.blocks);
    const block = textBlocks[current]![lane.block]!;
    const content = delta(random, shape.odd);
    texts.get(block)!.push(content);
    lane.seq += 1;
    const envelope = SHAPES[shape.shapes === 1 ? 0 : Math.floor(random() * shape.shapes)]!;
    events.push(envelope(lane.seq, lane.id, block.id as string, content));
  }
  for (const [block, parts] of texts) block.content = parts.join("");
  return { events, expected: new Map(lanes.map((lane) => [lane.id ?? "", lane.model])) };
}

const encoder = new TextEncoder();

/** Every event as one SSE message in its own buffer, as a producer that flushes each token sends it. */
export function sseMessages(events: AgentueEvent[]): Uint8Array[] {
  return events.map((event) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`));
}

/** Every event as one line of NDJSON in its own buffer. */
export function jsonLines(events: AgentueEvent[]): Uint8Array[] {
  return events.map((event) => encoder.encode(`${JSON.stringify(event)}\n`));
}

/** Every event as one JSON text in its own buffer. */
export function jsonMessages(events: AgentueEvent[]): Uint8Array[] {
  return events.map((event) => encoder.encode(JSON.stringify(event)));
}

/** The same bytes in chunks of `size` bytes, each in its own buffer. */
export function rechunk(messages: Uint8Array[], size: number): Uint8Array[] {
  const bytes = new Uint8Array(messages.reduce((sum, message) => sum + message.length, 0));
  let at = 0;
  for (const message of messages) {
    bytes.set(message, at);
    at += message.length;
  }
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.slice(start, start + size));
  return chunks;
}

/**
 * Events that build a model of about `bytes` bytes of JSON from token-sized deltas, spread over blocks of about 2 KB.
 *
 * @returns the events (a `start` first) with the model they lead to
 */
export function documentPayload(bytes: number, odd: number, seed: number): FoldPayload {
  const blocks = Math.max(2, Math.round(bytes / 2000));
  // A delta is about 5.3 bytes of JSON text; a block's own members take 45.
  const events = Math.max(blocks * 2, Math.round((bytes - blocks * 45) / 5.3));
  return foldPayload({ events, blocks, streams: 1, odd, shapes: 1, mixed: 0 }, seed);
}

/**
 * A stored model of about `bytes` bytes: half text blocks, half tool blocks with arguments, results and logs.
 *
 * @returns the model, its compact JSON as bytes, and nothing shared between two calls
 */
export function storedModel(bytes: number, seed: number): { model: Model; json: Uint8Array } {
  const random = seededRandom(seed);
  const blocks: Record<string, unknown>[] = [];
  const words = (count: number) => Array.from({ length: count }, () => delta(random, 0.15)).join("");
  let size = 0;
  for (let number = 0; size < bytes; number++) {
    const block =
      number % 2 === 0
        ? {
            id: `answer-${number}`,
            type: "text",
            role: "assistant",
            group_id: `turn-${number >> 3}`,
            content: words(160),
          }
        : {
            id: `tool-${number}`,
            type: "tool",
            parent_id: `answer-${number - 1}`,
            tool: {
              name: "search_articles",
              status: "completed",
              args: { query: words(4), limit: number % 50, strict: true },
            },
            result: Array.from({ length: 6 }, (_, hit) => ({
              id: number * 10 + hit,
              title: words(5),
              score: hit / 8,
              tags: ["a", "b"],
              next: null,
            })),
          };
    size += JSON.stringify(block).length;
    blocks.push(block);
  }
  const model: Model = {
    version: "1.1",
    biz: "chat",
    meta: { task_id: "task-1", error: null, stats: { tokens: size } },
    blocks,
  };
  return { model, json: encoder.encode(JSON.stringify(model)) };
}
