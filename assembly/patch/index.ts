// What the patch room offers to higher rooms. A patch is read (`patchRead`), judged unless a schema has done it
// (`patchJudge`), and applied (`patchApply`, or `patchSteps` as a part of a larger edit). `patchScan` reads the ordinary ones in one pass.
export { operationCount, patchJudge, patchRead, releaseOperations } from "./operations";
export { ordinaryEnd, patchScan } from "./scan";
export { quickPath, quickPathLength, quickReplaceApply, quickReplaceRead, quickReplaceTake } from "./quick-replace";
export { patchApply, patchSteps, patchUpsert } from "./apply";
export { isPointer, missingReason, targetSlot, walkPointer, NO_MEMORY } from "./pointer";
export { trimPatch } from "./scratch";
export {
  NO_OPERATION, PATCH_FAILED, PATCH_LIMIT, PATCH_MALFORMED, PATCH_NO_MEMORY, PATCH_OK, patchOperation, patchPath, patchPathLength, patchReason,
  refuse,
} from "./status";
