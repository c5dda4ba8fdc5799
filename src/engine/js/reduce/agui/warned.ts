import type { WarningFacts } from "../../../../errors.js";

/** Different warnings of one run that are reported. */
const MOST = 256;

/** Which warnings of the boundary and of enforcement this run has had (docs/semantics-agui.md §4). */
export class Warned {
  private readonly seen = new Set<string>();

  /** Whether a warning is to be reported: the first of its kind, as long as there are not too many kinds. */
  isNew({ code, eventType, path, subject }: WarningFacts): boolean {
    // Of an unknown type nothing but the name is known.
    const type = code === "unknown_event" ? subject : eventType;
    const key = `${code} ${path} ${type}`;
    if (this.seen.size >= MOST || this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  /** Has had what another run has had. */
  assign({ seen }: Warned): void {
    this.seen.clear();
    for (const key of seen) this.seen.add(key);
  }

  reset(): void {
    this.seen.clear();
  }
}
