// Records of the track of a run: what it has named, who owns it, what is open (docs/semantics-agui.md §5, §6).

// Track, TRACK_SIZE bytes inside of a state; zeroed bytes are an empty track:
//   0 phase | 4 index ptr | 8 index capacity | 12 entries in it | 16 names counted for the limit | 20 openings so far
//  24 items, 32 calls started, 40 subagents: {first, last} in the order of appearance
//  48 text messages, 56 calls, 64 reasoning messages, 72 spans, 80 steps, 88 subagents, 96 unanswered calls: {first, last} of what is open
// 104 lanes {first, last} | 112 the parent agent's lane | 116 other lanes by kind: 3 x {count, sum of addresses} | 140 item found last
// 144 ids minted for retired THINKING events in this run (legacy.ts), 148 the one of the open span, 152 of the open message, 0 = none
export const T_PHASE: usize = 0, T_INDEX: usize = 4, T_CAPACITY: usize = 8, T_ENTRIES: usize = 12, T_TRACKED: usize = 16, T_OPENINGS: usize = 20;
export const T_ITEMS: usize = 24, T_CALLS: usize = 32, T_SUBAGENTS: usize = 40;
export const T_TEXTS: usize = 48, T_TOOLS: usize = 56, T_REASONING: usize = 64, T_SPANS: usize = 72;
export const T_STEPS: usize = 80, T_ACTIVE: usize = 88, T_PENDING: usize = 96;
export const T_LANES: usize = 104, T_PARENT_LANE: usize = 112, T_LANE_KINDS: usize = 116, T_LAST: usize = 140;
export const T_MINTED: usize = 144, T_MINTED_SPAN: usize = 148, T_MINTED_MESSAGE: usize = 152;
export const TRACK_SIZE: u32 = 160;

// Phases, as checkpoints number them.
export const PHASE_NONE: u32 = 0;
export const PHASE_RUNNING: u32 = 1;
export const PHASE_FINISHED: u32 = 2;
export const PHASE_ERRORED: u32 = 3;
export const PHASE_REJECTED: u32 = 4;
export const PHASE_TRUNCATED: u32 = 5;

// Every entry of the index begins alike:
//   0 hash | 4 kind in the lowest byte, marks above | 8 length of the text
//
// Item (message, call, reasoning, activity), 58 B and the id's canonical contents, with quotes around them:
//  12 owner (PARENT or a name) | 16 next item | 20 target | 24 generation | 28 lane that holds it
//  32 previous, 36 next of those open, 40 number of the opening
//  44 previous, 48 next, 52 number: of the open spans; of a call: previous, next of those unanswered, 52 next call started
//
// Name (of an owner, a step or a subagent), 38 B and its text, with quotes:
//  12 uses | 16 next subagent | 20 lane of this owner | 24 open steps of this name | 28 previous, 32 next active subagent
//
// Step, 28 B: 12 owner | 16 name | 20 previous, 24 next of those open
export const E_HASH: usize = 0, E_BITS: usize = 4, E_LENGTH: usize = 8;
export const I_OWNER: usize = 12, I_NEXT: usize = 16;
/** The message or call that the item names; the model's. */
export const I_TARGET: usize = 20;
/** Generation of the model the target belongs to; the model's. */
export const I_GENERATION: usize = 24;
export const I_LANE: usize = 28, I_LINKS: usize = 32, I_NUMBER: usize = 40, I_SECOND_LINKS: usize = 44, I_SECOND_NUMBER: usize = 52;
export const I_NEXT_CALL: usize = 52, I_ID: usize = 57;
export const N_USES: usize = 12, N_NEXT: usize = 16, N_LANE: usize = 20, N_STEPS: usize = 24, N_LINKS: usize = 28, N_TEXT: usize = 37;
export const STEP_OWNER: usize = 12, STEP_NAME: usize = 16, STEP_LINKS: usize = 20;
export const STEP_SIZE: u32 = 28;

// Kinds of entries; items as checkpoints number them.
export const ITEM_MESSAGE: u32 = 0;
export const ITEM_CALL: u32 = 1;
export const ITEM_REASONING: u32 = 2;
export const ITEM_ACTIVITY: u32 = 3;
export const ENTRY_NAME: u32 = 4;
export const ENTRY_STEP: u32 = 5;
export const KIND: u32 = 255;

// Marks above the kind.
/** A text message, call or reasoning message is open. */
export const OPEN: u32 = 1 << 8;
/** A reasoning span is open. */
export const SPAN_OPEN: u32 = 1 << 9;
/** The call was started in this run. */
export const STARTED: u32 = 1 << 10;
/** The call was answered in this run. */
export const ANSWERED: u32 = 1 << 11;
/** The name is that of a subagent started in this run. */
export const SUBAGENT: u32 = 1 << 12;
/** That subagent has not ended. */
export const ACTIVE: u32 = 1 << 13;
/** The entry may go when the event is accepted. */
export const MAY_GO: u32 = 1 << 14;

/** Owner: the parent agent. */
export const PARENT: u32 = 1;

// Lane: a pending chunk stream, 28 B and two texts with their quotes behind it:
//   0 kind (ITEM_ of what it builds) | 4 owner | 8 item | 12 previous, 16 next lane | 20 length of the first text | 24 of the second, 0 = absent
//   text: role, name | call: toolCallName, parentMessageId
export const L_KIND: usize = 0, L_OWNER: usize = 4, L_ITEM: usize = 8, L_LINKS: usize = 12, L_FIRST: usize = 20, L_SECOND: usize = 24;
export const L_TEXTS: usize = 28;

@inline export function isMarked(entry: usize, marks: u32): bool { return (load<u32>(entry, E_BITS) & marks) != 0; }
@inline export function kindOf(entry: usize): u32 { return load<u32>(entry, E_BITS) & KIND; }
/** Canonical contents of an item's id; quotes lie around them. */
@inline export function itemId(item: usize): usize { return item + I_ID; }
/** Canonical contents of a name; quotes lie around them. */
@inline export function nameOf(name: usize): usize { return name + N_TEXT; }
/** Length of an item's id or of a name. */
@inline export function textLength(entry: usize): u32 { return load<u32>(entry, E_LENGTH); }
