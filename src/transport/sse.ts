import { readable } from "../arguments.js";
import { JsonWriter } from "../codec/json/write.js";
import { type Output, putAscii } from "../codec/output.js";
import { usageError } from "../errors.js";
import type { Wire } from "./wire.js";

/** Fields of a server-sent event beside its data (WHATWG HTML §9.2). */
export interface SseFields {
  /** Becomes the reader's last event id; `""` forgets it. Holds no CR, LF or NUL. */
  id?: string | undefined;
  /** Milliseconds to wait before a reconnect. */
  retry?: number | undefined;
}

/** Room for the names of fields and line ends. */
const ROOM = 64;

/** `text/event-stream`: one `data` line per event, since compact JSON holds no line ends, and a blank line. Line ends are LF. */
export class SseWire implements Wire {
  private readonly out: Output;
  private readonly json: JsonWriter;

  constructor(out: Output, depth: number) {
    this.out = out;
    this.json = new JsonWriter(out, depth);
  }

  write(event: unknown, fields: SseFields | undefined): void {
    const { out } = this;
    if (fields !== undefined) this.fields(fields);
    out.reserve(ROOM);
    out.length = putAscii(out.bytes, out.length, "data: ");
    this.json.write(event);
    out.reserve(2);
    out.bytes[out.length++] = 0x0a;
    out.bytes[out.length++] = 0x0a;
  }

  private fields(fields: SseFields): void {
    const { out } = this;
    const { id, retry } = readable(() => checked(fields));
    out.reserve(ROOM);
    if (id !== undefined) {
      out.length = putAscii(out.bytes, out.length, "id: ");
      out.utf8(id);
      out.reserve(ROOM);
      out.bytes[out.length++] = 0x0a;
    }
    if (retry !== undefined) out.length = putAscii(out.bytes, out.length, `retry: ${retry}\n`);
  }
}

function checked(fields: SseFields): SseFields {
  if (fields === null || typeof fields !== "object")
    throw usageError("bad_argument", "the fields must be an object with id or retry");
  for (const name of Object.keys(fields))
    if (name !== "id" && name !== "retry") throw usageError("bad_argument", `there is no field ${name}`);
  const { id, retry } = fields;
  if (id !== undefined && (typeof id !== "string" || /[\r\n\0]/.test(id)))
    throw usageError("bad_argument", "id must be a string without CR, LF and NUL");
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0))
    throw usageError("bad_argument", "retry must be an integer from 0");
  return { id, retry };
}
