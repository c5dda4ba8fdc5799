import { expect } from "vitest";
import type { EmitterTransport } from "../../src/agentue/index.js";
import type { StreamfoldError } from "../../src/errors.js";
import { engine, KINDS } from "../support/engines.js";
import type { Json } from "./support.js";

/** Strict consumers on every engine, and the events that they accepted. */
export function consumers(transport: EmitterTransport) {
  const events: Json[] = [];
  const reducers = KINDS.map((kind, i) =>
    engine(kind).createReducer({
      protocol: "agentue",
      transport,
      sequence: "strict",
      ...(i === 0 && { onEvent: (event: unknown) => void events.push(event as Json) }),
    }),
  );
  const take = (written: Uint8Array | Uint8Array[]): void => {
    for (const bytes of Array.isArray(written) ? written : [written]) {
      if (bytes.length > 0 || transport === "json") for (const reducer of reducers) reducer.push(bytes);
    }
  };
  const model = (streamId = ""): unknown => {
    const models = reducers.map((reducer) => reducer.snapshot({ streamId }));
    for (const other of models) expect(other).toEqual(models[0]);
    return models[0];
  };
  const close = (): void => {
    for (const reducer of reducers) reducer.close();
  };
  return { events, reducers, take, model, close };
}

export function refusal(run: () => unknown): { code: string; path: string | undefined } | undefined {
  try {
    run();
  } catch (error) {
    const { code, path } = error as StreamfoldError;
    return { code, path };
  }
  return undefined;
}
