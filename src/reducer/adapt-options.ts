import type { AdapterOptions, AdaptOptions } from "../engine/adapting.js";
import type { Protocol } from "../engine/contract.js";
import { usageError } from "../errors.js";

/**
 * The protocol that goes out: there is one way from one to another.
 *
 * @throws StreamfoldError `bad_argument` for any other way
 */
export function writtenProtocol(toProtocol: unknown, protocol: Protocol): Protocol {
  if (toProtocol === undefined || toProtocol === protocol) return protocol;
  if (toProtocol === "agentue") return "agentue";
  throw usageError("bad_argument", `toProtocol must be "${protocol}"${protocol === "ag-ui" ? ' or "agentue"' : ""}`);
}

/**
 * Checks the option `adapt` and fills in the defaults.
 *
 * @throws StreamfoldError `bad_argument` for anything that is not as `AdapterOptions` says
 */
export function adaptOptions(options: AdapterOptions = {}): AdaptOptions {
  if (options === null || typeof options !== "object") throw usageError("bad_argument", "adapt must be an object");
  const { biz = "ag-ui", streamId = "", block, ...others } = options;
  for (const name of Object.keys(others)) {
    throw usageError("bad_argument", `there is no option ${JSON.stringify(`adapt.${name}`)}`);
  }
  if (typeof biz !== "string" || biz === "")
    throw usageError("bad_argument", "adapt.biz must be a string that is not empty");
  if (typeof streamId !== "string") throw usageError("bad_argument", "adapt.streamId must be a string");
  if (block === undefined) return { biz, streamId };
  if (typeof block !== "function") throw usageError("bad_argument", "adapt.block must be a function");
  return { biz, streamId, block: block.bind(options) };
}
