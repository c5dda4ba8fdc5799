import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), "utf8");
const DOC = read("docs/api.md");
const ENTRIES = [
  ...readdirSync(new URL("../../src/entry/", import.meta.url))
    .filter((name) => name !== "environment.ts")
    .map((name) => `src/entry/${name}`),
  "src/index.ts",
  "src/slim.ts",
  ...["agentue", "agui", "stream", "replay"].map((folder) => `src/${folder}/index.ts`),
];

/** Names that an entry exports one by one; of `export *` and `export type *` there are none. */
function exported(file: string): string[] {
  const text = read(file);
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap((match) => match[1]!.split(","));
  const named = lists.map((item) => item.trim().split(/\s+/).at(-1)!).filter((name) => name !== "");
  const declared = text.matchAll(/^export (?:async )?(?:function|const|class|type|interface) (\w+)/gm);
  return [...named, ...[...declared].map((match) => match[1]!)];
}

describe("docs/api.md", () => {
  it.each(ENTRIES)("names everything that %s exports", (file) => {
    const names = exported(file);
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(DOC))).toEqual([]);
  });
});
