import type { Transport } from "../../src/engine/contract.js";
import { type AguiEvent, started, stateDelta, stateSnapshot, subagentStarted } from "../support/agui-events.js";
import { latin1Of } from "../support/bytes.js";
import type { Options } from "../support/fold.js";
import type { Rng } from "../support/rng.js";
import { AguiGenerator } from "./agui-generate.js";
import type { Action, Script } from "./script.js";
import { HALVES, IDS, TEXTS } from "./texts.js";

const DELTAS = [...TEXTS, "z".repeat(40), ...HALVES];
const TAGS = [undefined, "s", "helper-é"];

const KINDS = {
  TEXT_MESSAGE: { id: "messageId", delta: "TEXT_MESSAGE_CONTENT" },
  TOOL_CALL: { id: "toolCallId", delta: "TOOL_CALL_ARGS" },
  REASONING_MESSAGE: { id: "messageId", delta: "REASONING_MESSAGE_CONTENT" },
} as const;

/** Something that grows. */
interface Item {
  kind: keyof typeof KINDS;
  id: string;
  tag: string | undefined;
}

/** The form of a token: which members it has besides those it must have, in which order, and how they are spaced. */
interface Shape {
  timed: boolean;
  tagged: boolean;
  shuffled: boolean;
  colon: string;
  comma: string;
}

/**
 * AG-UI traffic as producers send it, made to meet every shortcut and its limits: token-sized deltas of texts, arguments and reasoning of a
 * few fixed forms, deltas of the state in the ordinary spelling, and now and then something that only just does not fit.
 *
 * @param calm nothing is disturbed, and nothing else is asked for
 * @returns how many tokens and state deltas the script holds, too
 */
export function aguiHotScript(
  rng: Rng,
  { transport: asked, calm = false }: { transport?: Transport; calm?: boolean } = {},
): { script: Script; tokens: number; deltas: number } {
  const transport = asked ?? rng.pick<Transport>(["sse", "sse", "ndjson", "json"]);
  const disturbed = calm ? 0 : rng.pick([0.01, 0.03, 0.1]);
  const state = new HotState(rng, calm);
  const shapes = Array.from({ length: calm ? 1 : rng.pick([1, 1, 2, 3]) }, () => shape(rng, calm));
  const eol = rng.pick(["\n", "\n", "\r\n"]);
  const space = rng.chance(0.8) ? " " : "";
  const actions: Action[] = [];
  let body = "";
  const flush = (): void => {
    if (body === "") return;
    const bytes = latin1Of(body);
    const count = calm || transport === "json" || rng.chance(0.5) ? 0 : rng.int(4);
    const cuts = Array.from({ length: count }, () => rng.int(bytes.length + 1)).sort((a, b) => a - b);
    actions.push({ do: "bytes", bytes, cuts });
    body = "";
  };
  const send = (json: string): void => {
    body += transport === "sse" ? `data:${space}${json}${eol}${eol}` : transport === "ndjson" ? `${json}\n` : json;
    if (transport === "json" || rng.chance(0.1)) flush();
  };

  const items: Item[] = [];
  const begin = (): void => {
    const kind = rng.pick(Object.keys(KINDS) as Item["kind"][]);
    const item = { kind, id: `${kind} ${rng.pick(IDS)}`, tag: rng.pick(TAGS) };
    if (items.some(({ id }) => id === item.id)) return;
    items.push(item);
    send(JSON.stringify(bracket(item, "START")));
  };
  send(JSON.stringify(started()));
  for (const tag of TAGS) if (tag !== undefined) send(JSON.stringify(subagentStarted(tag)));
  send(JSON.stringify(stateSnapshot(state.value)));
  for (let n = rng.between(1, 4); n > 0 || items.length === 0; n--) begin();

  let tokens = 0;
  let deltas = 0;
  for (let count = rng.between(40, 160); count > 0; count--) {
    let json: string;
    if (rng.chance(0.4)) {
      json = JSON.stringify(state.delta());
      deltas++;
    } else {
      json = token(rng, rng.pick(shapes), rng.pick(items));
      tokens++;
    }
    send(rng.chance(disturbed) ? disturb(rng, json) : json);
    if (rng.chance(0.03)) begin();
    if (rng.chance(0.03) && items.length > 1) {
      const [item] = items.splice(rng.int(items.length), 1);
      send(JSON.stringify(bracket(item as Item, "END")));
    }
    if (!calm && rng.chance(0.03)) actions.push(...call(rng, flush));
  }
  flush();
  actions.push({ do: "finish" });
  const limits = calm
    ? {}
    : rng.pick<NonNullable<Options["limits"]>>([
        {},
        {},
        {},
        { modelBytes: 2000 },
        { depth: 7 },
        { messageBytes: 150 },
        { numberLength: 20 },
      ]);
  const options: Options = {
    protocol: "ag-ui",
    onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"]),
    undecodable: "skip",
    onDeltaFailure: rng.pick(["warn", "fail", "upsert"]),
    limits,
  };
  return { script: { transport, options, listen: !calm && rng.chance(0.15), actions }, tokens, deltas };
}

function shape(rng: Rng, calm: boolean): Shape {
  const wide = !calm && rng.chance(0.2);
  return {
    timed: rng.chance(0.3),
    tagged: rng.chance(0.5),
    shuffled: rng.chance(0.3),
    colon: wide ? ": " : ":",
    comma: wide ? ", " : ",",
  };
}

