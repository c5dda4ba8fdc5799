// Chunk expansion (docs/semantics-agui.md §5): the events that a wire event stands for. Nothing changes here; `verify` opens
// and closes lanes as it judges START and END. What is said of expanded events holds until the event is accepted or refused.
import * as ag from "../../abi/agui";
import * as code from "../../abi/codes";
import { alloc, free, setAccount } from "../../memory/heap";
import { bytesAppend } from "../../memory/bytes";
import { equalBytes } from "../../memory/copy";
import { fail, failWhole, faultSubject, faultType, pathName, pathReset } from "../fault";
import { eventText, eventTextEnd, slotEnd, slotStart, wireType } from "./event";
import * as piece from "./fragments";
import { memberName, memberNameLength, typeName, typeNameLength } from "./schema";
import { findItem } from "./entries";
import { laneOfTag, lanesOfKind, onlyLane } from "./lanes";
import { A_TRACK } from "./state";
import { ownerIs } from "./track";
import {
  I_LANE, ITEM_CALL, ITEM_MESSAGE, ITEM_REASONING, itemId, L_FIRST, L_ITEM, L_KIND, L_LINKS, L_OWNER, L_SECOND, L_TEXTS, nameOf, PARENT, T_LANES,
  T_PARENT_LANE, textLength,
} from "./track-layout";

// Expanded event, 12 B: 0 AG_ type | 4 origin: the wire event, made from its chunk, or the lane that ends | 8 item it is about, 0 = none
const RECORD_SIZE: u32 = 12;
const FIRST_SIZE: u32 = 768;
const KEPT_SIZE: u32 = 65536;
export const FROM_WIRE: u32 = 0;
export const FROM_CHUNK: u32 = 1;

let records: usize = 0;
let capacity: u32 = 0;

/** How many events the wire event stands for. */
export let expandedCount: u32 = 0;
/** Type of the selected event. */
export let eventType: u32 = 0;
/** What the selected event comes from: FROM_WIRE, FROM_CHUNK or the lane that ends. */
export let eventOrigin: u32 = 0;
/** The lane that the chunk continues; 0: it opens one. */
let continued: usize = 0;

// Slots of the selected event where it is made: start and end of its members' values.
const SLOTS: usize = memory.data(ag.F_COUNT * 8, 8);

// Types of events that end the pending stream of their tag's lane, and of all lanes.
const CLOSE_OWN: u32 = 1 << ag.AG_TEXT_MESSAGE_START | 1 << ag.AG_TEXT_MESSAGE_CONTENT | 1 << ag.AG_TEXT_MESSAGE_END | 1 << ag.AG_TOOL_CALL_START
  | 1 << ag.AG_TOOL_CALL_ARGS | 1 << ag.AG_TOOL_CALL_END | 1 << ag.AG_TOOL_CALL_RESULT | 1 << ag.AG_STATE_SNAPSHOT | 1 << ag.AG_STATE_DELTA
  | 1 << ag.AG_CUSTOM | 1 << ag.AG_STEP_STARTED | 1 << ag.AG_STEP_FINISHED | 1 << ag.AG_REASONING_START | 1 << ag.AG_REASONING_END
  | 1 << ag.AG_REASONING_MESSAGE_START | 1 << ag.AG_REASONING_MESSAGE_CONTENT | 1 << ag.AG_REASONING_MESSAGE_END
  | 1 << ag.AG_SUBAGENT_FINISHED | 1 << ag.AG_SUBAGENT_ERROR;
const CLOSE_ALL: u32 = 1 << ag.AG_RUN_STARTED | 1 << ag.AG_RUN_FINISHED | 1 << ag.AG_RUN_ERROR | 1 << ag.AG_MESSAGES_SNAPSHOT;

// ---------------------------------------------------------------- the list

function add(type: u32, origin: u32): bool {
  if ((expandedCount + 1) * RECORD_SIZE > capacity && !moreRoom()) return failWhole(code.E_OUT_OF_MEMORY);
  const record = records + expandedCount * RECORD_SIZE;
  expandedCount++;
  store<u32>(record, type);
  store<u32>(record, origin, 4);
  store<u32>(record, 0, 8);
  return true;
}

function moreRoom(): bool {
  const size = max<u32>(capacity << 1, FIRST_SIZE), account = setAccount(0), block = alloc(size);
  if (block && capacity) {
    memory.copy(block, records, capacity);
    free(records, capacity);
  }
  setAccount(account);
  if (!block) return false;
  records = block;
  capacity = size;
  return true;
}

