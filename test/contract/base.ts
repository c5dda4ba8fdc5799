import type { ErrorCode } from "../../src/errors.js";
import type { Options } from "../support/fold.js";
import { type Call, type Case, canonicalOf, type ExpectedError, type ExpectedStream, eventText } from "./runner.js";

type Json = Record<string, unknown>;

/** The model most cases begin with: a text, a list, a nested tool, odd values and a reference. */
export const MODEL = {
  version: "1.1",
  biz: "chat",
  meta: { task_id: "task", nothing: null, count: 1, open: { deep: { x: 1 } } },
  blocks: [
    { id: "a", type: "text", content: "Hello" },
    { id: "list", type: "list", items: [1] },
    { id: "tool", type: "tool", tool: { status: "run", args: { q: 1 } }, empty: null, n: 5 },
    { id: "r", ref: "key" },
  ],
};

/** `start` with seq 1 for the model above or another one. */
export function start(model: unknown = MODEL, more: Json = {}): Json {
  return { op: "start", seq: 1, ...more, model };
}

/** A model of version 1.1 with empty meta. */
export function modelOf(...blocks: unknown[]): Json {
  return { version: "1.1", biz: "chat", meta: {}, blocks };
}

export function append(seq: number, id: string, delta: unknown, more: Json = {}): Json {
  return { op: "append", seq, ...more, mask: "block.content", block: { id, content: delta } };
}

export function set(seq: number, block: Json, more: Json = {}): Json {
  return { op: "set", seq, ...more, block };
}

export function setBlock(seq: number, mask: string, block: Json, more: Json = {}): Json {
  return { op: "set", seq, ...more, mask, block };
}

export function setMeta(seq: number, mask: string, meta: Json, more: Json = {}): Json {
  return { op: "set", seq, ...more, mask, meta };
}

export function failure(seq: number, error: unknown, more: Json = {}): Json {
  return { op: "error", seq, ...more, mask: "meta.error", meta: { error } };
}

export function ping(seq: number, more: Json = {}): Json {
  return { op: "ping", seq, ...more };
}

export function end(seq: number, more: Json = {}): Json {
  return { op: "end", seq, ...more };
}

/** The standard model with one block replaced or appended, and other members of meta. */
export function modelWith(change: { block?: Json; meta?: Json }): Json {
  const { block } = change;
  const known = MODEL.blocks.some((one) => one.id === block?.id);
  const blocks =
    block === undefined
      ? MODEL.blocks
      : known
        ? MODEL.blocks.map((one) => (one.id === block.id ? block : one))
        : [...MODEL.blocks, block];
  return { ...MODEL, meta: { ...MODEL.meta, ...change.meta }, blocks };
}

export interface RefusalOptions {
  options?: Options;
  /** Status of the stream afterwards under "refuse-stream". Default "refused". */
  status?: ExpectedStream["status"];
  /** Events between the standard `start` and the refused one; they must be accepted. */
  after?: readonly (string | Json)[];
  seq?: number;
  model?: unknown;
}

/**
 * Two cases for one refused event after the standard `start`: refused with the stream, and skipped alone; a `ping` that
 * follows is dropped in the first and accepted in the second.
 */
export function refusal(
  name: string,
  event: string | Json,
  code: ErrorCode,
  path?: string,
  more: RefusalOptions = {},
): Case[] {
  const after = more.after ?? [];
  const error: ExpectedError = {
    code,
    streamId: "",
    eventIndex: 1 + after.length,
    ...(path === undefined ? {} : { path }),
  };
  const status = more.status ?? "refused";
  const rest = { seq: more.seq ?? 1 + after.length, version: 1 + after.length, model: more.model ?? MODEL };
  const steps = [start(), ...after, event, ping(rest.seq)];
  const common = { steps, errors: [error] };
  const goesOn = status !== "refused";
  return [
    {
      name,
      ...common,
      ...(more.options ? { options: more.options } : {}),
      applied: 1 + after.length + (goesOn ? 1 : 0),
      streams: [{ status, ...rest }],
    },
    {
      name: `${name} (skip-event)`,
      ...common,
      options: { ...more.options, onViolation: "skip-event" },
      applied: 2 + after.length,
      streams: [{ status: goesOn ? status : "open", ...rest }],
    },
  ];
}

/** One accepted event after the standard `start`; what it changes is stated as the block and the meta members afterwards. */
export function acceptance(
  name: string,
  event: string | Json,
  change: { block?: Json; meta?: Json; model?: unknown },
  more: { options?: Options; status?: ExpectedStream["status"]; seq?: number } = {},
): Case {
  return {
    name,
    steps: [start(), event],
    ...(more.options ? { options: more.options } : {}),
    applied: 2,
    streams: [
      { status: more.status ?? "open", seq: more.seq ?? 2, version: 2, model: change.model ?? modelWith(change) },
    ],
  };
}

/** A refused first `start`: nothing is created. */
export function refusedStart(name: string, model: unknown, code: ErrorCode, path: string, options?: Options): Case {
  const event = typeof model === "string" ? `{"op":"start","seq":1,"model":${model}}` : eventText(start(model));
  return {
    name,
    ...(options ? { options } : {}),
    steps: [event],
    applied: 0,
    errors: [{ code, path, streamId: "", eventIndex: 0 }],
    streams: [],
  };
}

/** An accepted first `start`. */
export function acceptedStart(name: string, model: unknown, options?: Options): Case {
  const json = typeof model === "string" ? model : JSON.stringify(model);
  return {
    name,
    ...(options ? { options } : {}),
    steps: [`{"op":"start","seq":1,"model":${json}}`],
    applied: 1,
    streams: [{ status: "open", seq: 1, version: 1, model: canonicalOf(json) }],
  };
}

export function call(name: string, run: Call["run"]): Call {
  return { call: name, run };
}
