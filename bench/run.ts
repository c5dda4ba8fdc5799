import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { patchLibraries } from "./agui/contenders.js";
import { hasOfficialClient, type PipelineInput, runPipeline } from "./agui/pipeline.js";
import { type BenchContext, type Case, runCase } from "./case.js";
import { partialJson } from "./cases/partial.js";
import { chart } from "./chart.js";
import { type ColdStartInput, coldStart } from "./cold-start.js";
import { loadEngines } from "./contenders/engines.js";
import { select } from "./corpus.js";
import { describeMachine, machineLine } from "./machine.js";
import { type MemoryInput, weigh } from "./memory.js";
import { header, rowLines } from "./report.js";
import type { Results } from "./results.js";
import { updateReadme } from "./table.js";

const USAGE = `usage: streamfold bench [--quick] [--filter RE] [--json FILE] [--svg FILE] [--readme FILE] [--from FILE]

  --quick        a run of about three minutes; figures are rougher
  --filter RE    only rows whose id or title matches
  --json FILE    write the results
  --svg FILE     write a chart of the ratios
  --readme FILE  write the table between the marks <!-- bench:start --> and <!-- bench:end -->
  --from FILE    measure nothing: take the results of a former --json
`;

interface Options {
  quick: boolean;
  filter: RegExp | undefined;
  json: string | undefined;
  svg: string | undefined;
  readme: string | undefined;
  from: string | undefined;
}

function parseOptions(argv: string[]): Options {
  const { values } = parseArgs({
    args: argv,
    options: {
      quick: { type: "boolean", default: false },
      filter: { type: "string" },
      json: { type: "string" },
      svg: { type: "string" },
      readme: { type: "string" },
      from: { type: "string" },
    },
  });
  const { quick, filter, json, svg, readme, from } = values;
  return { quick, filter: filter === undefined ? undefined : new RegExp(filter), json, svg, readme, from };
}

/** Tasks of child processes: they print one JSON value, and what went wrong as the last line on stderr. */
async function runTask(task: string | undefined, input: string | undefined): Promise<number> {
  try {
    const value: unknown = JSON.parse(input ?? "null");
    let output: unknown;
    if (task === "cold-start") output = coldStart(value as ColdStartInput);
    else if (task === "memory") output = weigh(value as MemoryInput);
    else if (task === "agui-pipeline") output = await runPipeline(value as PipelineInput);
    else throw new Error(`there is no task ${task}`);
    process.stdout.write(JSON.stringify(output));
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}

async function measure(cases: Case[], quick: boolean): Promise<Results> {
  const engines = loadEngines();
  const context: BenchContext = {
    mode: quick ? "quick" : "full",
    engines,
    patchLibraries: await patchLibraries(),
    partialJson: await partialJson(),
    officialClient: await hasOfficialClient(),
  };
  const machine = describeMachine();
  console.log(machineLine(machine));
  for (const { kind, engine, reason } of engines)
    console.log(`${kind}: ${engine === undefined ? `not available (${reason})` : "runs"}`);
  const results: Results = {
    format: 1,
    date: new Date().toISOString(),
    mode: context.mode,
    machine,
    engines: engines.map(({ kind, engine, reason }) => ({ kind, available: engine !== undefined, reason })),
    rows: [],
  };
  let group = "";
  for (const each of cases) {
    if (each.group !== group) {
      group = each.group;
      console.log(`\n${group}\n${header()}`);
    }
    const row = runCase(each, context);
    results.rows.push(row);
    console.log(rowLines(row).join("\n"));
  }
  for (const { engine } of engines) engine?.close();
  return results;
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
  writeFileSync(file, text);
}

/**
 * Runs the benchmark: every contender is compared with the expected answer before it is timed.
 *
 * @param argv arguments behind the program's name
 * @returns the exit code: 0, 1 for a filter without match, a row that could not be timed or a file that cannot be used, 2 for wrong usage
 */
export async function main(argv: string[]): Promise<number> {
  if (argv[0] === "--child") return runTask(argv[1], argv[2]);
  if (argv.includes("--help")) {
    process.stdout.write(USAGE);
    return 0;
  }
  let options: Options;
  try {
    options = parseOptions(argv);
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n${USAGE}`);
    return 2;
  }
  const cases = select(options.filter);
  if (cases.length === 0) {
    process.stderr.write("bench: no row matches the filter\n");
    return 1;
  }
  try {
    const results =
      options.from === undefined
        ? await measure(cases, options.quick)
        : (JSON.parse(readFileSync(options.from, "utf8")) as Results);
    if (options.json !== undefined) write(options.json, `${JSON.stringify(results, null, 2)}\n`);
    if (options.svg !== undefined) write(options.svg, chart(results));
    if (options.readme !== undefined) updateReadme(options.readme, results);
    const failed = results.rows.filter(({ error }) => error !== undefined);
    for (const { id, error } of failed) process.stderr.write(`bench: ${id}: ${error}\n`);
    return failed.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`);
    return 1;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  main(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
  });
}
