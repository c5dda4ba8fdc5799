import { optionOf, readable } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type { AguiSessionOptions, RunStatus } from "../engine/contract.js";
import { cloneValue } from "../engine/js/codec/clone.js";
import type { ModelChanges } from "../engine/js/reduce/agui/changes.js";
import { CHUNKS, expand } from "../engine/js/reduce/agui/expansion.js";
import { Journal } from "../engine/js/reduce/agui/journal.js";
import { REASONING_LANE, TEXT_LANE, TOOL_LANE } from "../engine/js/reduce/agui/lanes.js";
import { makeModel } from "../engine/js/reduce/agui/load.js";
import { Model } from "../engine/js/reduce/agui/model.js";
import { AguiReducer } from "../engine/js/reduce/agui/reducer.js";
import { RunState } from "../engine/js/reduce/agui/run.js";
import { CALL, MESSAGE, OPEN_SPAN, type Owner, REASONING } from "../engine/js/reduce/agui/track.js";
import { viewOf } from "../engine/js/reduce/agui/view.js";
import { StreamfoldError, usageError } from "../errors.js";
import { type JsonObject, own } from "../json/object.js";
import { copyTree } from "../json/tree.js";
import { type Limits, resolveLimits } from "../limits.js";
import { OWN_VERSION } from "../schema/version.js";
import { type Encoder, type EncoderOptions, EventEncoder, resolveEncodeOptions } from "../transport/encoder.js";
import { type EventFields, judgeEvent } from "./events.js";
import { matchResume } from "./interrupts.js";
import { judgeInput, type OwnTree, ownTree } from "./judge-value.js";
import type { AGUIModel } from "./model.js";
import type { InputWarning } from "./prepare-run-input.js";
import { ProducerRules } from "./producer-rules.js";
import type { AGUIEvent, Interrupt, ResumeEntry, RunAgentInput } from "./types.generated.js";

export interface ProducerOptions extends Pick<EncoderOptions, "transport" | "depth" | "pool"> {
  /**
   * The run input that is answered, as `readRunInput` gives it: its messages and state are what events continue, its tools are the client's, its
   * `resume` answers `openInterrupts`. Without one the thread begins empty.
   */
  input?: RunAgentInput | undefined;
  /** What the last run on the thread has raised, for an agent that remembers it (AG-UI H10); undefined: not known, and nothing is owed. */
  openInterrupts?: readonly Interrupt[] | undefined;
  /** What RUN_STARTED declares (AG-UI J7, J11). Default "1.1"; a proxy gives that of the stream it forwards, or null where that declares none. */
  protocolVersion?: string | null | undefined;
  /** Bounds on what the producer remembers of the thread. */
  limits?: Partial<Limits> | undefined;
  /** Hears of entries of `resume` that answer nothing (AG-UI H9). */
  onWarning?: ((warning: InputWarning) => void) | undefined;
}

/** Members of an event that the producer knows by itself are left out. */
type Rest<Type extends AGUIEvent["type"], Known extends string> = Omit<EventFields<Type>, Known>;
export type StartFields = Partial<EventFields<"RUN_STARTED">>;
export type FinishFields = Rest<"RUN_FINISHED", "threadId" | "runId">;
export type CancelFields = Omit<FinishFields, "outcome">;
export type FailFields = Rest<"RUN_ERROR", "message">;

