// REASONING_ENCRYPTED_VALUE: kept on the message or call that it names, its type with it (AG-UI reasoning rules T4-T8).
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { documentFault, documentSize, editBegin, expandSlot, memberSlot, putMember, removeMember, rootSlot, TOO_LARGE } from "../../document/index";
import { C_MESSAGE, C_PLACE, callsKnown, findCall } from "./calls";
import { callNode } from "./chains";
import { noteReplace, PART_CALL_VALUE, PART_ENCRYPTED } from "./changes";
import { slotLength } from "./compose";
import { eventSlotStart } from "./expansion";
import { ENCRYPTED_VALUE, ENCRYPTED_VALUE_TYPE } from "./fragments";
import { failLimit, failMemory, isTooLarge, keep, undo } from "./limits";
import { findMessage, ownDocument, ROLE_ACTIVITY, roleOf } from "./messages";
import { advance } from "./state";
import { warnTarget } from "./warn";

/** REASONING_ENCRYPTED_VALUE. False: a fault, nothing has changed. */
export function applyEncryptedValue(s: usize): bool {
  const id = eventSlotStart(ag.F_ENTITY_ID) + 1, n = slotLength(ag.F_ENTITY_ID) - 2;
  if (load<u8>(eventSlotStart(ag.F_SUBTYPE), 1) == 0x74) {
    if (!callsKnown(s)) return failMemory();
    const c = findCall(s, id, n);
    if (c) return setValue(s, load<u32>(c, C_MESSAGE), PART_CALL_VALUE, load<u32>(c, C_PLACE));
  } else {
    const m = findMessage(s, id, n);
    if (m && roleOf(m) != ROLE_ACTIVITY) return setValue(s, m, PART_ENCRYPTED, 0);
    if (m) { warnTarget(code.W_TARGET_MISMATCH, ag.F_ENTITY_ID); return true; }
  }
  warnTarget(code.W_TARGET_MISSING, ag.F_ENTITY_ID);
  return true;
}

function setValue(s: usize, m: usize, part: u8, place: u32): bool {
  const d = ownDocument(m);
  if (!d) return failMemory();
  const before = documentSize(d), node = part == PART_ENCRYPTED ? expandSlot(d, rootSlot(d)) : callNode(m, place);
  if (!node) return failMemory();
  editBegin(d);
  if (!putMember(d, node, ENCRYPTED_VALUE, 14, eventSlotStart(ag.F_ENCRYPTED_VALUE), slotLength(ag.F_ENCRYPTED_VALUE)) || !setType(d, node)) {
    if (documentFault == TOO_LARGE) failLimit(ag.F_ENCRYPTED_VALUE, code.R_LIMIT_MODEL);
    else failMemory();
    return undo(s, d, before);
  }
  if (isTooLarge(s, before, documentSize(d))) return failLimit(ag.F_ENCRYPTED_VALUE, code.R_LIMIT_MODEL) || undo(s, d, before);
  keep(s, d, before);
  advance(s);
  noteReplace(s, m, part, place);
  return true;
}

// A value without a type of its own takes the stored one away.
function setType(d: usize, node: usize): bool {
  const type = eventSlotStart(ag.F_ENCRYPTED_VALUE_TYPE);
  if (type) return putMember(d, node, ENCRYPTED_VALUE_TYPE, 18, type, slotLength(ag.F_ENCRYPTED_VALUE_TYPE)) != 0;
  return !memberSlot(node, ENCRYPTED_VALUE_TYPE, 18) || removeMember(d, node, ENCRYPTED_VALUE_TYPE, 18);
}
