// What events may write beyond what they bring (docs/adapter.md §8). Without a bound 2,500 results of 200 bytes, each in the middle of the messages, make 1.2 GB.
import { A_CUT, A_GIVEN, A_LEFT, A_MOST, isCut } from "./state";
import { adapterOf } from "../roads";

/** Bytes that any event may write, and that each adds to the allowance. */
const FREE: f64 = 16384;
/** An event may write that many times its message. */
const SHARE: f64 = 8;

// The record of the event in hand, what it may write without being counted, and what it has written.
let record: usize = 0;
let own: f64 = 0;
let written: f64 = 0;
/** More was to be written than the event may write. */
export let hasRefused: bool = false;
let isLimited: bool = true;

/** Adds to the allowance what `n` events do. */
@inline export function refill(a: usize, n: u32): void { store<f64>(a, min<f64>(load<f64>(a, A_MOST), load<f64>(a, A_LEFT) + FREE * <f64>n), A_LEFT); }

/** Begins with an event whose message takes `size` bytes; the input that was given counts as part of the first one. */
export function beginAllowance(c: usize, size: u32): void {
  record = adapterOf(c);
  own = max<f64>(FREE, SHARE * (<f64>size + load<f64>(record, A_GIVEN)));
  store<f64>(record, 0, A_GIVEN);
  written = 0;
  hasRefused = false;
  isLimited = true;
}

/** An input of `n` bytes was given, which the first `start` shows. */
export function noteGiven(a: usize, n: u32): void { store<f64>(a, <f64>n, A_GIVEN); }

/** What ends a delivery is always said. */
export function liftAllowance(): void { isLimited = false; }

/** Whether the event may write `n` more bytes. Where it may not, it writes nothing any more. */
export function mayWrite(n: u32): bool {
  if (!isLimited) return true;
  if (!hasRefused && written + <f64>n > own && written + <f64>n > load<f64>(record, A_LEFT)) hasRefused = true;
  return !hasRefused;
}

/** It has written `n` bytes. */
@inline export function noteWritten(n: u32): void { if (isLimited) written += <f64>n; }

/** Takes from the allowance what the event has written, if that counts; whether it was all that it comes to. */
export function endAllowance(): bool {
  if (written > own) store<f64>(record, max<f64>(0, load<f64>(record, A_LEFT) - written), A_LEFT);
  if (hasRefused) store<u8>(record, 1, A_CUT);
  return !hasRefused;
}

/** A `start` was not written: where it was too much, the next one waits, or each event would make it up to the limit again. */
export function spendOnStart(): void { if (hasRefused) store<f64>(record, 0, A_LEFT); }

/** Whether something was left out since the last `start`: until the allowance is full there is no other one. */
@inline export function isWaiting(a: usize): bool { return isCut(a) && load<f64>(a, A_LEFT) < load<f64>(a, A_MOST); }
