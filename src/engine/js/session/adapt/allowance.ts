/** Bytes that any event may write, and that each adds to the allowance. */
const FREE = 16 * 1024;
/** An event may write that many times its message. */
const SHARE = 8;

const NO_MESSAGE = (): number => 0;

/** What events may write beyond what they bring (docs/adapter.md §8), in bytes of JSON text without the `stream_id`. */
export class Allowance {
  /** Something was left out since the last `start`. */
  isCut = false;
  /** More was to be written than the event in hand may write. */
  refused = false;
  /** Bytes of the input that was given, until they are counted with the first event. */
  private given: number;
  private readonly input: number;
  private readonly most: number;
  private left: number;
  /** What the event in hand may write without being counted; undefined as long as it is not asked for. */
  private own: number | undefined = 0;
  private size = NO_MESSAGE;
  private written = 0;
  private lifted = false;

  /**
   * @param most the limit `outputBytes`
   * @param input bytes of the input of the options, which the first `start` shows
   */
  constructor(most: number, input: number) {
    this.most = this.left = most;
    this.given = this.input = input;
  }

  reset(): void {
    this.left = this.most;
    this.given = this.input;
    this.isCut = false;
  }

  /** One more event was accepted. */
  refill(): void {
    this.left = Math.min(this.most, this.left + FREE);
  }

  /**
   * Begins with what an event says.
   *
   * @param size bytes of its message
   */
  begin(size = NO_MESSAGE): void {
    if (this.given > 0) {
      this.own = Math.max(FREE, SHARE * (size() + this.given));
      this.given = 0;
    } else {
      this.own = undefined;
      this.size = size;
    }
    this.written = 0;
    this.refused = this.lifted = false;
  }

  /** What ends a delivery is always said. */
  lift(): void {
    this.lifted = true;
  }

  /** More than these bytes may not be written any more. */
  get room(): number {
    if (this.lifted) return Number.POSITIVE_INFINITY;
    return this.refused ? -1 : Math.max(this.share, this.left) - this.written;
  }

  private get share(): number {
    this.own ??= Math.max(FREE, SHARE * this.size());
    return this.own;
  }

  /** Counts `bytes` that are about to be written; whether they may be. */
  take(bytes: number): boolean {
    if (this.lifted) return true;
    const all = this.written + bytes;
    if (!this.refused && all > FREE && all > this.left && all > this.share) this.refused = true;
    if (!this.refused) this.written = all;
    return !this.refused;
  }

  /** The event is done; whether all was said of it. */
  end(): boolean {
    if (this.written > FREE && this.written > this.share) this.left = Math.max(0, this.left - this.written);
    if (this.refused) this.isCut = true;
    return !this.refused;
  }

  /** A `start` was not sent: where it was too much, the next one waits, or each event would make it up to the limit again. */
  spendOnStart(): void {
    if (this.refused) this.left = 0;
  }

  /** Something was left out: until the allowance is full there is no other `start`. */
  get isWaiting(): boolean {
    return this.isCut && this.left < this.most;
  }
}
