/** Texts of deltas that meet every shortcut: characters of one to four bytes, what JSON escapes, nothing, 15 and 16 bytes around a step of SIMD. */
export const TEXTS = ["a", " the", "é", "中", "😀", "\n", '"', "\\", "", "x".repeat(15), "y".repeat(16)];

/** Halves of a pair, which text wires alone carry as they are. */
export const HALVES = ["\ud83d", "\ude00"];

/** Ids of which some are prefixes of others. */
export const IDS = ["m", "answer-1", "answer-10", "answer-12", 'q"', "é", "x".repeat(40)];

/** Ids of which some are the escapes of others. */
export const ESCAPED = ['q\\"', "back\\", "\u0001", "\\u0001"];
