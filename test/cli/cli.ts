import { PassThrough, Readable, Writable } from "node:stream";
import { runCli } from "../../src/cli/program.js";

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command line in this process. */
export async function cli(args: string[], input: (string | Uint8Array)[] = []): Promise<Run> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const sink = (list: Buffer[]): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        list.push(Buffer.from(chunk));
        // Later, as a pipe does, so that writes which nobody waits for would be seen.
        setImmediate(done);
      },
    });
  const stdin = input.length > 0 ? Readable.from(input.map((part) => Buffer.from(part))) : new PassThrough().end();
  const code = await runCli(args, { stdin, stdout: sink(out), stderr: sink(err), version: "1.2.3" });
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}
