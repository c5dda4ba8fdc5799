export { type BodyOptions, reduceBody } from "./reduce-body.js";
export {
  createReducerStream,
  type ReducerStreamOptions,
  type StreamChanges,
  type StreamEvent,
} from "./reducer-stream.js";
export type { Waits } from "./waits.js";
