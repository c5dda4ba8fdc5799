/** What `bad_msgpack` is about. */
export type MsgpackReason =
  /** The bytes end inside of the value. */
  | "short"
  /** Bytes follow the value. */
  | "trailing"
  /** The byte C1, which no format uses. */
  | "reserved"
  /** A key is no str. */
  | "key"
  /** An extension that JSON has no form for. */
  | "extension"
  /** A timestamp of another size than 4, 8 or 12 bytes, with a second or more of nanoseconds, or outside of the years 0 to 9999. */
  | "timestamp"
  /** NaN or an infinity. */
  | "not_finite"
  /** Writing: a number beyond the range of a double. */
  | "range";

/** Why a message was not read, or a value not written. */
export class MsgpackFault {
  readonly code: "bad_msgpack" | "invalid_utf8" | "too_deep";
  /** Byte position in the message; 0 when writing. */
  readonly offset: number;
  /** With `bad_msgpack`. */
  readonly reason: MsgpackReason | undefined;

  constructor(code: MsgpackFault["code"], offset: number, reason?: MsgpackReason) {
    this.code = code;
    this.offset = offset;
    this.reason = reason;
  }
}