/** Writes the events of one stream, and refuses what must not follow. A call that throws has changed nothing. */
export interface Producer {
  readonly transport: EncoderOptions["transport"];
  /** For the `Content-Type` header. */
  readonly mediaType: string;
  /** The status of the run, as a consumer sees it. */
  readonly status: RunStatus;
  /** Calls of this run without a result, in their order (AG-UI R13). */
  readonly pendingToolCallIds: string[];
  /** What `resume` of the input answers of `openInterrupts`; all of its entries when those are not known. */
  readonly resume: readonly ResumeEntry[];
  /** Interrupts that the input does not answer; a run that ends as a success must not leave any (AG-UI H10). */
  readonly uncoveredInterrupts: readonly Interrupt[];
  /**
   * One event as one message of the wire. A RUN_STARTED without `protocolVersion` gets the producer's.
   *
   * @param event a plain value; it is not changed
   * @throws StreamfoldError `bad_event`, `bad_order`, `bad_attribution`, `chunk_conflict`, `delta_failed` or `limit` with the path of what is wrong;
   *   `not_json`, `too_deep` for a value that cannot be written
   */
  emit(event: AGUIEvent): Bytes;
  /** RUN_STARTED; `threadId`, `runId` and `parentRunId` are those of the input unless given. Throws as `emit` does. */
  start(fields?: StartFields): Bytes;
  /** RUN_FINISHED of the run that is running; a success names the calls that are pending (AG-UI R12). Throws as `emit` does. */
  finish(fields?: FinishFields): Bytes;
  /** RUN_ERROR. Throws as `emit` does. */
  fail(message: string, fields?: FailFields): Bytes;
  /** What closes everything that is open, the last opened first: ENDs, STEP_FINISHED, and SUBAGENT_ERROR for subagents. */
  closeOpen(): Bytes[];
  /** Ends a run that was stopped on purpose (AG-UI O6): what `closeOpen` gives, then RUN_FINISHED with the cancelled outcome. */
  cancel(fields?: CancelFields): Bytes[];
  /** The thread as a consumer that has read everything sees it: a value of the caller's own, to be stored for the next run. */
  snapshot<Model = AGUIModel>(): Model;
}

const JUDGING: AguiSessionOptions = {
  maxProtocolVersion: undefined,
  onDeltaFailure: "fail",
  unknownEnum: "fatal",
  middleware: undefined,
  input: undefined,
};

/** Nobody reads changes of a producer's thread. */
const SILENT: ModelChanges = {
  next: () => {},
  start: () => {},
  insert: () => {},
  replace: () => {},
  append: () => {},
  meta: () => {},
};

const DELTAS: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  "TEXT_MESSAGE_CONTENT",
  "TOOL_CALL_ARGS",
  "REASONING_MESSAGE_CONTENT",
  ...CHUNKS.keys(),
]);

/**
 * Makes the producer of one stream of AG-UI events: for each event it gives the bytes to send, and it refuses what a consumer would refuse or warn of,
 * and what binds producers besides (docs/agui-producing.md lists the rules).
 *
 * @throws StreamfoldError `bad_argument` for options; with the path into `input` for one that is malformed; `unsupported_transport`
 */
export function createProducer(options: ProducerOptions): Producer {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", "the options must be an object with a transport");
  return new EventProducer(options);
}

class EventProducer implements Producer {
  readonly transport: EncoderOptions["transport"];
  readonly mediaType: string;
  readonly resume: readonly ResumeEntry[];
  readonly uncoveredInterrupts: readonly Interrupt[];
  private readonly encoder: Encoder;
  private readonly depth: number;
  private readonly reducer: AguiReducer;
  private readonly rules: ProducerRules;
  private readonly input: RunAgentInput | undefined;
  private readonly protocolVersion: string | null;

  constructor(options: ProducerOptions) {
    const given = readable(() => ({ ...options }));
    const { input, openInterrupts, protocolVersion = OWN_VERSION.join("."), limits, onWarning, ...encoding } = given;
    if (protocolVersion !== null && typeof protocolVersion !== "string")
      throw usageError("bad_argument", 'protocolVersion must be a version such as "1.1", or null');
    if (onWarning !== undefined && typeof onWarning !== "function")
      throw usageError("bad_argument", "onWarning must be a function");
    const resolved = resolveEncodeOptions({ ...encoding, protocol: "ag-ui" }, true);
    const bounds = resolveLimits(limits);
    this.transport = resolved.transport;
    this.depth = resolved.depth;
    this.encoder = new EventEncoder(resolved);
    this.mediaType = this.encoder.mediaType;
    this.protocolVersion = protocolVersion;
    const tree = input === undefined ? undefined : judgeInput(input);
    this.input = tree?.value as RunAgentInput | undefined;
    this.reducer = reducerOf(tree, bounds);
    const entries = this.input?.resume ?? [];
    const matched = openInterrupts === undefined ? undefined : matchResume(openInterrupts, entries);
    this.resume = matched?.accepted ?? entries;
    this.uncoveredInterrupts = matched?.uncovered ?? [];
    this.rules = new ProducerRules(this.reducer, {
      threadId: this.input?.threadId,
      clientTools: new Set(this.input?.tools?.map(({ name }) => name)),
      uncovered: this.uncoveredInterrupts,
      protocolVersion,
    });
    for (const warning of matched?.warnings ?? []) onWarning?.(warning);
  }

