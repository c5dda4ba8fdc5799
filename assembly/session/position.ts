// Where a connection stands in its body, and how it begins a new one.
import { bytesFree } from "../memory/bytes";
import { F_DATA, F_FLAGS, F_ID, F_LINE, F_LINES, F_OFFSET, F_SKIP, F_STARTS, LAST_ID_KNOWN } from "../frame/state";
import { C_BEGUN, C_EVENT_INDEX, C_FINISHED, C_FRAME, C_TRUNCATED } from "./layout";

/** Forgets partial bytes and the id buffer; the last event id and `retry` stay. */
export function resetDecoder(c: usize): void {
  const f = c + C_FRAME;
  bytesFree(f + F_LINE);
  bytesFree(f + F_DATA);
  bytesFree(f + F_ID);
  bytesFree(f + F_STARTS);
  store<u8>(f, load<u8>(f, F_FLAGS) & LAST_ID_KNOWN, F_FLAGS);
  store<u32>(f, 0, F_LINES);
  store<u32>(f, 0, F_SKIP);
}

/** Begins a new body: positions count from 0 again. */
export function resetPosition(c: usize): void {
  resetDecoder(c);
  store<f64>(c + C_FRAME, 0, F_OFFSET);
  store<f64>(c, 0, C_EVENT_INDEX);
  store<u8>(c, 0, C_FINISHED);
  store<u8>(c, 0, C_TRUNCATED);
  store<u8>(c, 0, C_BEGUN);
}
