import { describe, expect, it } from "vitest";
import { append, end, MODEL, modelOf, ping, set, setMeta, start } from "../contract/base.js";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { everyN } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold } from "../support/fold.js";
import { sseBody } from "../support/sse.js";

const lines = (...events: unknown[]): string[] => events.map((event) => JSON.stringify(event));
const X = { id: "x", type: "t", content: "" };

/** Milliseconds that a run takes; the best of three, so that a pause of the machine does not count. */
function time(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3; i++) {
    const begin = performance.now();
    run();
    best = Math.min(best, performance.now() - begin);
  }
  return best;
}

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
    const run = (megabytes: number) => (): void => {
      const fold = new Fold(engine(kind), "ndjson", {}, false);
      const body = utf8(`${lines(start(modelOf({ ...X, content: "z".repeat(megabytes << 20) })))[0]}\n`);
      for (const chunk of everyN(body, 1024)) fold.push(chunk);
      expect(fold.reducer.status()).toBe("open");
      fold.reducer.close();
    };
    const small = time(run(1));
    const large = time(run(10));
    // quadratic would be a hundred times as much
    expect(large).toBeLessThan(Math.max(small, 2) * 40);
  });

  it("ten thousand members with names that look alike", () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `key-${i}`);
    const wide = Object.fromEntries(names.map((name, i) => [name, i]));
    const fold = new Fold(engine(kind), "json");
    const begin = performance.now();
    fold.push(utf8(JSON.stringify(start({ ...modelOf({ id: "x", type: "t", wide }), meta: { wide } }))));
    for (let i = 0; i < 300; i++) {
      const name = names[(i * 37) % names.length] as string;
      fold.push(utf8(JSON.stringify(setMeta(2 + i, `meta.wide.${name}`, { wide: { [name]: `m${i}` } }))));
    }
    for (let i = 0; i < 300; i++) {
      fold.push(
        utf8(
          JSON.stringify({
            op: "set",
            seq: 302 + i,
            mask: `block.wide.new-${i}`,
            block: { id: "x", wide: { [`new-${i}`]: i } },
          }),
        ),
      );
    }
    expect(performance.now() - begin).toBeLessThan(20_000);
    expect(fold.errors).toEqual([]);
    const snapshot = fold.reducer.snapshot() as { meta: { wide: object }; blocks: { wide: object }[] };
    expect(Object.keys(snapshot.meta.wide).length).toBe(10_000);
    expect(Object.keys(snapshot.blocks[0]?.wide ?? {}).length).toBe(10_300);
    fold.reducer.close();
  });

  it("ten thousand blocks and as many streams with ids that look alike", () => {
    const fold = new Fold(engine(kind), "ndjson", {}, false);
    const ids = Array.from({ length: 10_000 }, (_, i) => `id-${i}`);
    const begin = performance.now();
    fold.push(utf8(`${lines(start(modelOf(...ids.map((id) => ({ id, type: "t", content: "" }))))).join("\n")}\n`));
    fold.push(utf8(`${lines(...ids.map((id, i) => append(2 + i, id, "x"))).join("\n")}\n`));
    fold.push(utf8(`${lines(...ids.map((id) => start(modelOf(X), { stream_id: id }))).join("\n")}\n`));
    fold.push(utf8(`${lines(...ids.map((id) => append(2, "x", "y", { stream_id: id }))).join("\n")}\n`));
    expect(performance.now() - begin).toBeLessThan(20_000);
    expect(fold.applied).toBe(30_001);
    expect(fold.reducer.stats()).toMatchObject({ streams: 10_001, blocks: 20_000 });
    expect(
      (fold.reducer.snapshot() as { blocks: { content: string }[] }).blocks.every((block) => block.content === "x"),
    ).toBe(true);
    fold.reducer.close();
  });

  it("a hundred thousand repeated members", () => {
    const fold = new Fold(engine(kind), "json");
    fold.push(utf8(JSON.stringify(start(modelOf(X)))));
    const begin = performance.now();
    fold.push(utf8(`{"op":"set","seq":2,"mask":"block.v","block":{"id":"x",${'"v":1,'.repeat(100_000)}"v":2}}`));
    fold.push(utf8(`{"op":"ping",${'"ts":1,'.repeat(100_000)}"seq":2}`));
    fold.push(utf8(`{"op":"set","seq":3,"mask":"meta.o","meta":{"o":{${'"a":1,'.repeat(100_000)}"b":1}}}`));
    fold.push(utf8(JSON.stringify(setMeta(4, "meta.o.c", { o: { c: 1 } }))));
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(fold.errors).toEqual([]);
    expect(fold.reducer.snapshot()).toEqual({ ...modelOf({ ...X, v: 2 }), meta: { o: { a: 1, b: 1, c: 1 } } });
    fold.reducer.close();
  });

  it("an event with a hundred thousand unknown members, and a huge model that is refused at its end", () => {
    const fold = new Fold(engine(kind), "json", { onViolation: "skip-event" });
    fold.push(utf8(JSON.stringify(start(modelOf(X)))));
    const many = Array.from({ length: 100_000 }, (_, i) => `"m${i}":${i}`).join(",");
    const begin = performance.now();
    fold.push(utf8(`{"op":"ping","seq":1,${many}}`));
    const blocks = Array.from({ length: 50_000 }, (_, i) => ({ id: `b${i}`, type: "t" }));
    fold.push(utf8(JSON.stringify(start(modelOf(...blocks, { id: "b49999", type: "t" })))));
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(fold.errors).toMatchObject([
      { code: "unknown_field", path: "/m0" },
      { code: "duplicate_id", path: "/model/blocks/50000/id" },
    ]);
    expect(fold.stream("").version).toBe(1);
    fold.reducer.close();
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
    const run = (count: number) => (): void => {
      const fold = new Fold(engine(kind), "ndjson", {}, false);
      fold.push(utf8(`${JSON.stringify(start(modelOf(X)))}\n`));
      fold.push(
        utf8(
          Array.from(
            { length: count },
            (_, i) => `{"op":"append","seq":${2 + i},"mask":"block.content","block":{"id":"x","content":"abcd"}}\n`,
          ).join(""),
        ),
      );
      expect(fold.reducer.snapshotBytes().length).toBeGreaterThan(4 * count);
      fold.reducer.close();
    };
    const small = time(run(4_000));
    const large = time(run(40_000));
    expect(large).toBeLessThan(Math.max(small, 2) * 40);
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
