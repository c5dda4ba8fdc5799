import { expect } from "vitest";
import type { Engine, Protocol, Transport } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { concat } from "./bytes.js";
import { engine, KINDS } from "./engines.js";
import { canonical } from "./exact-json.js";
import { errorRecord } from "./fold.js";

/** A protocol over one of its wires. */
export type Wire = readonly [Protocol, Transport];

// the depth limit
const DEPTH = 24;

/** What a reducer came to, and what it said. */
export interface Told {
  applied: number;
  model: string;
  version: number;
  told: unknown[];
}

function fold(on: Engine, [protocol, transport]: Wire, chunks: readonly Uint8Array[], options: object = {}): Told {
  const told: unknown[] = [];
  const reducer = on.createReducer({
    protocol,
    transport,
    limits: { depth: DEPTH },
    onError: (error) => void told.push(errorRecord(error)),
    onWarning: ({ code, path, eventIndex }) => void told.push({ code, path, eventIndex }),
    ...options,
  });
  let applied = 0;
  for (const chunk of chunks) {
    try {
      applied += reducer.push(chunk);
    } catch (error) {
      const { code, applied: first } = error as StreamfoldError;
      told.push(code);
      applied += first!;
      break;
    }
  }
  const model = canonical(JSON.stringify(reducer.snapshot() ?? null));
  const { version } = reducer.changes({ since: 0 });
  reducer.close();
  return { applied, model, version, told };
}

const bytewise = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

/** Expects that messages of a wire mean the same one by one, all at once and byte by byte, on every engine. */
export function agree(wire: Wire, messages: readonly Uint8Array[], name: string, options: object = {}): Told {
  const expected = fold(engine("js"), wire, messages, options);
  for (const kind of KINDS) {
    expect(fold(engine(kind), wire, messages, options), `${kind}, one by one: ${name}`).toEqual(expected);
    expect(fold(engine(kind), wire, [concat(messages)], options), `${kind}, whole: ${name}`).toEqual(expected);
    expect(fold(engine(kind), wire, bytewise(concat(messages)), options), `${kind}, bytes: ${name}`).toEqual(expected);
  }
  return expected;
}
