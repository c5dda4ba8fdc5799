import { describe, expect, it } from "vitest";
import { AguiGenerator } from "../fuzz/agui-generate.js";
import { firstSeed, seconds } from "../fuzz/clock.js";
import type { AguiEvent } from "../support/agui-events.js";
import { engine, KINDS } from "../support/engines.js";
import { officialClient } from "../support/official-client.js";
import { Rng } from "../support/rng.js";
import { comparable, LEFT_OUT } from "./agui-left-out.js";

// The same events through `@ag-ui/client` and through streamfold: one verdict, the same messages, the same state.

/** What it comes to, with members by name and minted ids by number. */
interface Outcome {
  verdict: "accepted" | "refused";
  messages: string;
  state: string;
}

const MINTED = /"(?:thinking-r\d*-\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g;

function plain(value: unknown): string {
  const minted = new Map<string, number>();
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
  return text.replace(MINTED, (id) => {
    if (!minted.has(id)) minted.set(id, minted.size);
    return `"minted ${minted.get(id)}"`;
  });
}

function ours(kind: (typeof KINDS)[number], events: readonly AguiEvent[]): Outcome & { warnings: string[] } {
  const warnings: string[] = [];
  const reducer = engine(kind).createReducer({
    protocol: "ag-ui",
    transport: "json",
    onError: () => {},
    onWarning: ({ message }) => void warnings.push(message),
  });
  for (const event of events) reducer.apply(kind === "js" ? event : JSON.stringify(event));
  const { messages, state } = reducer.snapshot<{ messages: unknown; state: unknown }>()!;
  const verdict = reducer.status() === "rejected" ? "refused" : "accepted";
  reducer.close();
  return { verdict, messages: plain(messages), state: plain(state), warnings };
}

/** A stream, by its seed: half of them with ids that collide, some with odd ids, two thirds with something wrong in them. */
function streamOf(seed: number): AguiEvent[] {
  const rng = new Rng(seed);
  const mutations = [0, 0.02, 0.08][seed % 3] as number;
  const generator = new AguiGenerator(rng, { mutations, odd: seed % 2 === 0, apart: seed % 4 < 2 });
  return Array.from({ length: rng.between(10, 35) }, () => generator.event());
}

describe("the official client and streamfold", () => {
  const timeout = (seconds(8) + 60) * 1000;

  it("agree on verdict, messages and state, but for what is listed", { timeout }, async () => {
    const end = Date.now() + seconds(8) * 1000;
    let count = 0;
    const verdicts = new Map<string, number>();
    for (let seed = firstSeed(); count < 120 || Date.now() < end; seed++, count++) {
      const events = comparable(streamOf(seed), new Map());
      const { verdict, messages, state, error } = await officialClient(events);
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      const wanted: Outcome = { verdict, messages: plain(messages), state: plain(state) };
      for (const kind of KINDS) {
        const { warnings, ...found } = ours(kind, events);
        if (JSON.stringify(found) !== JSON.stringify(wanted)) {
          const stream = events.map((event) => JSON.stringify(event)).join("\n");
          expect(
            found,
            `seed ${seed} on ${kind}; the client: ${error}\nwarnings: ${warnings.join("; ")}\n${stream}`,
          ).toEqual(wanted);
        }
      }
    }
    expect(count).toBeGreaterThanOrEqual(120);
    for (const verdict of ["accepted", "refused"]) expect(verdicts.get(verdict), verdict).toBeGreaterThan(count / 10);
  });

  it("lists nothing that does not come up", () => {
    const rounds = 4000;
    const all = new Map<string, number>();
    for (let seed = 1; seed <= rounds; seed++) comparable(streamOf(seed), all);
    expect(LEFT_OUT.filter(({ name }) => !all.has(name)).map(({ name }) => name)).toEqual([]);
    expect(new Set(LEFT_OUT.map(({ name }) => name)).size).toBe(LEFT_OUT.length);
  });
});
