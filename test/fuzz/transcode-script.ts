import type { Protocol, Transport } from "../../src/engine/contract.js";
import { concat } from "../support/bytes.js";
import { randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { randomMessage } from "../support/msgpack.js";
import type { Rng } from "../support/rng.js";
import {
  eventsIn,
  FROM,
  messageOf,
  seenOn,
  TO,
  type Transcript,
  transcode,
  type Wanted,
} from "../support/transcoding.js";
import { AguiGenerator } from "./agui-generate.js";
import { spellJson } from "./agui-script.js";
import { Generator } from "./generate.js";
import { nameOf, WAYS } from "./ways.js";

/** A body and how it is transcoded. */
export interface Transcoding {
  options: Wanted;
  messages: readonly Uint8Array[];
  /** Seed of the cuts. */
  cuts: number;
}

const protocols: readonly Protocol[] = ["agentue", "ag-ui", "ag-ui"];

/** A body in every spelling, damaged now and then. */
export function generateTranscoding(rng: Rng): Transcoding {
  const protocol = rng.pick(protocols);
  const from = rng.pick(FROM[protocol]);
  const to = rng.pick(TO[protocol]);
  const odd = rng.pick([0, 0.05, 0.15]);
  const mutations = rng.pick([0, 0.03, 0.1]);
  const agentue = new Generator(rng, false, true, mutations);
  const agui = new AguiGenerator(rng, { mutations, odd: rng.chance(0.7), apart: rng.chance(0.5) });
  const next = (): string =>
    protocol === "agentue" ? agentue.event() : spellJson(rng, agui.event(), { odd, repeat: false });
  const broken = rng.chance(0.3) ? 0.05 : 0;
  const messages: Uint8Array[] = [];
  for (let count = rng.between(2, 40); count > 0; count--) {
    const message =
      rng.chance(0.02) && from === "msgpack" ? randomMessage(rng, 3, ["op", "type"]) : inForm(from, next());
    if (message !== undefined) messages.push(rng.chance(broken) ? damage(rng, message) : message);
  }
  const options: Wanted = {
    protocol,
    from,
    to,
    enforce: rng.chance(0.6),
    onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"]),
    utf8: rng.pick(["fatal", "replace"]),
    undecodable: rng.pick(["fail", "skip", "skip"]),
    unterminatedTail: rng.pick(["use", "discard"]),
    limits: rng.chance(0.2) ? { depth: rng.between(5, 12), numberLength: rng.between(5, 20) } : {},
    ...(protocol === "ag-ui" && {
      onDeltaFailure: rng.pick(["warn", "fail", "upsert"]),
      unknownEnum: rng.pick(["fatal", "strip"]),
      ...(rng.chance(0.1) && { maxProtocolVersion: "0.0.57" }),
    }),
  };
  return { options, messages, cuts: rng.int(1e6) };
}

/** Undefined for an event that the wire has no form for. */
function inForm(wire: Transport, json: string): Uint8Array | undefined {
  try {
    return messageOf(wire, json);
  } catch {
    return undefined;
  }
}

/** Some bytes changed, put in, taken out or said twice. */
function damage(rng: Rng, bytes: Uint8Array): Uint8Array {
  const list = [...bytes];
  const at = rng.int(list.length);
  const way = rng.int(4);
  if (way === 0) list[at] = rng.int(256);
  else if (way === 1) list.splice(at, 0, rng.int(256));
  else if (way === 2) list.splice(at, rng.between(1, 3));
  else list.splice(at, 0, ...list.slice(at, at + rng.between(1, 12)));
  return Uint8Array.from(list);
}

/** Two ways that differ, or one that throws what it must not; undefined when all agree. */
export function disagreement({ options, messages, cuts }: Transcoding): string | undefined {
  let first: { name: string; seen: string } | undefined;
  if (repeatsMembers({ options, messages, cuts })) return undefined;
  for (const way of WAYS) {
    const whole = options.from === "json" ? messages : (way.uncut ? WHOLE : randomCuts(cuts)).split(concat(messages));
    let seen: string;
    try {
      seen = printed(transcode(engine(way.kind), options, whole));
    } catch (error) {
      return `${nameOf(way)} throws ${error instanceof Error ? error.stack : String(error)}`;
    }
    if (first === undefined) first = { name: nameOf(way), seen };
    else if (first.seen !== seen)
      return `${first.name}: ${around(first.seen, seen)}\n${nameOf(way)}: ${around(seen, first.seen)}`;
  }
  return undefined;
}

/** Whether a member is repeated somewhere, as damage and random messages do: whether the earlier ones go out too is each engine's own affair. */
export function repeatsMembers({ options, messages }: Transcoding): boolean {
  const { protocol, from } = options;
  const passed = { protocol, from, to: "ndjson", enforce: false, undecodable: "skip", utf8: "replace" } as const;
  const { output } = transcode(engine(KINDS[0]!), passed, messages);
  return eventsIn("ndjson", output).some((text) => seenOn("ndjson", text) !== text);
}

/** Where a stream's fault lies in the wire is only a help. */
function printed({ output, errors, stats, ...rest }: Transcript): string {
  const faults = errors.map(({ byteOffset, ...error }) =>
    error.scope === "stream" ? error : { ...error, byteOffset },
  );
  return JSON.stringify([Buffer.from(output).toString("latin1"), faults, stats, rest]);
}

function around(text: string, other: string): string {
  let at = 0;
  while (text[at] === other[at]) at++;
  return text.slice(Math.max(0, at - 200), at + 300);
}

/** Leaves out messages for as long as `fails` stays true. */
export function smallest(one: Transcoding, fails: (smaller: Transcoding) => boolean): Transcoding {
  let { messages } = one;
  for (let at = messages.length - 1; at >= 0; at--) {
    const fewer = [...messages.slice(0, at), ...messages.slice(at + 1)];
    if (fails({ ...one, messages: fewer })) messages = fewer;
  }
  return { ...one, messages };
}
