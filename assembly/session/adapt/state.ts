// What a transcoder that speaks AgentUE keeps between AG-UI events: where its delivery stands, and what it calls itself.
import { alloc, free, setAccount } from "../../memory/heap";
import { copyExact } from "../../memory/copy";
import { findByte } from "../../text/scan";
import { C_ADAPTER, C_FIRST } from "../layout";
import { freeSpans } from "./spans";
import { adapterOf } from "../roads";

// Record, ADAPTER_SIZE bytes: 0 seq of the last event f64 | 8 steps and spans so far | 12 a delivery is under way u8 | 13 `stream_id` has no escapes u8 |
// 14 something was left out since the last `start` u8 | 16 first, 20 last block of
// spans.ts | 24 such blocks | 28 those that are not running | 32 index of them ptr | 36 its capacity | 40 names: canonical contents of `biz` and, behind them, of
// `stream_id` | 44 length of `biz` | 48 length of `stream_id`, 0 = none | 56 allowance now, 64 at most,
// 72 bytes of the input that was given, until they are counted, all f64
export const A_SEQ: usize = 0, A_NUMBER: usize = 8, A_UNDER_WAY: usize = 12, A_PLAIN: usize = 13, A_CUT: usize = 14, A_FIRST: usize = 16, A_LAST: usize = 20;
export const A_SPANS: usize = 24, A_ENDED: usize = 28, A_INDEX: usize = 32, A_INDEX_CAPACITY: usize = 36;
export const A_LEFT: usize = 56, A_MOST: usize = 64, A_GIVEN: usize = 72;
const A_NAMES: usize = 40, A_BIZ: usize = 44, A_STREAM: usize = 48;
const ADAPTER_SIZE: u32 = 80;
/** What is forgotten when everything begins anew. */
const FORGOTTEN: u32 = 40;

/** Whether `stream_id` stands without escapes. */
@inline export function isStreamPlain(a: usize): bool { return load<u8>(a, A_PLAIN) != 0; }

/** Whether something was left out since the last `start`. */
@inline export function isCut(a: usize): bool { return load<u8>(a, A_CUT) != 0; }

@inline export function isUnderWay(a: usize): bool { return load<u8>(a, A_UNDER_WAY) != 0; }

@inline export function bizStart(a: usize): usize { return <usize>load<u32>(a, A_NAMES); }
@inline export function bizLength(a: usize): u32 { return load<u32>(a, A_BIZ); }
@inline export function streamStart(a: usize): usize { return bizStart(a) + bizLength(a); }
@inline export function streamLength(a: usize): u32 { return load<u32>(a, A_STREAM); }

/** Makes a fresh connection speak AgentUE: at `p` lie the canonical contents of `biz`, `biz` bytes, and of `stream_id`, `stream` bytes; `most`: `outputBytes`. False = out of memory. */
export function openAdapter(c: usize, p: usize, biz: u32, stream: u32, most: f64): bool {
  const account = setAccount(load<u32>(c, C_FIRST)), a = alloc(ADAPTER_SIZE), names: usize = a ? alloc(biz + stream + 16) : 0;
  if (a && !names) free(a, ADAPTER_SIZE);
  setAccount(account);
  if (!names) return false;
  memory.fill(a, 0, ADAPTER_SIZE);
  copyExact(names, p, biz + stream);
  store<u32>(a, <u32>names, A_NAMES);
  store<u32>(a, biz, A_BIZ);
  store<u32>(a, stream, A_STREAM);
  store<f64>(a, most, A_LEFT);
  store<f64>(a, most, A_MOST);
  noteSpelling(a);
  store<u32>(c, <u32>a, C_ADAPTER);
  return true;
}

function noteSpelling(a: usize): void {
  const p = streamStart(a);
  store<u8>(a, findByte(p, p + streamLength(a), 0x5c) ? 0 : 1, A_PLAIN);
}

/** As it was when the connection was opened. */
export function resetAdapter(c: usize): void {
  const a = adapterOf(c);
  if (!a) return;
  freeSpans(c);
  memory.fill(a, 0, FORGOTTEN);
  store<f64>(a, load<f64>(a, A_MOST), A_LEFT);
  store<f64>(a, 0, A_GIVEN);
  noteSpelling(a);
}

/** Gives everything back; the stream of the connection is still there. */
export function closeAdapter(c: usize): void {
  const a = adapterOf(c);
  if (!a) return;
  freeSpans(c);
  const account = setAccount(load<u32>(c, C_FIRST));
  free(bizStart(a), bizLength(a) + streamLength(a) + 16);
  free(a, ADAPTER_SIZE);
  setAccount(account);
  store<u32>(c, 0, C_ADAPTER);
}
