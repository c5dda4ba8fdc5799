import { describe, shown } from "../arguments.js";
import type { AguiSessionOptions, Middleware, ReducerOptions, SessionOptions, Warning } from "../engine/contract.js";
import { usageError } from "../errors.js";
import type { Limits } from "../limits.js";
import { EVENT_TYPES } from "../schema/event-types.generated.js";
import { parseVersion } from "../schema/version.js";
import { warningMessage } from "../warnings.js";
import { baseline } from "./baseline.js";
import { oneOf, type Shared } from "./options.js";

export type Warn = (warning: Warning) => void;

/**
 * What the sessions of AG-UI want besides what all want.
 *
 * @param readers the options of those who are told events
 * @param warn hears of what is left out of the input
 * @throws StreamfoldError `bad_argument` for anything that is not as `ReducerOptions` says
 */
export function aguiOptions(
  options: Shared,
  readers: Partial<ReducerOptions>,
  limits: Limits,
  warn: Warn,
): Required<Pick<SessionOptions, "agui">> & Pick<SessionOptions, "eventTypes"> {
  return {
    eventTypes: eventTypes(readers.eventTypes),
    agui: sessionOptions(options, readers.middleware, limits, warn),
  };
}

function sessionOptions(
  options: Shared,
  handlers: Middleware | undefined,
  limits: Limits,
  warn: Warn,
): AguiSessionOptions {
  return {
    maxProtocolVersion: ceiling(options.maxProtocolVersion),
    onDeltaFailure: oneOf(options, "onDeltaFailure", ["warn", "fail", "upsert"]),
    unknownEnum: oneOf(options, "unknownEnum", ["fatal", "strip"]),
    middleware: middleware(handlers),
    input: baseline(options.input, limits, ({ code, path }) => {
      const message = warningMessage({ code, path, eventType: "the option input" });
      warn({ code, path, message, streamId: "", eventIndex: 0 });
    }),
  };
}

function ceiling(version: string | undefined): readonly number[] | undefined {
  const numbers = parseVersion(version);
  if (numbers === null) {
    throw usageError("bad_argument", 'maxProtocolVersion must be a version such as "1.0" or "0.0.57"');
  }
  return numbers;
}

function middleware(value: Middleware | undefined): Middleware | undefined {
  if (value === undefined) return undefined;
  if (value === null || typeof value !== "object") {
    throw usageError("bad_argument", "middleware must be an object of functions by event type");
  }
  const own: Middleware = Object.create(null);
  for (const [type, handle] of Object.entries(value)) {
    if (typeof handle !== "function") {
      throw usageError("bad_argument", `middleware.${type} must be a function, not ${describe(handle)}`);
    }
    own[type] = handle;
  }
  return Object.keys(own).length === 0 ? undefined : own;
}

function eventTypes(value: readonly string[] | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw usageError("bad_argument", "eventTypes must be an array of event types");
  for (const type of value as readonly unknown[]) {
    if (!EVENT_TYPES.includes(type as string)) {
      throw usageError("bad_argument", `eventTypes names ${shown(type)}, which is no event type`);
    }
    if ((type as string).endsWith("_CHUNK")) {
      throw usageError("bad_argument", `eventTypes names ${type}, but chunks are told as what they expand to`);
    }
  }
  return value;
}
