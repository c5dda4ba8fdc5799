import type { Side } from "./contenders/contender.js";
import type { Trial } from "./measure.js";

/** One run over a body that comes in chunks. */
export interface ChunkReader {
  /** Takes the chunks: the contender itself where it can be, so that no other call is timed. */
  into: { push(chunk: Uint8Array): unknown };
  /** What is timed, too, when all chunks have come. */
  end?(): void;
  answer(): unknown;
  close(): void;
}

/**
 * Bodies from the first chunk to the last.
 *
 * @param payloads with the same number of events
 * @param verified payloads that are compared, from the first on
 * @param ops operations of one body
 */
export function chunkTrial<
  Candidate extends { name: string; side: Side },
  Payload extends { chunks: readonly Uint8Array[] },
>(
  candidates: readonly Candidate[],
  payloads: readonly Payload[],
  verified: number,
  ops: number,
  open: (candidate: Candidate, payload: Payload) => ChunkReader,
  expected: (payload: Payload) => unknown,
): Trial {
  return {
    contenders: candidates.map((candidate) => ({
      name: candidate.name,
      side: candidate.side,
      prepare(number) {
        const payload = payloads[number]!;
        const { chunks } = payload;
        const reader = open(candidate, payload);
        const { into } = reader;
        return {
          run() {
            for (let index = 0; index < chunks.length; index++) into.push(chunks[index]!);
            reader.end?.();
            return reader;
          },
          answer: () => reader.answer(),
          close: () => reader.close(),
        };
      },
    })),
    payloads: payloads.length,
    verified,
    expected: (number) => expected(payloads[number]!),
    ops,
  };
}
