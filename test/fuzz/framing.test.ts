import { describe, expect, it } from "vitest";
import { latin1 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { rounds } from "./clock.js";

/** What an event stream means, read as a whole: the text of the HTML standard, line by line. */
interface Meaning {
  /** Data of each dispatch that has a data line, in order. */
  data: string[];
  lastEventId: string | undefined;
  retry: number | undefined;
}

/** An independent reading of a whole, well-formed body; `body` holds one code unit a byte, ASCII only. */
function read(body: string): Meaning {
  const meaning: Meaning = { data: [], lastEventId: undefined, retry: undefined };
  let data: string[] = [];
  let id: string | undefined;
  const lines = body.split(/\r\n|\r|\n/);
  lines.pop();
  for (const line of lines) {
    if (line === "") {
      if (id !== undefined) meaning.lastEventId = id;
      if (data.length > 0) meaning.data.push(data.join("\n"));
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^[0-9]+$/.test(value))
      meaning.retry = Math.min(Number(value), Number.MAX_SAFE_INTEGER);
  }
  return meaning;
}

const PIECES = [
  "data",
  ":",
  " ",
  "data:",
  "data: ",
  "\n",
  "\r",
  "\r\n",
  "\n\n",
  "id: 1",
  "id",
  "id:",
  "id: \0",
  "retry: 10",
  "retry: 1x",
  ": c",
  "x",
  "1",
  "[DONE]",
  "5",
  '"a',
  '"',
  "\t",
  "{}",
  "event: e",
  "datax: 1",
  "[",
  "]",
];

/** The verdict on the data of one dispatch, as the reports of `undecodable: "skip"` tell it. */
function verdict(data: string): string | undefined {
  if (data.trim() === "" || /^[ \t\n\r]*\[DONE\][ \t\n\r]*$/.test(data)) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? "missing_field" : "not_an_event";
  } catch {
    return "bad_json";
  }
}

describe.each(KINDS)("fuzz of the SSE framing, %s", (kind) => {
  it("every cut means what the whole body means", () => {
    rounds(1, 200, (seed) => {
      const rng = new Rng(seed);
      const body = Array.from({ length: rng.between(1, 30) }, () => rng.pick(PIECES)).join("");
      const meaning = read(body);
      const wanted = meaning.data.map(verdict).filter((code) => code !== undefined);
      const fold = new Fold(engine(kind), "sse", { undecodable: "skip" });
      const bytes = latin1(body);
      for (let at = 0; at < bytes.length; ) {
        const to = rng.chance(0.3) ? bytes.length : at + rng.int(6);
        fold.push(bytes.subarray(at, to));
        at = to;
      }
      const label = `seed ${seed}: ${JSON.stringify(body)}`;
      expect(
        fold.errors.map((error) => error.code),
        label,
      ).toEqual(wanted);
      expect(
        fold.errors.map((error) => error.eventIndex),
        label,
      ).toEqual(wanted.map((_, index) => index));
      expect(fold.reducer.retry, label).toBe(meaning.retry);
      expect(fold.reducer.lastEventId, label).toBe(meaning.lastEventId);
      fold.reducer.close();
    });
  });
});
