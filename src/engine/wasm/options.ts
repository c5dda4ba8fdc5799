import * as codes from "../../../assembly/abi/codes.js";
import * as layout from "../../../assembly/abi/layout.js";
import { EVENT_TYPES } from "../../schema/agui.generated.js";
import { isAtMost } from "../../schema/version.js";
import type { AguiSessionOptions, SessionOptions } from "../contract.js";
import { TRANSPORT_IDS } from "../transport-ids.js";
import type { Core } from "./instance.js";

const SEQUENCE = { dedupe: codes.SEQUENCE_DEDUPE, strict: codes.SEQUENCE_STRICT, off: codes.SEQUENCE_OFF } as const;
const DELTA_FAILURE = { warn: 0, fail: layout.AGUI_DELTA_FAIL, upsert: layout.AGUI_DELTA_UPSERT } as const;
/** The newest protocol version whose peers know no subagents. */
const BEFORE_SUBAGENTS = [0, 0, 57];
/** Stands for all types that the schema does not know. */
const UNKNOWN_TYPES = 1n << 63n;
const ALL_TYPES = (1n << 64n) - 1n;

/** Writes the options block to the input pointer. */
export function writeOptions(core: Core, options: SessionOptions): void {
  core.enter();
  const view = new DataView(core.bytes().buffer, core.input, layout.OPT_SIZE);
  const { limits } = options;
  view.setUint8(layout.OPT_PROTOCOL, options.agui === undefined ? codes.PROTOCOL_AGENTUE : codes.PROTOCOL_AG_UI);
  view.setUint8(layout.OPT_TRANSPORT, TRANSPORT_IDS[options.transport]);
  view.setUint8(layout.OPT_SEQUENCE, SEQUENCE[options.sequence]);
  view.setUint8(
    layout.OPT_FLAGS,
    (options.onViolation === "skip-event" ? layout.FLAG_SKIP_EVENT : 0) |
      (options.utf8 === "replace" ? layout.FLAG_REPLACE_UTF8 : 0) |
      (options.unterminatedTail === "discard" ? layout.FLAG_DISCARD_TAIL : 0) |
      (options.undecodable === "skip" ? layout.FLAG_SKIP_UNDECODABLE : 0) |
      (options.events ? layout.FLAG_REPORT_EVENTS : 0) |
      (options.unresolved === "pause" ? layout.FLAG_PAUSE_UNRESOLVED : 0) |
      (options.frames === "guard" ? layout.FLAG_GUARD_FRAMES : 0),
  );
  view.setUint32(layout.OPT_MESSAGE_BYTES, limits.messageBytes, true);
  view.setUint32(layout.OPT_DEPTH, limits.depth, true);
  view.setUint32(layout.OPT_NUMBER_LENGTH, limits.numberLength, true);
  view.setUint32(layout.OPT_BLOCKS, limits.blocks, true);
  view.setUint32(layout.OPT_MODEL_BYTES, limits.modelBytes, true);
  view.setUint32(layout.OPT_STREAMS, limits.streams, true);
  view.setUint32(layout.OPT_QUEUED_BYTES, limits.queuedBytes, true);
  view.setUint32(layout.OPT_REPORTS, limits.reports, true);
  view.setUint32(layout.OPT_KEEP_ENDED, Math.min(options.keepEnded, 0xffff_ffff), true);
  view.setUint32(layout.OPT_ITEMS, limits.items, true);
  view.setUint8(layout.OPT_AGUI_FLAGS, options.agui === undefined ? 0 : aguiFlags(options.agui));
  const { transcode } = options;
  view.setUint8(layout.OPT_TO, transcode === undefined ? 0 : TRANSPORT_IDS[transcode.to]);
  view.setUint8(layout.OPT_PASS, transcode?.enforce === false ? 1 : 0);
  const held = options.agui?.middleware;
  view.setBigUint64(layout.OPT_HELD_TYPES, held === undefined ? 0n : typeMask(Object.keys(held)), true);
  view.setBigUint64(
    layout.OPT_EVENT_TYPES,
    options.eventTypes === undefined ? ALL_TYPES : typeMask(options.eventTypes),
    true,
  );
}

function aguiFlags(options: AguiSessionOptions): number {
  return (
    DELTA_FAILURE[options.onDeltaFailure] |
    (options.unknownEnum === "strip" ? layout.AGUI_STRIP_ENUMS : 0) |
    (isAtMost(options.maxProtocolVersion, BEFORE_SUBAGENTS) ? layout.AGUI_NO_SUBAGENTS : 0)
  );
}

/** Bit n for type n of the schema, the highest one for a type that is not in it. */
function typeMask(types: readonly string[]): bigint {
  let mask = 0n;
  for (const type of types) {
    const known = EVENT_TYPES.indexOf(type) + 1;
    mask |= type === "*" ? ALL_TYPES : known ? 1n << BigInt(known) : UNKNOWN_TYPES;
  }
  return mask;
}
