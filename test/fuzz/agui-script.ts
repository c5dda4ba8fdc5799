import type { Transport } from "../../src/engine/contract.js";
import { latin1, latin1Of } from "../support/bytes.js";
import type { Options } from "../support/fold.js";
import type { Rng } from "../support/rng.js";
import { randomSpelling, sseEvent } from "../support/sse.js";
import { AguiGenerator } from "./agui-generate.js";
import type { Wire } from "./generate.js";
import type { Action, Script } from "./script.js";

/** How JSON may be spelled without saying anything else. */
interface Spelling {
  /** Probability of white space, another order of members or another spelling of a string or number, at each place. */
  odd: number;
  /** Whether members may be repeated: an earlier one does not count. */
  repeat: boolean;
}

/** JSON text of a value, spelled in one of many ways. */
export function spellJson(rng: Rng, value: unknown, how: Spelling): string {
  const space = (): string => (rng.chance(how.odd) ? rng.pick([" ", "\t", "  "]) : "");
  if (typeof value === "string") return spellString(rng, value, how.odd);
  if (typeof value === "number") return spellNumber(rng, value, how.odd);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((element) => space() + spellJson(rng, element, how) + space()).join(",")}]`;
  }
  let members = Object.entries(value);
  if (rng.chance(how.odd)) members = rng.shuffle(members);
  if (how.repeat && rng.chance(how.odd) && members.length > 0) {
    const [name] = rng.pick(members);
    members.unshift([name, rng.pick<unknown>([1, null, "x", {}])]);
  }
  const texts = members.map(
    ([name, member]) =>
      `${space()}${spellString(rng, name, how.odd)}${space()}:${space()}${spellJson(rng, member, how)}${space()}`,
  );
  return `{${texts.join(",")}}`;
}

function spellString(rng: Rng, value: string, odd: number): string {
  const json = JSON.stringify(value);
  if (!rng.chance(odd)) return json;
  return json.replace(/\\u[0-9a-f]{4}|\\.|[^"\\]/g, (c) => {
    if (c.length > 1 || !rng.chance(0.3)) return c;
    if (c === "/") return "\\/";
    return `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function spellNumber(rng: Rng, value: number, odd: number): string {
  if (!rng.chance(odd)) return JSON.stringify(value);
  return rng.pick([
    `${value}`,
    ...(Number.isInteger(value) && value !== 0 && Math.abs(value) < 1e6
      ? [`${value}.0`, `${value}e0`, `${value}00E-2`]
      : []),
    "1e400",
    "12345678901234567890",
  ]);
}

/** A whole session: options, events in every spelling, damaged bytes, and calls between them; over text, when no other wire is given. */
export function generateAgui(rng: Rng, wire?: Wire): Script {
  const transport: Transport = wire?.transport ?? rng.pick(["sse", "sse", "ndjson", "json"]);
  let broken = rng.chance(wire === undefined ? 0.3 : 0.7) ? 0.04 : 0;
  const plain = broken === 0 && rng.chance(0.5);
  const options = randomOptions(rng, plain);
  const { depth, queuedBytes } = options.limits ?? {};
  const generator = new AguiGenerator(rng, {
    mutations: rng.pick([0, 0.03, 0.1]),
    odd: rng.chance(0.7),
    apart: rng.chance(0.3),
  });
  // A repeated name in a queued binary message counts once in one engine, and as often as it stands there in the other.
  const counted = wire !== undefined && queuedBytes !== undefined;
  if (counted) broken = 0;
  const spelling = {
    odd: plain ? 0 : rng.pick([0, 0.03, 0.15]),
    repeat: depth === undefined && !counted,
  };
  const calls = rng.chance(0.6) ? 0.15 : 0;
  const actions: Action[] = [];
  let bytesCame = false;
  for (let count = rng.between(3, 45); count > 0; count--) {
    if (rng.chance(calls)) {
      const call = randomCall(rng, generator);
      // A checkpoint holds queued messages compactly, so that more of them fit afterwards.
      if (call.do !== "migrate" || queuedBytes === undefined) actions.push(call);
    }
    const event = generator.event();
    const json = spellJson(rng, event, spelling);
    // Objects that come before any bytes are folded elsewhere, and `changes` says so by `resync`.
    if (bytesCame && rng.chance(calls * 0.3)) {
      const asObject = survives(json) && rng.chance(0.5);
      actions.push({ do: "apply", json, as: asObject ? "object" : "text" });
      continue;
    }
    let bytes = wire === undefined ? frame(rng, json, transport) : wire.spell(rng, json, plain || !spelling.repeat);
    if (bytes === undefined) continue;
    if (rng.chance(broken)) bytes = (wire?.damage ?? damage)(rng, bytes);
    bytesCame = true;
    actions.push({ do: "bytes", bytes, cuts: transport === "json" ? [] : randomCuts(rng, bytes.length) });
  }
  actions.push({ do: "finish" });
  return { transport, options, listen: rng.chance(0.5), actions };
}

/** Whether JSON.parse keeps all of it. */
function survives(json: string): boolean {
  return !/\d{16}|[eE.]\d|-0/.test(json);
}

