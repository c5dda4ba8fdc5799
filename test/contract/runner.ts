import { describe, expect, it } from "vitest";
import type { EngineKind, Gap, ReferencePause, StreamStatus, Transport } from "../../src/engine/contract.js";
import { type ErrorCode, errorScope } from "../../src/errors.js";
import { carried } from "../support/binary.js";
import { concat, utf8 } from "../support/bytes.js";
import { type Chunking, everyCut, randomCuts, standardChunkings, WHOLE } from "../support/chunking.js";
import { engine, KINDS, type ReducerKind, SLIM_KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { type ErrorRecord, Fold, type Options, type WarningRecord } from "../support/fold.js";
import { same } from "../support/same.js";
import { type SseSpelling, sseEvent } from "../support/sse.js";
import { KNOWN_DIFFERENCES } from "./known-differences.js";

/** A call between messages. It gets the fold and a label for its failure messages. */
export interface Call {
  call: string;
  run(fold: Fold, label: string): void;
}

/** An event (object or JSON text), raw wire bytes, or a call. */
export type Step = string | Record<string, unknown> | Uint8Array | Call;

/** `path` is compared strictly (absent: there must be none); the other positions only where they are stated. */
export type ExpectedError = Pick<ErrorRecord, "path" | "streamId" | "seq" | "eventIndex" | "byteOffset" | "opIndex"> & {
  code: ErrorCode;
};

export interface ExpectedStream {
  /** Default: the unnamed stream. */
  streamId?: string;
  status: StreamStatus;
  /** Compared where stated; `seq: undefined` means unknown. */
  seq?: number | undefined;
  version?: number;
  /** The model, as an object or, where digits matter, as JSON text. */
  model?: unknown;
}

/** One case: what goes in, and everything that must be observed, whatever the engine, the transport and the cuts. */
export interface Case {
  name: string;
  options?: Options;
  /**
   * Default: the three text wires for events, and the binary ones that carry them as they stand and where no place in the wire is stated; they are
   * then also run through `apply`. Raw bytes name their transport.
   */
  transports?: readonly Transport[];
  steps: readonly Step[];
  applied: number;
  errors?: readonly ExpectedError[];
  /** `path` is compared strictly, other members only where they are stated. */
  warnings?: readonly (Pick<WarningRecord, "code"> & Partial<WarningRecord>)[];
  gaps?: readonly Gap[];
  /** Streams that paused by themselves; default none. */
  pauses?: readonly Partial<ReferencePause>[];
  /** All streams that exist in the end, in the order they were opened; not compared where absent. */
  streams?: readonly ExpectedStream[];
  /** Calls `finish()` in the end and compares its status. */
  finish?: "complete" | "truncated";
  /** Compared where stated; undefined means unknown. */
  lastEventId?: string | undefined;
  retry?: number | undefined;
  /** AG-UI: warnings that were merged into others, and so are counted alone. Default 0. */
  merged?: number;
  /** The accepted events as listeners get them; not compared where absent. */
  events?: readonly unknown[];
  /** Cuts the body at every byte (short bodies). */
  everyCut?: boolean;
  /** Spelled as one compact data line only, because the case counts the bytes of messages. */
  plain?: true;
  /** Further things to look at in the end, before `finish()`. */
  inspect?(fold: Fold, label: string): void;
  /** False for a case that `apply` cannot express. */
  apply?: false;
  /** False where the case itself changes streams between messages by other means than events. */
  atomic?: false;
}

/** Runs the cases of one topic on every engine, transport and chunking. */
export function contract(topic: string, cases: readonly Case[]): void {
  const names = new Set<string>();
  for (const one of cases) {
    if (names.has(one.name)) throw new Error(`two cases of ${topic} are called "${one.name}"`);
    names.add(one.name);
  }
  describe(topic, () => {
    it("known differences name cases that exist", () => {
      for (const { case: listed } of KNOWN_DIFFERENCES) {
        if (listed.startsWith(`${topic} > `)) expect([...names], listed).toContain(listed.slice(topic.length + 3));
      }
    });
    it("no case is missing on a binary wire that carries it beyond doubt", () => {
      for (const [wire, isCarried] of Object.entries(BEYOND_DOUBT)) {
        const sure = cases.filter((one) => namesNoWire(one) && hasWire(one, wire) && eventsOf(one).every(isCarried));
        const missing = sure.filter((one) => !transportsFor(one).includes(wire as Transport));
        expect(
          missing.map(({ name }) => name),
          wire,
        ).toEqual([]);
      }
    });
    for (const kind of KINDS) {
      describe(kind, () => {
        for (const one of cases)
          it(one.name, () => runListed(`${topic} > ${one.name}`, kind, () => runCase(one, kind)));
      });
    }
    const slim = cases.filter(runsOnSlim);
    it("the slim builds run all cases of AgentUE but those of a binary wire alone", () => {
      const others = cases.filter((one) => isAgui(one) || one.transports?.every((wire) => !TEXT.includes(wire)));
      expect(slim.length).toBe(cases.length - others.length);
      if (topic !== "msgpack" && !cases.some(isAgui)) expect(slim.length).toBeGreaterThan(cases.length * 0.9);
    });
    for (const kind of slim.length > 0 ? SLIM_KINDS : []) {
      describe(kind, () => {
        for (const one of slim) it(one.name, () => runCase(one, kind));
      });
    }
  });
}

/** Runs a test that may be listed in known-differences.ts: a listed one must fail. */
export function runListed(name: string, kind: EngineKind, run: () => void): void {
  const listed = KNOWN_DIFFERENCES.find((entry) => entry.case === name && entry.engine === kind);
  if (listed === undefined) {
    run();
    return;
  }
  let differs = false;
  try {
    run();
  } catch {
    differs = true;
  }
  expect(differs, `known-differences.ts: "${name}" no longer differs in ${kind}; remove the entry`).toBe(true);
}

const PLAIN: SseSpelling = {};
const ORNATE: SseSpelling = { eol: ["\r\n", "\n", "\r"], comments: true, multiLine: true, noSpace: true };
const TEXT: readonly Transport[] = ["sse", "ndjson", "json"];

type EventStep = Exclude<Step, Call>;

const isAgui = (one: Case): boolean => one.options?.protocol === "ag-ui";

/** Whether a case is one of AgentUE that a text wire carries. */
const runsOnSlim = (one: Case): boolean =>
  !isAgui(one) && (one.transports === undefined || one.transports.some((wire) => TEXT.includes(wire)));

const eventsOf = (one: Case): EventStep[] => one.steps.filter((step): step is EventStep => !isCall(step));

/** Whether a case runs on whatever wire carries its events. Binary wires have numbers, not their texts. */
function namesNoWire(one: Case): boolean {
  if (one.transports !== undefined || one.plain || one.options?.limits?.numberLength !== undefined) return false;
  return !one.errors?.some((error) => "byteOffset" in error);
}

const hasWire = (one: Case, wire: string): boolean => wire !== "protobuf" || one.options?.protocol === "ag-ui";

/** A lone half of a pair: `JSON.stringify` escapes no other ones. */
const HALF = /\\ud[89a-f]/;

/** What a binary wire carries for sure, said without its codec: otherwise a codec that carries nothing would leave its wire out of all cases in silence. */
const BEYOND_DOUBT: Readonly<Record<"msgpack" | "protobuf", (step: EventStep) => boolean>> = {
  msgpack: (step) => typeof step === "object" && !(step instanceof Uint8Array) && !HALF.test(JSON.stringify(step)),
  protobuf: (step) => {
    if (typeof step !== "object" || step instanceof Uint8Array || HALF.test(JSON.stringify(step))) return false;
    const { type, ...members } = step;
    const names = STRINGS[type as string];
    return (
      names?.length === Object.keys(members).length &&
      names.every((name) => typeof members[name] === "string" && members[name] !== "")
    );
  },
};

/** Events of strings alone, and what they are called. */
const STRINGS: Readonly<Record<string, readonly string[]>> = {
  RUN_STARTED: ["threadId", "runId"],
  RUN_ERROR: ["message"],
  STEP_STARTED: ["stepName"],
  STEP_FINISHED: ["stepName"],
  TEXT_MESSAGE_START: ["messageId", "role"],
  TEXT_MESSAGE_CONTENT: ["messageId", "delta"],
  TEXT_MESSAGE_END: ["messageId"],
  TOOL_CALL_START: ["toolCallId", "toolCallName"],
  TOOL_CALL_ARGS: ["toolCallId", "delta"],
  TOOL_CALL_END: ["toolCallId"],
  REASONING_START: ["messageId"],
  REASONING_MESSAGE_CONTENT: ["messageId", "delta"],
  REASONING_END: ["messageId"],
};

/** The wires on which a case runs that names none. */
function transportsFor(one: Case): readonly Transport[] {
  const wires: Transport[] = [...TEXT];
  if (!namesNoWire(one)) return wires;
  const events = eventsOf(one);
  const all = (transport: "msgpack" | "protobuf"): boolean =>
    events.every((event) => carried(transport, eventText(event as string)) !== undefined);
  if (all("msgpack")) wires.push("msgpack");
  if (hasWire(one, "protobuf") && all("protobuf")) wires.push("protobuf");
  return wires;
}

/** Runs one case on one engine in every way it can be delivered. */
export function runCase(one: Case, kind: ReducerKind): void {
  const raw = one.steps.some((step) => step instanceof Uint8Array);
  if (raw && one.transports === undefined) throw new Error("raw bytes need `transports`");
  const refuses = one.errors !== undefined || one.warnings !== undefined;
  const isSlim = (SLIM_KINDS as readonly ReducerKind[]).includes(kind);
  for (const transport of one.transports ?? transportsFor(one)) {
    if (isSlim && !TEXT.includes(transport)) continue;
    const plain = deliveries(one.steps, transport, PLAIN);
    const length = size(plain);
    const chunkings = one.everyCut
      ? [...standardChunkings(length, 7), ...everyCut(length)]
      : standardChunkings(length, 7);
    for (const chunking of transport === "json" ? [WHOLE] : chunkings) feed(one, kind, transport, plain, chunking, "");
    if (transport === "sse" && !raw && !one.plain) {
      const ornate = deliveries(one.steps, transport, ORNATE);
      for (const chunking of [WHOLE, randomCuts(11)]) feed(one, kind, transport, ornate, chunking, " (ornate)");
    }
    if (!raw && refuses && one.atomic !== false) feedAtomically(one, kind, transport);
  }
  if (!raw && one.apply !== false && !one.errors?.some((error) => errorScope(error.code) === "connection")) {
    applyTexts(one, kind);
    applyObjects(one, kind);
  }
}

/** The steps of a case as wire bytes: the messages between two calls, and the calls. */
type Delivery = Call | Uint8Array[];

function deliveries(steps: readonly Step[], transport: Transport, spelling: SseSpelling): Delivery[] {
  const out: Delivery[] = [];
  for (const step of steps) {
    const last = out.at(-1);
    if (isCall(step)) out.push(step);
    else if (Array.isArray(last)) last.push(encode(step, transport, spelling));
    else out.push([encode(step, transport, spelling)]);
  }
  return out;
}

function size(list: readonly Delivery[]): number {
  return list.reduce(
    (sum, one) => sum + (Array.isArray(one) ? one.reduce((bytes, message) => bytes + message.length, 0) : 0),
    0,
  );
}

function isCall(step: Step): step is Call {
  return typeof step === "object" && typeof (step as Call).run === "function";
}

/** The JSON text of an event step. */
export function eventText(step: string | Record<string, unknown>): string {
  return typeof step === "string" ? step : JSON.stringify(step);
}

function encode(step: Exclude<Step, Call>, transport: Transport, spelling: SseSpelling): Uint8Array {
  if (step instanceof Uint8Array) return step;
  const json = eventText(step);
  if (transport === "sse") return utf8(sseEvent(json, spelling));
  if (transport === "msgpack" || transport === "protobuf") {
    const bytes = carried(transport, json);
    if (bytes === undefined) throw new Error(`${transport} does not carry ${json}`);
    return bytes;
  }
  return utf8(transport === "ndjson" ? `${json}\n` : json);
}

/** Feeds all messages between two calls as one body, cut up; a message of `json` is one push. */
function feed(
  one: Case,
  kind: ReducerKind,
  transport: Transport,
  list: readonly Delivery[],
  chunking: Chunking,
  note: string,
): void {
  const label = `${kind}, ${transport}${note}, ${chunking.name}`;
  const fold = new Fold(engine(kind), transport, one.options);
  try {
    for (const delivery of list) {
      if (!Array.isArray(delivery)) delivery.run(fold, `${label}: ${delivery.call}`);
      else {
        const chunks = transport === "json" ? delivery : chunking.split(concat(delivery));
        for (const chunk of chunks) if (fold.failure === undefined) fold.push(chunk);
      }
    }
    check(one, fold, label);
  } finally {
    fold.reducer.close();
  }
}

/** One message a push; whatever was refused must have left no trace. */
function feedAtomically(one: Case, kind: ReducerKind, transport: Transport): void {
  const label = `${kind}, ${transport}, one message at a time`;
  const fold = new Fold(engine(kind), transport, one.options);
  try {
    for (const step of one.steps) {
      if (isCall(step)) {
        step.run(fold, `${label}: ${step.call}`);
        continue;
      }
      if (fold.failure !== undefined) continue;
      const before = fold.fingerprint();
      const errors = fold.errors.length;
      const count = fold.push(encode(step, transport, PLAIN));
      if (count === 0 || fold.errors.length > errors) {
        same(fold.fingerprint(), before, `${label}: a refused event left a trace: ${describeStep(step)}`);
      }
    }
    check(one, fold, label);
  } finally {
    fold.reducer.close();
  }
}

function applyTexts(one: Case, kind: ReducerKind): void {
  const label = `${kind}, apply(text)`;
  const fold = new Fold(engine(kind), "json", one.options);
  try {
    for (const step of one.steps) {
      if (isCall(step)) step.run(fold, `${label}: ${step.call}`);
      else fold.apply(eventText(step as string));
    }
    check(one, fold, label);
  } finally {
    fold.reducer.close();
  }
}

/** The same through `apply(object)`, twice: objects only, and bytes and objects in turn. Only where JSON.parse loses nothing. */
function applyObjects(one: Case, kind: ReducerKind): void {
  const lossless = one.steps.every((step) => isCall(step) || survivesParse(eventText(step as string)));
  if (!lossless) return;
  for (const mixed of [false, true]) {
    const label = `${kind}, ${mixed ? "bytes and apply(object) in turn" : "apply(object)"}`;
    const fold = new Fold(engine(kind), "json", one.options);
    try {
      for (const [index, step] of one.steps.entries()) {
        if (isCall(step)) {
          step.run(fold, `${label}: ${step.call}`);
          continue;
        }
        const json = eventText(step as string);
        if (mixed && index % 2 === 0) fold.push(utf8(json));
        else {
          const value = JSON.parse(json) as unknown;
          fold.apply(value);
          expect(JSON.stringify(value), `${label}: apply changed the caller's object`).toBe(
            JSON.stringify(JSON.parse(json)),
          );
        }
      }
      check(one, fold, label);
    } finally {
      fold.reducer.close();
    }
  }
}

function survivesParse(json: string): boolean {
  return canonical(JSON.stringify(JSON.parse(json))) === canonical(json);
}

function describeStep(step: Step): string {
  return step instanceof Uint8Array ? JSON.stringify(new TextDecoder().decode(step)) : eventText(step as string);
}

function check(one: Case, fold: Fold, label: string): void {
  one.inspect?.(fold, label);
  const result = one.finish === undefined ? undefined : fold.finish();
  const errors = fold.errors;
  const wanted = one.errors ?? [];
  const listed = errors.map((error, i) => pick(error, ["code", "path", ...Object.keys(wanted[i] ?? error)]));
  same(listed, wanted, `${label}: errors`);
  for (const error of errors)
    same(error.scope, errorScope(error.code as ErrorCode), `${label}: scope of ${error.code}`);
  const warnings = fold.warnings.map((warning, i) =>
    pick(warning, ["path", ...Object.keys(one.warnings?.[i] ?? warning)]),
  );
  same(warnings, one.warnings ?? [], `${label}: warnings`);
  same(fold.gaps, one.gaps ?? [], `${label}: gaps`);
  const pauses = fold.pauses.map((pause, i) => pick(pause, Object.keys(one.pauses?.[i] ?? pause)));
  same(pauses, one.pauses ?? [], `${label}: pauses`);
  same(fold.applied, one.applied, `${label}: applied`);
  if (one.streams !== undefined) checkStreams(one.streams, fold, label);
  if (result !== undefined) {
    const streams = fold.streams().map(({ streamId, status }) => ({ streamId, status }));
    same(result, { status: one.finish, streams }, `${label}: finish`);
    same(fold.finish(), result, `${label}: finish called again`);
  }
  if ("lastEventId" in one) same(fold.reducer.lastEventId, one.lastEventId, `${label}: lastEventId`);
  if ("retry" in one) same(fold.reducer.retry, one.retry, `${label}: retry`);
  if (one.events !== undefined) same(fold.events, one.events, `${label}: events`);
  checkConsistency(one, fold, label);
}

function checkStreams(wanted: readonly ExpectedStream[], fold: Fold, label: string): void {
  const states = fold.streams();
  const listed = states.map((state, i) => pick(state, ["streamId", ...Object.keys(wanted[i] ?? state)]));
  const expected = wanted.map((stream) => ({
    streamId: "",
    ...stream,
    ...(stream.model === undefined ? {} : { model: canonicalOf(stream.model) }),
  }));
  same(listed, expected, `${label}: streams`);
}

/** A snapshot: of AgentUE with blocks, of AG-UI with messages. */
type Parsed = Record<"blocks" | "messages", unknown[]>;

/** What must hold after every run, whatever the case is about. */
function checkConsistency(one: Case, fold: Fold, label: string): void {
  const isAgui = one.options?.protocol === "ag-ui";
  const stats = fold.reducer.stats();
  const counted = { applied: stats.applied, errors: stats.errors, warnings: stats.warnings, streams: stats.streams };
  const seen = {
    applied: fold.applied,
    errors: fold.errors.length,
    warnings: fold.warnings.length + (one.merged ?? 0),
    streams: fold.reducer.streamIds().length,
  };
  same(counted, seen, `${label}: stats()`);
  if (!isAgui) same(fold.events.length, fold.applied, `${label}: one onEvent for each accepted event`);
  for (const streamId of fold.reducer.streamIds()) {
    const bytes = fold.reducer.snapshotBytes({ streamId });
    const parsed = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Parsed;
    same(JSON.stringify(fold.reducer.snapshot({ streamId })), JSON.stringify(parsed), `${label}: snapshot()`);
    const blocks = isAgui ? parsed.messages : parsed.blocks;
    same(fold.reducer.stats({ streamId }).blocks, blocks.length, `${label}: stats().blocks`);
    const view = fold.reducer.withSnapshotBytes((open) => open.slice(), { streamId });
    same(view, bytes, `${label}: withSnapshotBytes`);
  }
  if (fold.failure !== undefined) fold.push(utf8("x"));
}

/** Canonical text of a model stated as an object or as JSON text. */
export function canonicalOf(model: unknown): string {
  return canonical(typeof model === "string" ? model : JSON.stringify(model));
}

function pick(from: object, names: readonly string[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name of names) if (name in from) out[name] = (from as Record<string, unknown>)[name];
  return out;
}
