// White-box entry: re-exports the lowest rooms of the core for the tests beside it.
export * from "../../assembly/memory/heap";
export * from "../../assembly/memory/bytes";
export * from "../../assembly/memory/copy";
export * from "../../assembly/text/utf8";
export * from "../../assembly/text/scan";
export { scanLongString } from "../../assembly/text/long-string";
export * from "../../assembly/text/escape";
export * from "../../assembly/text/units";
export * from "../../assembly/text/number";
export * from "../../assembly/text/hash";
export * from "../../assembly/text/validate";
export * from "../../assembly/text/fault";
export * from "../../assembly/text/minify";
export * from "../../assembly/text/trusted";
export * from "../../assembly/text/replace-utf8";
export * from "../../assembly/document/index";
export { editDocument } from "../../assembly/document/undo-log";
export * from "../../assembly/patch/index";
export {
  clearFault, faultCode, faultEventType, faultHasPath, faultHasSubject, faultReason, pathLength, pathStart, subjectLength, subjectStart,
} from "../../assembly/reduce/fault";
export { canonicalEvent, readEvent, setWireType } from "../../assembly/reduce/agui/event";
export { typeId } from "../../assembly/reduce/agui/schema";
export { expand, expandedCount, expandedText, itemOf, trimExpansion } from "../../assembly/reduce/agui/expansion";
export { trimJournal } from "../../assembly/reduce/agui/journal";
export { verify } from "../../assembly/reduce/agui/verify";
export {
  interruptTrack, lanesPending, openItem, ownerAgrees, setTrackLimits, trackCommit, trackFree, trackInit, trackRollback,
} from "../../assembly/reduce/agui/track";
export { openSize, pendingSize, writeOpen, writePending, writeTrack } from "../../assembly/reduce/agui/track-text";
export { readTrack } from "../../assembly/reduce/agui/track-read";
export { faultReceivedKind } from "../../assembly/reduce/fault";
export { trimScratch } from "../../assembly/reduce/scratch";
export { eventText, eventTextEnd, slotEnd, slotStart } from "../../assembly/reduce/agui/event";
export { enforceEvent, enforceHeld, setAguiOptions } from "../../assembly/reduce/agui/enforce";
export { commitMinted } from "../../assembly/reduce/agui/legacy";
export { newAgui } from "../../assembly/reduce/agui/state";
export {
  admitWarning, firstWarning, nextWarning, warningCode, warningHasSubject, warningPath, warningPathLength, warningSubject, warningSubjectLength,
} from "../../assembly/reduce/agui/warnings";
export { writeDouble, writeExactDouble } from "../../assembly/text/double-write";
export { readDouble } from "../../assembly/text/double-read";
export { integerMagnitude, integerNegative, readInteger } from "../../assembly/text/integer-read";
export { writeUint } from "../../assembly/text/digits";
export { msgpackEnd, msgpackReadLosses, msgpackReplaced, readMsgpack, readMsgpackPrefix } from "../../assembly/codec/msgpack/read";
export { msgpackWriteLosses, trimMsgpack, writeMsgpack } from "../../assembly/codec/msgpack/write";
export { msgpackFaultAt, msgpackReason } from "../../assembly/codec/msgpack/fault";
export { msgpackAtStart, msgpackMessageDone, msgpackNext, msgpackPartial } from "../../assembly/frame/msgpack";
export {
  beginChunk, endChunk, frameEvent, messageEnd, messageOffset, messageStart, setFlag,
} from "../../assembly/frame/state";
export { protobufDropped, protobufFaultAt, protobufReplaced, readProtobuf, trimProtobufReader } from "../../assembly/codec/protobuf/read";
export { protobufWriteLosses, trimProtobufWriter, writeProtobuf } from "../../assembly/codec/protobuf/write";
export { prefixAtStart, prefixIsPartial, prefixMessageDone, prefixNext } from "../../assembly/frame/length-prefix";
