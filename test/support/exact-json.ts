import { text } from "./bytes.js";

/** A JSON value whose numbers are kept as exact decimals and whose members keep their order. */
export type Exact =
  | { kind: "null" | "true" | "false" }
  | { kind: "number"; text: string }
  | { kind: "string"; value: string }
  | { kind: "array"; items: Exact[] }
  | { kind: "object"; members: Map<string, Exact> };

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;

/** Reads one JSON text (RFC 8259) without rounding a number; of repeated members the last counts, in the first place. */
export function readExact(json: string): Exact {
  let at = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(json);
    if (found === null) throw new SyntaxError(`no JSON at ${at}: ${json.slice(at, at + 40)}`);
    at += found[0].length;
    return found[0];
  };
  const string = (): string => {
    const start = at++;
    while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
    return JSON.parse(json.slice(start, ++at)) as string;
  };
  const value = (): Exact => {
    match(SPACE);
    const c = json[at];
    let out: Exact;
    if (c === "{") {
      const members = new Map<string, Exact>();
      at++;
      match(SPACE);
      if (json[at] === "}") at++;
      else {
        do {
          match(SPACE);
          if (json[at] !== '"') throw new SyntaxError(`no member name at ${at}`);
          const name = string();
          match(SPACE);
          if (json[at++] !== ":") throw new SyntaxError(`no colon at ${at - 1}`);
          members.set(name, value());
        } while (json[at++] === ",");
        if (json[at - 1] !== "}") throw new SyntaxError(`no end of object at ${at - 1}`);
      }
      out = { kind: "object", members };
    } else if (c === "[") {
      const items: Exact[] = [];
      at++;
      match(SPACE);
      if (json[at] === "]") at++;
      else {
        do items.push(value());
        while (json[at++] === ",");
        if (json[at - 1] !== "]") throw new SyntaxError(`no end of array at ${at - 1}`);
      }
      out = { kind: "array", items };
    } else if (c === '"') out = { kind: "string", value: string() };
    else if (json.startsWith("null", at)) {
      at += 4;
      out = { kind: "null" };
    } else if (json.startsWith("true", at)) {
      at += 4;
      out = { kind: "true" };
    } else if (json.startsWith("false", at)) {
      at += 5;
      out = { kind: "false" };
    } else out = { kind: "number", text: match(NUMBER) };
    match(SPACE);
    return out;
  };
  const out = value();
  if (at !== json.length) throw new SyntaxError(`text after the value at ${at}`);
  return out;
}

/** The exact decimal that a number text denotes: sign, digits without outer zeros, power of ten. `-0` is not `0`. */
export function exactDecimal(number: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? fail(number);
  const digits = (whole as string) + fraction;
  const significant = digits.replace(/^0+/, "");
  if (significant === "") return `${sign}0`;
  const trimmed = significant.replace(/0+$/, "");
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(significant.length - trimmed.length);
  return power === 0n ? `${sign}${trimmed}` : `${sign}${trimmed}e${power}`;
}

function fail(number: string): never {
  throw new SyntaxError(`no JSON number: ${number}`);
}

/**
 * One spelling for each value: numbers as exact decimals, integer-like members first in ascending order (the place where a
 * JavaScript object puts them), all others in their own order.
 */
export function canonical(json: string | Uint8Array): string {
  const source = typeof json === "string" ? json : text(json);
  let known = spelled.get(source);
  if (known === undefined) {
    known = write(readExact(source));
    // The suites meet the same few models thousands of times; large ones are not worth keeping.
    if (source.length < 4096) {
      if (spelled.size >= 500) spelled.clear();
      spelled.set(source, known);
    }
  }
  return known;
}

const spelled = new Map<string, string>();

function write(value: Exact): string {
  switch (value.kind) {
    case "number":
      return exactDecimal(value.text);
    case "string":
      return JSON.stringify(value.value);
    case "array":
      return `[${value.items.map(write).join(",")}]`;
    case "object": {
      const names = [...value.members.keys()];
      const indices = names.filter(isArrayIndex).sort((a, b) => Number(a) - Number(b));
      const others = names.filter((name) => !isArrayIndex(name));
      const member = (name: string): string => `${JSON.stringify(name)}:${write(value.members.get(name) as Exact)}`;
      return `{${[...indices, ...others].map(member).join(",")}}`;
    }
    default:
      return value.kind;
  }
}

function isArrayIndex(name: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 4294967295;
}

/** What `snapshot({ integers: "bigint" })` gives: a BigInt for each integer text that a double cannot hold exactly. */
export function toBigIntValue(value: Exact): unknown {
  switch (value.kind) {
    case "number": {
      const double = Number(value.text);
      if (!/^-?\d+$/.test(value.text)) return double;
      return Number.isFinite(double) && BigInt(double) === BigInt(value.text) ? double : BigInt(value.text);
    }
    case "string":
      return value.value;
    case "array":
      return value.items.map(toBigIntValue);
    case "object": {
      const out: Record<string, unknown> = {};
      for (const [name, member] of value.members) {
        Object.defineProperty(out, name, {
          value: toBigIntValue(member),
          configurable: true,
          enumerable: true,
          writable: true,
        });
      }
      return out;
    }
    default:
      return value.kind === "null" ? null : value.kind === "true";
  }
}
