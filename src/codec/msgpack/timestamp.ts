/** The extension type of timestamps. */
export const TIMESTAMP = -1;

/** 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since 1970. */
const FIRST_SECOND = -62_167_219_200n;
const LAST_SECOND = 253_402_300_799n;

/** Whether a timestamp may be that long. */
export function isTimestampSize(size: number): boolean {
  return size === 4 || size === 8 || size === 12;
}

/**
 * Reads the body of a timestamp extension (MessagePack specification, "Timestamp extension type").
 *
 * @param view the message
 * @param at where the body begins
 * @param size its bytes: 4 (u32 seconds), 8 (30 bits of nanoseconds, 34 of seconds) or 12 (u32 nanoseconds, i64 seconds)
 * @returns RFC 3339 in UTC with 0, 3, 6 or 9 digits of the second; undefined for a second or more of nanoseconds and outside of the years 0000 to 9999
 */
export function readTimestamp(view: DataView, at: number, size: number): string | undefined {
  let seconds: bigint;
  let nanoseconds = 0;
  if (size === 4) {
    seconds = BigInt(view.getUint32(at));
  } else if (size === 8) {
    const both = view.getBigUint64(at);
    nanoseconds = Number(both >> 34n);
    seconds = both & 0x3_ffff_ffffn;
  } else {
    nanoseconds = view.getUint32(at);
    seconds = view.getBigInt64(at + 4);
  }
  if (nanoseconds > 999_999_999 || seconds < FIRST_SECOND || seconds > LAST_SECOND) return undefined;
  // Years from 0000 to 9999 have four digits and no sign: 19 characters up to the second.
  const time = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  if (nanoseconds === 0) return `${time}Z`;
  const digits = String(nanoseconds).padStart(9, "0");
  return `${time}.${digits.replace(/(?:000){1,2}$/, "")}Z`;
}
