/** Takes the messages that a framer cuts out of the wire. Each answer says whether to go on: false when the connection has failed. */
export interface MessageSink {
  /** A message of well-formed UTF-8. */
  message(text: string): boolean;
  /** A message of ill-formed UTF-8; the bytes are valid during the call only. */
  illFormed(bytes: Uint8Array): boolean;
  /** A message of a binary wire; the bytes are valid during the call only. */
  binary(bytes: Uint8Array): boolean;
  /** A message beyond the limit; `offset` is its start in the wire. When the answer is true the framer skips the rest of it. */
  tooLarge(offset: number): boolean;
}

/**
 * Cuts one transport's wire into messages, at every cut of the wire alike (docs/semantics.md §1).
 * Offsets count wire bytes since the framer was made.
 */
export interface Framer {
  /** Wire bytes consumed. */
  readonly offset: number;
  /** The rest of a too large message is being skipped. */
  readonly skipping: boolean;
  /** A message has begun that cannot be used without its end, unlike the tail of a text. */
  readonly isPartial: boolean;
  push(chunk: Uint8Array, sink: MessageSink): void;
  /** During a call of the sink: where the present message starts. */
  messageStart(): number;
  /** During a call of the sink: the wire offset of a byte position in the present message. */
  locate(position: number): number;
  /** During a call of the sink: the present message as it came. */
  messageBytes(): Uint8Array;
  /**
   * The end of the body: the message that lacks its terminator, undefined when there is none. `messageStart` and `locate` refer to it then.
   *
   * @param use whether the last line may take effect in full; otherwise it is only looked at
   */
  tail(sink: MessageSink, use: boolean): Uint8Array | undefined;
  /** The tail was applied. */
  acceptTail(): void;
  /** Forgets the tail. */
  dropTail(): void;
  /** Wire bytes that bring a fresh framer to the present state, but for what has a member of its own. */
  partial(): Uint8Array;
  /**
   * Brings a fresh framer to a saved state: `partial` ends at `offset`.
   *
   * @returns false when there is no such state
   */
  resume(partial: Uint8Array, offset: number, skipping: boolean): boolean;
}

/** Where no message may come: notes that one has, and stops. */
export class NoMessage implements MessageSink {
  came = false;

  message(): boolean {
    this.came = true;
    return false;
  }

  illFormed(): boolean {
    return this.message();
  }

  binary(): boolean {
    return this.message();
  }

  tooLarge(): boolean {
    return this.message();
  }
}

const SPACE_ONLY = /^[ \t\n\r]*$/;
const NOTHING = /^[ \t\n\r]*(?:\[DONE\][ \t\n\r]*)?$/;

/** JSON white space only. */
export function isBlank(text: string): boolean {
  // Nearly every message begins with its brace.
  return text.charCodeAt(0) !== 0x7b && SPACE_ONLY.test(text);
}

/** White space only, or `[DONE]` in white space: data that is no message. */
export function isBlankOrDone(text: string): boolean {
  return text.charCodeAt(0) !== 0x7b && NOTHING.test(text);
}
