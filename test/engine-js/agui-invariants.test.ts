import { describe, expect, it } from "vitest";
import type { AguiSessionOptions, EngineSession, Report } from "../../src/engine/contract.js";
import { Rng } from "../support/rng.js";
import { randomEvents } from "./agui-streams.js";
import { bytesOf, type Overrides, open, snapshotText, textOf } from "./support.js";

const AGUI: AguiSessionOptions = {
  maxProtocolVersion: undefined,
  onDeltaFailure: "warn",
  unknownEnum: "fatal",
  middleware: undefined,
  input: undefined,
};

function openAgui({
  agui,
  ...overrides
}: Omit<Overrides, "agui"> & { agui?: Partial<AguiSessionOptions> } = {}): EngineSession {
  return open({
    protocol: "ag-ui",
    transport: "json",
    onViolation: "skip-event",
    ...overrides,
    agui: { ...AGUI, ...agui },
  });
}

const text = (event: object): string => JSON.stringify(event);
const shown = (session: EngineSession): string => snapshotText(session)!;

/** Everything that a refused event must not change: the model, the track and the version, without counters and offsets. */
function fingerprint(session: EngineSession): string {
  const saved = textOf(session.checkpoint());
  return `${session.stats("").version} ${saved.slice(saved.lastIndexOf('{"messages"'))}`;
}

