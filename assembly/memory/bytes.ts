// Growable run of bytes. Header 16 B: 0 ptr | 4 len | 8 cap | 12 spare. 64 readable and writable bytes lie behind cap.
import { alloc, free, roundUp } from "./heap";
import { copyForward } from "./copy";

export const RUN_PTR: usize = 0;
export const RUN_LEN: usize = 4;
export const RUN_CAP: usize = 8;
const SLACK: u32 = 64;
const MOST: u32 = 0x7fff0000;

/** Makes room for `more` bytes behind the current length; `false` = out of memory, nothing changed. A zeroed header is an empty run. */
export function bytesReserve(run: usize, more: u32): bool {
  const length = load<u32>(run, RUN_LEN), capacity = load<u32>(run, RUN_CAP);
  if (capacity - length >= more) return true;
  if (more > MOST || length > MOST - more) return false;
  const wanted = max<u32>(length + more, capacity + (capacity >> 1));
  let size = roundUp(min<u32>(wanted, MOST) + SLACK);
  let block = alloc(size);
  if (!block) {
    size = roundUp(length + more + SLACK);
    block = alloc(size);
    if (!block) return false;
  }
  if (capacity) {
    copyForward(block, load<u32>(run, RUN_PTR), length);
    free(load<u32>(run, RUN_PTR), capacity + SLACK);
  }
  store<u32>(run, <u32>block, RUN_PTR);
  store<u32>(run, size - SLACK, RUN_CAP);
  return true;
}

/** Appends `n` bytes from `p`; `false` = out of memory, nothing changed. */
export function bytesAppend(run: usize, p: usize, n: u32): bool {
  const length = load<u32>(run, RUN_LEN);
  if (load<u32>(run, RUN_CAP) - length < n && !bytesReserve(run, n)) return false;
  copyForward(<usize>load<u32>(run, RUN_PTR) + length, p, n);
  store<u32>(run, length + n, RUN_LEN);
  return true;
}

/** Forgets the contents, keeps the memory. */
export function bytesClear(run: usize): void { store<u32>(run, 0, RUN_LEN); }

/** Gives the memory back; the run is empty afterwards. */
export function bytesFree(run: usize): void {
  const capacity = load<u32>(run, RUN_CAP);
  if (capacity) free(load<u32>(run, RUN_PTR), capacity + SLACK);
  store<u64>(run, 0);
  store<u32>(run, 0, RUN_CAP);
}
