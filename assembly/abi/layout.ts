// Layouts of what crosses the boundary in memory. Plain constants only, offsets in bytes, little-endian.

/** Bytes the host may write at `input_pointer()` for one call. */
export const INPUT_CAPACITY = 65536;

// Options block, written at the input pointer before `session_open`.
export const OPT_PROTOCOL = 0; // u8
export const OPT_TRANSPORT = 1; // u8
export const OPT_SEQUENCE = 2; // u8
export const OPT_FLAGS = 3; // u8, FLAG_ below
export const OPT_MESSAGE_BYTES = 4; // u32 ...
export const OPT_DEPTH = 8;
export const OPT_NUMBER_LENGTH = 12;
export const OPT_BLOCKS = 16;
export const OPT_MODEL_BYTES = 20;
export const OPT_STREAMS = 24;
export const OPT_QUEUED_BYTES = 28;
export const OPT_REPORTS = 32;
export const OPT_KEEP_ENDED = 36; // 0xffffffff keeps all
export const OPT_ITEMS = 40; // u32, AG-UI
export const OPT_AGUI_FLAGS = 44; // u8, AGUI_ below
export const OPT_TO = 45; // u8, TRANSPORT_ id of the wire that a transcoder writes; 0 = a reducer
export const OPT_PASS = 46; // u8, 1 = a transcoder that passes on whatever decodes
export const OPT_HELD_TYPES = 48; // u64: bit n = events of AG-UI type n go to the host's middleware; bit 63 = unknown types too
export const OPT_EVENT_TYPES = 56; // u64: bit n = events of AG-UI type n are reported
export const OPT_SIZE = 64;

export const AGUI_DELTA_FAIL = 1;
export const AGUI_DELTA_UPSERT = 2;
export const AGUI_STRIP_ENUMS = 4;
/** The peer knows no subagents (protocol 0.0.57 and older). */
export const AGUI_NO_SUBAGENTS = 8;

export const FLAG_SKIP_EVENT = 1;
export const FLAG_REPLACE_UTF8 = 2;
export const FLAG_DISCARD_TAIL = 4;
export const FLAG_SKIP_UNDECODABLE = 8;
export const FLAG_REPORT_EVENTS = 16;
/** AgentUE: a patch of an unresolved reference pauses its stream. */
export const FLAG_PAUSE_UNRESOLVED = 32;
/** AgentUE: patches of blocks that are kept in frames are refused. */
export const FLAG_GUARD_FRAMES = 64;

// Report record in the output queue, 8-byte aligned.
export const REPORT_KIND = 0; // u8, REPORT_ below
export const REPORT_CODE = 1; // u8, E_ or W_ id
export const REPORT_DETAIL = 2; // u8, R_ reason of an error or a warning, OP_ of a gap, number of the LOSS_ bit + 1 of W_LOSSY
export const REPORT_HAS = 3; // u8, HAS_ below
export const REPORT_LENGTH = 4; // u32, whole record
export const REPORT_SEQ = 8; // f64
export const REPORT_EVENT_INDEX = 16; // f64
export const REPORT_POSITION = 24; // f64, byte offset of an error, last seq of a gap
export const REPORT_STREAM_LENGTH = 32; // u32
export const REPORT_TEXT_LENGTH = 36; // u32, path of an error or warning, JSON text of an event
export const REPORT_SUBJECT_LENGTH = 40; // u32, 0xffffffff = none
export const REPORT_OP_INDEX = 44; // u32, 0xffffffff = none
export const REPORT_EVENT_TYPE = 48; // u8, AG-UI event type, 0 = none
export const REPORT_RECEIVED = 49; // u8, KIND_ of what came
export const REPORT_BYTES = 56; // stream id, then text, then subject; ids, paths and subjects are canonical JSON string contents

export const REPORT_EVENT = 1;
export const REPORT_WARNING = 2;
export const REPORT_ERROR = 3;
export const REPORT_GAP = 4;
/** An event for the host's middleware: its text; the call waits (FEED_HELD). */
export const REPORT_HELD = 5;
/** A stream has paused before a patch of a reference: the text is the id of the block, the subject its key. */
export const REPORT_UNRESOLVED = 6;

export const HAS_STREAM = 1;
export const HAS_SEQ = 2;
export const HAS_BYTE_OFFSET = 4;
export const HAS_PATH = 8;
export const HAS_EVENT_INDEX = 16;

/** Bit of what feeding calls return: reports wait in the output queue, or `session_state()` is not FEED_DONE. */
export const FEED_ATTENTION = 1 << 30;

/** Stands for a block's length of id: the block that the stream waits for. */
export const AWAITED_BLOCK = 0xffffffff;

// What `session_state()` says after a feeding call.
export const FEED_DONE = 0;
/** The output queue is full: drain it and call `session_continue`. */
export const FEED_FULL = 1;
/** The connection has failed; `session_failure` reports its failure again. */
export const FEED_FAILED = 2;
/** Memory ran out before the next message was applied. */
export const FEED_NO_MEMORY = 3;
/** The last report is an event for the host's middleware: hand back what it gives with `session_apply_held`, then call `session_continue`. */
export const FEED_HELD = 4;

// Limits of a document, written at the input pointer before `document_open`; u32 each.
export const DOC_DEPTH = 0;
export const DOC_NUMBER_LENGTH = 4;
export const DOC_BYTES = 8;
export const DOC_OPERATIONS = 12;
export const DOC_SIZE = 16;

// What `document_find` gives instead of a length.
export const DOC_NOTHING = -1;
export const DOC_NO_MEMORY = -2;

// Fault record at `fault_pointer()`: what load, materialize, pause, restore and documents leave behind.
export const FAULT_CODE = 0; // u32, 0 = none
export const FAULT_REASON = 4; // u32
export const FAULT_HAS = 8; // u32, HAS_ bits
export const FAULT_PATH = 12; // u32 pointer
export const FAULT_PATH_LENGTH = 16; // u32
export const FAULT_OP_INDEX = 20; // u32, 0xffffffff = none
export const FAULT_BYTE_OFFSET = 24; // f64
export const FAULT_RECEIVED = 32; // u32, KIND_ of what came
export const FAULT_SUBJECT = 36; // u32 pointer
export const FAULT_SUBJECT_LENGTH = 40; // u32, 0xffffffff = none
export const FAULT_EVENT_INDEX = 44; // u32, number of a storage frame; HAS_EVENT_INDEX
export const FAULT_SIZE = 48;

// Counters, in the order `session_stats` and `stream_stats` write them to the result as f64.
export const STAT_EVENTS = 0;
export const STAT_BYTES = 1;
export const STAT_APPLIED = 2;
export const STAT_SKIPPED = 3;
export const STAT_DROPPED = 4;
export const STAT_ERRORS = 5;
export const STAT_WARNINGS = 6;
export const STAT_STREAMS = 7;
export const STAT_BLOCKS = 8;
export const STAT_QUEUED = 9;
export const STAT_VERSION = 10;
export const STAT_MEMORY = 11;
export const STAT_COUNT = 12;

// Checkpoint (docs/semantics.md §10).
export const CHECKPOINT_MAGIC = 0x4b434653; // "SFCK" read as a little-endian u32
export const CHECKPOINT_FORMAT = 1;
