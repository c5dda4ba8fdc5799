// Numbers that both sides of the boundary share. Plain constants only: this folder compiles as AssemblyScript and as TypeScript.

/** Bumped whenever an export, a layout or a number below changes its meaning. */
export const ABI_VERSION = 1;

// Error ids. Order = src/errors.ts ERROR_CODES; the list is append-only.
export const E_NONE = 0;
export const E_BAD_FRAME = 1;
export const E_BAD_JSON = 2;
export const E_INVALID_UTF8 = 3;
export const E_BAD_MSGPACK = 4;
export const E_BAD_PROTOBUF = 5;
export const E_NOT_AN_EVENT = 6;
export const E_TOO_LARGE = 7;
export const E_TOO_DEEP = 8;
export const E_UNKNOWN_OP = 9;
export const E_UNKNOWN_FIELD = 10;
export const E_MISSING_FIELD = 11;
export const E_BAD_FIELD = 12;
export const E_BAD_MASK = 13;
export const E_BAD_MODEL = 14;
export const E_BAD_BLOCK = 15;
export const E_DUPLICATE_ID = 16;
export const E_MISSING_BLOCK = 17;
export const E_UNRESOLVED_REFERENCE = 18;
export const E_TYPE_MISMATCH = 19;
export const E_STALE_SEQ = 20;
export const E_NO_MODEL = 21;
export const E_AFTER_END = 22;
export const E_LIMIT = 23;
export const E_BAD_EVENT = 24;
export const E_BAD_ORDER = 25;
export const E_BAD_ATTRIBUTION = 26;
export const E_CHUNK_CONFLICT = 27;
export const E_DELTA_FAILED = 28;
export const E_CLOSED = 29;
export const E_REENTRANT = 30;
export const E_NOT_JSON = 31;
export const E_UNSUPPORTED_TRANSPORT = 32;
export const E_ENGINE_LOST = 33;
export const E_OUT_OF_MEMORY = 34;
export const E_BAD_CHECKPOINT = 35;
export const E_BAD_ARGUMENT = 36;
export const E_BAD_PATCH = 37;
export const E_MIDDLEWARE_FAILED = 38;
export const E_FRAME_CONFLICT = 39;
export const E_MISSING_FRAMES = 40;
export const E_UNRESOLVED_FRAMES = 41;
export const E_LOAD_FAILED = 42;

// Reasons: why a value was refused. Order = src/errors.ts REASONS.
export const R_NONE = 0;
export const R_MISSING = 1;
export const R_NOT_ALLOWED = 2;
export const R_STRING = 3;
export const R_NON_EMPTY_STRING = 4;
export const R_STRING_OR_NULL = 5;
export const R_INTEGER = 6;
export const R_OBJECT = 7;
export const R_OBJECT_OR_NULL = 8;
export const R_ARRAY = 9;
export const R_STRING_OR_ARRAY = 10;
export const R_MASK_GRAMMAR = 11;
export const R_MASK_PROTECTED = 12;
export const R_MASK_ONE_SEGMENT = 13;
export const R_MASK_META_ERROR = 14;
export const R_VERSION = 15;
export const R_REFERENCE_VERSION = 16;
export const R_REFERENCE_MEMBER = 17;
export const R_REFERENCE_PATCH = 18;
export const R_NOT_A_REFERENCE = 19;
export const R_LIMIT_DEPTH = 20;
export const R_LIMIT_NUMBER = 21;
export const R_LIMIT_BLOCKS = 22;
export const R_LIMIT_MODEL = 23;
export const R_LIMIT_STREAMS = 24;
export const R_LIMIT_QUEUE = 25;
export const R_LIMIT_MESSAGE = 26;
export const R_NO_VALUE = 27;
export const R_BAD_INDEX = 28;
export const R_INDEX_RANGE = 29;
export const R_NOT_CONTAINER = 30;
export const R_NOT_EQUAL = 31;
export const R_INTO_ITSELF = 32;
export const R_REMOVE_ROOT = 33;
export const R_POINTER = 34;
export const R_OPERATION = 35;
export const R_LIMIT_OPERATIONS = 36;
export const R_X_STRING = 37;
export const R_X_OBJECT = 38;
export const R_X_ARRAY = 39;
export const R_X_BOOLEAN = 40;
export const R_X_INTEGER = 41;
export const R_X_COUNT = 42;
export const R_X_NOT_NULL = 43;
export const R_X_TEXT_OR_LIST = 44;
export const R_X_CONST = 45;
export const R_X_ENUM = 46;
export const R_X_NON_EMPTY = 47;
export const R_FIRST_EVENT = 48;
export const R_RUN_ACTIVE = 49;
export const R_RUN_FINISHED = 50;
export const R_RUN_ERRORED = 51;
export const R_TEXT_OPEN = 52;
export const R_TOOL_OPEN = 53;
export const R_REASONING_OPEN = 54;
export const R_SPAN_OPEN = 55;
export const R_NO_TEXT = 56;
export const R_NO_TOOL = 57;
export const R_NO_REASONING = 58;
export const R_NO_SPAN = 59;
export const R_STILL_TEXT = 60;
export const R_STILL_TOOL = 61;
export const R_STILL_REASONING = 62;
export const R_STILL_SPAN = 63;
export const R_STILL_STEP = 64;
export const R_STILL_SUBAGENT = 65;
export const R_STEP_OPEN = 66;
export const R_NO_STEP = 67;
export const R_STEP_OWNER = 68;
export const R_SUBAGENT_ACTIVE = 69;
export const R_SUBAGENT_CLOSED = 70;
export const R_SUBAGENT_PARENT = 71;
export const R_NO_SUBAGENT = 72;
export const R_OWNER = 73;
export const R_PARENT_OWNER = 74;
export const R_CHUNK_ROLE = 75;
export const R_CHUNK_NAME = 76;
export const R_CHUNK_TOOL = 77;
export const R_CHUNK_PARENT = 78;
export const R_CHUNK_OWNER = 79;
export const R_CHUNK_AMBIGUOUS = 80;
export const R_FIRST_ID = 81;
export const R_LIMIT_ITEMS = 82;
export const R_RUNNING = 83;
export const R_MIDDLEWARE = 84;
// of bad_msgpack, in the order of MSGPACK_ in assembly/codec/msgpack/fault.ts
export const R_WIRE_SHORT = 85;
export const R_WIRE_TRAILING = 86;
export const R_WIRE_RESERVED = 87;
export const R_WIRE_KEY = 88;
export const R_WIRE_EXTENSION = 89;
export const R_WIRE_TIMESTAMP = 90;
export const R_WIRE_NOT_FINITE = 91;
export const R_WIRE_RANGE = 92;
// of storage frames
export const R_FRAME_TYPE = 93;
export const R_FRAME_TOTAL = 94;
export const R_FRAME_HALF = 95;
export const R_FRAME_OTHER_BLOCK = 96;
export const R_FRAME_OTHER_TOTAL = 97;
export const R_FRAME_RANGE = 98;
export const R_FRAME_SEQ = 99;
export const R_FRAME_WHOLE = 100;
export const R_RESTORED_ID = 101;
export const R_NESTED_FRAME = 102;
export const R_FRAMED_REFERENCE = 103;
export const R_LIMIT_GROUPS = 104;
export const R_LIMIT_BYTES = 105;
export const R_LIMIT_FRAMES = 106;
// of a body for a reference
export const R_OTHER_ID = 107;
// of a transcoder whose events go out as AgentUE
export const R_LIMIT_OUTPUT = 108;
// of a retired event
export const R_LIMIT_RUN_ID = 109;

