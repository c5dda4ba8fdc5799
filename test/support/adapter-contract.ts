import type { Engine, TranscoderOptions } from "../../src/engine/contract.js";
import { fold, view } from "./adapter-view.js";
import type { AguiEvent } from "./agui-events.js";
import { utf8 } from "./bytes.js";

export type ContractOptions = Pick<
  TranscoderOptions,
  "onViolation" | "onDeltaFailure" | "unknownEnum" | "input" | "maxProtocolVersion"
>;

/** What must never be seen on the other side. */
export const SECRET = "never carried";

/**
 * Holds an adapter to its contract, event by event: a strict AgentUE consumer accepts everything, holds what the AG-UI snapshot shows, and has an ended delivery at last.
 *
 * @param events AG-UI events, or what is none
 * @returns what is wrong, undefined when nothing is
 */
export function brokenContract(
  engine: Engine,
  events: readonly (AguiEvent | object)[],
  more: ContractOptions = {},
): string | undefined {
  const options = { ...more, protocol: "ag-ui", onError: () => {} } as const;
  const agui = engine.createReducer({ ...options, transport: "json" });
  const adapter = engine.createTranscoder({ ...options, from: "json", to: "ndjson", toProtocol: "agentue" });
  const faults: string[] = [];
  const agentue = engine.createReducer({
    protocol: "agentue",
    transport: "ndjson",
    sequence: "strict",
    onError: (error) => faults.push(`${error.code} ${error.path}`),
    onGap: (gap) => faults.push(`gap ${gap.lastSeq} ${gap.seq}`),
  });
  let output = "";
  const take = (bytes: Uint8Array): void => {
    output += new TextDecoder().decode(bytes);
    agentue.push(bytes);
  };
  const compare = (): string | undefined => {
    if (faults.length > 0) return `refused: ${faults.join(", ")}\n${output}`;
    if (output.includes(SECRET)) return `an encrypted value\n${output}`;
    if (agentue.status() === "none") return undefined;
    const seen = sorted(fold(agentue.snapshot()));
    const wanted = sorted(view(agui.snapshot()));
    return seen === wanted ? undefined : `seen   ${seen}\nwanted ${wanted}\n${output}`;
  };
  try {
    for (const [i, event] of events.entries()) {
      const bytes = utf8(JSON.stringify(event));
      agui.push(bytes);
      take(adapter.push(bytes));
      const different = compare();
      if (different !== undefined) return `after event ${i}: ${different}`;
    }
    agui.finish();
    take(adapter.finish());
    if (agentue.status() !== "ended") return `the delivery has not ended: ${agentue.status()}\n${output}`;
    return compare();
  } finally {
    agui.close();
    adapter.close();
    agentue.close();
  }
}

/** JSON with the members of every object in order. */
export function sorted(value: unknown): string {
  return JSON.stringify(sortKeys(value));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) {
    const member = sortKeys((value as Record<string, unknown>)[name]);
    Object.defineProperty(copy, name, { value: member, enumerable: true });
  }
  return copy;
}
