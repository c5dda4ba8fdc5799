import type { Transport } from "../../src/engine/contract.js";
import { latin1, latin1Of } from "../support/bytes.js";
import type { Options } from "../support/fold.js";
import type { Rng } from "../support/rng.js";
import { randomSpelling, sseEvent } from "../support/sse.js";
import type { Action, Script } from "./script.js";

const STREAM_IDS = [
  "",
  "",
  "s",
  "s2",
  "__proto__",
  "constructor",
  "é",
  "😀",
  "\ud83d",
  'q"\\',
  "\u0000",
  "1",
  "data: x",
];
const BLOCK_IDS = [
  "a",
  "b",
  "c",
  "__proto__",
  "constructor",
  'q"',
  "\\",
  "é中",
  "\ud83d",
  "0",
  "long-identifier-of-a-block-with-more-than-sixteen-bytes",
];
const FIELDS = [
  "content",
  "content",
  "content",
  "items",
  "note",
  "x",
  "__proto__",
  "é",
  "0",
  'a"b',
  "parent_id",
  "type",
  "block_id",
  "status",
];
const TEXTS = [
  "",
  "x",
  " hello",
  "é",
  "中文",
  "😀",
  '"',
  "\\",
  "\n",
  "\ud83d",
  "\ude00",
  "\u0000",
  "a longer piece of text with more than sixteen bytes",
  "/",
  "\u2028",
  "</script>",
];
const NUMBERS = [
  "0",
  "-0",
  "1",
  "12",
  "1.0",
  "1.50",
  "1e2",
  "1E-7",
  "9007199254740993",
  "-9007199254740993",
  "1e400",
  "1e-400",
  "0.1",
  "123456789.123456789",
  "4503599627370496.25",
  `${"9".repeat(60)}`,
];

interface StreamPlan {
  seq: number;
  ids: string[];
}

/** What a session may hold, so that most of what is generated is valid. */
export class Generator {
  readonly #rng: Rng;
  readonly #streams = new Map<string, StreamPlan>();
  readonly #ids: string[];
  /** Compact numbers: sizes are the same however an engine spells the model. */
  readonly #plain: boolean;
  /** No repeated members: open values may keep them until they are touched, and then they count for size and depth. */
  readonly #unique: boolean;
  readonly #mutations: number;

  constructor(rng: Rng, plain: boolean, unique: boolean, mutations: number) {
    this.#rng = rng;
    this.#plain = plain;
    this.#unique = unique;
    this.#mutations = mutations;
    this.#ids = Array.from({ length: rng.between(1, 3) }, () => rng.pick(STREAM_IDS));
  }

  streamId(): string {
    return this.#rng.chance(0.03) ? this.#rng.pick(STREAM_IDS) : this.#rng.pick(this.#ids);
  }

  /** JSON text of one event. */
  event(): string {
    const rng = this.#rng;
    const streamId = this.streamId();
    const plan = this.#streams.get(streamId);
    const op =
      plan === undefined
        ? rng.chance(0.9)
          ? "start"
          : rng.pick(["set", "append", "ping", "end", "error"])
        : this.#op();
    const members: [string, string][] = [
      ["op", this.string(op)],
      ["seq", this.#seq(op, plan)],
    ];
    if (streamId !== "" || rng.chance(0.1)) members.push(["stream_id", this.string(streamId)]);
    if (rng.chance(0.2)) members.push(["ts", this.#integer(rng.int(1e6))]);
    if (rng.chance(0.2)) members.push(["event_type", this.string(rng.pick(TEXTS))]);
    this.#payload(op, streamId, members);
    return this.#object(this.#mutate(rng.chance(0.15) ? rng.shuffle(members) : members));
  }

  #op(): string {
    return this.#rng.pick(
      ["append", "append", "append", "append", "append", "set", "set", "set", "ping", "error", "start", "end"].slice(
        0,
        this.#rng.chance(0.15) ? 12 : 9,
      ),
    );
  }

  #seq(op: string, plan: StreamPlan | undefined): string {
    const rng = this.#rng;
    const last = plan?.seq ?? 0;
    let seq = op === "ping" ? last : last + 1;
    if (rng.chance(0.06)) seq = last + rng.between(-2, 3);
    if (seq < 0) seq = 0;
    if (plan !== undefined && seq > plan.seq && op !== "ping") plan.seq = seq;
    return this.#integer(seq);
  }

