import {
  type AguiEvent,
  finished,
  runError,
  started,
  stateDelta,
  stateSnapshot,
  subagentStarted,
  textChunk,
} from "../support/agui-events.js";
import { type BinaryTransport, frame, protobufOf } from "../support/binary.js";
import { concat, latin1, utf8 } from "../support/bytes.js";
import type { Options } from "../support/fold.js";
import { hex } from "../support/msgpack.js";
import {
  DOUBLES,
  type Habit,
  type Item,
  itemOf,
  Members,
  OLD,
  SHORTEST,
  spellMsgpack,
} from "../support/msgpack-spell.js";
import {
  bytesField,
  type Field,
  groupField,
  numberField,
  putField,
  stringField,
  varint,
} from "../support/protobuf-spell.js";
import type { Rng } from "../support/rng.js";
import { HotState } from "./agui-hot.js";
import { pieces } from "./msgpack-hot.js";
import { type Action, bytesAction, type Script } from "./script.js";
import { ESCAPED, IDS, TEXTS } from "./texts.js";
import { MSGPACK, PROTOBUF } from "./wires.js";

const DELTAS = [...TEXTS, "\u0000", "\u2028", "z".repeat(40), "long ".repeat(30)];
const ALL_IDS = [...IDS, ...ESCAPED, ""];
/** Ids that stand in JSON as they are. */
const PLAIN_IDS = ["m", "m-1", "m-12", "x".repeat(40)];
/** Some of them are the escapes of others. */
const TAGS = [undefined, "s", 't"', 't\\"', "helper-é"];

const TIMES = [1_700_000_000_000, 1_700_000_000_000, 1_700_000_000, 0, -1];

/** Limits that are in reach, or just are not. */
const LIMITS: readonly NonNullable<Options["limits"]>[] = [
  { modelBytes: 2000 },
  { depth: 2 },
  { messageBytes: 70 },
  { numberLength: 14 },
  { numberLength: 15 },
];

/** The members of the three kinds of tokens, and where they stand over protobuf. */
const KINDS = {
  TEXT_MESSAGE: {
    id: "messageId",
    delta: "TEXT_MESSAGE_CONTENT",
    arm: 2,
    number: 1,
    fields: { id: 2, delta: 3, tag: 4 },
  },
  TOOL_CALL: { id: "toolCallId", delta: "TOOL_CALL_ARGS", arm: 5, number: 4, fields: { id: 2, delta: 3, tag: 4 } },
  REASONING_MESSAGE: {
    id: "messageId",
    delta: "REASONING_MESSAGE_CONTENT",
    arm: 27,
    number: 26,
    fields: { id: 3, delta: 4, tag: 2 },
  },
} as const;
type Kind = keyof typeof KINDS;

/** Something that grows. */
interface Grower {
  kind: Kind;
  id: string;
  tag: string | undefined;
}

/** What a token says. */
interface Token {
  kind: Kind;
  id: string;
  delta: string;
  tag: string | undefined;
  timestamp: number | undefined;
}

/** The form of a token. */
interface Shape {
  timed: boolean;
  tagged: boolean;
  shuffled: boolean;
}

/**
 * AG-UI traffic over a binary wire as producers send it, made to meet the shortcut and its limits: tokens of texts, arguments and reasoning in a few
 * fixed forms, and now and then something that only just does not fit.
 *
 * @param calm nothing is disturbed, and nothing else is asked for
 * @returns how many tokens and state deltas the script holds, too
 */
