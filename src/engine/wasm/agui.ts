import * as layout from "../../../assembly/abi/layout.js";
import { type HandlerFailure, StreamfoldError } from "../../errors.js";
import { writeJson } from "../../json/exact.js";
import { EVENT_TYPES } from "../../schema/event-types.generated.js";
import { isAtMost } from "../../schema/version.js";
import { LOSSES } from "../../warnings.js";
import type { AdaptOptions } from "../adapting.js";
import type { AguiSessionOptions, ArgumentText, Report, SessionOptions } from "../contract.js";
import { TRANSPORT_IDS } from "../transport-ids.js";
import type { Core, ReportNames } from "./instance.js";
import { callMiddleware, type TextOf } from "./middleware.js";
import { drainReports, faultOf } from "./reports.js";
import { call, putContents, stage, stateAfter, takeResult, unstage } from "./staging.js";
import { decode, encodeContents } from "./text.js";

/** What the sessions of AG-UI, and those of transcoders, ask of a core besides what all ask. */
export interface AguiSupport {
  readonly names: ReportNames;
  /** Writes their part of the options block. */
  putOptions(view: DataView, options: SessionOptions): void;
  /**
   * Gives a session that was just opened its adapter and its baseline.
   *
   * @param blank without the baseline: it is about to get another model
   * @throws StreamfoldError `out_of_memory`, `bad_argument` with a path for a baseline that is malformed
   */
  begin(core: Core, handle: number, options: SessionOptions, blank: boolean): void;
  /** Gives a session that was reset its baseline; throws as `begin` does. */
  setBaseline(core: Core, handle: number, options: SessionOptions): void;
  /**
   * Lets the middleware have the event that the core holds, and hands back what it gives.
   *
   * @param held the event as JSON
   * @param before events accepted so far
   * @param window what was put into the input window
   * @returns the events accepted, `before` included
   */
  passOn(
    core: Core,
    handle: number,
    options: SessionOptions,
    held: string,
    reports: Report[],
    before: number,
    window: Uint8Array | undefined,
  ): number;
  argumentText(core: Core, handle: number, toolCallId: string, from: number): ArgumentText | undefined;
}

/** @param textOf how the values of a middleware become text */
export function aguiSupport(textOf: TextOf): AguiSupport {
  return {
    names: { eventTypes: EVENT_TYPES, losses: LOSSES },
    putOptions,
    begin(core, handle, options, blank) {
      setAdapter(core, handle, options.transcode?.adapt, options.limits.outputBytes);
      if (!blank) setBaseline(core, handle, options);
    },
    setBaseline,
    passOn: (...given) => passOn(textOf, ...given),
    argumentText,
  };
}

const DELTA_FAILURE = { warn: 0, fail: layout.AGUI_DELTA_FAIL, upsert: layout.AGUI_DELTA_UPSERT } as const;
/** The newest protocol version whose peers know no subagents. */
const BEFORE_SUBAGENTS = [0, 0, 57];
/** Stands for all types that the schema does not know. */
const UNKNOWN_TYPES = 1n << 63n;
const ALL_TYPES = (1n << 64n) - 1n;

function putOptions(view: DataView, options: SessionOptions): void {
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

/** Lets a transcoder write AgentUE. */
function setAdapter(core: Core, handle: number, adapt: AdaptOptions | undefined, most: number): void {
  if (adapt === undefined) return;
  const biz = encodeContents(adapt.biz);
  const streamId = encodeContents(adapt.streamId);
  const both = new Uint8Array(biz.length + streamId.length);
  both.set(biz);
  both.set(streamId, biz.length);
  core.enter();
  stage(core, both);
  const code = call(core, () => core.exports.session_adapt(handle, biz.length, streamId.length, most));
  unstage(core, both.length);
  const fault = faultOf(core, code);
  if (fault !== undefined) throw new StreamfoldError(fault);
}

function setBaseline(core: Core, handle: number, options: SessionOptions): void {
  const input = options.agui?.input;
  if (input === undefined) return;
  const text = new TextEncoder().encode(writeJson(input.members, input.exact));
  core.enter();
  stage(core, text);
  const code = call(core, () => core.exports.session_baseline(handle, text.length));
  unstage(core, text.length);
  const fault = faultOf(core, code);
  if (fault !== undefined) throw new StreamfoldError({ ...fault, code: "bad_argument" });
}

function passOn(
  textOf: TextOf,
  core: Core,
  handle: number,
  options: SessionOptions,
  held: string,
  reports: Report[],
  before: number,
  window: Uint8Array | undefined,
): number {
  const entries = core.entries;
  const answer = callMiddleware(options.agui!.middleware!, held, textOf, options.limits.depth);
  let accepted = before;
  // the middleware may have used other reducers of the engine
  const others = core.entries !== entries;
  core.enter();
  if (!Array.isArray(answer.texts)) {
    call(core, () => core.exports.session_fail_held(handle));
    const from = reports.length;
    drainReports(core, reports);
    tellFailure(reports, from, { eventType: answer.type, ...answer.texts });
    answer.texts = [];
  } else if (answer.texts.length === 0) call(core, () => core.exports.session_drop_held(handle));
  for (const text of answer.texts) {
    core.enter();
    stage(core, text);
    const result = call(core, () => core.exports.session_apply_held(handle, text.length));
    unstage(core, text.length);
    accepted += result & ~layout.FEED_ATTENTION;
    if (!(result & layout.FEED_ATTENTION)) continue;
    drainReports(core, reports);
    stateAfter(core, handle, accepted);
  }
  if (others && window !== undefined) core.putInput(window);
  return accepted;
}

/** Says of which type the event was whose middleware has failed, and how. */
function tellFailure(reports: Report[], from: number, failure: HandlerFailure & { eventType: string }): void {
  for (const report of reports.slice(from)) if (report.kind === "error") Object.assign(report.fault, failure);
}

function argumentText(core: Core, handle: number, toolCallId: string, from: number): ArgumentText | undefined {
  const { exports } = core;
  core.enter();
  const id = putContents(core, encodeContents(toolCallId));
  const n = call(core, () => exports.session_argument_text(handle, id, from));
  if (n === -1) return undefined;
  const text = JSON.parse(takeResult(core, n, decode)) as string;
  return {
    text,
    from: exports.argument_fact(0) >>> 0,
    generation: exports.argument_fact(1) >>> 0,
    complete: exports.argument_fact(2) === 1,
  };
}
