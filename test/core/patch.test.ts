import { describe, expect, it } from "vitest";
import { freshEngine, WASM_KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { documentText } from "./support/documents.js";
import { BUILDS, Probe } from "./support/probe.js";

const OK = 0;
const MALFORMED = 1;
const FAILED = 2;
const LIMIT = 3;
const R_LIMIT_DEPTH = 20;
const R_LIMIT_MODEL = 23;
const R_NO_VALUE = 27;
const R_NOT_EQUAL = 31;
const MOST = 0xffff_ffff;

/** A document, and the slot below its member `content` that patches go to. */
class Inner {
  readonly probe: Probe;
  readonly d: number;

  constructor(probe: Probe, text: string) {
    this.probe = probe;
    this.d = probe.call("documentNew");
    const { p, n } = probe.put(text);
    if (probe.call("documentSetText", this.d, p, n) === 0) throw new Error("out of memory");
  }

  /** Node and slot of the member `content`. */
  place(): [node: number, slot: number] {
    const node = this.probe.call("expandSlot", this.d, this.d);
    const key = this.probe.put("content");
    return [node, this.probe.call("memberSlot", node, key.p, key.n)];
  }

  read(patch: unknown): number {
    return this.probe.call("patchRead", this.probe.put(JSON.stringify(patch)).p, MOST);
  }

  apply(patch: unknown, depth = 512, size = 0x7fff_0000): number {
    const [node, slot] = this.place();
    expect(this.read(patch)).toBe(OK);
    return this.probe.call("patchApply", this.d, node, slot, depth, size, size);
  }

  text(): string {
    return documentText(this.probe, this.d);
  }

  fault(): { reason: number; operation: number; path: string } {
    const { probe } = this;
    const at = probe.global("patchPath");
    return {
      reason: probe.global("patchReason"),
      operation: probe.global("patchOperation"),
      path: probe.text(at, at + probe.global("patchPathLength")),
    };
  }
}

describe.each(BUILDS)("a patch on a slot inside of a document (%s)", (kind) => {
  const TEXT = '{"id":"m","content":{"a":[1,2],"b":{"c":"x"}},"role":"activity"}';

  it("changes what lies below the slot, and the slot itself", () => {
    const inner = new Inner(new Probe(kind), TEXT);
    const add = (path: string, value: unknown) => [{ op: "add", path, value }];
    expect(inner.apply(add("/a/-", 3))).toBe(OK);
    expect(inner.apply([{ op: "move", from: "/b", path: "/a/0" }])).toBe(OK);
    expect(inner.text()).toBe('{"id":"m","content":{"a":[{"c":"x"},1,2,3]},"role":"activity"}');
    expect(inner.apply([...add("", []), ...add("/0", "new"), { op: "copy", from: "", path: "/-" }])).toBe(OK);
    expect(inner.text()).toBe('{"id":"m","content":["new",["new"]],"role":"activity"}');
    expect(inner.probe.call("documentSize", inner.d)).toBe(inner.text().length);
  });

  it("is whole or not at all, also where it replaced the slot", () => {
    const inner = new Inner(new Probe(kind), TEXT);
    const replaced = [
      { op: "remove", path: "/b" },
      { op: "replace", path: "", value: [[]] },
      { op: "move", from: "/0", path: "" },
      { op: "test", path: "", value: {} },
    ];
    expect(inner.apply(replaced)).toBe(FAILED);
    expect(inner.fault()).toEqual({ reason: R_NOT_EQUAL, operation: 3, path: "" });
    expect(inner.text()).toBe(TEXT);
    expect(inner.apply([{ op: "remove", path: "/id" }])).toBe(FAILED);
    expect(inner.fault()).toEqual({ reason: R_NO_VALUE, operation: 0, path: "/id" });
  });

  it("counts depth from the slot and bytes of the whole document", () => {
    const inner = new Inner(new Probe(kind), TEXT);
    expect(inner.apply([{ op: "add", path: "/b/d", value: [[]] }], 4)).toBe(OK);
    expect(inner.apply([{ op: "add", path: "/b/d/0/0", value: [] }], 4)).toBe(LIMIT);
    expect(inner.fault()).toEqual({ reason: R_LIMIT_DEPTH, operation: 0, path: "/b/d/0/0" });
    const size = inner.text().length;
    expect(inner.apply([{ op: "replace", path: "/b/c", value: "xy" }], 512, size)).toBe(LIMIT);
    expect(inner.fault()).toEqual({ reason: R_LIMIT_MODEL, operation: 0, path: "/b/c" });
    expect(inner.apply([{ op: "replace", path: "/b/c", value: "y" }], 512, size)).toBe(OK);
  });

  it("is a part of a larger edit where its steps are asked for", () => {
    const inner = new Inner(new Probe(kind), TEXT);
    const { probe, d } = inner;
    const [node] = inner.place();
    const key = probe.put("extra");
    const value = probe.put("true");
    probe.raw.editBegin!(d);
    expect(probe.call("putMember", d, node, key.p, key.n, value.p, value.n)).not.toBe(0);
    expect(inner.read([{ op: "remove", path: "/a" }])).toBe(OK);
    expect(probe.call("patchSteps", d, ...inner.place(), 512, MOST)).toBe(OK);
    expect(inner.text()).toContain("extra");
    probe.raw.editRollback!(d);
    expect(inner.text()).toBe(TEXT);
  });

  it("is judged apart from being read, and passes over operations that are none", () => {
    const inner = new Inner(new Probe(kind), TEXT);
    const { probe } = inner;
    const patch = [{ op: "add", path: "/n", value: 1 }, { op: "later", path: "/a" }, 7, { op: "remove", path: "/b" }];
    expect(inner.read(patch)).toBe(OK);
    expect(probe.call("operationCount")).toBe(4);
    expect(probe.call("patchJudge")).toBe(MALFORMED);
    expect(inner.fault()).toMatchObject({ operation: 1, path: "/1/op" });
    expect(inner.apply(patch)).toBe(OK);
    expect(inner.text()).toBe('{"id":"m","content":{"a":[1,2],"n":1},"role":"activity"}');
    // what a schema may have let through does no harm
    for (const operation of [{ op: "add", path: "/x" }, { op: "replace", path: "b" }, { op: "test" }, { op: "copy" }]) {
      expect(inner.apply([operation])).not.toBe(LIMIT);
    }
  });

  it("gives everything back", () => {
    const probe = new Probe(kind);
    const run = (): number => {
      const inner = new Inner(probe, TEXT);
      for (let i = 0; i < 50; i++) {
        inner.apply([{ op: "add", path: `/n${i}`, value: { v: [i, { deep: "x".repeat(i) }] } }]);
        inner.apply([{ op: "test", path: "", value: { b: { c: "x" }, a: [1, 2] } }]);
        inner.apply([
          { op: "move", from: "/a", path: "/b/a" },
          { op: "remove", path: "/nowhere" },
        ]);
      }
      probe.call("documentFree", inner.d);
      probe.call("trimPatch");
      probe.call("trimRecords");
      probe.call("trimSplit");
      return probe.call("liveBytes");
    };
    expect(run()).toBe(run());
  });
});

describe.each(WASM_KINDS)("large documents under many patches (%s)", (kind) => {
  it("stay what a plain object becomes, within two and a half times their text, and leave no byte behind", () => {
    const engine = freshEngine(kind);
    const begin = engine.memory().live;
    const rng = new Rng(5);
    const encoder = new TextEncoder();
    type Item = { id: number; name: string; tags: string[]; at: { x: number; y: number } };
    const item = (id: number): Item => ({ id, name: `item ${id}`, tags: ["a", "b"], at: { x: id, y: id + 0.5 } });
    const twin: { list: Item[]; map: Record<string, Item> } = { list: [], map: {} };
    for (let i = 0; i < 300; i++) {
      twin.list.push(item(i));
      twin.map[`key ${i}`] = item(i);
    }
    const document = engine.createDocument(encoder.encode(JSON.stringify(twin)));
    let next = 300;
    let most = 0;
    for (let round = 0; round < 12_000; round++) {
      const keys = round % 64 === 0 ? Object.keys(twin.map) : [];
      const i = rng.int(twin.list.length);
      const patch: unknown[] = [];
      if (keys.length > 0) {
        // places of removed members go when the object is compacted or grows
        const gone = rng.pick(keys);
        delete twin.map[gone];
        twin.map[`key ${next}`] = item(next);
        patch.push(
          { op: "remove", path: `/map/${gone}` },
          { op: "add", path: `/map/key ${next}`, value: item(next++) },
        );
      }
      if (round % 50 === 7) {
        twin.list.splice(i, 0, item(next));
        twin.list.pop();
        patch.push({ op: "add", path: `/list/${i}`, value: item(next++) }, { op: "remove", path: "/list/300" });
      }
      twin.list[i]!.at.x = round;
      twin.list[i]!.tags[1] = `tag ${round}`;
      patch.push(
        { op: "replace", path: `/list/${i}/at/x`, value: round },
        { op: "replace", path: `/list/${i}/tags/1`, value: `tag ${round}` },
      );
      document.patch(encoder.encode(JSON.stringify(patch)));
      if (round % 100 === 0) most = Math.max(most, (engine.memory().live - begin) / document.size);
      if (round % 3000 === 0) expect(document.value()).toEqual(twin);
    }
    expect(new TextDecoder().decode(document.bytes())).toBe(JSON.stringify(twin));
    expect(most).toBeLessThan(2.6);
    expect(most).toBeGreaterThan(1.2);
    document.close();
    expect(engine.memory().live).toBe(begin);
    engine.close();
  });
});
