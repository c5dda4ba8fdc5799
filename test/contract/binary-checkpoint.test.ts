import { describe, expect, it } from "vitest";
import type { EngineKind } from "../../src/engine/contract.js";
import { type BinaryTransport, frame, msgpackOf, protobufOf } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { readCheckpoint } from "../support/checkpoint.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold, type Options, thrown } from "../support/fold.js";
import { hex, toHex } from "../support/msgpack.js";
import { modelOf, start } from "./base.js";

// docs/semantics.md §10: what a checkpoint holds of a binary wire, and what it must not hold.

/** The places of a checkpoint's fields before its streams, when no event id is known. */
const LENGTH = 8;
const OFFSET = 12;
const FLAGS = 84;
const PARTIAL = 89;
const SKIPPING = 32;

/** A checkpoint with other flags, another partial and, where it is said, another offset. */
function changed(bytes: Uint8Array, flags: number, partial: Uint8Array, offset?: number): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = bytes.slice(0, PARTIAL + 4);
  const out = concat([head, partial, bytes.subarray(PARTIAL + 4 + view.getUint32(PARTIAL, true))]);
  const written = new DataView(out.buffer);
  written.setUint32(LENGTH, out.length, true);
  out[FLAGS] = flags;
  written.setUint32(PARTIAL, partial.length, true);
  if (offset !== undefined) written.setFloat64(OFFSET, offset, true);
  return out;
}

const EVENT: Readonly<Record<BinaryTransport, Uint8Array>> = {
  msgpack: msgpackOf(JSON.stringify(start(modelOf()))),
  protobuf: protobufOf('{"type":"RUN_STARTED","threadId":"t","runId":"r"}'),
};
const LIMIT = 100;

function open(kind: EngineKind, transport: BinaryTransport): Fold {
  const options: Options = { undecodable: "skip", limits: { messageBytes: LIMIT, depth: 4 } };
  return new Fold(engine(kind), transport, transport === "protobuf" ? { ...options, protocol: "ag-ui" } : options);
}

