import { canonical } from "./exact-json.js";

/** A checkpoint as docs/semantics.md §10 lays it out, read by the test's own code. */
export interface Checkpoint {
  format: number;
  protocol: number;
  transport: number;
  offset: number;
  eventIndex: number;
  retry: number;
  counters: { events: number; applied: number; skipped: number; dropped: number; errors: number; warnings: number };
  flags: number;
  lastEventId: string;
  partial: Uint8Array;
  streams: CheckpointStream[];
}

export interface CheckpointStream {
  streamId: string;
  status: number;
  flags: number;
  seq: number;
  version: number;
  applied: number;
  skipped: number;
  dropped: number;
  ended: number;
  queue: { eventIndex: number; byteOffset: number; message: string }[];
  /** Canonical text. */
  model: string;
}

/** Reads a checkpoint to its last byte; throws for anything that is not laid out as documented. */
export function readCheckpoint(bytes: Uint8Array): Checkpoint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const advance = (length: number): number => {
    at += length;
    return at - length;
  };
  const u8 = (): number => view.getUint8(advance(1));
  const u16 = (): number => view.getUint16(advance(2), true);
  const u32 = (): number => view.getUint32(advance(4), true);
  const f64 = (): number => view.getFloat64(advance(8), true);
  const run = (): Uint8Array => {
    const length = u32();
    if (at + length > bytes.length) throw new RangeError(`a run of ${length} bytes at ${at} leaves the checkpoint`);
    const from = advance(length);
    return bytes.subarray(from, at);
  };
  const plain = (): string => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(run());
  const text = (): string => JSON.parse(`"${plain()}"`) as string;
  const magic = String.fromCharCode(u8(), u8(), u8(), u8());
  if (magic !== "SFCK") throw new RangeError(`the magic is ${magic}`);
  const head = { format: u16(), protocol: u8(), transport: u8() };
  const length = u32();
  if (length !== bytes.length) throw new RangeError(`says ${length} bytes, has ${bytes.length}`);
  const connection = { offset: f64(), eventIndex: f64(), retry: f64() };
  const counters = { events: f64(), applied: f64(), skipped: f64(), dropped: f64(), errors: f64(), warnings: f64() };
  const flags = u8();
  const lastEventId = plain();
  const partial = run();
  const streams = Array.from({ length: u32() }, (): CheckpointStream => {
    const streamId = text();
    const [status, streamFlags] = [u8(), u8()];
    const numbers = { seq: f64(), version: f64(), applied: f64(), skipped: f64(), dropped: f64(), ended: f64() };
    const queue = Array.from({ length: u32() }, () => ({
      eventIndex: f64(),
      byteOffset: f64(),
      message: canonical(run()),
    }));
    return { streamId, status, flags: streamFlags, ...numbers, queue, model: canonical(run()) };
  });
  if (at !== bytes.length) throw new RangeError(`${bytes.length - at} bytes behind the last stream`);
  return { ...head, ...connection, counters, flags, lastEventId, partial, streams };
}

/** The text of the model of the last stream, as it stands in a checkpoint. */
export function modelText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(modelAt(bytes)));
}

/** A checkpoint with another model of its last stream. */
export function withModel(bytes: Uint8Array, model: string): Uint8Array {
  const text = new TextEncoder().encode(model);
  const at = modelAt(bytes);
  const changed = new Uint8Array(at + text.length);
  changed.set(bytes.subarray(0, at));
  changed.set(text, at);
  const view = new DataView(changed.buffer);
  view.setUint32(8, changed.length, true);
  view.setUint32(at - 4, text.length, true);
  return changed;
}

/** Where the last stream's model begins: it ends the checkpoint, its length stands before it. */
function modelAt(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = bytes.length;
  while (view.getUint32(at - 4, true) !== bytes.length - at || bytes[at] !== 0x7b) at--;
  return at;
}
