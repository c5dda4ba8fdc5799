import { readFileSync, writeFileSync } from "node:fs";
import { figure, metText, ratioSpread, ratioText, short, targetText, usualText } from "./format.js";
import { machineLine } from "./machine.js";
import { best, type ContenderResult, type Results, type RowResult } from "./results.js";
import { type SummaryRow, summary } from "./summary.js";

export const START_MARK = "<!-- bench:start -->";
export const END_MARK = "<!-- bench:end -->";

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

/** The contender that the row's ratio is about, or the best of its side. */
function shown(row: RowResult, side: "wasm" | "js"): ContenderResult | undefined {
  const name = row.ratio?.[side];
  return row.contenders.find((contender) => contender.name === name) ?? best(row.contenders, side);
}

/** Where the ratio is to a library, and our own JavaScript engine is faster than that: how it compares. */
function ownText(row: RowResult): string {
  const js = best(row.contenders, "js");
  const wasm = best(row.contenders, "wasm");
  if (row.ratio === undefined || js === undefined || wasm === undefined || js.name === row.ratio.js) return "";
  return `${short(js.paired?.value ?? js.median / wasm.median)}x ${js.name}`;
}

function figureOf(row: RowResult, side: "wasm" | "js"): string {
  const contender = shown(row, side);
  return contender === undefined ? "" : `${figure(contender.median, row.unit)}, ${contender.name}`;
}

function ratioCell(row: RowResult): string {
  const spread = ratioSpread(row);
  return ratioText(row) === "" ? "" : `**${ratioText(row)}**${spread === "" ? "" : ` (${spread})`}`;
}

function line(row: RowResult): string {
  const ratios = [ratioCell(row), ownText(row), row.figure?.text ?? ""].filter((text) => text !== "").join("; ");
  const target = row.target === undefined ? "" : `${targetText(row.target)} ${metText(row)}`.trim();
  const cells =
    row.error === undefined
      ? [figureOf(row, "wasm"), figureOf(row, "js"), ratios, usualText(row), target]
      : ["", "", `not timed: ${row.error}`, "", target];
  return `| ${[row.title, ...cells].map(cell).join(" | ")} |`;
}

function summaryTable(rows: readonly SummaryRow[]): string {
  const lines = rows.map(({ label, row }) =>
    [label, ratioCell(row), figureOf(row, "wasm"), figureOf(row, "js")].map(cell).join(" | "),
  );
  return [
    "| | ratio | best WebAssembly | best JavaScript |",
    "|---|---|---|---|",
    ...lines.map((text) => `| ${text} |`),
  ].join("\n");
}

/** The rows as Markdown: some that stand for all, then one table for each group; and the machine they were measured on. */
export function markdown(results: Results): string {
  const parts = [
    `Measured ${results.date.slice(0, 10)} (${results.mode} run) on ${machineLine(results.machine)}. Ratio: how many times as long the best JavaScript contender takes as the best WebAssembly contender, in one process: the median over the rounds, in each of which both meet the same machine, and in brackets its quartiles. Below 1x WebAssembly loses.`,
  ];
  const few = summary(results);
  if (few.length > 0) parts.push(summaryTable(few));
  parts.push(
    "<details>",
    `<summary>All ${results.rows.length} rows, with their targets</summary>`,
    "To JSON.\\*: the same against the best way on `JSON.parse` or `JSON.stringify`, which is what most programs do. What the rows are: [bench/README.md](bench/README.md).",
  );
  for (const group of new Set(results.rows.map((row) => row.group))) {
    const rows = results.rows.filter((row) => row.group === group);
    parts.push(
      [
        `| ${cell(group)} | best WebAssembly | best JavaScript | ratio | to JSON.\\* | target |`,
        "|---|---|---|---|---|---|",
        ...rows.map(line),
      ].join("\n"),
    );
  }
  return [...parts, "</details>"].join("\n\n");
}

/**
 * Writes the table between the two marks of a Markdown file.
 *
 * @throws Error when the file does not hold both marks, in their order
 */
export function updateReadme(file: string, results: Results): void {
  const text = readFileSync(file, "utf8");
  const start = text.indexOf(START_MARK);
  const end = text.indexOf(END_MARK);
  if (start < 0 || end < start) throw new Error(`${file} does not hold ${START_MARK} and ${END_MARK}`);
  writeFileSync(file, `${text.slice(0, start + START_MARK.length)}\n\n${markdown(results)}\n\n${text.slice(end)}`);
}
