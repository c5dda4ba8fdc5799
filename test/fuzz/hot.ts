import { latin1Of } from "../support/bytes.js";
import type { Rng } from "../support/rng.js";
import type { Action, Script } from "./script.js";
import { HALVES, IDS, TEXTS } from "./texts.js";

/** Longer than a step of SIMD, and alike but for the first or the last bytes. */
const LONG_IDS = [
  "0c2f7e1a-aaaa-bbbb-cccc-0123456789ab",
  "1c2f7e1a-aaaa-bbbb-cccc-0123456789ab",
  "0c2f7e1a-aaaa-bbbb-cccc-0123456789ac",
];
const ALL_IDS = [...IDS, ...LONG_IDS];
const DELTAS = [...TEXTS, " token", " ", "z".repeat(40), ...HALVES, "\u0000"];
const STREAMS = ["", "s1", "s2", "stream-é", "thread-0c2f7e1a-0001", "thread-0c2f7e1a-0002", "threae-0c2f7e1a-0002"];

/** The form of an append: which members it has, in which order, and how they are spaced. */
interface Shape {
  order: readonly string[];
  colon: string;
  comma: string;
  field: string;
}

/**
 * Traffic as producers send it, made to meet every shortcut and its limits: token-sized appends of a few fixed shapes, seqs that
 * gain a digit, ids that are prefixes of each other, and now and then something that only just does not fit.
 */
export function hotScript(rng: Rng): Script {
  const transport = rng.pick(["sse", "sse", "sse", "sse", "ndjson", "json"] as const);
  const shapes = Array.from({ length: rng.pick([1, 1, 2, 3, 5, 40]) }, () => shape(rng));
  const streams = STREAMS.slice(0, rng.pick([1, 1, 2, 4, 7]));
  const targets = rng.shuffle(ALL_IDS).slice(0, rng.pick([1, 1, 2, ALL_IDS.length]));
  const disturbed = rng.pick([0.01, 0.03, 0.1]);
  const seqs = new Map<string, number>();
  const actions: Action[] = [];
  const eol = rng.pick(["\n", "\n", "\n", "\n", "\r\n", "\r"]);
  const space = rng.chance(0.8) ? " " : "";
  const frame = (json: string): string =>
    transport === "sse" ? `data:${space}${json}${eol}${eol}` : transport === "ndjson" ? `${json}\n` : json;
  let body = "";
  const flush = (): void => {
    if (body === "") return;
    const bytes = latin1Of(body);
    const cuts = rng.chance(0.5)
      ? []
      : Array.from({ length: rng.int(4) }, () => rng.int(bytes.length + 1)).sort((a, b) => a - b);
    actions.push({ do: "bytes", bytes, cuts: transport === "json" ? [] : cuts });
    body = "";
  };
  for (const stream of streams) {
    const first = rng.pick([1, 1, 7, 95, 998, 99_999, 9_007_199_254_740_900]);
    seqs.set(stream, first);
    const blocks = ALL_IDS.map((id) => ({ id, type: "text", content: rng.chance(0.1) ? null : "", note: "" }));
    body += frame(
      JSON.stringify({
        op: "start",
        seq: first,
        ...(stream === "" ? {} : { stream_id: stream }),
        model: { version: "1.1", biz: "chat", meta: {}, blocks },
      }),
    );
    if (transport === "json") flush();
  }
  const count = rng.between(20, 200);
  for (let i = 0; i < count; i++) {
    const stream = rng.pick(streams);
    const seq = (seqs.get(stream) as number) + (rng.chance(0.03) ? rng.between(-1, 3) : 1);
    if (seq > (seqs.get(stream) as number)) seqs.set(stream, seq);
    let json = append(rng, rng.pick(shapes), seq, rng.pick(rng.chance(0.02) ? ALL_IDS : targets), stream);
    if (rng.chance(disturbed)) json = disturb(rng, json);
    else if (rng.chance(0.01))
      json = json
        .replace('"append"', '"set"')
        .replace(/"mask".*?,/, "")
        .replace(/"(content|note)"/, '"ref"');
    body += rng.chance(0.02) && transport === "sse" ? `: comment${eol}${frame(json)}` : frame(json);
    if (transport === "json" || rng.chance(0.15)) flush();
    if (rng.chance(0.02)) actions.push(...call(rng, stream, flush));
  }
  flush();
  actions.push({ do: "finish" });
  const options = {
    onViolation: rng.pick(["refuse-stream", "skip-event", "skip-event"] as const),
    undecodable: "skip" as const,
    sequence: rng.pick(["dedupe", "dedupe", "strict", "off"] as const),
    unresolved: rng.pick(["error", "pause"] as const),
  };
  return { transport, options, listen: rng.chance(0.15), actions };
}

