// What the event that is written loses on the way.

/** Bits of `LOSS_` in assembly/abi/codes.ts. */
export let losses: u32 = 0;

export function beginLosses(): void { losses = 0; }

/** Notes a loss. */
export function lose(bit: u32): void { losses |= bit; }
