import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

// Static bytes of the core are written by hand: what is said above them has to be what they hold.

const source = readFileSync(new URL("../../assembly/session/adapt/pieces.ts", import.meta.url), "utf8");
const PIECE = /^\/\/ (.*)\nexport const (\w+): usize = memory\.data<u8>\(\[([^\]]*)\]\);$/gm;
const pieces = [...source.matchAll(PIECE)].map(([, text, name, bytes]) => ({
  text: text!,
  name: name!,
  bytes: bytes!.split(",").map(Number),
}));

/** What stands above a piece, as bytes: text, in quotes where it ends with a blank, or items of MessagePack. */
function meant(text: string): number[] {
  const items = /^MessagePack: (.*)$/.exec(text)?.[1];
  if (items === undefined) return [...new TextEncoder().encode(text.replace(/^"(.* )"$/, "$1"))];
  const all = [...items.matchAll(/str (\d+)(?: (\S+))?|map (\d+)/g)];
  expect(all.map(([item]) => item).join(" ")).toBe(items);
  return all.flatMap(([, size, name = "", members]) =>
    members === undefined ? [0xa0 | Number(size), ...new TextEncoder().encode(name)] : [0x80 | Number(members)],
  );
}

describe("pieces of AgentUE events", () => {
  it("are all read here", () => {
    expect(pieces.length).toBe(source.match(/memory\.data<u8>/g)!.length);
    expect(new Set(pieces.map(({ text }) => text)).size).toBe(pieces.length);
  });

  it.each(pieces.map((piece) => [piece.name, piece] as const))("%s", (_, { text, bytes: [length, ...bytes] }) => {
    expect(bytes.slice(0, length)).toEqual(meant(text));
    expect(bytes.slice(length).every((byte) => byte === 0)).toBe(true);
    // pieces are copied by eight bytes at a time
    expect((bytes.length + 1) % 8).toBe(0);
  });
});
