const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// Places in a checkpoint (docs/semantics.md §10).
const LENGTH = 8;
const OFFSET = 12;
const EVENTS = 36;
const APPLIED = 44;
const FLAGS = 84;
const LAST_ID = 85;
const SKIPPING = 32;
/** Of a stream, behind its id: status, flags, six numbers of which seq is the first. */
const STREAM_FACTS = 2 + 6 * 8;
const SEQ_KNOWN = 1;
/** Of a queued message: two numbers before its text. */
const QUEUED = 16;

/** What a replay has to know of a checkpoint without restoring it. */
export class CheckpointView {
  readonly bytes: Uint8Array;
  readonly #view: DataView;

  /** @param bytes what `checkpoint()` gave */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Messages read. */
  get events(): number {
    return this.#view.getFloat64(EVENTS, true);
  }

  /** Events accepted. */
  get applied(): number {
    return this.#view.getFloat64(APPLIED, true);
  }

  /** The last seq of a stream; undefined when it does not exist. */
  seq(streamId: string): number | undefined {
    const id = encoder.encode(JSON.stringify(streamId).slice(1, -1));
    for (const stream of this.#streams()) {
      if (!same(this.bytes.subarray(stream.id, stream.id + stream.idLength), id)) continue;
      const facts = stream.id + stream.idLength;
      return this.bytes[facts + 1]! & SEQ_KNOWN ? this.#view.getFloat64(facts + 2, true) : 0;
    }
    return undefined;
  }

  /** The model of the only stream of an AG-UI checkpoint, as JSON text (docs/semantics-agui.md §12). */
  model(): string {
    for (const { model, modelLength } of this.#streams()) {
      return decoder.decode(this.bytes.subarray(model, model + modelLength));
    }
    return "";
  }

  *#streams(): Generator<{ id: number; idLength: number; model: number; modelLength: number }> {
    const view = this.#view;
    let at = LAST_ID;
    const skip = (): number => {
      const start = at + 4;
      at = start + view.getUint32(at, true);
      return start;
    };
    skip();
    skip();
    const count = view.getUint32(at, true);
    at += 4;
    for (let i = 0; i < count; i++) {
      const id = skip();
      const idLength = at - id;
      at += STREAM_FACTS;
      const queued = view.getUint32(at, true);
      at += 4;
      for (let n = 0; n < queued; n++) {
        at += QUEUED;
        skip();
      }
      const model = skip();
      yield { id, idLength, model, modelLength: at - model };
    }
  }
}

/**
 * The checkpoint of a binary wire as it would be at the end of the last whole message, whose unfinished follower it leaves out.
 *
 * @returns its bytes and how many of the wire it leaves out; undefined while the rest of a too large message is being passed over
 */
export function withoutPartial(bytes: Uint8Array): { bytes: Uint8Array; left: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes[FLAGS]! & SKIPPING) return undefined;
  const partial = LAST_ID + 4 + view.getUint32(LAST_ID, true);
  const left = view.getUint32(partial, true);
  if (left === 0) return { bytes, left };
  const shorter = new Uint8Array(bytes.length - left);
  shorter.set(bytes.subarray(0, partial + 4));
  shorter.set(bytes.subarray(partial + 4 + left), partial + 4);
  const changed = new DataView(shorter.buffer);
  changed.setUint32(LENGTH, shorter.length, true);
  changed.setFloat64(OFFSET, view.getFloat64(OFFSET, true) - left, true);
  changed.setUint32(partial, 0, true);
  return { bytes: shorter, left };
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
