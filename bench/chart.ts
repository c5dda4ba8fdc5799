import { ratioText, targetText } from "./format.js";
import { machineLine } from "./machine.js";
import type { Results, RowResult } from "./results.js";
import { summary } from "./summary.js";

const WIDTH = 900;
const LABEL = 380;
const VALUE = 70;
const BAR = 16;
const STEP = 22;
const GROUP = 34;
const TOP = 64;

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]!);
}

/** Colours of both modes: a picture in an `<img>` follows the reader's setting by itself. */
const STYLE = `
    text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .title { font-size: 17px; font-weight: 600; }
    .group { font-weight: 600; }
    .note { font-size: 12px; fill: #59636e; }
    .wins { fill: #1a7f5a; }
    .loses { fill: #b35900; }
    .grid { stroke: #d1d9e0; }
    .one { stroke: #59636e; }
    .target { stroke: #1f2328; stroke-width: 2; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .note { fill: #9198a1; }
      .wins { fill: #3fb985; }
      .loses { fill: #e3944c; }
      .grid { stroke: #3d444d; }
      .one { stroke: #9198a1; }
      .target { stroke: #e6edf3; }
    }`;

/**
 * A bar chart of the rows that stand for all, or, where none of them was measured, of every row that has a ratio: how many times faster (or smaller) the
 * best WebAssembly contender is than the best JavaScript contender. The axis is logarithmic; bars to the left of 1x are losses.
 *
 * @returns an SVG document, readable on light and dark ground
 */
export function chart(results: Results): string {
  const few = summary(results).map(({ label, row }) => ({ ...row, title: label, group: "" }));
  const rows = (few.length > 0 ? few : results.rows).filter((row) => row.ratio !== undefined);
  const ratios = rows.map((row) => row.ratio!.value);
  const targets = rows.flatMap(({ target }) => (target?.kind === "ratio-at-least" ? [target.value] : []));
  const low = Math.floor(Math.log10(Math.min(0.5, ...ratios)));
  const high = Math.ceil(Math.log10(Math.max(10, ...ratios, ...targets)));
  const right = WIDTH - VALUE;
  const x = (ratio: number) => LABEL + ((Math.log10(ratio) - low) / (high - low)) * (right - LABEL);
  const parts: string[] = [];
  let y = TOP;
  let group = "";
  for (const row of rows) {
    if (row.group !== group) {
      group = row.group;
      y += GROUP;
      parts.push(`  <text class="group" x="16" y="${y - 10}">${escapeXml(group)}</text>`);
    }
    parts.push(...bar(row, x, y));
    y += STEP;
  }
  const bottom = y + 6;
  const grid: string[] = [];
  for (let power = low; power <= high; power++) {
    const at = x(10 ** power).toFixed(1);
    const label = power >= 0 ? String(10 ** power) : (10 ** power).toFixed(-power);
    grid.push(`  <line class="${power === 0 ? "one" : "grid"}" x1="${at}" y1="${TOP}" x2="${at}" y2="${bottom}"/>`);
    grid.push(`  <text class="note" x="${at}" y="${bottom + 16}" text-anchor="middle">${label}x</text>`);
  }
  const height = bottom + 52;
  const note = `${machineLine(results.machine)}; ${results.mode} run; marks show the target of a row`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">`,
    `  <title id="title">Best WebAssembly contender against the best JavaScript contender</title>`,
    `  <style>${STYLE}\n  </style>`,
    `  <text class="title" x="16" y="30">How many times faster (memory: smaller) than the best JavaScript</text>`,
    `  <text class="note" x="16" y="50">Logarithmic axis; bars to the left of 1x are losses</text>`,
    ...grid,
    ...parts,
    `  <text class="note" x="16" y="${height - 12}">${escapeXml(note)}</text>`,
    "</svg>",
    "",
  ].join("\n");
}

function bar(row: RowResult, x: (ratio: number) => number, y: number): string[] {
  const { value, wasm, js } = row.ratio!;
  const from = Math.min(x(1), x(value));
  const to = Math.max(x(1), x(value));
  const width = Math.max(1, to - from).toFixed(1);
  const lines = [
    `  <text x="${LABEL - 10}" y="${y + 12}" text-anchor="end">${escapeXml(row.title)}</text>`,
    `  <rect class="${value >= 1 ? "wins" : "loses"}" x="${from.toFixed(1)}" y="${y}" width="${width}" height="${BAR}" rx="2">` +
      `<title>${escapeXml(`${wasm} against ${js}`)}</title></rect>`,
  ];
  let label = to;
  if (row.target?.kind === "ratio-at-least") {
    const at = x(row.target.value);
    // The figure moves behind a mark that would cross it.
    if (at > to && at < to + VALUE) label = at;
    const mark = at.toFixed(1);
    lines.push(
      `  <line class="target" x1="${mark}" y1="${y - 2}" x2="${mark}" y2="${y + BAR + 2}"><title>${targetText(row.target)}</title></line>`,
    );
  }
  lines.push(`  <text x="${(label + 6).toFixed(1)}" y="${y + 12}">${ratioText(row)}</text>`);
  return lines;
}
