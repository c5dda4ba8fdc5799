import { describe, expect, it } from "vitest";
import { append, end, MODEL, modelOf, ping, set, setBlock, setMeta, start } from "../contract/base.js";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { expectProportional } from "../support/cost.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";
import { sseBody } from "../support/sse.js";

const lines = (...events: unknown[]): string[] => events.map((event) => JSON.stringify(event));
const X = { id: "x", type: "t", content: "" };

describe.each(KINDS)("hostile input, %s", (kind) => {
  it("a stream cut at every byte is truncated or complete, never anything else", () => {
    const body = sseBody(lines(start(modelOf(X)), append(2, "x", "é😀"), end(3)), { id: "1" });
    const complete: number[] = [];
    for (let length = 0; length <= body.length; length++) {
      const fold = new Fold(engine(kind), "sse");
      fold.push(body.subarray(0, length));
      const { status } = fold.finish();
      expect(fold.errors, `cut to ${length}`).toEqual([]);
      if (status === "complete") complete.push(length);
      fold.reducer.close();
    }
    // the closing brace of `end`, its LF, the blank line
    expect(complete).toEqual([body.length - 2, body.length - 1, body.length]);
  });

  it("nesting of 100,000 levels in every place, in one piece and in small ones", () => {
    const deep = "[".repeat(100_000);
    const places = [
      deep,
      `{"op":${deep}`,
      `{"model":${deep}`,
      `{"block":{"x":${deep}`,
      `{"x":${'{"a":'.repeat(100_000)}`,
    ];
    for (const text of places) {
      for (const size of [1_000_000, 1000]) {
        const fold = new Fold(engine(kind), "ndjson");
        for (const chunk of everyN(utf8(`${text}\n`), size)) if (fold.failure === undefined) fold.push(chunk);
        expect(fold.failure?.code, text.slice(0, 20)).toBe("too_deep");
        fold.reducer.close();
      }
    }
    const fold = new Fold(engine(kind), "json");
    fold.push(utf8(JSON.stringify(start())));
    expect(() => fold.reducer.load(`{"version":"1.1","biz":"b","meta":{"x":${deep}`)).toThrow();
    expect(() => fold.reducer.materialize(`{"id":"r","type":"t","x":${deep}`)).toThrow();
    expect(fold.stream("").version).toBe(1);
    fold.reducer.close();
  });

  it("a line of 20 MB without end", () => {
    for (const transport of ["sse", "ndjson"] as const) {
      const fold = new Fold(engine(kind), transport);
      const chunk = utf8("y".repeat(1 << 16));
      fold.push(utf8('data: {"'));
      let pushed = 8;
      while (fold.failure === undefined && pushed < 20 << 20) {
        fold.push(chunk);
        pushed += chunk.length;
      }
      expect(fold.failure?.code, transport).toBe("too_large");
      expect(pushed, transport).toBeLessThan((16 << 20) + 2 * chunk.length);
      fold.reconnect();
      fold.push(utf8(transport === "sse" ? ": fine\n" : "\n"));
      fold.reducer.close();
    }
  });

  it("a message of 10 MB in pieces of one kilobyte takes time in proportion to its size", () => {
    expectProportional((kilobytes) => {
      const body = utf8(`${lines(start(modelOf({ ...X, content: "z".repeat(kilobytes << 10) })))[0]}\n`);
      return () => {
        const fold = new Fold(engine(kind), "ndjson", {}, false);
        for (const chunk of everyN(body, 1024)) fold.push(chunk);
        expect(fold.reducer.status()).toBe("open");
        fold.reducer.close();
      };
    }, 320);
  });

  it("ten thousand members with names that look alike", () => {
    expectProportional((size) => {
      const names = Array.from({ length: size }, (_, i) => `key-${i}`);
      const wide = Object.fromEntries(names.map((name, i) => [name, i]));
      const edits = (size * 3) / 100;
      const touched = Array.from({ length: edits }, (_, i) => {
        const name = names[(i * 37) % size] as string;
        return setMeta(2 + i, `meta.wide.${name}`, { wide: { [name]: `m${i}` } });
      });
      const added = Array.from({ length: edits }, (_, i) =>
        setBlock(2 + edits + i, `block.wide.new-${i}`, { id: "x", wide: { [`new-${i}`]: i } }),
      );
      const first = start({ ...modelOf({ id: "x", type: "t", wide }), meta: { wide } });
      const messages = lines(first, ...touched, ...added).map(utf8);
      return () => {
        const fold = new Fold(engine(kind), "json");
        for (const message of messages) fold.push(message);
        expect(fold.errors).toEqual([]);
        const snapshot = fold.reducer.snapshot() as { meta: { wide: object }; blocks: { wide: object }[] };
        expect(Object.keys(snapshot.meta.wide).length).toBe(size);
        expect(Object.keys(snapshot.blocks[0]?.wide ?? {}).length).toBe(size + edits);
        fold.reducer.close();
      };
    }, 400);
  });

  it("ten thousand blocks and as many streams with ids that look alike", () => {
    expectProportional((size) => {
      const ids = Array.from({ length: size }, (_, i) => `id-${i}`);
      const bodies = [
        [start(modelOf(...ids.map((id) => ({ id, type: "t", content: "" }))))],
        ids.map((id, i) => append(2 + i, id, "x")),
        ids.map((id) => start(modelOf(X), { stream_id: id })),
        ids.map((id) => append(2, "x", "y", { stream_id: id })),
      ].map((events) => utf8(`${lines(...events).join("\n")}\n`));
      return () => {
        const fold = new Fold(engine(kind), "ndjson", {}, false);
        for (const body of bodies) fold.push(body);
        expect(fold.applied).toBe(3 * size + 1);
        expect(fold.reducer.stats()).toMatchObject({ streams: size + 1, blocks: 2 * size });
        const { blocks } = fold.reducer.snapshot() as { blocks: { content: string }[] };
        expect(blocks.every((block) => block.content === "x")).toBe(true);
        fold.reducer.close();
      };
    }, 320);
  });

  it("a hundred thousand repeated members", () => {
    expectProportional((size) => {
      const messages = [
        JSON.stringify(start(modelOf(X))),
        `{"op":"set","seq":2,"mask":"block.v","block":{"id":"x",${'"v":1,'.repeat(size)}"v":2}}`,
        `{"op":"ping",${'"ts":1,'.repeat(size)}"seq":2}`,
        `{"op":"set","seq":3,"mask":"meta.o","meta":{"o":{${'"a":1,'.repeat(size)}"b":1}}}`,
        JSON.stringify(setMeta(4, "meta.o.c", { o: { c: 1 } })),
      ].map(utf8);
      return () => {
        const fold = new Fold(engine(kind), "json");
        for (const message of messages) fold.push(message);
        expect(fold.errors).toEqual([]);
        expect(fold.reducer.snapshot()).toEqual({ ...modelOf({ ...X, v: 2 }), meta: { o: { a: 1, b: 1, c: 1 } } });
        fold.reducer.close();
      };
    }, 3_200);
  });

  it("an event with a hundred thousand unknown members, and a huge model that is refused at its end", () => {
    expectProportional((size) => {
      const many = Array.from({ length: size }, (_, i) => `"m${i}":${i}`).join(",");
      const blocks = Array.from({ length: size / 2 }, (_, i) => ({ id: `b${i}`, type: "t" }));
      const messages = [
        JSON.stringify(start(modelOf(X))),
        `{"op":"ping","seq":1,${many}}`,
        JSON.stringify(start(modelOf(...blocks, { id: `b${size / 2 - 1}`, type: "t" }))),
      ].map(utf8);
      return () => {
        const fold = new Fold(engine(kind), "json", { onViolation: "skip-event" });
        for (const message of messages) fold.push(message);
        expect(fold.errors).toMatchObject([
          { code: "unknown_field", path: "/m0" },
          { code: "duplicate_id", path: `/model/blocks/${size / 2}/id` },
        ]);
        expect(fold.stream("").version).toBe(1);
        fold.reducer.close();
      };
    }, 3_200);
  });

  it("huge seqs, ids of a megabyte, empty chunks, floods of blank lines", () => {
    const fold = new Fold(engine(kind), "ndjson");
    const long = "i".repeat(1 << 20);
    fold.push(utf8(`${lines(start(modelOf(X), { stream_id: long, seq: Number.MAX_SAFE_INTEGER })).join("")}\n`));
    for (let i = 0; i < 1000; i++) fold.push(new Uint8Array());
    fold.push(utf8("\n".repeat(1_000_000)));
    fold.push(
      utf8(`${lines(set(1, { id: long, type: "t" }, { stream_id: long }), ping(3, { stream_id: long })).join("\n")}\n`),
    );
    expect(fold.warnings).toMatchObject([{ code: "duplicate_seq", seq: 1, eventIndex: 1 }]);
    expect(fold.reducer.status({ streamId: long })).toBe("open");
    expect(fold.reducer.status({ streamId: long.slice(1) })).toBe("none");
    fold.reducer.close();
  });

  it("many small appends to one field take time in proportion to their number", () => {
    expectProportional((count) => {
      const first = utf8(`${JSON.stringify(start(modelOf(X)))}\n`);
      const appends = Array.from(
        { length: count },
        (_, i) => `{"op":"append","seq":${2 + i},"mask":"block.content","block":{"id":"x","content":"abcd"}}\n`,
      );
      const body = utf8(appends.join(""));
      return () => {
        const fold = new Fold(engine(kind), "ndjson", {}, false);
        fold.push(first);
        fold.push(body);
        expect(fold.reducer.snapshotBytes().length).toBeGreaterThan(4 * count);
        fold.reducer.close();
      };
    }, 1_280);
  });

  it("after everything the engine still works", () => {
    const fold = new Fold(engine(kind), "sse");
    fold.push(concat([sseBody(lines(start(), append(2, "a", "!"))), latin1("data: \xff\n\n")]));
    fold.reconnect();
    fold.push(sseBody(lines(append(3, "a", "?"), end(4))));
    expect(fold.finish().status).toBe("complete");
    expect(fold.reducer.snapshot()).toEqual({
      ...MODEL,
      blocks: [{ ...MODEL.blocks[0], content: "Hello!?" }, ...MODEL.blocks.slice(1)],
    });
    fold.reducer.close();
  });
});
