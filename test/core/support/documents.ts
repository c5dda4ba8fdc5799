import type { Rng } from "../../support/rng.js";
import { randomString, randomValue } from "./json-texts.js";
import { cloneModel, depthOf, type Model, parseModel, writeModel } from "./model.js";
import type { Probe } from "./probe.js";

/** A string's contents in canonical spelling. */
export function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** One document in the core, its model beside it, and an account of its own. */
export class Twin {
  readonly probe: Probe;
  readonly d: number;
  readonly account: number;
  model: Model;

  private constructor(probe: Probe, d: number, account: number, model: Model) {
    this.probe = probe;
    this.d = d;
    this.account = account;
    this.model = model;
  }

  static load(probe: Probe, text: string): Twin {
    const account = newAccount(probe);
    const d = probe.call("documentNew");
    const { p, n } = probe.put(text);
    if (d === 0 || probe.call("documentSetText", d, p, n) === 0) throw new Error("out of memory");
    return new Twin(probe, d, account, parseModel(text));
  }

  fork(): Twin {
    const account = newAccount(this.probe);
    const d = this.probe.call("documentFork", this.d);
    if (d === 0) throw new Error("no fork");
    return new Twin(this.probe, d, account, cloneModel(this.model));
  }

  /** Makes this document's account the current one. */
  use(): void {
    this.probe.call("setAccount", this.account);
  }

  free(): void {
    this.use();
    this.probe.call("documentFree", this.d);
    if (this.probe.u32(this.account) !== 0) throw new Error(`account left at ${this.probe.u32(this.account)}`);
    this.probe.call("setAccount", 0);
    this.probe.call("free", this.account, 16);
  }

  text(): string {
    return documentText(this.probe, this.d);
  }

  /** What differs between document and model; empty when all is well. */
  check(): string[] {
    const out: string[] = [];
    const expected = writeModel(this.model);
    const found = this.text();
    if (found !== expected) out.push(`text\n  ${found}\n  ${expected}`);
    const held = this.probe.call("documentHeld", this.d);
    if (held !== this.probe.u32(this.account)) out.push(`held ${held}, account ${this.probe.u32(this.account)}`);
    const depth = this.probe.call("slotDepth", this.probe.call("rootSlot", this.d));
    if (depth !== depthOf(this.model)) out.push(`depth ${depth}`);
    return out;
  }
}

function newAccount(probe: Probe): number {
  probe.call("setAccount", 0);
  const account = probe.call("alloc", 16);
  probe.setU32(account, 0);
  probe.call("setAccount", account);
  return account;
}

/** The document as text; throws when it is not exactly as long as it says. */
export function documentText(probe: Probe, d: number): string {
  const size = probe.call("documentSize", d);
  const before = probe.call("setAccount", 0);
  const out = probe.call("alloc", size + 16);
  const end = probe.call("documentWrite", d, out);
  if (end - out !== size) throw new Error(`wrote ${end - out} bytes, said ${size}`);
  const text = probe.text(out, end);
  probe.call("free", out, size + 16);
  probe.call("setAccount", before);
  return text;
}

/** Takes random steps on a twin and its model alike. */
export class Editor {
  readonly rng: Rng;
  readonly twin: Twin;

  constructor(rng: Rng, twin: Twin) {
    this.rng = rng;
    this.twin = twin;
  }