/** Gives the list back when it is larger than `kept` bytes. Nothing is expanded afterwards. */
export function trimExpansion(kept: u32): void {
  if (capacity <= kept) return;
  const account = setAccount(0);
  free(records, capacity);
  setAccount(account);
  capacity = 0;
}

/** The item that expanded event `i` is about, 0 where there is none. */
export function itemOf(i: u32): usize { return load<u32>(records + i * RECORD_SIZE, 8); }
/** Notes it. */
export function setItemOf(i: u32, item: usize): void { store<u32>(records + i * RECORD_SIZE, <u32>item, 8); }

// ---------------------------------------------------------------- expansion

/** Canonical contents of a string member of the wire event, 0 = absent. */
@inline function contents(f: u32): usize { return slotStart(f) ? slotStart(f) + 1 : 0; }
@inline function contentsLength(f: u32): u32 { return <u32>(slotEnd(f) - slotStart(f) - 2); }

/**
 * Lists what the enforced wire event stands for. `false`: `chunk_conflict`, `bad_event` (docs/semantics-agui.md §5) or `out_of_memory` is set,
 * nothing has changed.
 */
export function expand(s: usize): bool {
  const t = s + A_TRACK, type = wireType;
  expandedCount = 0;
  if (type == ag.AG_TEXT_MESSAGE_CHUNK || type == ag.AG_TOOL_CALL_CHUNK || type == ag.AG_REASONING_MESSAGE_CHUNK) {
    if (expandChunk(t, type == ag.AG_TEXT_MESSAGE_CHUNK ? ITEM_MESSAGE : type == ag.AG_TOOL_CALL_CHUNK ? ITEM_CALL : ITEM_REASONING)) return true;
    faultType(type);
    return false;
  }
  if (load<u32>(t, T_LANES)) {
    trimExpansion(KEPT_SIZE);
    const bit: u32 = 1 << type;
    if (bit & CLOSE_ALL) {
      for (let lane = <usize>load<u32>(t, T_LANES); lane; lane = load<u32>(lane, L_LINKS + 4)) if (!addEnd(lane)) return false;
    } else if (bit & CLOSE_OWN) {
      const lane = laneOfTag(t, contents(ag.F_SUBAGENT_RUN_ID), contentsLength(ag.F_SUBAGENT_RUN_ID));
      if (lane && !addEnd(lane)) return false;
    }
  }
  return add(type, FROM_WIRE);
}

function addEnd(lane: usize): bool {
  const kind = load<u32>(lane, L_KIND);
  return add(kind == ITEM_MESSAGE ? ag.AG_TEXT_MESSAGE_END : kind == ITEM_CALL ? ag.AG_TOOL_CALL_END : ag.AG_REASONING_MESSAGE_END, <u32>lane);
}

@inline function idOf(kind: u32): u32 { return kind == ITEM_CALL ? ag.F_TOOL_CALL_ID : ag.F_MESSAGE_ID; }

/** Fails at a member of the event (`F_`), with a subject. Always returns false. */
export function failAt(f: u32, error: u32, reason: u32, subject: usize, n: u32): bool {
  pathReset();
  pathName(memberName(f), memberNameLength(f));
  faultSubject(subject, n);
  return fail(error, reason);
}

function expandChunk(t: usize, kind: u32): bool {
  const lane = laneOfChunk(t, kind);
  if (lane == AMBIGUOUS) return false;
  const hasText = slotStart(ag.F_DELTA) || slotStart(ag.F_RAW_EVENT);
  continued = lane && continues(lane, kind) ? lane : 0;
  if (continued) {
    if (!agreesWithOpener(lane, kind)) return false;
    return !(hasText || slotStart(ag.F_METADATA)) || addContent(kind);
  }
  const id = idOf(kind);
  if (!slotStart(id)) return failAt(id, code.E_BAD_EVENT, code.R_FIRST_ID, memberName(id), memberNameLength(id));
  if (kind == ITEM_CALL && !slotStart(ag.F_TOOL_CALL_NAME)) {
    return failAt(ag.F_TOOL_CALL_NAME, code.E_BAD_EVENT, code.R_FIRST_ID, memberName(ag.F_TOOL_CALL_NAME), memberNameLength(ag.F_TOOL_CALL_NAME));
  }
  if (lane && !addEnd(lane)) return false;
  const start: u32 = kind == ITEM_MESSAGE ? ag.AG_TEXT_MESSAGE_START : kind == ITEM_CALL ? ag.AG_TOOL_CALL_START : ag.AG_REASONING_MESSAGE_START;
  return add(start, FROM_CHUNK) && (!hasText || addContent(kind));
}

