import { memberNames } from "../../../json/exact.js";
import type { NamesAt } from "../reduce/agentue/validate.js";

const INTEGER_NAME = /^(?:0|[1-9][0-9]*)$/;

/** Member names in the document order of a text; JavaScript lists integer-like names first. Without a text JavaScript's order counts. */
export function namesIn(text: string | undefined): NamesAt {
  return (path, object) => namesOf(text, path, object);
}

export function namesOf(
  text: string | undefined,
  path: readonly (string | number)[],
  object: object,
): readonly string[] {
  const names = Object.keys(object);
  if (text === undefined || names.length === 0 || !INTEGER_NAME.test(names[0]!)) return names;
  return memberNames(text, path);
}
