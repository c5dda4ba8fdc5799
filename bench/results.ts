import type { EngineKind } from "../src/engine/contract.js";
import type { Side } from "./contenders/contender.js";

/** What the numbers of a row count. `ns` and `us` are per operation, `ms` per process, `ratio` bytes per byte of text. */
export type Unit = "ns/event" | "us" | "ms" | "B/B";

/** One contender's samples, in the row's unit. */
export interface ContenderResult {
  name: string;
  side: Side;
  median: number;
  p25: number;
  p75: number;
  min: number;
  max: number;
  samples: number;
  /** How many times as long as the best WebAssembly contender it took: of the rounds, in each of which both met the same machine, the median and the quartiles. */
  paired?: { value: number; low: number; high: number };
  /** Further figures of this contender, in words. */
  detail?: string;
}

/** How many times as long the best JavaScript contender takes as the best WebAssembly contender; above 1 WebAssembly wins. */
export interface Ratio {
  /** The median over the rounds where rounds were paired, otherwise one median divided by the other. */
  value: number;
  /** Its quartiles, where rounds were paired. */
  low?: number;
  high?: number;
  wasm: string;
  js: string;
}

/** What a row is expected to show: a ratio of at least, or a figure of at most, this value; or so many times the speed of each of some libraries. */
export type Target =
  | { kind: "ratio-at-least" | "figure-at-most"; value: number }
  | { kind: "ratio-to-each"; over: Readonly<Record<string, number>> };

export interface RowResult {
  id: string;
  group: string;
  title: string;
  unit: Unit;
  contenders: ContenderResult[];
  ratio?: Ratio;
  /** A figure of the best WebAssembly contender beside its ratio, with the words that explain it. */
  figure?: { value: number; text: string };
  target?: Target;
  met?: boolean;
  /** Why the row was not timed: a contender whose answer was wrong, or a process that failed. */
  error?: string;
}

export interface Machine {
  cpu: string;
  cores: number;
  memory: number;
  os: string;
  node: string;
  v8: string;
}

/** What `--json` writes. */
export interface Results {
  format: 1;
  date: string;
  mode: "quick" | "full";
  machine: Machine;
  engines: { kind: EngineKind; available: boolean; reason: string }[];
  rows: RowResult[];
}

/** The contender of one side with the lowest median. */
export function best(contenders: readonly ContenderResult[], side: Side): ContenderResult | undefined {
  return contenders
    .filter((contender) => contender.side === side)
    .reduce<ContenderResult | undefined>(
      (least, each) => (least === undefined || each.median < least.median ? each : least),
      undefined,
    );
}

/** The ratio of a row, when both sides took part. */
export function ratioOf(contenders: ContenderResult[]): Ratio | undefined {
  const wasm = best(contenders, "wasm");
  const js = best(contenders, "js");
  if (wasm === undefined || js === undefined) return undefined;
  return { value: js.median / wasm.median, ...js.paired, wasm: wasm.name, js: js.name };
}

/** The usual ways of JavaScript programs have one of these in their name; the others are written for speed alone. */
const USUAL = /JSON\.(parse|stringify)/;

/** How many times the best WebAssembly contender is faster than the best JavaScript contender that goes a usual way. */
export function usualRatio(contenders: ContenderResult[]): number | undefined {
  const usual = contenders.filter(({ name, side }) => side === "wasm" || USUAL.test(name));
  return ratioOf(usual)?.value;
}

/**
 * How many times faster the best WebAssembly contender is than the best of the contenders whose names begin with that of a library.
 *
 * @returns undefined where one of the two did not take part
 */
export function ratioOver(contenders: ContenderResult[], library: string): number | undefined {
  const rivals = contenders.filter(({ name, side }) => side === "wasm" || name.startsWith(library));
  return ratioOf(rivals)?.value;
}

/** Whether a row shows what is expected of it; undefined without a target or without the figure it speaks of. */
export function isMet(row: RowResult): boolean | undefined {
  if (row.target === undefined || row.error !== undefined) return undefined;
  if (row.target.kind === "ratio-to-each") {
    const ratios = Object.entries(row.target.over).map(([library, least]) => {
      const ratio = ratioOver(row.contenders, library);
      return ratio === undefined ? undefined : ratio >= least;
    });
    return ratios.includes(undefined) ? undefined : !ratios.includes(false);
  }
  if (row.target.kind === "ratio-at-least")
    return row.ratio === undefined ? undefined : row.ratio.value >= row.target.value;
  return row.figure === undefined ? undefined : row.figure.value <= row.target.value;
}
