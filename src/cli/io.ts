import type { Writable } from "node:stream";

/** The outside of the program, so that tests may run it in their own process. */
export interface Io {
  stdin: AsyncIterable<Uint8Array | string>;
  stdout: Writable;
  stderr: Writable;
  version: string;
}

/** A mistake of the user: one line on stderr, exit code 2. */
export class UsageError extends Error {}

/** Exit codes of every command. */
export const EXIT = { fine: 0, refused: 1, usage: 2 } as const;

/** Writes and waits until the text has been taken, so that output never piles up. */
export function write(out: Writable, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    out.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

/** One line: control characters are escaped, since names in a stream may hold line breaks or terminal commands. */
export function line(text: string): string {
  return `${text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`;
}
