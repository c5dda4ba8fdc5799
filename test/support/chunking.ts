import { Rng } from "./rng.js";

/** One way to cut a body into chunks. */
export interface Chunking {
  name: string;
  split(bytes: Uint8Array): Uint8Array[];
}

export const WHOLE: Chunking = { name: "whole", split: (bytes) => [bytes] };
export const ONE_BYTE: Chunking = { name: "one byte at a time", split: (bytes) => everyN(bytes, 1) };
/** The payload of a TCP segment on Ethernet. */
export const MTU: Chunking = { name: "1460 bytes at a time", split: (bytes) => everyN(bytes, 1460) };

export function everyN(bytes: Uint8Array, size: number): Uint8Array[] {
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(bytes.subarray(at, at + size));
  return out;
}

/** Seeded cuts of 1 to 40 bytes (long bodies: a 64th), now and then longer or empty. */
export function randomCuts(seed: number): Chunking {
  return {
    name: `random cuts, seed ${seed}`,
    split(bytes) {
      const rng = new Rng(seed);
      const out: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const most = rng.chance(0.1) ? bytes.length : Math.max(40, bytes.length >> 6);
        const size = rng.chance(0.05) ? 0 : rng.between(1, most);
        out.push(bytes.subarray(at, at + size));
        at += size;
      }
      return out;
    },
  };
}

/** Two chunks, cut before the byte at `at`. */
export function cutAt(at: number): Chunking {
  return { name: `cut at ${at}`, split: (bytes) => [bytes.subarray(0, at), bytes.subarray(at)] };
}

/** Every two-way cut. */
export function everyCut(length: number): Chunking[] {
  return Array.from({ length: length + 1 }, (_, at) => cutAt(at));
}

/** The standard set for a body of a given length: whole, one byte (short bodies), MTU, seeded cuts and `cuts` seeded two-way cuts. */
export function standardChunkings(length: number, seed: number, cuts = 3): Chunking[] {
  const rng = new Rng(seed ^ length);
  const list = [WHOLE, randomCuts(seed), randomCuts(seed + 1)];
  // Long bodies by single bytes tell nothing new and take long.
  if (length <= 8192) list.push(ONE_BYTE);
  if (length > 1460) list.push(MTU);
  for (let i = 0; i < cuts; i++) list.push(cutAt(rng.int(length + 1)));
  return list;
}
