// When a connection fails: the fault is reported and kept until `reconnect` or `reset`, since what stands on the wire behind it is lost.
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { bytesAppend, bytesClear, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { clearFault, fail, failWhole, faultCode, faultHasPath, faultReason, pathLength, pathStart, pathText } from "../reduce/fault";
import {
  C_FAILURE, C_FAILURE_HAS, C_FAILURE_INDEX, C_FAILURE_OFFSET, C_FAILURE_PATH, C_FAILURE_REASON, C_OPTIONS, C_STATE,
} from "./layout";
import { aboutMessage, deliverFault, hasAbout, indexAbout, offsetAbout, reportFault } from "./output";

// The message came by itself: its faults are not the connection's.
let unframed: bool = false;

/** Says whether the next message comes by itself, outside of the framing. */
export function setUnframed(yes: bool): void { unframed = yes; }

/** Memory ran out: before the message was applied, or, in a transcoder, before it was written. */
export function noMemory(c: usize): void {
  store<u32>(c, layout.FEED_NO_MEMORY, C_STATE);
  failWhole(code.E_OUT_OF_MEMORY);
  // what stands on the wire behind the message is lost: the connection cannot go on
  if (!unframed) keepFailure(c);
}

/** The current fault is the connection's: sticky, unless undecodable messages are to be skipped. */
export function failConnection(c: usize): void {
  reportFault(c);
  if (unframed || (<u32>load<u8>(c + C_OPTIONS, layout.OPT_FLAGS) & layout.FLAG_SKIP_UNDECODABLE) != 0) return;
  keepFailure(c);
  store<u32>(c, layout.FEED_FAILED, C_STATE);
}

function keepFailure(c: usize): void {
  store<u8>(c, <u8>faultCode, C_FAILURE);
  store<u8>(c, <u8>faultReason, C_FAILURE_REASON);
  store<u8>(c, <u8>((hasAbout() & ~layout.HAS_STREAM & ~layout.HAS_SEQ) | (faultHasPath ? layout.HAS_PATH : 0)), C_FAILURE_HAS);
  store<f64>(c, indexAbout(), C_FAILURE_INDEX);
  store<f64>(c, offsetAbout(), C_FAILURE_OFFSET);
  bytesClear(c + C_FAILURE_PATH);
  if (faultHasPath) bytesAppend(c + C_FAILURE_PATH, pathStart(), pathLength());
}

/** Reports the sticky failure once more; `push` after a failure consumes nothing. */
export function repeatFailure(c: usize): void {
  const has = load<u8>(c, C_FAILURE_HAS);
  aboutMessage(load<f64>(c, C_FAILURE_INDEX), has & layout.HAS_BYTE_OFFSET ? load<f64>(c, C_FAILURE_OFFSET) : -1);
  clearFault();
  if (has & layout.HAS_PATH) pathText(load<u32>(c + C_FAILURE_PATH, RUN_PTR), load<u32>(c + C_FAILURE_PATH, RUN_LEN));
  fail(load<u8>(c, C_FAILURE), load<u8>(c, C_FAILURE_REASON));
  deliverFault();
  store<u32>(c, layout.FEED_FAILED, C_STATE);
}
