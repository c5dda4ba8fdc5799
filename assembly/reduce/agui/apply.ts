// Application of one wire event: everything it stands for, or nothing (docs/semantics-agui.md §7).
import * as ag from "../../abi/agui";
import { applyActivityDelta, applyActivitySnapshot } from "./apply-activity";
import { applyMessagesSnapshot } from "./apply-messages";
import { applyStateDelta, applyStateSnapshot } from "./apply-state";
import { applyTextContent, applyTextEnd, applyTextStart } from "./apply-text";
import { applyCallArguments, applyCallEnd, applyCallResult, applyCallStart } from "./apply-tool";
import { applyEncryptedValue } from "./apply-value";
import { eventOrigin, eventType, expandedCount, FROM_CHUNK, select } from "./expansion";
import { applyRunDetail, applyRunError, applyRunFinished, applyRunStarted } from "./run";
import { A_VERSION, advance } from "./state";
import { cutWarnings, warningsKept } from "./warnings";

/**
 * Applies the expanded events of the wire event that has been verified. False: a fault is set (`limit`, `delta_failed`, out of memory), nothing
 * has changed but the track, which the caller takes back. ENDs that the event implies change no message, so the one event or opening chunk
 * behind them decides alone.
 */
export function applyExpanded(s: usize): bool {
  const version = load<f64>(s, A_VERSION), warnings = warningsKept();
  for (let i: u32 = 0; i < expandedCount; i++) {
    select(i);
    const opens = eventOrigin == FROM_CHUNK && i + 1 < expandedCount;
    if (!applyEvent(s, i, eventType)) {
      cutWarnings(warnings);
      return false;
    }
    // a chunk's START has taken its CONTENT along
    if (opens) i++;
  }
  if (load<f64>(s, A_VERSION) == version) advance(s);
  return true;
}

function applyEvent(s: usize, i: u32, type: u32): bool {
  switch (type) {
    case ag.AG_TEXT_MESSAGE_START: return applyTextStart(s, i, false);
    case ag.AG_REASONING_MESSAGE_START: return applyTextStart(s, i, true);
    case ag.AG_TEXT_MESSAGE_CONTENT:
    case ag.AG_REASONING_MESSAGE_CONTENT: return applyTextContent(s, i);
    case ag.AG_TEXT_MESSAGE_END:
    case ag.AG_REASONING_MESSAGE_END: return applyTextEnd(s, i);
    case ag.AG_TOOL_CALL_START: return applyCallStart(s, i);
    case ag.AG_TOOL_CALL_ARGS: return applyCallArguments(s, i);
    case ag.AG_TOOL_CALL_END: return applyCallEnd(s, i);
    case ag.AG_TOOL_CALL_RESULT: return applyCallResult(s);
    case ag.AG_STATE_SNAPSHOT: return applyStateSnapshot(s);
    case ag.AG_STATE_DELTA: return applyStateDelta(s);
    case ag.AG_MESSAGES_SNAPSHOT: return applyMessagesSnapshot(s);
    case ag.AG_ACTIVITY_SNAPSHOT: return applyActivitySnapshot(s);
    case ag.AG_ACTIVITY_DELTA: return applyActivityDelta(s);
    case ag.AG_RUN_STARTED: return applyRunStarted(s);
    case ag.AG_RUN_FINISHED: return applyRunFinished(s);
    case ag.AG_RUN_ERROR: return applyRunError(s);
    case ag.AG_REASONING_ENCRYPTED_VALUE: return applyEncryptedValue(s);
    case ag.AG_RAW:
    case ag.AG_CUSTOM: return true;
    default: return applyRunDetail(s);
  }
}
