/** Why a value did not become bytes. */
export type UnwritableCode = "not_json" | "too_deep" | "not_an_event" | "bad_event" | "out_of_memory";

/** Thrown inside of the writers: what is wrong with a caller's value, and where. */
export class Unwritable {
  readonly code: UnwritableCode;
  /** JSON pointer (RFC 6901) into the value. */
  readonly path: string;
  /** What the host has thrown. */
  readonly cause: unknown;

  constructor(code: UnwritableCode, path: string, cause?: unknown) {
    this.code = code;
    this.path = path;
    this.cause = cause;
  }
}
