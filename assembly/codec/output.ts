// The run that a reader or writer fills. Where a token begins, the write address is at most `outputLimit`, behind which TOKEN bytes are
// free: only strings and binary data ask for room.
import { bytesReserve, RUN_CAP, RUN_LEN, RUN_PTR } from "../memory/bytes";

/** Bytes that a token may take without asking; as many again lie behind them (memory/bytes.ts), which block-wise copies may overwrite. */
const TOKEN: u32 = 64;

let run: usize = 0;
let before: u32 = 0;

/** End of the room that was asked for. */
export let outputLimit: usize = 0;

/** Begins behind what `out` holds, with room for `n` bytes: the write address, 0 = out of memory. */
export function openOutput(out: usize, n: u32): usize {
  run = out;
  before = load<u32>(out, RUN_LEN);
  return moreOutput(<usize>load<u32>(out, RUN_PTR) + before, n);
}

/** Keeps what lies before `d` and makes room for `n` bytes behind it: the new write address, 0 = out of memory. */
export function moreOutput(d: usize, n: u32): usize {
  store<u32>(run, <u32>(d - <usize>load<u32>(run, RUN_PTR)), RUN_LEN);
  if (!bytesReserve(run, n + TOKEN)) return 0;
  const start = <usize>load<u32>(run, RUN_PTR);
  outputLimit = start + load<u32>(run, RUN_CAP) - TOKEN;
  return start + load<u32>(run, RUN_LEN);
}

/** Where `d` lies in the run, and the address of such a place. */
@inline export function outputOffset(d: usize): u32 { return <u32>(d - <usize>load<u32>(run, RUN_PTR)); }
@inline export function outputAt(offset: u32): usize { return <usize>load<u32>(run, RUN_PTR) + offset; }

/** The run ends at `d`. */
export function closeOutput(d: usize): void { store<u32>(run, <u32>(d - <usize>load<u32>(run, RUN_PTR)), RUN_LEN); }

/** The run holds what it held before. */
export function dropOutput(): void { store<u32>(run, before, RUN_LEN); }
