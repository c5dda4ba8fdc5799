import type { Bytes } from "../../../bytes.js";
import { encodeUtf8 } from "../../../codec/text.js";
import type { Fault } from "../../../errors.js";
import { usageError } from "../../../errors.js";
import type { LeastBudget } from "../../contract.js";
import { judgeFramed } from "./judge.js";
import { BLOCK_DEPTH, readText } from "./text.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;

/** More than any id, number and character add to the least frame of a text: `seq` twice, `total` and a character. */
const MOST_MORE = 64;

/** How a byte stands in the contents of a JSON string; 0: as it is. JSON text holds no control characters but these. */
const ESCAPES = /* @__PURE__ */ escapes();

function escapes(): Uint8Array {
  const table = new Uint8Array(256);
  for (const [byte, letter] of [
    [QUOTE, '"'],
    [BACKSLASH, "\\"],
    [0x09, "t"],
    [LF, "n"],
    [0x0d, "r"],
  ] as const) {
    table[byte] = letter.charCodeAt(0);
  }
  return table;
}

/** The part of a block that one frame holds. */
interface Cut {
  /** Everything in front of `total`, as UTF-8. */
  head: Uint8Array;
  from: number;
  to: number;
}

interface Plan {
  cuts: Cut[];
  bytes: number;
}

/** See `EngineCore.frameBlock`. */
export function frameBlock(
  block: Uint8Array,
  maxBytes: number,
  ids: string | ((seq: number) => string),
): Bytes | LeastBudget | Fault {
  const read = readText(block, BLOCK_DEPTH, false);
  if ("code" in read) return read;
  const judged = judgeFramed(read.value);
  if ("code" in judged) return judged;
  const value = block.subarray(outside(block, 0, 1), outside(block, block.length - 1, -1) + 1);
  const heads = new Heads(judged.id, ids);
  const plan = planFrames(value, maxBytes, heads);
  if (typeof plan === "number") return { least: leastBudget(value, maxBytes, plan, heads) };
  return write(value, plan);
}

/** The first byte from `at` on that is no white space. */
function outside(bytes: Uint8Array, at: number, step: 1 | -1): number {
  while (bytes[at]! <= 0x20) at += step;
  return at;
}

/** What stands in front of `total` in each frame; each id is asked for once. */
class Heads {
  readonly prefix: string | undefined;
  readonly #ids: (seq: number) => string;
  readonly #blockId: string;
  readonly #known: Uint8Array[] = [];

  constructor(blockId: string, ids: string | ((seq: number) => string)) {
    this.prefix = typeof ids === "string" ? ids : undefined;
    this.#ids = typeof ids === "string" ? (seq) => `${ids}${seq}` : ids;
    this.#blockId = JSON.stringify(blockId);
  }

  of(seq: number): Uint8Array {
    // Of a prefix there may be very many, and they are cheap to make again.
    const known = this.#known[seq];
    if (known !== undefined) return known;
    const id = JSON.stringify(this.#ids(seq));
    const head = encodeUtf8(`{"id":${id},"type":"frame","block_id":${this.#blockId},"seq":${seq},"total":`);
    if (this.prefix === undefined) this.#known.push(head);
    return head;
  }
}

/** Digits of a total, around which `,"data":""}` follows. */
const TAIL = ',"data":""}'.length;

/** The frames of a text, as long as the budget allows; or what the frame would need for which it is too small. */
function planFrames(text: Uint8Array, budget: number, heads: Heads): Plan | number {
  for (let digits = 1; ; digits++) {
    const plan = planWith(digits, text, budget, heads);
    if (plan !== undefined) return plan;
  }
}

/** The same for a total of so many digits; undefined when there are more frames than it can tell. */
function planWith(digits: number, text: Uint8Array, budget: number, heads: Heads): Plan | number | undefined {
  const cuts: Cut[] = [];
  const most = 10 ** digits - 1;
  let bytes = 0;
  for (let from = 0; from < text.length; ) {
    if (cuts.length === most) return undefined;
    const head = heads.of(cuts.length);
    const around = head.length + digits + TAIL;
    let room = budget - around;
    let to = from;
    for (; to < text.length; to++) {
      const cost = ESCAPES[text[to]!] === 0 ? 1 : 2;
      if (cost > room) break;
      room -= cost;
    }
    // Back to where a character begins.
    while (to < text.length && (text[to]! & 0xc0) === 0x80) {
      to--;
      room++;
    }
    if (to === from) return around + costAt(text, from);
    bytes += budget - room + 1;
    cuts.push({ head, from, to });
    from = to;
  }
  return { cuts, bytes };
}

function costAt(text: Uint8Array, at: number): number {
  const byte = text[at]!;
  if (byte < 0x80) return ESCAPES[byte] === 0 ? 1 : 2;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/** The least budget that would do: known where ids are, else that of the frame which did not fit. */
function leastBudget(text: Uint8Array, budget: number, needed: number, heads: Heads): number {
  if (heads.prefix === undefined) return needed;
  // What fails fails with less.
  let least = Math.max(budget, heads.of(0).length + TAIL) + 1;
  let most = needed + MOST_MORE;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (typeof planFrames(text, middle, heads) === "number") least = middle + 1;
    else most = middle;
  }
  return least;
}

function write(text: Uint8Array, { cuts, bytes }: Plan): Bytes {
  const out = roomFor(bytes);
  const middle = encodeUtf8(`${cuts.length},"data":"`);
  let at = 0;
  for (const { head, from, to } of cuts) {
    out.set(head, at);
    out.set(middle, at + head.length);
    at += head.length + middle.length;
    for (let i = from; i < to; i++) {
      const byte = text[i]!;
      const letter = ESCAPES[byte]!;
      if (letter === 0) out[at++] = byte;
      else {
        out[at++] = BACKSLASH;
        out[at++] = letter;
      }
    }
    out[at++] = QUOTE;
    out[at++] = 0x7d;
    out[at++] = LF;
  }
  return out;
}

function roomFor(bytes: number): Bytes {
  try {
    return new Uint8Array(bytes);
  } catch {
    throw usageError("out_of_memory");
  }
}
