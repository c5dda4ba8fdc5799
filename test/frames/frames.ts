import type { AgentUEFrameBlock } from "../../src/agentue/index.js";
import { text, utf8 } from "../support/bytes.js";

/** The frames of NDJSON, line by line. */
export function framesOf(bytes: Uint8Array): AgentUEFrameBlock[] {
  return linesOf(bytes).map((line) => JSON.parse(line) as AgentUEFrameBlock);
}

/** The lines of NDJSON, each of which must have its end. */
export function linesOf(bytes: Uint8Array): string[] {
  const lines = text(bytes).split("\n");
  if (lines.pop() !== "") throw new Error("the last line has no end");
  return lines;
}

/** NDJSON of lines or of values. */
export function ndjsonOf(lines: readonly unknown[]): Uint8Array {
  return utf8(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
}

/** Frames of a text, cut at the places given (behind a character that they would halve), as a producer without this package would write them. */
export function framed(block: string, cuts: readonly number[], id = "b"): AgentUEFrameBlock[] {
  const ends = [...cuts.map((at) => ((block.charCodeAt(at) & 0xfc00) === 0xdc00 ? at + 1 : at)), block.length];
  return ends.map((end, seq) => ({
    id: `f${seq}`,
    type: "frame",
    block_id: id,
    seq,
    total: ends.length,
    data: block.slice(seq === 0 ? 0 : ends[seq - 1], end),
  }));
}

/** A frame block whose members replace those of an ordinary one. */
export function frameWith(members: object): AgentUEFrameBlock {
  return { id: "f0", type: "frame", block_id: "b", seq: 0, total: 1, data: '{"id":"b","type":"t"}', ...members };
}