// Warning ids. Order = src/errors.ts WARNING_CODES.
export const W_DUPLICATE_SEQ = 1;
export const W_UTF8_REPLACED = 2;
export const W_UNKNOWN_EVENT = 3;
export const W_UNKNOWN_PROPERTY = 4;
export const W_UNKNOWN_VARIANT = 5;
export const W_UNKNOWN_ENUM = 6;
export const W_LEGACY_EVENT = 7;
export const W_LEGACY_NULL = 8;
export const W_LEGACY_PART = 9;
export const W_LEGACY_DROPPED = 10;
export const W_DOWNGRADED = 11;
export const W_VERSION_NEWER = 12;
export const W_VERSION_UNREADABLE = 13;
export const W_DELTA_FAILED = 14;
export const W_DELTA_UPSERTED = 15;
export const W_TARGET_MISSING = 16;
export const W_TARGET_MISMATCH = 17;
export const W_TOOL_RENAMED = 18;
export const W_BAD_ARGUMENTS = 19;
export const W_LOSSY = 20;

// Ops, in the order of AgentUE §5.
export const OP_START = 1;
export const OP_SET = 2;
export const OP_APPEND = 3;
export const OP_ERROR = 4;
export const OP_PING = 5;
export const OP_END = 6;

// Stream status.
export const STATUS_NONE = 0;
export const STATUS_OPEN = 1;
export const STATUS_ERRORED = 2;
export const STATUS_ENDED = 3;
export const STATUS_REFUSED = 4;

// Status of an AG-UI run (docs/semantics-agui.md §8).
export const RUN_IDLE = 0;
export const RUN_RUNNING = 1;
export const RUN_FINISHED = 2;
export const RUN_INTERRUPTED = 3;
export const RUN_CANCELLED = 4;
export const RUN_FAILED = 5;
export const RUN_REJECTED = 6;
export const RUN_TRUNCATED = 7;

// Kinds of JSON values, as "received" in faults.
export const KIND_STRING = 1;
export const KIND_NUMBER = 2;
export const KIND_BOOLEAN = 3;
export const KIND_NULL = 4;
export const KIND_OBJECT = 5;
export const KIND_ARRAY = 6;

// Options.
export const PROTOCOL_AGENTUE = 1;
export const PROTOCOL_AG_UI = 2;
export const TRANSPORT_SSE = 1;
export const TRANSPORT_NDJSON = 2;
export const TRANSPORT_JSON = 3;
export const TRANSPORT_MSGPACK = 4;
export const TRANSPORT_PROTOBUF = 5;
// What a transcoder may lose on the way from wire to wire, as bits; order = src/errors.ts LOSSES.
/** Digits of a number, or the sign of its zero. */
export const LOSS_NUMBER = 1;
/** A surrogate half without its other half: it became U+FFFD. */
export const LOSS_SURROGATE = 2;
/** Bytes (bin), which became base64. */
export const LOSS_BINARY = 4;
/** A timestamp, which became a string. */
export const LOSS_TIMESTAMP = 8;
/** A member that the wire has no field for. */
export const LOSS_MEMBER = 16;
/** A list without elements, or a null, that the wire cannot tell from an absent one. */
export const LOSS_EMPTY = 32;
/** A content part of a kind that the wire does not know. */
export const LOSS_PART = 64;
/** Forms of a model. */
export const FORMAT_JSON = 0;
export const FORMAT_MSGPACK = 1;
export const SEQUENCE_DEDUPE = 0;
export const SEQUENCE_STRICT = 1;
export const SEQUENCE_OFF = 2;
