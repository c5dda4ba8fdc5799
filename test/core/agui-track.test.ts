import { describe, expect, it } from "vitest";
import * as codes from "../../assembly/abi/codes.js";
import { EVENT_TYPES } from "../../src/schema/agui.generated.js";
import { mutated } from "../support/mutated.js";
import { Rng } from "../support/rng.js";
import { type Event, NaiveTrack, type Violation } from "./support/agui-track.js";
import { BUILDS, Probe } from "./support/probe.js";

const STATE_ROOM = 1024;
const NUMBERS = codes as unknown as Record<string, number>;

function nameOf(prefix: string, id: number): string {
  const name = Object.keys(NUMBERS).find((key) => key.startsWith(prefix) && NUMBERS[key] === id);
  if (name === undefined) throw new Error(`no ${prefix}${id}`);
  return name.slice(prefix.length);
}

/** The track of one state in the core, with an account and an output run of its own. */
class CoreTrack {
  readonly probe: Probe;
  readonly account: number;
  readonly run: number;
  s: number;

  constructor(probe: Probe) {
    this.probe = probe;
    this.account = this.#zeroed(16);
    this.run = this.#zeroed(16);
    this.s = this.#zeroed(STATE_ROOM);
    probe.call("trackInit", this.s);
  }

  #zeroed(n: number): number {
    const p = this.probe.call("alloc", n);
    this.probe.bytes.fill(0, p, p + n);
    return p;
  }

  /** Bytes the track has been charged with. */
  get held(): number {
    return this.probe.u32(this.account);
  }

  charged<T>(act: () => T): T {
    this.probe.call("setAccount", this.account);
    const out = act();
    this.probe.call("setAccount", 0);
    return out;
  }

  /** Judges an event. The changes stand until `commit` or `rollback`. */
  judge(event: Event): { events: Event[] } | Violation {
    const { probe, s } = this;
    const { p } = probe.put(JSON.stringify(event));
    if (probe.call("readEvent", p, 0) === 0) throw new Error(`unreadable ${JSON.stringify(event)}`);
    probe.call("canonicalEvent");
    const type = probe.put(event.type);
    probe.call("setWireType", probe.call("typeId", type.p, type.n));
    probe.call("clearFault");
    if (!this.charged(() => probe.call("expand", s) && probe.call("verify", s))) return this.#violation();
    return {
      events: Array.from({ length: probe.global("expandedCount") }, (_, i) =>
        JSON.parse(this.#text("expandedText", i)),
      ),
    };
  }

  #violation(): Violation {
    const { probe } = this;
    const text = (which: string): string => {
      const p = probe.call(`${which}Start`);
      return JSON.parse(`"${probe.text(p, p + probe.call(`${which}Length`))}"`);
    };
    const violation: Violation = {
      code: nameOf("E_", probe.global("faultCode")).toLowerCase(),
      reason: nameOf("R_", probe.global("faultReason")),
      type: EVENT_TYPES[probe.global("faultEventType") - 1]!,
    };
    if (probe.global("faultHasPath")) violation.path = text("path");
    if (probe.global("faultHasSubject")) violation.subject = text("subject");
    return violation;
  }

  commit(): void {
    this.charged(() => this.probe.call("trackCommit", this.s));
  }

  rollback(): void {
    this.charged(() => this.probe.call("trackRollback", this.s));
  }

  free(): void {
    this.charged(() => this.probe.call("trackFree", this.s));
  }

  #text(writer: string, ...args: number[]): string {
    this.probe.call("bytesClear", this.run);
    if (this.probe.call(writer, ...args, this.run) === 0) throw new Error("out of memory");
    const p = this.probe.u32(this.run);
    return this.probe.text(p, p + this.probe.u32(this.run + 4));
  }

  saved(): string {
    return `{${this.#text("writeTrack", this.s)}}`;
  }

  #sized(what: string): string {
    const size = this.probe.call(`${what}Size`, this.s);
    const p = this.probe.room(size);
    const end = this.probe.call(`write${what[0]!.toUpperCase()}${what.slice(1)}`, this.s, p);
    if (end - p !== size) throw new Error(`${what}: wrote ${end - p}, said ${size}`);
    return this.probe.text(p, end);
  }

  open(): string {
    return this.#sized("open");
  }

  pending(): string {
    return this.#sized("pending");
  }

  /** Puts the track that a text describes in place of this one. */
  restore(text: string): boolean {
    this.free();
    const { p } = this.probe.put(text);
    return this.charged(() => this.probe.call("readTrack", this.s, p)) === 1;
  }
}

