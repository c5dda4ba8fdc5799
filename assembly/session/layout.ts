// Records of the session room.
import { OPT_SIZE } from "../abi/layout";
import { FRAME_SIZE } from "../frame/state";
import { STATE_SIZE } from "../reduce/agentue/state";

// Connection:
//   0 options block (abi/layout) | 64 frame (frame/state)
// 192 table of streams ptr | 196 capacity | 200 count | 204 stream used last
// 208 first, 212 last in order of opening | 216 first, 220 last in order of ending | 224 number of ended streams
// 228 reports that may still be delivered in this call | 232 state after the last feeding call (FEED_) | 236 body finished u8, truncated u8, last piece u8,
//     239 what FEED_HELD interrupts u8 (IN_ below)
// 240 queue being resumed: run | 256 path of the sticky failure: run
// 272 failure: code u8, reason u8, has u8 | 276 stream whose queue is being resumed | 280 address and 284 end of the unread input
// 288 event index of the next message | 296 events | 304 bytes | 312 applied | 320 skipped | 328 dropped | 336 errors | 344 warnings
// 352 order of the last ending | 360 failure: event index | 368 failure: byte offset, all f64
// 376 offset in the queue being resumed of its next message u32 | 380 AG-UI model (0 = other protocol)
// 384 event index and 392 byte offset (-1 unknown) of the event that the host's middleware has, f64
// 400 surrogate halves that a transcoder holds: run | 416 LOSS_ bits that it has reported u32
// 420 what goes out as AgentUE: record of adapt/state (0 = events go out as what they are) | 424 a delivery has begun in this body u8
export const C_OPTIONS: usize = 0, C_FRAME: usize = 64;
export const C_TABLE: usize = 192, C_TABLE_CAPACITY: usize = 196, C_COUNT: usize = 200, C_LAST_USED: usize = 204;
export const C_FIRST: usize = 208, C_LAST: usize = 212, C_ENDED_FIRST: usize = 216, C_ENDED_LAST: usize = 220, C_ENDED: usize = 224;
export const C_REPORTS_LEFT: usize = 228, C_STATE: usize = 232, C_FINISHED: usize = 236, C_TRUNCATED: usize = 237, C_LAST_PIECE: usize = 238;
export const C_FEEDING: usize = 239;
export const C_QUEUE: usize = 240, C_FAILURE_PATH: usize = 256;
export const C_FAILURE: usize = 272, C_FAILURE_REASON: usize = 273, C_FAILURE_HAS: usize = 274;
export const C_RESUMING: usize = 276, C_UNREAD: usize = 280, C_UNREAD_END: usize = 284;
export const C_EVENT_INDEX: usize = 288, C_EVENTS: usize = 296, C_BYTES: usize = 304, C_APPLIED: usize = 312, C_SKIPPED: usize = 320;
export const C_DROPPED: usize = 328, C_ERRORS: usize = 336, C_WARNINGS: usize = 344, C_END_ORDER: usize = 352;
export const C_FAILURE_INDEX: usize = 360, C_FAILURE_OFFSET: usize = 368, C_QUEUE_AT: usize = 376, C_RUN: usize = 380;
export const C_HELD_INDEX: usize = 384, C_HELD_OFFSET: usize = 392;
export const C_HALVES: usize = 400, C_LOSSES: usize = 416, C_ADAPTER: usize = 420, C_BEGUN: usize = 424;
export const CONNECTION_SIZE: u32 = 432;

// Stream: route, then the state of its protocol, then its id.
//   0 bytes of memory charged to it | 4 id length | 8 hash | 12 flags u8 | 16 previous, 20 next in order of opening
//  24 previous, 28 next in order of ending | 32 queue: run | 48 messages queued | 52 bytes of message text queued | 56 size of the allocation
//  60 AG-UI model (0 = other protocol) | 64 state, STATE_SIZE bytes, and behind it the id
export const T_ACCOUNT: usize = 0, T_ID_LENGTH: usize = 4, T_HASH: usize = 8, T_FLAGS: usize = 12, T_PREVIOUS: usize = 16, T_NEXT: usize = 20;
export const T_ENDED_PREVIOUS: usize = 24, T_ENDED_NEXT: usize = 28, T_QUEUE: usize = 32, T_QUEUED: usize = 48, T_QUEUED_BYTES: usize = 52;
export const T_ALLOCATION: usize = 56, T_RUN: usize = 60, T_STATE: usize = 64, T_ID: usize = T_STATE + STATE_SIZE;

export const PAUSED: u8 = 1;
/** An event did not fit into the queue of a paused stream; later ones are dropped until a start. */
export const LOST: u8 = 2;
/** The stream has paused by itself: the first of its queue is a patch of a reference. Only together with PAUSED. */
export const WAITING: u8 = 4;

export const IN_CHUNK: u8 = 1;
export const IN_TAIL: u8 = 2;

/** Memory for small things that one message or model may need besides its own size. */
export const MESSAGE_ROOM: u32 = 16384;

/** Whether the drawings above add up; asked when a connection is opened. */
export function layoutsAddUp(): bool {
  return C_FRAME == <usize>OPT_SIZE && C_TABLE == C_FRAME + FRAME_SIZE;
}

@inline export function add(c: usize, field: usize, n: f64): void { store<f64>(c + field, load<f64>(c + field) + n); }
/** Counts events that were folded, or passed on, where they lay. */
@inline export function addFolded(c: usize, n: u32): void {
  add(c, C_APPLIED, n);
  add(c, C_EVENTS, n);
  add(c, C_EVENT_INDEX, n);
}
@inline export function option(c: usize, field: usize): u32 { return load<u32>(c + C_OPTIONS + field); }
