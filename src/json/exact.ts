import { exactDouble, numberOrBigInt } from "./number.js";
import { type JsonObject, put } from "./object.js";

/** A JSON number that no double carries without loss, as its text. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Matches wherever a number may stand whose digits a double loses: 16 characters and more, exponents, minus zero. */
const INEXACT = /(?:^|[:,[\s])(?:-?[\d.]{16}|-?\d[\d.]*[eE]|-0(?![.\d])|-0\.0*(?!\d))/;
/** Matches wherever a number may stand that is no integer of few digits. */
const ODD = /(?:^|[:,[\s])-?(?:\d{16}|\d+[.eE])|(?:^|[:,[\s])-0/;
const LONG_INTEGER = /(?:^|[:,[\s])-?\d{16}/;

/** At most fifteen digits, which a double holds. */
const PLAIN_INTEGER = /^[0-9]{1,15}$/;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Whether a well-formed JSON text may hold a number that a double cannot carry; false positives are possible, misses are not. */
export function mayHoldExactNumber(text: string): boolean {
  return INEXACT.test(text);
}

/**
 * Parses JSON and keeps every number that a double would change as an `ExactNumber` (also `-0` and numbers beyond a double's range).
 *
 * @param text one JSON text (RFC 8259)
 * @returns plain objects and arrays; repeated members: last value, first place; `__proto__` is an own member
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseExact(text: string): unknown {
  const value = JSON.parse(text);
  return mayHoldExactNumber(text) ? readExact(text) : value;
}

/** `parseExact` for a text that is known to be well-formed. */
export function readExact(text: string): unknown {
  return read(text, (number) => exactDouble(number) ?? new ExactNumber(number));
}

/** Reads a text that is known to be well-formed; every number that is not written as plain digits is an `ExactNumber`. */
export function readPlain(text: string): unknown {
  return read(text, (number) => (PLAIN_INTEGER.test(number) ? Number(number) : new ExactNumber(number)));
}

/** Names that JavaScript lists before all others. */
const INTEGER_NAME = /^(?:0|[1-9][0-9]*)$/;
/** Matches wherever such a name may stand, in whatever spelling. */
const MAY_NAME_INTEGER = /"(?:[0-9]|\\u003[0-9])+"\s*:/;

/** Whether the objects of a well-formed text may list their members in another order than the text does. */
export function mayReorder(text: string): boolean {
  return MAY_NAME_INTEGER.test(text);
}

/**
 * `readExact`, and the order of members where JavaScript's is another.
 *
 * @param orders takes, for each object with an integer-like name, the names in document order
 */
export function readOrdered(text: string, orders: Map<object, string[]>): unknown {
  return read(text, (number) => exactDouble(number) ?? new ExactNumber(number), orders);
}

/** How numbers are spelled whose double JavaScript prints otherwise: by the object or array that holds them, and the member or place there. */
export type Spellings = Map<object, Map<string | number, string>>;

/** Whether a well-formed text may hold a number that is spelled otherwise than JavaScript prints it; false positives are possible, misses are not. */
export function mayRespell(text: string): boolean {
  return ODD.test(text);
}

/** `readOrdered`, and how the numbers are spelled that are doubles in the tree. */
export function readSpelled(text: string, orders: Map<object, string[]>, spellings: Spellings): unknown {
  return read(text, (number) => exactDouble(number) ?? new ExactNumber(number), orders, spellings);
}

/**
 * Parses JSON with a BigInt for each integer text (digits only, optional minus) that a double cannot hold exactly, and doubles for all other numbers.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export function parseWithBigInt(text: string): unknown {
  const value = JSON.parse(text);
  return LONG_INTEGER.test(text) ? read(text, numberOrBigInt) : value;
}

/**
 * Compact JSON of a value made of plain objects, arrays, strings, finite numbers, booleans, null and `ExactNumber`s.
 * Does not recurse: nesting is bounded by memory only.
 *
 * @param orders the order of members of objects whose names JavaScript lists otherwise, as `readOrdered` tells it
 * @param spellings how numbers are spelled, as `readSpelled` tells it
 */
export function stringify(
  root: unknown,
  orders?: ReadonlyMap<object, readonly string[]>,
  spellings?: Spellings,
): string {
  let out = "";
  const nodes: (unknown[] | JsonObject)[] = [];
  const names: (readonly string[] | undefined)[] = [];
  const places: number[] = [];
  let value = root;
  let spelling: string | undefined;
  for (;;) {
    if (Array.isArray(value)) {
      out += "[";
      nodes.push(value);
      names.push(undefined);
      places.push(0);
    } else if (typeof value === "object" && value !== null && !(value instanceof ExactNumber)) {
      out += "{";
      nodes.push(value as JsonObject);
      names.push(orders?.get(value) ?? Object.keys(value));
      places.push(0);
    } else {
      out += value instanceof ExactNumber ? value.text : (spelling ?? JSON.stringify(value));
    }
    for (;;) {
      const top = nodes.length - 1;
      if (top < 0) return out;
      const node = nodes[top]!;
      const keys = names[top];
      const place = places[top]!;
      if (place < (keys ?? (node as unknown[])).length) {
        places[top] = place + 1;
        if (place > 0) out += ",";
        if (keys === undefined) {
          value = (node as unknown[])[place];
        } else {
          out += `${JSON.stringify(keys[place])}:`;
          value = (node as JsonObject)[keys[place]!];
        }
        if (spellings !== undefined) {
          spelling = typeof value === "number" ? spellings.get(node)?.get(keys?.[place] ?? place) : undefined;
        }
        break;
      }
      out += keys === undefined ? "]" : "}";
      nodes.pop();
      names.pop();
      places.pop();
    }
  }
}

/**
 * Compact JSON of a value as `stringify` takes it.
 *
 * @param exact whether there may be an `ExactNumber` in it
 */
export function writeJson(value: unknown, exact: boolean): string {
  if (exact) return stringify(value);
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify recurses: some hosts give it less room than the nesting that a model may have.
    return stringify(value);
  }
}

/**
 * The member names of one object inside a well-formed JSON text, in the order of the document, each once.
 * JavaScript objects list integer-like names first and so cannot tell.
 *
 * @param path member names and array positions from the root to the object; every step must exist
 */
export function memberNames(text: string, path: readonly (string | number)[]): string[] {
  let at = skipSpace(text, 0);
  for (const step of path) at = childAt(text, at, step);
  const names = new Set<string>();
  eachMember(text, at, (name) => names.add(name));
  return [...names];
}

/** The members of the object that a well-formed JSON text is, with the texts of their values; repeated ones each by itself. */
export function memberTexts(text: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  eachMember(text, skipSpace(text, 0), (name, at) => members.push([name, text.slice(at, skipValue(text, at))]));
  return members;
}

/** Where the value of one member (the last of that name) or element begins. */
function childAt(text: string, at: number, step: string | number): number {
  let found = -1;
  if (typeof step === "string") {
    eachMember(text, at, (name, value) => {
      if (name === step) found = value;
    });
    return found;
  }
  found = skipSpace(text, at + 1);
  for (let i = 0; i < step; i++) found = skipSpace(text, skipSpace(text, skipValue(text, found)) + 1);
  return found;
}

/** Calls `visit` with each member's name and the place of its value; `at` is the opening brace. */
function eachMember(text: string, at: number, visit: (name: string, value: number) => void): void {
  at = skipSpace(text, at + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const end = stringEnd(text, at);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    visit(stringValue(text, at, end), value);
    at = skipSpace(text, skipValue(text, value));
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
}

/** Behind the value that begins at `at`. */
function skipValue(text: string, at: number): number {
  let depth = 0;
  do {
    const c = text.charCodeAt(at);
    if (c === QUOTE) {
      at = stringEnd(text, at);
    } else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      depth++;
      at++;
    } else if (c === CLOSE_OBJECT || c === CLOSE_ARRAY) {
      depth--;
      at++;
    } else if (c === COMMA || c === COLON || c <= 0x20) {
      at++;
    } else {
      at = wordEnd(text, at);
    }
  } while (depth > 0);
  return at;
}

function skipSpace(text: string, at: number): number {
  for (;;) {
    const c = text.charCodeAt(at);
    if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return at;
    at++;
  }
}

/** Behind the closing quote of the string whose opening quote is at `at`. */
function stringEnd(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  for (;;) {
    let slashes = end;
    while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if (((end - slashes) & 1) === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
}

function stringValue(text: string, at: number, end: number): string {
  const raw = text.slice(at + 1, end - 1);
  return raw.includes("\\") ? JSON.parse(text.slice(at, end)) : raw;
}

/** Behind a number or literal. */
function wordEnd(text: string, at: number): number {
  for (;;) {
    const c = text.charCodeAt(at);
    // Letters, digits, '+', '-' and '.': nothing else can stand in a number or literal. NaN (the end) fails every comparison.
    if (!((c >= 0x61 && c <= 0x7a) || (c >= 0x30 && c <= 0x39) || c === 0x2d || c === 0x2e || c === 0x2b || c === 0x45))
      return at;
    at++;
  }
}

/** Reads a well-formed JSON text without recursion; number texts go through `convert`. */
function read(
  text: string,
  convert: (number: string) => unknown,
  orders?: Map<object, string[]>,
  spellings?: Spellings,
): unknown {
  const outer: (unknown[] | JsonObject)[] = [];
  const outerNames: string[] = [];
  let node: unknown[] | JsonObject | undefined;
  let name = "";
  let at = skipSpace(text, 0);

  const readName = (): void => {
    const end = stringEnd(text, at);
    name = stringValue(text, at, end);
    at = skipSpace(text, skipSpace(text, end) + 1);
  };

  for (;;) {
    let value: unknown;
    let spelling: string | undefined;
    const c = text.charCodeAt(at);
    if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
      const opened: unknown[] | JsonObject = c === OPEN_ARRAY ? [] : {};
      at = skipSpace(text, at + 1);
      // Both closing brackets stand two behind their opening ones.
      if (text.charCodeAt(at) !== c + 2) {
        if (node !== undefined) {
          outer.push(node);
          outerNames.push(name);
        }
        node = opened;
        if (c === OPEN_OBJECT) readName();
        continue;
      }
      at++;
      value = opened;
    } else if (c === QUOTE) {
      const end = stringEnd(text, at);
      value = stringValue(text, at, end);
      at = end;
    } else {
      const end = wordEnd(text, at);
      const word = text.slice(at, end);
      value = word === "true" ? true : word === "false" ? false : word === "null" ? null : convert(word);
      if (typeof value === "number") spelling = word;
      at = end;
    }
    for (;;) {
      if (node === undefined) return value;
      if (spellings !== undefined) {
        noteSpelling(spellings, node, Array.isArray(node) ? node.length : name, value, spelling);
        spelling = undefined;
      }
      if (Array.isArray(node)) node.push(value);
      else {
        if (orders !== undefined) noteOrder(orders, node, name);
        put(node, name, value);
      }
      at = skipSpace(text, at);
      if (text.charCodeAt(at) === COMMA) {
        at = skipSpace(text, at + 1);
        if (!Array.isArray(node)) readName();
        break;
      }
      at++;
      value = node;
      node = outer.pop();
      name = outerNames.pop() ?? "";
    }
  }
}

/** Notes how a value that is about to be put was spelled; of a repeated member the last value counts. */
function noteSpelling(
  spellings: Spellings,
  node: object,
  place: string | number,
  value: unknown,
  spelling: string | undefined,
): void {
  let known = spellings.get(node);
  if (spelling === undefined || spelling === String(value)) {
    known?.delete(place);
    return;
  }
  if (known === undefined) {
    known = new Map();
    spellings.set(node, known);
  }
  known.set(place, spelling);
}

/** Notes a member that is about to be put, once the object has had an integer-like name: `readOrdered` tells the order by it. */
export function noteOrder(orders: Map<object, string[]>, object: JsonObject, name: string): void {
  let order = orders.size === 0 ? undefined : orders.get(object);
  if (order === undefined) {
    const first = name.charCodeAt(0);
    // Most names begin with a letter.
    if (!(first >= 0x30 && first <= 0x39) || !INTEGER_NAME.test(name)) return;
    order = Object.keys(object);
    orders.set(object, order);
  }
  if (!Object.hasOwn(object, name)) order.push(name);
}
