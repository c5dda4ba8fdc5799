import type { RunStatus } from "../../src/engine/contract.js";
import type { ErrorCode } from "../../src/errors.js";
import { type AguiEvent, raw, started } from "../support/agui-events.js";
import type { ErrorRecord, Fold, Options, WarningRecord } from "../support/fold.js";
import { same } from "../support/same.js";
import { type Case, canonicalOf, contract, type Step } from "./runner.js";

export type AguiOptions = Omit<Options, "protocol">;

/** `path` and `opIndex` are compared strictly (absent: there must be none), `message` by what it contains, other members where stated. */
export type Expected<T> = Pick<T, "code" & keyof T> & Partial<T>;
export type ExpectedFault = Omit<Expected<ErrorRecord>, "code" | "scope"> & { code: ErrorCode };

/** A case of the shared runner, with AG-UI's observations. */
export interface AguiCase extends Omit<Case, "applied" | "errors" | "warnings" | "options" | "events" | "streams"> {
  options?: AguiOptions;
  /** Default: every event but those of `skipped` and those from the first error on. */
  applied?: number;
  /** Events dropped with a warning. Default 0. */
  skipped?: number;
  errors?: readonly ExpectedFault[];
  /** In order; none where absent. */
  warnings?: readonly Expected<WarningRecord>[];
  status?: RunStatus;
  /** Default: `applied`, and one more for a stream that is rejected in the end. */
  version?: number;
  /** All messages, in their order and with their members in order; a string is JSON text. */
  messages?: unknown;
  state?: unknown;
  /** Members of the snapshot's `run`; undefined: not there. */
  run?: Readonly<Record<string, unknown>>;
  /** The types of what `onEvent` is told. */
  types?: readonly string[];
  /** What `onEvent` is told, with members in order. */
  events?: readonly unknown[];
}

/** Runs the cases of one topic of AG-UI on every engine, transport and chunking. */
export function agui(topic: string, cases: readonly AguiCase[]): void {
  contract(
    topic,
    cases.map((one) => toCase(one)),
  );
}

function toCase({ skipped = 0, status, version, messages, state, run, types, events, ...one }: AguiCase): Case {
  const count = one.steps.filter((step) => !isCall(step)).length;
  const accepted = one.errors?.[0]?.eventIndex ?? count;
  const applied = one.applied ?? accepted - skipped;
  const errors = one.errors?.map(({ message: _, ...error }) => error);
  const warnings = one.warnings?.map(({ message: _, ...warning }) => warning);
  return {
    ...one,
    applied,
    options: { protocol: "ag-ui", ...one.options },
    ...(errors === undefined ? {} : { errors }),
    ...(warnings === undefined ? {} : { warnings }),
    inspect(fold, label) {
      checkTexts(one, fold, label);
      const { reducer } = fold;
      const snapshot = JSON.parse(new TextDecoder().decode(reducer.snapshotBytes())) as Snapshot;
      same(Object.keys(snapshot), ["messages", "state", "run"], `${label}: members of the snapshot`);
      same(reducer.status(), snapshot.run.status, `${label}: status()`);
      const rejection = snapshot.run.status === "rejected" ? 1 : 0;
      same(reducer.stats({ streamId: "" }).version, version ?? applied + rejection, `${label}: version`);
      if (one.applied === undefined) same(reducer.stats().skipped, skipped, `${label}: skipped`);
      if (status !== undefined) same(snapshot.run.status, status, `${label}: status`);
      if (messages !== undefined) checkExact(fold, "messages", messages, label);
      if (state !== undefined) checkExact(fold, "state", state, label);
      for (const [name, value] of Object.entries(run ?? {})) {
        same(JSON.stringify(snapshot.run[name]), JSON.stringify(value), `${label}: run.${name}`);
      }
      const told = fold.events as AguiEvent[];
      if (types !== undefined)
        same(
          told.map(({ type }) => type),
          types,
          `${label}: types of events`,
        );
      if (events !== undefined)
        same(
          told.map((event) => JSON.stringify(event)),
          events.map((event) => JSON.stringify(event)),
          `${label}: events`,
        );
      one.inspect?.(fold, label);
    },
  };
}

