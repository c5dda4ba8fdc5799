// What became of a patch. Everything a caller needs for its error is left in globals; the path points into text that
// belongs to the caller or to `PLACE` and is good until the next patch is read.

/** All operations were applied. */
export const PATCH_OK: u32 = 0;
/** An operation, or the patch itself, does not have the form RFC 6902 asks for. Nothing was applied. */
export const PATCH_MALFORMED: u32 = 1;
/** A well-formed operation cannot be applied. */
export const PATCH_FAILED: u32 = 2;
/** Number of operations, depth or size of the result: the reason says which. */
export const PATCH_LIMIT: u32 = 3;
export const PATCH_NO_MEMORY: u32 = 4;

/** `patchOperation` when no single operation is at fault. */
export const NO_OPERATION: u32 = 0xffffffff;

/** `R_` id of the last status other than PATCH_OK. */
export let patchReason: u32 = 0;
/** Index of the operation at fault, or NO_OPERATION. */
export let patchOperation: u32 = NO_OPERATION;
/** JSON pointer as canonical string contents: into the patch for PATCH_MALFORMED, else the operation's own pointer; address 0: none. */
export let patchPath: usize = 0;
export let patchPathLength: u32 = 0;

/** Notes a fault; gives `status` back. */
export function refuse(status: u32, reason: u32, operation: u32, path: usize, n: u32): u32 {
  patchReason = reason;
  patchOperation = operation;
  patchPath = path;
  patchPathLength = n;
  return status;
}

const PLACE: usize = memory.data(32, 8);

/** Notes a fault at `/<operation>`, or at the member of it whose name (up to 8 letters, little-endian) is `member`. */
export function refuseAt(status: u32, reason: u32, operation: u32, member: u64): u32 {
  const digitsEnd = PLACE + 16;
  let at = digitsEnd, rest = operation;
  do { store<u8>(--at, <u8>(48 + rest % 10)); rest /= 10; } while (rest);
  store<u8>(--at, 0x2f);
  let end = digitsEnd;
  if (member) store<u8>(end++, 0x2f);
  for (; member; member >>= 8) store<u8>(end++, <u8>member);
  return refuse(status, reason, operation, at, <u32>(end - at));
}
