// Making documents of canonical text; repeated members of protocol objects are resolved at once (last value, first place).
import { bytesClear, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { documentFree, documentNew, documentOfText, documentSetText, documentSize, documentWrite } from "../../document/index";
import { expandSlot, memberSlot, rootSlot } from "../../document/index";
import { findMember, mayRepeatMembers, valueStart } from "../../codec/json/members";
import { skipTrusted } from "../../text/trusted";
import { SCRATCH_TEXT as SCRATCH, scratchReserve } from "../scratch";
import * as name from "../names";

/** Shared scratch of at least `n` bytes; 0 = out of memory. The next call invalidates it. */
export function scratch(n: u32): usize {
  bytesClear(SCRATCH);
  return scratchReserve(SCRATCH, n) ? <usize>load<u32>(SCRATCH, RUN_PTR) : 0;
}

/** A document of the canonical meta object [p, end), whose member `error` is a protocol object too. 0 = out of memory. */
export function newMeta(p: usize, end: usize): usize {
  const errorRepeats = findMember(p, name.NAME_ERROR, 5) && load<u8>(valueStart) == 0x7b && mayRepeatMembers(valueStart);
  return newDocument(p, end, errorRepeats || mayRepeatMembers(p), errorRepeats);
}

/**
 * A document of the canonical object [p, end); `mayRepeat`: names may stand twice in it, `errorRepeats`: also in its member `error`.
 * 0 = out of memory.
 */
export function newDocument(p: usize, end: usize, mayRepeat: bool, errorRepeats: bool): usize {
  const n = <u32>(end - p), d = documentOfText(p, n);
  if (!d || !mayRepeat) return d;
  const root = expandSlot(d, rootSlot(d));
  const error = root && errorRepeats ? memberSlot(root, name.NAME_ERROR, 5) : 0;
  if (!root || (error && !expandSlot(d, error))) { documentFree(d); return 0; }
  // many members, none repeated: the plain text is smaller than the nodes
  if (documentSize(d) == n && !documentSetText(d, p, n)) { documentFree(d); return 0; }
  return d;
}

/** Expands an object that may hold repeated members, so that none is left; false = out of memory. */
export function settleSlot(d: usize, slot: usize, p: usize): bool {
  return load<u8>(p) != 0x7b || !mayRepeatMembers(p) || expandSlot(d, slot) != 0;
}

/** The canonical object at `p` written anew without repeated members, in scratch memory; 0 = out of memory. */
export function withoutRepeats(p: usize): usize {
  const end = skipTrusted(p);
  const d = documentNew();
  if (!d) return 0;
  let out: usize = 0;
  if (documentSetText(d, p, <u32>(end - p)) && expandSlot(d, rootSlot(d))) {
    out = scratch(documentSize(d) + 80);
    if (out) {
      const written = documentWrite(d, out);
      memory.fill(written, 0, 16);
    }
  }
  documentFree(d);
  return out;
}

/**
 * The canonical value [start, end) wrapped in objects named by the dot-separated segments [path, pathEnd), in scratch memory; its
 * length is left in `wrappedLength`. 0 = out of memory.
 */
export let wrappedLength: u32 = 0;
export function wrapValue(path: usize, pathEnd: usize, start: usize, end: usize): usize {
  const n = <u32>(end - start);
  // every segment adds {"": and }, at most 5 bytes for a segment of one byte and its dot
  const out = scratch(n + (<u32>(pathEnd - path) + 1) * 6 + 32);
  if (!out) return 0;
  let d = out, closing: u32 = 0;
  while (path < pathEnd) {
    let segment = path;
    while (segment < pathEnd && load<u8>(segment) != 0x2e) segment++;
    store<u16>(d, 0x227b);
    copyForward(d + 2, path, <u32>(segment - path));
    d += 2 + (segment - path);
    store<u16>(d, 0x3a22);
    d += 2;
    closing++;
    path = segment + 1;
  }
  copyForward(d, start, n);
  d += n;
  memory.fill(d, 0x7d, closing);
  d += closing;
  wrappedLength = <u32>(d - out);
  return out;
}
