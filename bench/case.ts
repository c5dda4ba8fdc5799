import type { Engine } from "../src/engine/contract.js";
import type { AguiContender } from "./agui/contenders.js";
import type { PartialParse } from "./cases/partial.js";
import type { EngineReport } from "./contenders/engines.js";
import { short } from "./format.js";
import { type Effort, type Trial, time, verify } from "./measure.js";
import { isMet, type RowResult, ratioOver, type Target, type Unit } from "./results.js";

export type Mode = "quick" | "full";

/** What a case may use. */
export interface BenchContext {
  mode: Mode;
  engines: EngineReport[];
  /** JSON Patch libraries that are installed here. */
  patchLibraries: AguiContender[];
  /** partial-json, where it is installed. */
  partialJson?: PartialParse | undefined;
  /** Whether the official AG-UI client is installed here. */
  officialClient: boolean;
}

/** What a case finds out; the rest of the row is its description. */
export type Outcome = Pick<RowResult, "contenders" | "ratio" | "figure">;

/** One row of the table. */
export interface Case {
  /** Path-like, what `--filter` is matched with (and the title). */
  id: string;
  group: string;
  title: string;
  unit: Unit;
  target?: Target;
  /** @throws WrongAnswer before anything is timed */
  run(context: BenchContext): Outcome;
}

/** The engines that run here, WebAssembly first. */
export function runningEngines(context: BenchContext): Engine[] {
  return context.engines.flatMap(({ engine }) => (engine === undefined ? [] : [engine]));
}

const SCALE: Record<Unit, number> = { "ns/event": 1, us: 1000, ms: 1e6, "B/B": 1 };

/** Milliseconds, rounds and iterations of an ordinary case in each mode. */
const EFFORT: Record<Mode, Effort> = {
  quick: { milliseconds: 500, rounds: [4, 40], iterations: 4 },
  full: { milliseconds: 5000, rounds: [8, 200], iterations: 4 },
};

/** Verifies a trial and times it. */
export function measureTrial(trial: Trial, unit: Unit, mode: Mode, effort: Partial<Effort> = {}): Outcome {
  verify(trial);
  return time(trial, { ...EFFORT[mode], ...effort }, SCALE[unit]);
}

/** An outcome with the ratio to each of some libraries in words, where they took part: a row's own ratio is that to the best contender. */
export function withRatios(outcome: Outcome, libraries: readonly string[]): Outcome {
  const ratios = libraries.flatMap((library) => {
    const value = ratioOver(outcome.contenders, library);
    return value === undefined ? [] : [{ library, value }];
  });
  if (ratios.length === 0) return outcome;
  const value = Math.min(...ratios.map((each) => each.value));
  return {
    ...outcome,
    figure: { value, text: ratios.map((each) => `${short(each.value)}x ${each.library}`).join(", ") },
  };
}

/** Runs a case to its row; a failure becomes the row's error. */
export function runCase(each: Case, context: BenchContext): RowResult {
  const { id, group, title, unit, target } = each;
  const row: RowResult = { id, group, title, unit, contenders: [], ...(target === undefined ? {} : { target }) };
  try {
    Object.assign(row, each.run(context));
  } catch (error) {
    row.error = error instanceof Error ? error.message : String(error);
  }
  const met = isMet(row);
  if (met !== undefined) row.met = met;
  return row;
}
