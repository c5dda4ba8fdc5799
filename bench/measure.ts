import { Bench } from "tinybench";
import type { Side } from "./contenders/contender.js";
import type { ContenderResult, Ratio } from "./results.js";
import { best, ratioOf } from "./results.js";
import { sameJson } from "./same-json.js";
import { quantile, summarize } from "./statistics.js";

/** One run of a contender: what stands outside of the clock is done before and after `run`. */
export interface Sample {
  /** The timed part. */
  run(): unknown;
  /** The final state after `run`, for comparison; not timed. */
  answer(): unknown;
  close(): void;
}

/** A contender of one case. */
export interface Contender {
  name: string;
  side: Side;
  /** Gets everything ready for one run on payload number `payload`. */
  prepare(payload: number): Sample;
}

/** Contenders that do the same work on the same payloads. */
export interface Trial {
  contenders: Contender[];
  /** Payloads of equal shape that the samples rotate through. */
  payloads: number;
  /** How many of them, from the first on, are compared before anything is timed. */
  verified: number;
  /** What every contender must answer for a payload. */
  expected(payload: number): unknown;
  /** Operations of one sample: its time is divided by it. */
  ops: number;
}

/** How long to measure one trial. */
export interface Effort {
  /** Rounds go on until this time has passed … */
  milliseconds: number;
  /** … but there are at least and at most so many. */
  rounds: readonly [least: number, most: number];
  /** Samples of each contender in a round. */
  iterations: number;
}

/** A contender whose answer differs: it is not timed. */
export class WrongAnswer extends Error {
  constructor(contender: string, payload: number) {
    super(`${contender} gives a wrong answer for payload ${payload}`);
  }
}

/**
 * Runs every contender on the payloads and compares the answers.
 *
 * @throws WrongAnswer for the first contender that differs
 */
export function verify(trial: Trial): void {
  for (let payload = 0; payload < trial.verified; payload++) {
    const expected = trial.expected(payload);
    for (const contender of trial.contenders) {
      const sample = contender.prepare(payload);
      sample.run();
      const same = sameJson(sample.answer(), expected);
      sample.close();
      if (!same) throw new WrongAnswer(contender.name, payload);
    }
  }
}

/** Receives every result, so that no call can be optimised away. */
export const sink: { value: unknown } = { value: undefined };

/**
 * Times the contenders of a verified trial. Rounds alternate between the contenders in changing order, so a machine that
 * slows down slows all of them; each round gives every contender the same payloads.
 *
 * @param scale nanoseconds of the result's unit: 1 for nanoseconds, 1000 for microseconds
 * @returns per operation, in the unit: one result a contender, and the ratio, with its quartiles, over the rounds
 */
export function time(
  trial: Trial,
  effort: Effort,
  scale: number,
): { contenders: ContenderResult[]; ratio: Ratio | undefined } {
  const bench = new Bench({ time: 0, iterations: effort.iterations, warmup: false, retainSamples: true, throws: true });
  let payload = 0;
  for (const contender of trial.contenders) {
    let sample: Sample;
    bench.add(
      contender.name,
      () => {
        sink.value = sample.run();
      },
      {
        async: false,
        beforeEach() {
          sample = contender.prepare(payload++ % trial.payloads);
        },
        afterEach() {
          sample.close();
        },
      },
    );
  }
  const samples = trial.contenders.map((): number[] => []);
  const medians = trial.contenders.map((): number[] => []);
  const perOperation = 1e6 / trial.ops / scale;
  const start = performance.now();
  // Round -1 warms up: its samples are dropped.
  for (let round = -1; round < effort.rounds[1]; round++) {
    if (round >= effort.rounds[0] && performance.now() - start > effort.milliseconds) break;
    const turnOf = round + 1;
    const count = trial.contenders.length;
    // Everybody goes first in turn, and the direction changes when everybody has.
    const step = Math.floor(turnOf / count) % 2 === 0 ? 1 : count - 1;
    for (let turn = 0; turn < count; turn++) {
      const index = (turnOf + turn * step) % count;
      payload = turnOf * effort.iterations;
      const task = bench.tasks[index]!;
      task.reset(false);
      task.runSync();
      const result = task.result;
      if (!("latency" in result) || result.latency.samples === undefined)
        throw new Error(`${task.name} gave no samples`);
      if (round < 0) continue;
      const times = result.latency.samples.map((milliseconds) => milliseconds * perOperation);
      samples[index]!.push(...times);
      medians[index]!.push(
        quantile(
          [...times].sort((a, b) => a - b),
          0.5,
        ),
      );
    }
  }
  const contenders = trial.contenders.map(({ name, side }, index) => ({ name, side, ...summarize(samples[index]!) }));
  const paired = pair(contenders, medians);
  return { contenders: paired, ratio: ratioOf(paired) };
}

/** Adds to the contenders on the JavaScript side how they compare with the best WebAssembly contender, round by round: both met the same machine there. */
function pair(contenders: readonly ContenderResult[], medians: readonly number[][]): ContenderResult[] {
  const wasm = best(contenders, "wasm");
  if (wasm === undefined) return [...contenders];
  const ours = medians[contenders.indexOf(wasm)]!;
  return contenders.map((contender, index) => {
    if (contender.side === "wasm") return contender;
    const rounds = medians[index]!.map((value, round) => value / ours[round]!).sort((a, b) => a - b);
    const [low, value, high] = [0.25, 0.5, 0.75].map((q) => quantile(rounds, q)) as [number, number, number];
    return { ...contender, paired: { value, low, high } };
  });
}
