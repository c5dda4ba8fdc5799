import type { EngineKind, Reducer, Transport } from "../../src/engine/contract.js";
import { createReplay, type Replay, type ReplayOptions } from "../../src/replay/index.js";
import { AguiGenerator } from "../fuzz/agui-generate.js";
import { Generator } from "../fuzz/generate.js";
import { carried } from "../support/binary.js";
import { concat, utf8 } from "../support/bytes.js";
import { engine } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import type { Rng } from "../support/rng.js";
import { randomSpelling, sseEvent } from "../support/sse.js";

export type Protocol = "agentue" | "ag-ui";

const WIRES: Record<Protocol, readonly Transport[]> = {
  agentue: ["sse", "ndjson", "json", "msgpack"],
  "ag-ui": ["sse", "ndjson", "json", "msgpack", "protobuf"],
};

/** One message of a log. */
interface Message {
  json: string;
  bytes: Uint8Array;
  id: string | undefined;
}

export interface Logged {
  protocol: Protocol;
  wire: Transport;
  /** Another wire that a consumer asks for. */
  to: Transport;
  messages: Message[];
  options: Partial<ReplayOptions>;
}

/** A log of random events, some of which are refused, with pings, repeats, gaps, errors and ends. */
export function randomLog(rng: Rng, protocol: Protocol): Logged {
  const wire = rng.pick(WIRES[protocol]);
  // protobuf loses more than the order of members where a log comes over another wire
  const to = rng.pick(WIRES[protocol].filter((one) => one !== "json" && (one !== "protobuf" || wire === "protobuf")));
  const losesHalves = to === "msgpack" || to === "protobuf";
  const agentue = new Generator(rng, true, true, 0.02);
  const agui = new AguiGenerator(rng, { mutations: 0.02, apart: rng.chance(0.5) });
  const messages: Message[] = [];
  for (let i = rng.between(5, 60); i > 0; i--) {
    const text = protocol === "agentue" ? agentue.event().replace(/[\r\n]/g, " ") : JSON.stringify(agui.event());
    if (!isRouted(text) || (losesHalves && hasHalf(utf8(text)))) continue;
    const id = wire === "sse" && rng.chance(0.7) ? `id ${messages.length}` : undefined;
    const bytes =
      wire === "sse"
        ? utf8((id === undefined ? "" : `id: ${id}\n`) + sseEvent(text, randomSpelling(rng)))
        : wire === "msgpack" || wire === "protobuf"
          ? carried(wire, text)
          : utf8(wire === "ndjson" ? `${text}${rng.pick(["\n", "\r\n", "\n\n"])}` : text);
    if (bytes !== undefined) messages.push({ json: text, bytes, id });
  }
  const options: Partial<ReplayOptions> = {
    onViolation: rng.pick(["skip-event", "refuse-stream"]),
    interval: rng.pick([1, 300, 2000, 1_000_000]),
    checkpoints: rng.pick([1, 2, 5, 16]),
  };
  return { protocol, wire, to, messages, options };
}

/** Half of a character, anywhere: no binary wire carries it. */
function hasHalf(json: Uint8Array): boolean {
  // JSON.stringify escapes halves alone
  return /\\ud[89a-f]/i.test(JSON.stringify(JSON.parse(new TextDecoder().decode(json))));
}

function isRouted(text: string): boolean {
  try {
    const event = JSON.parse(text) as { stream_id?: unknown } | null;
    return typeof event === "object" && event !== null && ["string", "undefined"].includes(typeof event.stream_id);
  } catch {
    return false;
  }
}

export function openReplay({ protocol, wire, options }: Logged, kind: EngineKind): Replay {
  return createReplay(engine(kind), { protocol, transport: wire, onError() {}, ...options } as ReplayOptions);
}

export function replayOf(log: Logged, kind: EngineKind, rng: Rng): Replay {
  const { wire, messages } = log;
  const replay = openReplay(log, kind);
  if (wire === "json") for (const { bytes } of messages) replay.append(bytes);
  else {
    const all = concat(messages.map(({ bytes }) => bytes));
    for (let at = 0; at < all.length; ) {
      const end = Math.min(all.length, at + rng.pick([1, 7, 100, 1500, 100_000]));
      replay.append(all.subarray(at, end));
      at = end;
    }
  }
  return replay;
}

export function reducerOf(
  kind: EngineKind,
  protocol: Protocol,
  transport: Transport,
  options: Partial<ReplayOptions> = {},
): Reducer {
  const {
    interval: _,
    checkpoints: __,
    checkpointBytes: ___,
    logBytes: ____,
    materialize: _____,
    ...judging
  } = options;
  return engine(kind).createReducer({ protocol, transport, onError() {}, ...judging });
}

/** What resumption has to lead to; of AG-UI the run is told otherwise where it cannot be the same. */
export function modelsOf(reducer: Reducer, protocol: Protocol): unknown {
  if (protocol === "ag-ui") {
    const { messages, state } = reducer.snapshot<{ messages: unknown; state: unknown }>()!;
    return { messages, state };
  }
  return Object.fromEntries(
    reducer
      .streamIds()
      .map((streamId) => [
        `stream ${streamId}`,
        [canonical(reducer.snapshotBytes({ streamId })), reducer.seq({ streamId })],
      ]),
  );
}

/** A fresh consumer that refuses nothing silently: any error fails the test. */
export function consume(
  kind: EngineKind,
  protocol: Protocol,
  wire: Transport,
  bytes: Uint8Array,
  label: string,
): Reducer {
  const consumer = engine(kind).createReducer({ protocol, transport: wire });
  try {
    consumer.push(bytes);
  } catch (error) {
    throw new Error(`${label}: ${(error as Error).message}`, { cause: error });
  }
  return consumer;
}
