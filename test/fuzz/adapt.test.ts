import { describe, expect, it } from "vitest";
import type { OnDeltaFailure, OnViolation } from "../../src/engine/contract.js";
import { fold, view } from "../support/adapter-view.js";
import type { AguiEvent } from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { AguiGenerator } from "./agui-generate.js";
import { rounds } from "./clock.js";

interface Script {
  events: AguiEvent[];
  onViolation: OnViolation;
  onDeltaFailure: OnDeltaFailure;
}

/** A marker that must never be seen on the other side. */
const SECRET = "never carried";

function generate(rng: Rng): Script {
  const generator = new AguiGenerator(rng, {
    mutations: rng.pick([0, 0, 0.05, 0.2]),
    odd: rng.chance(0.6),
    apart: rng.chance(0.5),
  });
  const events: AguiEvent[] = [];
  for (let count = rng.between(2, 60); count > 0; count--) events.push(withSecrets(rng, generator.event()));
  return {
    events,
    onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"]),
    onDeltaFailure: rng.pick(["warn", "fail", "upsert"]),
  };
}

/** Puts the marker where the protocol has a place for an encrypted value. */
function withSecrets(rng: Rng, event: AguiEvent): AguiEvent {
  if (event.type === "REASONING_ENCRYPTED_VALUE")
    return { ...event, encryptedValue: SECRET, encryptedValueType: SECRET };
  if (event.type !== "MESSAGES_SNAPSHOT" || !Array.isArray(event.messages)) return event;
  const keep = (one: unknown): unknown =>
    typeof one === "object" && one !== null && rng.chance(0.5) ? { ...one, encryptedValue: SECRET } : one;
  const messages = event.messages.map((message: Record<string, unknown> | null) => {
    if (typeof message !== "object" || message === null || message.role === "activity") return message;
    const calls = Array.isArray(message.toolCalls) ? { toolCalls: message.toolCalls.map(keep) } : {};
    return keep({ ...message, ...calls });
  });
  return { ...event, messages };
}

/** What is wrong with how a script is adapted, step by step; undefined when nothing is. */
function wrong({ events, onViolation, onDeltaFailure }: Script): string | undefined {
  const js = engine("js");
  const options = { protocol: "ag-ui", onViolation, onDeltaFailure, onError: () => {} } as const;
  const agui = js.createReducer({ ...options, transport: "json" });
  const adapter = js.createTranscoder({ ...options, from: "json", to: "ndjson", toProtocol: "agentue" });
  const faults: string[] = [];
  const agentue = js.createReducer({
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
    const seen = JSON.stringify(sortKeys(fold(agentue.snapshot())));
    const wanted = JSON.stringify(sortKeys(view(agui.snapshot())));
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

describe("AG-UI as AgentUE", () => {
  it("is accepted by a strict consumer, and says after every event what the snapshot shows", () => {
    const count = rounds(6, 300, (seed) => {
      const script = generate(new Rng(seed));
      if (wrong(script) === undefined) return;
      let { events } = script;
      for (let at = events.length - 1; at >= 0; at--) {
        const fewer = [...events.slice(0, at), ...events.slice(at + 1)];
        if (wrong({ ...script, events: fewer }) !== undefined) events = fewer;
      }
      const smaller = { ...script, events };
      expect.fail(
        `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed})\n${wrong(smaller)}\n${events.map((event) => JSON.stringify(event)).join("\n")}`,
      );
    });
    expect(count).toBeGreaterThanOrEqual(300);
  });
});
