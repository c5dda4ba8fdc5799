import type { JsonText } from "./text.js";
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
  readonly isStruct: boolean;
  piece: number;
  at: number;
  isEmpty: boolean;
}

/** Reads and writes open JSON: google.protobuf.Value, Struct and ListValue. Does not recurse. */
export class ValueReader {
  readonly #wire: Wire;
  readonly #out: JsonText;
  readonly #maxDepth: number;

  constructor(wire: Wire, out: JsonText, maxDepth: number) {
    this.#wire = wire;
    this.#out = out;
    this.#maxDepth = maxDepth;
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

  /** Writes a Value; `depth` containers are open around it. Throws Unreadable. */
  write(value: WireValue, depth: number): void {
    const opened = this.#open(value, depth);
    if (opened) this.#writeContainers(opened, depth);
  }

  /** Writes the Struct of these payloads as an object. Throws Unreadable. */
  writeStruct(spans: readonly Span[], depth: number): void {
    if (depth >= this.#maxDepth) throw new Unreadable("too-deep", spans[0]!.from);
    this.#out.text += "{";
    this.#writeContainers({ spans, isStruct: true, piece: 0, at: spans[0]!.from, isEmpty: true }, depth);
  }

  /** Writes a scalar; of a container the bracket, and the container is answered. */
  #open(value: WireValue, depth: number): Container | undefined {
    switch (value.kind) {
      case NULL:
        this.#out.text += "null";
        return undefined;
      case NUMBER:
        this.#out.number(value.value);
        return undefined;
      case BOOL:
        this.#out.text += value.value !== 0 ? "true" : "false";
        return undefined;
      case STRING:
        this.#out.string(value.span);
        return undefined;
      default: {
        if (depth >= this.#maxDepth) throw new Unreadable("too-deep", value.tagAt);
        const isStruct = value.kind === STRUCT;
        this.#out.text += isStruct ? "{" : "[";
        return { spans: value.spans, isStruct, piece: 0, at: value.spans[0]!.from, isEmpty: true };
      }
    }
  }

  #writeContainers(outermost: Container, depth: number): void {
    const out = this.#out;
    const open = [outermost];
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const entry = this.#next(top);
      if (entry === undefined) {
        out.text += top.isStruct ? "}" : "]";
        open.pop();
        continue;
      }
      let value: WireValue | undefined;
      if (top.isStruct) {
        const [key, spans] = this.#entry(entry);
        value = this.read(spans);
        // A key without a value is no member.
        if (value === undefined) continue;
        if (!top.isEmpty) out.text += ",";
        out.string(key);
        out.text += ":";
      } else {
        if (!top.isEmpty) out.text += ",";
        // An element that holds nothing keeps its place.
        value = this.read([entry]) ?? { kind: NULL };
      }
      top.isEmpty = false;
      const opened = this.#open(value, depth + open.length);
      if (opened) open.push(opened);
    }
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
