import * as codes from "../../../assembly/abi/codes.js";
import * as layout from "../../../assembly/abi/layout.js";
import type { SessionOptions } from "../contract.js";
import { TRANSPORT_IDS } from "../transport-ids.js";
import type { AguiSupport } from "./agui.js";
import type { Core } from "./instance.js";

const SEQUENCE = { dedupe: codes.SEQUENCE_DEDUPE, strict: codes.SEQUENCE_STRICT, off: codes.SEQUENCE_OFF } as const;

/** Writes the options block to the input pointer. */
export function writeOptions(core: Core, options: SessionOptions, agui: AguiSupport | undefined): void {
  core.enter();
  core.bytes().fill(0, core.input, core.input + layout.OPT_SIZE);
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
  agui?.putOptions(view, options);
}
