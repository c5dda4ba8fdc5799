import { describe, expect, it } from "vitest";
import {
  type AgentUEInlineBlock,
  createEmitter,
  createResolver,
  type Emitter,
  type EmitterOptions,
  type EmitterTransport,
} from "../../src/agentue/index.js";
import { KINDS } from "../support/engines.js";
import { consumers, refusal } from "./consumers.js";
import { pausing, TRANSPORTS } from "./support.js";

const TEXT = { id: "a", type: "text", content: "" };
const MODEL = { version: "1.1" as const, biz: "chat", meta: {}, blocks: [TEXT, { id: "r", ref: "k" }] };

describe.each(TRANSPORTS as readonly EmitterTransport[])("references of an emitter over %s", (transport) => {
  it("takes references out for consumers of 1.0, or refuses them", () => {
    const plain = createEmitter({ transport, consumer: "1.0" });
    expect(refusal(() => plain.start(MODEL))).toEqual({ code: "bad_block", path: "/model/blocks/1/ref" });
    plain.start({ biz: "chat", version: "1.1", blocks: [TEXT] });
    expect(plain.snapshot()!.version).toBe("1.0");
    expect(refusal(() => plain.set({ id: "r", ref: "k" }))).toEqual({ code: "bad_block", path: "/block/ref" });
    expect(refusal(() => plain.update(MODEL))).toEqual({ code: "bad_block", path: "/model/blocks/1/ref" });

    const bodies: EmitterOptions["materialize"] = ({ id, ref }) => ({ id, type: "text", content: `body of ${ref}` });
    const emitter = createEmitter({ transport, consumer: "1.0", materialize: bodies });
    const all = consumers(transport);
    all.take(emitter.start(MODEL));
    all.take(emitter.append("r", "content", "!"));
    all.take(emitter.set({ id: "s", ref: "other" }));
    expect(all.model()).toEqual({
      ...MODEL,
      version: "1.0",
      blocks: [
        TEXT,
        { id: "r", type: "text", content: "body of k!" },
        { id: "s", type: "text", content: "body of other" },
      ],
    });
    all.take(emitter.update({ ...MODEL, blocks: [...MODEL.blocks, { id: "s", ref: "new" }] }));
    expect(all.model()).toMatchObject({ blocks: [{}, { content: "body of k" }, { content: "body of new" }] });
    all.close();

    const bad: [EmitterOptions["materialize"], string, string?][] = [
      [
        () => {
          throw new Error("no");
        },
        "load_failed",
      ],
      [() => ({ id: "other", type: "t" }), "bad_block", "/block/id"],
      [() => Promise.resolve({ id: "x", type: "t" }) as never, "bad_block", "/block/id"],
      [({ id, ref }) => ({ id, ref }) as never, "bad_block", "/block/ref"],
    ];
    for (const [materialize, code, path] of bad) {
      const one = createEmitter({ transport, consumer: "1.0", materialize: materialize! });
      one.start({ biz: "chat" });
      expect(refusal(() => one.set({ id: "x", ref: "k" }))).toEqual({ code, path });
      expect(one.seq).toBe(1);
    }
  });

  it("sends patches of references whose bodies it is given, and consumers that load them have its model", async () => {
    const store: Record<string, AgentUEInlineBlock> = {
      r: { id: "r", type: "text", content: "body" },
      s: { id: "s", type: "text", content: "", tool: { status: "run" } },
    };
    for (const more of [{}, { coalesce: true }, { splitAt: 128 }]) {
      const asked: string[] = [];
      const emitter = createEmitter({
        transport,
        ...more,
        materialize({ id, ref }) {
          asked.push(`${id} ${ref}`);
          return store[id];
        },
      }) as Emitter;
      const written: Uint8Array[] = [];
      const send = (bytes: unknown) => void written.push(...(Array.isArray(bytes) ? bytes : [bytes as Uint8Array]));
      send(
        emitter.start({
          ...MODEL,
          blocks: [TEXT, { id: "r", ref: "k" }, { id: "s", ref: "l" }, { id: "t", ref: "m" }],
        }),
      );
      send(emitter.append("a", "content", "!"));
      send(emitter.append("r", "content", " more".repeat(60)));
      send(emitter.append("r", "content", " and more"));
      send(emitter.setField("s", "tool.status", "done"));
      send(emitter.end());
      expect(asked).toEqual(["r k", "s l"]);
      const expected = [
        { ...TEXT, content: "!" },
        { ...store.r, content: `body${" more".repeat(60)} and more` },
        { ...store.s, tool: { status: "done" } },
        { id: "t", ref: "m" },
      ];
      expect(emitter.snapshot()!.blocks).toEqual(expected);
      for (const kind of KINDS) {
        const reducer = pausing(kind, transport, { sequence: "strict" });
        const failures: unknown[] = [];
        const resolver = createResolver(reducer, {
          load: ({ id }) => store[id],
          onError: (error) => failures.push(error),
        });
        for (const bytes of written) if (bytes.length > 0) reducer.push(bytes);
        await resolver.idle();
        expect([failures, reducer.finish().status]).toEqual([[], "complete"]);
        expect(reducer.snapshot()).toEqual(emitter.snapshot());
        reducer.close();
      }
    }
  });

  it("leaves a reference as it is where its patch is refused, or its body", () => {
    const bad: [() => unknown, string, string?][] = [
      [() => undefined, "unresolved_reference", "/block"],
      [() => null, "unresolved_reference", "/block"],
      [
        () => {
          throw new Error("no");
        },
        "load_failed",
      ],
      [() => ({ id: "other", type: "text", content: "" }), "bad_block", "/block/id"],
      [() => ({ id: "r", ref: "again" }), "bad_block", "/block/ref"],
      [() => ({ id: "r", type: "text", content: 5 }), "type_mismatch", "/block/content"],
      [() => ({ id: "r", type: "text", content: () => 5 }), "not_json"],
      ["text" as never, "bad_argument"],
    ];
    for (const [materialize, code, path] of bad) {
      if (typeof materialize !== "function") {
        expect(refusal(() => createEmitter({ transport, materialize }))?.code).toBe(code);
        continue;
      }
      const emitter = createEmitter({ transport, materialize: materialize as EmitterOptions["materialize"] });
      emitter.start(MODEL);
      const got = refusal(() => emitter.append("r", "content", "x"));
      expect(got?.code).toBe(code);
      if (path !== undefined) expect(got?.path).toBe(path);
      expect([emitter.seq, emitter.snapshot()]).toEqual([1, MODEL]);
    }
  });
});
