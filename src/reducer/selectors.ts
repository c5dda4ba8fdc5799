import { describe, expectOptions, optionOf, readable, shown } from "../arguments.js";
import type { ModelFormat, StreamSelector } from "../engine/contract.js";
import { usageError } from "../errors.js";

/**
 * The stream that a call is about: `""`, the unnamed one, when nothing is said (AgentUE §4.2).
 *
 * @param one name of another option of the call
 * @param two and of one more
 * @throws StreamfoldError `bad_argument` for options that are no object, unknown ones, or a `streamId` that is no string
 */
export function streamOf(options: StreamSelector | undefined, one = "streamId", two = one): string {
  if (options === undefined) return "";
  if (!isKnown(options, one, two)) expectOptions(options, "streamId", one, two);
  return selectedStream(options);
}

/** Whether options have members of these names alone. `changes` is asked after every token: by way of lists of names that would take it 60 ns more. */
function isKnown(options: StreamSelector, one: string, two: string): boolean {
  return readable(() => {
    for (const name in options) if (name !== "streamId" && name !== one && name !== two) return false;
    return true;
  });
}

/** The same for a call that knows its options itself. */
export function selectedStream(options: StreamSelector | undefined): string {
  if (options === undefined) return "";
  if (options === null || typeof options !== "object") {
    throw usageError("bad_argument", `the options must be an object, not ${describe(options)}`);
  }
  const streamId: unknown = optionOf(options, "streamId");
  if (streamId === undefined) return "";
  if (typeof streamId !== "string")
    throw usageError("bad_argument", `streamId must be a string, not ${describe(streamId)}`);
  return streamId;
}

/**
 * The `id` of a block, where one was given.
 *
 * @throws StreamfoldError `bad_argument` for anything but a non-empty string
 */
export function blockIdOf(options: { id?: string } | undefined): string | undefined {
  const id: unknown = optionOf(options, "id");
  if (id === undefined || (typeof id === "string" && id !== "")) return id;
  throw usageError("bad_argument", `id must be the id of a block, not ${describe(id)}`);
}

/**
 * The `format` of a model that goes in or out.
 *
 * @param textOnly the engine has no binary ones
 * @throws StreamfoldError `unsupported_transport` for anything but "json", the default, and "msgpack"
 */
export function formatOf(options: { format?: ModelFormat } | undefined, textOnly: boolean): ModelFormat {
  const format: unknown = optionOf(options, "format") ?? "json";
  if (format !== "json" && (format !== "msgpack" || textOnly)) {
    const known = textOnly ? 'there is "json"' : 'there are "json" and "msgpack"';
    throw usageError("unsupported_transport", `the format ${shown(format)}; ${known}`);
  }
  return format;
}

/** A position that a caller passed (a seq or a version): undefined or an integer from 0 to 2^53-1, else `bad_argument`. */
export function checkPosition(name: string, value: number | undefined): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 0)) {
    throw usageError("bad_argument", `${name} must be an integer from 0 to 2^53-1`);
  }
  return value;
}
