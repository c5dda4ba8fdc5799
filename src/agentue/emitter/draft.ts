import type { JsonObject } from "../../json/object.js";

/** An event without what the emitter adds: seq, stream and time. */
export interface Draft {
  op: "start" | "set" | "append" | "error" | "ping" | "end";
  mask?: string;
  event_type?: string;
  model?: JsonObject;
  meta?: JsonObject;
  block?: JsonObject;
}

/** Members of a block that are the protocol's: they are set, never grown. */
export const PROTOCOL_MEMBERS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "id",
  "ref",
  "type",
  "parent_id",
  "group_id",
]);

/** Whether a mask can name a member (AgentUE §5.2: segments are separated by dots). */
export function isAddressable(name: string): boolean {
  return name !== "" && !name.includes(".");
}

/** A payload that holds a value at a path. */
export function payloadAt(path: readonly string[], value: unknown): JsonObject {
  return path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as JsonObject;
}
