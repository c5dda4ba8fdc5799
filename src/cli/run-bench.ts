import { existsSync } from "node:fs";
import { UsageError } from "./io.js";

/**
 * Runs the benchmark, a program of its own that is built and published beside the command line, with its contenders bundled.
 *
 * @param args its own arguments, handed on as they are
 * @returns its exit code
 * @throws UsageError when it is not there, as when this runs from the sources
 */
export async function runBench(args: string[]): Promise<number> {
  const program = new URL("./bench.js", import.meta.url);
  if (!existsSync(program)) {
    throw new UsageError("bench.js is not beside this program: build it with `npm run build` and run dist/cli.js");
  }
  const { main } = (await import(program.href)) as { main(args: string[]): Promise<number> };
  return main(args);
}
