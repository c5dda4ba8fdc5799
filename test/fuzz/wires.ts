import { RULES } from "../codec/support/protobuf.js";
import { frame, protobufOf } from "../support/binary.js";
import { concat, latin1 } from "../support/bytes.js";
import { hex, REFUSED, randomMessage } from "../support/msgpack.js";
import {
  DOUBLES,
  type Habit,
  type Item,
  itemOfJson,
  Members,
  OLD,
  SHORTEST,
  spellMsgpack,
} from "../support/msgpack-spell.js";
import type { Rng } from "../support/rng.js";
import type { Wire } from "./generate.js";

const HABITS: readonly Habit[] = [SHORTEST, SHORTEST, DOUBLES, OLD, { ...SHORTEST, odd: 0.1 }, { ...SHORTEST, odd: 1 }];
const TEXTS = ["", "a", "some text", "é中😀", '"\\\n\u0000'];

const text = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** Where a change is made, and what stands there then. */
function splice(bytes: Uint8Array, at: number, removed: number, ...added: Uint8Array[]): Uint8Array {
  return concat([bytes.subarray(0, at), ...added, bytes.subarray(at + removed)]);
}

/** One change that knows nothing of the format. */
function change(rng: Rng, bytes: Uint8Array, likely: readonly number[]): Uint8Array {
  const at = rng.int(bytes.length);
  const byte = Uint8Array.of(rng.chance(0.6) ? rng.pick(likely) : rng.int(256));
  switch (rng.int(5)) {
    case 0:
      return splice(bytes, at, 1, byte);
    case 1:
      return splice(bytes, at, 0, byte);
    case 2:
      return splice(bytes, at, rng.between(1, 4));
    case 3:
      return splice(bytes, at, 0, bytes.subarray(at, at + rng.between(1, 12)));
    default:
      return bytes.slice(0, at + 1);
  }
}

const REFUSED_BYTES = REFUSED.map(([digits]) => hex(digits));
const MSGPACK_BYTES = [
  0xc1, 0xff, 0x80, 0x90, 0x91, 0xa0, 0xbf, 0xc4, 0xc7, 0xca, 0xcb, 0xcf, 0xd4, 0xd6, 0xd7, 0xd9, 0xda, 0xdb, 0xdc,
  0xde, 0xdf,
];

/** MessagePack in the formats of several encoders, with values in it that JSON does not have. */
export const MSGPACK: Wire = {
  transport: "msgpack",
  spell(rng, json, once) {
    const item = itemOfJson(json);
    if (item === undefined) return undefined;
    const habit = rng.pick(HABITS);
    return text(spellMsgpack(rng, !once && rng.chance(0.1) ? withForeign(rng, item) : item, habit));
  },
  damage(rng, message) {
    let bytes: Uint8Array = latin1(message);
    for (let times = rng.pick([1, 1, 1, 2]); times > 0 && bytes.length > 0; times--) bytes = damageMsgpack(rng, bytes);
    return text(bytes);
  },
};

/** The same with one value in it that is any of MessagePack. */
function withForeign(rng: Rng, item: Item): Item {
  const foreign = (): Item => (rng.chance(0.7) ? randomMessage(rng, 2, TEXTS) : rng.pick(REFUSED_BYTES));
  if (item instanceof Members && item.list.length > 0) {
    const at = rng.int(item.list.length);
    return new Members(
      item.list.map(([name, value], i) => [name, i === at ? withForeign(rng, value) : value] as const),
    );
  }
  if (Array.isArray(item) && item.length > 0) {
    const at = rng.int(item.length);
    return item.map((value, i) => (i === at ? withForeign(rng, value) : value));
  }
  return foreign();
}

function damageMsgpack(rng: Rng, bytes: Uint8Array): Uint8Array {
  const at = rng.int(bytes.length);
  switch (rng.int(10)) {
    case 0:
      // a length that is not there
      return splice(bytes, at, rng.int(5), hex("ff ff ff ff"));
    case 1:
      return splice(
        bytes,
        at,
        rng.int(2),
        rng.pick([hex("c1"), hex("d6 ff 00"), hex("d7 ff ff ff ff ff 00 00 00 00"), hex("c7 0c ff")]),
      );
    case 2: {
      const levels = rng.pick([4, 12, 600]);
      return splice(
        bytes,
        at,
        0,
        concat(Array.from({ length: levels }, () => rng.pick([hex("91"), hex("81 a0"), hex("dc 00 01")]))),
      );
    }
    case 3:
      return splice(bytes, at, rng.int(2), rng.pick(REFUSED_BYTES));
    case 4:
      // between good messages
      return rng.chance(0.5) ? concat([bytes, rng.pick(REFUSED_BYTES)]) : concat([rng.pick(REFUSED_BYTES), bytes]);
    default:
      return change(rng, bytes, MSGPACK_BYTES);
  }
}