const IDS = ["a", "b", "c", "", 'é"\\', "a-rather-long-identifier-of-36-characters"];
const TAGS = ["s1", "s2", "a", ""];
const NAMES = ["plan", "a", "tools"];
/** What a place of a saved track may be changed to. */
const OTHERS = [0, 1, 2, 3, 5, 99, -1, 1.5, 1e12, null, true, false, "", "m", "c", "s1", "s2", "r", [], {}, [1]];

class Source {
  readonly rng: Rng;
  constructor(rng: Rng) {
    this.rng = rng;
  }

  #maybe<T>(probability: number, name: string, of: () => T): Record<string, T> {
    return this.rng.chance(probability) ? { [name]: of() } : {};
  }

  #tag(): Record<string, string> {
    return this.#maybe(0.35, "subagentRunId", () => this.rng.pick(TAGS));
  }

  #messages(): object[] {
    return Array.from({ length: this.rng.int(4) }, () => {
      const role = this.rng.pick(["user", "assistant", "reasoning", "activity", "tool", "system", "developer"]);
      const calls =
        role === "assistant" && this.rng.chance(0.5)
          ? { toolCalls: Array.from({ length: this.rng.int(3) }, () => ({ id: this.rng.pick(IDS), type: "function" })) }
          : {};
      return { role, id: this.rng.pick(IDS), ...calls, ...this.#tag() };
    });
  }

  next(): Event {
    const { rng } = this;
    const type = rng.chance(0.3)
      ? rng.pick(["TEXT_MESSAGE_CHUNK", "TOOL_CALL_CHUNK", "REASONING_MESSAGE_CHUNK"])
      : rng.chance(0.04)
        ? "RUN_STARTED"
        : rng.pick(EVENT_TYPES);
    const id = (): string => rng.pick(IDS);
    if (/_CHUNK$/.test(type)) {
      const isCall = type === "TOOL_CALL_CHUNK";
      return {
        type,
        ...this.#maybe(0.6, isCall ? "toolCallId" : "messageId", id),
        ...(isCall
          ? {
              ...this.#maybe(0.7, "toolCallName", () => rng.pick(["f", "f", "g"])),
              ...this.#maybe(0.15, "parentMessageId", id),
            }
          : {}),
        ...(type === "TEXT_MESSAGE_CHUNK"
          ? {
              ...this.#maybe(0.15, "role", () => rng.pick(["assistant", "assistant", "user"])),
              ...this.#maybe(0.08, "name", () => rng.pick(NAMES)),
            }
          : {}),
        ...this.#maybe(0.5, "delta", () => rng.pick(["x", "", "é\n"])),
        ...this.#tag(),
        ...this.#maybe(0.2, "metadata", () => ({ k: 1 })),
        ...this.#maybe(0.1, "rawEvent", () => [1]),
        ...this.#maybe(0.1, "timestamp", () => 5),
      };
    }
    const event: Event = { type };
    if (/^(TEXT_MESSAGE|REASONING_MESSAGE|ACTIVITY)_/.test(type) || /^REASONING_(START|END)$|RESULT/.test(type)) {
      event.messageId = id();
    }
    if (/^TOOL_CALL_/.test(type)) event.toolCallId = id();
    if (type === "TOOL_CALL_START")
      Object.assign(event, { toolCallName: "f" }, this.#maybe(0.3, "parentMessageId", id));
    if (type === "ACTIVITY_SNAPSHOT")
      Object.assign(
        event,
        this.#maybe(0.5, "replace", () => rng.chance(0.4)),
      );
    if (type === "REASONING_ENCRYPTED_VALUE") {
      Object.assign(event, { subtype: rng.pick(["tool-call", "message"]), entityId: id() });
    }
    if (/^STEP_/.test(type)) event.stepName = rng.pick(NAMES);
    if (type === "MESSAGES_SNAPSHOT") event.messages = this.#messages();
    if (type === "RUN_STARTED")
      Object.assign(
        event,
        this.#maybe(0.5, "input", () => ({ messages: this.#messages() })),
      );
    if (/^SUBAGENT_/.test(type)) {
      event.subagentRunId = rng.pick(TAGS);
      if (type === "SUBAGENT_STARTED")
        Object.assign(
          event,
          this.#maybe(0.3, "parentSubagentRunId", () => rng.pick(TAGS)),
        );
    } else if (!/^RUN_|^MESSAGES_/.test(type)) Object.assign(event, this.#tag());
    return event;
  }
}

/** Compares as text, so that the order of members counts; the slow way only to say what differs. */
function same(found: unknown, expected: unknown, context: string): void {
  const [a, b] = [found, expected].map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  if (a !== b) expect(a, context).toBe(b);
}

/** Faults have their members in any order. */
function sorted(answer: object): object {
  return "code" in answer ? Object.fromEntries(Object.entries(answer).sort(([a], [b]) => (a < b ? -1 : 1))) : answer;
}

/** A run with something of everything in it. */
function busyRun(core: CoreTrack): void {
  const events: Event[] = [
    { type: "RUN_STARTED", input: { messages: [{ id: "u", role: "user" }] } },
    { type: "SUBAGENT_STARTED", subagentRunId: "s1", name: "one" },
    { type: "SUBAGENT_STARTED", subagentRunId: "s2", name: "two", parentSubagentRunId: "s1" },
    { type: "STEP_STARTED", stepName: "plan" },
    { type: "STEP_STARTED", stepName: "plan", subagentRunId: "s1" },
    { type: "REASONING_START", messageId: "r" },
    { type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" },
    { type: "TEXT_MESSAGE_CHUNK", messageId: "m", role: "user", name: "n", delta: "x", subagentRunId: "s1" },
    { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "f", parentMessageId: "u", delta: "{" },
    { type: "REASONING_MESSAGE_CHUNK", messageId: "q", delta: "x", subagentRunId: "s2" },
    { type: "SUBAGENT_STARTED", subagentRunId: "s3", name: "three" },
    { type: "SUBAGENT_ERROR", subagentRunId: "s3", message: "" },
    { type: "ACTIVITY_SNAPSHOT", messageId: "v", activityType: "a", content: {}, subagentRunId: "s2" },
  ];
  for (const event of events) {
    expect(core.judge(event)).not.toHaveProperty("code");
    core.commit();
  }
}

describe.each(BUILDS)("the track of an AG-UI run (%s)", (kind) => {
  it("gives the answers of the plain model, and takes every refused or abandoned event back", () => {
    const probe = new Probe(kind);
    const core = new CoreTrack(probe);
    const base = probe.call("liveBytes");
    const seen = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      const rng = new Rng(seed);
      const source = new Source(rng);
      const limit = rng.chance(0.3) ? rng.between(1, 12) : 1000;
      probe.call("setTrackLimits", limit);
      const naive = new NaiveTrack(limit);
      if (rng.chance(0.9)) {
        naive.take({ type: "RUN_STARTED" });
        core.judge({ type: "RUN_STARTED" });
        core.commit();
      }
      for (let step = 0; step < 150; step++) {
        const event = source.next();
        const context = `seed ${seed}, step ${step}: ${JSON.stringify(event)}`;
        const before = core.saved();
        const held = core.held;
        const saved = structuredClone({ ...naive });
        const expected = naive.take(event);
        same(sorted(core.judge(event)), sorted(expected), context);
        seen.add("code" in expected ? expected.reason : event.type);
        if ("code" in expected || rng.chance(0.15)) {
          core.rollback();
          Object.assign(naive, saved);
          same(core.saved(), before, `${context} taken back`);
          same(core.held, held, `${context} taken back`);
        } else {
          core.commit();
          if (naive.phase === "running" && rng.chance(0.02)) {
            naive.phase = "truncated";
            probe.call("interruptTrack", core.s);
          }
        }
        const text = core.saved();
        same(text, naive.saved(), context);
        same(core.open(), naive.open(), context);
        same(core.pending(), naive.pending(), context);
        if (rng.chance(0.05)) {
          expect(core.restore(text), `${context} restored`).toBe(true);
          same(core.saved(), text, `${context} restored`);
          naive.openings = Math.max(
            0,
            ...naive.items.flatMap((item) => item.numbers.filter((_, i) => item.open & (1 << i))),
          );
        }
      }
      core.free();
      same(core.held, 0, `seed ${seed} freed`);
    }
    probe.call("bytesFree", core.run);
    probe.call("trimScratch");
    probe.call("trimExpansion", 0);
    probe.call("trimJournal", 0);
    expect(probe.call("liveBytes")).toBe(base);
    const reasons = Object.keys(NUMBERS).filter(
      (name) => /^R_/.test(name) && NUMBERS[name]! >= codes.R_FIRST_EVENT && NUMBERS[name]! <= codes.R_LIMIT_ITEMS,
    );
    expect(reasons.filter((name) => !seen.has(name.slice(2)))).toEqual([]);
    expect(EVENT_TYPES.filter((type) => !seen.has(type))).toEqual([]);
  }, 60_000);

  it("finds what is open by id, and whose it is", () => {
    const probe = new Probe(kind);
    const core = new CoreTrack(probe);
    probe.call("setTrackLimits", 100);
    busyRun(core);
    const find = (of: number, id: string): number => {
      const { p, n } = probe.put(id);
      return probe.call("openItem", core.s, of, p, n);
    };
    const agrees = (item: number, tag: string): number => {
      const { p, n } = probe.put(tag);
      return probe.call("ownerAgrees", item, p, n);
    };
    expect(find(0, "u")).toBe(0);
    expect(find(0, "c")).toBe(0);
    expect(find(3, "v")).toBe(0);
    const [message, call, reasoning] = [find(0, "m"), find(1, "c"), find(2, "r")];
    expect([message, call, reasoning]).not.toContain(0);
    expect([
      agrees(message, "s1"),
      agrees(message, "s2"),
      agrees(message, ""),
      probe.call("ownerAgrees", message, 0, 0),
    ]).toEqual([1, 0, 0, 1]);
    expect([agrees(call, "s1"), agrees(call, ""), probe.call("ownerAgrees", call, 0, 0)]).toEqual([0, 0, 1]);
    expect(probe.call("lanesPending", core.s)).not.toBe(0);
    core.judge({ type: "RUN_ERROR", message: "" });
    core.commit();
    expect([find(0, "m"), find(1, "c"), find(2, "r"), probe.call("lanesPending", core.s)]).toEqual([0, 0, 0, 0]);
  });

  it("begins another run while a cut one has streams pending", () => {
    const probe = new Probe(kind);
    const core = new CoreTrack(probe);
    probe.call("setTrackLimits", 100);
    busyRun(core);
    probe.call("interruptTrack", core.s);
    const before = core.saved();
    const start: Event = { type: "RUN_STARTED", input: { messages: [{ id: "m", role: "user", subagentRunId: "s1" }] } };
    for (const done of [false, true]) {
      const answer = core.judge(start) as { events: Event[] };
      expect(answer.events.map((event) => event.type)).toEqual([
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "REASONING_MESSAGE_END",
        "RUN_STARTED",
      ]);
      if (done) core.commit();
      else core.rollback();
      if (!done) expect(core.saved()).toBe(before);
    }
    expect(core.saved()).toBe('{"phase":1,"items":[[0,"m","s1",0]],"steps":[],"subagents":[],"calls":[],"lanes":[]}');
    core.free();
    expect(core.held).toBe(0);
  });

  it("restores nothing but what it could have saved", () => {
    const probe = new Probe(kind);
    const core = new CoreTrack(probe);
    probe.call("setTrackLimits", 100);
    busyRun(core);
    const text = core.saved();
    const rng = new Rng(5);
    let refused = 0;
    for (let round = 0; round < 3000; round++) {
      let value = mutated(rng, JSON.parse(text), OTHERS);
      if (rng.chance(0.3)) value = mutated(rng, value, OTHERS);
      const changed = JSON.stringify(value);
      if (core.restore(changed)) same(core.saved(), changed, `round ${round}`);
      else {
        refused++;
        same(core.held, 0, `round ${round}: ${changed}`);
        expect(core.saved()).toBe('{"phase":0,"items":[],"steps":[],"subagents":[],"calls":[],"lanes":[]}');
      }
    }
    expect(refused).toBeGreaterThan(1000);
    expect(refused).toBeLessThan(3000);
    probe.call("setTrackLimits", 11);
    expect(core.restore(text)).toBe(true);
    probe.call("setTrackLimits", 10);
    expect(core.restore(text)).toBe(false);
  });

  it("keeps its memory per name bounded, and refuses the name above the limit", () => {
    const probe = new Probe(kind);
    const core = new CoreTrack(probe);
    const count = 30_000;
    probe.call("setTrackLimits", count);
    core.judge({ type: "RUN_STARTED" });
    core.commit();
    const id = (i: number): string => `${String(i).padStart(8, "0")}-0000-4000-8000-000000000000`;
    for (let i = 0; i < count; i++) {
      core.judge({ type: "TEXT_MESSAGE_START", messageId: id(i) });
      core.commit();
      core.judge({ type: "TEXT_MESSAGE_END", messageId: id(i) });
      core.commit();
    }
    // 57 bytes, 36 of the id and a quote in a block of 96; an index of 4-byte places that is at least 3/8 full
    expect(core.held / count).toBeLessThan(96 + 11);
    expect(core.judge({ type: "TEXT_MESSAGE_START", messageId: "more" })).toEqual({
      code: "limit",
      reason: "LIMIT_ITEMS",
      path: "/messageId",
      type: "TEXT_MESSAGE_START",
    });
    core.judge({ type: "RUN_FINISHED" });
    core.commit();
    core.judge({ type: "RUN_STARTED" });
    core.commit();
    expect(core.held).toBe(0);
  }, 30_000);

  it("keeps nothing of steps and tags that come and go", () => {
    const probe = new Probe(kind);
    const core = new CoreTrack(probe);
    probe.call("setTrackLimits", 10);
    core.judge({ type: "RUN_STARTED" });
    core.commit();
    core.judge({ type: "ACTIVITY_SNAPSHOT", messageId: "v", subagentRunId: "s" });
    core.commit();
    const held = core.held;
    for (let i = 0; i < 2000; i++) {
      for (const type of ["STEP_STARTED", "STEP_FINISHED"]) {
        core.judge({ type, stepName: `step ${i}`, subagentRunId: `agent ${i}` });
        core.commit();
      }
      core.judge({ type: "ACTIVITY_SNAPSHOT", messageId: "v", subagentRunId: `owner ${i}` });
      core.commit();
    }
    core.judge({ type: "ACTIVITY_SNAPSHOT", messageId: "v", subagentRunId: "s" });
    core.commit();
    expect(core.held).toBe(held);
  });

  it("takes an event back for which memory runs out, wherever that happens", () => {
    const probe = new Probe(kind);
    const core = new CoreTrack(probe);
    probe.call("setTrackLimits", 100_000);
    busyRun(core);
    const event: Event = {
      type: "MESSAGES_SNAPSHOT",
      messages: Array.from({ length: 200 }, (_, i) => ({
        id: `message ${i}`,
        role: "user",
        subagentRunId: `agent ${i}`,
      })),
    };
    probe.call("bytesReserve", core.run, 100_000);
    const before = core.saved();
    const held = core.held;
    probe.call("heapSetLimit", probe.pages + 2);
    const blocks: [p: number, n: number][] = [];
    for (let n = 1 << 12; n >= 16; n >>= 1) {
      for (let p = probe.call("alloc", n); p !== 0; p = probe.call("alloc", n)) blocks.push([p, n]);
    }
    let failures = 0;
    for (let answer = core.judge(event); "code" in answer; answer = core.judge(event)) {
      failures++;
      expect(answer.code).toBe("out_of_memory");
      expect(core.saved()).toBe(before);
      expect(core.held).toBe(held);
      const [p, n] = blocks.pop()!;
      probe.call("free", p, n);
    }
    core.commit();
    expect(failures).toBeGreaterThan(10);
    expect((JSON.parse(core.saved()) as { items: [] }).items.length).toBe(
      (JSON.parse(before) as { items: [] }).items.length + 200,
    );
  });
});