  get #probe(): Probe {
    return this.twin.probe;
  }

  #node(slot: number): number {
    const node = this.#probe.call("expandSlot", this.twin.d, slot);
    if (node === 0) throw new Error("no node");
    return node;
  }

  #key(key: string): [number, number] {
    const { p, n } = this.#probe.put(key);
    return [p, n];
  }

  /** Slot and model of a random place, with the container that holds it. */
  #place(): { slot: number; model: Model; node: number; parent: Model | undefined; at: string | number } {
    let slot = this.#probe.call("rootSlot", this.twin.d);
    let model = this.twin.model;
    let node = 0;
    let parent: Model | undefined;
    let at: string | number = 0;
    for (let steps = this.rng.int(5); steps > 0 && typeof model !== "string"; steps--) {
      const size = Array.isArray(model) ? model.length : model.size;
      if (size === 0) break;
      node = this.#node(slot);
      parent = model;
      at = Array.isArray(model) ? this.rng.int(size) : this.rng.pick([...model.keys()]);
      slot =
        typeof at === "number"
          ? this.#probe.call("elementSlot", node, at)
          : this.#probe.call("memberSlot", node, ...this.#key(at));
      if (slot === 0) throw new Error(`no slot at ${at}`);
      model = Array.isArray(model) ? model[at as number]! : model.get(at as string)!;
    }
    return { slot, model, node, parent, at };
  }

  #container(): { node: number; model: Model[] | Map<string, Model> } | undefined {
    const place = this.#place();
    if (typeof place.model === "string") return undefined;
    return { node: this.#node(place.slot), model: place.model };
  }

  #set(place: { parent: Model | undefined; at: string | number }, value: Model): void {
    if (place.parent === undefined) this.twin.model = value;
    else if (Array.isArray(place.parent)) place.parent[place.at as number] = value;
    else (place.parent as Map<string, Model>).set(place.at as string, value);
  }

  // A value as the argument of a step: in the input area, or written to the place the log reserves.
  #value(): { text: string; p: number; n: number } {
    const text = JSON.stringify(this.rng.chance(0.5) ? randomString(this.rng) : randomValue(this.rng, 2));
    const { p, n } = this.#probe.put(text);
    if (this.rng.chance(0.5)) return { text, p, n };
    const place = this.#probe.call("logReserve", this.twin.d, n);
    if (place === 0) throw new Error("no log");
    this.#probe.bytes.copyWithin(place, p, p + n);
    return { text, p: place, n };
  }

  #newKey(): string {
    return this.rng.chance(0.2) ? this.rng.pick(["", "__proto__", "\\n", "é", "x".repeat(40)]) : `n${this.rng.int(40)}`;
  }

  #put(
    target: { node: number; model: Model[] | Map<string, Model> },
    value: { p: number; n: number },
    model: Model,
  ): void {
    const { probe, d } = this.twin;
    if (Array.isArray(target.model)) {
      const i = this.rng.int(target.model.length + 1);
      if (probe.call("insertElement", d, target.node, i, value.p, value.n) === 0) throw new Error("insert failed");
      target.model.splice(i, 0, model);
    } else {
      const key =
        target.model.size > 0 && this.rng.chance(0.3) ? this.rng.pick([...target.model.keys()]) : this.#newKey();
      if (probe.call("putMember", d, target.node, ...this.#key(key), value.p, value.n) === 0)
        throw new Error("put failed");
      target.model.set(key, model);
    }
  }

  #removeFrom(target: { node: number; model: Model[] | Map<string, Model> }): Model | undefined {
    const { probe, d } = this.twin;
    if (Array.isArray(target.model)) {
      if (target.model.length === 0) return undefined;
      const i = this.rng.int(target.model.length);
      if (probe.call("removeElement", d, target.node, i) !== 1) throw new Error("remove failed");
      return target.model.splice(i, 1)[0];
    }
    if (target.model.size === 0) return undefined;
    const key = this.rng.pick([...target.model.keys()]);
    const value = target.model.get(key);
    if (probe.call("removeMember", d, target.node, ...this.#key(key)) !== 1) throw new Error("remove failed");
    target.model.delete(key);
    return value;
  }

  step(): void {
    const { probe, d } = this.twin;
    const kind = this.rng.int(14);
    if (kind < 4) {
      const target = this.#container();
      const value = this.#value();
      if (target) this.#put(target, value, parseModel(value.text));
    } else if (kind < 6) {
      const target = this.#container();
      if (target) this.#removeFrom(target);
    } else if (kind < 8) {
      const place = this.#place();
      const value = this.#value();
      if (probe.call("replaceSlot", d, place.node, place.slot, value.p, value.n) !== place.slot)
        throw new Error("replace");
      this.#set(place, parseModel(value.text));
    } else if (kind === 8) {
      const from = this.#container();
      if (!from) return;
      const moved = this.#removeFrom(from);
      if (moved === undefined) return;
      // the target is looked up after the removal, so it never lies inside of what moves
      const target = this.#container() ?? from;
      if (probe.global("editDocument") === d && this.rng.chance(0.9)) this.#put(target, { p: 0, n: 0 }, moved);
    } else if (kind === 9) {
      const source = this.#place();
      if (writeModel(this.twin.model).length > 60_000) return;
      const target = this.#container();
      if (!target) return;
      const copy = cloneModel(source.model);
      // the path to the target may have moved the vector of the source: copy what is there now
      const slot = source.node === 0 ? probe.call("rootSlot", d) : this.#again(source);
      if (probe.call("pickCopy", d, slot) !== 1) throw new Error("copy failed");
      this.#put(target, { p: 0, n: 0 }, copy);
    } else if (kind === 10) {
      const place = this.#place();
      if (!Array.isArray(place.model)) return;
      const more = Array.from({ length: this.rng.int(5) }, () => JSON.stringify(randomValue(this.rng, 1)));
      const { p, n } = probe.put(more.join(","));
      if (probe.call("appendElements", d, place.slot, p, n) !== 1) throw new Error("append failed");
      place.model.push(...more.map(parseModel));
    } else {
      const place = this.#place();
      if (typeof place.model !== "string" || place.model[0] !== '"') return;
      const chain = probe.call("chainOf", d, place.slot);
      if (chain === 0) throw new Error("no chain");
      const text = JSON.parse(place.model) as string;
      if (probe.call("chainUnits", chain) !== text.length) throw new Error("units before");
      let grown = text;
      for (let k = this.rng.int(6); k >= 0; k--) {
        const part = this.rng.chance(0.4)
          ? this.rng.pick(["\ud83d", "\ude00", "\\", "\ud83d\ude00", "", "\ud83d\ud83d"])
          : randomString(this.rng);
        const { p, n } = probe.put(escaped(part));
        if (probe.call("chainAppend", d, chain, p, n, part.length) !== 1) throw new Error("append failed");
        grown += part;
      }
      if (probe.call("chainUnits", chain) !== grown.length) throw new Error("units after");
      this.#set(place, JSON.stringify(grown));
      this.#slice(chain, escaped(grown));
    }
  }

  #again(place: { node: number; at: string | number }): number {
    return typeof place.at === "number"
      ? this.#probe.call("elementSlot", place.node, place.at)
      : this.#probe.call("memberSlot", place.node, ...this.#key(place.at));
  }

  #slice(chain: number, whole: string): void {
    const probe = this.#probe;
    const bytes = Buffer.from(whole);
    if (probe.call("chainBytes", chain) !== bytes.length) throw new Error("bytes");
    const from = this.rng.int(bytes.length + 1);
    const out = probe.room(bytes.length + 16);
    const end = probe.call("chainSlice", chain, from, out);
    if (Buffer.compare(Buffer.from(probe.slice(out, end)), bytes.subarray(from)) !== 0) throw new Error("slice");
  }
}
