import type { EngineSession, Warning } from "../engine/contract.js";
import { PartialJson } from "../json/partial.js";
import { warningMessage } from "../warnings.js";

/** Readers kept; the one asked for longest ago goes first, and is read anew when it is asked for again. */
const MOST_READERS = 256;

interface Reading {
  json: PartialJson;
  /** Code units read so far. */
  at: number;
  generation: number;
  reported: boolean;
}

/** The argument values of tool calls while they stream (docs/semantics-agui.md §11): each look reads only what is new. */
export class PartialArguments {
  readonly #readings = new Map<string, Reading>();

  /**
   * The value so far, undefined when no such call is held.
   *
   * @param warn hears once of text that is no JSON
   */
  valueOf(session: EngineSession, toolCallId: string, warn: ((warning: Warning) => void) | undefined): unknown {
    let reading = this.#readings.get(toolCallId);
    const found = session.argumentText?.(toolCallId, reading?.at ?? 0);
    this.#readings.delete(toolCallId);
    if (found === undefined) return undefined;
    if (reading !== undefined && (found.generation !== reading.generation || found.from !== reading.at)) {
      reading = undefined;
      if (found.from !== 0) return this.valueOf(session, toolCallId, warn);
    }
    reading ??= { json: new PartialJson(), at: 0, generation: found.generation, reported: false };
    this.#readings.set(toolCallId, reading);
    if (this.#readings.size > MOST_READERS) this.#readings.delete(this.#readings.keys().next().value as string);
    reading.json.push(found.text, found.complete);
    reading.at += found.text.length;
    const { error } = reading.json;
    if (error !== undefined && !reading.reported) {
      reading.reported = true;
      const facts = { code: "bad_arguments", subject: toolCallId, streamId: "", position: error.position } as const;
      const message = `${warningMessage(facts)} (at code unit ${error.position})`;
      warn?.({ ...facts, message, eventIndex: Math.max(session.stats().events - 1, 0) });
    }
    return reading.json.value;
  }

  /** Forgets everything, when another state takes the place of this one. */
  clear(): void {
    this.#readings.clear();
  }
}
