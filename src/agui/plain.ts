/** Levels looked into; what lies deeper is refused by whoever judges the value. */
const LEVELS = 4096;

/** The value without members that are undefined, as `JSON.stringify` leaves them out; everything else as it is. */
export function withoutUndefined(value: unknown, level = 0): unknown {
  if (typeof value !== "object" || value === null || level > LEVELS) return value;
  if (Array.isArray(value)) return value.map((element) => withoutUndefined(element, level + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutUndefined(member, level + 1)]));
}
