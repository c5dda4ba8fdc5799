// Surrogate halves at the end of deltas, which no binary wire can carry alone: held until the other half comes or what they belong to ends.
import { bytesClear, bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyExact, equalBytes } from "../../memory/copy";
import { C_HALVES } from "../layout";

// Entry, 4-byte aligned: 0 size | 4 family u16, what kind of delta it is | 8, 12, 16 lengths of the three names | 20 the half as an escape, 6 B |
// 28 the names: stream, block, field of AgentUE; owner and id of AG-UI
const FAMILY: usize = 4, LENGTHS: usize = 8, ESCAPE: usize = 20, NAMES: usize = 28;
/** An escape `\ud83d`. */
export const HALF_LENGTH: u32 = 6;
/** Any name where a length is expected. */
export const ANY: u32 = 0xffffffff;

// The names of the delta in hand, as canonical string contents.
let family: u32 = 0;
const OWN: usize = memory.data(3 * 8, 4);

/** Says what the following calls speak of: three names (of length 0 where there are fewer; ANY for whatever stands there). */
export function nameDelta(kind: u32, a: usize, aLength: u32, b: usize, bLength: u32, c: usize, cLength: u32): void {
  family = kind;
  store<u32>(OWN, <u32>a); store<u32>(OWN, aLength, 4);
  store<u32>(OWN, <u32>b, 8); store<u32>(OWN, bLength, 12);
  store<u32>(OWN, <u32>c, 16); store<u32>(OWN, cLength, 20);
}

/** Whether any half is held. */
@inline export function holdsHalves(c: usize): bool { return load<u32>(c + C_HALVES, RUN_LEN) != 0; }

@inline function first(c: usize): usize { return <usize>load<u32>(c + C_HALVES, RUN_PTR); }
@inline function behind(c: usize): usize { return first(c) + load<u32>(c + C_HALVES, RUN_LEN); }

function isNamed(entry: usize): bool {
  if (load<u16>(entry, FAMILY) != family) return false;
  let name = entry + NAMES;
  for (let i: usize = 0; i < 3; i++) {
    const n = load<u32>(entry + (i << 2), LENGTHS), own = load<u32>(OWN + (i << 3), 4);
    if (own != ANY && (own != n || !equalBytes(name, load<u32>(OWN + (i << 3)), n))) return false;
    name += n;
  }
  return true;
}

/** The escape held for the delta that was named, 0 = none; good until the next call. */
export function heldHalf(c: usize): usize {
  for (let entry = first(c); entry < behind(c); entry += load<u32>(entry)) if (isNamed(entry)) return entry + ESCAPE;
  return 0;
}

/** Forgets what is held for all deltas of those names; whether there was any. */
export function dropHalves(c: usize): bool {
  let entry = first(c), found = false;
  while (entry < behind(c)) {
    const size = load<u32>(entry);
    if (!isNamed(entry)) { entry += size; continue; }
    found = true;
    memory.copy(entry, entry + size, behind(c) - entry - size);
    store<u32>(c + C_HALVES, load<u32>(c + C_HALVES, RUN_LEN) - size, RUN_LEN);
  }
  return found;
}

/** Forgets all; whether there was any. */
export function dropAllHalves(c: usize): bool {
  const found = holdsHalves(c);
  bytesClear(c + C_HALVES);
  return found;
}

/** Gives the memory back. */
export function freeHalves(c: usize): void { bytesFree(c + C_HALVES); }

/** Holds the escape at `half` for the delta that was named, in place of any other; false = out of memory. */
export function holdHalf(c: usize, half: usize): bool {
  const run = c + C_HALVES, a = load<u32>(OWN, 4), b = load<u32>(OWN, 12), n = load<u32>(OWN, 20), size = (<u32>NAMES + a + b + n + 3) & ~3;
  if (!bytesReserve(run, size)) return false;
  const entry = behind(c);
  store<u32>(entry, size);
  store<u32>(entry, family, FAMILY);
  store<u32>(entry, a, LENGTHS);
  store<u32>(entry, b, LENGTHS + 4);
  store<u32>(entry, n, LENGTHS + 8);
  copyExact(entry + ESCAPE, half, HALF_LENGTH);
  copyExact(entry + NAMES, load<u32>(OWN), a);
  copyExact(entry + NAMES + a, load<u32>(OWN, 8), b);
  copyExact(entry + NAMES + a + b, load<u32>(OWN, 16), n);
  store<u32>(run, load<u32>(run, RUN_LEN) + size, RUN_LEN);
  return true;
}