export function aguiBinaryScript(
  rng: Rng,
  transport: BinaryTransport,
  { calm = false } = {},
): { script: Script; tokens: number; deltas: number } {
  // half of the scripts are ordinary but for tokens that are nearly so, which then meet the shortcut and not what comes before it
  const plain = calm || rng.chance(0.5);
  const disturbed = calm ? 0 : plain ? 0.2 : rng.pick([0.01, 0.02, 0.05]);
  const habit = rng.pick<Habit>(plain ? [SHORTEST, DOUBLES] : [SHORTEST, DOUBLES, OLD, { ...SHORTEST, odd: 0.2 }]);
  const shapes = Array.from({ length: plain ? 1 : rng.pick([1, 1, 2, 3]) }, () => shape(rng));
  const actions: Action[] = [];
  let body: Uint8Array[] = [];
  const flush = (): void => {
    const bytes = concat(body);
    body = [];
    if (bytes.length > 0) actions.push(plain ? bytesAction(bytes, []) : pieces(rng, bytes));
  };
  const send = (event: AguiEvent): void =>
    void body.push(
      transport === "msgpack" ? spellMsgpack(rng, itemOf(event), habit) : protobufOf(JSON.stringify(event)),
    );

  const growers: Grower[] = [];
  const begin = (): void => {
    const kind = rng.pick(Object.keys(KINDS) as Kind[]);
    const id = rng.pick(calm ? PLAIN_IDS : ALL_IDS);
    const grower = { kind, id: rng.chance(0.5) ? id : `${kind} ${id}`, tag: rng.pick(calm ? TAGS.slice(0, 2) : TAGS) };
    if (growers.some(({ id: other }) => other === grower.id)) return;
    growers.push(grower);
    send(bracket(grower, "START"));
  };
  const state = new HotState(rng, plain);
  let deltas = 0;
  const opened = (): AguiEvent[] => [
    ...TAGS.flatMap((tag) => (tag === undefined ? [] : subagentStarted(tag))),
    ...growers.map((grower) => bracket(grower, "START")),
  ];
  let paused = false;
  for (const event of [started(), ...opened(), stateSnapshot(state.value)]) send(event);
  for (let n = rng.between(1, plain ? 2 : 4); n > 0 || growers.length === 0; n--) begin();

  let tokens = 0;
  for (let count = rng.between(40, 160); count > 0; count--) {
    if (rng.chance(0.2)) {
      deltas++;
      const event = state.delta();
      if (rng.chance(disturbed)) {
        body.push(disturbedDelta(rng, event, transport, habit));
        flush();
        actions.push({ do: "reconnect" });
      } else send(event);
      continue;
    }
    const token = tokenOf(rng, rng.pick(shapes), rng.pick(growers));
    const isDisturbed = rng.chance(disturbed);
    if (isDisturbed && rng.chance(0.2)) {
      if (rng.chance(0.5)) token.tag = rng.pick(TAGS);
      else token.id = rng.pick(ALL_IDS);
    }
    body.push(
      transport === "msgpack"
        ? msgpackToken(rng, token, rng.pick(shapes), habit, isDisturbed)
        : protobufToken(rng, token, isDisturbed),
    );
    // what has been declared may swallow the rest
    if (isDisturbed && rng.chance(0.5)) {
      flush();
      actions.push({ do: "reconnect" });
    }
    tokens++;
    if (rng.chance(0.03)) begin();
    if (rng.chance(0.03) && growers.length > 1) {
      const [grower] = growers.splice(rng.int(growers.length), 1);
      send(bracket(grower as Grower, "END"));
      // now and then it goes on all the same
      if (!plain && rng.chance(0.1)) growers.push(grower as Grower);
    }
    if (!plain && rng.chance(disturbed / 2)) {
      for (const event of between(rng)) send(event);
      // mostly it goes on from there
      if (rng.chance(0.7)) for (const event of [started(), ...opened()]) send(event);
    }
    if (rng.chance(0.1)) flush();
    if (!plain && rng.chance(0.03)) {
      flush();
      const action = call(rng);
      actions.push(action);
      paused ||= action.do === "pause";
    }
    if (paused && rng.chance(0.2)) {
      flush();
      actions.push({ do: "resume", streamId: "" });
      paused = false;
    }
  }
  flush();
  actions.push({ do: "finish" });
  const options: Options = {
    protocol: "ag-ui",
    onViolation: !plain && rng.chance(0.1) ? "refuse-stream" : "skip-event",
    undecodable: "skip",
    utf8: rng.pick(["fatal", "replace"]),
    onDeltaFailure: rng.pick(["warn", "fail", "upsert"]),
    limits: plain || rng.chance(0.75) ? {} : rng.pick(LIMITS),
  };
  return { script: { transport, options, listen: !plain && rng.chance(0.07), actions }, tokens, deltas };
}

