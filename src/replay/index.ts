export type { ReferenceAt, ReplayOptions } from "./options.js";
export { createReplay, type Replay, type ReplayStats, type ResumeOptions } from "./replay.js";
export type { ReplayCursor } from "./seek.js";
