import { concat, utf8 } from "./bytes.js";
import type { Rng } from "./rng.js";

/** What can be spelled; bytes stand for themselves. */
export type Item = null | boolean | number | bigint | string | Uint8Array | readonly Item[] | Members;

/** The members of a map, in their order; names may be repeated. */
export class Members {
  readonly list: readonly (readonly [name: string, value: Item])[];

  constructor(list: readonly (readonly [name: string, value: Item])[]) {
    this.list = list;
  }
}

/** How an encoder writes what it could write in several ways. */
export interface Habit {
  /** Bytes from which strings have a length of two bytes; those of up to 31 have none, those between one of a byte. */
  str16: number;
  /** Integers from here on are doubles. */
  doubles: number;
  /** Entries from which maps have a count of two bytes. */
  map16: number;
  /** Probability that an item is in any format that holds it, at each item. */
  odd: number;
}

/** The shortest forms, as `@msgpack/msgpack` writes them. */
export const SHORTEST: Habit = { str16: 256, doubles: Number.POSITIVE_INFINITY, map16: 16, odd: 0 };
/** Integers of more than 32 bits as doubles, and every map with a count of two bytes, as `msgpackr` may write. */
export const DOUBLES: Habit = { str16: 256, doubles: 2 ** 32, map16: 16, odd: 0 };
/** All numbers as doubles, as languages write that have no others. */
export const ONLY_DOUBLES: Habit = { ...DOUBLES, doubles: 0 };
/** Before strings had lengths of one byte. */
export const OLD: Habit = { ...SHORTEST, str16: 32 };
export const WIDE_MAPS: Habit = { ...DOUBLES, map16: 0 };

/** An item in the formats that the habit chooses. */
export function spellMsgpack(rng: Rng, item: Item, habit: Habit): Uint8Array {
  const parts: Uint8Array[] = [];
  put(parts, rng, item, habit);
  return concat(parts);
}

/** What JSON text is as an item, members that are repeated included; undefined for text that is not JSON, or has a number beyond the range of a double. */
export function itemOfJson(json: string): Item | undefined {
  let at = 0;
  let finite = true;
  const skip = (): void => {
    while (/[ \t\n\r]/.test(json[at] ?? "")) at++;
  };
  const read = (): Item => {
    skip();
    const token = TOKEN.exec(json.slice(at))?.[0] ?? json[at];
    at += token?.length ?? 1;
    if (token === "{" || token === "[") return readList(token);
    if (!/^[-0-9]/.test(token as string)) return JSON.parse(token as string) as Item;
    if (/^-?[0-9]+$/.test(token as string) && token !== "-0") {
      const whole = BigInt(token as string);
      if (whole >= -(1n << 63n) && whole < 1n << 64n) return whole;
    }
    finite &&= Number.isFinite(Number(token));
    return Number(token);
  };
  const readList = (open: "{" | "["): Item => {
    const members: [string, Item][] = [];
    const elements: Item[] = [];
    for (skip(); json[at] !== "}" && json[at] !== "]"; skip()) {
      if (json[at] === ",") at++;
      if (open === "[") elements.push(read());
      else {
        const name = read() as string;
        skip();
        at++;
        members.push([name, read()]);
      }
    }
    at++;
    return open === "[" ? elements : new Members(members);
  };
  try {
    JSON.parse(json);
  } catch {
    return undefined;
  }
  const item = read();
  return finite ? item : undefined;
}

