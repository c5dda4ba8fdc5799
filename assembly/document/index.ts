// What the document room offers to higher rooms.
export { NO_FAULT, OUT_OF_MEMORY, TOO_LARGE, documentFault } from "./layout";
export {
  documentEpoch, documentFree, documentHeld, documentNew, documentSetJson, documentSetText, documentSize, documentSpan, documentWrite,
} from "./document";
export { documentFork } from "./fork";
export {
  elementCount, elementSlot, entryCount, entrySlot, keyLengthOf, keyOf, memberCount, memberSlot, rootSlot, slotKind, slotSpan,
} from "./access";
export { expandSlot } from "./expand";
export { slotDepth, slotSize } from "./measure";
export { writeSlot } from "./write";
export { chainAppend, chainBytes, chainOf, chainSlice, chainUnits } from "./chain";
export { trimSplit } from "./split";
export { trimRecords } from "./undo-log";
export { compact, editBegin, editCommit, editRollback } from "./edit";
export { logReserve } from "./log";
export { appendElements, insertElement, pickCopy, putMember, removeElement, removeMember, replaceSlot, slotIndex } from "./steps";
