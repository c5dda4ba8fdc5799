import { noteOrder } from "../../json/exact.js";
import { type JsonObject, put } from "../../json/object.js";
import type { Building } from "./building.js";
import { FIXED64, LENGTH, type Span, Unreadable, VARINT, type Wire } from "./wire.js";

// The kinds of a google.protobuf.Value are its field numbers.
const NULL = 1;
const NUMBER = 2;
const STRING = 3;
const BOOL = 4;
const STRUCT = 5;
const LIST = 6;
const WIRE_OF = [-1, VARINT, FIXED64, LENGTH, VARINT, LENGTH, LENGTH];

/** A Value as it stands on the wire: the kind that stands last. */
export type WireValue =
  | { readonly kind: typeof NULL }
  | { readonly kind: typeof NUMBER | typeof BOOL; readonly value: number }
  | { readonly kind: typeof STRING; readonly span: Span }
  /** All payloads since another kind stood there, and the tag of the first one. */
  | { readonly kind: typeof STRUCT | typeof LIST; readonly spans: Span[]; readonly tagAt: number };

interface Container {
  readonly spans: readonly Span[];
  readonly node: unknown[] | JsonObject;
  piece: number;
  at: number;
}

/** Reads open JSON: google.protobuf.Value, Struct and ListValue. Does not recurse. */
export class ValueReader {
  readonly #wire: Wire;
  readonly #out: Building;

  constructor(wire: Wire, out: Building) {
    this.#wire = wire;
    this.#out = out;
  }

  /** The Value of these payloads; undefined when it holds nothing. Throws Unreadable. */
  read(spans: readonly Span[]): WireValue | undefined {
    const wire = this.#wire;
    let value: WireValue | undefined;
    for (const { from, to } of spans) {
      for (let at = from; at < to; ) {
        const tagAt = at;
        at = wire.tag(at, to);
        if (at < 0) throw new Unreadable("malformed", tagAt);
        const tag = wire.low;
        const kind = tag >>> 3;
        if (kind > LIST || (tag & 7) !== WIRE_OF[kind]) {
          at = wire.skip(tag, at, to);
        } else if (kind === NULL || kind === BOOL) {
          at = wire.varint(at, to);
          value = kind === NULL ? { kind } : { kind, value: wire.low | wire.high };
        } else if (kind === NUMBER) {
          at = at + 8 <= to ? at + 8 : -1;
          if (at > 0) value = { kind, value: wire.double(at - 8) };
        } else {
          at = wire.length(at, to);
          if (at < 0) throw new Unreadable("malformed", tagAt);
          const span = { from: at, to: at + wire.low };
          at = span.to;
          if (kind === STRING) value = { kind, span };
          else if (value?.kind === kind && "spans" in value) value.spans.push(span);
          else value = { kind: kind as typeof STRUCT | typeof LIST, spans: [span], tagAt };
        }
        if (at < 0) throw new Unreadable("malformed", tagAt);
      }
    }
    return value;
  }

  /** Builds a Value; `depth` containers are open around it. Throws Unreadable. */
  build(value: WireValue, depth: number): unknown {
    if (!("spans" in value)) return this.#scalar(value);
    return this.#fill(this.#open(value.spans, value.kind === STRUCT, depth, value.tagAt), depth);
  }

  /** Builds the Struct of these payloads as an object. Throws Unreadable. */
  buildStruct(spans: readonly Span[], depth: number): unknown {
    return this.#fill(this.#open(spans, true, depth, spans[0]!.from), depth);
  }

  #scalar(value: Exclude<WireValue, { spans: unknown }>): unknown {
    switch (value.kind) {
      case NULL:
        return null;
      case NUMBER:
        return this.#out.number(value.value);
      case BOOL:
        return value.value !== 0;
      default:
        return this.#out.string(value.span);
    }
  }

  #open(spans: readonly Span[], isStruct: boolean, depth: number, at: number): Container {
    this.#out.enter(depth, at);
    return { spans, node: isStruct ? {} : [], piece: 0, at: spans[0]!.from };
  }

  #fill(outermost: Container, depth: number): unknown {
    const out = this.#out;
    const open = [outermost];
    for (let top: Container | undefined = outermost; top !== undefined; top = open.at(-1)) {
      const entry = this.#next(top);
      if (entry === undefined) {
        open.pop();
        continue;
      }
      const { node } = top;
      let value: WireValue | undefined;
      let name = "";
      if (Array.isArray(node)) {
        // An element that holds nothing keeps its place.
        value = this.read([entry]) ?? { kind: NULL };
      } else {
        const [key, spans] = this.#entry(entry);
        value = this.read(spans);
        // A key without a value is no member.
        if (value === undefined) continue;
        name = out.string(key);
      }
      let child: unknown;
      if ("spans" in value) {
        const container = this.#open(value.spans, value.kind === STRUCT, depth + open.length, value.tagAt);
        open.push(container);
        child = container.node;
      } else {
        child = this.#scalar(value);
      }
      if (Array.isArray(node)) {
        node.push(child);
      } else {
        if (out.orders !== undefined) noteOrder(out.orders, node, name);
        put(node, name, child);
      }
    }
    return outermost.node;
  }

  /** The next payload of field 1. */
  #next(container: Container): Span | undefined {
    const wire = this.#wire;
    for (;;) {
      const { to } = container.spans[container.piece]!;
      while (container.at < to) {
        const tagAt = container.at;
        let at = wire.tag(tagAt, to);
        const tag = wire.low;
        const isEntry = tag === ((1 << 3) | LENGTH);
        if (at >= 0) at = isEntry ? wire.length(at, to) : wire.skip(tag, at, to);
        if (at < 0) throw new Unreadable("malformed", tagAt);
        container.at = isEntry ? at + wire.low : at;
        if (isEntry) return { from: at, to: container.at };
      }
      container.piece++;
      if (container.piece === container.spans.length) return undefined;
      container.at = container.spans[container.piece]!.from;
    }
  }

  /** Key and value payloads of an entry of a map. */
  #entry({ from, to }: Span): [Span, Span[]] {
    const wire = this.#wire;
    let key: Span = { from, to: from };
    const values: Span[] = [];
    for (let at = from; at < to; ) {
      const tagAt = at;
      at = wire.tag(at, to);
      const tag = wire.low;
      const isPart = tag === ((1 << 3) | LENGTH) || tag === ((2 << 3) | LENGTH);
      if (at >= 0) at = isPart ? wire.length(at, to) : wire.skip(tag, at, to);
      if (at < 0) throw new Unreadable("malformed", tagAt);
      if (!isPart) continue;
      const span = { from: at, to: at + wire.low };
      at = span.to;
      if (tag >>> 3 === 1) key = span;
      else values.push(span);
    }
    return [key, values];
  }
}
