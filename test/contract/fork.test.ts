import { describe, expect, it } from "vitest";
import type { ForkOptions, Reducer } from "../../src/engine/contract.js";
import { AguiGenerator } from "../fuzz/agui-generate.js";
import { Generator } from "../fuzz/generate.js";
import {
  custom,
  finished,
  started,
  subagentStarted,
  text,
  textChunk,
  textContent,
  textStart,
  tool,
  toolArgs,
  toolStart,
} from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS, REDUCER_KINDS, type ReducerKind } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { thrown } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { append, end, MODEL, modelOf, ping, set, setBlock, setMeta, start } from "./base.js";

type Protocol = "agentue" | "ag-ui";
/** How events come: as lines of bytes, or as values. */
type Road = "bytes" | "values";

const SKIP = { onViolation: "skip-event", undecodable: "skip" } as const;
const on = (streamId: string): { stream_id: string } => ({ stream_id: streamId });
const line = (event: unknown): Uint8Array =>
  utf8(`${typeof event === "string" ? event.replace(/[\r\n]/g, " ") : JSON.stringify(event)}\n`);

/** A reducer with everything that it tells of its events, but for their places in its connection. */
class Subject {
  readonly told: string[] = [];
  readonly reducer: Reducer;
  readonly road: Road;
  readonly streamId: string;

  constructor(make: (listeners: ForkOptions) => Reducer, protocol: Protocol, road: Road, streamId: string) {
    const note = (kind: string, { eventIndex: _, byteOffset: __, message: ___, ...facts }: Record<string, unknown>) =>
      void this.told.push(JSON.stringify([kind, Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1))]));
    this.road = road;
    this.streamId = streamId;
    this.reducer = make({
      onEvent: (event, { streamId: id }) => note("event", { event: JSON.stringify(event), id }),
      onWarning: (warning) => note("warning", { ...warning }),
      onError: ({ code, scope, streamId: id, seq, path, opIndex }) =>
        note("error", { code, scope, id, seq, path, opIndex }),
      ...(protocol === "agentue" ? { onGap: (gap) => note("gap", { ...gap }) } : {}),
    });
  }

  /** Only what is about the stream counts. */
  get heard(): string[] {
    return this.told.filter((entry) => entry.includes(JSON.stringify(JSON.stringify(this.streamId)).slice(1, -1)));
  }

  take(event: unknown): void {
    if (this.road === "values") this.reducer.apply(typeof event === "string" ? JSON.parse(event) : event);
    else this.reducer.push(line(event));
  }

  state(): unknown {
    const { reducer, streamId } = this;
    const has = reducer.status({ streamId }) !== "none";
    const { memory: _, ...stats } = reducer.stats({ streamId });
    return {
      status: reducer.status({ streamId }),
      seq: reducer.seq({ streamId }),
      model: has ? canonical(reducer.snapshotBytes({ streamId })) : undefined,
      stats,
    };
  }
}

