/** Takes the messages that are cut out of a binary wire. Each answer says whether to go on. */
export interface CutterSink {
  /** A message (of a frame its payload) and its wire offset; the bytes are valid during the call only. */
  message(bytes: Uint8Array, offset: number): boolean;
  /** A message beyond the limit, by its wire offset (of a frame that of its length). When the answer is true the rest of it is skipped. */
  tooLarge(offset: number): boolean;
}

/** Cuts a binary wire into messages, at every cut of the wire alike; every byte is looked at once. Memory is taken for bytes that have come. */
export interface Cutter {
  /** Wire bytes before the chunk in hand. */
  readonly offset: number;
  /** The rest of a too large message is being skipped. */
  readonly skipping: boolean;
  /** Whether a message has begun that is not complete: the end of the body here is a truncation. */
  readonly isPartial: boolean;
  push(chunk: Uint8Array, sink: CutterSink): void;
  /** Forgets the unfinished message. */
  drop(): void;
  /** What brings a fresh cutter to the present state, but for `offset` and `skipping` (docs/semantics.md §10). */
  partial(): Uint8Array;
  /**
   * Brings a fresh cutter to a saved state.
   *
   * @param partial and `skipping`: as they were at the wire offset `offset`
   * @returns false when they are no such state
   */
  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean;
}
