// Records of the session room.
import { OPT_SIZE } from "../abi/layout";
import { FRAME_SIZE } from "../frame/state";
import { STATE_SIZE } from "../reduce/agentue/state";

// Connection:
//   0 options block (abi/layout) | 40 frame (frame/state)
// 168 table of streams ptr | 172 capacity | 176 count | 180 stream used last
// 184 first, 188 last in order of opening | 192 first, 196 last in order of ending | 200 number of ended streams
// 204 reports that may still be delivered in this call | 208 state after the last feeding call (FEED_) | 212 body finished u8, truncated u8, last piece u8
// 216 queue being resumed: run | 232 path of the sticky failure: run
// 248 failure: code u8, reason u8, has u8 | 252 stream whose queue is being resumed | 256 address and 260 end of the unread input
// 264 event index of the next message | 272 events | 280 bytes | 288 applied | 296 skipped | 304 dropped | 312 errors | 320 warnings
// 328 order of the last ending | 336 failure: event index | 344 failure: byte offset, all f64
// 352 offset in the queue being resumed of its next message u32
export const C_OPTIONS: usize = 0, C_FRAME: usize = 40;
export const C_TABLE: usize = 168, C_TABLE_CAPACITY: usize = 172, C_COUNT: usize = 176, C_LAST_USED: usize = 180;
export const C_FIRST: usize = 184, C_LAST: usize = 188, C_ENDED_FIRST: usize = 192, C_ENDED_LAST: usize = 196, C_ENDED: usize = 200;
export const C_REPORTS_LEFT: usize = 204, C_STATE: usize = 208, C_FINISHED: usize = 212, C_TRUNCATED: usize = 213, C_LAST_PIECE: usize = 214;
export const C_QUEUE: usize = 216, C_FAILURE_PATH: usize = 232;
export const C_FAILURE: usize = 248, C_FAILURE_REASON: usize = 249, C_FAILURE_HAS: usize = 250;
export const C_RESUMING: usize = 252, C_UNREAD: usize = 256, C_UNREAD_END: usize = 260;
export const C_EVENT_INDEX: usize = 264, C_EVENTS: usize = 272, C_BYTES: usize = 280, C_APPLIED: usize = 288, C_SKIPPED: usize = 296;
export const C_DROPPED: usize = 304, C_ERRORS: usize = 312, C_WARNINGS: usize = 320, C_END_ORDER: usize = 328;
export const C_FAILURE_INDEX: usize = 336, C_FAILURE_OFFSET: usize = 344, C_QUEUE_AT: usize = 352;
export const CONNECTION_SIZE: u32 = 360;

// Stream: route, then the state of its protocol, then its id.
//   0 bytes of memory charged to it | 4 id length | 8 hash | 12 flags u8 | 16 previous, 20 next in order of opening
//  24 previous, 28 next in order of ending | 32 queue: run | 48 messages queued | 52 bytes of message text queued | 56 size of the allocation
//  60 spare | 64 state | 208 id
export const T_ACCOUNT: usize = 0, T_ID_LENGTH: usize = 4, T_HASH: usize = 8, T_FLAGS: usize = 12, T_PREVIOUS: usize = 16, T_NEXT: usize = 20;
export const T_ENDED_PREVIOUS: usize = 24, T_ENDED_NEXT: usize = 28, T_QUEUE: usize = 32, T_QUEUED: usize = 48, T_QUEUED_BYTES: usize = 52;
export const T_ALLOCATION: usize = 56, T_STATE: usize = 64, T_ID: usize = 208;

export const PAUSED: u8 = 1;
/** An event did not fit into the queue of a paused stream; later ones are dropped until a start. */
export const LOST: u8 = 2;

/** Memory for small things that one message or model may need besides its own size. */
export const MESSAGE_ROOM: u32 = 16384;

/** Whether the drawings above add up; asked when a connection is opened. */
export function layoutsAddUp(): bool {
  return C_FRAME == <usize>OPT_SIZE && C_TABLE == C_FRAME + FRAME_SIZE && T_ID == T_STATE + STATE_SIZE;
}

@inline export function add(c: usize, field: usize, n: f64): void { store<f64>(c + field, load<f64>(c + field) + n); }
@inline export function option(c: usize, field: usize): u32 { return load<u32>(c + C_OPTIONS + field); }
