/** Where a failure belongs: the transport connection, one logical stream, or the caller's use of the API. */
export type ErrorScope = "connection" | "stream" | "usage";

/** Every error code with its scope and the sentence its message begins with. The position in the list is the id in assembly/abi/codes.ts. */
const ERROR_TABLE = [
  ["bad_frame", "connection", "The framing of the body is broken"],
  ["bad_json", "connection", "The message is not well-formed JSON"],
  ["invalid_utf8", "connection", "The message is not well-formed UTF-8"],
  ["bad_msgpack", "connection", "The message is not well-formed MessagePack"],
  ["bad_protobuf", "connection", "The message is not well-formed protobuf"],
  ["not_an_event", "connection", "The message cannot be routed as an event"],
  ["too_large", "connection", "The message is larger than the limit"],
  ["too_deep", "connection", "The message is nested deeper than the limit"],
  ["unknown_op", "stream", "The event has an unknown op"],
  ["unknown_field", "stream", "The event has an unknown member"],
  ["missing_field", "stream", "The event lacks a member"],
  ["bad_field", "stream", "A member has a value that it must not have"],
  ["bad_mask", "stream", "The mask is not valid for this op"],
  ["bad_model", "stream", "The model is malformed"],
  ["bad_block", "stream", "The block is malformed"],
  ["duplicate_id", "stream", "Two blocks have the same id"],
  ["missing_block", "stream", "There is no block with this id"],
  ["unresolved_reference", "stream", "The block is a reference that has not been materialized"],
  ["type_mismatch", "stream", "The value in the model does not allow this patch"],
  ["stale_seq", "stream", "The seq is not above the last one"],
  ["no_model", "stream", "The stream has no model yet"],
  ["after_end", "stream", "The stream has ended"],
  ["limit", "stream", "A limit would be exceeded"],
  ["bad_event", "stream", "{type} is malformed"],
  ["bad_order", "stream", "The event must not stand here"],
  ["bad_attribution", "stream", "The event belongs to another agent than what it names"],
  ["chunk_conflict", "stream", "The chunk does not fit the open message"],
  ["delta_failed", "stream", "The delta cannot be applied"],
  ["closed", "usage", "This object is closed"],
  ["reentrant", "usage", "This must not be called from inside a listener or callback"],
  ["not_json", "usage", "The value cannot be expressed as JSON"],
  ["unsupported_transport", "usage", "This transport or format is not supported here"],
  ["engine_lost", "usage", "The engine has failed and cannot be used any more"],
  ["out_of_memory", "usage", "The engine has no memory left"],
  ["bad_checkpoint", "usage", "The checkpoint cannot be read"],
  ["bad_argument", "usage", "An argument is not valid"],
  ["bad_patch", "usage", "The patch is malformed"],
  ["middleware_failed", "stream", "A middleware or hook has failed"],
  ["frame_conflict", "stream", "The frame does not fit the others of its block"],
  ["missing_frames", "stream", "Frames of the block are missing"],
  ["unresolved_frames", "stream", "The block is still in frames"],
  ["load_failed", "stream", "The body of a reference could not be loaded"],
] as const;

/** The closed set of error codes. */
export type ErrorCode = (typeof ERROR_TABLE)[number][0];

