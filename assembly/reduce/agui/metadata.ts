// Metadata of events, merged key by key into what they build (AG-UI metadata rules D4-D7); the last write wins, a key's value goes as a whole.
import * as code from "../../abi/codes";
import { F_METADATA } from "../../abi/agui";
import { documentFault, documentSize, expandSlot, memberSlot, putMember, slotKind, TOO_LARGE } from "../../document/index";
import { firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";
import { eventSlotEnd, eventSlotStart } from "./expansion";
import { METADATA } from "./fragments";
import { failLimit, failMemory, isTooDeep, isTooLarge } from "./limits";

/**
 * Merges the selected event's metadata, if it has any, into the member `metadata` of the object `node` of document `d`, which is under edit and
 * had `before` bytes. `levels`: of the snapshot around the metadata. False: limit or memory; the caller takes the edit back.
 */
export function mergeMetadata(s: usize, d: usize, node: usize, levels: u32, before: u32): bool {
  const p = eventSlotStart(F_METADATA);
  if (!p) return true;
  const n = <u32>(eventSlotEnd(F_METADATA) - p);
  if (isTooDeep(levels, p, n)) return failLimit(F_METADATA, code.R_LIMIT_DEPTH);
  if (!merge(d, node, p, n)) return documentFault == TOO_LARGE ? failLimit(F_METADATA, code.R_LIMIT_MODEL) : failMemory();
  return !isTooLarge(s, before, documentSize(d)) || failLimit(F_METADATA, code.R_LIMIT_MODEL);
}

function merge(d: usize, node: usize, p: usize, n: u32): bool {
  const slot = memberSlot(node, METADATA, 8);
  if (!slot || slotKind(slot) != 0x7b) return putMember(d, node, METADATA, 8, p, n) != 0;
  const target = expandSlot(d, slot);
  if (!target) return false;
  let q = firstMember(p);
  while (q) {
    q = readMember(q);
    if (!putMember(d, target, keyStart, keyLength, valueStart, <u32>(valueEnd - valueStart))) return false;
  }
  return true;
}
