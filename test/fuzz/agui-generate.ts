import type { JsonPatchOperation } from "../../src/engine/contract.js";
import type { AguiEvent } from "../support/agui-events.js";
import { parentAndToken, pointersOf, randomValue, referencePatch } from "../support/json-values.js";
import type { Rng } from "../support/rng.js";

const IDS = ["a", "b", "c", "d", "", "__proto__", "é中", 'q"\\', "\ud83d", "an identifier of more than sixteen bytes"];
const TAGS = ["s", "z", "", "constructor"];
const NAMES = ["f", "search", "", "__proto__"];
const TEXTS = [
  "",
  "x",
  " hello",
  "é",
  "中文",
  "😀",
  '"\\\n',
  "\ud83d",
  "\ude00",
  "\u0000",
  "a longer piece of text",
  "{",
];
const ARGS = ["{", '"a":', "1", "}", '"é"', ",", "[", "tru"];
const ROLES = ["assistant", "user", "system", "developer"];

type Json = Record<string, unknown>;
type Kind = "text" | "tool" | "thought" | "span";
type Space = "text" | "tool" | "thought" | "activity" | "result";

interface Open {
  id: string;
  tag: string | undefined;
}

export interface Tuning {
  /** Ids that are no usual strings, and tags of them. Default true. */
  odd?: boolean;
  /** Ids that say what they name, so that no two things of different kinds have one. Default false. */
  apart?: boolean;
  /** Probability that an event has something wrong. */
  mutations: number;
}

/** What a stream has said so far, so that most of what is generated is valid. */
export class AguiGenerator {
  readonly #rng: Rng;
  readonly #ids: readonly string[];
  readonly #tags: readonly string[];
  readonly #mutations: number;
  readonly #apart: boolean;
  #running = false;
  #runs = 0;
  #open: Record<Kind, Open[]> = { text: [], tool: [], thought: [], span: [] };
  #calls: string[] = [];
  #steps: { name: string; tag: string | undefined }[] = [];
  #subagents: string[] = [];
  #finished = new Set<string>();
  #owners = new Map<string, string | undefined>();
  #state: unknown = {};
  #activities = new Map<string, unknown>();
  #thinking = { span: false, message: false };
  #queue: AguiEvent[] = [];

  constructor(rng: Rng, { odd = true, apart = false, mutations }: Tuning) {
    this.#rng = rng;
    this.#ids = odd ? IDS : IDS.slice(0, 4);
    this.#tags = odd ? TAGS : TAGS.slice(0, 2);
    this.#mutations = mutations;
    this.#apart = apart;
  }