/** Why a value was refused; the position in the list is the id in assembly/abi/codes.ts. */
export const REASONS = [
  "",
  "a member is missing",
  "it is not allowed with this op",
  "it must be a string",
  "it must be a non-empty string",
  "it must be a string or null",
  "it must be an integer from 0 to 2^53-1",
  "it must be an object",
  "it must be an object or null",
  "it must be an array",
  "it must be a string or an array",
  "a mask is meta.<path> or block.<path> with non-empty segments",
  "the members id and ref of a block cannot be patched",
  "append takes block.<field> with one segment",
  'error takes the mask "meta.error"',
  'the version must be "1.0" or "1.1"',
  "references need a model of version 1.1",
  "a reference holds id and ref only",
  "a patch must not carry a reference",
  "the block in the model is not a reference",
  "depth",
  "numberLength",
  "blocks",
  "modelBytes",
  "streams",
  "queuedBytes",
  "messageBytes",
  "there is no value at this pointer",
  "the array index is not valid",
  "the array index is out of range",
  "the parent is neither an object nor an array",
  "the values are not equal",
  "a value cannot be moved into itself",
  "the root cannot be removed",
  "it must be a JSON pointer",
  "it must be one of add, remove, replace, move, copy, test",
  "operations",
  "expected string, received {received}",
  "expected object, received {received}",
  "expected array, received {received}",
  "expected boolean, received {received}",
  "expected an integer within ±(2^53-1), received {received}",
  "expected an integer from 0 to 2^53-1, received {received}",
  "expected any value but null, received null",
  "expected string or array, received {received}",
  'expected "{subject}", received {received}',
  "expected one of the values that the schema lists, received {received}",
  "expected at least one element",
  "First event must be 'RUN_STARTED', not '{type}'",
  "Cannot send 'RUN_STARTED' while a run is still active",
  "Cannot send '{type}': The run has already finished with 'RUN_FINISHED'",
  "Cannot send '{type}': The run has already errored with 'RUN_ERROR'",
  "Cannot send '{type}': A text message with ID '{subject}' is already in progress",
  "Cannot send '{type}': A tool call with ID '{subject}' is already in progress",
  "Cannot send '{type}': A reasoning message with ID '{subject}' is already in progress",
  "Cannot send '{type}': A reasoning span with ID '{subject}' is already in progress",
  "Cannot send '{type}': No active text message found with ID '{subject}'",
  "Cannot send '{type}': No active tool call found with ID '{subject}'",
  "Cannot send '{type}': No active reasoning message found with ID '{subject}'",
  "Cannot send '{type}': No active reasoning span found with ID '{subject}'",
  "Cannot send 'RUN_FINISHED' while text messages are still active: {subject}",
  "Cannot send 'RUN_FINISHED' while tool calls are still active: {subject}",
  "Cannot send 'RUN_FINISHED' while reasoning messages are still active: {subject}",
  "Cannot send 'RUN_FINISHED' while reasoning spans are still active: {subject}",
  "Cannot send 'RUN_FINISHED' while steps are still active: {subject}",
  "Cannot send 'RUN_FINISHED' while subagents are still active: {subject}",
  "Step '{subject}' is already active",
  "Cannot send 'STEP_FINISHED' for step '{subject}' that was not started",
  "Cannot send 'STEP_FINISHED': step '{subject}' must be finished by whoever started it",
  "Cannot send 'SUBAGENT_STARTED': subagent '{subject}' is already active",
  "Cannot send 'SUBAGENT_STARTED': subagent '{subject}' has already finished in this run",
  "Cannot send 'SUBAGENT_STARTED': parentSubagentRunId '{subject}' has not been started in this run",
  "Cannot send '{type}': no active subagent found with ID '{subject}'",
  "Cannot send '{type}': subagentRunId '{subject}' does not match the owner of what it names",
  "Cannot send '{type}': the call's subagent does not match the owner of its parent message '{subject}'",
  "chunk role '{subject}' does not match the open stream's role",
  "chunk name '{subject}' does not match the open stream's name",
  "chunk toolCallName '{subject}' does not match the open stream's toolCallName",
  "chunk parentMessageId '{subject}' does not match the open stream's parentMessageId",
  "chunk subagentRunId '{subject}' does not match the open stream's subagent",
  "Ambiguous {type}: it has neither an id nor a subagentRunId, and several subagents have an open one",
  "First {type} must have a {subject}",
  "items",
  "a run is running",
  "the middleware for '{type}' has thrown",
  "the bytes end inside of a value",
  "bytes follow the value",
  "no format begins with the byte C1",
  "a key must be a string",
  "JSON has no form for this extension",
  "the timestamp is not valid",
  "JSON has no form for NaN and infinities",
  "a number is beyond the range of a double",
  'it must be "frame"',
  "it must be an integer from 1 to 2^53-1",
  "it holds half of a surrogate pair",
  "it is a frame of another block",
  "its total is another one",
  "its seq is not below its total",
  "another frame has its seq",
  "the block is whole already",
  "it is not the id that the frames name",
  "frames are not nested",
  "frames hold no references",
  "groups",
  "bytes",
  "frames",
  "it must be the id that was asked for",
  "outputBytes",
  "the id of the run is too long for ids made of it",
] as const;

