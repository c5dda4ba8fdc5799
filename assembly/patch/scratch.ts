// Buffers that serve one patch at a time and belong to no document.
import { setAccount } from "../memory/heap";
import { RUN_CAP, RUN_LEN, RUN_PTR, bytesFree, bytesReserve } from "../memory/bytes";

const COUNT: u32 = 3;
const RUNS: usize = memory.data(3 * 16, 16);
/** A larger buffer is given back after use. */
const KEPT_SIZE: u32 = 65536;

/** Operation records. */
export const RECORDS: usize = RUNS;
/** The last token of a pointer, decoded. */
export const TOKEN: usize = RUNS + 16;
/** A value of the document written out. */
export const TEXT: usize = RUNS + 32;

/** Start of a run with room for `n` bytes, what it held is forgotten; 0 = out of memory. */
export function scratchFor(run: usize, n: u32): usize {
  store<u32>(run, 0, RUN_LEN);
  return scratchMore(run, n) ? <usize>load<u32>(run, RUN_PTR) : 0;
}

/** Makes room for `n` bytes behind what the run holds; `false` = out of memory. */
export function scratchMore(run: usize, n: u32): bool {
  if (load<u32>(run, RUN_CAP) - load<u32>(run, RUN_LEN) >= n) return true;
  const account = setAccount(0);
  const done = bytesReserve(run, n);
  setAccount(account);
  return done;
}

/** Gives an unusually large run back. */
export function releaseScratch(run: usize): void {
  if (load<u32>(run, RUN_CAP) <= KEPT_SIZE) return;
  const account = setAccount(0);
  bytesFree(run);
  setAccount(account);
}

/** Gives all buffers of this room back. */
export function trimPatch(): void {
  const account = setAccount(0);
  for (let i: u32 = 0; i < COUNT; i++) bytesFree(RUNS + (i << 4));
  setAccount(account);
}
