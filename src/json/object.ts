/** A JSON object as `JSON.parse` makes it: own members only, `__proto__` being one like any other. */
export type JsonObject = Record<string, unknown>;

/**
 * An own member's value.
 *
 * @returns undefined when there is no such own member; inherited names (`constructor`, `__proto__`) do not count
 */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets an own member in its place or as the last one; `__proto__` becomes an own member too. */
export function put(object: JsonObject, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
}

/** One step of a JSON pointer, with its slash (RFC 6901 §3). */
export function pointerStep(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Whether an object is `{…}` or has no prototype, from whichever realm; a proxy that does not tell is not. */
export function isPlain(value: object): boolean {
  try {
    const prototype = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
  } catch {
    return false;
  }
}