/** The closed set of warning codes; the position plus one is the id in assembly/abi/codes.ts. */
export const WARNING_CODES = [
  "duplicate_seq",
  "utf8_replaced",
  "unknown_event",
  "unknown_property",
  "unknown_variant",
  "unknown_enum",
  "legacy_event",
  "legacy_null",
  "legacy_part",
  "legacy_dropped",
  "downgraded",
  "version_newer",
  "version_unreadable",
  "delta_failed",
  "delta_upserted",
  "target_missing",
  "target_mismatch",
  "tool_renamed",
  "bad_arguments",
  "lossy",
] as const;
export type WarningCode = (typeof WARNING_CODES)[number];

/** The texts of warnings that concern both protocols; the others stand in warnings.ts. */
export const SHARED_WARNINGS = {
  duplicate_seq: "An event whose seq is not above the last one was skipped",
  utf8_replaced: "Ill-formed UTF-8 was replaced by U+FFFD",
} as const satisfies Partial<Record<WarningCode, string>>;

const ROW = new Map<string, (typeof ERROR_TABLE)[number]>(ERROR_TABLE.map((row) => [row[0], row]));

/** A failure as the engines report it: plain data, no message yet. */
export interface Fault {
  code: ErrorCode;
  /** Number from the `R_` list of assembly/abi/codes.ts. */
  reason?: number;
  /** Free text in the place of a reason: of usage errors, and of what a function of the application gives. */
  detail?: string;
  streamId?: string;
  seq?: number;
  eventIndex?: number;
  byteOffset?: number;
  /** JSON pointer (RFC 6901) into the event, model, block, value or patch; of `delta_failed` into the document. */
  path?: string;
  opIndex?: number;
  /** AG-UI: the type of the event. */
  eventType?: string;
  /** AG-UI: the id, name or value that the reason speaks of. Storage frames: the id of the block they are of. */
  subject?: string;
  /** AG-UI: what kind of JSON value came instead of the expected one. */
  received?: string;
  /** What a function of the application has thrown. */
  cause?: unknown;
}

/** How a function of the application has failed. */
export type HandlerFailure = Pick<Fault, "detail" | "cause">;

/** Middleware has given something that is no event. */
export const NO_EVENT_GIVEN: HandlerFailure = {
  detail: "the middleware for '{type}' has given something that is no event",
};

/** The code that belongs to a numeric id of the core (`E_` in assembly/abi/codes.ts). */
export function errorCode(id: number): ErrorCode {
  return ERROR_TABLE[id - 1]![0];
}

/** The scope of a code: which of connection, stream or caller has failed. */
export function errorScope(code: ErrorCode): ErrorScope {
  return ROW.get(code)![1];
}

/** The text of a failure, built from its code, reason and position; the same for both engines. */
export function errorMessage(fault: Fault): string {
  let text: string = ROW.get(fault.code)![2].replace("{type}", fault.eventType ?? "The event");
  // "The event lacks a member: a member is missing" would say it twice.
  const reason = fault.detail ?? (fault.code === "missing_field" ? "" : REASONS[fault.reason ?? 0]);
  if (reason) text += `: ${fillIn(reason, fault)}`;
  if (fault.path !== undefined) text += ` (at ${fault.path === "" ? "the root" : fault.path})`;
  if (fault.opIndex !== undefined) text += ` (operation ${fault.opIndex})`;
  const where: string[] = [];
  if (fault.streamId) where.push(`stream ${JSON.stringify(fault.streamId)}`);
  if (fault.seq !== undefined) where.push(`seq ${fault.seq}`);
  if (fault.eventIndex !== undefined) where.push(`event ${fault.eventIndex}`);
  if (fault.byteOffset !== undefined) where.push(`byte ${fault.byteOffset}`);
  return where.length ? `${text} [${where.join(", ")}]` : text;
}