function shape(rng: Rng): Shape {
  return { timed: rng.chance(0.3), tagged: rng.chance(0.5), shuffled: rng.chance(0.3) };
}

function bracket({ kind, id, tag }: Grower, what: "START" | "END"): AguiEvent {
  const more =
    what === "END"
      ? {}
      : kind === "TOOL_CALL"
        ? { toolCallName: "f" }
        : { role: kind === "TEXT_MESSAGE" ? "assistant" : "reasoning" };
  const owner = tag === undefined ? {} : { subagentRunId: tag };
  return { type: `${kind}_${what}`, [KINDS[kind].id]: id, ...more, ...owner };
}

/** Events after which a token is judged otherwise: a chunk stream that is pending, the end of the run and another one, a failed run. */
function between(rng: Rng): AguiEvent[] {
  return rng.pick<AguiEvent[]>([
    [textChunk({ messageId: "pending", delta: "x" })],
    [finished()],
    [finished(), started()],
    [runError()],
    [stateDelta([{ op: "add", path: "", value: 1 }])],
  ]);
}

function tokenOf(rng: Rng, { timed, tagged }: Shape, { kind, id, tag }: Grower): Token {
  return {
    kind,
    id,
    delta: rng.pick(DELTAS) + (rng.chance(0.4) ? rng.pick(DELTAS) : ""),
    tag: tagged ? tag : undefined,
    timestamp: timed ? rng.pick(TIMES) + rng.int(200) : undefined,
  };
}

// ---------------------------------------------------------------- MessagePack

function msgpackToken(rng: Rng, token: Token, { shuffled }: Shape, habit: Habit, isDisturbed: boolean): Uint8Array {
  const { kind, id, delta, tag, timestamp } = token;
  const members: [string, Item][] = [
    ["type", KINDS[kind].delta],
    [KINDS[kind].id, id],
    ["delta", delta],
  ];
  if (timestamp !== undefined) members.push(["timestamp", timestamp]);
  if (tag !== undefined) members.push(["subagentRunId", tag]);
  if (isDisturbed) disturb(rng, members);
  return spellMsgpack(rng, new Members(shuffled ? members.reverse() : members), habit);
}

const ODD: readonly Item[] = [
  null,
  1.5,
  -0,
  2 ** 53,
  1e15,
  999_999_999_999_999,
  "x",
  "",
  [],
  new Members([]),
  hex("a2 61 ff"),
  hex("c4 01 61"),
  hex("d6 ff 00 00 00 05"),
  hex("c1"),
  hex("cb 7f f0 00 00 00 00 00 00"),
];

/** A change so small that a shortcut may overlook it. */
function disturb(rng: Rng, members: [string, Item][]): void {
  const member = rng.pick(members);
  switch (rng.int(6)) {
    case 0:
      member[1] = rng.pick(ODD);
      break;
    case 1:
      members.splice(rng.int(members.length + 1), 0, [
        rng.pick([
          "extra",
          "delta",
          "messageId",
          "toolCallId",
          "type",
          "timestamp",
          "subagentRunId",
          "rawEvent",
          "metadata",
          "",
          "timestamq",
        ]),
        rng.pick<Item>(["TEXT_MESSAGE_CONTENT", "m", "m-1", "s", 5, ...ODD]),
      ]);
      break;
    case 2:
      members.splice(members.indexOf(member), 1);
      break;
    case 3:
      if (typeof member[1] === "string") {
        member[1] = rng.pick([
          `${member[1]}x`,
          member[1].slice(0, -1),
          "TOOL_CALL_ARGS",
          "TEXT_MESSAGE_CONTENT",
          "TEXT_MESSAGE_END",
          "TEXT_MESSAGE_CHUNK",
          "nobody",
          "m-1",
        ]);
      }
      break;
    case 4:
      member[0] = rng.pick([`${member[0]}x`, member[0].slice(0, -1), "messageId", "toolCallId"]);
      break;
    default:
      members.unshift([member[0], rng.pick(ODD)]);
  }
}

