import { describe, expect, it } from "vitest";
import { bufferSlice } from "../../bench/contenders/buffer-slice.js";
import { engineContender, loadEngines } from "../../bench/contenders/engines.js";
import { textDecoder } from "../../bench/contenders/text-decoder.js";
import type { AgentueEvent } from "../../bench/fixtures.js";
import { PatchedState } from "../../bench/patches.js";

const decoder = new TextDecoder();

function read(chunk: Uint8Array): AgentueEvent {
  return JSON.parse(decoder.decode(chunk).slice("data: ".length)) as AgentueEvent;
}

function kind(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? `list of ${value.length}` : typeof value;
}

/** The value that the path of a mask finds, below `block` or `meta`. */
function follow(value: unknown, mask: string): unknown {
  const names = mask.split(".").slice(1);
  return names.reduce((inner, name) => (inner as Record<string, unknown>)[name], value);
}

describe("patched states", () => {
  it.each([5_000, 100_000, 2_000_000])("are about %i bytes and stay so", (bytes) => {
    const state = new PatchedState(bytes, 1);
    const blocks = state.model.blocks.length;
    const difference = () => Math.abs(JSON.stringify(state.model).length / bytes - 1);
    expect(difference()).toBeLessThan(0.15);
    state.next(20_000);
    expect(difference()).toBeLessThan(0.15);
    expect(state.model.blocks).toHaveLength(blocks);
    expect(new PatchedState(bytes, 2).model.blocks).toHaveLength(blocks);
  });

  it("are the same for the same seed, and differ for another", () => {
    const [a, b, c] = [1, 1, 2].map((seed) => new PatchedState(5000, seed).next(50).map(read));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
  });

  it("get patches of existing places with values of the same kind, all over blocks and meta", () => {
    const state = new PatchedState(5000, 3);
    const masks = new Set<string>();
    const kinds = new Set<string>();
    let metas = 0;
    for (let number = 0; number < 5000; number++) {
      const before = structuredClone(state.model);
      const event = read(state.next(1)[0]!);
      const root = event.meta === undefined ? event.block! : event.meta;
      const old = event.meta === undefined ? before.blocks.find(({ id }) => id === event.block!.id) : before.meta;
      expect(event).toMatchObject({ op: "set", seq: number + 2 });
      expect(kind(follow(root, event.mask!))).toBe(kind(follow(old, event.mask!)));
      const names = event.mask!.split(".").length - 1;
      expect(names).toBeGreaterThanOrEqual(2);
      expect(names).toBeLessThanOrEqual(4);
      masks.add(event.mask!);
      kinds.add(kind(follow(root, event.mask!)));
      if (event.meta !== undefined) metas++;
    }
    expect(metas / 5000).toBeCloseTo(0.1, 1);
    expect(masks.size).toBeGreaterThan(40);
    expect([...kinds].sort()).toEqual(["boolean", "list of 4", "null", "number", "object", "string"]);
  });

  it("touch every block once", () => {
    const state = new PatchedState(20_000, 4);
    const ids = state.touch().map((chunk) => read(chunk).block!.id as string);
    expect(ids).not.toEqual(state.model.blocks.map(({ id }) => id));
    expect(ids.sort()).toEqual(state.model.blocks.map(({ id }) => id as string).sort());
  });

  const engines = loadEngines().flatMap(({ engine }) => (engine === undefined ? [] : [engineContender(engine)]));

  it.each([...engines, textDecoder, bufferSlice])("come out of $name as they are said to", ({ open }) => {
    const state = new PatchedState(20_000, 5);
    const folder = open();
    for (const chunk of [state.start, ...state.touch(), ...state.next(500)]) folder.push(chunk);
    expect(folder.value("")).toEqual(state.model);
    for (const chunk of state.next(500)) folder.push(chunk);
    expect(folder.value("")).toEqual(state.model);
    folder.close();
  });
});
