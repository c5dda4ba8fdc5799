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
  const last = vector + (<usize>(count - 1) << 4);
  const shape = shapes + ((count * 7 + load<u32>(vector, 4) * 3 + load<u32>(last, 4)) & (SHAPES - 1)) * SHAPE;
  if (load<u64>(shape) == number && load<u32>(shape, 8) == count && share(vector, last, shape + 16)) return;
  // the text of an open edit may be taken back, while nodes that it made of older text stay
  if (editDocument == d) return;
  store<u64>(shape, number);
  store<u32>(shape, count, 8);
  for (let entry = vector, to = shape + 16; entry <= last; entry += 16, to += 8) store<u64>(to, load<u64>(entry));
}

// Whether all keys are those of the shape; as many as are take their addresses.
function share(vector: usize, last: usize, keys: usize): bool {
  for (let entry = vector; entry <= last; entry += 16, keys += 8) {
    const n = load<u32>(entry, 4);
    if (load<u32>(keys, 4) != n || !equalBytes(load<u32>(entry), load<u32>(keys), n)) return false;
    store<u32>(entry, load<u32>(keys));
  }
  return true;
}
