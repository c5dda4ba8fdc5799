import { StreamfoldError, usageError } from "../errors.js";

/**
 * Runs what reads the options of a call: what their accessors or traps throw is the caller's mistake.
 *
 * @throws StreamfoldError `bad_argument`, with what was thrown as its cause, or the StreamfoldError that `read` throws
 */
export function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof StreamfoldError) throw error;
    const fault = usageError("bad_argument", "the options cannot be read");
    fault.cause = error;
    throw fault;
  }
}

/** A member of the options of a call; `bad_argument` where it cannot be read. */
export function optionOf<T extends object, K extends keyof T>(options: T | undefined, name: K): T[K] | undefined {
  return readable(() => options?.[name]);
}
