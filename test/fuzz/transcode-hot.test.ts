import { describe, expect, it } from "vitest";
import type { EngineCore, Protocol, Transport } from "../../src/engine/contract.js";
import { type CoreCounters, coreCounters } from "../../src/engine/wasm/engine.js";
import { concat, latin1 } from "../support/bytes.js";
import { everyN, randomCuts, WHOLE } from "../support/chunking.js";
import { KINDS, WASM_KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { messageOf, placedFaults, TO, type Transcript, transcode, type Wanted } from "../support/transcoding.js";
import { aguiBinaryScript } from "./agui-binary-hot.js";
import { aguiHotScript } from "./agui-hot.js";
import { rounds } from "./clock.js";
import { load, renew } from "./cores.js";
import { hotScript } from "./hot.js";
import { msgpackHotScript } from "./msgpack-hot.js";
import type { Script } from "./script.js";
import { repeatsMembers, smallest, type Transcoding } from "./transcode-script.js";

/** What an engine has learned lives as long as the engine: this many bodies run on one. */
const LIFE = 6;

type Hot = { script: Script; tokens: number };

const WIRES: Record<Protocol, readonly Transport[]> = {
  agentue: ["sse", "ndjson", "msgpack"],
  "ag-ui": ["sse", "ndjson", "msgpack", "protobuf"],
};

function hot(rng: Rng, protocol: Protocol, from: Transport, calm: boolean): Hot {
  if (protocol === "agentue") {
    if (from === "msgpack") return msgpackHotScript(rng, { calm });
    for (;;) {
      const script = hotScript(rng);
      if (script.transport === from) return { script, tokens: 0 };
    }
  }
  if (from === "msgpack" || from === "protobuf") return aguiBinaryScript(rng, from, { calm });
  return aguiHotScript(rng, { transport: from, calm });
}

/** The bytes of a script on their way to another wire. */
function through({ script }: Hot, protocol: Protocol, to: Wanted["to"], rng: Rng): Transcoding {
  const { transport: from, options, actions } = script;
  const { onViolation, undecodable, onDeltaFailure, limits, sequence, utf8 } = options;
  const given = JSON.parse(
    JSON.stringify({ onViolation, undecodable, onDeltaFailure, limits, sequence, utf8 }),
  ) as Partial<Wanted>;
  // the limit on reports counts by call, so that it shows where chunks are cut
  const unbounded = { ...given.limits, reports: 1_000_000 };
  return {
    options: { ...given, limits: unbounded, protocol, from, to, enforce: rng.chance(0.5) } as Wanted,
    messages: actions.flatMap((action) => (action.do === "bytes" ? [latin1(action.bytes)] : [])),
    cuts: rng.int(1e6),
  };
}

const CUTS = ["uncut", "cut", "in bytes"] as const;

function chunks({ messages, cuts }: Transcoding, how: (typeof CUTS)[number]): readonly Uint8Array[] {
  const body = concat(messages);
  return how === "uncut" ? WHOLE.split(body) : how === "cut" ? randomCuts(cuts).split(body) : everyN(body, 1);
}

function printed({ output, errors, stats, ...rest }: Transcript): string {
  const faults = placedFaults(errors);
  return JSON.stringify([Buffer.from(output).toString("latin1"), faults, stats, rest], undefined, 1);
}

/** Two ways that differ, undefined when all agree. */
function disagreement(one: Transcoding): string | undefined {
  let first: { name: string; seen: string } | undefined;
  // the text of the core repeats members, values do not
  if (repeatsMembers(one)) return undefined;
  for (const kind of KINDS) {
    for (const how of CUTS) {
      const name = `${kind}, ${how}`;
      const seen = printed(transcode(load(kind).engine, one.options, chunks(one, how)));
      if (first === undefined) first = { name, seen };
      else if (first.seen !== seen) return `${first.name}: ${first.seen}\n${name}: ${seen}`;
    }
  }
  return undefined;
}

describe("fuzz of hot traffic to another wire", () => {
  it(`all engines write the same bytes, at every cut: ${KINDS.join(" / ")}`, () => {
    let compared = 0;
    const count = rounds(8, 20 * LIFE, (seed) => {
      if (seed % LIFE === 0) renew();
      const rng = new Rng(seed);
      const protocol = rng.pick<Protocol>(["agentue", "ag-ui", "ag-ui"]);
      const from = rng.pick(WIRES[protocol]);
      const one = through(hot(rng, protocol, from, rng.chance(0.3)), protocol, rng.pick(TO[protocol]), rng);
      if (!repeatsMembers(one)) compared++;
      const found = disagreement(one);
      if (found === undefined) return;
      const smaller = smallest(one, (candidate) => disagreement(candidate) !== undefined);
      const { options, messages } = smaller;
      expect.fail(
        `seed ${seed} (STREAMFOLD_FUZZ_SEED=${seed - (seed % LIFE)})\n${disagreement(smaller) ?? found}\n${JSON.stringify(options)}\n` +
          messages.map((message) => JSON.stringify(Buffer.from(message).toString("latin1"))).join("\n"),
      );
    });
    renew();
    expect(compared / count).toBeGreaterThan(0.6);
  });
});

const PAIRS = (["agentue", "ag-ui"] as const).flatMap((protocol) =>
  WIRES[protocol].flatMap((from) =>
    TO[protocol].flatMap((to) => [true, false].map((enforce) => [protocol, from, to, enforce] as const)),
  ),
);

/** What the core has counted since. */
const since = (core: EngineCore, before: CoreCounters): CoreCounters => {
  const now = coreCounters(core);
  for (const name of Object.keys(now) as (keyof CoreCounters)[]) now[name] -= before[name];
  return now;
};

describe.each(WASM_KINDS)("tokens of one form, on %s", (kind) => {
  const COUNT = 200;

  /** A body of one text that grows. */
  function tokens(protocol: Protocol): object[] {
    const texts = Array.from({ length: COUNT }, (_, i) => (i % 9 === 4 ? ` "é"\n${i}` : ` token ${i}`));
    if (protocol === "agentue") {
      const block = { id: "a", type: "text", content: "" };
      const model = { version: "1.1", biz: "b", meta: {}, blocks: [block] };
      return [
        { op: "start", seq: 1, model },
        ...texts.map((content, i) => ({
          op: "append",
          seq: i + 2,
          ts: 1_767_600_000_000 + i,
          mask: "block.content",
          block: { ...block, content },
        })),
        { op: "end", seq: COUNT + 2 },
      ];
    }
    const messageId = "m";
    return [
      { type: "RUN_STARTED", threadId: "t", runId: "r" },
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      ...texts.map((delta, i) => ({
        type: "TEXT_MESSAGE_CONTENT",
        messageId,
        delta,
        timestamp: 1_767_600_000_000 + i,
      })),
      { type: "TEXT_MESSAGE_END", messageId },
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
    ];
  }

  it.each(PAIRS)("%s, %s to %s, enforced %s: they go the short road, and come out as they would alone", (...pair) => {
    const [protocol, from, to, enforce] = pair;
    renew();
    const { core, engine } = load(kind);
    const bytes = (wire: Transport) => concat(tokens(protocol).map((event) => messageOf(wire, JSON.stringify(event))));
    const before = coreCounters(core);
    const { output, errors, warnings } = transcode(engine, { protocol, from, to, enforce }, [bytes(from)]);
    const { relayedTokens, writtenTokens } = since(core, before);
    expect([errors, warnings]).toEqual([[], []]);
    expect(Buffer.from(output).equals(Buffer.from(bytes(to)))).toBe(true);
    // the first one opens the text; another one may be read before a template knows it, and one is written by the codec
    expect(relayedTokens).toBeGreaterThanOrEqual(COUNT - 1);
    const isText = (wire: Transport): boolean => wire === "sse" || wire === "ndjson";
    const keeps = isText(from) ? to === "msgpack" : protocol === "agentue" && isText(to);
    if (keeps) expect(writtenTokens).toBeGreaterThanOrEqual(COUNT - 3);
    else expect(writtenTokens).toBe(0);
    renew();
  });
});
