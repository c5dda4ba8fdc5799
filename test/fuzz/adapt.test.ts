import { describe, expect, it } from "vitest";
import { brokenContract, type ContractOptions, SECRET, sorted } from "../support/adapter-contract.js";
import type { AguiEvent } from "../support/agui-events.js";
import { concat } from "../support/bytes.js";
import { randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { eventsIn, TO, type Transcript, transcode, type Wanted } from "../support/transcoding.js";
import { AguiGenerator } from "./agui-generate.js";
import { rounds } from "./clock.js";
import { generateTranscoding, repeatsMembers, smallest, type Transcoding } from "./transcode-script.js";
import { nameOf, WAYS } from "./ways.js";

interface Script {
  events: AguiEvent[];
  options: ContractOptions;
}

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
    options: {
      onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"]),
      onDeltaFailure: rng.pick(["warn", "fail", "upsert"]),
    },
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

/** Without as many events as can be spared. */
function reduced(script: Script, fails: (smaller: Script) => boolean): Script {
  let { events } = script;
  for (let at = events.length - 1; at >= 0; at--) {
    const fewer = [...events.slice(0, at), ...events.slice(at + 1)];
    if (fails({ ...script, events: fewer })) events = fewer;
  }
  return { ...script, events };
}

describe.each(KINDS)("AG-UI as AgentUE (%s)", (kind) => {
  const broken = ({ events, options }: Script): string | undefined => brokenContract(engine(kind), events, options);

  it("is accepted by a strict consumer, and says after every event what the snapshot shows", () => {
    const count = rounds(2, 150, (seed) => {
      const script = generate(new Rng(seed));
      if (broken(script) === undefined) return;
      const smaller = reduced(script, (candidate) => broken(candidate) !== undefined);
      const lines = smaller.events.map((event) => JSON.stringify(event)).join("\n");
      expect.fail(`seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed})\n${broken(smaller)}\n${lines}`);
    });
    expect(count).toBeGreaterThanOrEqual(150);
  });
});

describe("differential fuzz of adapters", () => {
  it(`all ways write the same events and say the same: ${WAYS.map(nameOf).join(" / ")}`, () => {
    let written = 0;
    const count = rounds(4, 100, (seed) => {
      const one = generateAdapting(new Rng(seed));
      if (one === undefined) return;
      if (disagreement(one) === undefined) {
        written++;
        return;
      }
      const smaller = smallest(one, (candidate) => disagreement(candidate) !== undefined);
      const { options, messages } = smaller;
      expect.fail(
        `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed})\n${disagreement(smaller)}\n${JSON.stringify(options)}\n` +
          messages.map((message) => JSON.stringify(Buffer.from(message).toString("latin1"))).join("\n"),
      );
    });
    expect(count).toBeGreaterThanOrEqual(100);
    expect(written).toBeGreaterThan(count / 4);
  });
});

/** A transcoding of AG-UI, to AgentUE; undefined for those that are none. */
function generateAdapting(rng: Rng): Transcoding | undefined {
  const one = generateTranscoding(rng);
  if (one.options.protocol !== "ag-ui") return undefined;
  const options: Wanted = {
    ...one.options,
    to: rng.pick(TO.agentue) as Wanted["to"],
    enforce: true,
    toProtocol: "agentue",
    adapt: rng.chance(0.3) ? { biz: 'b"', streamId: "é\n" } : {},
  };
  return { ...one, options };
}

/** Two ways that differ, or one that throws what it must not; undefined when all agree. */
function disagreement({ options, messages, cuts }: Transcoding): string | undefined {
  if (repeatsMembers({ options, messages, cuts })) return undefined;
  let first: { name: string; seen: string } | undefined;
  for (const way of WAYS) {
    const whole = options.from === "json" ? messages : (way.uncut ? WHOLE : randomCuts(cuts)).split(concat(messages));
    let seen: string;
    try {
      seen = printed(options, transcode(engine(way.kind), options, whole));
    } catch (error) {
      return `${nameOf(way)} throws ${error instanceof Error ? error.stack : String(error)}`;
    }
    if (first === undefined) first = { name: nameOf(way), seen };
    else if (first.seen !== seen) return `${first.name}: ${first.seen}\n${nameOf(way)}: ${seen}`;
  }
  return undefined;
}

/** Spelling of numbers and the place of members with integers as names are each engine's own; where a stream's fault lies in the wire is only a help. */
function printed({ to }: Wanted, { output, errors, stats, ...rest }: Transcript): string {
  const events = eventsIn(to, output).map((text) => sorted(JSON.parse(text)));
  const faults = errors.map(({ byteOffset, ...error }) =>
    error.scope === "stream" ? error : { ...error, byteOffset },
  );
  return JSON.stringify([events, faults, stats, rest], undefined, 1);
}
