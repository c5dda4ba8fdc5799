// What the event that was applied last has done to messages and calls, for those who say it in other words (docs/adapter.md §3).

/** The event brought a message that comes last, or a call. */
export const NEW_MESSAGE: u32 = 1, NEW_CALL: u32 = 2;
/** Content or arguments have changed: a text has grown, or a patch was applied. */
export const CONTENT: u32 = 4;
/** Metadata was merged into the message or call. */
export const METADATA: u32 = 8;
/** A call has another name. */
export const RENAMED: u32 = 16;
/** A held message was replaced whole. */
export const REPLACED: u32 = 32;
/** Messages or calls are gone, or a message came in between. */
export const MOVED: u32 = 64;

/** The bits above. */
export let effects: u32 = 0;

export function forgetEffects(): void { effects = 0; }

@inline export function noteEffect(bits: u32): void { effects |= bits; }
