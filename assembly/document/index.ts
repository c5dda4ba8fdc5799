// What the document room offers to higher rooms.
export { ARRAY, AT, NODE, NODE_SIZE, NO_FAULT, OBJECT, OUT_OF_MEMORY, TOO_LARGE, UP, countOf, documentFault, kindOf, vectorOf } from "./layout";
export {
  documentBorrow, documentEpoch, documentFree, documentHeld, documentNew, documentOfText, documentSetJson, documentSetText, documentSize, documentSpan, documentWrite,
} from "./document";
export { documentFork, documentOwn, documentShare } from "./fork";
export {
  containerNode, elementCount, elementSlot, entryCount, entrySlot, isArrayNode, keyLengthOf, keyOf, memberCount, memberSlot, rootSlot, slotIsNode, slotKind, slotSpan,
} from "./access";
export { findEntry, findUsual } from "./index-table";
export { expandSlot } from "./expand";
export { slotDepth, slotSize, valueDepth } from "./measure";
export { forgetSlot } from "./release";
export { writeSlot } from "./write";
export { chainAppend, chainBytes, chainOf, chainSlice, chainUnits } from "./chain";
export { trimSplit } from "./split";
export { trimRecords } from "./undo-log";
export { compact, compactIfWasteful } from "./compact";
export { editBegin, editCommit, editRollback } from "./edit";
export { logReserve } from "./log";
export { appendElements, handDepth, insertElement, pickCopy, putMember, removeElement, removeMember, replaceNow, replaceSlot, slotIndex } from "./steps";
