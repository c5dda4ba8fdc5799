// The MessagePack formats by their lead byte, and what the two directions share.
//
//   00..7f  integer 0..127          80..8f  map, n pairs           90..9f  array, n items       a0..bf  str, n bytes
//   c0 nil  c1 reserved  c2 false  c3 true
//   c4 c5 c6  bin   u8 u16 u32 n, n bytes         c7 c8 c9  ext   u8 u16 u32 n, type i8, n bytes
//   ca cb     f32 f64                             cc cd ce cf  uint 8..64      d0 d1 d2 d3  int 8..64
//   d4..d8    ext of 1 2 4 8 16 bytes: type i8, bytes             d9 da db  str   u8 u16 u32 n, n bytes
//   dc dd     array u16 u32 n                     de df  map u16 u32 n         e0..ff  integer -32..-1
//
// Numbers are big-endian.
import { DEEPEST } from "../../text/validate";

/** Deepest nesting of either direction. */
export const MOST_LEVELS: u32 = DEEPEST;
/** 8 bytes a level, for whichever direction is at work. */
export const LEVELS: usize = memory.data(4096 * 8, 16);

@inline export function u16At(p: usize): u32 { return <u32>bswap<u16>(load<u16>(p)); }
@inline export function u32At(p: usize): u32 { return bswap<u32>(load<u32>(p)); }
@inline export function u64At(p: usize): u64 { return bswap<u64>(load<u64>(p)); }

/** Whether a lead byte begins a map. */
@inline export function isMap(lead: u32): bool { return (lead & 0xf0) == 0x80 || (lead | 1) == 0xdf; }
