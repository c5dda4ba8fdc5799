import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { afterAll } from "vitest";
import { runCli } from "../../src/cli/program.js";

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** `cli`, with what it wrote to stdout as it stands. */
export async function binaryCli(
  args: string[],
  input: (string | Uint8Array)[] = [],
): Promise<{ code: number; stdout: Buffer; stderr: string }> {
  return run(args, input);
}

/** Runs the command line in this process. */
export async function cli(args: string[], input: (string | Uint8Array)[] = []): Promise<Run> {
  const { stdout, ...rest } = await run(args, input);
  return { ...rest, stdout: stdout.toString() };
}

async function run(args: string[], input: (string | Uint8Array)[]) {
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
  return { code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() };
}

/** A folder that is gone after the tests; returns what puts a file into it and gives back its path. */
export function scratchFolder(): (name: string, content: string | Uint8Array) => string {
  const folder = mkdtempSync(path.join(tmpdir(), "streamfold-cli-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  return (name, content) => {
    const full = path.join(folder, name);
    writeFileSync(full, content);
    return full;
  };
}
