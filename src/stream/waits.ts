import { optionOf } from "../arguments.js";
import type { FinishResult, SlimReducer } from "../engine/contract.js";
import { usageError } from "../errors.js";

/** What a body waits for before it is finished: a resolver of `streamfold/agentue` is one. */
export interface Waits {
  /** Resolves as soon as nothing is being loaded. */
  idle(): Promise<unknown>;
}

/** @throws StreamfoldError `bad_argument` for what cannot be waited for */
export function expectWaits(resolver: Waits | undefined): void {
  if (resolver !== undefined && typeof optionOf(Object(resolver) as Waits, "idle") !== "function")
    throw usageError("bad_argument", "resolver must be what createResolver gave");
}

/**
 * Finishes a body whose streams may wait for bodies of references. The message of its tail comes with `finish`, and may wait as well.
 *
 * @param until waits, unless the caller gives up
 */
export async function finishWaiting(
  reducer: SlimReducer,
  resolver: Waits,
  until: (idle: Promise<unknown>) => Promise<unknown>,
): Promise<FinishResult> {
  await until(resolver.idle());
  let thrown: { error: unknown } | undefined;
  try {
    reducer.finish();
  } catch (error) {
    thrown = { error };
  }
  await until(resolver.idle());
  if (thrown !== undefined) throw thrown.error;
  return reducer.finish();
}
