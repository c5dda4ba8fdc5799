import type { SerializedError } from "vitest";
import type { Reporter, TestModule, Vitest } from "vitest/node";

/** What the closing line counts. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Counts the tests of a run. A file or suite that failed outside a test (it did not load, a hook threw) and every
 * unhandled error count as one failure each; a test that never finished counts as failed.
 */
export function countTests(
  modules: ReadonlyArray<TestModule>,
  unhandledErrors: ReadonlyArray<SerializedError>,
): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0) counts.failed++;
    for (const suite of module.children.allSuites()) if (suite.errors().length > 0) counts.failed++;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      counts[state === "pending" ? "failed" : state]++;
    }
  }
  return counts;
}

/** `N passed, N failed`, followed by `, N skipped` only when some were. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** A line above the count that says which engines alone took part; empty when all did. */
export function narrowedLine(engines: string | undefined): string {
  return engines ? `Narrowed: STREAMFOLD_TEST_ENGINES lets these engines alone take part: ${engines}\n` : "";
}

/**
 * Prints the count of a run as the last line of all. It is written when the process exits: the other reporters and the
 * runner itself print after the run's end, and nothing may stand below the line.
 */
export default class ClosingLineReporter implements Reporter {
  #counts: Counts | undefined;

  onInit(vitest: Vitest): void {
    if (vitest.config.watch) return;
    process.once("exit", () => {
      if (!this.#counts) return;
      const narrowed = narrowedLine(process.env.STREAMFOLD_TEST_ENGINES);
      process.stdout.write(`${narrowed}${closingLine(this.#counts)}\n`);
    });
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<SerializedError>): void {
    this.#counts = countTests(modules, unhandledErrors);
  }
}
