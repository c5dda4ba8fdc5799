import type { WarningCode, WarningFacts } from "../../../../errors.js";
import { type JsonObject, own, put } from "../../../../json/object.js";
import type { Limits } from "../../../../limits.js";
import type { OnDeltaFailure } from "../../../contract.js";
import type { Source } from "../agentue/operations.js";
import type { ModelChanges } from "./changes.js";
import type { Journal } from "./journal.js";
import type { CallEntry, MessageEntry } from "./messages.js";
import { CALL_MEMBER_LEVEL, MEMBER_LEVEL, type Model } from "./model.js";
import type { RunState } from "./run.js";
import type { AguiViolation } from "./violation.js";

/** What an event does to the model: changes that the journal can take back, and what is told when they stay. */
export class Effect {
  readonly model: Model;
  readonly limits: Limits;
  readonly onDeltaFailure: OnDeltaFailure;
  readonly journal: Journal;
  run: RunState;
  /** Of the event in hand. */
  source: Source = { nesting: 0, bytes: 0, exact: false };
  type = "";
  warnings: WarningFacts[] = [];
  private readonly told: ((changes: ModelChanges) => void)[] = [];

  constructor(model: Model, run: RunState, limits: Limits, onDeltaFailure: OnDeltaFailure, journal: Journal) {
    this.model = model;
    this.run = run;
    this.limits = limits;
    this.onDeltaFailure = onDeltaFailure;
    this.journal = journal;
  }

  /** The first event of a message. */
  begin(source: Source): void {
    this.source = source;
    this.warnings = [];
    this.told.length = 0;
  }

  tell(change: (changes: ModelChanges) => void): void {
    this.told.push(change);
  }

  /** The changes stay: tells them. */
  commit(changes: ModelChanges): void {
    for (const change of this.told) change(changes);
    this.told.length = 0;
  }

  warn(code: WarningCode, path: string, subject?: string): void {
    const warning: WarningFacts = { code, path, eventType: this.type };
    if (subject !== undefined) warning.subject = subject;
    this.warnings.push(warning);
  }

  /** A limit, where `admit` has given a reason. */
  refuse(reason: number, path: string): AguiViolation | undefined {
    return reason === 0 ? undefined : { code: "limit", reason, path, eventType: this.type };
  }

  /** Sets a member of the model; the journal puts back what was there, in its place. */
  set(object: JsonObject, name: string, value: unknown): void {
    const before = own(object, name);
    put(object, name, value);
    this.journal.note(() => (before === undefined ? delete object[name] : put(object, name, before)));
  }

  /** Removes a member; the journal puts it back in its place. */
  unset(object: JsonObject, name: string): void {
    if (!Object.hasOwn(object, name)) return;
    const members = Object.entries(object);
    delete object[name];
    this.journal.note(() => {
      for (const [key] of members) delete object[key];
      for (const [key, value] of members) put(object, key, value);
    });
  }

  /** Merges the event's metadata into a message, key by key; tells of it. */
  mergeIntoMessage(event: JsonObject, entry: MessageEntry): AguiViolation | undefined {
    if (own(event, "metadata") !== undefined) entry.claim();
    return this.merge(event, entry.value, MEMBER_LEVEL, (changes) => changes.replace(entry, "metadata"));
  }

  mergeIntoCall(event: JsonObject, call: CallEntry): AguiViolation | undefined {
    const field = `toolCalls.${call.index}.metadata`;
    if (own(event, "metadata") !== undefined) call.message.claim();
    return this.merge(event, call.value, CALL_MEMBER_LEVEL, (changes) => changes.replace(call.message, field));
  }

  /** @param told says what has changed, where it is said at all */
  merge(
    event: JsonObject,
    target: JsonObject,
    level: number,
    told?: (changes: ModelChanges) => void,
  ): AguiViolation | undefined {
    const metadata = own(event, "metadata") as JsonObject | undefined;
    if (metadata === undefined) return undefined;
    const { model, source } = this;
    const before = own(target, "metadata") as JsonObject | undefined;
    const growth = (): number => {
      if (before === undefined) return model.memberGrowth(target, "metadata", metadata);
      let bytes = 0;
      let count = Object.keys(before).length;
      for (const name of Object.keys(metadata)) {
        const held = own(before, name);
        bytes += model.lengthOf(metadata[name]);
        if (held !== undefined) bytes -= model.lengthOf(held);
        else bytes += model.lengthOf(name) + (count++ > 0 ? 2 : 1);
      }
      return bytes;
    };
    const refused = this.refuse(model.admit(metadata, level, source, growth, source.bytes + NAME), "/metadata");
    if (refused !== undefined) return refused;
    if (before === undefined) this.set(target, "metadata", metadata);
    // What a chunk's START has brought its CONTENT brings once more.
    else if (before !== metadata) for (const name of Object.keys(metadata)) this.set(before, name, metadata[name]);
    if (told !== undefined) this.tell(told);
    return undefined;
  }
}

/** At least as many bytes as a member's name, its punctuation and the like add to what an event brings. */
export const NAME = 128;
