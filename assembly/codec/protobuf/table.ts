// Reads the generated table.
import { FIELDS, KIND_TYPE, MESSAGES, TEXT_PLACES, TEXTS } from "./table.generated";

@inline export function fieldCount(message: u32): u32 { return <u32>load<u8>(MESSAGES + (message << 2), 2); }
/** Whether the fields of the message are the arms of a oneof. */
@inline export function isOneof(message: u32): bool { return load<u8>(MESSAGES + (message << 2), 3) != 0; }
/** Record of the first field; that of number n lies 4 * (n - 1) bytes behind. */
@inline export function firstField(message: u32): usize { return FIELDS + (<usize>load<u16>(MESSAGES + (message << 2)) << 2); }

@inline export function kindOf(field: usize): u32 { return <u32>load<u8>(field); }
@inline export function flagsOf(field: usize): u32 { return <u32>load<u8>(field, 1); }
/** The message a field holds; of a content, the place of the parts beside it. */
@inline export function targetOf(field: usize): u32 { return <u32>load<u8>(field, 2); }
@inline export function textOf(field: usize): u32 { return <u32>load<u8>(field, 3); }
@inline export function isVarint(kind: u32): bool { return kind <= KIND_TYPE; }

@inline export function textStart(id: u32): usize { return TEXTS + <usize>load<u16>(TEXT_PLACES + (id << 2)); }
@inline export function textLength(id: u32): u32 { return <u32>load<u16>(TEXT_PLACES + (id << 2), 2); }
