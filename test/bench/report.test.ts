import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { chart } from "../../bench/chart.js";
import { rowLines } from "../../bench/report.js";
import type { Results, RowResult } from "../../bench/results.js";
import { summarize } from "../../bench/statistics.js";
import { END_MARK, markdown, START_MARK, updateReadme } from "../../bench/table.js";

const folder = mkdtempSync(path.join(os.tmpdir(), "streamfold-bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function row(title: string, wasm: number, js: number, more: Partial<RowResult> = {}): RowResult {
  const contenders = [
    { name: "core", side: "wasm" as const, ...summarize([wasm]) },
    { name: "JSON.parse <js> & co", side: "js" as const, ...summarize([js]) },
  ];
  return {
    id: title,
    group: "Group | one",
    title,
    unit: "ns/event",
    contenders,
    ratio: { value: js / wasm, wasm: "core", js: "JSON.parse <js> & co" },
    ...more,
  };
}

const results: Results = {
  format: 1,
  date: "2026-01-02T03:04:05.000Z",
  mode: "full",
  machine: { cpu: "CPU <x>", cores: 2, memory: 2 ** 34, os: "Linux x64", node: "20.0.0", v8: "11" },
  engines: [],
  rows: [
    row("wins", 50, 500, { target: { kind: "ratio-at-least", value: 10 }, met: true }),
    row("loses", 500, 50, { group: "Group 2" }),
    row("grows", 90, 100, {
      group: "Group 2",
      figure: { value: 1.3, text: "1.30 times" },
      target: { kind: "figure-at-most", value: 1.2 },
      met: false,
    }),
    { id: "wrong", group: "Group 2", title: "wrong", unit: "us", contenders: [], error: "core gives a wrong answer" },
  ],
};

describe("the chart", () => {
  const svg = chart(results);

  it("is well-formed, with one bar a ratio and texts escaped", () => {
    expect(svg.match(/<rect /g)).toHaveLength(3);
    expect(svg).toContain("JSON.parse &lt;js&gt; &amp; co");
    expect(svg).toContain("CPU &lt;x&gt;");
    const open: string[] = [];
    for (const [, close, name, self] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
      if (self === "/") continue;
      if (close === "/") expect(open.pop()).toBe(name);
      else open.push(name!);
    }
    expect(open).toEqual([]);
  });

  it("draws losses to the left of 1x and wins to the right, and adapts to dark ground", () => {
    const bars = [...svg.matchAll(/<rect class="(\w+)" x="([\d.]+)" y="\d+" width="([\d.]+)"/g)].map(
      ([, kind, x, width]) => ({ kind, x: Number(x), width: Number(width) }),
    );
    expect(bars.map(({ kind }) => kind)).toEqual(["wins", "loses", "wins"]);
    expect(bars[1]!.x + bars[1]!.width).toBeCloseTo(bars[0]!.x, 0);
    expect(bars[0]!.width).toBeCloseTo(bars[1]!.width, 0);
    expect(svg).toContain("prefers-color-scheme: dark");
    expect(svg.match(/class="target"/g)).toHaveLength(1);
  });
});

describe("the table", () => {
  it("has one table a group and one line a row, losses and failures included", () => {
    const text = markdown(results);
    expect(text).toContain("| Group \\| one |");
    expect(text).toContain("| wins | 50.0 ns, core | 500 ns, JSON.parse <js> & co | **10.0x** | 10.0x | ≥ 10x met |");
    expect(text).toContain("**0.10x**");
    expect(text).toContain("1.30 times | 1.11x | ≤ 1.2 missed |");
    expect(text).toContain("| wrong |  |  | not timed: core gives a wrong answer |  |  |");
    expect(text.match(/^\|---\|/gm)).toHaveLength(2);
  });

  it("begins with the rows that stand for all, in words of their own", () => {
    expect(markdown(results)).not.toContain("| | ratio |");
    const text = markdown({ ...results, rows: [...results.rows, { ...row("x", 50, 500), id: "load/100k" }] });
    expect(text).toContain(
      "| load of a stored model, 100 KB | **10.0x** | 50.0 ns, core | 500 ns, JSON.parse <js> & co |",
    );
    expect(text.indexOf("| | ratio |")).toBeLessThan(text.indexOf("<summary>All 5 rows"));
    expect(
      chart({ ...results, rows: [...results.rows, { ...row("x", 50, 500), id: "load/100k" }] }).match(/<rect /g),
    ).toHaveLength(1);
  });

  it("shows the contender that the ratio is about, and our own engine where that is faster", () => {
    const own = { name: "streamfold js", side: "js" as const, ...summarize([40]) };
    const library = row("library", 50, 500);
    library.contenders.push(own);
    expect(markdown({ ...results, rows: [library] })).toContain(
      "| library | 50.0 ns, core | 500 ns, JSON.parse <js> & co | **10.0x**; 0.80x streamfold js | 10.0x |",
    );
  });

  it("goes between the marks of a file and leaves the rest alone, again and again", () => {
    const file = path.join(folder, "README.md");
    writeFileSync(file, `before\n${START_MARK}\nold\n${END_MARK}\nafter\n`);
    updateReadme(file, results);
    updateReadme(file, results);
    expect(readFileSync(file, "utf8")).toBe(`before\n${START_MARK}\n\n${markdown(results)}\n\n${END_MARK}\nafter\n`);
    writeFileSync(file, `${END_MARK} ${START_MARK}`);
    expect(() => updateReadme(file, results)).toThrow(/bench:start/);
  });
});

describe("the terminal lines", () => {
  it("name the best of both sides, the target and what was wrong", () => {
    expect(rowLines(results.rows[0]!)[0]).toMatch(/wins .*50\.0 ns .*500 ns .*10\.0x .*10\.0x .*≥ 10x {2}met/);
    expect(rowLines(results.rows[3]!)).toEqual([expect.stringContaining("NOT TIMED: core gives a wrong answer")]);
    expect(rowLines(results.rows[2]!).join("\n")).toContain("1.30 times");
    const target = { kind: "ratio-to-each" as const, over: { one: 6, two: 4 } };
    expect(rowLines(row("libraries", 50, 500, { target, met: true }))[0]).toMatch(/≥ 6x one, ≥ 4x two {2}met/);
  });
});