/** Numbers of openings go on from the largest of what is open in a checkpoint. */
const withoutNumbers = (saved: string): string =>
  saved.replace(/(\[[0-3],"[^"]*",(?:"\w"|null),[1-3])(?:,[0-9]+)+\]/g, "$1]");

const SEEDS = [1, 2, 3, 4, 5, 6];
const LENGTH = 400;
/** Bytes of a model that random streams soon fill. */
const LIMIT = 900;

describe.each(SEEDS)("random streams, seed %i", (seed) => {
  const onDeltaFailure = (["warn", "fail", "upsert"] as const)[seed % 3]!;
  const unknownEnum = seed % 2 === 0 ? "strip" : "fatal";
  const agui = { onDeltaFailure, unknownEnum } as const;

  it("leave no trace of what is refused or dropped", () => {
    const session = openAgui({ agui });
    let refused = 0;
    for (const event of randomEvents(new Rng(seed), LENGTH)) {
      const before = fingerprint(session);
      const reports: Report[] = [];
      if (session.applyText(bytesOf(text(event)), reports) === 0) {
        refused++;
        expect(fingerprint(session), text(event)).toBe(before);
      } else {
        expect(reports.some(({ kind }) => kind === "error")).toBe(false);
        expect(session.stats("").version).toBe(session.stats("").applied);
      }
    }
    expect(refused).toBeGreaterThan(20);
    expect(session.stats("").applied).toBeGreaterThan(100);
  });

  it("come out alike as values, as text, on the quick way and on the long one, and after every checkpoint", () => {
    const sessions = [
      openAgui({ agui, events: true }),
      openAgui({ agui, events: true, limits: { numberLength: 39 } }),
      openAgui({ agui, events: true, limits: { numberLength: 38 } }),
    ];
    const [plain, slow, values] = sessions as [EngineSession, EngineSession, EngineSession];
    let migrating = openAgui({ agui, events: true });
    for (const event of randomEvents(new Rng(seed), LENGTH)) {
      const told = [plain, slow].map((session) => {
        const reports: Report[] = [];
        session.applyText(bytesOf(text(event)), reports);
        return reports;
      });
      expect(told[1], text(event)).toEqual(told[0]);
      const fromValue: Report[] = [];
      const copy = structuredClone(event);
      values.applyValue!(event, fromValue);
      expect(text(event)).toBe(text(copy));
      const next = openAgui({ agui, events: true });
      expect(next.restore(migrating.checkpoint())).toBeUndefined();
      migrating = next;
      migrating.applyText(bytesOf(text(event)), []);
      const now = shown(plain);
      expect(shown(slow)).toBe(now);
      expect(shown(migrating)).toBe(now);
      expect(withoutNumbers(fingerprint(migrating))).toBe(withoutNumbers(fingerprint(plain)));
      expect(JSON.stringify(plain.snapshot("", "number"))).toBe(now);
    }
    // Of integer-like names values know no order.
    expect(shown(values).length).toBe(shown(plain).length);
  });

  it("come out alike behind middleware that changes nothing", () => {
    const plain = openAgui({ agui });
    const behind = openAgui({ agui: { ...agui, middleware: { "*": (event) => [event] } } });
    for (const event of randomEvents(new Rng(seed), LENGTH)) {
      // What a refused event has minted stays minted when middleware was in between.
      if (String(event.type).startsWith("THINKING")) continue;
      plain.applyText(bytesOf(text(event)), []);
      behind.applyText(bytesOf(text(event)), []);
    }
    expect(shown(behind)).toBe(shown(plain));
    expect(behind.stats("")).toEqual(plain.stats(""));
  });

  it("tell changes from which a reader has the same texts", () => {
    const session = openAgui({ agui });
    const texts = new Map<string, string>();
    let version = 0;
    const rng = new Rng(seed + 100);
    for (const event of randomEvents(new Rng(seed), LENGTH)) {
      session.applyText(bytesOf(text(event)), []);
      if (!rng.chance(0.3)) continue;
      const answer = session.changes("", version);
      expect(answer.resync).toBeUndefined();
      version = answer.version;
      const { messages } = session.snapshot("", "number") as { messages: { id: string; content?: unknown }[] };
      const contents = new Map<string, unknown>();
      for (const { id, content } of messages) if (!contents.has(id)) contents.set(id, content);
      const place = (id: string): void => {
        texts.set(id, String(contents.get(id)));
      };
      for (const change of answer.changes!) {
        if (change.kind === "start") {
          texts.clear();
          for (const id of contents.keys()) place(id);
        } else if (change.kind === "insert") place(change.id);
        else if (change.kind === "replace" && (change.field ?? "content") === "content") place(change.id);
        else if (change.kind === "append" && change.field === "content") {
          // What came in with an insert of the same answer is there already.
          const known = texts.get(change.id)!;
          texts.set(change.id, known.slice(0, change.from) + change.text);
        }
      }
      for (const [id, content] of contents) if (typeof content === "string") expect(texts.get(id), id).toBe(content);
    }
  });

  it("hold a model to its bytes exactly", () => {
    const events = randomEvents(new Rng(seed), LENGTH);
    const roomy = openAgui({ agui });
    const tight = openAgui({ agui, limits: { modelBytes: LIMIT } });
    let limited = 0;
    for (const event of events) {
      const reports: Report[] = [];
      const before = shown(tight);
      tight.applyText(bytesOf(text(event)), reports);
      roomy.applyText(bytesOf(text(event)), []);
      const model = shown(tight);
      const size = bytesOf(model.slice(0, model.lastIndexOf(',"run":'))).length + 1;
      expect(size).toBeLessThanOrEqual(LIMIT);
      const fault = reports.find((report) => report.kind === "error")?.fault;
      if (fault?.code === "limit") {
        limited++;
        expect(shown(tight)).toBe(before);
        // A patch may exceed the limit on its way only. Of every other event the result does, where there is room for it.
        if (Array.isArray(event.delta ?? event.patch)) continue;
        const free = openAgui({ agui, limits: { modelBytes: 1_000_000 } });
        expect(free.restore(tight.checkpoint())).toBeUndefined();
        expect(free.applyText(bytesOf(text(event)), [])).toBe(1);
        const larger = shown(free);
        expect(bytesOf(larger.slice(0, larger.lastIndexOf(',"run":'))).length + 1, text(event)).toBeGreaterThan(LIMIT);
      }
    }
    expect(limited).toBeGreaterThan(0);
  });
});
