import { expectOptions } from "../arguments.js";
import type { Engine } from "../engine/contract.js";
import { createJsEngine } from "../engine/js/engine.js";
import { usageError } from "../errors.js";
import { createEngine } from "../reducer/engine.js";

export * from "../index.js";

/** Options of this entry: there is one engine to choose from. */
export interface LoadOptions {
  kind?: "auto" | "js";
}
export type RequestedKind = NonNullable<LoadOptions["kind"]>;

/**
 * Gives the plain JavaScript engine; this entry holds nothing else, so that it runs where WebAssembly may not.
 *
 * @throws StreamfoldError `bad_argument` for options, a kind other than "auto" and "js"
 */
export async function loadEngine(options?: LoadOptions): Promise<Engine> {
  return loadEngineSync(options);
}

/** Like `loadEngine`, without waiting. */
export function loadEngineSync(options?: LoadOptions): Engine {
  if (options !== undefined) expectOptions(options, "kind");
  const { kind = "auto" }: { kind?: unknown } = options ?? {};
  if (kind !== "auto" && kind !== "js") {
    throw usageError("bad_argument", 'kind must be "auto" or "js": this entry holds the JavaScript engine alone');
  }
  return createEngine(
    createJsEngine(kind === "js" ? '"js" was asked for' : "this entry holds the JavaScript engine alone"),
  );
}
