/**
 * The ids given to retired THINKING events, which had none (docs/semantics-agui.md §2). Numbers count from 1 in a run, spans and messages
 * alike; 0 stands for none open.
 */
export class Thinking {
  minted = 0;
  span = 0;
  message = 0;

  /** A new run begins. */
  reset(): void {
    this.minted = 0;
    this.span = 0;
    this.message = 0;
  }

  copy(): Thinking {
    const copy = new Thinking();
    copy.assign(this);
    return copy;
  }

  assign({ minted, span, message }: Thinking): void {
    this.minted = minted;
    this.span = span;
    this.message = message;
  }

  /** The number for an event of the retired type. */
  numberFor(type: string): number {
    switch (type) {
      case "THINKING_START":
        this.span = ++this.minted;
        return this.span;
      case "THINKING_TEXT_MESSAGE_START":
        this.message = ++this.minted;
        return this.message;
      case "THINKING_END": {
        const number = this.span || ++this.minted;
        this.span = 0;
        return number;
      }
      case "THINKING_TEXT_MESSAGE_END": {
        const number = this.message || ++this.minted;
        this.message = 0;
        return number;
      }
      default:
        return this.message || ++this.minted;
    }
  }
}
