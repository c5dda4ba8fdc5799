import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** A package, where it is installed: rivals are no part of this package, a checkout has them. */
export function installed<T>(name: string): T | undefined {
  try {
    return require(name) as T;
  } catch {
    return undefined;
  }
}

/** What is made at the first call: processes of other rows do not load it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A way to read the events of one connection out of its bytes; what is read differs. */
export interface Reading<T> {
  /** Takes one chunk, cut anywhere, and hands on what is complete. */
  push(chunk: Uint8Array, use: (event: T) => void): void;
}

/** Bytes that were held back, with those that have come behind them. */
export function joined(rest: Uint8Array | undefined, chunk: Uint8Array): Uint8Array {
  if (rest === undefined) return chunk;
  const bytes = new Uint8Array(rest.length + chunk.length);
  bytes.set(rest);
  bytes.set(chunk, rest.length);
  return bytes;
}
