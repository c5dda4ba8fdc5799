/** What is known of the bytes that something takes. */
export interface Count {
  bytes: number;
  /** `bytes` is kept exact; else it is an upper bound. */
  counted: boolean;
}

/** Keeps something within a limit of bytes, and counts its bytes exactly only near it. */
export class Size {
  private readonly limit: number;
  private readonly measure: () => number;
  private bytes: number;
  private counted = false;
  /** What it may have after the changes that have begun. */
  private most: number;

  /**
   * @param limit bytes allowed
   * @param bound at least as many bytes as it has now
   * @param measure counts all of its bytes
   */
  constructor(limit: number, bound: number, measure: () => number) {
    this.limit = limit;
    this.most = limit;
    this.bytes = bound;
    this.measure = measure;
  }

  /** Changes begin that are one: what is over the limit already may stay so, but not grow. */
  begin(): void {
    if (!this.counted && this.bytes > this.limit) {
      this.bytes = this.measure();
      this.counted = this.bytes > this.limit / 2;
    }
    this.most = this.counted ? Math.max(this.limit, this.bytes) : this.limit;
  }

  /**
   * Makes room for a change that has not been made yet, or refuses it.
   *
   * @param bound at least as many bytes as the change adds
   * @param growth the bytes it adds exactly, negative where it takes some away; asked only near the limit
   */
  admit(bound: number, growth: () => number): boolean {
    if (!this.counted) {
      if (this.bytes + bound <= this.limit) {
        this.bytes += bound;
        return true;
      }
      // The next bound that is too high comes after as many bytes of changes as were measured; what fills half of the limit is counted for good.
      this.bytes = this.measure();
      this.counted = this.bytes + bound > this.limit / 2;
      if (!this.counted) {
        this.bytes += bound;
        return true;
      }
    }
    const bytes = this.bytes + growth();
    if (bytes > this.most) return false;
    this.bytes = bytes;
    return true;
  }

  /** Counts exactly from now on, until `relax`. */
  count(): void {
    if (this.counted) return;
    this.bytes = this.measure();
    this.counted = true;
  }

  /** What does not fill half of the limit needs no exact count. */
  relax(): void {
    this.counted = this.bytes > this.limit / 2;
  }

  /** Adds a bound without asking, where nothing but a small bound is at hand; false when only `admit` can tell. */
  addBound(bound: number): boolean {
    const bytes = this.bytes + bound;
    if (this.counted || bytes > this.limit) return false;
    this.bytes = bytes;
    return true;
  }

  exact(): number {
    if (!this.counted) this.bytes = this.measure();
    return this.bytes;
  }

  save(): Count {
    return { bytes: this.bytes, counted: this.counted };
  }

  /** Back to what was saved, when the changes since have been taken back. */
  restore(count: Count): void {
    this.bytes = count.bytes;
    this.counted = count.counted;
  }
}
