/**
 * Appended pieces that are joined into one flat string before they are hung on a text. A plain `+=` leaves one rope node per token, 8 times
 * the memory of the text, and lets the collector walk them all.
 */
const PIECES = 64;

/** A text that grows at its end, kept as head + tail besides the place where it stands whole. */
export class GrowingText {
  private growing = false;
  private head = "";
  private tail = "";
  private pieces = 0;

  /**
   * @param current the text as it stands
   * @returns the text with the addition
   */
  append(current: string, addition: string): string {
    if (!this.growing) {
      this.growing = true;
      this.head = current;
    }
    const tail = this.tail + addition;
    this.pieces++;
    if (this.pieces < PIECES) {
      this.tail = tail;
      return this.head + tail;
    }
    // Reading a character makes the engine flatten the rope.
    tail.charCodeAt(0);
    this.head += tail;
    this.tail = "";
    this.pieces = 0;
    return this.head;
  }

  /** Forgets the parts: the text was changed otherwise, or was flattened by a reader. */
  settle(): void {
    if (!this.growing) return;
    this.growing = false;
    this.head = "";
    this.tail = "";
    this.pieces = 0;
  }
}
