import { expectOptions, readable } from "../arguments.js";
import { encodeUtf8 } from "../codec/text.js";
import { cloneValue } from "../engine/js/codec/clone.js";
import { judgeVersion } from "../engine/js/reduce/agui/version.js";
import { readText } from "../engine/js/session/text.js";
import { type ErrorCode, type Fault, StreamfoldError, usageError, type WarningCode } from "../errors.js";
import { warningMessage } from "../warnings.js";
import { own } from "../json/object.js";
import { isObject } from "../json/tree.js";
import { type Limits, resolveLimits } from "../limits.js";
import { translateInput } from "../schema/legacy.js";
import { OWN_VERSION, parseVersion } from "../schema/version.js";
import { transportOfMediaType } from "../transport/media-types.js";
import { judgeShape, ownTree } from "./judge-value.js";
import type { InputWarning, PreparedInput } from "./prepare-run-input.js";

/** Options of `readRunInput`. */
export interface ReadInputOptions {
  /** The request's `Content-Type` header, null where it has none; undefined: not judged. */
  contentType?: string | null | undefined;
  /** `messageBytes` for a body or text, `depth` and `numberLength`. */
  limits?: Partial<Limits> | undefined;
  /** What becomes of an input that declares a major version other than 1 (AG-UI J9). Default `"serve"`. */
  unknownMajor?: "serve" | "refuse" | undefined;
}

const SUBJECT = "the run input";

/**
 * Reads the run input of a request before anything is answered (AG-UI C15): what the schema does not describe is removed with a warning (C16, I20), nulls
 * and binary parts of older clients are translated with a warning, a malformed member refuses the whole. `errorStatus` gives the HTTP status of a refusal.
 *
 * @param source the body as bytes, a JSON text, or a value that was parsed elsewhere; it is not changed
 * @returns the input, a value of the caller's own, and the warnings; also `version_newer` and `version_unreadable` for the version that it declares (J8, J9)
 * @throws StreamfoldError `bad_event` with a path for what the schema rejects, or a refused version; `bad_json`, `invalid_utf8`, `too_deep`, `too_large`,
 *   `limit` (a number's length) for a text, with `byteOffset`; `not_json` for a value; `unsupported_transport` for a content type that is not JSON in UTF-8; `bad_argument` for options
 */
export function readRunInput(source: unknown, options: ReadInputOptions = {}): PreparedInput {
  expectOptions(options, "contentType", "limits", "unknownMajor");
  const { contentType, limits: given, unknownMajor = "serve" } = readable(() => ({ ...options }));
  if (unknownMajor !== "serve" && unknownMajor !== "refuse")
    throw usageError("bad_argument", 'unknownMajor must be "serve" or "refuse"');
  if (contentType !== undefined && !isJson(contentType))
    throw usageError("unsupported_transport", "a run input is application/json in UTF-8");
  const input = treeOf(source, resolveLimits(given));
  const warnings: InputWarning[] = [];
  const warn = (code: WarningCode, path: string, message?: string) =>
    void warnings.push({ code, path, message: message ?? warningMessage({ code, path, eventType: SUBJECT }) });
  if (isObject(input)) translateInput(input, "", warn);
  const { fault, removals } = judgeShape(input, "RunAgentInput");
  if (fault !== undefined) throw refused(fault);
  for (const { code, path } of removals) warn(code, path);
  const version = isObject(input) ? own(input, "protocolVersion") : undefined;
  if (typeof version === "string") judgeDeclared(version, unknownMajor, warn);
  return { input: cloneValue(input, "number") as PreparedInput["input"], warnings };
}

/**
 * The HTTP status for a request whose input was refused (AG-UI C15, L8): 415 for its content type, 413 for its size, 400 for everything else that
 * `readRunInput` finds wrong with it; 500 for any other error, which is no fault of the client.
 */
export function errorStatus(error: unknown): number {
  if (!(error instanceof StreamfoldError)) return 500;
  if (error.code === "unsupported_transport") return 415;
  if (error.code === "too_large") return 413;
  return REFUSALS.has(error.code) ? 400 : 500;
}

const REFUSALS: ReadonlySet<ErrorCode> = /* @__PURE__ */ new Set<ErrorCode>([
  "bad_json",
  "invalid_utf8",
  "too_deep",
  "limit",
  "bad_event",
  "not_json",
]);

function refused(fault: Omit<Fault, "code">): StreamfoldError {
  return new StreamfoldError({ code: "bad_event", eventType: "The run input", ...fault });
}

function isJson(contentType: string | null): boolean {
  if (transportOfMediaType(contentType) !== "json") return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType as string)?.[1];
  return charset === undefined || charset.toLowerCase() === "utf-8" || charset.toLowerCase() === "utf8";
}

/** A tree of our own. */
function treeOf(source: unknown, limits: Limits): unknown {
  const bytes = typeof source === "string" ? encodeUtf8(source) : bytesOf(source);
  if (bytes === undefined) return ownTree(source, limits.depth).value;
  if (bytes.length > limits.messageBytes) throw new StreamfoldError({ code: "too_large" });
  const read = readText(bytes, limits);
  if ("code" in read) throw new StreamfoldError(read);
  return read.value;
}

function bytesOf(source: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return source instanceof ArrayBuffer ? new Uint8Array(source) : undefined;
}

function judgeDeclared(
  version: string,
  unknownMajor: "serve" | "refuse",
  warn: (code: WarningCode, path: string, message: string) => void,
): void {
  const major = parseVersion(version)?.[0];
  if (unknownMajor === "refuse" && major !== undefined && major > (OWN_VERSION[0] as number))
    throw refused({ path: "/protocolVersion", detail: `version ${version} is not served here` });
  const code = judgeVersion(version);
  if (code === undefined) return;
  const own = OWN_VERSION.join(".");
  const why = code === "version_newer" ? `is newer than ${own}` : `is no version that ${own} can interpret`;
  warn(
    code,
    "/protocolVersion",
    `the client's protocolVersion ${JSON.stringify(version)} ${why}: it is served as ${own}`,
  );
}
