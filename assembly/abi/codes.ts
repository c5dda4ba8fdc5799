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

// Warning ids. Order = src/errors.ts WARNING_CODES.
export const W_DUPLICATE_SEQ = 1;
export const W_UTF8_REPLACED = 2;

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

// Options.
export const PROTOCOL_AGENTUE = 1;
export const TRANSPORT_SSE = 1;
export const TRANSPORT_NDJSON = 2;
export const TRANSPORT_JSON = 3;
export const SEQUENCE_DEDUPE = 0;
export const SEQUENCE_STRICT = 1;
export const SEQUENCE_OFF = 2;
