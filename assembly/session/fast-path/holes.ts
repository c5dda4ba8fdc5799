// What the holes of an event hold that a template knows, for those who write it on another wire, and two ways to find them without asking the model.
import { scanFlags, scanStringShort, setScanFlags } from "../../text/scan";
import { strAt, strLength, uintEnd, uintValue } from "./msgpack-scan";
import {
  digits, firstNode, HOLE_DELTA, HOLE_NUMBER, HOLE_SOURCE, HOLE_TARGET, HOLE_TIME, idEnd, LEAF, N_CHILD, N_HOLE, N_LENGTH, number, standsAt,
} from "./trie";

// By HOLE_ kind, 8 B: 0 where the contents begin | 4 their length in bytes. The last one is of forks, which hold nothing.
const HOLES: usize = memory.data(7 * 8, 8);

/** The two numbers. */
export let holeNumber: f64 = 0;
export let holeTime: f64 = 0;
/** The leaf that the last matcher has come to, and the flags of a scan over the delta of a text. */
export let holeLeaf: usize = 0;
export let holeFlags: u32 = 0;

@inline export function setHole(hole: u32, start: usize, n: u32): void { store<u64>(HOLES + (<usize>hole << 3), <u64>start | <u64>n << 32); }
@inline export function holeStart(hole: u32): usize { return <usize>load<u32>(HOLES + (<usize>hole << 3)); }
@inline export function holeLength(hole: u32): u32 { return load<u32>(HOLES + (<usize>hole << 3), 4); }

@inline export function setHoleNumbers(n: f64, time: f64): void {
  holeNumber = n;
  holeTime = time;
}

/** Forgets what the last event held: a hole that an event does not have has no contents. */
@inline function clearHoles(): void {
  setHole(HOLE_SOURCE, 0, 0);
  setHole(HOLE_TARGET, 0, 0);
  setHole(HOLE_TIME, 0, 0);
  setHole(HOLE_NUMBER, 0, 0);
}

/** Matches the event at `p` of a text wire (its `data:` or brace), behind whose chunk the sentinel stands; the address behind its line end, 0 where no template fits. */
export function matchText(p: usize): usize {
  let node = firstNode();
  clearHoles();
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if (!standsAt(p, node, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = <u32>load<u8>(node, N_HOLE), start = p;
    if (hole == LEAF) {
      holeLeaf = node;
      return p;
    }
    if (hole == HOLE_DELTA) {
      setScanFlags(0);
      p = scanStringShort(p);
      holeFlags = scanFlags;
    } else if (hole == HOLE_TARGET || hole == HOLE_SOURCE) p = idEnd(p);
    else if (hole == HOLE_NUMBER || hole == HOLE_TIME) {
      p = digits(p);
      if (hole == HOLE_TIME) holeTime = number;
      else holeNumber = number;
    }
    if (!p) return 0;
    setHole(hole, start, <u32>(p - start));
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}

/** The same for the map of MessagePack at `p`: the holes are contents of strings, and numbers with their heads. */
export function matchPacked(p: usize, end: usize): usize {
  let node = firstNode();
  clearHoles();
  while (node) {
    const n = <u32>load<u16>(node, N_LENGTH);
    if (!standsAt(p, node, n)) { node = load<u32>(node); continue; }
    p += n;
    const hole = <u32>load<u8>(node, N_HOLE);
    if (hole == LEAF) {
      holeLeaf = node;
      return p <= end ? p : 0;
    }
    if (hole == HOLE_DELTA || hole == HOLE_TARGET || hole == HOLE_SOURCE) {
      const value = strAt(p, end);
      if (!value) return 0;
      setHole(hole, value, strLength);
      p = value + strLength;
    } else if (hole == HOLE_NUMBER || hole == HOLE_TIME) {
      const start = p;
      p = uintEnd(p);
      if (!p) return 0;
      if (hole == HOLE_TIME) holeTime = uintValue;
      else holeNumber = uintValue;
      setHole(hole, start, <u32>(p - start));
    }
    node = load<u32>(node, N_CHILD);
  }
  return 0;
}
