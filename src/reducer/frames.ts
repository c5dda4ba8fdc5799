import { describe, expectOptions, readable } from "../arguments.js";
import type { Bytes } from "../bytes.js";
import type { EngineCore, FrameBlockOptions } from "../engine/contract.js";
import { type Fault, StreamfoldError, usageError } from "../errors.js";
import { MAXIMUM_LIMITS } from "../limits.js";
import { isBufferSource, toBytes } from "./bytes.js";
import { jsonText } from "./json-text.js";
import type { Lending } from "./kept.js";

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Cuts a block into storage frames (docs/frames.md §2).
 *
 * @param core asked when the arguments have been read: proxies among them may have closed the engine
 * @param block one inline block: JSON text as bytes, or a plain value
 * @returns NDJSON of frames, owned by the caller
 * @throws StreamfoldError `bad_json`, `invalid_utf8`, `too_deep` with `byteOffset`, `bad_block` with `path`, `not_json` for a value, `bad_argument` for options,
 *   also for a `maxBytes` that is too small, and for ids that are empty, no strings or not unique
 */
export function frameBlock(
  core: () => EngineCore,
  block: unknown,
  options: FrameBlockOptions,
  lending: Lending,
): Bytes {
  const { maxBytes, id } = readable(() => resolveFrameOptions(options));
  const isValue = !isBufferSource(block);
  const text = isValue ? jsonText(block, MAXIMUM_LIMITS.depth) : toBytes(block, "");
  if ("code" in text) throw new StreamfoldError(text);
  const engine = core();
  const made =
    typeof id === "function"
      ? lent(lending, () => engine.frameBlock(text, maxBytes, id))
      : engine.frameBlock(text, maxBytes, id);
  if ("least" in made) throw usageError("bad_argument", `maxBytes must be at least ${made.least}`);
  if ("code" in made) throw new StreamfoldError(isValue ? withoutOffset(made) : made);
  return made;
}

/**
 * Restores a block of its storage frames (docs/frames.md §3).
 *
 * @param frames NDJSON, lines in any order
 * @returns the block's text, byte for byte, owned by the caller
 * @throws StreamfoldError of a frame, with `eventIndex` (its number in the input) and `byteOffset`: `bad_json`, `invalid_utf8`, `too_deep`, `bad_block`,
 *   `duplicate_id`, `frame_conflict`; of all, with `subject`: `missing_frames`, or of the restored text `bad_json`, `invalid_utf8`, `too_deep`, `bad_block`
 */
export function unframe(core: () => EngineCore, frames: ArrayBuffer | ArrayBufferView): Bytes {
  const bytes = toBytes(frames, "unframe takes NDJSON of frames");
  const made = core().unframe(bytes);
  if ("code" in made) throw new StreamfoldError(made);
  return made;
}

/**
 * Puts every block that is kept in frames back into a stored model (docs/frames.md §5).
 *
 * @param model JSON text as bytes, or a plain value
 * @returns JSON text in which everything but the frames stands byte for byte, owned by the caller; for a value a fresh one
 * @throws StreamfoldError with a `path` into the model: `bad_model`, `bad_block`, `duplicate_id`, `frame_conflict`, `missing_frames`; with `byteOffset` `bad_json`,
 *   `invalid_utf8`, `too_deep`; `not_json` for a value. Of a restored block that is none the path ends in `/data` or goes on from there
 */
export function resolveFrames(core: () => EngineCore, model: unknown): unknown {
  const isValue = !isBufferSource(model);
  const text = isValue ? jsonText(model, MAXIMUM_LIMITS.depth) : toBytes(model, "");
  if ("code" in text) throw new StreamfoldError(text);
  const made = core().resolveFrames(text);
  if ("code" in made) throw new StreamfoldError(isValue && made.subject === undefined ? withoutOffset(made) : made);
  return isValue ? JSON.parse(decoder.decode(made)) : made;
}

/** A value has no bytes that an offset could point at. */
function withoutOffset(fault: Fault): Fault {
  const { byteOffset: _, ...rest } = fault;
  return rest;
}

/** Runs what calls the caller's function in the middle of the engine's work. */
function lent<T>(lending: Lending, run: () => T): T {
  lending.active = true;
  try {
    return run();
  } finally {
    lending.active = false;
  }
}

interface Resolved {
  maxBytes: number;
  id: string | ((seq: number) => string);
}

function resolveFrameOptions(options: FrameBlockOptions): Resolved {
  expectOptions(options, "maxBytes", "id");
  const { maxBytes, id }: { maxBytes?: unknown; id?: unknown } = options;
  if (!Number.isSafeInteger(maxBytes) || (maxBytes as number) < 1) {
    throw usageError("bad_argument", "maxBytes must be an integer from 1 on");
  }
  return { maxBytes: maxBytes as number, id: idsOf(id) };
}

function idsOf(id: unknown): Resolved["id"] {
  if (id === undefined) return `${randomText()}.`;
  if (typeof id === "string") return id;
  if (typeof id !== "function")
    throw usageError("bad_argument", `id must be a string or a function, not ${describe(id)}`);
  const given = new Set<string>();
  return (seq) => {
    const one: unknown = id(seq);
    if (typeof one !== "string" || one === "") {
      throw usageError(
        "bad_argument",
        `id must give a non-empty string, not ${one === "" ? "an empty one" : describe(one)}`,
      );
    }
    if (given.has(one)) throw usageError("bad_argument", `id has given ${JSON.stringify(one)} twice`);
    given.add(one);
    return one;
  };
}

/** 128 random bits in 22 characters of base64url. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