function addContent(kind: u32): bool {
  return add(kind == ITEM_MESSAGE ? ag.AG_TEXT_MESSAGE_CONTENT : kind == ITEM_CALL ? ag.AG_TOOL_CALL_ARGS : ag.AG_REASONING_MESSAGE_CONTENT, FROM_CHUNK);
}

const AMBIGUOUS: usize = 1;

// What is pending in the lane the chunk belongs to, 0 = nothing; AMBIGUOUS: the fault is set.
function laneOfChunk(t: usize, kind: u32): usize {
  const tag = contents(ag.F_SUBAGENT_RUN_ID), n = contentsLength(ag.F_SUBAGENT_RUN_ID), id = idOf(kind);
  if (slotStart(id)) {
    const item = findItem(t, kind, contents(id), contentsLength(id)), lane = item ? <usize>load<u32>(item, I_LANE) : 0;
    if (!lane) return laneOfTag(t, tag, n);
    if (ownerIs(load<u32>(lane, L_OWNER), tag, n)) return lane;
    failAt(ag.F_SUBAGENT_RUN_ID, code.E_CHUNK_CONFLICT, code.R_CHUNK_OWNER, tag, n);
    return AMBIGUOUS;
  }
  if (tag) return laneOfTag(t, tag, n);
  const own = <usize>load<u32>(t, T_PARENT_LANE);
  if (own && load<u32>(own, L_KIND) == kind) return own;
  const others = lanesOfKind(t, kind);
  if (others == 1) return onlyLane(t, kind);
  if (!others) return own;
  failWhole(code.E_CHUNK_CONFLICT);
  fail(code.E_CHUNK_CONFLICT, code.R_CHUNK_AMBIGUOUS);
  return AMBIGUOUS;
}

function continues(lane: usize, kind: u32): bool {
  if (load<u32>(lane, L_KIND) != kind) return false;
  const id = idOf(kind), item = <usize>load<u32>(lane, L_ITEM);
  return !slotStart(id) || (contentsLength(id) == textLength(item) && equalBytes(contents(id), itemId(item), textLength(item)));
}

function agreesWithOpener(lane: usize, kind: u32): bool {
  if (kind == ITEM_REASONING) return true;
  const first = load<u32>(lane, L_FIRST), texts = lane + L_TEXTS;
  return kind == ITEM_MESSAGE
    ? repeats(ag.F_ROLE, code.R_CHUNK_ROLE, texts, first) && repeats(ag.F_NAME, code.R_CHUNK_NAME, texts + first, load<u32>(lane, L_SECOND))
    : repeats(ag.F_TOOL_CALL_NAME, code.R_CHUNK_TOOL, texts, first)
      && repeats(ag.F_PARENT_MESSAGE_ID, code.R_CHUNK_PARENT, texts + first, load<u32>(lane, L_SECOND));
}

// Whether a member is absent or the JSON string that the opener established (length 0: none).
function repeats(f: u32, reason: u32, established: usize, n: u32): bool {
  const start = slotStart(f);
  if (!start || (<u32>(slotEnd(f) - start) == n && equalBytes(start, established, n))) return true;
  return failAt(f, code.E_CHUNK_CONFLICT, reason, contents(f), contentsLength(f));
}

// ---------------------------------------------------------------- one expanded event

/** Makes `eventType`, `eventSlotStart` and `eventSlotEnd` describe expanded event `i`. */
export function select(i: u32): void {
  const record = records + i * RECORD_SIZE;
  eventType = load<u32>(record);
  eventOrigin = load<u32>(record, 4);
  if (eventOrigin == FROM_WIRE) return;
  memory.fill(SLOTS, 0, ag.F_COUNT * 8);
  if (eventOrigin == FROM_CHUNK) selectFromChunk();
  else selectEnd(<usize>eventOrigin);
}

/** Start of the value text of a member (`F_`) of the selected event, 0 = absent. `type` is absent where the event is made: see `eventType`. */
export function eventSlotStart(f: u32): usize { return eventOrigin == FROM_WIRE ? slotStart(f) : <usize>load<u32>(SLOTS + (<usize>f << 3)); }