function shape(rng: Rng): Shape {
  const members = ["op", "seq", "mask", "block"];
  if (rng.chance(0.3)) members.push("ts");
  if (rng.chance(0.3)) members.push("event_type");
  if (rng.chance(0.5)) members.push("stream_id");
  const wide = rng.chance(0.2);
  return {
    order: rng.chance(0.3) ? rng.shuffle(members) : members,
    colon: wide ? ": " : ":",
    comma: wide ? ", " : ",",
    field: rng.pick(["content", "content", "note"]),
  };
}

function append(rng: Rng, { order, colon, comma, field }: Shape, seq: number, id: string, stream: string): string {
  let delta = JSON.stringify(rng.pick(DELTAS) + (rng.chance(0.4) ? rng.pick(DELTAS) : ""));
  if (rng.chance(0.05)) delta = delta.replace(/[a-z]/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
  const texts: Record<string, string> = {
    op: '"append"',
    seq: `${seq}`,
    mask: `"block.${field}"`,
    block: `{"id"${colon}${JSON.stringify(id)}${comma}"${field}"${colon}${delta}}`,
    ts: `${1_700_000_000_000 + rng.int(1e9)}`,
    event_type: '"message.delta"',
    stream_id: JSON.stringify(stream),
  };
  const names = stream !== "" && !order.includes("stream_id") ? [...order, "stream_id"] : order;
  return `{${names.map((name) => `"${name}"${colon}${texts[name]}`).join(comma)}}`;
}

/** A change so small that a shortcut may overlook it. */
function disturb(rng: Rng, json: string): string {
  const at = rng.int(json.length);
  switch (rng.int(12)) {
    case 8: {
      // A neighbour of the byte: `/` and `:` stand next to the digits.
      const near = json.charCodeAt(at) + rng.pick([-1, 1]);
      return near > 0x7f ? json : json.slice(0, at) + String.fromCharCode(near) + json.slice(at + 1);
    }
    case 9:
      return json.replace(/"ts"(: ?)(\d+)/, rng.pick(['"ts"$10$2', '"ts"$10', '"ts"$1$2$2', '"ts"$1-1', '"ts"$1"$2"']));
    case 10:
      return json.replace(
        /"stream_id"(: ?)"[^"]*"/,
        rng.pick(['"stream_id"$1"nobody"', '"stream_id"$1""', '"stream_id"$1"s1"', '"stream_id"$1"\\u00731"']),
      );
    case 0:
      return json.replace(/"seq"(: ?)(\d+)/, '"seq"$1$2.0');
    case 1:
      return json.replace(/"seq"(: ?)(\d+)/, '"seq"$10$2');
    case 2:
      return json.replace('"append"', rng.pick(['"set"', '"appenD"', '"ping"', '"end"']));
    case 3:
      return json.replace(/"id"(: ?)"[^"]*"/, rng.pick(['"id"$1"nobody"', '"id"$1""', '"id"$15', '"id"$1"answer-1"']));
    case 4:
      return `${json.slice(0, -1)}${rng.pick([',"extra":1}', ',"seq":3}', ',"block":{"id":"a","content":"last"}}', "}}", " }", ",}"])}`;
    case 5:
      return json.slice(0, at) + rng.pick(["\t", " ", "\u0001", '"', "\\", "0"]) + json.slice(at);
    case 6:
      return json.slice(0, at) + json.slice(at + 1);
    case 7:
      return json.replace("block.", rng.pick(["block..", "block.x.", "Block.", "meta."]));
    default:
      return json.replace(
        /"(content|note)"(: ?)"/,
        rng.pick(['"$1"$2["x"],"$1"$2"', '"other"$2"', '"ref"$2"k","$1"$2"', '"$1"$2null,"$1"$2"']),
      );
  }
}

function call(rng: Rng, streamId: string, flush: () => void): Action[] {
  flush();
  switch (rng.int(7)) {
    case 6: {
      const block = { id: rng.pick(IDS), type: "text", content: "body " };
      const resume = { do: "resume", streamId, skip: rng.chance(0.3) } as const;
      return [{ do: "materialize", json: JSON.stringify(block), streamId }, resume];
    }
    case 0:
      return [{ do: "migrate", step: rng.int(3) }];
    case 1:
      return [{ do: "changes", streamId, since: rng.int(30) }];
    case 2:
      return [{ do: "pause", streamId }];
    case 3:
      return [{ do: "resume", streamId }];
    case 4:
      return [{ do: "release", streamId }];
    default:
      return [{ do: "reconnect" }];
  }
}