function randomOptions(rng: Rng, plain: boolean): Options {
  const limits: Record<string, number> = {};
  const maybe = (name: string, from: number, to: number): void => {
    if (rng.chance(0.1)) limits[name] = rng.between(from, to);
  };
  maybe("messageBytes", 100, 900);
  maybe("depth", 5, 10);
  maybe("numberLength", 2, 20);
  maybe("blocks", 1, 6);
  if (plain) maybe("modelBytes", 100, 1500);
  maybe("queuedBytes", 100, 500);
  maybe("reports", 1, 4);
  maybe("items", 1, 12);
  const messages = [
    { id: "a", role: "user", content: "?" },
    { id: "b", role: "assistant", toolCalls: [{ id: "c", type: "function", function: { name: "f", arguments: "{" } }] },
  ];
  return {
    protocol: "ag-ui",
    onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"]),
    utf8: rng.pick(["fatal", "fatal", "replace"]),
    undecodable: rng.pick(["fail", "skip", "skip"]),
    unterminatedTail: rng.pick(["use", "use", "discard"]),
    onDeltaFailure: rng.pick(["warn", "warn", "fail", "upsert"]),
    unknownEnum: rng.pick(["fatal", "strip"]),
    ...(rng.chance(0.15) ? { maxProtocolVersion: rng.pick(["0.0.57", "0.0.39", "1.0"]) } : {}),
    // An input beyond a limit would be refused, and not the events.
    ...(rng.chance(0.2) && !("depth" in limits || "blocks" in limits || "modelBytes" in limits)
      ? { input: { threadId: "T", messages, state: { a: [1] } } }
      : {}),
    ...(rng.chance(0.1) ? { eventTypes: ["TEXT_MESSAGE_CONTENT", "STATE_DELTA", "RUN_FINISHED"] } : {}),
    ...(rng.chance(0.15) ? { middleware: MIDDLEWARE } : {}),
    limits,
  };
}

type Json = Record<string, unknown>;

const MIDDLEWARE = {
  CUSTOM: (event: unknown) => [event, { type: "RAW", event: 1, extra: (event as Json).name }],
  TEXT_MESSAGE_CONTENT: (event: unknown) => ({ ...(event as Json), metadata: { seen: true } }),
  RAW: () => undefined,
  STEP_STARTED: (event: unknown) => {
    if ((event as Json).stepName === "") throw new Error("no name");
    return event;
  },
  REASONING_START: (event: unknown) => event,
  FUTURE_EVENT: () => ({ type: "CUSTOM", name: "future", value: null }),
};

function randomCall(rng: Rng, generator: AguiGenerator): Action {
  const streamId = rng.chance(0.05) ? "s" : "";
  const kind = rng.int(20);
  if (kind < 3) return { do: "pause", streamId };
  if (kind < 6) return { do: "resume", streamId };
  if (kind < 8) return { do: "load", json: JSON.stringify(generator.model()), seq: undefined, streamId };
  if (kind < 13) return { do: "changes", streamId, since: rng.chance(0.2) ? undefined : rng.int(20) };
  if (kind < 16) return { do: "migrate", step: rng.int(3) };
  if (kind < 17) return { do: "release", streamId };
  if (kind < 18) return { do: "reconnect" };
  if (kind < 19) return { do: rng.chance(0.2) ? "reset" : "finish" };
  return { do: "snapshot", streamId };
}

function randomCuts(rng: Rng, length: number): number[] {
  const cuts: number[] = [];
  while (rng.chance(0.4)) cuts.push(rng.int(length + 1));
  return cuts.sort((a, b) => a - b);
}

function frame(rng: Rng, json: string, transport: Transport): string {
  if (transport === "sse") return latin1Of((rng.chance(0.01) ? "\ufeff" : "") + sseEvent(json, randomSpelling(rng)));
  if (transport === "json") return latin1Of(rng.chance(0.1) ? ` ${json}\n` : json);
  return latin1Of(json + rng.pick(["\n", "\n", "\r\n", " \n", "\n\n"]));
}

/** One byte changed, put in or taken out, or some of the bytes twice. */
function damage(rng: Rng, bytes: string): string {
  const list = [...latin1(bytes)];
  const at = rng.int(list.length);
  const byte = rng.chance(0.7)
    ? rng.pick([...'"\\{}[],:.0-eu \n\r\t'].map((c) => c.charCodeAt(0)).concat([0, 0x80, 0xc3, 0xe2, 0xf0, 0xff, 0xed]))
    : rng.int(256);
  const way = rng.int(4);
  if (way === 0) list[at] = byte;
  else if (way === 1) list.splice(at, 0, byte);
  else if (way === 2) list.splice(at, rng.between(1, 3));
  else list.splice(at, 0, ...list.slice(at, at + rng.between(1, 12)));
  return list.map((code) => String.fromCharCode(code)).join("");
}

/** For printing: what stands for functions is their name. */
export function printed(script: Script): string {
  return JSON.stringify(script, (_, value: unknown) => (typeof value === "function" ? "(a function)" : value));
}