function bracket({ kind, id, tag }: Item, what: "START" | "END"): AguiEvent {
  const more =
    what === "END"
      ? {}
      : kind === "TOOL_CALL"
        ? { toolCallName: "f" }
        : { role: kind === "TEXT_MESSAGE" ? "assistant" : "reasoning" };
  return {
    type: `${kind}_${what}`,
    [KINDS[kind].id]: id,
    ...more,
    ...(tag === undefined ? {} : { subagentRunId: tag }),
  };
}

function token(rng: Rng, { timed, tagged, shuffled, colon, comma }: Shape, { kind, id, tag }: Item): string {
  const event: Record<string, unknown> = {
    type: KINDS[kind].delta,
    [KINDS[kind].id]: id,
    delta: rng.pick(DELTAS) + (rng.chance(0.4) ? rng.pick(DELTAS) : ""),
    ...(timed ? { timestamp: 1_700_000_000_000 + rng.int(1e9) } : {}),
    ...(tagged && tag !== undefined ? { subagentRunId: tag } : {}),
  };
  const members = Object.entries(event).map(([name, value]) => `"${name}"${colon}${JSON.stringify(value)}`);
  return `{${(shuffled ? members.reverse() : members).join(comma)}}`;
}

/** A state, and deltas that apply to it. */
export class HotState {
  readonly #rng: Rng;
  readonly #wild: AguiGenerator | undefined;
  value: unknown = { n: 0, text: "", list: [], map: {} };
  #length = 0;
  #keys: string[] = [];
  #made = 0;
  /** Once a patch of any kind has been at it, it is not known any more what is where. */
  #known = true;

  constructor(rng: Rng, calm: boolean) {
    this.#rng = rng;
    this.#wild = calm ? undefined : new AguiGenerator(rng, { mutations: 0 });
  }

  delta(): AguiEvent {
    const rng = this.#rng;
    if (this.#wild !== undefined && (!this.#known || rng.chance(0.02))) {
      if (this.#known) this.value = { n: 0 };
      this.#known = false;
      const { patch, value } = this.#wild.patch(this.value);
      this.value = value;
      return stateDelta(patch);
    }
    return stateDelta(Array.from({ length: rng.between(1, 3) }, () => this.#operation()));
  }

  #operation(): object {
    const rng = this.#rng;
    switch (rng.int(7)) {
      case 0:
        return { op: "replace", path: "/n", value: rng.int(1e6) / rng.pick([1, 8]) };
      case 1:
        return { op: "replace", path: "/text", value: rng.pick(DELTAS) };
      case 2:
        return { op: "add", path: `/list/${rng.pick(["-", rng.int(this.#length + 1)])}`, value: { i: this.#length++ } };
      case 3:
        if (this.#length === 0) return { op: "test", path: "/list", value: [] };
        return { op: "remove", path: `/list/${rng.int(this.#length--)}` };
      case 4: {
        const key = `k${this.#made++}`;
        this.#keys.push(key);
        return { op: "add", path: `/map/${key}`, value: rng.pick<unknown>([null, true, [1, "é"], { a: { b: "~/" } }]) };
      }
      case 5: {
        const key = this.#keys.pop();
        return key === undefined ? { op: "test", path: "/map", value: {} } : { op: "remove", path: `/map/${key}` };
      }
      default:
        return { op: "copy", from: "/n", path: "/copy~1of" };
    }
  }
}

/** A change so small that a shortcut may overlook it. */
function disturb(rng: Rng, json: string): string {
  const at = rng.int(json.length);
  switch (rng.int(9)) {
    case 0:
      return json.replace(
        /"timestamp"(: ?)(\d+)/,
        rng.pick(['"timestamp"$1$2.0', '"timestamp"$10$2', '"timestamp"$1"$2"']),
      );
    case 1:
      return json.replace(/"(messageId|toolCallId)"(: ?)"[^"]*"/, rng.pick(['"$1"$2"nobody"', '"$1"$2""', '"$1"$25']));
    case 2:
      return `${json.slice(0, -1)}${rng.pick([',"extra":1}', ',"delta":"last"}', ',"metadata":{"k":1}}', ',"rawEvent":null}', "}}", " }", ",}"])}`;
    case 3:
      return json.slice(0, at) + rng.pick(["\t", " ", "\u0001", '"', "\\", "0"]) + json.slice(at);
    case 4:
      return json.slice(0, at) + json.slice(at + 1);
    case 5:
      return json.replace(/CONTENT|ARGS|DELTA/, rng.pick(["END", "CHUNK", "DELTa", "CONTENT "]));
    case 6:
      return json.replace(
        /"(op|path|value)":/,
        rng.pick(['"$1" :', '"$1":1,"$1":', '"from":"/n","$1":', '"\\u006fp":']),
      );
    case 7:
      return json.replace('"subagentRunId"', rng.pick(['"subagentrunId"', '"subagentRunId":"z","subagentRunId"']));
    default:
      return json.replace('"delta"', rng.pick(['"delta":null,"delta"', '"Delta"', '"d\\u0065lta"']));
  }
}

function call(rng: Rng, flush: () => void): Action[] {
  flush();
  switch (rng.int(6)) {
    case 0:
      return [{ do: "migrate", step: rng.int(3) }];
    case 1:
    case 2:
      return [{ do: "changes", streamId: "", since: rng.int(60) }];
    case 3:
      return [{ do: "pause", streamId: "" }];
    case 4:
      return [{ do: "resume", streamId: "" }];
    default:
      return [{ do: "snapshot", streamId: "" }];
  }
}
