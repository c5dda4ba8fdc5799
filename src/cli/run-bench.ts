import { existsSync } from "node:fs";
import { UsageError } from "./io.js";

/**
 * Runs the benchmark that stands beside the built command line. It is not part of the published package.
 *
 * @param args its own arguments, handed on as they are
 */
export async function runBench(args: string[]): Promise<number> {
  const program = new URL("./bench.js", import.meta.url);
  if (!existsSync(program)) {
    throw new UsageError("the benchmark is not part of the published package; build the repository and run it there");
  }
  const { main } = (await import(program.href)) as { main(args: string[]): Promise<number> };
  return main(args);
}
