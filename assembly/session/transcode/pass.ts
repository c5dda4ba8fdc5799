// Events that a transcoder passes on without judging more than that they decode.
import { canStayRaw, normalizeEnvelope } from "../../reduce/agentue/envelope";
import { canonicalEvent, eventText, eventTextEnd } from "../../reduce/agui/event";
import { clearFault } from "../../reduce/fault";
import { nameRun } from "../agui-event";
import { EVENT_ACCEPTED, EVENT_NO_MEMORY } from "../events";
import { add, C_APPLIED, C_RUN } from "../layout";
import { emit } from "./emit";

/** Passes on the message [p, end) that the protocol's reader has just read. EVENT_ status. */
export function passOn(c: usize, p: usize, end: usize): u32 {
  clearFault();
  if (load<u32>(c, C_RUN)) {
    nameRun(c);
    canonicalEvent();
    p = eventText;
    end = eventTextEnd;
  } else if (!canStayRaw()) end = normalizeEnvelope(p);
  if (!emit(c, p, end)) return EVENT_NO_MEMORY;
  add(c, C_APPLIED, 1);
  return EVENT_ACCEPTED;
}
