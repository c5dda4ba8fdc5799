// Writing small JSON pieces into a growable run.
import { bytesAppend, bytesReserve, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { writeUint } from "../../text/digits";

/** Appends `n` bytes; false = out of memory. */
export function putText(out: usize, p: usize, n: u32): bool {
  return bytesAppend(out, p, n);
}

/** Most digits of 32 bits. */
const DIGITS: u32 = 10;

/** Appends a decimal number; false = out of memory. */
export function putUint(out: usize, value: u32): bool {
  if (!bytesReserve(out, DIGITS)) return false;
  const start = <usize>load<u32>(out, RUN_PTR);
  store<u32>(out, <u32>(writeUint(value, start + load<u32>(out, RUN_LEN)) - start), RUN_LEN);
  return true;
}
