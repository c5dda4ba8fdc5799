import { fillIn, REASONS, SHARED_WARNINGS, type WarningCode, type WarningFacts } from "./errors.js";

/** What a transcoder may lose, named as the `subject` of a `lossy` warning, and the words for it; the position is the bit in assembly/abi/codes.ts. */
export const LOSSES = [
  ["number", "digits of a number or the sign of its zero"],
  ["surrogate", "a surrogate half without its other half, which becomes U+FFFD"],
  ["binary", "bytes, which become base64"],
  ["timestamp", "a timestamp, which becomes a string"],
  ["member", "a member that the wire has no field for"],
  ["empty", "a list without elements or a null, which the wire cannot tell from an absent one"],
  ["part", "a content part of a kind that the wire does not know"],
] as const;

const WARNING_TEXT: Record<WarningCode, string> = {
  ...SHARED_WARNINGS,
  unknown_event: "Dropped the unknown event '{subject}': the protocol does not describe it",
  unknown_property: "Removed what {type} is not described to have",
  unknown_variant: "Removed a value of an unknown kind from {type}",
  unknown_enum: "Removed a value from {type} that the schema does not list",
  legacy_event: "Translated the retired '{subject}' to '{type}'",
  legacy_null: "Took null for an absent member of {type}",
  legacy_part: "Translated a retired binary content part of {type}",
  legacy_dropped: "Dropped the title of a retired THINKING_START, for which {type} has no member",
  downgraded: "dropping {subject}, which the peer's protocol version does not know",
  version_newer: "The producer speaks {subject}, which is newer than 1.1: what it adds is removed",
  version_unreadable: "cannot interpret the producer's protocolVersion '{subject}': taken for a newer one",
  delta_failed: "Failed to apply {kind} patch",
  delta_upserted: "Applied a failing {kind} patch by creating what was missing",
  target_missing: "{type} names '{subject}', which is not there: ignored",
  target_mismatch: "{type} names '{subject}', which is of another kind: ignored there",
  tool_renamed: "TOOL_CALL_START renames the tool call '{subject}'",
  bad_arguments: "The arguments of the tool call '{subject}' are not JSON",
  lossy: "Something is lost on the way to the other wire",
};

/** An event on a wire that gives events numbers instead of names. */
const UNNAMED_EVENT = "Dropped an event of an unknown kind: the protocol does not describe it";

/** The text of a warning, built from its code, its reason and its place; the same for both engines. */
export function warningMessage(warning: WarningFacts): string {
  const unnamed = warning.code === "unknown_event" && warning.subject === undefined;
  let text = fillIn(unnamed ? UNNAMED_EVENT : WARNING_TEXT[warning.code], warning);
  const reason =
    warning.code === "lossy" ? LOSSES.find(([name]) => name === warning.subject)?.[1] : REASONS[warning.reason ?? 0];
  if (reason) text += `: ${fillIn(reason, warning)}`;
  if (warning.path !== undefined) text += ` (at ${warning.path === "" ? "the root" : warning.path})`;
  if (warning.opIndex !== undefined) text += ` (operation ${warning.opIndex})`;
  return text;
}
