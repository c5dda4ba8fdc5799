import { figure, metText, ratioSpread, ratioText, short, targetText, usualText } from "./format.js";
import { best, type RowResult } from "./results.js";

const TITLE = 52;

function cell(text: string, width: number): string {
  return text.length >= width ? text : " ".repeat(width - text.length) + text;
}

/** Head of the terminal table. */
export function header(): string {
  const cells = [
    cell("best WASM", 11),
    cell("best JS", 11),
    cell("ratio", 8),
    cell("quartiles", 13),
    cell("vs JSON.*", 10),
    cell("target", 12),
  ];
  return `${"".padEnd(TITLE)}${cells.join("")}`;
}

/** One row: the sides' best figures and their ratio, then every contender with its median and quartiles. */
export function rowLines(row: RowResult): string[] {
  if (row.error !== undefined) return [`${row.title.padEnd(TITLE)}  NOT TIMED: ${row.error}`];
  const side = (name: "wasm" | "js") => {
    const contender = best(row.contenders, name);
    return contender === undefined ? "-" : figure(contender.median, row.unit);
  };
  const cells = [
    cell(side("wasm"), 11),
    cell(side("js"), 11),
    cell(ratioText(row), 8),
    cell(ratioSpread(row), 13),
    cell(usualText(row), 10),
    cell(targetText(row.target), 12),
  ];
  const lines = [`${row.title.padEnd(TITLE)}${cells.join("")}  ${metText(row)}`.trimEnd()];
  if (row.figure !== undefined) lines.push(`    ${row.figure.text}`);
  for (const { name, median, p25, p75, samples, detail } of row.contenders) {
    const spread = samples > 1 ? ` (${short(p25)}–${short(p75)}, ${samples} samples)` : "";
    lines.push(
      `    ${name.padEnd(42)} ${cell(figure(median, row.unit), 11)}${spread}${detail === undefined ? "" : `: ${detail}`}`,
    );
  }
  return lines;
}