describe.each(KINDS)("checkpoints of binary wires, %s", (kind) => {
  const saved = (transport: BinaryTransport, more: Uint8Array): Uint8Array => {
    const fold = open(kind, transport);
    fold.push(concat([EVENT[transport], more]));
    const bytes = fold.reducer.checkpoint();
    fold.reducer.close();
    return bytes;
  };

  it("hold the bytes of a message that has not ended", () => {
    for (const transport of ["msgpack", "protobuf"] as const) {
      const event = EVENT[transport];
      for (let at = 0; at < event.length; at++) {
        const checkpoint = readCheckpoint(saved(transport, event.subarray(0, at)));
        expect(toHex(checkpoint.partial)).toBe(toHex(event.subarray(0, at)));
        expect([checkpoint.transport, checkpoint.flags & SKIPPING]).toEqual([transport === "msgpack" ? 4 : 5, 0]);
        expect(checkpoint.offset).toBe(event.length + at);
      }
    }
  });

  it("hold what has yet to come of a frame that is passed over", () => {
    for (let come = 0; come < 300; come += 7) {
      const large = frame(new Uint8Array(300)).subarray(0, 4 + come);
      const { partial, flags, offset } = readCheckpoint(saved("protobuf", large));
      expect(toHex(partial)).toBe(toHex(Uint8Array.of(0, 0, (300 - come) >> 8, (300 - come) & 255)));
      expect([flags & SKIPPING, offset]).toEqual([SKIPPING, EVENT.protobuf.length + large.length]);
    }
    const { partial } = readCheckpoint(saved("protobuf", hex("ff ff ff ff 01")));
    expect(toHex(partial)).toBe("ff ff ff fe");
  });

  it("hold MessagePack that has the rest of what is skipped", () => {
    const large = concat([hex("93"), hex("c5 01 00"), new Uint8Array(256), hex("92 a1 61 c0 05")]);
    for (let at = LIMIT + 1; at < large.length; at++) {
      const bytes = saved("msgpack", large.subarray(0, at));
      expect(readCheckpoint(bytes).flags & SKIPPING, `cut at ${at}`).toBe(SKIPPING);
      const fold = open(kind, "msgpack");
      fold.reducer.restore(bytes);
      expect(fold.push(concat([large.subarray(at), EVENT.msgpack])), `cut at ${at}`).toBe(1);
      expect(fold.errors).toEqual([]);
      fold.reducer.close();
    }
  });

  it("are refused when a partial message is none", () => {
    const cases: [BinaryTransport, flags: number, partial: string, offset?: number][] = [
      // a whole message, and what follows one
      ["msgpack", 0, "c0"],
      ["msgpack", 0, "c0 91"],
      ["msgpack", 0, "93 c1"],
      ["msgpack", 0, "91 91 91 91 91"],
      // more than the limit, more than has come
      ["msgpack", 0, `d9 ff ${"00 ".repeat(LIMIT)}`, 1000],
      ["msgpack", 0, "91 a5 61", 2],
      // nothing to skip, or something that ends
      ["msgpack", SKIPPING, ""],
      ["msgpack", SKIPPING, "c0"],
      ["msgpack", SKIPPING, "c0 91"],
      ["protobuf", 0, "00 00 00 00"],
      ["protobuf", 0, "00 00 00 01 00"],
      ["protobuf", 0, "00 00 00 01 00 00"],
      ["protobuf", 0, "00 00 00 65"],
      ["protobuf", 0, "00 00 00 05", 3],
      ["protobuf", SKIPPING, ""],
      ["protobuf", SKIPPING, "00 00 00 00"],
      ["protobuf", SKIPPING, "00 00 05"],
      ["protobuf", SKIPPING, "00 00 00 00 05"],
    ];
    for (const [transport, flags, partial, offset] of cases) {
      const fold = open(kind, transport);
      fold.push(EVENT[transport]);
      const bytes = fold.reducer.checkpoint();
      const before = fold.fingerprint();
      const name = `${transport} ${flags} ${partial}`;
      const error = thrown(() => fold.reducer.restore(changed(bytes, flags, hex(partial), offset)));
      expect(error, name).toMatchObject({ code: "bad_checkpoint" });
      expect(fold.fingerprint(), name).toBe(before);
      fold.reducer.restore(changed(bytes, 0, new Uint8Array(0)));
      expect(fold.fingerprint(), name).toBe(before);
      fold.reducer.close();
    }
  });

  it("are taken when it is one", () => {
    const cases: [BinaryTransport, flags: number, partial: string, rest: string][] = [
      ["msgpack", 0, "92 c0", "c0"],
      ["msgpack", 0, "91 91 91", "90"],
      ["msgpack", SKIPPING, "dd 00 00 00 02 c0", "c0"],
      ["msgpack", SKIPPING, "c9 ff", `ff ff ff ${"00 ".repeat(20)}`],
      ["protobuf", 0, "00 00", "00 01 00"],
      ["protobuf", 0, "00 00 00 02 00", "00"],
      ["protobuf", SKIPPING, "00 00 00 02", "00 00"],
    ];
    for (const [transport, flags, partial, rest] of cases) {
      const bytes = changed(saved(transport, new Uint8Array(0)), flags, hex(partial));
      const fold = open(kind, transport);
      fold.reducer.restore(bytes);
      fold.push(hex(rest));
      const wanted = flags === SKIPPING ? [] : [transport === "msgpack" ? "not_an_event" : "bad_protobuf"];
      expect(
        fold.errors.map(({ code }) => code),
        `${transport} ${partial}`,
      ).toEqual(wanted);
      fold.reducer.close();
    }
  });

  it("are of one wire", () => {
    const transports = ["json", "msgpack", "protobuf"] as const;
    for (const from of transports) {
      for (const to of transports) {
        const source = new Fold(engine(kind), from, { protocol: "ag-ui" });
        const target = new Fold(engine(kind), to, { protocol: "ag-ui" });
        const error = thrown(() => target.reducer.restore(source.reducer.checkpoint()));
        expect(error?.code, `${from} to ${to}`).toBe(from === to ? undefined : "bad_checkpoint");
        source.reducer.close();
        target.reducer.close();
      }
    }
  });

  it("of a failed connection are as after reconnect()", () => {
    for (const transport of ["msgpack", "protobuf"] as const) {
      const options: Options = transport === "protobuf" ? { protocol: "ag-ui" } : {};
      const fold = new Fold(engine(kind), transport, options);
      fold.push(concat([EVENT[transport], hex(transport === "msgpack" ? "c1" : "00 00 00 00")]));
      expect(fold.failure).toBeDefined();
      const { partial, offset, eventIndex, flags } = readCheckpoint(fold.reducer.checkpoint());
      expect([partial.length, offset, eventIndex, flags]).toEqual([0, 0, 0, 0]);
      const next = new Fold(engine(kind), transport, options);
      next.reducer.restore(fold.reducer.checkpoint());
      expect(next.push(EVENT[transport].subarray(0, 5))).toBe(0);
      expect(next.reducer.stats()).toMatchObject({ errors: 1, applied: 1 });
      fold.reducer.close();
      next.reducer.close();
    }
  });
});
