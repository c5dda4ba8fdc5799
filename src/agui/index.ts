export { type InputWarning, type PreparedInput, type PrepareOptions, prepareRunInput } from "./prepare-run-input.js";
export type * from "./types.generated.js";