const RULE_BYTES = RULES.map(([, digits]) => hex(digits));
const PROTOBUF_BYTES = [0, 0x80, 0xff, 0x01, 0x02, 0x07, 0x08, 0x0a, 0x0b, 0x0c, 0x12, 0x1a, 0x22, 0x2a, 0x7f];
/** What may stand where a field is expected. */
const FIELDS = [
  "00",
  "00 01",
  "02 00",
  "0b",
  "0c",
  "0b 0c",
  "6b 08 01 6c",
  "6e 01",
  "6f 01",
  "68 ff ff ff ff ff ff ff ff ff 01",
  "68 ff ff ff ff ff ff ff ff ff 02",
  "68 80 80 80 80 80 80 80 80 80 80 00",
  "12 ff ff ff ff 0f",
  "12 ff ff ff ff ff 0f",
  "0a ff 7f",
  "6d 00 00",
  "69 00",
  "82 80 00 00",
  "c2 02 00",
  "32 03 0a 01 00",
].map(hex);

/** Frames of AG-UI's protobuf; an event that has none is passed over, or made one that does not say what it said. */
export const PROTOBUF: Wire = {
  transport: "protobuf",
  spell(rng, json) {
    try {
      return text(protobufOf(json));
    } catch {
      return rng.chance(0.1) ? text(frame(rng.pick(RULE_BYTES))) : undefined;
    }
  },
  damage(rng, message) {
    const bytes = latin1(message);
    if (rng.chance(0.15)) return text(damageFrames(rng, bytes));
    let payload: Uint8Array = bytes.slice(4);
    for (let times = rng.pick([1, 1, 1, 2]); times > 0 && payload.length > 0; times--)
      payload = damagePayload(rng, payload);
    return text(frame(payload));
  },
};

function damagePayload(rng: Rng, payload: Uint8Array): Uint8Array {
  const at = rng.int(payload.length);
  switch (rng.int(8)) {
    case 0:
      return splice(payload, at, rng.int(3), rng.pick(FIELDS));
    case 1:
      return rng.chance(0.5) ? concat([payload, rng.pick(FIELDS)]) : concat([rng.pick(FIELDS), payload]);
    case 2: {
      const levels = rng.pick([20, 100, 101, 600]);
      const bomb = rng.pick([
        concat([new Uint8Array(levels).fill(0x6b), new Uint8Array(rng.chance(0.7) ? levels : 0).fill(0x6c)]),
        nested(levels),
      ]);
      return rng.chance(0.5) ? concat([payload, bomb]) : splice(payload, at, 0, bomb);
    }
    case 3:
      return rng.chance(0.5) ? concat([payload, rng.pick(RULE_BYTES)]) : concat([rng.pick(RULE_BYTES), payload]);
    default:
      return change(rng, payload, PROTOBUF_BYTES);
  }
}

/** A STATE_SNAPSHOT of lists in lists. */
function nested(levels: number): Uint8Array {
  let value: Uint8Array = new Uint8Array(0);
  const wrap = (tag: number, inner: Uint8Array): Uint8Array => {
    const size: number[] = [];
    for (let n = inner.length; ; n >>= 7) {
      size.push(n < 128 ? n : (n & 127) | 128);
      if (n < 128) break;
    }
    return concat([Uint8Array.of(tag), Uint8Array.from(size), inner]);
  };
  for (let i = 0; i < levels; i++) value = wrap(0x32, wrap(0x0a, value));
  return wrap(0x3a, concat([hex("0a 02 08 06"), wrap(0x12, value)]));
}

/** Something wrong with the frame itself, or with what stands between frames. */
function damageFrames(rng: Rng, bytes: Uint8Array): Uint8Array {
  switch (rng.int(7)) {
    case 0:
      return splice(bytes, 0, 4, hex("ff ff ff ff"));
    case 1: {
      const out = bytes.slice();
      new DataView(out.buffer).setUint32(0, Math.max(0, bytes.length - 4 + rng.between(-4, 4)));
      return out;
    }
    case 2:
      return concat([hex("00 00 00 00"), bytes]);
    case 3:
      return bytes.slice(0, rng.int(bytes.length));
    case 4:
      return concat([bytes, frame(rng.pick(RULE_BYTES)), bytes]);
    case 5:
      return splice(bytes, rng.int(4), 1, Uint8Array.of(rng.int(256)));
    default:
      return concat([frame(new Uint8Array(rng.int(900))), bytes]);
  }
}
