import { memberTexts } from "../json/exact.js";

/** Members of an event as JSON texts; those that are undefined are left out. */
type Members = Readonly<Record<string, string | undefined>>;

/** The track of a run, as checkpoints keep it (docs/semantics-agui.md §12). */
interface Track {
  phase: number;
  items: [kind: number, id: string, owner: string | null, open: number, ...numbers: number[]][];
  steps: [name: string, owner: string | null][];
  subagents: [id: string, active: boolean][];
  calls: [id: string, answered: boolean][];
  lanes: [
    owner: string | null,
    kind: number,
    id: string,
    first: string | null,
    second: string | null,
    tag: string | null,
  ][];
  thinking: [minted: number, span: number, message: number];
}

interface Message {
  id: string;
  role: string;
  subagentRunId?: string;
  toolCalls?: { id: string; function: { name: string } }[];
}

const MESSAGE = 0;
const CALL = 1;
const REASONING = 2;
const ACTIVITY = 3;
/** What is open of an item. */
const ITEM_OPEN = 1;
const SPAN_OPEN = 2;
/** Phases in which a run has come to its end, and before the first one. */
const OVER: ReadonlySet<number> = new Set([2, 3]);
const CHUNKS = ["TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "REASONING_MESSAGE_CHUNK"] as const;
/** Behind the id of a run, that of the one that brings what came before. */
const EARLIER = "/earlier";
const TEXT_ROLES: ReadonlySet<string> = new Set(["developer", "system", "assistant", "user"]);

/**
 * Events that bring a consumer to where a stream stands: the run, its messages and its state as snapshots, what is open of it, pending chunk streams
 * (docs/replay.md).
 *
 * @param model of a checkpoint, JSON text (docs/semantics-agui.md §12)
 * @returns ways there, each of JSON texts of events: the first one that a consumer takes with all that follows is meant, and it takes the last one in any case.
 *   Before the first run it takes no events; where none lead there, there is no way
 */
export function waysTo(model: string): string[][] {
  const members = new Map(memberTexts(model));
  const run = new Map(memberTexts(members.get("run")!));
  const track = JSON.parse(members.get("track")!) as Track;
  const status = JSON.parse(run.get("status")!) as string;
  const error = run.get("error");
  const ids = { threadId: run.get("threadId"), runId: run.get("runId") };
  const usage = run.get("usage");
  const failed =
    error === undefined ? undefined : event("RUN_ERROR", { ...Object.fromEntries(memberTexts(error)), usage });
  const snapshots = [
    event("MESSAGES_SNAPSHOT", { messages: members.get("messages")! }),
    event("STATE_SNAPSHOT", { snapshot: members.get("state")! }),
  ];
  if (status === "idle") {
    // what the input has brought comes before any run
    const isBlank = members.get("messages") === "[]" && members.get("state") === "{}";
    return [isBlank || ids.threadId === undefined ? [] : earlierRun(ids.threadId, ids.runId, undefined, snapshots)];
  }
  // an error may come before any run
  if (ids.threadId === undefined || ids.runId === undefined) return [failed === undefined ? [] : [failed]];
  const outcome = run.get("outcome");
  const isOver = OVER.has(track.phase) || outcome !== undefined || failed !== undefined;
  const messages = JSON.parse(members.get("messages")!) as Message[];
  const place = new Place(messages, track);
  if (place.repeats || (!isOver && !place.isWithinReach)) return [];

  const protocolVersion = run.get("protocolVersion");
  const started = event("RUN_STARTED", { ...ids, parentRunId: run.get("parentRunId"), protocolVersion });
  if (isOver) {
    const end = failed ?? event("RUN_FINISHED", { ...ids, outcome, result: run.get("result"), usage });
    // nobody's: the snapshot has said whose they are
    return [[started, ...snapshots, ...place.pendingCalls(false), end]];
  }
  const open = [
    ...place.subagents(),
    ...place.pendingCalls(true),
    ...place.opened(),
    ...place.steps(),
    ...place.lanes(),
  ];
  // a snapshot says whose the messages are: a run before this one brings those that this one has not named so
  const inOneRun = [started, ...snapshots, ...open];
  const inTwoRuns = [...earlierRun(ids.threadId, ids.runId, protocolVersion, snapshots), started, ...open];
  if (place.isOfThisRun) return [inOneRun];
  return place.isMadeByThisRun ? [inOneRun, inTwoRuns] : [inTwoRuns];
}

/**
 * A made-up run with what came before a run. It has an id of its own, derived so that the same log gives the same bytes: who acts on the end of a run must not
 * take this one for it.
 */
function earlierRun(
  threadId: string,
  runId: string | undefined,
  protocolVersion: string | undefined,
  snapshots: readonly string[],
): string[] {
  const before = JSON.stringify(`${JSON.parse(runId ?? threadId)}${EARLIER}`);
  return [
    event("RUN_STARTED", { threadId, runId: before, protocolVersion }),
    ...snapshots,
    event("RUN_FINISHED", { threadId, runId: before }),
  ];
}

/** What the track of a running run says about messages. */
class Place {
  readonly #track: Track;
  readonly #messages = new Map<string, Message>();
  readonly #calls = new Map<string, string>();
  readonly #owners = new Map<string, string | null>();
  /** Ids that chunk streams build, by kind. */
  readonly #inLanes: ReadonlySet<string>;
  /** Two messages have one id, which a snapshot cannot say. */
  readonly repeats: boolean;
  /** A snapshot of the messages would give everything the owner that it has. */
  readonly isOfThisRun: boolean;
  /** The same but for messages that were made for a call of this run, which have no owner of their own. */
  readonly isMadeByThisRun: boolean;

  constructor(messages: readonly Message[], track: Track) {
    this.#track = track;
    for (const [kind, id, owner] of track.items) this.#owners.set(key(kind, id), owner);
    this.#inLanes = new Set(track.lanes.map(([, kind, id]) => key(kind, id)));
    this.isOfThisRun = messages.every((message) => this.#owns(message) && this.#ownsCalls(message));
    this.isMadeByThisRun = messages.every(
      (message) =>
        this.#ownsCalls(message) &&
        (this.#owns(message) || (!this.#owners.has(keyOf(message)) && (message.toolCalls ?? []).length > 0)),
    );
    for (const message of messages) {
      this.#messages.set(message.id, message);
      for (const call of message.toolCalls ?? [])
        if (!this.#calls.has(call.id)) this.#calls.set(call.id, call.function.name);
    }
    this.repeats = this.#messages.size < messages.length;
  }

  #owns(message: Message): boolean {
    return this.#owners.get(keyOf(message)) === (message.subagentRunId ?? null);
  }

  #ownsCalls({ subagentRunId, toolCalls = [] }: Message): boolean {
    return toolCalls.every(({ id }) => this.#owners.get(key(CALL, id)) === (subagentRunId ?? null));
  }

  /** Everything open is held by a message, and no ids were minted for retired events. */
  get isWithinReach(): boolean {
    const { items, thinking } = this.#track;
    if (thinking[0] > 0) return false;
    return items.every(([kind, id, , open]) => {
      if ((open & ITEM_OPEN) === 0) return true;
      return kind === CALL ? this.#calls.has(id) : this.#messages.has(id);
    });
  }

  /** Subagents of the run, those that have ended included: others may name them as theirs. Their names are not kept. */
  subagents(): string[] {
    return this.#track.subagents.flatMap(([id, active]) => {
      const subagentRunId = JSON.stringify(id);
      const start = event("SUBAGENT_STARTED", { subagentRunId, name: subagentRunId });
      return active ? [start] : [start, event("SUBAGENT_FINISHED", { subagentRunId })];
    });
  }

  /** Calls that are not open any more and that nothing has answered. */
  pendingCalls(tag: boolean): string[] {
    const open = new Set(this.#track.items.flatMap(([kind, id, , bits]) => (kind === CALL && bits ? [id] : [])));
    return this.#track.calls.flatMap(([id, answered]) => {
      if (answered || open.has(id) || !this.#calls.has(id)) return [];
      return [this.#startCall(id, tag), event("TOOL_CALL_END", { toolCallId: JSON.stringify(id) })];
    });
  }

  #startCall(id: string, tag: boolean): string {
    return event("TOOL_CALL_START", {
      toolCallId: JSON.stringify(id),
      toolCallName: JSON.stringify(this.#calls.get(id)),
      ...(tag && tagged(this.#owners.get(key(CALL, id)))),
    });
  }

  /** What is open, in the order of opening: a START of what is there opens it and changes nothing. */
  opened(): string[] {
    const openings: { number: number; text: string }[] = [];
    for (const [kind, id, owner, open, ...numbers] of this.#track.items) {
      if (open & ITEM_OPEN && !this.#inLanes.has(key(kind, id))) {
        openings.push({ number: numbers[0]!, text: this.#start(kind, id, owner) });
      }
      if (open & SPAN_OPEN) {
        const text = event("REASONING_START", { messageId: JSON.stringify(id), ...tagged(owner) });
        openings.push({ number: numbers.at(-1)!, text });
      }
    }
    return openings.sort((a, b) => a.number - b.number).map(({ text }) => text);
  }

  #start(kind: number, id: string, owner: string | null): string {
    if (kind === CALL) return this.#startCall(id, true);
    const messageId = JSON.stringify(id);
    if (kind === REASONING) {
      return event("REASONING_MESSAGE_START", { messageId, role: '"reasoning"', ...tagged(owner) });
    }
    const role = this.#messages.get(id)!.role;
    return event("TEXT_MESSAGE_START", {
      messageId,
      role: TEXT_ROLES.has(role) ? JSON.stringify(role) : undefined,
      ...tagged(owner),
    });
  }

  steps(): string[] {
    return this.#track.steps.map(([name, owner]) =>
      event("STEP_STARTED", { stepName: JSON.stringify(name), ...tagged(owner) }),
    );
  }

  /** Pending chunk streams: a chunk without a delta opens each again. They come last, since other events would end them. */
  lanes(): string[] {
    return this.#track.lanes.map(([, kind, id, first, second, tag]) => {
      const more =
        kind === CALL
          ? { toolCallId: JSON.stringify(id), toolCallName: optional(first), parentMessageId: optional(second) }
          : {
              messageId: JSON.stringify(id),
              ...(kind === MESSAGE && { role: optional(first), name: optional(second) }),
            };
      return event(CHUNKS[kind]!, { ...more, ...tagged(tag) });
    });
  }
}

/** The item that a message is. */
function keyOf({ id, role }: Message): string {
  return key(role === "reasoning" ? REASONING : role === "activity" ? ACTIVITY : MESSAGE, id);
}

function key(kind: number, id: string): string {
  return `${kind}${id}`;
}

function optional(text: string | null): string | undefined {
  return text === null ? undefined : JSON.stringify(text);
}

function tagged(owner: string | null | undefined): Members {
  return typeof owner === "string" ? { subagentRunId: JSON.stringify(owner) } : {};
}

function event(type: string, members: Members): string {
  const texts = Object.entries(members).flatMap(([name, text]) => (text === undefined ? [] : [`,"${name}":${text}`]));
  return `{"type":"${type}"${texts.join("")}}`;
}