/** End of that text. */
export function eventSlotEnd(f: u32): usize { return eventOrigin == FROM_WIRE ? slotEnd(f) : <usize>load<u32>(SLOTS + (<usize>f << 3), 4); }

function put(f: u32, start: usize, n: u32): void {
  store<u32>(SLOTS + (<usize>f << 3), <u32>start);
  store<u32>(SLOTS + (<usize>f << 3), <u32>start + n, 4);
}

function take(f: u32): bool {
  const start = slotStart(f);
  if (start) put(f, start, <u32>(slotEnd(f) - start));
  return start != 0;
}

function putId(lane: usize): void {
  const item = <usize>load<u32>(lane, L_ITEM);
  put(idOf(load<u32>(lane, L_KIND)), itemId(item) - 1, textLength(item) + 2);
}

function putTag(lane: usize): void {
  const owner = load<u32>(lane, L_OWNER);
  if (owner != PARENT) put(ag.F_SUBAGENT_RUN_ID, nameOf(<usize>owner) - 1, textLength(<usize>owner) + 2);
}

function selectEnd(lane: usize): void {
  putId(lane);
  putTag(lane);
}

function selectFromChunk(): void {
  switch (eventType) {
    case ag.AG_TEXT_MESSAGE_START:
      take(ag.F_MESSAGE_ID);
      if (!take(ag.F_ROLE)) put(ag.F_ROLE, piece.ASSISTANT, piece.ASSISTANT_LENGTH);
      take(ag.F_NAME);
      break;
    case ag.AG_TOOL_CALL_START:
      take(ag.F_TOOL_CALL_ID);
      take(ag.F_TOOL_CALL_NAME);
      take(ag.F_PARENT_MESSAGE_ID);
      break;
    case ag.AG_REASONING_MESSAGE_START:
      take(ag.F_MESSAGE_ID);
      put(ag.F_ROLE, piece.REASONING, piece.REASONING_LENGTH);
      break;
    default:
      if (continued) {
        putId(continued);
        putTag(continued);
      } else take(eventType == ag.AG_TOOL_CALL_ARGS ? ag.F_TOOL_CALL_ID : ag.F_MESSAGE_ID);
      if (!take(ag.F_DELTA)) put(ag.F_DELTA, piece.EMPTY_TEXT, piece.EMPTY_TEXT_LENGTH);
      take(ag.F_RAW_EVENT);
  }
  take(ag.F_SUBAGENT_RUN_ID);
  take(ag.F_METADATA);
}

// Members of made events, in the order they are written.
const ORDER: usize = memory.data<u8>([
  <u8>ag.F_MESSAGE_ID, <u8>ag.F_TOOL_CALL_ID, <u8>ag.F_ROLE, <u8>ag.F_TOOL_CALL_NAME, <u8>ag.F_NAME, <u8>ag.F_PARENT_MESSAGE_ID, <u8>ag.F_DELTA,
  <u8>ag.F_SUBAGENT_RUN_ID, <u8>ag.F_METADATA, <u8>ag.F_RAW_EVENT,
]);
const ORDERED: u32 = 10;

const PIECES: usize = memory.data<u8>([0x7b, 0x22, 0x74, 0x79, 0x70, 0x65, 0x22, 0x3a, 0x22, 0x2c, 0x22, 0x22, 0x3a, 0x7d, 0, 0]); // {"type":" ," ": }

/** Appends expanded event `i` as canonical JSON to a run, and selects it; `false` = out of memory. */
export function expandedText(i: u32, out: usize): bool {
  select(i);
  if (eventOrigin == FROM_WIRE) return bytesAppend(out, eventText, <u32>(eventTextEnd - eventText));
  if (!bytesAppend(out, PIECES, 9) || !bytesAppend(out, typeName(eventType), typeNameLength(eventType)) || !bytesAppend(out, PIECES + 8, 1)) return false;
  for (let k: u32 = 0; k < ORDERED; k++) {
    const f = <u32>load<u8>(ORDER + k), start = eventSlotStart(f);
    if (!start) continue;
    if (!bytesAppend(out, PIECES + 9, 2) || !bytesAppend(out, memberName(f), memberNameLength(f)) || !bytesAppend(out, PIECES + 11, 2)
      || !bytesAppend(out, start, <u32>(eventSlotEnd(f) - start))) return false;
  }
  return bytesAppend(out, PIECES + 13, 1);
}
