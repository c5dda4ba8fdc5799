import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import type { Transport } from "../entry/node.js";
import { type Io, UsageError } from "./io.js";

/** Every wire, as options name them. */
export const TRANSPORTS: readonly Transport[] = ["sse", "ndjson", "json", "msgpack", "protobuf"];

const CHUNK_BYTES = 64 * 1024;

const BY_EXTENSION: Record<string, Transport> = {
  ".sse": "sse",
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".json": "json",
  ".msgpack": "msgpack",
  ".mp": "msgpack",
  ".pb": "protobuf",
};

/**
 * The transport of an input: as told, else by the file's name; standard input is "sse".
 *
 * @throws UsageError when the name says nothing, or, before that, when there is no such file
 */
export async function transportOf(file: string, told: Transport | undefined): Promise<Transport> {
  if (told !== undefined) return told;
  if (file === "-") return "sse";
  const known = BY_EXTENSION[path.extname(file).toLowerCase()];
  if (known !== undefined) return known;
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (found.isDirectory()) throw new UsageError(`cannot read ${file}: it is a directory`);
  throw new UsageError(
    `the name ${file} does not tell the transport: say --from ${TRANSPORTS.slice(0, -1).join(", ")} or ${TRANSPORTS.at(-1)}`,
  );
}

/**
 * The chunks to push: those of the file or of standard input ("-") as they come, or, for "json", the one message.
 *
 * @param mostBytes of a "json" message; reading stops once it is passed, and the reducer refuses what there is
 * @throws UsageError when the input cannot be read
 */
export async function* chunksOf(
  file: string,
  transport: Transport,
  mostBytes: number,
  io: Io,
): AsyncGenerator<Uint8Array> {
  const raw = file === "-" ? io.stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const held: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of raw) {
      const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
      if (transport !== "json") {
        yield bytes;
        continue;
      }
      held.push(bytes);
      size += bytes.length;
      if (size > mostBytes) break;
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  if (transport === "json") yield Buffer.concat(held);
}

/**
 * A whole input: the file, or standard input ("-").
 *
 * @throws UsageError when it cannot be read
 */
export async function wholeOf(file: string, io: Io): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  for await (const piece of chunksOf(file, "ndjson", 0, io)) held.push(piece);
  return Buffer.concat(held);
}

/** A failure of the system as one line for the user; anything else as it is. */
function unreadable(file: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  return new UsageError(`cannot read ${file === "-" ? "standard input" : file}: ${plainly(error)}`);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === "string";
}

function plainly(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
      return "there is no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    default:
      return error.message;
  }
}