  /** The ids of one kind of thing. */
  #idsOf(space: Space): readonly string[] {
    return this.#apart ? this.#ids.map((id) => `${space} ${id}`) : this.#ids;
  }

  #id(space: Space): string {
    return this.#rng.pick(this.#idsOf(space));
  }

  /** The next event, now and then with something wrong. */
  event(): AguiEvent {
    const event = this.#queue.shift() ?? this.#next();
    return this.#rng.chance(this.#mutations) ? this.#mutate(event) : this.#decorate(event);
  }

  /** A stored model, now and then with something wrong. */
  model(): unknown {
    const rng = this.#rng;
    const model = { messages: this.#messageList(3), ...(rng.chance(0.7) ? { state: randomValue(rng, 2) } : {}) };
    return rng.chance(0.15) ? inside(rng, model) : model;
  }

  #next(): AguiEvent {
    const rng = this.#rng;
    if (!this.#running) {
      if (this.#runs > 0 && rng.chance(0.1)) return { type: "RUN_ERROR", message: "late" };
      return rng.chance(0.98) ? this.#start() : this.#inRun();
    }
    return this.#inRun();
  }

  #inRun(): AguiEvent {
    const rng = this.#rng;
    const kind = rng.int(40);
    if (kind < 9) return this.#item("text");
    if (kind < 14) return this.#item("tool");
    if (kind < 17) return this.#item("thought");
    if (kind < 18) return this.#item("span");
    if (kind < 23) return this.#chunk();
    if (kind < 24) return this.#result();
    if (kind < 25) return this.#snapshot();
    if (kind < 27) return this.#delta();
    if (kind < 28) return this.#messages();
    if (kind < 31) return this.#activity();
    if (kind < 32) return this.#step();
    if (kind < 34) return this.#subagent();
    if (kind < 35) return this.#encrypted();
    if (kind < 36) return rng.chance(0.5) ? { type: "RAW", event: this.#value() } : this.#custom();
    if (kind < 37) return this.#thinkingEvent();
    if (kind < 38) return rng.chance(0.3) ? this.#error() : this.#custom();
    return rng.chance(0.6) ? this.#finish() : this.#item("text");
  }

  #start(): AguiEvent {
    const rng = this.#rng;
    this.#running = true;
    this.#runs++;
    this.#open = { text: [], tool: [], thought: [], span: [] };
    this.#steps = [];
    this.#subagents = [];
    this.#finished.clear();
    this.#owners.clear();
    this.#thinking = { span: false, message: false };
    const runId = `r${this.#runs}`;
    return {
      type: "RUN_STARTED",
      threadId: "t",
      runId,
      ...(rng.chance(0.2) ? { protocolVersion: rng.pick(["1.1", "1.0", "1.2", "draft"]) } : {}),
      ...(rng.chance(0.1) ? { parentRunId: "p" } : {}),
      ...(rng.chance(0.1) ? { input: { threadId: "t", runId, messages: this.#messageList(2) } } : {}),
    };
  }

  /** Ends what is open, mostly, and then the run. */
  #finish(): AguiEvent {
    const rng = this.#rng;
    const ends: AguiEvent[] = [];
    for (const [kind, type, name] of [
      ["text", "TEXT_MESSAGE_END", "messageId"],
      ["tool", "TOOL_CALL_END", "toolCallId"],
      ["thought", "REASONING_MESSAGE_END", "messageId"],
      ["span", "REASONING_END", "messageId"],
    ] as const)
      for (const { id } of this.#open[kind]) ends.push({ type, [name]: id });
    if (this.#thinking.message) ends.push({ type: "THINKING_TEXT_MESSAGE_END" });
    if (this.#thinking.span) ends.push({ type: "THINKING_END" });
    for (const { name, tag } of this.#steps) ends.push({ type: "STEP_FINISHED", stepName: name, ...tagged(tag) });
    for (const id of this.#subagents) ends.push({ type: "SUBAGENT_FINISHED", subagentRunId: id });
    this.#running = false;
    const outcome = rng.pick<unknown>([
      undefined,
      undefined,
      { type: "success" },
      { type: "success", pendingToolCallIds: ["a"] },
      { type: "cancelled" },
      { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] },
      { type: "future" },
    ]);
    const finished: AguiEvent = {
      type: "RUN_FINISHED",
      threadId: "t",
      runId: `r${this.#runs}`,
      ...(outcome === undefined ? {} : { outcome }),
      ...(rng.chance(0.2) ? { result: rng.pick<unknown>([1, "x", { a: [] }]) } : {}),
    };
    if (rng.chance(0.05)) return finished;
    this.#queue.push(...ends, finished);
    return this.#queue.shift() as AguiEvent;
  }

  #error(): AguiEvent {
    this.#running = false;
    return { type: "RUN_ERROR", message: "failed", ...(this.#rng.chance(0.5) ? { code: "c" } : {}) };
  }

  /** The tag of an id's owner, or none, or what is new. */
  #tagFor(key: string): string | undefined {
    if (this.#owners.has(key)) return this.#rng.chance(0.5) ? this.#owners.get(key) : undefined;
    const tag = this.#rng.chance(0.25) ? this.#rng.pick(this.#tags) : undefined;
    this.#owners.set(key, tag);
    return tag;
  }

  #item(kind: Kind): AguiEvent {
    const rng = this.#rng;
    const open = this.#open[kind];
    const types = {
      text: "TEXT_MESSAGE_",
      tool: "TOOL_CALL_",
      thought: "REASONING_MESSAGE_",
      span: "REASONING_",
    }[kind];
    const name = kind === "tool" ? "toolCallId" : "messageId";
    if (open.length === 0 || (open.length < 3 && rng.chance(0.2))) {
      const space = kind === "span" ? "thought" : kind;
      const id = rng.pick(this.#idsOf(space).filter((other) => !open.some((one) => one.id === other)));
      const tag = this.#tagFor(`${space} ${id}`);
      open.push({ id, tag });
      if (kind === "tool" && !this.#calls.includes(id)) this.#calls.push(id);
      return {
        type: `${types}START`,
        [name]: id,
        ...(kind === "text" && rng.chance(0.4) ? { role: rng.pick(ROLES) } : {}),
        ...(kind === "text" && rng.chance(0.1) ? { name: "n" } : {}),
        ...(kind === "thought" ? { role: "reasoning" } : {}),
        ...(kind === "tool" ? { toolCallName: rng.pick(NAMES) } : {}),
        ...(kind === "tool" && tag === undefined && rng.chance(0.3) ? { parentMessageId: this.#id("text") } : {}),
        ...tagged(tag),
      };
    }
    const one = rng.pick(open);
    const tag = rng.chance(0.3) ? tagged(one.tag) : {};
    if (kind === "span" || rng.chance(0.2)) {
      open.splice(open.indexOf(one), 1);
      return { type: `${types}END`, [name]: one.id, ...tag };
    }
    const delta = kind === "tool" ? rng.pick(ARGS) : rng.pick(TEXTS);
    return { type: types + (kind === "tool" ? "ARGS" : "CONTENT"), [name]: one.id, delta, ...tag };
  }

  #chunk(): AguiEvent {
    const rng = this.#rng;
    const kind = rng.pick(["TEXT_MESSAGE", "TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE"]);
    const key = kind === "TOOL_CALL" ? "tool" : kind === "TEXT_MESSAGE" ? "text" : "thought";
    const id = this.#id(key);
    if (this.#open[key].some((one) => one.id === id)) return this.#item(key);
    const name = kind === "TOOL_CALL" ? "toolCallId" : "messageId";
    return {
      type: `${kind}_CHUNK`,
      ...(rng.chance(0.9) ? { [name]: id } : {}),
      ...(kind === "TOOL_CALL" ? { toolCallName: "f" } : {}),
      ...(rng.chance(0.8) ? { delta: rng.pick(kind === "TOOL_CALL" ? ARGS : TEXTS) } : {}),
      ...(kind === "TEXT_MESSAGE" && rng.chance(0.1) ? { role: "assistant" } : {}),
      ...tagged(this.#tagFor(`${key} ${id}`)),
    };
  }

  #result(): AguiEvent {
    const rng = this.#rng;
    const id = this.#id("result");
    return {
      type: "TOOL_CALL_RESULT",
      messageId: id,
      toolCallId: this.#calls.length > 0 && rng.chance(0.8) ? rng.pick(this.#calls) : this.#id("tool"),
      content: rng.chance(0.7) ? rng.pick(TEXTS) : this.#parts(),
      ...(rng.chance(0.2) ? { role: "tool" } : {}),
      ...tagged(this.#tagFor(`text ${id}`)),
    };
  }

  #parts(): unknown[] {
    const rng = this.#rng;
    return Array.from({ length: rng.int(3) }, () =>
      rng.pick<unknown>([
        { type: "text", text: rng.pick(TEXTS) },
        { type: "image", source: { type: "data", value: "AA==", mimeType: "image/png" } },
        { type: "document", source: { type: "file", value: "h" }, metadata: rng.pick<unknown>([1, { k: null }, null]) },
        { type: "audio", source: { type: "future", value: "h" } },
        { type: "hologram" },
      ]),
    );
  }

  #snapshot(): AguiEvent {
    this.#state = randomValue(this.#rng, 3);
    return { type: "STATE_SNAPSHOT", snapshot: this.#state };
  }

  #delta(): AguiEvent {
    const { patch, value } = this.patch(this.#state);
    this.#state = value;
    return { type: "STATE_DELTA", delta: patch };
  }

  /** A patch for a value, and what it makes of it: the value itself where the patch does not apply. */
  patch(before: unknown): { patch: JsonPatchOperation[]; value: unknown } {
    const rng = this.#rng;
    let value = before;
    const patch: JsonPatchOperation[] = [];
    for (let count = rng.int(4); count > 0; count--) {
      const pointers = pointersOf(value).filter((pointer) => pointer !== "" || rng.chance(0.2));
      const known = pointers.length > 0 ? rng.pick(pointers) : "/a";
      const from = pointers.length > 0 ? rng.pick(pointers) : "/a";
      const there = parentAndToken(value, known)?.value;
      const path = rng.chance(0.4) ? `${known}/${rng.pick(["a", "b", "0", "-", "__proto__"])}` : known;
      const operation = rng.pick<JsonPatchOperation>([
        { op: "add", path, value: randomValue(rng, 2) },
        { op: "add", path, value: randomValue(rng, 1) },
        { op: "replace", path: known, value: randomValue(rng, 2) },
        { op: "remove", path: known },
        { op: "move", from, path },
        { op: "copy", from, path },
        { op: "test", path: known, value: there ?? null },
      ]);
      const result = referencePatch(value, [operation]);
      // Some that do not apply are left in.
      if ("failed" in result && rng.chance(0.9)) continue;
      patch.push(operation);
      if ("failed" in result) return { patch, value: before };
      value = result.value;
    }
    return { patch, value };
  }

  #messages(): AguiEvent {
    const messages = this.#messageList(4);
    this.#owners.clear();
    for (const message of messages) {
      const { id, role, subagentRunId, toolCalls } = message as Json & { toolCalls?: { id: string }[] };
      const space = role === "reasoning" ? "thought" : role === "activity" ? "activity" : "text";
      this.#owners.set(`${space} ${id}`, subagentRunId as string | undefined);
      for (const call of toolCalls ?? []) this.#owners.set(`tool ${call.id}`, subagentRunId as string | undefined);
    }
    return { type: "MESSAGES_SNAPSHOT", messages };
  }

  #messageList(most: number): Json[] {
    const rng = this.#rng;
    const ids = rng.shuffle(this.#ids).slice(0, rng.int(most + 1));
    return ids.map((name) => {
      const role = rng.pick(["assistant", "assistant", "user", "system", "developer", "tool", "activity", "reasoning"]);
      const space = ({ tool: "result", activity: "activity", reasoning: "thought" } as const)[role] ?? "text";
      const id = this.#apart ? `${space} ${name}` : name;
      const more = {
        ...(rng.chance(0.2) ? { metadata: { k: rng.pick<unknown>([1, null]) } } : {}),
        ...(rng.chance(0.1) ? { subagentRunId: rng.pick(this.#tags) } : {}),
      };
      if (role === "activity") {
        const content = { x: rng.int(3) };
        this.#activities.set(id, content);
        return { id, role, activityType: "PLAN", content, ...more };
      }
      this.#activities.delete(id);
      if (role === "tool") return { id, role, toolCallId: this.#id("tool"), content: rng.pick(TEXTS), ...more };
      if (role === "user") return { id, role, content: rng.chance(0.5) ? rng.pick(TEXTS) : this.#parts(), ...more };
      if (role !== "assistant") return { id, role, content: rng.pick(TEXTS), ...more };
      const toolCalls = rng.chance(0.4)
        ? [{ id: this.#id("tool"), type: "function", function: { name: "f", arguments: rng.pick(ARGS) } }]
        : undefined;
      return {
        id,
        role,
        ...(rng.chance(0.7) ? { content: rng.pick(TEXTS) } : {}),
        ...(toolCalls === undefined ? {} : { toolCalls }),
        ...more,
      };
    });
  }

  #activity(): AguiEvent {
    const rng = this.#rng;
    const id = this.#id("activity");
    const before = this.#activities.get(id);
    const tag = tagged(this.#tagFor(`activity ${id}`));
    if (before === undefined || rng.chance(0.3)) {
      const content = rng.pick<unknown>([{}, { x: 1 }, { list: [1, 2], n: null }]);
      const replace = rng.chance(0.3) ? { replace: rng.chance(0.5) } : {};
      if (replace.replace !== false || before === undefined) this.#activities.set(id, content);
      return {
        type: "ACTIVITY_SNAPSHOT",
        messageId: id,
        activityType: rng.pick(["PLAN", "X"]),
        content,
        ...replace,
        ...tag,
      };
    }
    const { patch, value } = this.patch(before);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) this.#activities.set(id, value);
    return { type: "ACTIVITY_DELTA", messageId: id, activityType: rng.pick(["PLAN", "X"]), patch, ...tag };
  }

  #step(): AguiEvent {
    const rng = this.#rng;
    const open = this.#steps;
    if (open.length > 0 && rng.chance(0.5)) {
      const { name, tag } = open.splice(rng.int(open.length), 1)[0] as { name: string; tag: string | undefined };
      return { type: "STEP_FINISHED", stepName: name, ...tagged(tag) };
    }
    const tag = rng.chance(0.3) ? rng.pick(this.#tags) : undefined;
    const name = rng.pick(this.#ids.filter((id) => !open.some((one) => one.name === id && one.tag === tag)));
    open.push({ name, tag });
    return { type: "STEP_STARTED", stepName: name, ...tagged(tag) };
  }

  #subagent(): AguiEvent {
    const rng = this.#rng;
    const free = this.#tags.filter((id) => !this.#subagents.includes(id) && !this.#finished.has(id));
    if (this.#subagents.length > 0 && (free.length === 0 || rng.chance(0.6))) {
      const id = this.#subagents.splice(rng.int(this.#subagents.length), 1)[0] as string;
      this.#finished.add(id);
      return rng.chance(0.7)
        ? {
            type: "SUBAGENT_FINISHED",
            subagentRunId: id,
            ...(rng.chance(0.2) ? { outcome: { type: "suspended" } } : {}),
          }
        : { type: "SUBAGENT_ERROR", subagentRunId: id, message: "m" };
    }
    if (free.length === 0) return this.#custom();
    const id = rng.pick(free);
    const parents = [...this.#subagents, ...this.#finished];
    this.#subagents.push(id);
    return {
      type: "SUBAGENT_STARTED",
      subagentRunId: id,
      name: "helper",
      ...(parents.length > 0 && rng.chance(0.3) ? { parentSubagentRunId: rng.pick(parents) } : {}),
    };
  }

  #encrypted(): AguiEvent {
    const rng = this.#rng;
    const subtype = rng.pick(["tool-call", "message"]);
    return {
      type: "REASONING_ENCRYPTED_VALUE",
      subtype,
      entityId:
        subtype === "tool-call" && this.#calls.length > 0
          ? rng.pick(this.#calls)
          : this.#id(subtype === "message" ? "thought" : "tool"),
      encryptedValue: rng.pick(TEXTS),
    };
  }

  #thinkingEvent(): AguiEvent {
    const rng = this.#rng;
    const thinking = this.#thinking;
    if (!thinking.span && rng.chance(0.5)) {
      thinking.span = true;
      return { type: "THINKING_START", ...(rng.chance(0.5) ? { title: "x" } : {}) };
    }
    if (!thinking.message) {
      thinking.message = true;
      return { type: "THINKING_TEXT_MESSAGE_START" };
    }
    if (rng.chance(0.6)) return { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: rng.pick(TEXTS) };
    thinking.message = false;
    return { type: "THINKING_TEXT_MESSAGE_END" };
  }

  #custom(): AguiEvent {
    const { parent: tag } = { parent: this.#rng.chance(0.3) ? this.#rng.pick(this.#tags) : undefined };
    return { type: "CUSTOM", name: this.#rng.pick(NAMES), value: this.#value(), ...tagged(tag) };
  }

  #value(): unknown {
    return randomValue(this.#rng, 2);
  }

  /** What every event may carry. */
  #decorate(event: AguiEvent): AguiEvent {
    const rng = this.#rng;
    if (rng.chance(0.85)) return event;
    return {
      ...event,
      ...(rng.chance(0.4)
        ? { metadata: rng.pick<unknown>([{}, { k: 1 }, { k: { deep: [null] }, j: null }]) as object }
        : {}),
      ...(rng.chance(0.2) ? { timestamp: rng.int(1e6) } : {}),
      ...(rng.chance(0.2) ? { rawEvent: rng.pick<unknown>([1, { type: "X" }, null]) } : {}),
    };
  }

  #mutate(event: AguiEvent): AguiEvent {
    const rng = this.#rng;
    const names = Object.keys(event);
    const name = rng.pick(names);
    const out: Json = { ...event };
    switch (rng.int(10)) {
      case 0:
        delete out[name];
        break;
      case 1:
        out[name] = rng.pick<unknown>([null, 5, -1, 1.5, "", "x", true, [], {}, [{}], { type: "x" }]);
        break;
      case 2:
        out[rng.pick(["future", "toString", "a/b~c", "role", "name", "input"])] = rng.pick<unknown>([
          1,
          null,
          {},
          "assistant",
        ]);
        break;
      case 3:
        out.type = rng.pick([
          "FUTURE_EVENT",
          "",
          "TEXT_MESSAGE_CONTENT",
          "TOOL_CALL_START",
          "RUN_FINISHED",
          "CUSTOM",
          "THINKING_END",
        ]);
        break;
      case 4:
        for (const id of ["messageId", "toolCallId", "stepName", "entityId"]) if (id in out) out[id] = rng.pick(IDS);
        break;
      case 5:
        out.subagentRunId = rng.pick<unknown>([...TAGS, null, 5]);
        break;
      case 6:
        out[rng.pick(["timestamp", "rawEvent", "metadata", "subagentRunId"])] = rng.pick<unknown>([
          null,
          5,
          "x",
          {},
          [],
        ]);
        break;
      case 7:
        return this.#inRun();
      case 8:
        return rng.pick<AguiEvent>([
          { type: "RUN_STARTED", threadId: "t", runId: "again" },
          { type: "RUN_FINISHED", threadId: "t", runId: "early" },
          { type: "TEXT_MESSAGE_END", messageId: "nobody" },
          { type: "TEXT_MESSAGE_START", messageId: "a", role: "wizard" },
          {
            type: "STATE_DELTA",
            delta: [
              { op: "frobnicate", path: "/a" },
              { op: "add", path: "/a", value: 1 },
            ],
          },
          { type: "STATE_DELTA", delta: [{ op: "add", path: "a", value: 1 }] },
          { type: "RUN_FINISHED", threadId: "t", runId: "r", outcome: [] },
        ]);
      default:
        out[name] = inside(rng, out[name]);
    }
    return out as AguiEvent;
  }
}

/** The value with something wrong further inside. */
function inside(rng: Rng, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return rng.pick<unknown>([value, null, 5, "x", {}]);
  if (Array.isArray(value)) {
    if (value.length === 0 || rng.chance(0.2))
      return [...value, rng.pick<unknown>([null, 5, {}, { type: "x" }, { role: "x" }])];
    const at = rng.int(value.length);
    return value.map((element, i) => (i === at ? inside(rng, element) : element));
  }
  const names = Object.keys(value);
  if (names.length === 0 || rng.chance(0.3))
    return { ...value, [rng.pick(["future", "type", "metadata", "id"])]: rng.pick<unknown>([1, null, "x"]) };
  const name = rng.pick(names);
  if (rng.chance(0.3)) return Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
  return { ...value, [name]: inside(rng, (value as Json)[name]) };
}

function tagged(tag: string | undefined): { subagentRunId?: string } {
  return tag === undefined ? {} : { subagentRunId: tag };
}
