import { readable } from "../arguments.js";
import type { ReducerOptions, TranscoderOptions, Transport, Warning } from "../engine/contract.js";
import { usageError } from "../errors.js";
import type { Limits } from "../limits.js";
import { isTransport, transportsOf } from "../transport/transports.js";
import { adaptOptions, writtenProtocol } from "./adapt-options.js";
import { aguiOptions, type Warn } from "./agui-options.js";
import { expectOptions, type Resolved, resolveShared, type Shared } from "./options.js";

/**
 * Checks the options of a reducer and fills in the defaults.
 * @throws StreamfoldError `unsupported_transport` for a transport this version does not read, `bad_argument` for anything else that
 *   is not as `ReducerOptions` says, a member of a plain object that is no option included
 */
export function resolveOptions(options: ReducerOptions): Resolved {
  return reading((warn) => {
    expectOptions(options, "reducer");
    return resolve(options, options, "transport", warn);
  });
}

/**
 * Checks the options of a transcoder and fills in the defaults.
 *
 * @throws StreamfoldError `unsupported_transport` for a wire that the protocol does not have, and for "json" as `to`; `bad_argument` for anything else that is
 *   not as `TranscoderOptions` says
 */
export function resolveTranscoderOptions(options: TranscoderOptions): Resolved {
  return reading((warn) => {
    expectOptions(options, "transcoder");
    const { session, listeners } = resolve(options, {}, "from", warn);
    const { to, enforce = true, toProtocol, adapt, pool = false } = options;
    if (typeof enforce !== "boolean") throw usageError("bad_argument", "enforce must be true or false");
    if (typeof pool !== "boolean") throw usageError("bad_argument", "pool must be true or false");
    if (typeof to !== "string") throw usageError("bad_argument", 'to must be a name such as "sse"');
    const written = writtenProtocol(toProtocol, session.protocol);
    if (!isTransport(to, written) || (to as Transport) === "json") {
      throw usageError("unsupported_transport", `${JSON.stringify(to)} cannot be written for "${written}"`);
    }
    if (written === session.protocol) {
      if (adapt !== undefined) throw usageError("bad_argument", 'adapt belongs to toProtocol "agentue"');
      return { session: { ...session, transcode: { to, enforce, pool } }, listeners };
    }
    if (!enforce)
      throw usageError(
        "bad_argument",
        `with toProtocol "agentue" enforce must be true: nothing can be said of an event that was not judged`,
      );
    return { session: { ...session, transcode: { to, enforce, pool, adapt: adaptOptions(adapt) } }, listeners };
  });
}

/** Reads options, which may throw, and tells what there is to warn about when all is well. */
function reading(read: (warn: Warn) => Resolved): Resolved {
  const warnings: Warning[] = [];
  const resolved = readable(() => read((warning) => warnings.push(warning)));
  for (const warning of warnings) resolved.listeners.onWarning?.(warning);
  return resolved;
}

function resolve(options: Shared, readers: Partial<ReducerOptions>, wire: "transport" | "from", warn: Warn): Resolved {
  const { protocol } = options;
  const more = protocol === "ag-ui" ? (limits: Limits) => aguiOptions(options, readers, limits, warn) : undefined;
  return resolveShared(options, readers, wire, transportsOf(protocol), more);
}
