// Growable runs that belong to no stream: they serve one call at a time and are given back by `trimScratch`.
import { setAccount } from "../memory/heap";
import { bytesFree, bytesReserve, RUN_CAP, RUN_LEN } from "../memory/bytes";

const COUNT: u32 = 19;
const RUNS: usize = memory.data(19 * 16, 16);

/** Text on its way into a document. */
export const SCRATCH_TEXT: usize = RUNS;
/** The path of the current fault. */
export const SCRATCH_PATH: usize = RUNS + 16;
/** Blocks found in a model, and the index of their ids. */
export const SCRATCH_FOUND: usize = RUNS + 32;
export const SCRATCH_FOUND_INDEX: usize = RUNS + 48;
/** The shell of a model being built. */
export const SCRATCH_SHELL: usize = RUNS + 64;
/** The text of a message that came otherwise: as bytes, or with ill-formed UTF-8, which was replaced; `releaseText` follows. */
export const SCRATCH_MESSAGE: usize = RUNS + 80;
/** What a reading call hands to the host. */
export const SCRATCH_RESULT: usize = RUNS + 96;

/** A stream id that does not fit into the input window. */
export const SCRATCH_ID: usize = RUNS + 112;

/** The output queue of the feeding call under way; the host drains it before any other call. */
export const SCRATCH_OUTPUT: usize = RUNS + 128;

/** What the reason of the current fault speaks of. */
export const SCRATCH_SUBJECT: usize = RUNS + 144;

/** Text of an AG-UI message or call being made. */
export const SCRATCH_MODEL: usize = RUNS + 160;

/** The text of an AG-UI event behind the boundary, and behind enforcement, when either has changed it. */
export const SCRATCH_BOUNDARY: usize = RUNS + 176;
export const SCRATCH_ENFORCED: usize = RUNS + 192;
/** Members of the objects that are being rewritten, and an index of names or parts. */
export const SCRATCH_MEMBERS: usize = RUNS + 208;
export const SCRATCH_INDEX: usize = RUNS + 224;
/** Warnings of the event under way. */
export const SCRATCH_WARNINGS: usize = RUNS + 240;

/** What a transcoder's feeding call has written; the host takes it before any other call. */
export const SCRATCH_WIRE: usize = RUNS + 256;
/** The text of an event that goes out with another delta than it came with. */
export const SCRATCH_EVENT: usize = RUNS + 272;
/** The text of an event of the other protocol on its way to a binary wire. */
export const SCRATCH_ADAPTED: usize = RUNS + 288;

/** Makes room for `more` bytes in one of these runs, whoever pays at the moment; false = out of memory. */
export function scratchReserve(run: usize, more: u32): bool {
  if (load<u32>(run, RUN_CAP) - load<u32>(run, RUN_LEN) >= more) return true;
  const account = setAccount(0);
  const done = bytesReserve(run, more);
  setAccount(account);
  return done;
}

/** Gives a run back that has more room than `most` bytes: what one large message took is not kept for the next ones. */
export function scratchTrim(run: usize, most: u32): void {
  if (load<u32>(run, RUN_CAP) <= most) return;
  const account = setAccount(0);
  bytesFree(run);
  setAccount(account);
}

/** A larger text of a message is given back with it. */
const KEPT_MESSAGE: u32 = 1 << 20;

/** Gives an unusually large SCRATCH_MESSAGE back when what it holds has been handled. */
export function releaseText(): void { scratchTrim(SCRATCH_MESSAGE, KEPT_MESSAGE); }

/** Gives all runs back. */
export function trimScratch(): void {
  const account = setAccount(0);
  for (let i: u32 = 0; i < COUNT; i++) bytesFree(RUNS + (i << 4));
  setAccount(account);
}
