import { readFileSync, writeFileSync } from "node:fs";
import { figure, metText, ratioSpread, ratioText, targetText, usualText } from "./format.js";
import { machineLine } from "./machine.js";
import { best, type Results, type RowResult } from "./results.js";

export const START_MARK = "<!-- bench:start -->";
export const END_MARK = "<!-- bench:end -->";

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function line(row: RowResult): string {
  const wasm = best(row.contenders, "wasm");
  const js = best(row.contenders, "js");
  const side = (contender: typeof wasm) =>
    contender === undefined ? "" : `${figure(contender.median, row.unit)}, ${contender.name}`;
  const ratio =
    ratioText(row) === "" ? "" : `**${ratioText(row)}**${ratioSpread(row) === "" ? "" : ` (${ratioSpread(row)})`}`;
  const shown = [ratio, row.figure?.text ?? ""].filter((text) => text !== "").join("; ");
  const target = row.target === undefined ? "" : `${targetText(row.target)} ${metText(row)}`.trim();
  const cells =
    row.error === undefined
      ? [side(wasm), side(js), shown, usualText(row), target]
      : ["", "", `not timed: ${row.error}`, "", target];
  return `| ${[row.title, ...cells].map(cell).join(" | ")} |`;
}

/** The rows as Markdown: one table for each group, and the machine they were measured on. */
export function markdown(results: Results): string {
  const parts = [
    `Measured ${results.date.slice(0, 10)} (${results.mode} run) on ${machineLine(results.machine)}. Ratio: the best JavaScript contender's median divided by the best WebAssembly contender's, in one process; in brackets the quartiles over the rounds. To JSON.\\*: the same against the best way on \`JSON.parse\` or \`JSON.stringify\`, which is what most programs do.`,
  ];
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
  return parts.join("\n\n");
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
