import { utf8 } from "./bytes.js";
import type { Rng } from "./rng.js";

/** How a message is spelled as an SSE event. */
export interface SseSpelling {
  /** Line terminator; an array is used in turn. Default LF. */
  eol?: string | readonly string[];
  /** Comment lines and unknown fields before and between the data lines. */
  comments?: boolean;
  /** Breaks the JSON text over several `data` lines where white space may stand. */
  multiLine?: boolean;
  /** `data:x` instead of `data: x`. */
  noSpace?: boolean;
  id?: string;
  retry?: string;
}

/** The bytes of one SSE event that carries `json`; line breaks inside of `json` become `data` lines. */
export function sseEvent(json: string, spelling: SseSpelling = {}): string {
  const eols = typeof spelling.eol === "string" || spelling.eol === undefined ? [spelling.eol ?? "\n"] : spelling.eol;
  let lineNumber = 0;
  let out = "";
  const line = (content: string): void => {
    out += content + eols[lineNumber++ % eols.length];
  };
  if (spelling.comments) line(": a comment");
  if (spelling.id !== undefined) line(`id: ${spelling.id}`);
  if (spelling.retry !== undefined) line(`retry: ${spelling.retry}`);
  if (spelling.comments) line("event: message");
  const lines = (spelling.multiLine ? breakLines(json) : json).split("\n");
  for (const value of lines) {
    line(spelling.noSpace ? `data:${value}` : `data: ${value}`);
    if (spelling.comments) line("unknown");
  }
  line("");
  return out;
}

/** A body of several messages as SSE, with an optional byte order mark. */
export function sseBody(messages: readonly string[], spelling: SseSpelling & { bom?: boolean } = {}): Uint8Array {
  return utf8((spelling.bom ? "\ufeff" : "") + messages.map((json) => sseEvent(json, spelling)).join(""));
}

/** A random but valid spelling. */
export function randomSpelling(rng: Rng): SseSpelling {
  return {
    eol: rng.pick(["\n", "\n", "\r\n", "\r", ["\n", "\r\n"], ["\r\n", "\r"]]),
    comments: rng.chance(0.2),
    multiLine: rng.chance(0.2),
    noSpace: rng.chance(0.2),
    ...(rng.chance(0.3) ? { id: rng.pick(["1", "abc", "", "é", "42"]) } : {}),
    ...(rng.chance(0.1) ? { retry: rng.pick(["10", "x", "", "3000"]) } : {}),
  };
}

/** Puts a line break after every structural comma outside of strings: JSON white space, so the meaning stays. */
function breakLines(json: string): string {
  let out = "";
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const c = json[i] as string;
    out += c;
    if (inString) {
      if (c === "\\") out += json[++i] ?? "";
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === ",") out += "\n";
  }
  return out;
}
