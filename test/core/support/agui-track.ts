/**
 * Chunk expansion and verification of AG-UI as docs/semantics-agui.md §5, §6 and §12 say it, without any thought of speed: what the
 * core's track is held against. Events are enforced already.
 */
export interface Event {
  type: string;
  subagentRunId?: unknown;
  [member: string]: unknown;
}

export interface Violation {
  code: string;
  reason: string;
  path?: string;
  subject?: string;
  type: string;
}

type Owner = string | null;
interface Item {
  kind: number;
  id: string;
  owner: Owner;
  open: number;
  numbers: [number, number];
}
interface Lane {
  owner: Owner;
  kind: number;
  id: string;
  first: string | null;
  second: string | null;
}
interface Message {
  id: string;
  role: string;
  subagentRunId?: string;
  toolCalls?: { id: string }[];
}

const CHUNKS: Record<string, number> = { TEXT_MESSAGE_CHUNK: 0, TOOL_CALL_CHUNK: 1, REASONING_MESSAGE_CHUNK: 2 };
const PREFIX = ["TEXT_MESSAGE", "TOOL_CALL", "REASONING_MESSAGE"];
const OPENS: Record<string, [kind: number, bit: number, open: string, none: string]> = {
  TEXT_MESSAGE: [0, 1, "TEXT_OPEN", "NO_TEXT"],
  TOOL_CALL: [1, 1, "TOOL_OPEN", "NO_TOOL"],
  REASONING_MESSAGE: [2, 1, "REASONING_OPEN", "NO_REASONING"],
  REASONING: [2, 2, "SPAN_OPEN", "NO_SPAN"],
};
const CLOSE_OWN =
  /^(TEXT_MESSAGE_(START|CONTENT|END)|TOOL_CALL_(START|ARGS|END|RESULT)|STATE_.*|CUSTOM|STEP_.*|REASONING_(MESSAGE_)?(START|CONTENT|END)|SUBAGENT_(FINISHED|ERROR))$/;
const CLOSE_ALL = /^(RUN_.*|MESSAGES_SNAPSHOT)$/;

class Refusal extends Error {
  readonly violation: Violation;

  constructor(violation: Violation) {
    super(violation.reason);
    this.violation = violation;
  }
}

const owner = (event: { subagentRunId?: unknown }): Owner => (event.subagentRunId as string | undefined) ?? null;