interface Snapshot {
  messages: unknown[];
  state: unknown;
  run: Record<string, unknown>;
}

function isCall(step: Step): boolean {
  return typeof step === "object" && typeof (step as { run?: unknown }).run === "function";
}

/** A member of the snapshot with its digits and the order of its members. */
function checkExact(fold: Fold, member: "messages" | "state", wanted: unknown, label: string): void {
  const snapshot = canonicalOf(new TextDecoder().decode(fold.reducer.snapshotBytes()));
  const value = canonicalOf(wanted);
  const [from, to] = member === "messages" ? ['{"messages":', ',"state":'] : [',"state":', ',"run":'];
  const at = member === "messages" ? 0 : snapshot.indexOf(`${from}${value}${to}`);
  if (at < 0 || !snapshot.startsWith(`${from}${value}${to}`, at)) {
    same(snapshot, `…${from}${value}${to}…`, `${label}: ${member}`);
  }
}

function checkTexts(one: Pick<AguiCase, "errors" | "warnings">, fold: Fold, label: string): void {
  for (const [list, wanted] of [
    [fold.errors, one.errors],
    [fold.warnings, one.warnings],
  ] as const) {
    for (const [index, { message }] of (wanted ?? []).entries()) {
      if (message !== undefined && !list[index]?.message?.includes(message))
        same(list[index]?.message, message, `${label}: message`);
    }
  }
  for (const { opIndex, code } of fold.errors) {
    const wanted = one.errors?.find((error) => error.code === code);
    same(opIndex, wanted?.opIndex, `${label}: opIndex of ${code}`);
  }
}

export interface Refusal extends Partial<Omit<AguiCase, "name" | "steps" | "errors" | "applied" | "version">> {
  /** False: `before` begins with the first event of the body. Default: RUN_STARTED comes before. */
  start?: false;
  /** An event that is accepted after the refused one was skipped, and its effect on status; default RAW. */
  follow?: AguiEvent;
  /** Status when the event alone is skipped. Default "running". */
  goesOn?: RunStatus;
}

/**
 * Two cases for one refused event: refused with the stream, and skipped alone; what follows is dropped in the first and
 * accepted in the second. Everything else that is stated holds in both.
 */
export function refused(
  name: string,
  before: readonly AguiEvent[],
  event: AguiEvent | string,
  error: Omit<ExpectedFault, "eventIndex" | "streamId">,
  more: Refusal = {},
): AguiCase[] {
  const { start, follow = raw(), goesOn = "running", skipped = 0, options, types, ...rest } = more;
  const first = start === false ? before : [started(), ...before];
  const steps = [...first, event, follow];
  const errors = [{ ...error, streamId: "", eventIndex: first.length } as ExpectedFault];
  const common = { ...rest, steps, errors, skipped };
  return [
    {
      ...common,
      name,
      ...(options === undefined ? {} : { options }),
      status: "rejected",
      ...(types === undefined ? {} : { types }),
    },
    {
      ...common,
      name: `${name} (skip-event)`,
      options: { ...options, onViolation: "skip-event" },
      applied: first.length - skipped + 1,
      status: goesOn,
      ...(types === undefined ? {} : { types: [...types, follow.type] }),
    },
  ];
}

/** A user's message of a model. */
export const user = (id: string, content: unknown = "?"): Record<string, unknown> => ({ id, role: "user", content });
/** An assistant's message as text events make it. */
export const assistant = (
  id: string,
  content: string,
  more: Record<string, unknown> = {},
): Record<string, unknown> => ({
  id,
  role: "assistant",
  content,
  ...more,
});
/** An assistant's message that a tool call made, and its calls. */
export const caller = (id: string, ...toolCalls: unknown[]): Record<string, unknown> => ({
  id,
  role: "assistant",
  toolCalls,
});
export const call = (
  id: string,
  args: string,
  more: Record<string, unknown> = {},
  name = "f",
): Record<string, unknown> => ({
  id,
  type: "function",
  function: { name, arguments: args },
  ...more,
});
