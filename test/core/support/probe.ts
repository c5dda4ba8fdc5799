import { readFileSync } from "node:fs";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Bytes for text ("utf8") or as they are. */
export function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? encoder.encode(text) : text;
}

/** Well-formed UTF-8 to text. */
export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const modules = new Map<string, WebAssembly.Module>();

function moduleOf(kind: "scalar" | "simd"): WebAssembly.Module {
  let module = modules.get(kind);
  if (module === undefined) {
    const file = kind === "simd" ? "probe.simd.wasm" : "probe.wasm";
    module = new WebAssembly.Module(readFileSync(new URL(`../../../build/${file}`, import.meta.url)));
    modules.set(kind, module);
  }
  return module;
}

type Raw = Record<string, (...args: number[]) => number>;

/** One instance of the white-box build: raw exports, and an input area whose end is marked the way scanners expect. */
export class Probe {
  readonly memory: WebAssembly.Memory;
  readonly raw: Raw;
  readonly #exports: WebAssembly.Exports;
  readonly #area: number;
  readonly #areaSize: number;
  #next: number;

  constructor(kind: "scalar" | "simd", areaSize = 1 << 22) {
    this.#areaSize = areaSize;
    this.#exports = new WebAssembly.Instance(moduleOf(kind), {}).exports;
    this.memory = this.#exports.memory as WebAssembly.Memory;
    this.raw = this.#exports as unknown as Raw;
    this.call("heapInit", 0);
    this.#area = this.call("alloc", this.#areaSize);
    this.#next = this.#area;
  }

  /** Calls an export; addresses and sizes come back unsigned. */
  call(name: string, ...args: number[]): number {
    return this.raw[name]!(...args) >>> 0;
  }

  /** The value of an exported global. */
  global(name: string): number {
    return (this.#exports[name] as WebAssembly.Global).value >>> 0;
  }

  /** Pages of 64 KiB that the memory has now. */
  get pages(): number {
    return this.memory.buffer.byteLength / 65_536;
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }

  u32(at: number): number {
    return new DataView(this.memory.buffer).getUint32(at, true);
  }

  setU32(at: number, value: number): void {
    new DataView(this.memory.buffer).setUint32(at, value, true);
  }

  /** Forgets what was put into the input area. */
  rewind(): void {
    this.#next = this.#area;
  }

  /** Room in the input area; the address is not aligned on purpose. */
  room(n: number): number {
    if (this.#next + n + 160 > this.#area + this.#areaSize) this.rewind();
    const at = this.#next + 1;
    this.#next = at + n + 80;
    return at;
  }

  /** Puts text into the input area, followed by a NUL and by 64 bytes no scanner may trust. */
  put(text: string | Uint8Array): { p: number; end: number; n: number } {
    const bytes = bytesOf(text);
    const p = this.room(bytes.length);
    const end = p + bytes.length;
    this.bytes.set(bytes, p);
    this.bytes[end] = 0;
    this.bytes.fill(0x22, end + 1, end + 65);
    return { p, end, n: bytes.length };
  }

  slice(from: number, to: number): Uint8Array {
    return this.bytes.slice(from, to);
  }

  text(from: number, to: number): string {
    return textOf(this.slice(from, to));
  }
}

/** Both builds; every test of this folder runs on each. */
export const BUILDS = ["scalar", "simd"] as const;

/** Whether the scanner takes exactly these bytes as one value. */
export function acceptsValue(probe: Probe, bytes: Uint8Array, lineMode = 0): boolean {
  const { p, end } = probe.put(bytes);
  return probe.call("skipValue", p, lineMode) === end;
}

/** What the scanner says of white space and escapes that can be shorter in a text that it takes: 1, there are some. */
export function dirtiness(probe: Probe, text: string): number {
  if (!acceptsValue(probe, new TextEncoder().encode(text))) throw new Error(`not taken: ${text}`);
  return probe.global("valueDirty");
}