/** What the text of a warning is built from. */
export interface WarningFacts {
  code: WarningCode;
  path?: string;
  opIndex?: number;
  eventType?: string;
  subject?: string;
  /** Number from the `R_` list: why a patch failed. */
  reason?: number;
  received?: string;
}

/** Puts what is known of an event into the places of a text. */
export function fillIn(text: string, facts: { eventType?: string; subject?: string; received?: string }): string {
  if (!text.includes("{")) return text;
  const values: Record<string, string> = {
    type: facts.eventType ?? "the event",
    subject: facts.subject ?? "",
    received: facts.received ?? "nothing",
    kind: facts.eventType === "ACTIVITY_DELTA" ? "activity" : "state",
  };
  return text.replace(/\{(type|subject|received|kind)\}/g, (_, name: string) => values[name] as string);
}

/** Known to every copy of this package in a process: ESM and CommonJS, or two versions. */
const BRAND: unique symbol = Symbol.for("streamfold.error");

/**
 * The one error class of this package. `instanceof` also knows errors of another copy of the package: one loaded by `import`, one by `require`.
 *
 * `code` is one of a closed set, `scope` says who failed (docs/errors.md); the position members are there where they exist:
 * `streamId` (`""` is the unnamed stream), `seq`, `eventIndex` (messages, from 0), `byteOffset` (wire bytes, from 0), `path` (JSON pointer, RFC 6901), `opIndex`;
 * of AG-UI also `eventType`, `subject` (the id, name or value that is meant) and `received` (the kind of value that came). Of storage frames `subject` is the id of
 * their block.
 * An error thrown by `push` also holds `applied`, the number of events of that chunk that were accepted, and `errors`, every failure of that chunk.
 */
export class StreamfoldError extends Error {
  override readonly name = "StreamfoldError";
  readonly code: ErrorCode;
  readonly scope: ErrorScope;
  declare readonly streamId?: string;
  declare readonly seq?: number;
  declare readonly eventIndex?: number;
  declare readonly byteOffset?: number;
  declare readonly path?: string;
  declare readonly opIndex?: number;
  declare readonly eventType?: string;
  declare readonly subject?: string;
  declare readonly received?: string;
  /** Set on the error that `push`, `apply`, `resume` or `finish` throws. */
  declare applied?: number;
  /** Set on the error that `push`, `apply`, `resume` or `finish` throws: all failures of the call, this one first. */
  declare errors?: StreamfoldError[];

  /** Whether a value is an error of this package, whichever copy made it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    try {
      return typeof value === "object" && value !== null && BRAND in value;
    } catch {
      return false;
    }
  }

  get [BRAND](): true {
    return true;
  }

  constructor(fault: Fault) {
    super(errorMessage(fault));
    this.code = fault.code;
    this.scope = errorScope(fault.code);
    if (fault.streamId !== undefined) this.streamId = fault.streamId;
    if (fault.seq !== undefined) this.seq = fault.seq;
    if (fault.eventIndex !== undefined) this.eventIndex = fault.eventIndex;
    if (fault.byteOffset !== undefined) this.byteOffset = fault.byteOffset;
    if (fault.path !== undefined) this.path = fault.path;
    if (fault.opIndex !== undefined) this.opIndex = fault.opIndex;
    if (fault.eventType !== undefined) this.eventType = fault.eventType;
    if (fault.subject !== undefined) this.subject = fault.subject;
    if (fault.received !== undefined) this.received = fault.received;
    if ("cause" in fault) this.cause = fault.cause;
  }
}

/** A usage error: `detail` says what was wrong, `place` where. */
export function usageError(
  code: ErrorCode,
  detail?: string,
  place: Pick<Fault, "path" | "subject"> = {},
): StreamfoldError {
  return new StreamfoldError(detail === undefined ? { code, ...place } : { code, detail, ...place });
}
