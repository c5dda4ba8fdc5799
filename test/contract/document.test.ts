import { describe, expect, it } from "vitest";
import { latin1, text, utf8 } from "../support/bytes.js";
import { openText, refused, textOf } from "../support/documents.js";
import { engine, freshEngine, KINDS } from "../support/engines.js";

const SAMPLE = '{"a":[1,{"b":"é"},null],"":{"":0},"m~n":1,"a/b":2,"big":12345678901234567890,"t":1.5}';

describe.each(KINDS)("documents, %s", (kind) => {
  describe("source", () => {
    it("takes bytes in every form and keeps none of them", () => {
      const bytes = utf8(` ${SAMPLE}\n`);
      const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      for (const source of [bytes, buffer, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)]) {
        const document = engine(kind).createDocument(source);
        expect(textOf(document)).toBe(SAMPLE);
        document.close();
      }
      const document = engine(kind).createDocument(bytes);
      bytes.fill(0x20);
      expect(textOf(document)).toBe(SAMPLE);
      document.close();
    });

    it("takes plain values; a string is a value", () => {
      const values = [{ a: [1, { b: "é" }], c: null }, [], {}, "text", '{"a":1}', "\ud800", 0, 1.5, true, null];
      for (const value of values) {
        const document = engine(kind).createDocument(value);
        expect(document.value()).toEqual(value);
        expect(textOf(document)).toBe(JSON.stringify(value));
        expect(document.size).toBe(document.bytes().length);
        document.close();
      }
    });

    it("does not share a value with the caller, in or out", () => {
      const value = { list: [{ x: 1 }] };
      const document = engine(kind).createDocument(value);
      value.list[0]!.x = 2;
      const out = document.value() as typeof value;
      expect(out).toEqual({ list: [{ x: 1 }] });
      out.list.push({ x: 3 });
      const part = document.get("/list/0") as { x: number };
      part.x = 4;
      document.bytes().fill(0);
      expect(textOf(document)).toBe('{"list":[{"x":1}]}');
      document.close();
    });

    it("does not share the values of a patch", () => {
      const document = engine(kind).createDocument({});
      const value = { x: [1] };
      document.patch([
        { op: "add", path: "/a", value },
        { op: "add", path: "/b", value },
        { op: "add", path: "/a/x/-", value: 2 },
      ]);
      value.x.push(9);
      expect(textOf(document)).toBe('{"a":{"x":[1,2]},"b":{"x":[1]}}');
      document.close();
    });

    it("refuses text that is no JSON, at its byte", () => {
      const create = (bytes: Uint8Array, depth = 8) =>
        engine(kind).createDocument(bytes, { limits: { depth, numberLength: 5 } });
      refused(() => create(utf8('{"a":tru}')), { code: "bad_json", byteOffset: 8 });
      refused(() => create(utf8("")), { code: "bad_json", byteOffset: 0 });
      refused(() => create(utf8("1 2")), { code: "bad_json", byteOffset: 2 });
      refused(() => create(latin1('["\xff"]')), { code: "invalid_utf8", byteOffset: 2 });
      refused(() => create(utf8("[[[]]]"), 2), { code: "too_deep", byteOffset: 2 });
      refused(() => create(utf8("[1,123456]")), { code: "limit", reason: "numberLength", byteOffset: 3 });
    });

    it("refuses values that are no JSON, at their path", () => {
      const create = (value: unknown, depth = 8) => engine(kind).createDocument(value, { limits: { depth } });
      refused(() => create(undefined), { code: "not_json", path: "" });
      refused(() => create({ a: [1, undefined] }), { code: "not_json", path: "/a/1" });
      refused(() => create({ a: new Date(0) }), { code: "not_json", path: "/a" });
      refused(() => create([Number.NaN]), { code: "not_json", path: "/0" });
      refused(() => create([[[1]]], 2), { code: "too_deep", path: "/0/0" });
      refused(() => engine(kind).createDocument([123456], { limits: { numberLength: 5 } }), {
        code: "limit",
        reason: "numberLength",
      });
    });

    it("refuses more bytes than the limit, counted as compact JSON", () => {
      const limits = { bytes: 9 };
      expect(textOf(openText(kind, '{ "a" : 123 }', limits))).toBe('{"a":123}');
      refused(() => openText(kind, '{"a":1234}', limits), { code: "limit", reason: "modelBytes" });
      refused(() => engine(kind).createDocument({ a: 1234 }, { limits }), { code: "limit", reason: "modelBytes" });
    });

    it("refuses options that are none", () => {
      const create = (options: unknown) => () => engine(kind).createDocument({}, options as never);
      for (const options of [null, 1, { limit: {} }, { limits: null }, { limits: 3 }, { limits: { deep: 1 } }])
        refused(create(options), { code: "bad_argument" }, JSON.stringify(options));
      for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "1", null, 2 ** 53]) {
        for (const name of ["depth", "numberLength", "bytes", "operations"])
          refused(create({ limits: { [name]: bad } }), { code: "bad_argument" }, `${name} ${bad}`);
      }
      engine(kind)
        .createDocument({}, { limits: { depth: undefined } })
        .close();
      engine(kind).createDocument({}, {}).close();
    });
  });

  describe("reading", () => {
    it("finds values by pointer", () => {
      const document = openText(kind, SAMPLE);
      const found: [string, unknown][] = [
        ["/a", [1, { b: "é" }, null]],
        ["/a/0", 1],
        ["/a/1/b", "é"],
        ["/a/2", null],
        ["/", { "": 0 }],
        ["//", 0],
        ["/m~0n", 1],
        ["/a~1b", 2],
        ["/t", 1.5],
      ];
      for (const [pointer, value] of found) {
        expect(document.get(pointer), pointer).toEqual(value);
        expect(JSON.parse(text(document.bytes(pointer))), pointer).toEqual(value);
      }
      expect(text(document.bytes(""))).toBe(SAMPLE);
      expect(document.get("")).toEqual(JSON.parse(SAMPLE));
      document.close();
    });

    it("has nothing where nothing is", () => {
      const document = openText(kind, SAMPLE);
      const missing = [
        "/x",
        "/a/3",
        "/a/-",
        "/a/01",
        "/a/-1",
        "/a/1e0",
        "/a/+1",
        "/a/",
        "/a/0/x",
        "/a/x",
        "/t/0",
        "/a/99999999999999999999",
      ];
      for (const pointer of [
        ...missing,
        "/__proto__",
        "/constructor",
        "/a/length",
        "/toString",
        "/a/1/hasOwnProperty",
      ]) {
        expect(document.get(pointer), pointer).toBeUndefined();
        refused(
          () => document.bytes(pointer),
          { code: "bad_argument", reason: "there is no value at the pointer" },
          pointer,
        );
      }
      document.close();
    });

    it("refuses what is no pointer", () => {
      const document = openText(kind, SAMPLE);
      for (const pointer of ["a", "a/", " ", "#/a", "/~", "/~2", "/a~", "/m~n", "/~01~"]) {
        refused(() => document.get(pointer), { code: "bad_argument" }, pointer);
        refused(() => document.bytes(pointer), { code: "bad_argument" }, pointer);
      }
      for (const pointer of [null, 1, ["a"], undefined]) {
        refused(() => document.get(pointer as never), { code: "bad_argument" }, String(pointer));
      }
      document.close();
    });

    it("keeps digits, and gives integers as asked", () => {
      const document = openText(kind, SAMPLE);
      expect(text(document.bytes("/big"))).toBe("12345678901234567890");
      expect(document.get("/big")).toBe(12345678901234567000);
      expect(document.get("/big", { integers: "bigint" })).toBe(12345678901234567890n);
      expect((document.value({ integers: "bigint" }) as { big: bigint }).big).toBe(12345678901234567890n);
      refused(() => document.get("/big", { integers: "int" as never }), { code: "bad_argument" });
      document.close();
    });

    it("finds names by their characters, however they are spelled", () => {
      const document = openText(
        kind,
        '{"\\u0061":1,"\\u00e9":2,"\\ud83d\\ude00":3,"\\n":4,"\\ud800":5,"\\"":6,"\\/":7,"\\\\":8}',
      );
      const names = ["a", "é", "😀", "\n", "\ud800", '"', "~1", "\\"];
      expect(names.map((name) => document.get(`/${name}`))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      document.close();
    });

    it("takes the last of repeated names", () => {
      const document = openText(kind, '{"a":1,"b":2,"a":{"x":3}}');
      expect(document.get("/a/x")).toBe(3);
      document.patch(utf8('[{"op":"replace","path":"/a/x","value":4}]'));
      expect(document.value()).toEqual({ a: { x: 4 }, b: 2 });
      document.close();
    });
  });

  describe("life", () => {
    it("counts applied patches", () => {
      const document = openText(kind, "{}");
      expect(document.version).toBe(0);
      document.patch([]);
      document.patch(utf8('[{"op":"add","path":"/a","value":1}]'));
      expect(() => document.patch([{ op: "remove", path: "/b" }])).toThrow();
      expect(document.version).toBe(2);
      expect(document.size).toBe(7);
      document.close();
    });

    it("is closed once, and says so", () => {
      const document = openText(kind, "{}");
      document.close();
      document.close();
      document[Symbol.dispose]();
      const uses = [
        () => document.patch([]),
        () => document.get(""),
        () => document.bytes(),
        () => document.value(),
        () => document.size,
        () => document.version,
      ];
      for (const use of uses) refused(use, { code: "closed" });
    });

    it("is closed with its engine, and gives its memory back", () => {
      const own = freshEngine(kind);
      own.createDocument({ warm: [1, 2, 3] }).close();
      const live = own.memory().live;
      for (let i = 0; i < 20; i++) {
        const document = own.createDocument({ list: Array.from({ length: 100 }, (_, n) => ({ n })) });
        document.patch([{ op: "add", path: "/list/50", value: { x: "y".repeat(1000) } }]);
        expect(() =>
          document.patch([
            { op: "remove", path: "/list/0" },
            { op: "remove", path: "/nothing" },
          ]),
        ).toThrow();
        document.close();
      }
      expect(own.memory().live).toBe(live);
      const left = own.createDocument({});
      own.close();
      refused(() => left.size, { code: "closed" });
      refused(() => own.createDocument({}), { code: "closed" });
      left.close();
    });

    it("is not to be used while a snapshot is lent", () => {
      const own = freshEngine(kind);
      const document = own.createDocument({ a: 1 });
      const reducer = own.createReducer({ protocol: "agentue", transport: "json" });
      reducer.load({ version: "1.0", biz: "b", meta: {}, blocks: [] });
      reducer.withSnapshotBytes(() => {
        refused(() => document.get("/a"), { code: "reentrant" });
        refused(() => document.patch([]), { code: "reentrant" });
        refused(() => document.close(), { code: "reentrant" });
        refused(() => own.createDocument({}), { code: "reentrant" });
      });
      expect(document.get("/a")).toBe(1);
      own.close();
    });

    it("outlives traps of the caller's values", () => {
      const own = freshEngine(kind);
      const document = own.createDocument({ a: 1 });
      const patch = new Proxy([{ op: "remove", path: "/a" }], {
        getPrototypeOf: () => Array.prototype,
        getOwnPropertyDescriptor(target, name) {
          document.close();
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
      });
      refused(() => document.patch(patch), { code: "closed" });
      const source = new Proxy([1], {
        getOwnPropertyDescriptor(target, name) {
          own.close();
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
      });
      refused(() => own.createDocument(source), { code: "closed" });
    });

    it("lets several documents live side by side", () => {
      const documents = Array.from({ length: 50 }, (_, n) => engine(kind).createDocument({ n }));
      for (const [n, document] of documents.entries()) document.patch([{ op: "add", path: "/m", value: n * 2 }]);
      for (const [n, document] of documents.entries()) {
        expect(document.value()).toEqual({ n, m: n * 2 });
        document.close();
      }
    });
  });
});
