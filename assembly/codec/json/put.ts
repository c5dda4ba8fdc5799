// Writing small JSON pieces into a growable run.
import { bytesAppend } from "../../memory/bytes";

/** Appends `n` bytes; false = out of memory. */
export function putText(out: usize, p: usize, n: u32): bool {
  return bytesAppend(out, p, n);
}

const DIGITS: usize = memory.data(32, 16);

/** Appends a decimal number. */
export function putUint(out: usize, value: u32): bool {
  let d = DIGITS + 12, n: u32 = 0;
  do {
    d--;
    n++;
    store<u8>(d, <u8>(48 + value % 10));
    value /= 10;
  } while (value);
  return bytesAppend(out, d, n);
}
