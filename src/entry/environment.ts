import type { LoadOptions, RequestedKind } from "../engine/loading.js";
import { usageError } from "../errors.js";

/**
 * The options with the kind that the environment variable STREAMFOLD_ENGINE asks for, where the caller leaves the choice.
 *
 * @throws StreamfoldError `bad_argument` when it names none of `kinds`
 */
export function withEnvironment<Kind extends RequestedKind>(
  options: LoadOptions<Kind> | undefined,
  kinds: readonly Kind[],
): { chosen: LoadOptions<Kind> | undefined; reason?: string } {
  const wish = process.env.STREAMFOLD_ENGINE;
  if (!wish || (options?.kind ?? "auto") !== "auto") return { chosen: options };
  const kind = kinds.find((known) => known === wish);
  if (kind === undefined) {
    throw usageError("bad_argument", `the environment variable STREAMFOLD_ENGINE must be one of ${kinds.join(", ")}`);
  }
  const reason = `the environment variable STREAMFOLD_ENGINE asks for "${wish}"`;
  return { chosen: { ...options, kind }, reason };
}