export class NaiveTrack {
  limit: number;
  phase = "none";
  items: Item[] = [];
  steps: [name: string, owner: Owner][] = [];
  subagents: [id: string, active: boolean][] = [];
  calls: [id: string, answered: boolean][] = [];
  lanes: Lane[] = [];
  openings = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Judges one wire event: the events it stands for, or what is wrong; then nothing has changed. */
  take(event: Event): { events: Event[] } | Violation {
    const before = structuredClone({ ...this });
    try {
      const events = this.#expand(event);
      for (const one of events) this.#judge(one.event, one.lane);
      if (this.phase === "truncated") this.phase = "running";
      return { events: events.map((one) => one.event) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      Object.assign(this, before);
      return error.violation;
    }
  }

  // ------------------------------------------------------------------------------------------------ expansion

  #expand(event: Event): { event: Event; lane?: Lane | undefined }[] {
    const kind = CHUNKS[event.type];
    if (kind !== undefined) return this.#expandChunk(event, kind);
    const ending = CLOSE_ALL.test(event.type)
      ? this.lanes
      : CLOSE_OWN.test(event.type)
        ? this.lanes.filter((lane) => lane.owner === owner(event))
        : [];
    return [...ending.map((lane) => ({ event: this.#endOf(lane), lane })), { event }];
  }

  #endOf(lane: Lane): Event {
    const tag = lane.owner === null ? {} : { subagentRunId: lane.owner };
    return { type: `${PREFIX[lane.kind]}_END`, [lane.kind === 1 ? "toolCallId" : "messageId"]: lane.id, ...tag };
  }

  #expandChunk(chunk: Event, kind: number): { event: Event; lane?: Lane | undefined }[] {
    const refuse = (code: string, reason: string, path?: string, subject?: unknown): never => {
      const violation: Violation = { code, reason, type: chunk.type };
      if (path !== undefined) violation.path = path;
      if (subject !== undefined) violation.subject = subject as string;
      throw new Refusal(violation);
    };
    const idName = kind === 1 ? "toolCallId" : "messageId";
    const id = chunk[idName] as string | undefined;
    const tagged = "subagentRunId" in chunk;
    const laneOf = (tag: Owner): Lane | undefined => this.lanes.find((lane) => lane.owner === tag);
    let lane: Lane | undefined;
    if (id !== undefined) {
      lane = this.lanes.find((one) => one.kind === kind && one.id === id);
      if (lane && tagged && lane.owner !== owner(chunk)) {
        refuse("chunk_conflict", "CHUNK_OWNER", "/subagentRunId", chunk.subagentRunId);
      }
      lane ??= laneOf(owner(chunk));
    } else if (tagged) lane = laneOf(owner(chunk));
    else {
      lane = laneOf(null);
      if (lane?.kind !== kind) {
        const holding = this.lanes.filter((one) => one.kind === kind);
        if (holding.length > 1) refuse("chunk_conflict", "CHUNK_AMBIGUOUS");
        lane = holding[0] ?? lane;
      }
    }
    const idMember = (value: string): Record<string, string> => ({ [idName]: value });
    const pick = (...names: string[]): Record<string, unknown> =>
      Object.fromEntries(names.filter((name) => name in chunk).map((name) => [name, chunk[name]]));
    const hasText = "delta" in chunk || "rawEvent" in chunk;
    const content = (of: string, tag: Owner): Event => ({
      type: `${PREFIX[kind]}_${kind === 1 ? "ARGS" : "CONTENT"}`,
      ...idMember(of),
      delta: (chunk.delta as string | undefined) ?? "",
      ...(tag === null ? {} : { subagentRunId: tag }),
      ...pick("metadata", "rawEvent"),
    });
    if (lane?.kind === kind && (id === undefined || id === lane.id)) {
      const repeats = (member: string, reason: string, established: string | null): void => {
        if (member in chunk && chunk[member] !== established) {
          refuse("chunk_conflict", reason, `/${member}`, chunk[member]);
        }
      };
      if (kind === 0) {
        repeats("role", "CHUNK_ROLE", lane.first);
        repeats("name", "CHUNK_NAME", lane.second);
      } else if (kind === 1) {
        repeats("toolCallName", "CHUNK_TOOL", lane.first);
        repeats("parentMessageId", "CHUNK_PARENT", lane.second);
      }
      return hasText || "metadata" in chunk ? [{ event: content(lane.id, tagged ? owner(chunk) : lane.owner) }] : [];
    }
    if (id === undefined) refuse("bad_event", "FIRST_ID", `/${idName}`, idName);
    if (kind === 1 && !("toolCallName" in chunk)) refuse("bad_event", "FIRST_ID", "/toolCallName", "toolCallName");
    const members: Record<string, unknown> =
      kind === 0
        ? { role: chunk.role ?? "assistant", ...pick("name") }
        : kind === 1
          ? pick("toolCallName", "parentMessageId")
          : { role: "reasoning" };
    const opened: Lane = {
      owner: owner(chunk),
      kind,
      id: id!,
      first: ((kind === 0 ? members.role : chunk.toolCallName) as string | undefined) ?? null,
      second: ((kind === 0 ? chunk.name : chunk.parentMessageId) as string | undefined) ?? null,
    };
    if (kind === 2) opened.first = opened.second = null;
    const start = { type: `${PREFIX[kind]}_START`, ...idMember(id!), ...members, ...pick("subagentRunId", "metadata") };
    return [
      ...(lane ? [{ event: this.#endOf(lane), lane }] : []),
      { event: start, lane: opened },
      ...(hasText ? [{ event: content(id!, owner(chunk)) }] : []),
    ];
  }

  // ------------------------------------------------------------------------------------------------ verification

  #find(kind: number, id: unknown): Item | undefined {
    return this.items.find((item) => item.kind === kind && item.id === id);
  }

  #judge(event: Event, lane: Lane | undefined): void {
    const refuse = (code: string, reason: string, path?: string, subject?: string): never => {
      const violation: Violation = { code, reason, type: event.type };
      if (path !== undefined) violation.path = path;
      if (subject !== undefined) violation.subject = subject;
      throw new Refusal(violation);
    };
    const tagged = "subagentRunId" in event;
    const attribution = (reason: string, subject: string): never =>
      refuse("bad_attribution", reason, "/subagentRunId", subject);
    const hold = (item: Item): void => {
      if (tagged && item.owner !== event.subagentRunId) attribution("OWNER", event.subagentRunId as string);
    };
    const room = (path: string): void => {
      if (this.items.length + this.steps.length + this.subagents.length >= this.limit) {
        refuse("limit", "LIMIT_ITEMS", path);
      }
    };
    const name = (kind: number, id: string, of: Owner, path: string): Item => {
      room(path);
      const item: Item = { kind, id, owner: of, open: 0, numbers: [0, 0] };
      this.items.push(item);
      return item;
    };
    const own = (kind: number, id: string, of: Owner, path: string, replace = true): void => {
      const item = this.#find(kind, id);
      if (!item) name(kind, id, of, path);
      else if (replace) item.owner = of;
    };
    const ownAll = (messages: Message[], path: string, replace: boolean): void => {
      for (const message of messages) {
        const kind = message.role === "reasoning" ? 2 : message.role === "activity" ? 3 : 0;
        own(kind, message.id, owner(message), path, replace);
        for (const call of message.toolCalls ?? []) own(1, call.id, owner(message), path, replace);
      }
    };

    const { type } = event;
    if (type === "RUN_STARTED") {
      if (this.phase === "running") refuse("bad_order", "RUN_ACTIVE");
    } else if (this.phase === "errored") refuse("bad_order", "RUN_ERRORED");
    else if (this.phase === "finished" && type !== "RUN_ERROR") refuse("bad_order", "RUN_FINISHED");
    else if (this.phase === "none" && type !== "RUN_ERROR") refuse("bad_order", "FIRST_EVENT");

    const triad = /^(.*)_(START|CONTENT|ARGS|END)$/.exec(type);
    if (triad) {
      const [kind, bit, isOpen, isNot] = OPENS[triad[1]!]!;
      const path = kind === 1 ? "/toolCallId" : "/messageId";
      const id = event[path.slice(1)] as string;
      let item = this.#find(kind, id);
      if (triad[2] === "START") {
        if (item && item.open & bit) refuse("bad_order", isOpen, path, id);
        let owned = owner(event);
        if (kind === 1 && "parentMessageId" in event) {
          const parent = this.#find(0, event.parentMessageId);
          if (parent) {
            if (tagged && parent.owner !== owned) attribution("PARENT_OWNER", parent.id);
            if (!tagged) owned = parent.owner;
            if (!tagged && item && item.owner !== parent.owner) attribution("PARENT_OWNER", parent.id);
          }
        }
        if (item) hold(item);
        item ??= name(kind, id, owned, path);
        item.open |= bit;
        item.numbers[bit - 1] = ++this.openings;
        if (kind === 1 && !this.calls.some((call) => call[0] === id)) this.calls.push([id, false]);
        if (lane) this.lanes.push(lane);
      } else {
        if (!item || !(item.open & bit)) refuse("bad_order", isNot, path, id);
        hold(item!);
        if (triad[2] === "END") item!.open &= ~bit;
        if (lane) this.lanes.splice(this.lanes.indexOf(lane), 1);
      }
      return;
    }
    const id = event.messageId as string;
    const tag = event.subagentRunId as string;
    const step = event.stepName as string;
    switch (type) {
      case "TOOL_CALL_RESULT": {
        own(0, id, owner(event), "/messageId");
        const call = this.calls.find((one) => one[0] === event.toolCallId);
        if (call) call[1] = true;
        break;
      }
      case "ACTIVITY_SNAPSHOT":
        own(3, id, owner(event), "/messageId", event.replace !== false);
        break;
      case "ACTIVITY_DELTA": {
        const item = this.#find(3, id);
        if (item) hold(item);
        break;
      }
      case "REASONING_ENCRYPTED_VALUE": {
        const item =
          event.subtype === "tool-call"
            ? this.#find(1, event.entityId)
            : (this.#find(0, event.entityId) ?? this.#find(2, event.entityId));
        if (item) hold(item);
        break;
      }
      case "STEP_STARTED":
        if (this.steps.some(([known, by]) => known === step && by === owner(event))) {
          refuse("bad_order", "STEP_OPEN", "/stepName", step);
        }
        room("/stepName");
        this.steps.push([step, owner(event)]);
        break;
      case "STEP_FINISHED": {
        const at = this.steps.findIndex(([known, by]) => known === step && by === owner(event));
        if (at < 0) {
          if (this.steps.some(([known]) => known === step)) attribution("STEP_OWNER", step);
          refuse("bad_order", "NO_STEP", "/stepName", step);
        }
        this.steps.splice(at, 1);
        break;
      }
      case "SUBAGENT_STARTED": {
        const known = this.subagents.find((one) => one[0] === tag);
        if (known) refuse("bad_order", known[1] ? "SUBAGENT_ACTIVE" : "SUBAGENT_CLOSED", "/subagentRunId", tag);
        const parent = event.parentSubagentRunId as string | undefined;
        if (parent !== undefined && !this.subagents.some((one) => one[0] === parent)) {
          refuse("bad_order", "SUBAGENT_PARENT", "/parentSubagentRunId", parent);
        }
        room("/subagentRunId");
        this.subagents.push([tag, true]);
        break;
      }
      case "SUBAGENT_FINISHED":
      case "SUBAGENT_ERROR": {
        const known = this.subagents.find((one) => one[0] === tag && one[1]);
        if (!known) refuse("bad_order", "NO_SUBAGENT", "/subagentRunId", tag);
        known![1] = false;
        break;
      }
      case "MESSAGES_SNAPSHOT":
        ownAll(event.messages as Message[], "/messages", true);
        break;
      case "RUN_STARTED":
        Object.assign(this, new NaiveTrack(this.limit), { phase: "running" });
        ownAll((event.input as { messages: Message[] } | undefined)?.messages ?? [], "/input/messages", false);
        break;
      case "RUN_FINISHED": {
        const still = (reason: string, subject: string | undefined): void => {
          if (subject !== undefined) refuse("bad_order", reason, undefined, subject);
        };
        still("STILL_TEXT", this.#open(0, 1)[0]?.id);
        still("STILL_TOOL", this.#open(1, 1)[0]?.id);
        still("STILL_REASONING", this.#open(2, 1)[0]?.id);
        still("STILL_SPAN", this.#open(2, 2)[0]?.id);
        still("STILL_STEP", this.steps[0]?.[0]);
        still("STILL_SUBAGENT", this.subagents.find((one) => one[1])?.[0]);
        this.phase = "finished";
        break;
      }
      case "RUN_ERROR":
        for (const item of this.items) item.open = 0;
        for (const subagent of this.subagents) subagent[1] = false;
        this.steps = [];
        this.phase = "errored";
        break;
    }
  }

  // ------------------------------------------------------------------------------------------------ what is shown

  #open(kind: number, bit: number): { id: string; number: number }[] {
    return this.items
      .filter((item) => item.kind === kind && item.open & bit)
      .map((item) => ({ id: item.id, number: item.numbers[bit - 1]! }))
      .sort((a, b) => a.number - b.number);
  }

  open(): object {
    const ids = (list: { id: string }[]): string[] => list.map((one) => one.id);
    return {
      messages: ids(this.#open(0, 1)),
      toolCalls: ids(this.#open(1, 1)),
      reasoning: ids([...this.#open(2, 1), ...this.#open(2, 2)].sort((a, b) => a.number - b.number)),
      steps: this.steps.map((step) => step[0]),
      subagents: this.subagents.filter((one) => one[1]).map((one) => one[0]),
    };
  }

  pending(): string[] {
    return this.calls.filter((call) => !call[1]).map((call) => call[0]);
  }

  /** The members `phase` to `lanes` of a checkpoint's `track`. */
  saved(): object {
    return {
      phase: ["none", "running", "finished", "errored", "rejected", "truncated"].indexOf(this.phase),
      items: this.items.map((item) => [
        item.kind,
        item.id,
        item.owner,
        item.open,
        ...(item.open & 1 ? [item.numbers[0]] : []),
        ...(item.open & 2 ? [item.numbers[1]] : []),
      ]),
      steps: this.steps,
      subagents: this.subagents,
      calls: this.calls,
      lanes: this.lanes.map((lane) => [lane.owner, lane.kind, lane.id, lane.first, lane.second, lane.owner]),
    };
  }
}
