/** The member that tells what a retired `binary` part is: the first of its data, its address and its id that is a text; undefined when none is. */
export function tellingMember(part: Readonly<Record<string, unknown>>): "data" | "url" | "id" | undefined {
  return (["data", "url", "id"] as const).find((name) => typeof part[name] === "string" && part[name] !== "");
}
