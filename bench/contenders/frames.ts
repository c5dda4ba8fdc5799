import type { AgentUEFrameBlock } from "../../src/agentue/index.js";
import type { Engine } from "../../src/engine/contract.js";
import type { Side } from "./contender.js";
import { engineName } from "./engines.js";

/** Something that cuts a block into storage frames and joins them again, bytes to bytes. */
export interface Framing {
  name: string;
  side: Side;
  /** Frames as NDJSON, each of at most `maxBytes` bytes. */
  cut(block: Uint8Array, maxBytes: number): Uint8Array;
  /** The block of its frames, in any order. */
  join(frames: Uint8Array): Uint8Array;
}

export function engineFraming(engine: Engine): Framing {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    cut: (block, maxBytes) => engine.frameBlock(block, { maxBytes }),
    join: (frames) => engine.unframe(frames),
  };
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** More than a frame takes around its data: an id, the block's id and two numbers. */
const AROUND = 160;

/**
 * What a program does without this package: the text is decoded, parsed to check it, cut into slices that are written by `JSON.stringify` and shortened where
 * their escapes leave no room; lines are read by `JSON.parse` and joined, and the block is parsed to check it.
 */
export const PLAIN: Framing = {
  name: "JSON.stringify of slices, JSON.parse of lines",
  side: "js",
  cut(bytes, maxBytes) {
    const text = decoder.decode(bytes);
    const { id } = JSON.parse(text) as { id: string };
    const room = maxBytes - AROUND - id.length;
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      let length = room;
      for (;;) {
        let end = Math.min(at + length, text.length);
        if (end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end--;
        const piece = text.slice(at, end);
        const size = Buffer.byteLength(JSON.stringify(piece)) - 2;
        if (size <= room) {
          pieces.push(piece);
          at = end;
          break;
        }
        length = Math.floor(((end - at) * room) / size);
      }
    }
    const group = crypto.randomUUID();
    const lines = pieces.map((data, seq) => {
      const frame: AgentUEFrameBlock = {
        id: `${group}.${seq}`,
        type: "frame",
        block_id: id,
        seq,
        total: pieces.length,
        data,
      };
      return `${JSON.stringify(frame)}\n`;
    });
    return encoder.encode(lines.join(""));
  },
  join(bytes) {
    const parts: string[] = [];
    let first: AgentUEFrameBlock | undefined;
    const ids = new Set<string>();
    for (const line of decoder.decode(bytes).split("\n")) {
      if (line === "") continue;
      const frame = JSON.parse(line) as AgentUEFrameBlock;
      first ??= frame;
      const { id, type, block_id, seq, total, data } = frame;
      if (type !== "frame" || block_id !== first.block_id || total !== first.total || typeof data !== "string")
        throw new Error("no frame of this block");
      if (!(seq >= 0 && seq < total) || parts[seq] !== undefined || ids.has(id)) throw new Error("a frame twice");
      ids.add(id);
      parts[seq] = data;
    }
    if (first === undefined || ids.size !== first.total) throw new Error("frames are missing");
    const text = parts.join("");
    if ((JSON.parse(text) as { id: string }).id !== first.block_id) throw new Error("another block");
    return encoder.encode(text);
  },
};