/** Events of one kind of session. */
interface Source {
  protocol: Protocol;
  options: Record<string, unknown>;
  events(rng: Rng, count: number): unknown[];
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

const SOURCES: readonly Source[] = [
  {
    protocol: "agentue",
    options: SKIP,
    events(rng, count) {
      const generator = new Generator(rng, true, true, 0.03);
      // some spellings of a lone half are broken JSON, which is the connection's failure
      return Array.from({ length: 2 * count }, () => generator.event())
        .filter(isJson)
        .slice(0, count);
    },
  },
  {
    protocol: "ag-ui",
    options: {
      ...SKIP,
      input: { threadId: "T", messages: [{ id: "a", role: "user", content: "?" }], state: { a: [1] } },
    },
    events(rng, count) {
      const generator = new AguiGenerator(rng, { mutations: 0.03, apart: rng.chance(0.5) });
      return Array.from({ length: count }, () => generator.event());
    },
  },
];

function open(
  kind: ReducerKind,
  { protocol, options }: Pick<Source, "protocol" | "options">,
  road: Road,
  id = "",
): Subject {
  return new Subject(
    (listeners) => engine(kind).createReducer({ protocol, transport: "ndjson", ...options, ...listeners }),
    protocol,
    road,
    id,
  );
}

describe.each(REDUCER_KINDS)("fork on %s", (kind) => {
  const sources = SOURCES.filter(({ protocol }) => protocol === "agentue" || !kind.startsWith("slim"));
  describe.each(sources)("of $protocol", (source) => {
    it.each(["bytes", "values"] as const)("is where a reducer fed separately would be, both ways, with %s", (road) => {
      for (let seed = 1; seed <= 80; seed++) {
        const rng = new Rng(seed);
        const events = source.events(rng, rng.between(6, 50));
        const at = rng.between(1, events.length - 1);
        const probe = open(kind, source, road);
        for (const event of events.slice(0, at)) probe.take(event);
        const streamId = rng.pick(probe.reducer.streamIds()) ?? "";
        probe.reducer.close();

        const parent = open(kind, source, road, streamId);
        const twin = open(kind, source, road, streamId);
        const other = open(kind, source, road, streamId);
        for (const event of events.slice(0, at)) for (const one of [parent, twin, other]) one.take(event);
        const label = `seed ${seed}`;
        if (parent.reducer.status({ streamId }) === "none") {
          expect(thrown(() => parent.reducer.fork({ streamId }))?.code, label).toBe("no_model");
          continue;
        }
        const paused = rng.chance(0.2);
        if (paused) for (const one of [parent, twin, other]) one.reducer.pause({ streamId });
        const rest = events.slice(at);
        const queued = paused ? rest.splice(0, rng.int(4)) : [];
        for (const event of queued) for (const one of [parent, twin, other]) one.take(event);
        // reading flattens texts, which must not matter
        if (rng.chance(0.3)) parent.reducer.snapshot({ streamId });
        const told = other.told.length;
        const fork = new Subject(
          (listeners) => parent.reducer.fork({ streamId, ...listeners }),
          source.protocol,
          road,
          streamId,
        );
        expect(fork.reducer.streamIds(), label).toEqual([streamId]);
        expect(fork.state(), label).toEqual(parent.state());
        if (paused) for (const one of [parent, twin, fork, other]) one.reducer.resume({ streamId });
        // the parent goes on as before, the fork by events of its own
        const own = rng.chance(0.5) ? rest.slice(0, rng.int(rest.length + 1)) : rng.shuffle(rest);
        for (let i = 0; i < Math.max(rest.length, own.length); i++) {
          if (i < own.length) for (const one of [fork, other]) one.take(own[i]);
          if (i < rest.length) for (const one of [parent, twin]) one.take(rest[i]);
          if (rng.chance(0.1)) for (const one of [fork, other]) one.reducer.snapshot({ streamId });
          // reading changes and arguments reaches into what is shared
          if (rng.chance(0.2)) {
            const since = rng.int(30);
            const read = (one: Subject): unknown => {
              const args = ["a", "b", "c", "tool a"].map((id) => one.reducer.partialArgs(id));
              return JSON.stringify([one.reducer.changes({ streamId, since }), structuredClone(args)]);
            };
            expect(read(parent), `${label}, event ${i}`).toBe(read(twin));
            read(fork);
            read(other);
          }
          expect(fork.state(), `${label}, event ${i} of the fork`).toEqual(other.state());
          expect(parent.state(), `${label}, event ${i} of the parent`).toEqual(twin.state());
        }
        expect(parent.told, label).toEqual(twin.told);
        // of other streams the fork knows nothing
        if (parent.reducer.streamIds().length === 1) expect(fork.told, label).toEqual(other.told.slice(told));
        const first = rng.chance(0.5) ? parent : fork;
        const left = first === parent ? fork : parent;
        first.reducer.close();
        expect(left.state(), label).toEqual((left === fork ? other : twin).state());
        if (left.reducer.status({ streamId }) !== "none") {
          const again = left.reducer.fork({ streamId });
          left.reducer.close();
          expect(canonical(again.snapshotBytes({ streamId })), label).toBe(
            canonical((left === fork ? other : twin).reducer.snapshotBytes({ streamId })),
          );
          again.close();
        } else left.reducer.close();
        twin.reducer.close();
        other.reducer.close();
      }
    });
  });
});

describe.each(KINDS)("forks on %s in particular", (kind) => {
  const agentue = { protocol: "agentue", options: {} } as const;
  const agui = { protocol: "ag-ui", options: {} } as const;

  it("gives the stream another id, and its events name that", () => {
    const parent = open(kind, agentue, "bytes");
    for (const event of [start(MODEL, on("a")), append(2, "a", "!", on("a")), start(modelOf(), on("b"))])
      parent.take(event);
    const fork = parent.reducer.fork({ streamId: "a", as: 'q"\u{1f600}\ud83d' });
    expect(fork.streamIds()).toEqual(['q"\u{1f600}\ud83d']);
    const unnamed = parent.reducer.fork({ streamId: "a", as: "" });
    unnamed.push(line(append(3, "a", "?")));
    expect(unnamed.snapshot<typeof MODEL>()?.blocks[0]?.content).toBe("Hello!?");
    expect(parent.reducer.snapshot<typeof MODEL>({ streamId: "a" })?.blocks[0]?.content).toBe("Hello!");
    expect(unnamed.seq()).toBe(3);
    for (const one of [fork, unnamed, parent.reducer]) one.close();
  });

  it("keeps a long id", () => {
    const id = "é".repeat(50_000);
    const parent = open(kind, agentue, "bytes");
    parent.take(start(MODEL, on(id)));
    const fork = parent.reducer.fork({ streamId: id, as: `${id}!` });
    expect(fork.streamIds()).toEqual([`${id}!`]);
    expect(fork.snapshot({ streamId: `${id}!` })).toEqual(MODEL);
    fork.close();
    parent.reducer.close();
  });

  it("begins with a connection of its own", () => {
    const parent = open(kind, agentue, "bytes");
    parent.take(start());
    parent.reducer.push(utf8('{"op":"append","seq":2,'));
    const fork = parent.reducer.fork();
    expect(fork.stats()).toMatchObject({ events: 0, bytes: 0, applied: 0, streams: 1, blocks: MODEL.blocks.length });
    expect(fork.stats({ streamId: "" })).toMatchObject({ applied: 1, version: 1 });
    fork.push(line(append(2, "a", " fork")));
    parent.reducer.push(utf8('"mask":"block.content","block":{"id":"a","content":" parent"}}\n'));
    expect(fork.snapshot<typeof MODEL>()?.blocks[0]?.content).toBe("Hello fork");
    expect(parent.reducer.snapshot<typeof MODEL>()?.blocks[0]?.content).toBe("Hello parent");
    parent.reducer.close();
    fork.close();
  });

  it("is not failed when the connection of the parent is, and knows no event ids", () => {
    const parent = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
    parent.push(utf8(`id: 7\nretry: 10\ndata: ${JSON.stringify(start())}\n\n`));
    expect(thrown(() => parent.push(utf8("data: {]\n\n")))?.code).toBe("bad_json");
    const fork = parent.fork();
    expect([fork.lastEventId, fork.retry]).toEqual([undefined, undefined]);
    expect(fork.push(utf8(`data: ${JSON.stringify(append(2, "a", "!"))}\n\n`))).toBe(1);
    expect(parent.lastEventId).toBe("7");
    parent.close();
    fork.close();
  });

  it("knows the changes from where it began", () => {
    for (const [source, first, then] of [
      [agentue, [start(), append(2, "a", "x"), setMeta(3, "meta.x", { x: 1 })], [append(4, "a", "yz")]],
      [agui, [started(), textStart("a"), textContent("a", "x")], [textContent("a", "yz")]],
    ] as const) {
      const parent = open(kind, source, "bytes");
      for (const event of first) parent.take(event);
      const fork = parent.reducer.fork();
      const { version } = parent.reducer.stats({ streamId: "" });
      expect(fork.changes({ since: 1 })).toEqual({ version, resync: true });
      for (const event of then) fork.push(line(event));
      const { changes } = fork.changes({ since: version });
      expect(changes).toMatchObject([{ kind: "append", id: "a", field: "content", text: "yz" }]);
      // the parent's own log goes on
      expect(parent.reducer.changes().changes?.length).toBeGreaterThan(0);
      parent.reducer.close();
      fork.close();
    }
  });

  it("takes what waits in the queue along, under the id that its events name", () => {
    const parent = open(kind, agentue, "bytes", "s");
    parent.take(start(MODEL, on("s")));
    parent.reducer.pause({ streamId: "s" });
    expect(parent.reducer.fork({ streamId: "s", as: "other" }).streamIds()).toEqual(["other"]);
    parent.take(append(2, "a", "!", on("s")));
    expect(thrown(() => parent.reducer.fork({ streamId: "s", as: "other" }))?.code).toBe("bad_argument");
    const fork = parent.reducer.fork({ streamId: "s" });
    fork.push(line(append(3, "a", "?", on("s"))));
    expect(parent.reducer.stats({ streamId: "s" }).queued).toBe(1);
    expect(fork.stats({ streamId: "s" }).queued).toBe(2);
    expect(fork.resume({ streamId: "s" })).toBe(2);
    expect(parent.reducer.resume({ streamId: "s" })).toBe(1);
    expect(fork.snapshot<typeof MODEL>({ streamId: "s" })?.blocks[0]?.content).toBe("Hello!?");
    expect(parent.reducer.snapshot<typeof MODEL>({ streamId: "s" })?.blocks[0]?.content).toBe("Hello!");
    parent.reducer.close();
    fork.close();
  });

  it("waits for a reference as the parent does, each for itself", () => {
    const parent = open(kind, { protocol: "agentue", options: { unresolved: "pause" } }, "bytes");
    parent.take(start());
    parent.take(append(2, "r", "!"));
    const paused: unknown[] = [];
    const fork = parent.reducer.fork({ onUnresolved: (pause) => void paused.push(pause) });
    expect(paused).toEqual([]);
    expect(fork.unresolved()).toMatchObject({ id: "r", ref: "key" });
    fork.materialize({ id: "r", type: "t", content: "of the fork" });
    expect(fork.unresolved()).toBeUndefined();
    expect(parent.reducer.unresolved()).toMatchObject({ id: "r", ref: "key" });
    expect(fork.resume()).toBe(1);
    expect(fork.snapshot<typeof MODEL>()?.blocks[3]?.content).toBe("of the fork!");
    parent.reducer.materialize({ id: "r", type: "t", content: "of the parent" });
    expect(parent.reducer.resume()).toBe(1);
    expect(parent.reducer.snapshot<typeof MODEL>()?.blocks[3]?.content).toBe("of the parent!");
    parent.reducer.close();
    fork.close();
  });

  it("counts what it has taken along against its own queue", () => {
    const parent = open(kind, { protocol: "agentue", options: { limits: { queuedBytes: 250 } } }, "bytes");
    parent.take(start());
    parent.reducer.pause();
    parent.take(append(2, "a", "x".repeat(80)));
    const fork = parent.reducer.fork();
    for (const one of [parent.reducer, fork]) {
      thrown(() => one.push(line(append(3, "a", "y".repeat(80)))));
      expect(one.stats({ streamId: "" }).queued).toBe(1);
      one.resume();
    }
    expect([parent.reducer.status(), fork.status()]).toEqual(["refused", "refused"]);
    expect(fork.snapshot()).toEqual(parent.reducer.snapshot());
    parent.reducer.close();
    fork.close();
  });

  it("refuses an event lost from the queue as the parent does", () => {
    const parent = open(kind, { protocol: "agentue", options: { limits: { queuedBytes: 150 } } }, "bytes");
    parent.take(start());
    parent.reducer.pause();
    parent.take(append(2, "a", "!"));
    parent.take(append(3, "a", "x".repeat(200)));
    const fork = parent.reducer.fork();
    fork.resume();
    expect(fork.status()).toBe("refused");
    expect(fork.snapshot<typeof MODEL>()?.blocks[0]?.content).toBe("Hello!");
    parent.reducer.close();
    fork.close();
  });

  it("keeps the status of the stream", () => {
    const parent = open(kind, { protocol: "agentue", options: { keepEnded: 1 } }, "bytes");
    parent.take(start());
    parent.take(end(2));
    const ended = parent.reducer.fork();
    expect(ended.status()).toBe("ended");
    expect(thrown(() => ended.push(line(ping(2))))?.code).toBe("after_end");
    ended.push(line(start(modelOf(), on("b"))));
    ended.push(line(end(2, on("b"))));
    expect(ended.streamIds()).toEqual(["b"]);
    parent.take(start());
    parent.take(set(2, { id: 5 }));
    const refused = parent.reducer.fork();
    expect(refused.status()).toBe("refused");
    expect(refused.push(line(append(2, "a", "x")))).toBe(0);
    expect(refused.push(line(start()))).toBe(1);
    for (const one of [ended, refused, parent.reducer]) one.close();
  });

  it("keeps the limits", () => {
    const parent = open(kind, { protocol: "agentue", options: { limits: { blocks: 5, modelBytes: 2000 } } }, "bytes");
    parent.take(start());
    const fork = parent.reducer.fork();
    expect(fork.push(line(set(2, { id: "n", type: "t" })))).toBe(1);
    expect(thrown(() => fork.push(line(set(3, { id: "m", type: "t" }))))?.code).toBe("limit");
    expect(parent.reducer.push(line(append(2, "a", "x".repeat(1000))))).toBe(1);
    const second = parent.reducer.fork();
    expect(thrown(() => second.push(line(append(3, "a", "x".repeat(1000)))))?.code).toBe("limit");
    for (const one of [second, fork, parent.reducer]) one.close();
  });

  it("goes on with the chunk stream of a subagent, which its kind alone names", () => {
    const parent = open(kind, agui, "bytes");
    for (const event of [
      started(),
      subagentStarted("s"),
      textChunk({ messageId: "m", subagentRunId: "s", delta: "a" }),
    ])
      parent.take(event);
    const fork = parent.reducer.fork();
    for (const one of [fork, parent.reducer]) one.push(line(textChunk({ delta: "b" })));
    expect(fork.snapshot<{ messages: object[] }>()?.messages).toMatchObject([
      { id: "m", content: "ab", subagentRunId: "s" },
    ]);
    expect(fork.snapshot()).toEqual(parent.reducer.snapshot());
    parent.reducer.close();
    fork.close();
  });

  it("does not say again what its run was warned of", () => {
    const parent = open(kind, agui, "bytes");
    for (const event of [started(), custom("x", null, { more: 1 })]) parent.take(event);
    const warnings: string[] = [];
    const fork = parent.reducer.fork({ onWarning: ({ path }) => void warnings.push(path!) });
    for (const more of [{ more: 1 }, { other: 1 }, { other: 2 }]) fork.push(line(custom("x", null, more)));
    expect(warnings).toEqual(["/other"]);
    expect(parent.told.filter((text) => text.includes("unknown_property"))).toHaveLength(1);
    parent.reducer.close();
    fork.close();
  });

  it("branches a run", () => {
    const parent = open(kind, agui, "bytes");
    for (const event of [started(), ...text("m", ["Hi"]), ...tool("c", ["{}"]), finished()]) parent.take(event);
    const before = parent.reducer.snapshot();
    const fork = parent.reducer.fork();
    for (const event of [
      started({ runId: "branch", parentRunId: "r" }),
      ...text("n", ["other"]),
      finished({ runId: "branch" }),
    ])
      fork.push(line(event));
    expect(fork.snapshot<{ run: object }>()?.run).toMatchObject({
      runId: "branch",
      parentRunId: "r",
      status: "finished",
    });
    expect(parent.reducer.snapshot()).toEqual(before);
    expect(fork.partialArgs("c")).toEqual({});
    parent.reducer.close();
    fork.close();
  });

  it("does not cut off a run that is under way, and shows the arguments as far as they have come", () => {
    const parent = open(kind, agui, "bytes");
    for (const event of [started(), toolStart("c"), toolArgs("c", '{"a":[1,')]) parent.take(event);
    expect(parent.reducer.partialArgs("c")).toEqual({ a: [1] });
    const fork = parent.reducer.fork();
    expect(fork.status()).toBe("running");
    expect(fork.partialArgs("c")).toEqual({ a: [1] });
    fork.push(line(toolArgs("c", "2]}")));
    parent.take(toolArgs("c", "3]}"));
    expect([fork.partialArgs("c"), parent.reducer.partialArgs("c")]).toEqual([{ a: [1, 2] }, { a: [1, 3] }]);
    parent.reducer.close();
    fork.close();
  });

  it("keeps the middleware, which is called once an event, and the baseline for reset", () => {
    const seen: unknown[] = [];
    const middleware = { CUSTOM: (event: unknown) => void seen.push(event) };
    const input = { threadId: "T", messages: [{ id: "u", role: "user", content: "?" }] };
    const parent = engine(kind).createReducer({ protocol: "ag-ui", transport: "ndjson", middleware, input });
    parent.push(line(started()));
    const fork = parent.fork();
    fork.push(line({ type: "CUSTOM", name: "x", value: 1 }));
    parent.push(line({ type: "CUSTOM", name: "y", value: 1 }));
    expect(seen).toMatchObject([{ name: "x" }, { name: "y" }]);
    const second = fork.fork();
    second.push(line({ type: "CUSTOM", name: "z", value: 1 }));
    expect(seen.length).toBe(3);
    fork.reset();
    expect(fork.snapshot<{ run: object; messages: unknown[] }>()).toMatchObject({
      messages: [{ id: "u" }],
      run: { threadId: "T", status: "idle" },
    });
    expect(second.status()).toBe("running");
    for (const one of [second, fork, parent]) one.close();
  });

  it("has listeners of its own and none of the parent's", () => {
    const heard: string[] = [];
    const parent = engine(kind).createReducer({
      protocol: "agentue",
      transport: "ndjson",
      onEvent: () => void heard.push("parent"),
    });
    parent.push(line(start()));
    const silent = parent.fork();
    const fork = parent.fork({ onEvent: () => void heard.push("fork") });
    for (const one of [silent, fork, parent]) one.push(line(append(2, "a", "!")));
    expect(heard).toEqual(["parent", "fork", "parent"]);
    expect(thrown(() => silent.push(line(set(3, { id: 5 }))))?.code).toBe("bad_block");
    for (const one of [silent, fork, parent]) one.close();
  });

  it("goes on from objects to bytes by itself", () => {
    for (const first of ["parent", "fork"]) {
      const parent = engine(kind).createReducer({ protocol: "agentue", transport: "ndjson" });
      parent.apply(start());
      const fork = parent.fork();
      const [one, other] = first === "parent" ? [parent, fork] : [fork, parent];
      one.push(line(append(2, "a", " bytes")));
      other.apply(append(2, "a", " values"));
      other.apply(setBlock(3, "block.tool.status", { id: "tool", tool: { status: "done" } }));
      expect(one.snapshot<typeof MODEL>()?.blocks[0]?.content).toBe("Hello bytes");
      expect(one.snapshot<typeof MODEL>()?.blocks[2]?.tool?.status).toBe("run");
      expect(other.snapshot<typeof MODEL>()?.blocks[0]?.content).toBe("Hello values");
      parent.close();
      fork.close();
    }
  });

  it("refuses what makes no sense", () => {
    const parent = open(kind, agentue, "bytes");
    const code = (options: unknown, of = parent.reducer): unknown => thrown(() => of.fork(options as ForkOptions));
    expect(code(undefined)).toMatchObject({ code: "no_model", scope: "stream", streamId: "" });
    expect(code({ streamId: "s" })).toMatchObject({ code: "no_model", streamId: "s" });
    parent.take(start());
    for (const bad of [null, 5, { streamId: 1 }, { as: 1 }, { onEvent: 1 }, { limits: {} }, { transport: "sse" }])
      expect(code(bad), JSON.stringify(bad)).toMatchObject({ code: "bad_argument" });
    const run = open(kind, agui, "bytes").reducer;
    expect(code({ streamId: "s" }, run)).toMatchObject({ code: "no_model", streamId: "s" });
    expect(code({ as: "s" }, run)).toMatchObject({ code: "bad_argument" });
    expect(code({ onGap() {} }, run)).toMatchObject({ code: "bad_argument" });
    run.close();
    parent.reducer.close();
    expect(code(undefined)).toMatchObject({ code: "closed" });
  });

  it("is no call for a listener", () => {
    const parent: Reducer = engine(kind).createReducer({
      protocol: "agentue",
      transport: "ndjson",
      onEvent: () => void parent.fork(),
    });
    expect(thrown(() => parent.push(line(start())))?.code).toBe("reentrant");
    parent.close();
  });

  it("is closed with the engine", () => {
    const parent = open(kind, agentue, "bytes");
    parent.take(start());
    const fork = parent.reducer.fork();
    parent.reducer.close();
    expect(fork.snapshot()).toEqual(MODEL);
    fork.close();
    expect(thrown(() => fork.snapshot())?.code).toBe("closed");
  });
});
