/** What holds the content of a message: a string, a string or parts, an object; of a role that is not known, whichever is there. */
export type Carrier = "text" | "parts" | "activity" | "any";

const CARRIERS: Readonly<Record<string, Carrier>> = {
  user: "parts",
  tool: "parts",
  activity: "activity",
  developer: "text",
  system: "text",
  assistant: "text",
  reasoning: "text",
};

/** The carrier that the role of a message asks for. */
export function carrierOf(role: string): Carrier {
  return Object.hasOwn(CARRIERS, role) ? CARRIERS[role]! : "any";
}
