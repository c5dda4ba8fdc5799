import { describe, expect, it } from "vitest";
import type { EngineSession, Report } from "../../src/engine/contract.js";
import { bytesOf, faults, model, type Overrides, open, pushCut, random, snapshotText, sse } from "./support.js";

// Random events against the plainest reducer that the specification allows: copy everything, change, take over when it worked.

type Json = Record<string, unknown>;

const member = (object: Json, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

class Plain {
  model: { version: string; biz: string; meta: Json; blocks: Json[] } | undefined;
  seq = -1;
  status = "none";

  /** Whether the event was accepted. */
  apply(event: Json): boolean {
    const before = structuredClone(this.model);
    try {
      return this.run(structuredClone(event));
    } catch {
      this.model = before;
      this.status = "refused";
      return false;
    }
  }

  private run(event: Json): boolean {
    const { op, seq, mask, block, meta } = event as { op: string; seq: number; mask?: string; block: Json; meta: Json };
    if (op === "start") {
      this.model = event.model as NonNullable<Plain["model"]>;
      this.seq = seq;
      this.status = "open";
      return true;
    }
    if (this.status === "refused" || this.status === "ended") return false;
    if (op === "ping") return true;
    if (op !== "end" && seq <= this.seq) return false;
    const blocks = this.model!.blocks;
    const at = blocks.findIndex((known) => known.id === block?.id);
    if (op === "set" && mask === undefined) {
      if (at < 0) blocks.push(block);
      else blocks[at] = block;
    } else if (op === "append") {
      const field = mask!.slice(6);
      if (at < 0) {
        if (typeof block.type !== "string") throw new Error("incomplete");
        blocks.push(block);
      } else if ("ref" in blocks[at]!) {
        return false;
      } else {
        const current = member(blocks[at]!, field) ?? undefined;
        if (current === undefined) blocks[at]![field] = block[field];
        else if (typeof current === "string" && typeof block[field] === "string")
          blocks[at]![field] = current + block[field];
        else if (Array.isArray(current) && Array.isArray(block[field]))
          blocks[at]![field] = [...current, ...block[field]];
        else throw new Error("mismatch");
      }
    } else if (op === "set" || op === "error") {
      const [slot, ...path] = mask!.split(".");
      let source: unknown = event[slot!];
      for (const step of path) source = (source as Json)[step];
      if (slot === "block" && at < 0) throw new Error("missing");
      if (slot === "block" && "ref" in blocks[at]!) return false;
      let target = slot === "block" ? blocks[at]! : this.model!.meta;
      for (const step of path.slice(0, -1)) {
        if ((member(target, step) ?? null) === null) target[step] = {};
        target = target[step] as Json;
        if (typeof target !== "object" || Array.isArray(target)) throw new Error("mismatch");
      }
      target[path.at(-1)!] = source;
      if (op === "error") this.status = "errored";
    } else {
      this.status = "ended";
    }
    void meta;
    this.seq = Math.max(this.seq, seq);
    return true;
  }
}

const IDS = ["a", "b", "constructor", "\ud800", "x/y"];
const FIELDS = ["content", "toString", "list", "o"];
const TEXTS = ["", "word ", "é", "中文", "\ud83d", "\ude00", '"\\\n', "\u0000"];

function generate(next: () => number, count: number): Json[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const value = (depth = 0): unknown => {
    const kind = next();
    if (kind < 0.4 || depth > 2) return pick([...TEXTS, 0, 1.5, -1e-7, true, null]);
    if (kind < 0.7) return Array.from({ length: Math.floor(next() * 3) }, () => value(depth + 1));
    return Object.fromEntries(
      Array.from({ length: Math.floor(next() * 3) }, () => [pick([...FIELDS, "k"]), value(depth + 1)]),
    );
  };
  const block = (): Json => {
    if (next() < 0.1) return { id: pick(IDS), ref: "key" };
    const made: Json = { id: pick(IDS), type: "t" };
    for (const field of FIELDS)
      if (next() < 0.5) made[field] = field === "list" ? [1] : field === "o" ? { k: value() } : pick(TEXTS);
    return made;
  };
  let seq = 0;
  const events: Json[] = [{ op: "start", seq, model: model([block()]) }];
  while (events.length < count) {
    const kind = next();
    if (next() < 0.95) seq++;
    if (kind < 0.5) {
      const field = pick(["content", "content", "content", "toString", "list"]);
      const delta = field === "list" ? [value()] : pick(TEXTS);
      const id = pick(IDS);
      events.push({
        op: "append",
        seq,
        mask: `block.${field}`,
        block: next() < 0.9 ? { id, type: "t", [field]: delta } : { id, [field]: delta },
      });
    } else if (kind < 0.6) {
      events.push({ op: "set", seq, block: block() });
    } else if (kind < 0.75) {
      const path = [pick([...FIELDS, "n"]), pick(["k", "constructor"]), pick(["k", "list"])].slice(
        0,
        1 + Math.floor(next() * 3),
      );
      const payload = path.reduceRight<unknown>((below, step) => ({ [step]: below }), value()) as Json;
      if (next() < 0.5) events.push({ op: "set", seq, mask: `meta.${path.join(".")}`, meta: payload });
      else events.push({ op: "set", seq, mask: `block.${path.join(".")}`, block: { id: pick(IDS), ...payload } });
    } else if (kind < 0.8) {
      events.push({
        op: "error",
        seq,
        mask: "meta.error",
        meta: { error: { code: pick(TEXTS), message: pick(TEXTS), more: value() } },
      });
    } else if (kind < 0.85) {
      events.push({ op: "ping", seq });
    } else if (kind < 0.87) {
      events.push({ op: "end", seq });
    }
    if (kind >= 0.95)
      events.push({ op: "start", seq, model: model(IDS.filter(() => next() < 0.5).map((id) => ({ ...block(), id }))) });
  }
  return events;
}

function check(session: EngineSession, plain: Plain, label: string): void {
  expect(JSON.parse(snapshotText(session)!), label).toEqual(plain.model);
  expect(session.snapshot("", "number"), label).toEqual(plain.model);
  expect([session.seq(""), session.status("")], label).toEqual([plain.seq, plain.status]);
}

describe("random events", () => {
  it.each([1, 2, 3, 4, 5, 6])("seed %i", (seed) => {
    const next = random(seed);
    for (let round = 0; round < 12; round++) {
      const events = generate(next, 150);
      const variants: Overrides[] = [
        {},
        { events: true },
        { limits: { numberLength: 39 } },
        { limits: { modelBytes: 6000 } },
      ];
      const plain = new Plain();
      const texts = variants.map((overrides) => open(overrides));
      const values = open();
      for (const [i, event] of events.entries()) {
        const accepted = plain.apply(event) ? 1 : 0;
        const label = `seed ${seed}, round ${round}, event ${i}: ${JSON.stringify(event)}`;
        const before = JSON.stringify(event);
        expect(values.applyValue!(event, []), label).toBe(accepted);
        expect(JSON.stringify(event)).toBe(before);
        for (const session of texts) expect(session.applyText(bytesOf(before), []), label).toBe(accepted);
        if (i % 10 === 0) for (const session of [values, ...texts]) check(session, plain, label);
      }
      const body = sse(...events);
      const cuts = Array.from({ length: 40 }, () => Math.floor(next() * body.length)).sort((a, b) => a - b);
      const wire = open();
      pushCut(wire, body, cuts);
      for (const session of [wire, values, ...texts]) check(session, plain, `seed ${seed}, round ${round}`);
    }
  });

  it("changes rebuild the model's text fields", () => {
    const next = random(99);
    for (let round = 0; round < 30; round++) {
      const session = open();
      const mirror = new Map<string, unknown>();
      let version = 0;
      for (const event of generate(next, 200)) {
        const reports: Report[] = [];
        session.applyText(bytesOf(JSON.stringify(event)), reports);
        if (faults(reports).length > 0 && session.status("") === "refused") break;
        if (next() < 0.7) continue;
        const set = session.changes("", version);
        expect(set.resync).toBeUndefined();
        const blocks = (session.snapshot("", "number") as { blocks: Json[] }).blocks;
        const now = new Map(blocks.map((block) => [block.id as string, block]));
        for (const change of set.changes!) {
          if (change.kind === "start") {
            mirror.clear();
            for (const [id, block] of now) mirror.set(id, block.content);
          } else if (change.kind === "append" && change.field === "content") {
            const held = mirror.get(change.id!) as string;
            // A start's own block may be read with what came after it.
            if (held.length === change.from) mirror.set(change.id!, held + change.text!);
            else expect(held.slice(change.from, change.to)).toBe(change.text);
          } else if (
            change.kind === "insert" ||
            (change.kind === "replace" && (change.field ?? "content").split(".")[0] === "content")
          ) {
            mirror.set(change.id!, now.get(change.id!)!.content);
          }
        }
        for (const [id, block] of now) expect(mirror.get(id)).toEqual(block.content);
        version = set.version;
      }
    }
  });
});

describe("text under append", () => {
  it("keeps every piece through flattening, reading and switching fields", () => {
    const next = random(4);
    const session = open();
    session.applyValue!({ op: "start", seq: 0, model: model([{ id: "a", type: "t", content: "", other: "" }]) }, []);
    const expected: Record<string, string> = { content: "", other: "" };
    for (let seq = 1; seq < 2000; seq++) {
      const field = next() < 0.9 ? "content" : "other";
      const piece = `${seq},`;
      if (next() < 0.01) {
        expected[field] = "";
        session.applyValue!({ op: "set", seq, mask: `block.${field}`, block: { id: "a", [field]: "" } }, []);
        continue;
      }
      expected[field] += piece;
      session.applyValue!({ op: "append", seq, mask: `block.${field}`, block: { id: "a", [field]: piece } }, []);
      if (next() < 0.02) snapshotText(session);
    }
    expect((session.snapshot("", "number") as { blocks: unknown[] }).blocks[0]).toEqual({
      id: "a",
      type: "t",
      ...expected,
    });
  });
});
