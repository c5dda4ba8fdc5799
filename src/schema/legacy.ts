import { type JsonObject, own, put } from "../json/object.js";
import { isObject } from "../json/tree.js";

/** Hears of each translation, with a JSON pointer to what was translated, in document order. */
export type OnLegacy = (code: "legacy_null" | "legacy_part", path: string) => void;

const MEDIA: ReadonlySet<string> = /* @__PURE__ */ new Set(["image", "audio", "video", "document"]);

/**
 * Translates what older peers put into a RunAgentInput: whole nulls of optional payloads, binary content parts
 * (docs/semantics-agui.md §2). Judges nothing: whatever has another form stays as it is.
 *
 * @param input changed in place
 * @param path JSON pointer to the input
 */
export function translateInput(input: JsonObject, path: string, onLegacy: OnLegacy): void {
  for (const name of Object.keys(input)) {
    const value = input[name];
    switch (name) {
      case "forwardedProps":
        dropNull(input, name, path, onLegacy);
        break;
      case "tools":
        eachObject(value, (tool, i) => dropNull(tool, "parameters", `${path}/tools/${i}`, onLegacy));
        break;
      case "resume":
        eachObject(value, (entry, i) => dropNull(entry, "payload", `${path}/resume/${i}`, onLegacy));
        break;
      case "messages":
        translateMessages(value, `${path}/messages`, onLegacy);
        break;
    }
  }
}

/** The same for a list of messages. */
export function translateMessages(messages: unknown, path: string, onLegacy: OnLegacy): void {
  eachObject(messages, (message, i) => translateParts(own(message, "content"), `${path}/${i}/content`, true, onLegacy));
}

/**
 * The same for a list of content parts.
 *
 * @param binary whether retired binary parts are translated, too
 */
export function translateParts(parts: unknown, path: string, binary: boolean, onLegacy: OnLegacy): void {
  if (!Array.isArray(parts)) return;
  let modern: Map<string, Set<unknown>> | undefined;
  let kept = 0;
  for (let i = 0; i < parts.length; i++) {
    let part: unknown = parts[i];
    if (isObject(part)) {
      const type = own(part, "type");
      const upgraded = binary && type === "binary" ? upgrade(part) : undefined;
      if (upgraded !== undefined) {
        onLegacy("legacy_part", `${path}/${i}`);
        // As the list came: later binary parts are still what they were.
        modern ??= modernParts(parts);
        if (holds(modern, upgraded)) continue;
        part = upgraded;
      } else if (MEDIA.has(type as string)) {
        dropNull(part, "metadata", `${path}/${i}`, onLegacy);
      }
    }
    parts[kept++] = part;
  }
  parts.length = kept;
}

/** Removes a member that is null. */
export function dropNull(object: JsonObject, name: string, path: string, onLegacy: OnLegacy): void {
  if (own(object, name) !== null) return;
  delete object[name];
  onLegacy("legacy_null", `${path}/${name}`);
}

function eachObject(list: unknown, visit: (object: JsonObject, index: number) => void): void {
  if (!Array.isArray(list)) return;
  for (let i = 0; i < list.length; i++) {
    const element: unknown = list[i];
    if (isObject(element)) visit(element, i);
  }
}

/** A binary part as the media part that took its place; undefined when it has no contents to go by. */
function upgrade(part: JsonObject): JsonObject | undefined {
  const mimeType = own(part, "mimeType");
  if (typeof mimeType !== "string") return undefined;
  const data = own(part, "data");
  const url = own(part, "url");
  const inline = typeof data === "string" && data !== "";
  if (!inline && (typeof url !== "string" || url === "")) return undefined;
  const prefix = /^(image|audio|video)\//.exec(mimeType);
  const upgraded: JsonObject = {
    type: prefix === null ? "document" : prefix[1],
    source: { type: inline ? "data" : "url", value: inline ? data : url, mimeType },
  };
  const filename = own(part, "filename");
  if (typeof filename === "string" && filename !== "") put(upgraded, "metadata", { filename });
  return upgraded;
}

/** The media parts of a list by what identifies their contents, with the names of their files. */
function modernParts(parts: readonly unknown[]): Map<string, Set<unknown>> {
  const found = new Map<string, Set<unknown>>();
  for (const part of parts) {
    const key = isObject(part) ? keyOf(part) : undefined;
    if (key === undefined) continue;
    let names = found.get(key);
    if (names === undefined) {
      names = new Set();
      found.set(key, names);
    }
    names.add(filenameOf(part as JsonObject));
  }
  return found;
}

function holds(modern: Map<string, Set<unknown>>, upgraded: JsonObject): boolean {
  const names = modern.get(keyOf(upgraded) as string);
  if (names === undefined) return false;
  const filename = filenameOf(upgraded);
  return filename === undefined || names.has(filename);
}

function keyOf(part: JsonObject): string | undefined {
  const source = own(part, "source");
  if (!isObject(source)) return undefined;
  const key = [own(part, "type"), own(source, "type"), own(source, "value"), own(source, "mimeType")];
  return key.every((text) => typeof text === "string") ? JSON.stringify(key) : undefined;
}

function filenameOf(part: JsonObject): unknown {
  const metadata = own(part, "metadata");
  return isObject(metadata) ? own(metadata, "filename") : undefined;
}
