import { describe, expect, it } from "vitest";
import { StreamfoldError } from "../../src/errors.js";
import { jsonOfMsgpack, msgpackOf } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { errorRecord, Fold } from "../support/fold.js";
import { hex, READS, REFUSED, toHex } from "../support/msgpack.js";
import { append, MODEL, modelOf, start } from "./base.js";

// docs/msgpack.md: models that go in and out as MessagePack.

/** The error that a call throws, with its message. */
function failing(use: () => unknown): StreamfoldError {
  try {
    use();
  } catch (error) {
    if (error instanceof StreamfoldError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const REASONS: Readonly<Record<string, string>> = {
  short: "the bytes end inside of a value",
  trailing: "bytes follow the value",
  reserved: "no format begins with the byte C1",
  key: "a key must be a string",
  extension: "JSON has no form for this extension",
  timestamp: "the timestamp is not valid",
  not_finite: "JSON has no form for NaN and infinities",
};

/** A model whose meta holds `v`, spelled byte by byte. */
const HEAD = concat([
  ...[hex("84"), msgpackOf('"version"'), msgpackOf('"1.1"'), msgpackOf('"biz"'), msgpackOf('"b"')],
  ...[msgpackOf('"blocks"'), hex("90"), msgpackOf('"meta"'), hex("81"), msgpackOf('"v"')],
]);
const metaOf = (v: string): string => `{"version":"1.1","biz":"b","blocks":[],"meta":{"v":${v}}}`;
const MSGPACK = { format: "msgpack" } as const;

describe.each(KINDS)("models as MessagePack, %s", (kind) => {
  const open = (options = {}): Fold => new Fold(engine(kind), "json", options);

  it("brings every format into the model", () => {
    const fold = open();
    for (const [digits, json] of READS) {
      fold.reducer.load(concat([HEAD, hex(digits)]), MSGPACK);
      expect(canonical(fold.reducer.snapshotBytes()), digits).toBe(canonical(metaOf(json)));
      expect(toHex(fold.reducer.snapshotBytes(MSGPACK)), digits).toBe(toHex(msgpackOf(metaOf(json))));
    }
    fold.reducer.close();
  });

  it("tells what cannot be read, and changes nothing", () => {
    const fold = open();
    fold.reducer.load(MODEL, { seq: 5 });
    const before = fold.fingerprint();
    for (const [digits, code, offset, reason] of REFUSED) {
      const isPart = digits === "" || reason === "trailing";
      const alone = failing(() => fold.reducer.load(hex(digits), MSGPACK));
      expect(errorRecord(alone), digits).toEqual({ code, scope: "connection", byteOffset: offset });
      if (reason !== undefined) expect(alone.message, digits).toContain(`: ${REASONS[reason]} [`);
      if (isPart) continue;
      const inside = failing(() => fold.reducer.load(concat([HEAD, hex(digits)]), MSGPACK));
      expect(errorRecord(inside), digits).toEqual({ code, scope: "connection", byteOffset: HEAD.length + offset });
    }
    expect(fold.fingerprint()).toBe(before);
    fold.reducer.close();
  });

  it("takes exactly one value", () => {
    const fold = open();
    const model = msgpackOf(JSON.stringify(MODEL));
    const error = failing(() => fold.reducer.load(concat([model, hex("c0")]), MSGPACK));
    expect(errorRecord(error)).toEqual({ code: "bad_msgpack", scope: "connection", byteOffset: model.length });
    expect(error.message).toContain(REASONS.trailing);
    for (let at = 0; at < model.length; at++) {
      const cut = failing(() => fold.reducer.load(model.subarray(0, at), MSGPACK));
      expect(errorRecord(cut), `cut at ${at}`).toMatchObject({ code: "bad_msgpack", byteOffset: at });
    }
    expect(fold.reducer.streamIds()).toEqual([]);
    fold.reducer.load(model, { ...MSGPACK, seq: 3, streamId: "s" });
    expect(fold.stream("s")).toMatchObject({
      status: "open",
      seq: 3,
      version: 1,
      model: canonical(JSON.stringify(MODEL)),
    });
    fold.reducer.close();
  });

  it("judges it as a model, and holds it to the limits", () => {
    const fold = open({ limits: { depth: 4, numberLength: 6, modelBytes: 200, blocks: 2 }, utf8: "replace" });
    const load = (json: string | Uint8Array): unknown => {
      const bytes = typeof json === "string" ? msgpackOf(json) : json;
      return errorRecord(failing(() => fold.reducer.load(bytes, { ...MSGPACK, streamId: "s" })));
    };
    const stream = { scope: "stream", streamId: "s" };
    expect(load("[]")).toEqual({ code: "bad_model", ...stream, path: "" });
    expect(load("18446744073709551615")).toMatchObject({ code: "limit" });
    expect(load("5")).toEqual({ code: "bad_model", ...stream, path: "" });
    expect(load('{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"r","ref":"k","b":1,"0":2}]}')).toEqual({
      code: "bad_block",
      ...stream,
      path: "/blocks/0/b",
    });
    expect(load('{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"r","0":2,"ref":"k","b":1}]}')).toMatchObject({
      path: "/blocks/0/0",
    });
    const three = modelOf(...["a", "b", "c"].map((id) => ({ id, type: "t" })));
    expect(load(JSON.stringify(three))).toMatchObject({ code: "limit", path: "/blocks/2" });
    expect(load(metaOf('"'.padEnd(200, "x").concat('"')))).toMatchObject({ code: "limit", path: "" });
    expect(load(metaOf("1234567"))).toEqual({ code: "limit", ...stream, byteOffset: 0 });
    // a repeated key hides it
    const hidden = concat([HEAD, hex("82"), msgpackOf('"a"'), msgpackOf("1234567"), msgpackOf('"a"'), hex("01")]);
    expect(load(hidden)).toEqual({ code: "limit", ...stream, byteOffset: 0 });
    expect(load(metaOf("[[]]"))).toMatchObject({ code: "limit", path: "" });
    expect(load(metaOf("[[[]]]"))).toEqual({ code: "too_deep", scope: "connection", byteOffset: HEAD.length + 2 });
    expect(load(concat([HEAD, hex("a1 ff")]))).toEqual({
      code: "invalid_utf8",
      scope: "connection",
      byteOffset: HEAD.length + 1,
    });
    expect(fold.reducer.streamIds()).toEqual([]);
    fold.reducer.load(msgpackOf(metaOf("[123456]")), MSGPACK);
    expect(fold.streams()).toMatchObject([{ status: "open", model: canonical(metaOf("[123456]")) }]);
    fold.reducer.close();
  });

  it("gives the shortest form of the model, that loads again", () => {
    const model =
      '{"version":"1.1","biz":"é","meta":{"b":1,"a":[9007199254740993,18446744073709551615,-0,0.5,1e21,1.0,0.1],"__proto__":{"x":null}},' +
      '"blocks":[{"id":"a","type":"t","content":"\\u0000😀"},{"id":"r","ref":"k"}]}';
    const fold = open();
    fold.reducer.load(model, { seq: 1 });
    fold.push(new TextEncoder().encode(JSON.stringify(append(2, "a", "!"))));
    const bytes = fold.reducer.snapshotBytes(MSGPACK);
    const grown = model.replace("😀", "😀!");
    expect(toHex(bytes)).toBe(toHex(msgpackOf(grown)));
    expect(canonical(jsonOfMsgpack(bytes))).toBe(canonical(grown));
    expect(fold.reducer.withSnapshotBytes((view) => toHex(view), MSGPACK)).toBe(toHex(bytes));
    fold.reducer.load(bytes, MSGPACK);
    expect(toHex(fold.reducer.snapshotBytes(MSGPACK))).toBe(toHex(bytes));
    expect(canonical(fold.reducer.snapshotBytes())).toBe(canonical(grown));
    // what was read from it goes on as any text
    fold.push(new TextEncoder().encode(JSON.stringify(append(7, "a", "?"))));
    expect(fold.reducer.snapshot()).toMatchObject({ blocks: [{ content: "\u0000😀!?" }, {}] });
    fold.reducer.close();
  });

  it("has no form for numbers beyond a double", () => {
    const fold = open();
    fold.reducer.load(metaOf("1e400"));
    let called = 0;
    const error = failing(() => fold.reducer.withSnapshotBytes(() => called++, MSGPACK));
    expect(errorRecord(error)).toEqual({ code: "bad_msgpack", scope: "connection" });
    expect(error.message).toContain("a number is beyond the range of a double");
    expect(called).toBe(0);
    failing(() => fold.reducer.snapshotBytes(MSGPACK));
    expect(canonical(fold.reducer.snapshotBytes())).toBe(canonical(metaOf("1e400")));
    // reading has not failed anything
    expect(fold.push(new TextEncoder().encode(JSON.stringify(start(modelOf()))))).toBe(1);
    fold.reducer.close();
  });

  it("needs a model, and gives the callback's exception", () => {
    const fold = open();
    expect(errorRecord(failing(() => fold.reducer.snapshotBytes(MSGPACK)))).toMatchObject({ code: "no_model" });
    fold.reducer.load(MODEL);
    const thrown = new Error("mine");
    const use = (): never => {
      throw thrown;
    };
    expect(() => fold.reducer.withSnapshotBytes(use, MSGPACK)).toThrow(thrown);
    expect(toHex(fold.reducer.snapshotBytes(MSGPACK))).toBe(toHex(msgpackOf(JSON.stringify(MODEL))));
    fold.reducer.close();
  });

  it("does the same for AG-UI", () => {
    const fold = open({ protocol: "ag-ui" });
    const stored =
      '{"messages":[{"id":"u","role":"user","content":"é"}],"state":{"n":18446744073709551615,"b":-0,"z":[1]}}';
    fold.reducer.load(msgpackOf(stored), MSGPACK);
    const json = new TextDecoder().decode(fold.reducer.snapshotBytes());
    expect(json.startsWith(stored.slice(0, -1))).toBe(true);
    expect(toHex(fold.reducer.snapshotBytes(MSGPACK))).toBe(toHex(msgpackOf(json)));
    fold.reducer.load(fold.reducer.snapshotBytes(MSGPACK), MSGPACK);
    expect(new TextDecoder().decode(fold.reducer.snapshotBytes())).toBe(json);
    const bad = msgpackOf('{"messages":[{"id":"u","role":"user","content":5}]}');
    const faults = [bad, msgpackOf('{"messages":[{"id":5}]}'), msgpackOf("[]"), hex("81 a8")].map((bytes) =>
      errorRecord(failing(() => fold.reducer.load(bytes, MSGPACK))),
    );
    expect(faults).toMatchObject([
      { code: "bad_model", path: "/messages/0/content" },
      { code: "bad_model" },
      { code: "bad_model", path: "" },
      { code: "bad_msgpack", byteOffset: 2 },
    ]);
    expect(errorRecord(failing(() => fold.reducer.load(hex("80"), { ...MSGPACK, streamId: "s" })))).toMatchObject({
      code: "no_model",
      streamId: "s",
    });
    expect(new TextDecoder().decode(fold.reducer.snapshotBytes())).toBe(json);
    fold.reducer.close();
  });
});
