// Owners that a list of messages sets: MESSAGES_SNAPSHOT, and the input that RUN_STARTED repeats (docs/semantics-agui.md §6).
import * as code from "../../abi/codes";
import { firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";
import { equalBytes } from "../../memory/copy";
import { fail, failWhole } from "../fault";
import { NAME_ID } from "../names";
import { journalRoom } from "./journal";
import { findItem, newItem, setOwner, STEP_ROOM, useOwner } from "./entries";
import { memberNameLength, memberName } from "./schema";
import { N_TOOL_CALLS } from "./schema-table.generated";
import { F_ROLE, F_SUBAGENT_RUN_ID } from "../../abi/agui";
import { mayName, ownerIs } from "./track";
import { I_OWNER, ITEM_ACTIVITY, ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, PARENT } from "./track-layout";

/** Bytes of `"activity"`; `"assistant"` is longer. */
const ACTIVITY_LENGTH: usize = 10;

@inline function isKey(id: u32): bool { return keyLength == memberNameLength(id) && equalBytes(keyStart, memberName(id), keyLength); }

/**
 * Gives the messages in the enforced list at `p` and their calls the owners they name; `replace`: also those that have one.
 * `false`: `limit` or `out_of_memory` is set, with the path built so far.
 */
export function setOwners(t: usize, p: usize, replace: bool): bool {
  if (load<u8>(p, 1) == 0x5d) return true;
  while (load<u8>(p) != 0x5d) {
    p++;
    let id: usize = 0, idLength: u32 = 0, tag: usize = 0, tagLength: u32 = 0, calls: usize = 0, kind = ITEM_MESSAGE;
    let q = firstMember(p);
    while (q) {
      q = readMember(q);
      if (keyLength == 2 && load<u16>(keyStart) == load<u16>(NAME_ID)) {
        id = valueStart + 1;
        idLength = <u32>(valueEnd - id - 1);
      } else if (isKey(F_ROLE)) {
        const initial = load<u8>(valueStart, 1);
        kind = initial == 0x72 ? ITEM_REASONING : initial == 0x61 && valueEnd - valueStart == ACTIVITY_LENGTH ? ITEM_ACTIVITY : ITEM_MESSAGE;
      } else if (isKey(F_SUBAGENT_RUN_ID)) {
        tag = valueStart + 1;
        tagLength = <u32>(valueEnd - tag - 1);
      } else if (isKey(N_TOOL_CALLS)) calls = valueStart;
      p = valueEnd;
    }
    p++;
    if (!setOwnerOf(t, kind, id, idLength, tag, tagLength, replace)) return false;
    if (calls && !setOwnersOfCalls(t, calls, tag, tagLength, replace)) return false;
  }
  return true;
}

function setOwnersOfCalls(t: usize, p: usize, tag: usize, tagLength: u32, replace: bool): bool {
  if (load<u8>(p, 1) == 0x5d) return true;
  while (load<u8>(p) != 0x5d) {
    p++;
    let id: usize = 0, idLength: u32 = 0;
    let q = firstMember(p);
    while (q) {
      q = readMember(q);
      if (keyLength == 2 && load<u16>(keyStart) == load<u16>(NAME_ID)) {
        id = valueStart + 1;
        idLength = <u32>(valueEnd - id - 1);
      }
      p = valueEnd;
    }
    p++;
    if (!setOwnerOf(t, ITEM_CALL, id, idLength, tag, tagLength, replace)) return false;
  }
  return true;
}

function setOwnerOf(t: usize, kind: u32, id: usize, n: u32, tag: usize, tagLength: u32, replace: bool): bool {
  const item = findItem(t, kind, id, n);
  if (item && (!replace || isOwnedBy(item, tag, tagLength))) return true;
  if (!item && !mayName(t)) return fail(code.E_LIMIT, code.R_LIMIT_ITEMS);
  if (!journalRoom(STEP_ROOM)) return failWhole(code.E_OUT_OF_MEMORY);
  const owner = useOwner(t, tag, tagLength);
  if (!owner) return failWhole(code.E_OUT_OF_MEMORY);
  if (item) setOwner(item, owner);
  else if (!newItem(t, kind, id, n, owner)) return failWhole(code.E_OUT_OF_MEMORY);
  return true;
}

// Whether an item belongs to just that owner (0: the parent agent).
function isOwnedBy(item: usize, tag: usize, n: u32): bool {
  const owner = load<u32>(item, I_OWNER);
  return tag ? ownerIs(owner, tag, n) : owner == PARENT;
}
