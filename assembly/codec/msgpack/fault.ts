// What stopped a reader or writer last.

// Why: what E_BAD_MSGPACK, or a writer's refusal, is about.
/** The bytes end inside of the value. */
export const MSGPACK_SHORT: u32 = 1;
/** Bytes follow the value. */
export const MSGPACK_TRAILING: u32 = 2;
/** The byte C1, which no format uses. */
export const MSGPACK_RESERVED: u32 = 3;
/** A key is no str. */
export const MSGPACK_KEY: u32 = 4;
/** An extension that JSON has no form for. */
export const MSGPACK_EXTENSION: u32 = 5;
/** A timestamp of another size than 4, 8 or 12 bytes, with a second or more of nanoseconds, or outside of the years 0 to 9999. */
export const MSGPACK_TIMESTAMP: u32 = 6;
/** NaN or an infinity. */
export const MSGPACK_NOT_FINITE: u32 = 7;
/** Writing: a number beyond the range of a double. */
export const MSGPACK_RANGE: u32 = 8;

/** Address of the fault; behind the last byte for MSGPACK_SHORT. */
export let msgpackFaultAt: usize = 0;
/** One of the constants above, 0 where the status says it all. */
export let msgpackReason: u32 = 0;

/** Notes a fault and returns `status`. */
export function refuseMsgpack(status: u32, reason: u32, at: usize): u32 {
  msgpackFaultAt = at;
  msgpackReason = reason;
  return status;
}