const TOKEN = /^(?:"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)/;

/** What a value of JSON is as an item. */
export function itemOf(value: unknown): Item {
  if (Array.isArray(value)) return value.map(itemOf);
  if (typeof value !== "object" || value === null) return value as Item;
  return new Members(Object.entries(value).map(([name, member]) => [name, itemOf(member)] as const));
}

function put(parts: Uint8Array[], rng: Rng, item: Item, habit: Habit): void {
  const odd = rng.chance(habit.odd);
  if (item === null) parts.push(Uint8Array.of(0xc0));
  else if (typeof item === "boolean") parts.push(Uint8Array.of(item ? 0xc3 : 0xc2));
  else if (typeof item === "number" || typeof item === "bigint") parts.push(numberOf(rng, item, habit, odd));
  else if (typeof item === "string") {
    const body = utf8(item);
    parts.push(head(rng, body.length, [0xa0, 32], habit.str16, [0xd9, 0xda, 0xdb], odd), body);
  } else if (item instanceof Uint8Array) parts.push(item);
  else if (item instanceof Members) {
    parts.push(head(rng, item.list.length, [0x80, Math.min(16, habit.map16)], 0, [0xde, 0xdf], odd));
    for (const [name, value] of item.list) {
      put(parts, rng, name, habit);
      put(parts, rng, value, habit);
    }
  } else {
    parts.push(head(rng, item.length, [0x90, 16], 0, [0xdc, 0xdd], odd));
    for (const element of item) put(parts, rng, element, habit);
  }
}

/** A size: in the lead byte below a bound, else behind one of the leads, of which the first of three has one byte. */
function head(
  rng: Rng,
  size: number,
  [small, below]: readonly [number, number],
  wide: number,
  leads: readonly number[],
  odd: boolean,
): Uint8Array {
  const widths = leads.length === 3 ? [1, 2, 4] : [2, 4];
  const fitting = widths.flatMap((width, i) => (size < 256 ** width ? [sized(leads[i] as number, size, width)] : []));
  if (odd) return rng.pick(size < (leads.length === 3 ? 32 : 16) ? [Uint8Array.of(small | size), ...fitting] : fitting);
  if (size < below) return Uint8Array.of(small | size);
  return (leads.length === 3 && size < 256 && size >= wide ? fitting[1] : fitting[0]) as Uint8Array;
}

function sized(lead: number, size: number, width: number): Uint8Array {
  const out = new Uint8Array(1 + width);
  out[0] = lead;
  for (let i = 0; i < width; i++) out[width - i] = Math.floor(size / 256 ** i) & 255;
  return out;
}

function double(value: number): Uint8Array {
  const out = new DataView(new ArrayBuffer(9));
  out.setUint8(0, 0xcb);
  out.setFloat64(1, value);
  return new Uint8Array(out.buffer);
}

function integer(value: bigint, lead: number): Uint8Array {
  const out = new DataView(new ArrayBuffer(9));
  out.setUint8(0, lead);
  const width = 1 << (lead & 3);
  out.setBigUint64(1, BigInt.asUintN(64, value << BigInt(64 - 8 * width)));
  return new Uint8Array(out.buffer, 0, 1 + width);
}

function numberOf(rng: Rng, value: number | bigint, { doubles }: Habit, odd: boolean): Uint8Array {
  if (typeof value === "number" && (!Number.isInteger(value) || Object.is(value, -0))) return double(value);
  const whole = BigInt(value);
  const safe = Number.isSafeInteger(Number(whole));
  if (safe && Number(whole) >= doubles && !odd) return double(Number(whole));
  const forms: Uint8Array[] = [];
  if (whole >= -32n && whole < 128n) forms.push(Uint8Array.of(Number(whole) & 255));
  for (let width = 0; width < 4; width++) {
    const bits = BigInt(8 << width);
    if (whole >= 0n && whole < 1n << bits) forms.push(integer(whole, 0xcc + width));
    if (whole >= -(1n << (bits - 1n)) && whole < 1n << (bits - 1n) && (odd || whole < 0n)) {
      forms.push(integer(whole, 0xd0 + width));
    }
  }
  if (odd && safe) forms.push(double(Number(whole)));
  return odd || forms.length === 0
    ? rng.pick(forms.length === 0 ? [double(Number(whole))] : forms)
    : (forms[0] as Uint8Array);
}
