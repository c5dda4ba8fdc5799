import { concat } from "../support/bytes.js";
import type { Options } from "../support/fold.js";
import { hex } from "../support/msgpack.js";
import {
  DOUBLES,
  type Habit,
  type Item,
  itemOf,
  Members,
  OLD,
  ONLY_DOUBLES,
  SHORTEST,
  spellMsgpack,
  WIDE_MAPS,
} from "../support/msgpack-spell.js";
import type { Rng } from "../support/rng.js";
import { type Action, bytesAction, type Script } from "./script.js";
import { ESCAPED, IDS, TEXTS } from "./texts.js";

const DELTAS = [
  ...TEXTS,
  "\u0000",
  "\u001f",
  "\u2028",
  "\u007f",
  "z".repeat(31),
  "w".repeat(32),
  `${"long ".repeat(51)}!`,
  "longer\n".repeat(60),
];
const BLOCKS = [...IDS, ...ESCAPED, "\u2028"];
const STREAMS = ["", "s1", "s2", 'q"', 'q\\"', "stream-é"];
/** First seqs: some of them are close to a longer format; the last one has more digits than shortcuts take. */
const FIRST = [1, 1, 7, 95, 126, 254, 65_530, 2 ** 32 - 5, 9_007_199_254_740_900];
const COMMON = [SHORTEST, SHORTEST, SHORTEST, DOUBLES, DOUBLES, OLD];
const ODD_HABITS = [ONLY_DOUBLES, WIDE_MAPS, { ...SHORTEST, odd: 0.02 }, { ...SHORTEST, odd: 1 }];

/** Limits that are in reach, or just are not. */
const LIMITS: readonly NonNullable<Options["limits"]>[] = [
  { messageBytes: 90 },
  { modelBytes: 2500 },
  { depth: 4 },
  { depth: 1 },
  { numberLength: 14 },
  { numberLength: 15 },
];

/** The form of an append: which members it has, and in which order. */
interface Shape {
  order: readonly string[];
  field: string;
  /** Members of the block in their order. */
  block: readonly string[];
}

type Named = [name: string, value: Item][];

/** A body in whatever pieces: whole, byte by byte, or cut in a few places. */
export function pieces(rng: Rng, bytes: Uint8Array): Action {
  const cuts = rng.chance(0.4) ? 0 : rng.chance(0.1) ? bytes.length : rng.int(5);
  return bytesAction(
    bytes,
    cuts === bytes.length
      ? Array.from(bytes, (_, i) => i)
      : Array.from({ length: cuts }, () => rng.int(bytes.length + 1)).sort((a, b) => a - b),
  );
}

/**
 * Appends over MessagePack as producers send them, made to meet every shortcut and its limits: the formats of several encoders, members in any order,
 * seqs that gain a byte, ids that cannot stand in JSON as they are, and now and then something that only just does not fit.
 *
 * @param calm nothing is disturbed, and nothing else is asked for
 */