  #integer(value: number): string {
    if (this.#plain || this.#rng.chance(0.95)) return `${value}`;
    return this.#rng.pick([`${value}.0`, `${value}e0`, `${value}0e-1`, `${value}.000`]);
  }

  #payload(op: string, streamId: string, members: [string, string][]): void {
    const rng = this.#rng;
    const ids = this.#streams.get(streamId)?.ids ?? BLOCK_IDS;
    const id = rng.chance(0.85) && ids.length > 0 ? rng.pick(ids) : rng.pick(BLOCK_IDS);
    if (op === "start") members.push(["model", this.model(streamId)]);
    else if (op === "error")
      members.push(["mask", this.string("meta.error")], ["meta", this.#object([["error", this.#error()]])]);
    else if (op === "append") {
      const field = rng.pick(FIELDS);
      const value = rng.chance(0.85) && field !== "items" ? this.string(this.#textFor(field)) : this.#array();
      const block: [string, string][] = [
        ["id", this.string(id)],
        [field, value],
      ];
      if (rng.chance(0.3) && field !== "type") block.push(["type", this.string("text")]);
      this.#learn(streamId, id);
      members.push(["mask", this.string(`block.${field}`)], ["block", this.#object(this.#mutate(block))]);
    } else if (op === "set") {
      const kind = rng.int(3);
      if (kind === 0) {
        this.#learn(streamId, id);
        members.push(["block", this.block(id)]);
      } else {
        const path = [rng.pick(kind === 1 ? FIELDS : ["task_id", "stats", "x", "error", "trace_id", "é", "__proto__"])];
        while (rng.chance(0.3)) path.push(rng.pick(["x", "y", "ref", "0", "id"]));
        let value = path.length === 1 && rng.chance(0.5) ? this.string(this.#textFor(path[0]!)) : this.value(2);
        for (const step of [...path].reverse()) value = this.#object(this.#mutate([[step, value]]));
        const inner = value.slice(value.indexOf("{") + 1, value.lastIndexOf("}"));
        if (kind === 1)
          members.push(
            ["mask", this.string(`block.${path.join(".")}`)],
            ["block", `{"id":${this.string(id)},${inner}}`.replace(/,\s*}$/, "}")],
          );
        else members.push(["mask", this.string(`meta.${path.join(".")}`)], ["meta", value]);
      }
    }
  }

  /** Text for a field; what makes a storage frame of a block comes up now and then. */
  #textFor(field: string): string {
    const rng = this.#rng;
    if (field === "type" && rng.chance(0.6)) return rng.pick(["frame", "fra", "me"]);
    if (field === "block_id" && rng.chance(0.8)) return rng.pick(BLOCK_IDS);
    return rng.pick(TEXTS) + (rng.chance(0.3) ? rng.pick(TEXTS) : "");
  }

  #learn(streamId: string, id: string): void {
    const plan = this.#streams.get(streamId);
    if (plan !== undefined && !plan.ids.includes(id)) plan.ids.push(id);
  }

  /** JSON text of a model; what it holds is remembered for the stream. */
  model(streamId: string): string {
    const rng = this.#rng;
    const ids = rng.shuffle(BLOCK_IDS).slice(0, rng.int(5));
    if (rng.chance(0.03) && ids.length > 0) ids.push(ids[0] as string);
    const known = this.#streams.get(streamId);
    this.#streams.set(streamId, { seq: known?.seq ?? 1, ids: [...ids] });
    const meta: [string, string][] = [];
    if (rng.chance(0.3)) meta.push(["task_id", rng.chance(0.5) ? "null" : this.string("task")]);
    if (rng.chance(0.2)) meta.push(["stats", rng.chance(0.5) ? "null" : this.#object([["n", this.number()]])]);
    if (rng.chance(0.2)) meta.push(["error", rng.chance(0.5) ? "null" : this.#error()]);
    if (rng.chance(0.3)) meta.push([rng.pick(["x", "__proto__", "é"]), this.value(2)]);
    const members: [string, string][] = [
      ["version", this.string(rng.chance(0.9) ? "1.1" : "1.0")],
      ["biz", this.string("chat")],
      ["meta", this.#object(this.#mutate(meta))],
      ["blocks", `[${ids.map((id) => this.block(id)).join(",")}]`],
    ];
    if (rng.chance(0.1)) members.push(["extra", this.value(2)]);
    return this.#object(this.#mutate(members));
  }

  /** JSON text of a block, now and then a reference. */
  block(id: string): string {
    const rng = this.#rng;
    if (rng.chance(0.15))
      return this.#object(
        this.#mutate([
          ["id", this.string(id)],
          ["ref", this.string(rng.pick(["k", "é", '"']))],
        ]),
      );
    const type = rng.pick(["text", "tool", "é", "frame", "frame", "fra"]);
    const members: [string, string][] = [
      ["id", this.string(id)],
      ["type", this.string(type)],
    ];
    if (rng.chance(type === "frame" ? 0.9 : 0.1)) members.push(["block_id", this.string(rng.pick(BLOCK_IDS))]);
    if (rng.chance(0.7)) members.push(["content", this.string(rng.pick(TEXTS))]);
    if (rng.chance(0.3)) members.push(["items", this.#array()]);
    if (rng.chance(0.2))
      members.push([rng.pick(["parent_id", "group_id"]), rng.chance(0.5) ? "null" : this.string("p")]);
    if (rng.chance(0.4)) members.push([rng.pick(["x", "note", "__proto__", "0", "é"]), this.value(2)]);
    return this.#object(this.#mutate(members));
  }

  #error(): string {
    const members: [string, string][] = [
      ["code", this.string("c")],
      ["message", this.string(this.#rng.pick(TEXTS))],
    ];
    if (this.#rng.chance(0.3))
      members.push([this.#rng.pick(["detail", "trace_id", "x"]), this.#rng.chance(0.5) ? "null" : this.string("d")]);
    return this.#object(this.#mutate(members));
  }

  #array(): string {
    return `[${Array.from({ length: this.#rng.int(4) }, () => this.value(2)).join(this.#rng.chance(0.1) ? " , " : ",")}]`;
  }

  value(depth: number): string {
    const rng = this.#rng;
    const kind = rng.int(depth > 0 ? 7 : 5);
    if (kind === 0) return "null";
    if (kind === 1) return rng.pick(["true", "false"]);
    if (kind === 2) return this.number();
    if (kind <= 4) return this.string(rng.pick(TEXTS));
    if (kind === 5) return `[${Array.from({ length: rng.int(4) }, () => this.value(depth - 1)).join(",")}]`;
    return this.#object(
      Array.from({ length: rng.int(4) }, () => [
        rng.pick(["x", "y", "z", "0", "10", "__proto__", "é", "a/b~c"]),
        this.value(depth - 1),
      ]),
    );
  }

  number(): string {
    return this.#plain ? `${this.#rng.int(1000)}` : this.#rng.pick(NUMBERS);
  }

  /** A string in one of its spellings. */
  string(value: string): string {
    const json = JSON.stringify(value);
    if (!this.#rng.chance(0.05)) return json;
    return json.replace(/\\.|[^"\\]/g, (c) => {
      if (c.length > 1 || !this.#rng.chance(0.3)) return c;
      if (c === "/") return "\\/";
      const hex = c.charCodeAt(0).toString(16).padStart(4, "0");
      return `\\u${this.#rng.chance(0.5) ? hex : hex.toUpperCase()}`;
    });
  }

  #object(members: readonly [string, string][]): string {
    const rng = this.#rng;
    const unique = this.#unique
      ? members.filter(([name], i) => members.findIndex(([other]) => other === name) === i)
      : members;
    const space = rng.chance(0.04) ? rng.pick([" ", "\t", "  ", " \t"]) : "";
    return `{${space}${unique.map(([name, value]) => `${this.string(name)}${space}:${space}${value}`).join(`${space},${space}`)}${space}}`;
  }

  /** With a small probability one member is dropped, retyped, repeated, renamed, moved, or one is added. */
  #mutate(members: [string, string][]): [string, string][] {
    const rng = this.#rng;
    if (!rng.chance(this.#mutations)) return members;
    const out = members.map(([name, value]): [string, string] => [name, value]);
    const at = rng.int(out.length + 1);
    const member = out[at];
    switch (rng.int(6)) {
      case 0:
        out.splice(at, 1);
        break;
      case 1:
        if (member !== undefined) member[1] = this.value(1);
        break;
      case 2:
        if (member !== undefined)
          out.splice(rng.int(out.length + 1), 0, [member[0], rng.chance(0.5) ? member[1] : this.value(1)]);
        break;
      case 3:
        if (member !== undefined) member[0] = rng.pick(["op", "seq", "id", "ref", "type", "mask", "bogus", "a/b~c"]);
        break;
      case 4:
        return rng.shuffle(out);
      default:
        out.splice(at, 0, [
          rng.pick(["bogus", "ref", "id", "model", "meta", "block", "mask", "parent_id", "x"]),
          this.value(1),
        ]);
    }
    return out;
  }
}

/** How the events of a session become messages of a wire that is no text. */
export interface Wire {
  transport: Transport;
  /** The message of an event, one code unit a byte; undefined when it has none. `once`: no name may be repeated, since limits count it. */
  spell(rng: Rng, json: string, once: boolean): string | undefined;
  /** Bytes of a message with something wrong. */
  damage(rng: Rng, bytes: string): string;
}

/** A whole session: options, messages in every spelling, and calls between them; over text, when no other wire is given. */
export function generate(rng: Rng, wire?: Wire): Script {
  const transport: Transport = wire?.transport ?? rng.pick(["sse", "sse", "ndjson", "json"]);
  let broken = rng.chance(wire === undefined ? 0.4 : 0.7) ? 0.05 : 0;
  const plain = broken === 0 && rng.chance(0.4);
  const options = randomOptions(rng, plain);
  const { depth, queuedBytes } = options.limits ?? {};
  // A repeated name in a queued binary message counts once in one engine, and as often as it stands there in the other.
  const counted = wire !== undefined && queuedBytes !== undefined;
  if (counted) broken = 0;
  const once = plain || depth !== undefined || counted;
  const generator = new Generator(rng, plain, once, rng.chance(0.5) ? 0.03 : 0);
  const calls = rng.chance(0.6) ? 0.15 : 0;
  const actions: Action[] = [];
  const past: string[] = [];
  const count = rng.between(3, 40);
  for (let i = 0; i < count; i++) {
    if (rng.chance(calls)) {
      const call = randomCall(rng, generator);
      // A checkpoint holds queued messages compactly, so that more of them fit afterwards.
      if (call.do !== "migrate" || queuedBytes === undefined) actions.push(call);
    }
    const json = past.length > 0 && rng.chance(0.04) ? rng.pick(past) : generator.event();
    past.push(json);
    if (rng.chance(calls * 0.2)) {
      actions.push({ do: "apply", json, as: rng.chance(0.5) && isJson(json) ? "object" : "text" });
      continue;
    }
    let bytes = wire === undefined ? spell(rng, json, transport) : wire.spell(rng, json, once);
    if (bytes === undefined) continue;
    if (rng.chance(broken)) bytes = (wire?.damage ?? damage)(rng, bytes);
    actions.push({ do: "bytes", bytes, cuts: transport === "json" ? [] : randomCuts(rng, bytes.length) });
  }
  actions.push({ do: "finish" });
  return { transport, options, listen: rng.chance(0.5), actions };
}

function isJson(json: string): boolean {
  try {
    JSON.parse(json);
    return !/\d{16}|[eE.]|-0/.test(json);
  } catch {
    return false;
  }
}

function spell(rng: Rng, json: string, transport: Transport): string {
  if (transport === "sse") return latin1Of((rng.chance(0.01) ? "\ufeff" : "") + sseEvent(json, randomSpelling(rng)));
  if (transport === "json") return latin1Of(rng.chance(0.1) ? ` ${json}\n` : json);
  return latin1Of(json + rng.pick(["\n", "\n", "\r\n", " \n", "\n\n"]));
}

function damage(rng: Rng, bytes: string): string {
  const list = [...latin1(bytes)];
  for (let times = rng.between(1, 2); times > 0 && list.length > 0; times--) {
    const at = rng.int(list.length);
    const byte = rng.chance(0.7)
      ? rng.pick(
          [...'"\\{}[],:.0-eu \n\r\t'].map((c) => c.charCodeAt(0)).concat([0, 0x80, 0xc3, 0xe2, 0xf0, 0xff, 0xed]),
        )
      : rng.int(256);
    const way = rng.int(4);
    if (way < 2) list[at] = byte;
    else if (way === 2) list.splice(at, 0, byte);
    else list.splice(at, rng.between(1, 3));
  }
  return String.fromCharCode(...list);
}

function randomCuts(rng: Rng, length: number): number[] {
  const cuts: number[] = [];
  while (rng.chance(0.4)) cuts.push(rng.int(length + 1));
  return cuts.sort((a, b) => a - b);
}

function randomCall(rng: Rng, generator: Generator): Action {
  const streamId = generator.streamId();
  const kind = rng.int(20);
  if (kind < 3) return { do: "pause", streamId };
  if (kind < 6) return { do: "resume", streamId, skip: rng.chance(0.3) };
  if (kind < 8) {
    const id = rng.pick(BLOCK_IDS);
    return { do: "materialize", json: generator.block(id), streamId, id: rng.pick(["", id, id, "other"]) };
  }
  if (kind < 9)
    return { do: "load", json: generator.model(streamId), seq: rng.chance(0.5) ? rng.int(5) : undefined, streamId };
  if (kind < 13) return { do: "changes", streamId, since: rng.chance(0.2) ? undefined : rng.int(12) };
  if (kind < 16) return { do: "migrate", step: rng.int(3) };
  if (kind < 17) return { do: "release", streamId };
  if (kind < 18) return { do: "reconnect" };
  if (kind < 19) return { do: rng.chance(0.2) ? "reset" : "finish" };
  return { do: "snapshot", streamId };
}

function randomOptions(rng: Rng, plain: boolean): Options {
  const limits: Record<string, number> = {};
  const maybe = (name: string, from: number, to: number): void => {
    if (rng.chance(0.12)) limits[name] = rng.between(from, to);
  };
  maybe("messageBytes", 60, 800);
  maybe("depth", 5, 10);
  maybe("numberLength", 2, 20);
  maybe("blocks", 1, 6);
  if (plain) maybe("modelBytes", 60, 800);
  maybe("streams", 1, 2);
  maybe("queuedBytes", 100, 500);
  maybe("reports", 1, 4);
  return {
    sequence: rng.pick(["dedupe", "dedupe", "strict", "off"]),
    onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"]),
    unresolved: rng.pick(["error", "pause", "pause"]),
    frames: rng.pick(["keep", "guard"]),
    utf8: rng.pick(["fatal", "fatal", "replace"]),
    undecodable: rng.pick(["fail", "skip", "skip"]),
    unterminatedTail: rng.pick(["use", "use", "discard"]),
    ...(rng.chance(0.15) ? { keepEnded: rng.int(3) } : {}),
    limits,
  };
}
