// Models and blocks that the application hands over as JSON text: `load` and `materialize` (docs/semantics.md §5).
import * as code from "../abi/codes";
import * as layout from "../abi/layout";
import { reserve, setAccount } from "../memory/heap";
import { bytesClear, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { msgpackFaultAt, msgpackReason } from "../codec/msgpack/fault";
import { readMsgpack } from "../codec/msgpack/read";
import { FAULT_DEPTH, FAULT_UTF8, faultAt, locateFault } from "../text/fault";
import { canonicalize } from "../text/minify";
import { skipSpace } from "../text/trusted";
import { longNumberAt, resetValidate, setValidateLimits, skipValueAt, valueDepth, valueDirty } from "../text/validate";
import { clearFault, fail, failWhole, pathReset } from "../reduce/fault";
import { releaseText, SCRATCH_MESSAGE as TEXT } from "../reduce/scratch";
import { baselineAgui, loadAgui } from "../reduce/agui/load";
import { shareBaseIds } from "../reduce/agui/run";
import { restoreAgui } from "../reduce/agui/stored";
import { checkModel } from "../reduce/agentue/check";
import { modelDepth, scanModel } from "../reduce/agentue/model-scan";
import { loadModel, materializeBlock } from "../reduce/agentue/apply";
import { msgpackReasonId } from "./binary";
import { C_COUNT, C_FIRST, MESSAGE_ROOM, option, T_STATE } from "./layout";
import { forgetEnding, openStream, releaseStream } from "./streams";
import { dropWaiting, noteMaterialized } from "./waiting";
import { runOf } from "./roads";

/** Byte offset of the last text fault, −1 when the fault has none. */
export let textFaultOffset: f64 = -1;
let canonicalEnd: usize = 0;
/** Nesting that the model of any AG-UI checkpoint may have; a run's outcome and result lie one level deeper than in their event. */
const LEAST_STORED: u32 = 8;

// Validates [p, p + n), a NUL behind it, and brings it to canonical form in place; its start, 0 = fault.
function readObject(c: usize, p: usize, n: u32, asModel: bool): usize {
  textFaultOffset = -1;
  clearFault();
  const end = p + n, start = skipSpace(p);
  resetValidate();
  const stop = asModel && load<u8>(start) == 0x7b ? scanModel(start, false, 0) : skipValueAt(start, false, 0);
  if (!stop || skipSpace(stop) != end) {
    const fault = locateFault(p, end, option(c, layout.OPT_DEPTH));
    textFaultOffset = <f64>(faultAt - p);
    failWhole(fault == FAULT_UTF8 ? code.E_INVALID_UTF8 : fault == FAULT_DEPTH ? code.E_TOO_DEEP : code.E_BAD_JSON);
    return 0;
  }
  if (longNumberAt) {
    textFaultOffset = <f64>(longNumberAt - p);
    fail(code.E_LIMIT, code.R_LIMIT_NUMBER);
    return 0;
  }
  canonicalEnd = stop;
  if (valueDirty) {
    canonicalEnd = canonicalize(start, start);
    memory.fill(canonicalEnd, 0, 8);
    if (asModel && load<u8>(start) == 0x7b) scanModel(start, false, 0);
  }
  return start;
}

/** Loads the model text at `p` into the stream of that id, opening it where needed; false: the fault says why and nothing changed. */
export function loadText(c: usize, t: usize, id: usize, idLength: u32, seq: f64, p: usize, n: u32): bool {
  if (runOf(c)) return loadRun(c, t, p, n, false);
  const start = readObject(c, p, n, true);
  if (!start) return false;
  pathReset();
  if (load<u8>(start) != 0x7b) return fail(code.E_BAD_MODEL, code.R_OBJECT);
  if (!checkModel(start)) return false;
  const isNew = !t;
  if (isNew && load<u32>(c, C_COUNT) >= option(c, layout.OPT_STREAMS)) {
    failWhole(code.E_LIMIT);
    return fail(code.E_LIMIT, code.R_LIMIT_STREAMS);
  }
  if (max<u32>(valueDepth, modelDepth) > option(c, layout.OPT_DEPTH) - 1) {
    pathReset();
    return fail(code.E_LIMIT, code.R_LIMIT_DEPTH);
  }
  if (!reserve(MESSAGE_ROOM)) return failWhole(code.E_OUT_OF_MEMORY);
  if (isNew) {
    t = openStream(c, id, idLength);
    if (!t) return failWhole(code.E_OUT_OF_MEMORY);
  }
  const account = setAccount(t);
  const done = loadModel(t + T_STATE, start, seq);
  setAccount(account);
  if (!done) {
    if (isNew) releaseStream(c, t);
    return false;
  }
  forgetEnding(c, t);
  dropWaiting(c, t);
  return true;
}

/** `loadText` for a model in MessagePack; places of its faults count in those bytes. */
export function loadMsgpack(c: usize, t: usize, id: usize, idLength: u32, seq: f64, p: usize, n: u32): bool {
  const done = loadBytes(c, t, id, idLength, seq, p, n);
  releaseText();
  return done;
}

function loadBytes(c: usize, t: usize, id: usize, idLength: u32, seq: f64, p: usize, n: u32): bool {
  clearFault();
  textFaultOffset = -1;
  bytesClear(TEXT);
  const status = readMsgpack(p, p + n, TEXT, option(c, layout.OPT_DEPTH), false);
  if (status) {
    failWhole(status);
    fail(status, status == code.E_BAD_MSGPACK ? msgpackReasonId(msgpackReason) : 0);
    textFaultOffset = <f64>(msgpackFaultAt - p);
    return false;
  }
  const text = <usize>load<u32>(TEXT, RUN_PTR), length = load<u32>(TEXT, RUN_LEN);
  memory.fill(text + length, 0, 64);
  const done = loadText(c, t, id, idLength, seq, text, length);
  // a place in the text, that of a number, is none in the bytes
  if (textFaultOffset > 0) textFaultOffset = 0;
  return done;
}

// Loads an AG-UI model into the one stream there is, or gives it its baseline.
function loadRun(c: usize, t: usize, p: usize, n: u32, isBaseline: bool): bool {
  const start = readObject(c, p, n, false), s = runOf(c);
  if (!start) return false;
  if (!t) return failWhole(code.E_NO_MODEL);
  if (!reserve(MESSAGE_ROOM)) return failWhole(code.E_OUT_OF_MEMORY);
  const account = setAccount(t), done = isBaseline ? baselineAgui(s, start) : loadAgui(s, start);
  setAccount(account);
  return done;
}

/** Gives a fresh or reset AG-UI connection the partial run input at `p` as its baseline; false: the fault says why and nothing changed. */
export function baselineText(c: usize, p: usize, n: u32): bool { return loadRun(c, load<u32>(c, C_FIRST), p, n, true); }

/** Gives a fresh AG-UI connection the model text at `p` of a checkpoint; false: it is none, or out of memory (`faultCode` tells). */
export function restoreText(c: usize, p: usize, n: u32): bool {
  const depth = option(c, layout.OPT_DEPTH), numberLength = option(c, layout.OPT_NUMBER_LENGTH);
  setValidateLimits(max<u32>(depth + 1, LEAST_STORED), numberLength);
  const start = readObject(c, p, n, false);
  setValidateLimits(depth, numberLength);
  if (!start) return false;
  if (!reserve(MESSAGE_ROOM)) return failWhole(code.E_OUT_OF_MEMORY);
  const account = setAccount(load<u32>(c, C_FIRST)), done = restoreAgui(runOf(c), start);
  setAccount(account);
  return done;
}

/** Lets a restored AG-UI connection know the ids of the baseline of the one whose place it takes; false = out of memory. */
export function keepBaseIds(c: usize, old: usize): bool {
  const run = runOf(c);
  if (!run) return true;
  const account = setAccount(load<u32>(c, C_FIRST)), done = shareBaseIds(run, runOf(old));
  setAccount(account);
  return done;
}

/**
 * Puts the block text at `p` in the place of its reference in stream `t` (0: it does not exist). `id` of `idLength` bytes of canonical contents: the id that
 * it must have; `idLength` 0: any.
 */
export function materializeText(c: usize, t: usize, p: usize, n: u32, id: usize, idLength: u32): bool {
  const start = readObject(c, p, n, false);
  if (!start) return false;
  pathReset();
  if (load<u8>(start) != 0x7b) return fail(code.E_BAD_BLOCK, code.R_OBJECT);
  const account = setAccount(t);
  const done = materializeBlock(t ? t + T_STATE : 0, start, canonicalEnd, id, idLength);
  setAccount(account);
  if (done) noteMaterialized(t);
  return done;
}
