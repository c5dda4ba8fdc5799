import { describe, readable } from "../arguments.js";
import type { ForkOptions, Middleware, SessionOptions } from "../engine/contract.js";
import { usageError } from "../errors.js";
import { type Listeners, listenersOf, type Resolved } from "./options.js";
import { selectedStream } from "./selectors.js";

/** What `fork` takes, and the protocol that has it. */
const OPTIONS: Record<keyof ForkOptions, "both" | "agentue"> = {
  streamId: "both",
  as: "both",
  onEvent: "both",
  onWarning: "both",
  onError: "both",
  onGap: "agentue",
  onUnresolved: "agentue",
};

/**
 * Checks what `fork` was given.
 *
 * @param of the options of the reducer that is forked
 * @param middleware as the application gave it
 * @returns the options and listeners of the fork, the stream that is meant and its id there
 * @throws StreamfoldError `bad_argument` for anything that is not as `ForkOptions` says
 */
export function resolveFork(
  options: ForkOptions | undefined,
  of: SessionOptions,
  middleware: Middleware | undefined,
): Resolved & { streamId: string; as: string } {
  const streamId = selectedStream(options);
  return readable(() => {
    const given = options ?? {};
    for (const [name, value] of Object.entries(given)) {
      if (!Object.hasOwn(OPTIONS, name)) throw usageError("bad_argument", `there is no option ${JSON.stringify(name)}`);
      if (value !== undefined && OPTIONS[name as keyof ForkOptions] === "agentue" && of.protocol !== "agentue") {
        throw usageError("bad_argument", `the option ${JSON.stringify(name)} belongs to the protocol "agentue"`);
      }
    }
    const as: unknown = given.as ?? streamId;
    if (typeof as !== "string") throw usageError("bad_argument", `as must be a string, not ${describe(as)}`);
    if (as !== "" && as !== streamId && of.protocol === "ag-ui") {
      throw usageError("bad_argument", "AG-UI has one stream, the unnamed one");
    }
    const listeners = listenersOf(given as Partial<Listeners>);
    const session: SessionOptions = { ...of, events: listeners.onEvent !== undefined };
    if (of.agui !== undefined) session.agui = { ...of.agui, middleware };
    return { streamId, as, session, listeners };
  });
}