  get status(): RunStatus {
    return this.reducer.run.status;
  }

  get pendingToolCallIds(): string[] {
    return viewOf(this.reducer).run.pendingToolCallIds as string[];
  }

  emit(event: AGUIEvent): Bytes {
    return (DELTAS.has(optionOf(event ?? undefined, "type")!) && this.emitDelta(event)) || this.emitWhole(event);
  }

  /** A plain delta of what is open goes out at once; everything else takes the long way. */
  private emitDelta(event: AGUIEvent): Bytes | undefined {
    const prototype = Object.getPrototypeOf(event);
    if (prototype !== Object.prototype && prototype !== null) return undefined;
    const bytes = this.encoder.encode(event);
    const told = this.reducer.appendText(event as unknown as JsonObject, SILENT);
    if (told === undefined) return undefined;
    this.rules.accept(told);
    return bytes;
  }

  private emitWhole(given: AGUIEvent): Bytes {
    const { value, depth, bound, exact } = ownTree(given, this.depth);
    judgeEvent(value);
    const declared =
      value.type === "RUN_STARTED" && !Object.hasOwn(value, "protocolVersion") ? this.protocolVersion : null;
    if (declared !== null) value.protocolVersion = declared;
    // A copy was made of it: it is plain data, and both say the same.
    const bytes = this.encoder.encode(declared === null ? given : { ...given, protocolVersion: declared });
    for (const one of this.meant(value)) {
      const fault = this.rules.judge(one, value);
      if (fault !== undefined) throw new StreamfoldError(fault);
    }
    const verdict = this.reducer.advance(value, { nesting: depth, bytes: bound, exact }, () => {});
    if (verdict.kind === "refused") throw new StreamfoldError(verdict.violation);
    this.rules.accept(value);
    return bytes;
  }

  /** What an event stands for; what cannot be expanded is refused by the reducer. */
  private meant(event: JsonObject): readonly JsonObject[] {
    const { lanes } = this.reducer.track;
    if (lanes.size === 0 && !CHUNKS.has(event.type as string)) return [event];
    const journal = new Journal();
    const meant = expand(event, lanes, journal);
    journal.rollback();
    return "code" in meant ? [] : meant;
  }

  start(fields: StartFields = {}): Bytes {
    const { threadId = "", runId = "", parentRunId } = this.input ?? {};
    const own = { threadId, runId, ...(parentRunId === undefined ? {} : { parentRunId }) };
    const given = withoutUndefined(fields) as StartFields;
    if (this.input === undefined && (given.threadId === undefined || given.runId === undefined))
      throw usageError("bad_argument", "without an input a run is started with a threadId and a runId");
    return this.emit({ type: "RUN_STARTED", ...own, ...given } as AGUIEvent);
  }

  finish(fields: FinishFields = {}): Bytes {
    return this.emit(this.finished(fields));
  }