export function msgpackHotScript(rng: Rng, { calm = false } = {}): { script: Script; tokens: number } {
  // half of the scripts are ordinary but for tokens that are nearly so, which then meet the shortcuts and not what comes before them
  const plain = calm || rng.chance(0.5);
  const habit = rng.pick(plain || rng.chance(0.7) ? COMMON : ODD_HABITS);
  const shapes = Array.from({ length: plain ? 1 : rng.pick([1, 1, 2, 3, 5]) }, () => shape(rng, plain));
  const streams = plain ? STREAMS.slice(0, calm ? 2 : 5) : STREAMS.slice(0, rng.pick([1, 1, 2, STREAMS.length]));
  const ids = plain
    ? ["m", "answer-1", "answer-10", ...(calm ? [] : ['q"', 'q\\"'])]
    : (rng.chance(0.5) ? BLOCKS : rng.shuffle(BLOCKS)).slice(0, rng.pick([1, 2, 4, BLOCKS.length]));
  const disturbed = calm ? 0 : plain ? 0.2 : rng.pick([0.01, 0.02, 0.05]);
  const seqs = new Map<string, number>();
  const actions: Action[] = [];
  let body: Uint8Array[] = [];
  const flush = (): void => {
    const bytes = concat(body);
    body = [];
    if (bytes.length > 0) actions.push(plain ? bytesAction(bytes, []) : pieces(rng, bytes));
  };
  const send = (item: Item): void => void body.push(spellMsgpack(rng, item, habit));
  const begin = (stream: string): void => {
    const first = rng.pick(plain ? FIRST.slice(0, -1) : FIRST);
    seqs.set(stream, first);
    const blocks = BLOCKS.map((id) => ({ id, type: "text", content: !plain && rng.chance(0.1) ? null : "", note: "" }));
    const model = { version: "1.1", biz: "chat", meta: {}, blocks };
    send(itemOf({ op: "start", seq: first, ...(stream === "" ? {} : { stream_id: stream }), model }));
  };
  for (const stream of streams) begin(stream);
  const paused = new Set<string>();
  const count = rng.between(20, 200);
  for (let i = 0; i < count; i++) {
    const stream = rng.pick(streams);
    const last = seqs.get(stream) as number;
    const seq = last + (!plain && rng.chance(0.03) ? rng.between(-1, 3) : 1);
    seqs.set(stream, Math.max(last, seq));
    const members = append(rng, rng.pick(shapes), seq, rng.pick(!plain && rng.chance(0.02) ? BLOCKS : ids), stream);
    const event = new Members(rng.chance(disturbed) ? disturb(rng, members, habit) : members);
    if (!plain && rng.chance(disturbed / 4)) {
      body.push(broken(rng, spellMsgpack(rng, event, habit)));
      // what it has declared may swallow the rest
      if (rng.chance(0.8)) {
        flush();
        actions.push({ do: "reconnect" });
      }
    } else send(event);
    if (rng.chance(0.1)) flush();
    if (!plain && rng.chance(0.02)) {
      flush();
      const action = call(rng, stream);
      actions.push(action);
      if (action.do === "pause") paused.add(stream);
      // mostly it goes on from there
      if (action.do === "release" && rng.chance(0.8)) begin(stream);
    }
    if (paused.has(stream) && rng.chance(0.2)) {
      flush();
      actions.push({ do: "resume", streamId: stream });
      paused.delete(stream);
    }
  }
  flush();
  actions.push({ do: "finish" });
  const options: Options = {
    onViolation: !plain && rng.chance(0.1) ? "refuse-stream" : "skip-event",
    undecodable: "skip",
    utf8: rng.pick(["fatal", "replace"]),
    sequence: rng.pick(["dedupe", "dedupe", "strict", "off"]),
    limits: plain || rng.chance(0.75) ? {} : rng.pick(LIMITS),
  };
  return { script: { transport: "msgpack", options, listen: !plain && rng.chance(0.07), actions }, tokens: count };
}

function shape(rng: Rng, isCalm: boolean): Shape {
  const members = ["op", "seq", "mask", "block"];
  if (rng.chance(0.3)) members.push("ts");
  if (rng.chance(0.3)) members.push("event_type");
  if (rng.chance(0.5)) members.push("stream_id");
  const field = rng.pick(["content", "content", "note"]);
  const block = ["id", field];
  if (rng.chance(0.3)) block.push(rng.pick(isCalm ? ["type", "other"] : ["type", "é", "other"]));
  return {
    order: rng.chance(0.4) ? rng.shuffle(members) : members,
    field,
    block: rng.chance(0.3) ? rng.shuffle(block) : block,
  };
}

function append(rng: Rng, { order, field, block }: Shape, seq: number, id: string, stream: string): Named {
  const delta = rng.pick(DELTAS) + (rng.chance(0.4) ? rng.pick(DELTAS) : "");
  const values: Record<string, Item> = {
    op: "append",
    seq,
    mask: `block.${field}`,
    block: new Members(block.map((name) => [name, name === "id" ? id : name === field ? delta : "text"] as const)),
    ts: rng.pick([1_700_000_000_000 + rng.int(1e9), 1_700_000_000, 5]),
    event_type: "message.delta",
    stream_id: stream,
  };
  const names = stream !== "" && !order.includes("stream_id") ? [...order, "stream_id"] : order;
  return names.map((name) => [name, values[name] as Item]);
}

