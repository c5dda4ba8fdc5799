/** A plain model of a document: members in order, numbers as text, strings in the spelling JSON.stringify prints. */
export type Model = string | Model[] | Map<string, Model>;

const STRING = /^"(?:[^"\\]|\\.)*"/;
const SCALAR = /^(?:true|false|null|-?[0-9.eE+-]+)/;

/** Reads canonical compact JSON. Repeated members: last value, first place. */
export function parseModel(text: string): Model {
  let at = 0;
  const take = (pattern: RegExp): string => {
    const found = pattern.exec(text.slice(at, at + 10_000));
    if (found === null) throw new Error(`bad model text at ${at}`);
    at += found[0].length;
    return found[0];
  };
  const value = (): Model => {
    const c = text[at];
    if (c === '"') return take(STRING);
    if (c === "[") {
      const out: Model[] = [];
      at++;
      while (text[at] !== "]") {
        if (out.length > 0) at++;
        out.push(value());
      }
      at++;
      return out;
    }
    if (c === "{") {
      const out = new Map<string, Model>();
      at++;
      while (text[at] !== "}") {
        if (text[at] === ",") at++;
        const key = take(STRING).slice(1, -1);
        at++;
        out.set(key, value());
      }
      at++;
      return out;
    }
    return take(SCALAR);
  };
  return value();
}

export function writeModel(model: Model): string {
  if (typeof model === "string") return model;
  if (Array.isArray(model)) return `[${model.map(writeModel).join(",")}]`;
  return `{${[...model].map(([k, v]) => `"${k}":${writeModel(v)}`).join(",")}}`;
}

export function cloneModel(model: Model): Model {
  if (typeof model === "string") return model;
  if (Array.isArray(model)) return model.map(cloneModel);
  return new Map([...model].map(([k, v]) => [k, cloneModel(v)]));
}

export function depthOf(model: Model): number {
  if (typeof model === "string") return 0;
  const children = Array.isArray(model) ? model : [...model.values()];
  return 1 + children.reduce((deepest: number, child) => Math.max(deepest, depthOf(child)), 0);
}