  /** The RUN_FINISHED of the run, with the calls that are pending where it is a success. */
  private finished(fields: FinishFields): AGUIEvent {
    const { threadId = "", runId = "" } = this.reducer.run;
    const given = withoutUndefined(fields) as FinishFields;
    const outcome = given.outcome ?? { type: "success" as const };
    const pending = this.reducer.track.pendingCalls();
    const named =
      outcome.type === "success" && outcome.pendingToolCallIds === undefined && pending.length > 0
        ? { outcome: { ...outcome, pendingToolCallIds: pending } }
        : {};
    return { type: "RUN_FINISHED", threadId, runId, ...given, ...named } as AGUIEvent;
  }

  fail(message: string, fields: FailFields = {}): Bytes {
    return this.emit({ type: "RUN_ERROR", message, ...withoutUndefined(fields) } as AGUIEvent);
  }

  closeOpen(): Bytes[] {
    return this.closing().map((event) => this.emit(event));
  }

  cancel(fields: CancelFields = {}): Bytes[] {
    const finished = this.finished({ ...withoutUndefined(fields), outcome: { type: "cancelled" } });
    // What is wrong with it must show before anything is closed.
    judgeEvent(ownTree(finished, this.depth).value);
    this.encoder.encode(finished);
    return [...this.closeOpen(), this.emit(finished)];
  }

  snapshot<Model = AGUIModel>(): Model {
    this.reducer.model.messages.settle();
    return cloneValue(viewOf(this.reducer), "number") as Model;
  }

  /** Chunk streams are ended by whatever follows in their lane. */
  private closing(): AGUIEvent[] {
    const { track } = this.reducer;
    const { lanes } = track;
    const open: { event: AGUIEvent; number: number }[] = [];
    const add = (event: object, owner: Owner, number: number) => {
      open.push({ event: (owner === undefined ? event : { ...event, subagentRunId: owner }) as AGUIEvent, number });
    };
    for (const { id, owner, messageNumber } of track.openItems(MESSAGE))
      if (lanes.holding(TEXT_LANE, id) === undefined)
        add({ type: "TEXT_MESSAGE_END", messageId: id }, owner, messageNumber);
    for (const { id, owner, messageNumber } of track.openItems(CALL))
      if (lanes.holding(TOOL_LANE, id) === undefined)
        add({ type: "TOOL_CALL_END", toolCallId: id }, owner, messageNumber);
    for (const { id, owner, messageNumber } of track.openItems(REASONING))
      if (lanes.holding(REASONING_LANE, id) === undefined)
        add({ type: "REASONING_MESSAGE_END", messageId: id }, owner, messageNumber);
    for (const { id, owner, spanNumber } of track.openItems(REASONING, OPEN_SPAN))
      add({ type: "REASONING_END", messageId: id }, owner, spanNumber);
    open.sort((a, b) => b.number - a.number);
    const steps = track
      .steps()
      .reverse()
      .map(({ name, owner }) => ({
        type: "STEP_FINISHED",
        stepName: name,
        ...(owner === undefined ? {} : { subagentRunId: owner }),
      }));
    const subagents = track
      .activeSubagents()
      .reverse()
      .map((subagentRunId) => ({
        type: "SUBAGENT_ERROR",
        subagentRunId,
        message: "the run was stopped",
        code: "cancelled",
      }));
    return [...open.map(({ event }) => event), ...steps, ...subagents] as AGUIEvent[];
  }
}

/** The thread as the input has it (AG-UI C13, G4). */
function reducerOf(tree: OwnTree | undefined, limits: Limits): AguiReducer {
  if (tree === undefined) return new AguiReducer(limits, JUDGING, new Model(limits), new RunState());
  const { value, depth, bound, exact } = tree;
  const input = value as JsonObject;
  const messages = copyTree(input.messages) as JsonObject[];
  const state = own(input, "state");
  const source = { nesting: depth, bytes: bound, exact };
  const model = makeModel(messages, state === undefined ? {} : copyTree(state), source, limits);
  if ("code" in model) throw new StreamfoldError({ ...model, code: "bad_argument" });
  return new AguiReducer(limits, JUDGING, model, new RunState(input));
}

/** The members of fields that have a value. */
function withoutUndefined(fields: object): object {
  return readable(() => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));
}
