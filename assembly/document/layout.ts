// Everything the document room lays out in memory. Sizes in bytes, all fields u32.
//
//   Document 64     0 root slot {p, n} | 8 size | 12 held | 16 pieces | 20 log at | 24 log end | 28 epoch
//                  32 work since the last compaction | 36 compactions | 40 holders besides one
//                 44 whether a span may be the value of more than one slot, or belong to another document, too
//                 48 number of the text u64: another one when the bytes of keys have gone; 0: keys are not shared | 56.. spare
//   Slot 8          0 p | 4 n: n bytes of canonical compact text at p; n = NODE: p is a node; n = REMOVED: a removed member
//   Array node 32   0 kind u8, 2 room for a vector behind the node in 16 bytes u16 | 4 count | 8 capacity | 12 vector of slots | 16 - | 20 - | 24 up | 28 at
//   Object node 32  0 kind u8, index size as a power of two u8, 2 as above | 4 entries | 8 capacity | 12 vector | 16 members | 20 index | 24 up | 28 at
//     entry 16      0 key p | 4 key n | 8 slot {p, n}; a removed member keeps its key until the vector grows
//     index         u32 table, 8 bit hash tag | 24 bit entry + 1, at most 3/4 full, linear probing; only above 16 entries
//   Text chain 32   0 kind | 4 units | 8 bytes | 12 newest piece | 16 write at | 20 write end | 24 up | 28 at
//   Piece 16 + text: see piece.ts
//
// `up` and `at` belong to whoever walks the tree: they replace a stack, so depth costs no memory and cannot overflow one.
// After `writeSlot`, `at` of a container is the end of its text, which compaction reads.

export const NODE: u32 = 0xffffffff;
export const REMOVED: u32 = 0xfffffffe;

export const DOCUMENT_SIZE: u32 = 64;
export const SIZE: usize = 8;
export const HELD: usize = 12;
export const PIECES: usize = 16;
export const LOG_AT: usize = 20;
export const LOG_END: usize = 24;
export const EPOCH: usize = 28;
export const WORK: usize = 32;
export const COMPACTIONS: usize = 36;
export const SHARED: usize = 40;
export const SPANS_SHARED: usize = 44;
export const TEXT_NUMBER: usize = 48;

export const NODE_SIZE: u32 = 32;
export const ARRAY: u32 = 1;
export const OBJECT: u32 = 2;
export const CHAIN: u32 = 3;
export const COUNT: usize = 4;
export const CAPACITY: usize = 8;
export const VECTOR: usize = 12;
export const MEMBERS: usize = 16;
export const INDEX: usize = 20;
export const UP: usize = 24;
export const AT: usize = 28;

export const UNITS: usize = 4;
export const BYTES: usize = 8;
export const TAIL: usize = 12;
export const WRITE_AT: usize = 16;
export const WRITE_END: usize = 20;

/** Serialised size no document may reach: sums of two of them still fit into 32 bits. */
export const LARGEST_DOCUMENT: u32 = 0x7fff0000;

@inline export function kindOf(node: usize): u32 { return <u32>load<u8>(node); }
@inline export function vectorOf(node: usize): usize { return <usize>load<u32>(node, VECTOR); }
/** Bytes of the node's own block. */
@inline export function nodeBytes(node: usize): u32 { return NODE_SIZE + (<u32>load<u16>(node, 2) << 4); }
/** Whether the vector stands in the node's own block; one in a block of its own may happen to lie behind a node without room. */
@inline export function isVectorBehind(node: usize): bool { return load<u16>(node, 2) != 0 && vectorOf(node) == node + NODE_SIZE; }
@inline export function setRoom(node: usize, bytes: u32): void { store<u16>(node, <u16>(bytes >> 4), 2); }
@inline export function countOf(node: usize): u32 { return load<u32>(node, COUNT); }
/** log2 of the bytes of one element or entry. */
@inline export function strideShift(kind: u32): u32 { return kind == ARRAY ? 3 : 4; }

let texts: u64 = 0;
/** Declares what was remembered of the addresses of keys void. */
@inline export function renewText(d: usize): void { store<u64>(d, ++texts, TEXT_NUMBER); }

@inline export function bumpEpoch(d: usize): void { store<u32>(d, load<u32>(d, EPOCH) + 1, EPOCH); }
@inline export function addSize(d: usize, delta: u32): void { store<u32>(d, load<u32>(d, SIZE) + delta, SIZE); }

/** No fault. */
export const NO_FAULT: u32 = 0;
/** A step failed because memory is exhausted; nothing changed. */
export const OUT_OF_MEMORY: u32 = 1;
/** A step failed because the document would grow beyond 2 GiB; nothing changed. */
export const TOO_LARGE: u32 = 2;
/** Why the last step gave 0 or `false`. */
export let documentFault: u32 = NO_FAULT;

@inline export function clearFault(): void { documentFault = NO_FAULT; }
export function failWith(fault: u32): usize { documentFault = fault; return 0; }
