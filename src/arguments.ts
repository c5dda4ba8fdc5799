import { StreamfoldError, usageError } from "./errors.js";

/**
 * Runs what reads the arguments of a call: what their accessors or traps throw is the caller's mistake.
 *
 * @throws StreamfoldError `bad_argument`, with what was thrown as its cause, or the StreamfoldError that `read` throws
 */
export function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof StreamfoldError) throw error;
    const fault = usageError("bad_argument", "reading it has thrown");
    fault.cause = error;
    throw fault;
  }
}

/** A member of the options of a call; `bad_argument` where it cannot be read. */
export function optionOf<T extends object, K extends keyof T>(options: T | undefined, name: K): T[K] | undefined {
  return readable(() => options?.[name]);
}

/** Names of the members of options that may be misspelt: those of a plain object. An instance of a class may hold what it likes. */
export function namesIn(options: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(options);
  return prototype === null || Object.getPrototypeOf(prototype) === null ? Object.keys(options) : [];
}

/**
 * Refuses options that are no object, and members of a plain one that are none of `names`: a misspelt one would be left out in silence.
 *
 * @throws StreamfoldError `bad_argument`
 */
export function expectOptions(options: unknown, ...names: readonly string[]): void {
  if (options === null || typeof options !== "object")
    throw usageError("bad_argument", "the options must be an object");
  const unknown = readable(() => namesIn(options)).find((name) => !names.includes(name));
  if (unknown !== undefined) throw usageError("bad_argument", `there is no option ${JSON.stringify(unknown)}`);
}

/** What a value is, for messages. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value === "undefined" ? "undefined" : `a ${typeof value}`;
  try {
    return Array.isArray(value) ? "an array" : "an object";
  } catch {
    return "a revoked proxy";
  }
}

/** A value that is no name that there is, for messages: a string as JSON, anything else by what it is. */
export function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : describe(value);
}