/** A delta in which something is not as it is usually: a member of an operation, or bytes of it. */
function disturbedDelta(rng: Rng, event: AguiEvent, transport: BinaryTransport, habit: Habit): Uint8Array {
  const bytes = transport === "msgpack" ? spellMsgpack(rng, itemOf(event), habit) : protobufOf(JSON.stringify(event));
  if (transport === "protobuf" || (event.delta as object[]).length === 0 || rng.chance(0.3)) {
    const { damage } = transport === "msgpack" ? MSGPACK : PROTOBUF;
    return latin1(damage(rng, Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
  }
  const operations = (event.delta as object[]).map((operation) => Object.entries(operation));
  const members = rng.pick(operations);
  const member = rng.pick(members);
  switch (rng.int(4)) {
    case 0:
      member[1] = rng.pick([...ODD, "replace", "remove", "/n", "/list/-", "/a~2b", "/map/k\u0000"]);
      break;
    case 1:
      // the last one counts
      members.splice(rng.int(members.length + 1), 0, [member[0], rng.pick(["add", "/n", 5, null])]);
      break;
    case 2:
      members.splice(rng.int(members.length + 1), 0, [rng.pick(["extra", "from", "value", "path", ""]), "/n"]);
      break;
    default:
      members.splice(members.indexOf(member), 1);
  }
  const delta = operations.map(
    (list) => new Members(list.map(([name, value]) => [name, isItem(value) ? value : itemOf(value)] as const)),
  );
  return spellMsgpack(
    rng,
    new Members([
      ["type", event.type],
      ["delta", delta],
    ]),
    habit,
  );
}

function isItem(value: unknown): value is Item {
  return value instanceof Members || value instanceof Uint8Array;
}

// ---------------------------------------------------------------- protobuf

function protobufToken(rng: Rng, token: Token, isDisturbed: boolean): Uint8Array {
  const { arm, number, fields } = KINDS[token.kind];
  const base = [numberField(1, number)];
  if (token.timestamp !== undefined) base.push(numberField(2, token.timestamp));
  const inner: Field[] = [bytesField(1, concat(base.map((one) => putField(one))))];
  const put = (at: number, value: string | undefined): void => {
    if (value !== undefined) inner.push(stringField(at, value));
  };
  if (token.kind === "REASONING_MESSAGE") put(fields.tag, token.tag);
  put(fields.id, token.id === "" ? undefined : token.id);
  put(fields.delta, token.delta === "" ? undefined : token.delta);
  if (token.kind !== "REASONING_MESSAGE") put(fields.tag, token.tag);
  if (!isDisturbed) return frame(putField(bytesField(arm, concat(inner.map((one) => putField(one))))));
  return disturbedFrame(rng, arm, inner, token);
}

/** A frame of the token in which something is not as it is usually. */
function disturbedFrame(rng: Rng, arm: number, inner: Field[], token: Token): Uint8Array {
  const whole = (list: readonly Field[]): Uint8Array =>
    frame(putField(bytesField(arm, concat(list.map((one) => putField(one))))));
  const at = rng.int(inner.length);
  const field = inner[at] as Field;
  switch (rng.int(16)) {
    case 0:
      return whole(rng.shuffle(inner));
    case 1:
      // the last one counts
      return whole([
        ...inner.slice(0, at),
        rng.chance(0.5) ? field : stringField(field.number, rng.pick(ALL_IDS)),
        ...inner.slice(at),
      ]);
    case 2: {
      const unknown = rng.pick<Field>([
        numberField(rng.pick([5, 13, 100]), 5),
        stringField(rng.pick([5, 13, 100]), "x"),
        groupField(rng.pick([5, 13]), [numberField(1, 1)]),
        { number: 13, type: 1, payload: new Uint8Array(8) },
        { number: 13, type: 5, payload: new Uint8Array(4) },
        // a known number of another wire type
        numberField(rng.pick([2, 3, 4]), 7),
      ]);
      return whole([...inner.slice(0, at), unknown, ...inner.slice(at)]);
    }
    case 3:
      return whole(inner.filter((_, i) => i !== at));
    case 4: {
      // lengths and tags in more bytes than they need
      const wide = inner.map((one) => (rng.chance(0.5) ? putField(one, rng.between(1, 6)) : putField(one)));
      return frame(putField(bytesField(arm, concat(wide)), rng.between(0, 6)));
    }
    case 5: {
      const base = [numberField(1, KINDS[token.kind].number)].concat(
        rng.pick([
          [numberField(2, rng.pick([2 ** 49 - 1, 2 ** 49, 2 ** 53 - 1, 2 ** 53, -1, -(2 ** 53)]))],
          [numberField(2, 1), numberField(2, 2)],
          [numberField(2, 5), numberField(1, KINDS[token.kind].number)],
          [stringField(3, ""), numberField(2, 5)],
          [bytesField(3, hex("20 01"))],
          [bytesField(4, new Uint8Array(0))],
          [numberField(9, 5)],
        ]),
      );
      return whole([bytesField(1, concat(rng.shuffle(base).map((one) => putField(one)))), ...inner.slice(1)]);
    }
    case 6: {
      const base = concat([
        hex("08"),
        varint(KINDS[token.kind].number),
        hex("10"),
        varint(rng.int(1e6), rng.between(1, 11)),
      ]);
      return whole([bytesField(1, base), ...inner.slice(1)]);
    }
    case 7:
      // the type of another event
      return whole([bytesField(1, concat([hex("08"), varint(rng.int(40))])), ...inner.slice(1)]);
    case 8: {
      const half = inner.slice(0, at);
      return frame(
        concat(
          [half, inner.slice(at)].map((list) => putField(bytesField(arm, concat(list.map((one) => putField(one)))))),
        ),
      );
    }
    case 9: {
      const beside = rng.pick([
        numberField(arm, 1),
        stringField(40, ""),
        bytesField(3, hex("0a 02 08 02")),
        numberField(50, 1),
      ]);
      const parts = [putField(bytesField(arm, concat(inner.map((one) => putField(one))))), putField(beside)];
      return frame(concat(rng.chance(0.5) ? parts : parts.reverse()));
    }
    case 10: {
      // ill-formed UTF-8 in a string
      const list = inner.map((one, i) =>
        i === at && i > 0 ? { ...one, payload: concat([hex("ff"), utf8(rng.pick(DELTAS)), hex("e2 82")]) } : one,
      );
      return whole(list);
    }
    case 11: {
      const bytes = whole(inner);
      // a frame that says another length
      new DataView(bytes.buffer).setUint32(0, bytes.length - 4 + rng.between(-3, 3));
      return bytes;
    }
    case 12:
    case 13: {
      // a length that is not that of the contents, of the arm or inside of it
      const wrong = (one: Field): Uint8Array => {
        const size = Math.max(0, one.payload.length + rng.pick([-2, -1, 1, 2]));
        return concat([varint((one.number << 3) | one.type), varint(size), one.payload]);
      };
      if (rng.chance(0.5)) return frame(wrong(bytesField(arm, concat(inner.map((one) => putField(one))))));
      return frame(putField(bytesField(arm, concat(inner.map((one, i) => (i === at ? wrong(one) : putField(one)))))));
    }
    case 14: {
      const bytes = whole(inner);
      bytes[rng.int(bytes.length)] = rng.pick([0, 0x80, 0xff, rng.int(256)]);
      return bytes;
    }
    default:
      return rng.pick([frame(new Uint8Array(0)), frame(bytesField(arm, new Uint8Array(0)).payload)]);
  }
}

function call(rng: Rng): Action {
  return rng.pick<Action>([
    { do: "migrate", step: rng.pick([0, 0, 1, 2]) },
    { do: "changes", streamId: "", since: rng.int(60) },
    { do: "pause", streamId: "" },
    { do: "resume", streamId: "" },
    { do: "snapshot", streamId: "" },
    { do: "reconnect" },
  ]);
}
