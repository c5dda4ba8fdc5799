import type { Rng } from "../../support/rng.js";

const PLAIN = ["a", "text", "hello world, this is longer than one block", "0", " ", "", "x".repeat(70)];
const ODD = [
  "é",
  "中文字",
  "😀",
  "\u2028",
  "\u007f",
  '"',
  "\\",
  "\n",
  "\t",
  "\u0000",
  "\u001f",
  "/",
  "\\u0041",
  '\\"',
  "\ud83d",
  "\udc00",
];

/** A string out of pieces that matter to scanners. */
export function randomString(rng: Rng): string {
  let out = "";
  for (let i = rng.int(5); i >= 0; i--) out += rng.chance(0.6) ? rng.pick(PLAIN) : rng.pick(ODD);
  return out;
}

/** A value as `JSON.parse` would give it; keys are unique and never look like an index. */
export function randomValue(rng: Rng, depth: number): unknown {
  const kind = rng.int(depth > 0 ? 8 : 5);
  if (kind === 0) return rng.pick([0, 1, -1, 12.5, 1e21, -0.001, 123456789012345, 5e-324]);
  if (kind === 1) return rng.pick([true, false, null]);
  if (kind < 5) return randomString(rng);
  const size = rng.chance(0.1) ? rng.int(40) : rng.int(5);
  if (kind < 6) return Array.from({ length: size }, () => randomValue(rng, depth - 1));
  return Object.fromEntries(
    Array.from({ length: size }, (_, i) => [`k${randomString(rng)}${i}`, randomValue(rng, depth - 1)]),
  );
}

const SPACES = [" ", "\n", "\t", "\r\n", "  ", "    \n\t\t   \t                          "];

function looseString(rng: Rng, text: string): string {
  const asUnit = (unit: string): string => {
    const code = unit.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${rng.chance(0.5) ? code : code.toUpperCase()}`;
  };
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    const isHalf = c >= "\ud800" && c <= "\udfff";
    if (isHalf) {
      const pair = text.codePointAt(i)! > 0xffff;
      const whole = pair ? text.slice(i, i + 2) : c;
      out += pair && rng.chance(0.5) ? whole : [...Array(whole.length).keys()].map((k) => asUnit(whole[k]!)).join("");
      i += whole.length - 1;
    } else if (rng.chance(0.15)) out += asUnit(c);
    else if (c === "/" && rng.chance(0.5)) out += "\\/";
    else out += JSON.stringify(c).slice(1, -1);
  }
  return `"${out}"`;
}

/** The same value in another spelling: white space and escapes where RFC 8259 allows them. */
export function looseText(rng: Rng, value: unknown, spaced = 0.3): string {
  const space = (): string => (rng.chance(spaced) ? rng.pick(SPACES) : "");
  if (typeof value === "string") return looseString(rng, value);
  if (Array.isArray(value)) {
    return `[${space()}${value.map((v) => looseText(rng, v, spaced) + space()).join(`,${space()}`)}]`;
  }
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(
      ([k, v]) => `${looseString(rng, k)}${space()}:${space()}${looseText(rng, v, spaced)}${space()}`,
    );
    return `{${space()}${members.join(`,${space()}`)}}`;
  }
  return JSON.stringify(value);
}

/** Bytes with a few of them changed, removed, doubled or inserted. */
export function mutate(rng: Rng, bytes: Uint8Array): Uint8Array {
  const out = [...bytes];
  for (let k = rng.int(3); k >= 0; k--) {
    const at = rng.int(out.length + 1);
    const byte = rng.chance(0.5)
      ? rng.pick([...'{}[]",:\\ \n\t-+.0e1tfnu/'].map((c) => c.charCodeAt(0)))
      : rng.int(256);
    const kind = rng.int(4);
    if (kind === 0) out.splice(at, 1);
    else if (kind === 1) out.splice(at, 0, byte);
    else if (kind === 2 && at < out.length) out[at] = byte;
    else out.length = at;
  }
  return Uint8Array.from(out);
}
