import { expectOptions, optionOf } from "../arguments.js";
import { cloneValue } from "../engine/js/codec/clone.js";
import { StreamfoldError } from "../errors.js";
import { warningMessage } from "../warnings.js";
import { judgeShape, ownTree } from "./judge-value.js";
import type { InputWarning } from "./prepare-run-input.js";
import type { AgentCapabilities } from "./types.generated.js";

/** What an agent has declared. What is not there is not declared, which says nothing; `false` says no (AG-UI N1). */
export interface ReadCapabilities {
  capabilities: AgentCapabilities;
  warnings: InputWarning[];
}

export interface ReadCapabilitiesOptions {
  /** Hears why a declaration cannot be used. */
  onFault?: ((error: StreamfoldError) => void) | undefined;
}

/**
 * Reads an agent's declaration, in whatever way it came (AG-UI N6): unknown members are removed with a warning, a malformed one makes it unusable, and
 * neither is a reason to refuse a run (N3, N7). What an agent owns, `identity.metadata` and `custom`, is kept whole (N5).
 *
 * @param declaration a plain value, which is not changed
 * @returns a value of the caller's own; undefined for a declaration that cannot be used
 * @throws StreamfoldError `bad_argument` for options
 */
export function readCapabilities(
  declaration: unknown,
  options?: ReadCapabilitiesOptions,
): ReadCapabilities | undefined {
  if (options !== undefined) expectOptions(options, "onFault");
  const onFault = optionOf(options, "onFault");
  try {
    return judge(declaration);
  } catch (error) {
    if (!(error instanceof StreamfoldError)) throw error;
    onFault?.(error);
    return undefined;
  }
}

function judge(declaration: unknown): ReadCapabilities {
  const eventType = "The declaration of capabilities";
  const { value } = ownTree(declaration);
  const { fault, removals } = judgeShape(value, "AgentCapabilities");
  if (fault !== undefined) throw new StreamfoldError({ code: "bad_event", eventType, ...fault });
  const warnings = removals.map(({ code, path }) => ({
    code,
    path,
    message: warningMessage({ code, path, eventType }),
  }));
  return { capabilities: cloneValue(value, "number") as AgentCapabilities, warnings };
}
