import { expect, it } from "vitest";
import type { EngineKind, Transport } from "../../src/engine/contract.js";
import { sorted } from "../support/adapter-contract.js";
import type { AguiEvent } from "../support/agui-events.js";
import { concat } from "../support/bytes.js";
import { randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { eventsIn, messageOf, type Transcript, transcode, type Wanted } from "../support/transcoding.js";
import { AguiGenerator } from "./agui-generate.js";
import { rounds } from "./clock.js";

interface Script {
  options: Wanted;
  messages: Uint8Array[];
  cuts: number;
}

/** Values near the bytes that are free, and far beyond them. */
const SIZES = [100, 1_000, 8_000, 16_200, 16_384, 20_000, 60_000];

const pad = (rng: Rng): string => rng.pick(["x", "é", "\n", "😀"]).repeat(rng.pick(SIZES) >> rng.int(3));

/** A body of small events over a large model, some of which bring something large themselves. */
function generate(rng: Rng): Script {
  const generator = new AguiGenerator(rng, { mutations: rng.pick([0, 0, 0.05]), apart: rng.chance(0.5) });
  const from: Transport = rng.pick(["sse", "ndjson", "msgpack"]);
  const inflated = (event: AguiEvent): AguiEvent => {
    if (rng.chance(0.05)) return { ...event, metadata: { [rng.pick(["a", "b"])]: pad(rng) } };
    if (event.type === "STATE_SNAPSHOT" && rng.chance(0.5))
      return { ...event, snapshot: { pad: [pad(rng)], value: event.snapshot } };
    if (rng.chance(0.04)) return { type: "STATE_DELTA", delta: [{ op: "add", path: "/pad/-", value: rng.int(10) }] };
    if (rng.chance(0.03)) return { type: "TEXT_MESSAGE_CHUNK", messageId: pad(rng), delta: "a" };
    return rng.chance(0.03) ? { type: "TEXT_MESSAGE_CHUNK", delta: "b" } : event;
  };
  const messages: Uint8Array[] = [];
  for (let count = rng.between(10, 120); count > 0; count--) {
    const json = JSON.stringify(inflated(generator.event()));
    // a half of a character has no form on every wire
    if (from !== "msgpack" || !/\\ud[89a-f]/.test(json)) messages.push(messageOf(from, json));
  }
  const input = { threadId: "t", runId: "r", state: { pad: [pad(rng)] } };
  return {
    options: {
      protocol: "ag-ui",
      from,
      to: rng.pick(["sse", "ndjson", "msgpack"]),
      toProtocol: "agentue",
      onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"]),
      adapt: { streamId: rng.pick(["", "s", "é".repeat(20_000)]) },
      limits: { outputBytes: rng.pick([1, 10_000, 20_000, 65_536, 100_000, 300_000]) },
      ...(rng.chance(0.3) && { input }),
    },
    messages,
    cuts: rng.int(1e6),
  };
}

const run = (kind: EngineKind, { options, messages, cuts }: Script, uncut: boolean): Transcript =>
  transcode(engine(kind), options, (uncut ? WHOLE : randomCuts(cuts)).split(concat(messages)));

function printed({ options }: Script, { output, ...rest }: Transcript): string {
  return JSON.stringify([eventsIn(options.to, output).map((text) => sorted(JSON.parse(text))), rest], undefined, 1);
}

it("engines agree on what is too much, at every cut, and write no more than is allowed", () => {
  let limited = 0;
  rounds(4, 15, (seed) => {
    const script = generate(new Rng(seed));
    let first: string | undefined;
    for (const kind of KINDS) {
      for (const uncut of [true, false]) {
        const transcript = run(kind, script, uncut);
        const seen = printed(script, transcript);
        first ??= seen;
        if (seen !== first) expect(seen, `seed ${seed}, ${kind}${uncut ? ", uncut" : ""}`).toBe(first);
        limited += transcript.errors.filter(({ code }) => code === "limit").length;
        const { limits, adapt } = script.options;
        const events = script.messages.length;
        const read =
          script.messages.reduce((sum, { length }) => sum + length, 0) +
          JSON.stringify(script.options.input ?? 0).length;
        const most = limits!.outputBytes! + 8 * read + 32_768 * events + 2 * adapt!.streamId!.length * 3 * events * 64;
        expect(transcript.output.length, `seed ${seed}`).toBeLessThan(most);
      }
    }
  });
  expect(limited).toBeGreaterThan(0);
});