const ODD: readonly Item[] = [
  null,
  true,
  0,
  -1,
  1.5,
  -0,
  18446744073709551615n,
  "",
  "x",
  [],
  ["x"],
  new Members([]),
  // str that is ill-formed, bin, a timestamp
  hex("a2 61 ff"),
  hex("c4 01 61"),
  hex("d6 ff 00 00 00 05"),
];

/** A change so small that a shortcut may overlook it. */
function disturb(rng: Rng, members: Named, habit: Habit): Named {
  const out = members.map(([name, value]): [string, Item] => [name, value]);
  const change = (name: string, to: (value: Item) => Item): void => {
    const member = out.find(([other]) => other === name);
    if (member !== undefined) member[1] = to(member[1]);
  };
  const inBlock = (to: (block: [string, Item][]) => void): void =>
    change("block", (block) => {
      const list = (block as Members).list.map(([name, value]): [string, Item] => [name, value]);
      to(list);
      return new Members(list);
    });
  switch (rng.int(12)) {
    case 0:
      change("seq", (seq) =>
        rng.pick<Item>([(seq as number) + 0.5, -(seq as number), `${seq}`, null, hex("cb 7f f8 00 00 00 00 00 00")]),
      );
      break;
    case 1:
      change("op", () => rng.pick<Item>(["set", "appenD", "ping", "end", "", hex("c4 06 61 70 70 65 6e 64"), 1]));
      break;
    case 2:
      change("mask", (mask) =>
        rng.pick<Item>([
          `${mask}.x`,
          `meta.${mask}`,
          "block.",
          "block",
          "block.id",
          "block.ref",
          "block.nobody",
          'block."',
          "Block.content",
          `${mask}\u0000`,
          "block.a.b",
        ]),
      );
      break;
    case 3:
      inBlock((list) =>
        list.splice(rng.int(list.length + 1), 0, [
          rng.pick(["id", "ref", "content", "note", "type", "extra", 'q"', "", "a.b"]),
          rng.pick(["a", "k", "", '"']),
        ]),
      );
      break;
    case 4:
      inBlock((list) => list.splice(rng.int(list.length), 1));
      break;
    case 5:
      inBlock((list) => {
        (rng.pick(list) as [string, Item])[1] = rng.pick(ODD);
      });
      break;
    case 6:
      inBlock((list) => {
        for (const member of list) if (member[0] === "id") member[1] = rng.pick(["nobody", "", ...BLOCKS]);
      });
      break;
    case 7:
      out.splice(rng.int(out.length + 1), 0, [
        rng.pick(["extra", "op", "seq", "mask", "stream_id", "ts", "event_type", "model", "meta", ""]),
        rng.pick<Item>(["append", "block.note", "s1", 'q"', 'q\\"', 3, ...ODD]),
      ]);
      break;
    case 8:
      out.splice(rng.int(out.length), 1);
      break;
    case 9:
      (rng.pick(out) as [string, Item])[1] = rng.pick(ODD);
      break;
    case 10:
      change("stream_id", () => rng.pick(STREAMS));
      break;
    default:
      change("block", (block) => spellMsgpack(rng, block, { ...habit, odd: 1 }));
  }
  return out;
}

/** Bytes with one of them changed, put in or taken out. */
function broken(rng: Rng, bytes: Uint8Array): Uint8Array {
  const list = [...bytes];
  const at = rng.int(list.length);
  const byte = rng.chance(0.5) ? rng.pick([0xc1, 0xff, 0xd9, 0xda, 0xdb, 0xdf, 0xcb, 0xcf, 0x80, 0xa0]) : rng.int(256);
  const way = rng.int(3);
  if (way === 0) list[at] = byte;
  else if (way === 1) list.splice(at, 0, byte);
  else list.splice(at, 1);
  return Uint8Array.from(list);
}

function call(rng: Rng, streamId: string): Action {
  return rng.pick<Action>([
    { do: "migrate", step: rng.pick([0, 0, 1, 2]) },
    { do: "changes", streamId, since: rng.int(30) },
    { do: "pause", streamId },
    { do: "resume", streamId },
    { do: "release", streamId },
    { do: "reconnect" },
  ]);
}
