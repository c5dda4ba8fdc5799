import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as ids from "../../assembly/abi/codes.js";
import { errorCode, errorScope, WARNING_CODES } from "../../src/errors.js";
import { LOSSES } from "../../src/warnings.js";

const DOC = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
const CODES = Object.entries(ids)
  .filter(([name, id]) => /^E_/.test(name) && id > 0)
  .map(([, id]) => errorCode(id));

/** Codes in the first column of a section's table. */
function listed(heading: string): string[] {
  const section = DOC.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const cells = [...section.matchAll(/^\| ((?:`[a-z_0-9]+`(?:, )?)+) \|/gm)].map((match) => match[1]!);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!));
}

describe("docs/errors.md", () => {
  it.each([
    ["Connection", "connection"],
    ["Stream", "stream"],
    ["Usage", "usage"],
  ])("lists every code of the scope under %s, once", (heading, scope) => {
    const wanted = CODES.filter((code) => errorScope(code) === scope);
    expect(wanted.length).toBeGreaterThan(0);
    expect(listed(heading).sort()).toEqual([...wanted].sort());
  });

  it("lists every warning", () => {
    expect(listed("Warnings")).toEqual([...WARNING_CODES]);
  });

  it("lists every subject of a loss", () => {
    expect(listed("Losses")).toEqual(LOSSES.map(([name]) => name));
  });

  it("names no code that there is not", () => {
    const known = new Set<string>([...CODES, ...WARNING_CODES]);
    const named = [...DOC.matchAll(/`((?:bad|not|too|no|unknown|missing|invalid|stale|engine)_[a-z_0-9]+)`/g)];
    expect(named.map((match) => match[1]!).filter((code) => !known.has(code))).toEqual([]);
  });
});
