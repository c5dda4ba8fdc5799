/** What a field holds, and how its JSON member comes from it. */
export type FieldKind =
  | "bool"
  | "int64"
  | "op"
  | "type"
  | "string"
  | "optional-string"
  | "value"
  | "struct"
  | "message"
  | "messages"
  | "strings"
  | "base"
  | "content"
  | "parts"
  | "activity"
  | "outcome";

/** One field of a message of ag_ui.proto. */
export interface Field {
  /** Name of its JSON member; of an arm, the value of `type`. Missing where the JSON form has no member for it alone. */
  readonly name?: string;
  readonly kind: FieldKind;
  /** Name of the message it holds. */
  readonly message?: string;
  /** The list is shown even where it is empty. */
  readonly always?: true;
  /** Null is a value of its own for the member. */
  readonly keepsNull?: true;
  /** The list stands in the outcome. */
  readonly ofOutcome?: true;
}
