import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { publishedAgui } from "../support/shared.js";

// docs/ag-ui-rules.md says of each rule what becomes of it: the tests that it names must be there.

interface Row {
  rule: string;
  binds: string;
  here: string;
  tests: { file: string; name: string }[];
}

const root = fileURLToPath(new URL("../../", import.meta.url));

const ROWS: Row[] = readFileSync(`${root}docs/ag-ui-rules.md`, "utf8")
  .split("\n")
  .flatMap((line) => {
    const cells = line.split(" | ").map((cell) => cell.replace(/^\||\|$/g, "").trim());
    const [rule, binds, here, tests] = cells as [string, string, string, string];
    if (!/^[A-Z]\d+$/.test(rule)) return [];
    const named = tests === "" ? [] : tests.split("<br>");
    return [
      {
        rule,
        binds,
        here,
        tests: named.map((test) => {
          const [, file, name] = /^`(.+?)`: (.+)$/.exec(test) as unknown as [string, string, string];
          return { file, name };
        }),
      },
    ];
  });

/** The names in a test file: strings, and templates as patterns. */
function namesIn(file: string): RegExp[] {
  const source = readFileSync(`${root}test/${file}`, "utf8");
  return [...source.matchAll(/(["`])((?:[A-Z]\d+(?:, )?)+: (?:(?!\1).)*)\1/g)].map(([, , name]) => {
    const parts = (name as string).split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".+")}$`);
  });
}

describe("docs/ag-ui-rules.md", () => {
  it("has a row for each of the 250 rules, in order", () => {
    expect(ROWS).toHaveLength(250);
    expect(new Set(ROWS.map(({ rule }) => rule)).size).toBe(250);
    for (const [index, { rule }] of ROWS.entries()) {
      const before = ROWS[index - 1]?.rule ?? "A0";
      if (before[0] === rule[0]) expect(Number(rule.slice(1)), rule).toBe(Number(before.slice(1)) + 1);
      else expect(rule.slice(1), rule).toBe("1");
    }
  });

  it.skipIf(publishedAgui("REQUIREMENTS.md") === undefined)("says whom each rule binds as the matrix does", () => {
    const matrix = readFileSync(publishedAgui("REQUIREMENTS.md") as string, "utf8");
    const binds = [...matrix.matchAll(/^\| ([A-Z]\d+) \| ([^|]+) \|/gm)].map(
      ([, rule, who]) => `${rule} ${who?.trim()}`,
    );
    expect(ROWS.map((row) => `${row.rule} ${row.binds}`)).toEqual(binds);
  });

  it("names tests that exist and carry the rule's number", () => {
    const known = new Map<string, RegExp[]>();
    for (const { rule, tests } of ROWS) {
      for (const { file, name } of tests) {
        if (!known.has(file)) known.set(file, namesIn(file));
        expect(
          known.get(file)?.some((pattern) => pattern.test(name)),
          `${rule}: ${file}: ${name}`,
        ).toBe(true);
        expect((name.split(":")[0] as string).split(", "), name).toContain(rule);
      }
    }
  });

  it("leaves no rule without a test, unless it says why", () => {
    const bare = ROWS.filter(
      ({ binds, here, tests }) =>
        /[CPTA]/.test(binds) && tests.length === 0 && !/^(Application|By construction)\b/.test(here),
    );
    expect(bare.map(({ rule }) => rule)).toEqual([]);
    expect(ROWS.filter(({ here }) => here === "").map(({ rule }) => rule)).toEqual([]);
  });
});
