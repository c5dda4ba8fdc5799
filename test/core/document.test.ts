import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { documentText, Editor, Twin } from "./support/documents.js";
import { randomValue } from "./support/json-texts.js";
import { cloneModel } from "./support/model.js";
import { BUILDS, Probe } from "./support/probe.js";

function newDocument(probe: Probe, text: string): number {
  const d = probe.call("documentNew");
  const { p, n } = probe.put(text);
  expect(probe.call("documentSetText", d, p, n)).toBe(1);
  return d;
}

function member(probe: Probe, d: number, key: string): number {
  const node = probe.call("expandSlot", d, probe.call("rootSlot", d));
  const { p, n } = probe.put(key);
  return probe.call("memberSlot", node, p, n);
}

describe.each(BUILDS)("documents under random edits (%s)", (kind) => {
  it("agree with a plain model through commit, rollback, compaction and forks, and give everything back", () => {
    const probe = new Probe(kind);
    const base = probe.call("liveBytes");
    let scratch = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const rng = new Rng(seed);
      const twins = [Twin.load(probe, JSON.stringify(randomValue(rng, 5)))];
      for (let round = 0; round < 40; round++) {
        const twin = rng.pick(twins);
        twin.use();
        const before = cloneModel(twin.model);
        const isEdit = rng.chance(0.85);
        if (isEdit) probe.raw.editBegin!(twin.d);
        const editor = new Editor(rng, twin);
        for (let steps = rng.int(8); steps >= 0; steps--) editor.step();
        if (isEdit && rng.chance(0.35)) {
          probe.raw.editRollback!(twin.d);
          twin.model = before;
        } else if (isEdit) probe.raw.editCommit!(twin.d);
        if (rng.chance(0.1)) probe.call("compact", twin.d);
        if (rng.chance(0.15) && twins.length < 5) twins.push(twin.fork());
        if (rng.chance(0.1) && twins.length > 1) twins.splice(rng.int(twins.length), 1)[0]!.free();
        const checked = rng.chance(0.2) ? twins : twins.filter((each) => each === twin);
        for (const each of checked) expect([seed, round, ...each.check()]).toEqual([seed, round]);
      }
      for (const twin of twins) twin.free();
      probe.rewind();
      // scratch areas may stay, a leak would grow with every seed
      if (seed === 20) scratch = probe.call("liveBytes");
    }
    expect(probe.call("liveBytes")).toBe(scratch);
    expect(scratch - base).toBeLessThan(300_000);
  });

  it("resolve repeated members when they are reached: last value, first place", () => {
    const probe = new Probe(kind);
    const few = '{"a":1,"b":{"x":1,"x":2},"a":[3],"c":0,"b":{"y":1,"z":2,"y":3}}';
    const many = `{${Array.from({ length: 40 }, (_, i) => `"k${i % 13}":${i}`).join(",")}}`;
    for (const text of [few, many]) {
      const d = newDocument(probe, text);
      expect(documentText(probe, d)).toBe(text);
      const slot = member(probe, d, text === few ? "b" : "k3");
      expect(slot).not.toBe(0);
      probe.call("expandSlot", d, slot);
      expect(documentText(probe, d)).toBe(JSON.stringify(JSON.parse(text)));
      probe.call("documentFree", d);
    }
    // found again while values that held some are taken back
    const d = newDocument(probe, '{"a":{"x":1,"x":2},"b":0}');
    probe.raw.editBegin!(d);
    const value = probe.put('{"q":1,"q":{"r":1,"r":2}}');
    const node = probe.call("expandSlot", d, d);
    const key = probe.put("n");
    const added = probe.call("putMember", d, node, key.p, key.n, value.p, value.n);
    probe.call("expandSlot", d, added);
    probe.call("expandSlot", d, member(probe, d, "a"));
    probe.raw.editRollback!(d);
    expect(documentText(probe, d)).toBe('{"a":{"x":2},"b":0}');
  });

  it("keep every key of large objects through removals, failed edits and growth", () => {
    const probe = new Probe(kind);
    const d = newDocument(probe, `{${Array.from({ length: 500 }, (_, i) => `"key-${i}":${i}`).join(",")}}`);
    const expected = new Map(Array.from({ length: 500 }, (_, i) => [`key-${i}`, `${i}`]));
    const rng = new Rng(9);
    const node = (): number => probe.call("expandSlot", d, d);
    for (let round = 0; round < 300; round++) {
      const fails = rng.chance(0.5);
      const model = fails ? new Map(expected) : expected;
      const touched: string[] = [];
      probe.raw.editBegin!(d);
      for (let k = rng.int(12); k >= 0; k--) {
        const name = `key-${rng.int(700)}`;
        const key = probe.put(name);
        touched.push(name);
        if (rng.chance(0.4)) {
          expect(probe.call("removeMember", d, node(), key.p, key.n)).toBe(model.has(name) ? 1 : 0);
          model.delete(name);
        } else {
          const value = probe.put(`${round}`);
          expect(probe.call("putMember", d, node(), key.p, key.n, value.p, value.n)).not.toBe(0);
          model.set(name, `${round}`);
        }
      }
      if (fails) probe.raw.editRollback!(d);
      else probe.raw.editCommit!(d);
      expect(probe.call("memberCount", node())).toBe(expected.size);
      for (const name of touched) expect(member(probe, d, name) !== 0).toBe(expected.has(name));
    }
    for (let i = 0; i < 700; i++) {
      const slot = member(probe, d, `key-${i}`);
      const found = slot === 0 ? undefined : probe.text(probe.u32(slot), probe.u32(slot) + probe.u32(slot + 4));
      expect(found).toBe(expected.get(`key-${i}`));
    }
    expect(documentText(probe, d)).toBe(`{${[...expected].map(([k, v]) => `"${k}":${v}`).join(",")}}`);
  });

  it("stay within two and a half times their text under replacements, and are not compacted by every edit", () => {
    const probe = new Probe(kind);
    const rng = new Rng(17);
    const compactions = (d: number): number => probe.u32(d + 36);
    const objects = Array.from({ length: 300 }, (_, i) => ({
      id: i,
      name: "some name",
      price: 12.5,
      tags: ["a", "b"],
    }));
    const d = newDocument(probe, JSON.stringify(objects));
    const key = probe.put("price");
    const value = probe.put("123456.789");
    let most = 0;
    for (let round = 0; round < 4000; round++) {
      probe.raw.editBegin!(d);
      const item = probe.call("elementSlot", probe.call("expandSlot", d, d), rng.int(300));
      const node = probe.call("expandSlot", d, item);
      expect(probe.call("putMember", d, node, key.p, key.n, value.p, value.n)).not.toBe(0);
      probe.raw.editCommit!(d);
      const size = probe.call("documentSize", d);
      most = Math.max(most, probe.call("documentHeld", d) / (2 * size + Math.max(size / 2, 4096)));
    }
    expect(most).toBeLessThanOrEqual(1);
    expect(compactions(d)).toBeGreaterThan(0);
    expect(compactions(d)).toBeLessThan(200);

    // expanded, this array holds more than four times its text at once
    const tiny = newDocument(probe, `[${"1,".repeat(9_999)}1]`);
    for (let round = 0; round < 400; round++) {
      probe.raw.editBegin!(tiny);
      const node = probe.call("expandSlot", tiny, tiny);
      const slot = probe.call("elementSlot", node, rng.int(10_000));
      const two = probe.put("2");
      expect(probe.call("replaceSlot", tiny, node, slot, two.p, two.n)).toBe(slot);
      probe.raw.editCommit!(tiny);
    }
    expect(compactions(tiny)).toBeGreaterThan(0);
    expect(compactions(tiny)).toBeLessThan(20);
  });

  it("find every key of many shapes where compaction has put it", () => {
    const probe = new Probe(kind);
    const rng = new Rng(23);
    // more keys than compaction keeps in mind at once, and keys on both sides of eight bytes
    const keyOf = (shape: number, i: number): string => `k${shape}${"-long-one".slice(0, i * 2)}${i}`;
    const model = Array.from({ length: 240 }, (_, at) =>
      Object.fromEntries(Array.from({ length: 5 }, (__, i) => [keyOf(at % 30, i), at] as [string, number])),
    );
    const d = newDocument(probe, JSON.stringify(model));
    let compactions = 0;
    for (let round = 0; compactions < 6; round++) {
      expect(round).toBeLessThan(20_000);
      const at = rng.int(model.length);
      const key = keyOf(at % 30, rng.int(5));
      probe.raw.editBegin!(d);
      const node = probe.call("expandSlot", d, probe.call("elementSlot", probe.call("expandSlot", d, d), at));
      const name = probe.put(key);
      const value = probe.put(String(round));
      expect(probe.call("memberSlot", node, name.p, name.n)).not.toBe(0);
      expect(probe.call("putMember", d, node, name.p, name.n, value.p, value.n)).not.toBe(0);
      probe.raw.editCommit!(d);
      model[at]![key] = round;
      if (probe.u32(d + 36) === compactions) continue;
      compactions = probe.u32(d + 36);
      expect(documentText(probe, d)).toBe(JSON.stringify(model));
    }
  });

  it("tell objects of almost one shape apart", () => {
    const probe = new Probe(kind);
    const rng = new Rng(29);
    const keys = ["", "a", "b", "title", "count", "long-name-1", "long-name-2", "long-nama-1"];
    for (let round = 0; round < 40; round++) {
      // few orders of few keys, some of them twice
      const orders = Array.from({ length: 5 }, () => Array.from({ length: 3 + rng.int(3) }, () => rng.pick(keys)));
      const elements = Array.from({ length: 60 }, (_, at) => {
        const order = rng.pick(orders);
        return `{${order.map((key, i) => `"${key}":${at * 10 + i}`).join(",")}}`;
      });
      const text = `[${elements.join(",")}]`;
      const d = newDocument(probe, text);
      const array = probe.call("expandSlot", d, d);
      for (let at = 0; at < elements.length; at++) {
        const slot = probe.call("elementSlot", array, at);
        const node = probe.call("expandSlot", d, slot);
        const model = JSON.parse(elements[at]!) as Record<string, number>;
        expect(probe.call("memberCount", node)).toBe(Object.keys(model).length);
        for (const [key, value] of Object.entries(model)) {
          const { p, n } = probe.put(key);
          const found = probe.call("memberSlot", node, p, n);
          expect(probe.text(probe.u32(found), probe.u32(found) + probe.u32(found + 4))).toBe(String(value));
        }
      }
      expect(documentText(probe, d)).toBe(JSON.stringify(JSON.parse(text)));
      probe.call("documentFree", d);
    }
  });

  it("reach a depth of 4,096 without a deep stack", () => {
    const probe = new Probe(kind);
    const base = probe.call("liveBytes");
    const depth = 4096;
    const text = '{"a":['.repeat(depth / 2) + "]}".repeat(depth / 2);
    const d = newDocument(probe, text);
    expect(probe.call("slotDepth", d)).toBe(depth);
    let slot = d;
    const key = probe.put("a");
    for (let level = 0; level < depth; level += 2) {
      const object = probe.call("expandSlot", d, slot);
      slot = probe.call("memberSlot", object, key.p, key.n);
      const array = probe.call("expandSlot", d, slot);
      slot = level + 2 < depth ? probe.call("elementSlot", array, 0) : slot;
    }
    const innermost = probe.put('"in"');
    expect(probe.call("appendElements", d, slot, innermost.p, innermost.n)).toBe(1);
    const expected = text.replace("[]", '["in"]');
    expect(documentText(probe, d)).toBe(expected);
    expect(probe.call("slotDepth", d)).toBe(depth);
    expect(probe.call("slotSize", d)).toBe(expected.length);
    const fork = probe.call("documentFork", d);
    expect(documentText(probe, fork)).toBe(expected);
    probe.call("documentFree", d);
    expect(documentText(probe, fork)).toBe(expected);
    expect(probe.call("compact", fork)).toBe(1);
    expect(documentText(probe, fork)).toBe(expected);
    probe.call("documentFree", fork);
    expect(probe.call("liveBytes") - base).toBeLessThan(70_000);
  });

  it("change nothing when memory runs out, at whichever allocation it does", () => {
    const text = JSON.stringify({
      list: [1, [2], "x"],
      text: "start",
      object: Object.fromEntries([...Array(8).keys()].map((i) => [`k${i}`, i])),
    });
    const value = JSON.stringify("v".repeat(300));
    const steps: Record<string, (probe: Probe, d: number) => number> = {
      fork: (probe, d) => probe.call("documentFork", d),
      load: (probe, d) => {
        const { p, n } = probe.put(value);
        return probe.call("documentSetText", d, p, n);
      },
      elements: (probe, d) => {
        const list = member(probe, d, "list");
        const { p, n } = probe.put(`${value},1`);
        return list && probe.call("appendElements", d, list, p, n);
      },
      insert: (probe, d) => {
        const list = member(probe, d, "list");
        const node = list && probe.call("expandSlot", d, list);
        const { p, n } = probe.put(value);
        return node && probe.call("insertElement", d, node, 1, p, n);
      },
      member: (probe, d) => {
        const object = member(probe, d, "object");
        const node = object && probe.call("expandSlot", d, object);
        const key = probe.put("new");
        const { p, n } = probe.put(value);
        return node && probe.call("putMember", d, node, key.p, key.n, p, n);
      },
      append: (probe, d) => {
        const slot = member(probe, d, "text");
        const chain = slot && probe.call("chainOf", d, slot);
        const { p, n } = probe.put("more text ".repeat(30));
        return chain && probe.call("chainAppend", d, chain, p, n, 300);
      },
    };
    for (const [name, step] of Object.entries(steps)) {
      let failures = 0;
      for (let budget = 0; ; budget += budget < 1536 ? 48 : 1024) {
        const probe = new Probe(kind, 1 << 15);
        const d = newDocument(probe, text);
        exhaust(probe, budget);
        if (step(probe, d) !== 0) {
          probe.call("heapSetLimit", 0);
          expect(documentText(probe, d) === text).toBe(name === "fork");
          break;
        }
        failures++;
        expect([name, budget, probe.global("documentFault")]).toEqual([name, budget, 1]);
        probe.call("heapSetLimit", 0);
        expect(documentText(probe, d)).toBe(text);
        expect(step(probe, d)).not.toBe(0);
      }
      expect(failures).toBeGreaterThan(1);
    }
  });
});

/** Leaves the heap exactly `budget` bytes to give. */
function exhaust(probe: Probe, budget: number): void {
  // What the build's static data leave of its first pages may be next to nothing.
  probe.call("heapSetLimit", probe.pages + 2);
  let low = 0;
  let high = 1 << 24;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (probe.call("reserve", middle) === 1) low = middle;
    else high = middle;
  }
  let rest = low - budget;
  for (const size of [16_384, 1024, 16]) {
    for (; rest >= size; rest -= size) if (probe.call("alloc", size) === 0) throw new Error("not exhausted");
  }
}
