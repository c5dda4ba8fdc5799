import { readable } from "../arguments.js";
import { type StreamfoldError, usageError } from "../errors.js";
import type { InputWarning } from "./prepare-run-input.js";
import type { Interrupt, ResumeEntry } from "./types.generated.js";

/** What the user has said to an interrupt. */
export type Answer = Omit<ResumeEntry, "interruptId">;

/** What shows the interrupts of a run: an `AGUIModel`, or the parts of one that matter. */
export interface InterruptedRun {
  run: { status: string; interrupts: Interrupt[] };
}

/**
 * The interrupts that the next run on the thread has to answer (AG-UI H3, H4): those of a run that ended with them; none otherwise.
 *
 * @param snapshot `reducer.snapshot<AGUIModel>()`
 * @throws StreamfoldError `bad_argument` for what is none
 */
export function openInterrupts(snapshot: InterruptedRun): Interrupt[] {
  return readable(() => (snapshot.run.status === "interrupted" ? [...snapshot.run.interrupts] : []));
}

/**
 * Whether an interrupt has expired (AG-UI H6); one whose `expiresAt` is absent or no date never does.
 *
 * @param now milliseconds since 1970
 */
export function isExpired(interrupt: Interrupt, now: number): boolean {
  const { expiresAt } = readable(() => ({ expiresAt: interrupt.expiresAt }));
  // NaN is not at or before anything.
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

/**
 * Refuses a `resume` before anything is sent: entries name open interrupts, each once (AG-UI H4), all of which are answered (H5), and what has expired is
 * cancelled, not resolved (H6).
 *
 * @param open of `openInterrupts`
 * @param entries what is about to be sent
 * @param now milliseconds since 1970
 * @throws StreamfoldError `bad_argument` with a path into the run input (`/resume/0/interruptId`, `/resume/0/status`, `/resume`) and the interrupt's id as
 *   `subject`; `errors` holds all of them, this one first
 */
export function checkResume(
  open: readonly Interrupt[],
  entries: readonly ResumeEntry[],
  now: number = Date.now(),
): void {
  const [first, ...others] = readable(() => faultsOf(open, entries, now));
  if (first === undefined) return;
  first.errors = [first, ...others];
  throw first;
}

function faultsOf(open: readonly Interrupt[], entries: readonly ResumeEntry[], now: number): StreamfoldError[] {
  const errors: StreamfoldError[] = [];
  const refuse = (path: string, subject: string, detail: string) => {
    errors.push(usageError("bad_argument", detail, { path, subject }));
  };
  const byId = new Map(open.map((interrupt) => [interrupt.id, interrupt]));
  const answered = new Set<string>();
  for (const [index, { interruptId, status }] of entries.entries()) {
    const interrupt = byId.get(interruptId);
    if (interrupt === undefined) {
      refuse(`/resume/${index}/interruptId`, interruptId, "no open interrupt has this id");
    } else if (answered.has(interruptId)) {
      refuse(`/resume/${index}/interruptId`, interruptId, "an earlier entry answers this interrupt");
    } else if (status === "resolved" && isExpired(interrupt, now)) {
      refuse(`/resume/${index}/status`, interruptId, "the interrupt has expired and can only be cancelled");
    }
    answered.add(interruptId);
  }
  for (const { id } of open) {
    if (!answered.has(id)) refuse("/resume", id, `the interrupt ${JSON.stringify(id)} is not answered`);
  }
  return errors;
}

/**
 * The `resume` of the next run, in the order of the interrupts, having passed `checkResume`.
 *
 * @param open of `openInterrupts`
 * @param answers by the interrupts' ids
 * @param now milliseconds since 1970
 * @throws StreamfoldError `bad_argument` as `checkResume` does
 */
export function buildResume(
  open: readonly Interrupt[],
  answers: ReadonlyMap<string, Answer> | Readonly<Record<string, Answer>>,
  now: number = Date.now(),
): ResumeEntry[] {
  const entries = readable(() => entriesOf(open, answers));
  checkResume(open, entries, now);
  return entries;
}

function entriesOf(
  open: readonly Interrupt[],
  answers: ReadonlyMap<string, Answer> | Readonly<Record<string, Answer>>,
): ResumeEntry[] {
  const given: Iterable<[string, Answer]> = answers instanceof Map ? answers : Object.entries(answers);
  const left = new Map(given);
  const entries: ResumeEntry[] = [];
  for (const { id } of open) {
    const answer = left.get(id);
    if (answer === undefined) continue;
    entries.push({ interruptId: id, ...answer });
    left.delete(id);
  }
  for (const [interruptId, answer] of left) entries.push({ interruptId, ...answer });
  return entries;
}

/** What an agent makes of a `resume`. */
export interface MatchedResume {
  /** Entries for what was raised, the first one for each. */
  accepted: ResumeEntry[];
  /** Interrupts that nobody has answered: their action is neither performed nor taken for abandoned (AG-UI H10). */
  uncovered: Interrupt[];
  /** One for each other entry: the run goes on without it (H9). */
  warnings: InputWarning[];
}

/**
 * The agent's side: what a run input answers of what the last run on the thread has raised (AG-UI H9, H10). Payloads are the client's word: they are not judged.
 *
 * @param raised the interrupts of that run; empty when the run does not continue an interrupted one
 * @param resume of the run input
 * @throws StreamfoldError `bad_argument` for what are no lists of these
 */
export function matchResume(raised: readonly Interrupt[], resume: readonly ResumeEntry[] = []): MatchedResume {
  return readable(() => matched(raised, resume));
}

function matched(raised: readonly Interrupt[], resume: readonly ResumeEntry[]): MatchedResume {
  const open = new Map(raised.map((interrupt) => [interrupt.id, interrupt]));
  const accepted: ResumeEntry[] = [];
  const warnings: InputWarning[] = [];
  for (const [index, entry] of resume.entries()) {
    if (open.delete(entry.interruptId)) {
      accepted.push(entry);
      continue;
    }
    const path = `/resume/${index}/interruptId`;
    const message = `resume answers ${JSON.stringify(entry.interruptId)}, which is not open: ignored (at ${path})`;
    warnings.push({ code: "target_missing", path, message });
  }
  return { accepted, uncovered: [...open.values()], warnings };
}
