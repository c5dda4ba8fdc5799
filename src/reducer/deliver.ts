import type { Report } from "../engine/contract.js";
import { StreamfoldError, type WarningFacts } from "../errors.js";
import type { Listeners } from "./options.js";

/** What came of delivering the reports of one call. */
export interface Delivered {
  errors: StreamfoldError[];
  /** The first exception of a listener, boxed because anything may be thrown. */
  thrown: { value: unknown } | undefined;
}

/**
 * Calls the listeners in the order of the wire. One that throws does not keep the others from being called.
 *
 * @param reports what one call of the session brought forth
 * @param describe the text of a warning
 * @returns every error among the reports, and the first exception of a listener
 */
export function deliver(reports: readonly Report[], listeners: Listeners, describe: DescribeWarning): Delivered {
  const delivered: Delivered = { errors: [], thrown: undefined };
  for (let i = 0; i < reports.length; i++) {
    const report = reports[i]!;
    const error = report.kind === "error" ? new StreamfoldError(report.fault) : undefined;
    if (error !== undefined) delivered.errors.push(error);
    try {
      call(report, error, listeners, describe);
    } catch (exception) {
      delivered.thrown ??= { value: exception };
    }
  }
  return delivered;
}

/** The text of a warning. */
export type DescribeWarning = (warning: WarningFacts) => string;

function call(
  report: Report,
  error: StreamfoldError | undefined,
  listeners: Listeners,
  describe: DescribeWarning,
): void {
  switch (report.kind) {
    case "event":
      listeners.onEvent?.(report.event, { streamId: report.streamId, eventIndex: report.eventIndex });
      break;
    case "warning": {
      const { kind, reason, received, ...warning } = report;
      listeners.onWarning?.({ ...warning, message: describe(report) });
      break;
    }
    case "gap":
      listeners.onGap?.(report.gap);
      break;
    case "unresolved":
      listeners.onUnresolved?.(report.pause);
      break;
    case "error":
      // What the caller did wrong is for the caller: it is thrown, whoever listens.
      if (error!.scope !== "usage") listeners.onError?.(error!);
  }
}

/** The error a call throws, told how many events were accepted and what else went wrong. */
export function failureOf(
  first: StreamfoldError,
  applied: number,
  errors: readonly StreamfoldError[],
): StreamfoldError {
  first.applied = applied;
  first.errors = [first, ...errors.filter((error) => error !== first)];
  return first;
}
