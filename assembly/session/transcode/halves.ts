// Surrogate halves at the end of deltas, which no binary wire can carry alone: held until the other half comes or what they belong to ends.
import { bytesClear, bytesFree, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyExact, equalBytes } from "../../memory/copy";
import { codeUnits } from "../../text/units";
import { C_HALVES } from "../layout";

// Entry, 4-byte aligned: 0 size | 4 family u16, what kind of delta it is, 0 = AgentUE | 6 passed u16 | 8, 12, 16 lengths of the three names |
// 20 the half as an escape, 6 B | 28 the names: stream, block, field of AgentUE; owner and id of AG-UI
const FAMILY: usize = 4, PASSED: usize = 6, LENGTHS: usize = 8, ESCAPE: usize = 20, NAMES: usize = 28;
/** An escape `\ud83d`. */
export const HALF_LENGTH: u32 = 6;
/** Any name where a length is expected. */
export const ANY: u32 = 0xffffffff;
/** No name at all: not the empty one. */
export const NONE: u32 = 0xfffffffe;
/** More halves than this are not held: the oldest is lost then. */
const MOST: u32 = 256;
/** UTF-16 code units of the names of one half. */
const LONGEST_NAMES: u32 = 4096;

// The names of the delta in hand, as canonical string contents.
let family: u32 = 0;
const OWN: usize = memory.data(3 * 8, 4);

/** Says what the following calls speak of: three names, of AG-UI two (of length NONE where there is none; ANY for whatever stands there). */
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

// Bytes of a name of that length.
@inline function bytesOf(length: u32): u32 { return length == NONE ? 0 : length; }
@inline function ownLength(i: u32): u32 { return load<u32>(OWN + (<usize>i << 3), 4); }
@inline function lengthOf(entry: usize, i: u32): u32 { return load<u32>(entry + (<usize>i << 2), LENGTHS); }

function hasName(entry: usize, i: u32): bool {
  const n = lengthOf(entry, i), own = ownLength(i);
  if (own == ANY) return true;
  if (own != n) return false;
  let name = entry + NAMES;
  for (let j: u32 = 0; j < i; j++) name += bytesOf(lengthOf(entry, j));
  return equalBytes(name, load<u32>(OWN + (<usize>i << 3)), bytesOf(n));
}

/** The entry of the half that the named delta continues, 0 = none; good until the next change. */
export function findHalf(c: usize): usize {
  let near: usize = 0;
  for (let entry = first(c); entry < behind(c); entry += load<u32>(entry)) {
    if (load<u16>(entry, FAMILY) != family) continue;
    if (!family) {
      if (hasName(entry, 0) && hasName(entry, 1) && hasName(entry, 2)) return entry;
    } else if (ownLength(1) == NONE || lengthOf(entry, 1) == NONE) {
      // a chunk without an id continues what its owner's last delta belonged to
      if (!near && !load<u16>(entry, PASSED) && hasName(entry, 0)) near = entry;
    } else if (hasName(entry, 1)) return entry;
  }
  return near;
}

/** The escape of an entry's half. */
@inline export function escapeOf(entry: usize): usize { return entry + ESCAPE; }

/** Notes on what is held for other messages of the named AG-UI delta's owner that it has come: only their ids find them now. */
export function passOthers(c: usize, but: usize): void {
  for (let entry = first(c); entry < behind(c); entry += load<u32>(entry)) {
    if (entry != but && load<u16>(entry, FAMILY) == family && hasName(entry, 0)) store<u16>(entry, 1, PASSED);
  }
}

/** Forgets an entry. */
export function dropHalf(c: usize, entry: usize): void {
  const size = load<u32>(entry);
  memory.copy(entry, entry + size, behind(c) - entry - size);
  store<u32>(c + C_HALVES, load<u32>(c + C_HALVES, RUN_LEN) - size, RUN_LEN);
}

/** Forgets what is held for all AgentUE deltas of those names; whether there was any. */
export function dropHalves(c: usize): bool {
  let found = false;
  for (let entry = findHalf(c); entry; entry = findHalf(c)) {
    found = true;
    dropHalf(c, entry);
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

/** Whether a half of the named delta may be held: names could be as long as a message. */
export function mayHold(): bool {
  let units: u32 = 0;
  for (let i: u32 = 0; i < 3; i++) {
    const name = <usize>load<u32>(OWN + (<usize>i << 3));
    units += codeUnits(name, name + bytesOf(ownLength(i)));
  }
  return units <= LONGEST_NAMES;
}

@inline function entrySize(): u32 { return (<u32>NAMES + bytesOf(ownLength(0)) + bytesOf(ownLength(1)) + bytesOf(ownLength(2)) + 3) & ~3; }

/** Makes sure of the memory that `holdHalf` takes; false = there is none. */
export function reserveHalf(c: usize): bool { return bytesReserve(c + C_HALVES, entrySize()); }

/** Holds the escape at `half` for the delta that was named, where `reserveHalf` has made room; whether the oldest one had to be forgotten for it. */
export function holdHalf(c: usize, half: usize): bool {
  const run = c + C_HALVES, a = bytesOf(ownLength(0)), b = bytesOf(ownLength(1)), n = bytesOf(ownLength(2)), size = entrySize();
  let count: u32 = 0;
  for (let entry = first(c); entry < behind(c); entry += load<u32>(entry)) count++;
  if (count == MOST) dropHalf(c, first(c));
  const entry = behind(c);
  store<u32>(entry, size);
  store<u32>(entry, family, FAMILY);
  for (let i: u32 = 0; i < 3; i++) store<u32>(entry + (<usize>i << 2), ownLength(i), LENGTHS);
  copyExact(entry + ESCAPE, half, HALF_LENGTH);
  copyExact(entry + NAMES, load<u32>(OWN), a);
  copyExact(entry + NAMES + a, load<u32>(OWN, 8), b);
  copyExact(entry + NAMES + a + b, load<u32>(OWN, 16), n);
  store<u32>(run, load<u32>(run, RUN_LEN) + size, RUN_LEN);
  return count == MOST;
}
