import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { DEFAULT_LIMITS, type Limits, MAXIMUM_LIMITS, StreamfoldError } from "../entry/node.js";
import { type FrameOptions, frame } from "./frame.js";
import { TRANSPORTS } from "./input.js";
import { EXIT, type Io, line, UsageError, write } from "./io.js";
import { type ReduceOptions, reduce } from "./reduce.js";
import { runBench } from "./run-bench.js";
import { type TranscodeOptions, transcode } from "./transcode.js";
import { type UnframeOptions, unframe } from "./unframe.js";
import { type VerifyOptions, verify } from "./verify.js";

/** The limits that `--limit` sets: a message has an option of its own, and reports are all printed. */
const LIMITS = (Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]).filter(
  (name) => name !== "messageBytes" && name !== "reports",
);

/**
 * Runs the command line.
 *
 * @param args without the program and the script
 * @returns the exit code: 0 fine, 1 the stream was refused or cut off, 2 usage
 */
export async function runCli(args: string[], io: Io): Promise<number> {
  let exit: number = EXIT.fine;
  const program = define(io, (code) => {
    exit = code;
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    if (error instanceof UsageError || (error instanceof StreamfoldError && error.scope === "usage")) {
      await write(io.stderr, line(`error: ${error.message}`));
      return EXIT.usage;
    }
    throw error;
  }
}

function define(io: Io, done: (code: number) => void): Command {
  const program = new Command("streamfold")
    .description("Fold, check and transcode agent-UI event streams.")
    .version(io.version)
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) });
  reading(program.command("reduce"))
    .description("print the model that a stream comes to")
    .addOption(new Option("--to <format>", "form of the model").choices(["json", "msgpack"]).default("json"))
    .addOption(new Option("--stream <id>", "only this stream's model").conflicts("allStreams"))
    .option("--all-streams", "an object of models by stream id, also for one stream")
    .option("--pretty", "indent the model")
    .action(async (file: string, options: ReduceOptions) => done(await reduce(file, options, io)));
  reading(program.command("transcode"))
    .description("write the events of a stream on another wire")
    .addOption(
      new Option("--to <transport>", "the wire to write")
        .choices(TRANSPORTS.filter((name) => name !== "json"))
        .makeOptionMandatory(),
    )
    .option("--no-enforce", "pass on every object, without judging events")
    .addOption(new Option("--to-protocol <name>", "write AG-UI as AgentUE").choices(["agentue", "ag-ui"]))
    .action(async (file: string, options: TranscodeOptions) => done(await transcode(file, options, io)));
  reading(program.command("verify"))
    .description("check a stream and go on behind each violation; one line for each")
    .action(async (file: string, options: VerifyOptions) => done(await verify(file, options, io)));
  choosing(program.command("frame"))
    .description("cut a block, JSON, into storage frames, NDJSON (AgentUE)")
    .addOption(
      new Option("--max-bytes <n>", "most bytes of one frame's JSON").argParser(parseCount).makeOptionMandatory(),
    )
    .action(async (file: string, options: FrameOptions) => done(await frame(file, options, io)));
  choosing(program.command("unframe"))
    .description("restore the block of its storage frames, NDJSON in any order (AgentUE)")
    .action(async (file: string, options: UnframeOptions) => done(await unframe(file, options, io)));
  program
    .command("bench")
    .description("measure; `bench --help` has its options")
    .argument("[args...]")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (rest: string[]) => done(await runBench(rest)));
  return program;
}

/** What all commands that read something have in common. */
function choosing(command: Command): Command {
  return command
    .argument("[file]", 'input; "-" is standard input', "-")
    .addOption(
      new Option("--engine <kind>", "engine to use")
        .choices(["auto", "wasm", "wasm-simd", "wasm-scalar", "js"])
        .default("auto"),
    );
}

/** What the commands that read a stream have in common. */
function reading(command: Command): Command {
  return choosing(command)
    .addOption(
      new Option("--protocol <name>", "protocol of the stream").choices(["agentue", "ag-ui"]).default("agentue"),
    )
    .addOption(
      new Option("--from <transport>", "how events are framed (by default as the file's name says)").choices(
        TRANSPORTS,
      ),
    )
    .addOption(
      new Option(
        "--sequence <rule>",
        'agentue: what to do with a seq that is not above the last one (default: "dedupe")',
      ).choices(["dedupe", "strict", "off"]),
    )
    .addOption(
      new Option(
        "--on-delta-failure <rule>",
        'ag-ui: what a patch that does not apply means (default: "warn")',
      ).choices(["warn", "fail", "upsert"]),
    )
    .addOption(
      new Option(
        "--unknown-enum <rule>",
        'ag-ui: what a value outside of a closed set means (default: "fatal")',
      ).choices(["fatal", "strip"]),
    )
    .option("--max-protocol-version <version>", "ag-ui: the newest version the peer knows")
    .addOption(
      new Option("--max-message <bytes>", "largest message")
        .argParser(parseBytes)
        .default(DEFAULT_LIMITS.messageBytes, `${DEFAULT_LIMITS.messageBytes / (1024 * 1024)} MiB`),
    )
    .addOption(
      new Option("--limit <name=value>", `another limit, may be repeated: ${LIMITS.join(", ")}`)
        .argParser(parseLimit)
        .default({}, "those of the library"),
    );
}

function parseBytes(text: string): number {
  const bytes = /^\d+$/.test(text) ? Number(text) : 0;
  if (bytes < 1 || bytes > MAXIMUM_LIMITS.messageBytes) {
    throw new InvalidArgumentError(`It must be an integer from 1 to ${MAXIMUM_LIMITS.messageBytes}.`);
  }
  return bytes;
}

/** Adds one limit to those that were given before. */
function parseLimit(text: string, given: Partial<Limits>): Partial<Limits> {
  const [, name, digits] = /^(\w+)=(\d+)$/.exec(text) ?? [];
  const limit = LIMITS.find((one) => one === name);
  if (name === "messageBytes") throw new InvalidArgumentError("That limit is --max-message.");
  if (limit === undefined) throw new InvalidArgumentError(`It must be one of ${LIMITS.join(", ")}, "=" and a number.`);
  const value = Number(digits);
  if (value < 1 || value > MAXIMUM_LIMITS[limit]) {
    throw new InvalidArgumentError(`${limit} must be an integer from 1 to ${MAXIMUM_LIMITS[limit]}.`);
  }
  return { ...given, [limit]: value };
}

function parseCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count < 1 || !Number.isSafeInteger(count)) throw new InvalidArgumentError("It must be an integer from 1 on.");
  return count;
}
