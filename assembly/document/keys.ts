// Objects of one shape share the text of their keys: a walk through one of many elements finds its keys in the cache, and only its node and the entry that is
// asked for come from memory. What is shared is an address; the texts are those that came in.
import { equalBytes } from "../memory/copy";
import { SIZE, TEXT_NUMBER } from "./layout";
import { editDocument } from "./undo-log";

/** Objects with more members are less often of one shape. */
const MOST_MEMBERS: u32 = 16;
/** A document of less text is in the cache anyway. */
const LEAST_SIZE: u32 = 1024;

// Shapes that were seen last: number of the text u64, members, and {key p, key n} of each.
const SHAPES: u32 = 16;
const SHAPE: u32 = 16 + MOST_MEMBERS * 8;
const shapes: usize = memory.data(16 * (16 + 16 * 8), 16);

/** Lets the `count` entries at `vector`, whose keys stand in the text of document `d`, name the keys of an object of the same shape. */
export function shareKeys(d: usize, vector: usize, count: u32): void {
  const number = load<u64>(d, TEXT_NUMBER);
  if (!number || count - 1 >= MOST_MEMBERS || load<u32>(d, SIZE) < LEAST_SIZE) return;
  const last = vector + (<usize>(count - 1) << 4), shape = shapeOf(vector, last, count);
  if (load<u64>(shape) == number && load<u32>(shape, 8) == count && share(vector, last, shape + 16)) return;
  // the text of an open edit may be taken back, while nodes that it made of older text stay
  if (editDocument == d) return;
  store<u64>(shape, number);
  store<u32>(shape, count, 8);
  for (let entry = vector, to = shape + 16; entry <= last; entry += 16, to += 8) store<u64>(to, load<u64>(entry));
}

@inline function shapeOf(first: usize, last: usize, count: u32): usize {
  return shapes + ((count * 7 + load<u32>(first, 4) * 3 + load<u32>(last, 4)) & (SHAPES - 1)) * SHAPE;
}

/**
 * Makes the `count` entries found in the text of document `d`, at `found`, those of `vector` if they are of a shape that is known: then no key is there twice. `false`:
 * they are not; `vector` may have been written to.
 */
export function adoptKnown(d: usize, found: usize, count: u32, vector: usize): bool {
  const number = load<u64>(d, TEXT_NUMBER);
  if (!number || count - 1 >= MOST_MEMBERS) return false;
  const last = found + (<usize>(count - 1) << 4), shape = shapeOf(found, last, count);
  if (load<u64>(shape) != number || load<u32>(shape, 8) != count) return false;
  for (let entry = found, keys = shape + 16; entry <= last; entry += 16, vector += 16, keys += 8) {
    const n = load<u32>(entry, 4), key = <usize>load<u32>(keys);
    if (load<u32>(keys, 4) != n || !isSameKey(load<u32>(entry), key, n)) return false;
    store<u32>(vector, <u32>key);
    store<u32>(vector, n, 4);
    store<u64>(vector, load<u64>(entry, 8), 8);
  }
  return true;
}

/** Whether two keys of `n` bytes are the same. Most are short: up to 8 bytes before them are read. */
@inline export function isSameKey(a: usize, b: usize, n: u32): bool {
  return n - 1 < 8 ? (load<u64>(a + n - 8) ^ load<u64>(b + n - 8)) >> <u64>(64 - (n << 3)) == 0 : equalBytes(a, b, n);
}

// Whether all keys are those of the shape; as many as are take their addresses.
function share(vector: usize, last: usize, keys: usize): bool {
  for (let entry = vector; entry <= last; entry += 16, keys += 8) {
    const n = load<u32>(entry, 4);
    if (load<u32>(keys, 4) != n || !isSameKey(load<u32>(entry), load<u32>(keys), n)) return false;
    store<u32>(entry, load<u32>(keys));
  }
  return true;
}
