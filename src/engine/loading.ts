// How a build of the core is chosen and its binary brought here, whatever engine is made of it.
import { expectOptions } from "../arguments.js";
import { StreamfoldError, usageError } from "../errors.js";

/** Which engine to load: one kind exactly, the best WebAssembly build, or the best that runs here. */
export type RequestedKind = "auto" | "wasm" | "wasm-simd" | "wasm-scalar" | "js";
/** The two builds of the core. */
export type WasmBuild = "simd" | "scalar";
/** One binary: a compiled module, its bytes, or a response that brings them. */
export type WasmBinary = WasmModule | ArrayBuffer | ArrayBufferView | Response;

/** `WebAssembly.Module` where the types of the host know it: those of Node alone do not. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;
/** Binaries from the caller: one build of the core, or both. Promises and responses are for `loadEngine` only. */
export type WasmInput =
  | MaybePromise<WasmBinary>
  | { simd?: MaybePromise<WasmBinary>; scalar?: MaybePromise<WasmBinary> };

type MaybePromise<T> = T | PromiseLike<T>;

export interface LoadOptions<Kind extends RequestedKind = RequestedKind> {
  /** Default "auto": SIMD, then scalar, then JavaScript. */
  kind?: Kind;
  /** Where the binaries come from; by default the entry finds those of the package. */
  wasm?: WasmInput;
}

/** How a host finds the binaries of the package. Compiled modules are kept per source object. */
export interface WasmSource {
  open(build: WasmBuild): Promise<WasmBinary>;
  /** Missing where the host cannot read synchronously. */
  openSync?(build: WasmBuild): ArrayBuffer | ArrayBufferView;
}

/** What is made of a binary, or without one. */
export interface Makers<Made> {
  /** Every value of `kind`. */
  readonly kinds: readonly RequestedKind[];
  wasm(module: WasmModule, kind: `wasm-${WasmBuild}`, reason: string): Made;
  /** Missing where nothing runs without WebAssembly. */
  js?(reason: string): Made;
}

const BUILDS: Record<Exclude<RequestedKind, "js">, readonly WasmBuild[]> = {
  auto: ["simd", "scalar"],
  wasm: ["simd", "scalar"],
  "wasm-simd": ["simd"],
  "wasm-scalar": ["scalar"],
};

/** One binary to compile; `key` is the object its module is remembered under. */
interface Request {
  build: WasmBuild;
  key: object;
  given?: MaybePromise<WasmBinary>;
}

/** A module that uses one SIMD instruction: i8x16.splat and drop. */
const SIMD_PROBE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11,
]);

/** Whether this runtime accepts SIMD instructions. */
export function simdSupported(): boolean {
  try {
    return typeof WebAssembly === "object" && WebAssembly.validate(SIMD_PROBE);
  } catch {
    return false;
  }
}

/** Modules by where they came from, so that a second engine costs no compilation. */
const compiled = new WeakMap<object, Partial<Record<WasmBuild, WebAssembly.Module>>>();

/**
 * Loads an engine.
 *
 * @param options what to load (checked here)
 * @param source where the host finds the package's binaries
 * @param makers what is made of them
 * @param reason why this kind was asked for, when it was not the caller's option that did
 * @returns the core of the best engine that may be had; `reason` says in plain words what was chosen and why nothing better
 * @throws StreamfoldError `bad_argument` for options that are not as described, `engine_lost` when the kind that was asked for
 *   cannot be had (no WebAssembly, no SIMD, binary not found, compilation refused); kind "auto" falls back to JavaScript instead, where
 *   there is a maker
 */
export async function loadWith<Made>(
  options: LoadOptions | undefined,
  source: WasmSource,
  makers: Makers<Made>,
  reason?: string,
): Promise<Made> {
  const { kind, wasm } = checkOptions(options, makers.kinds);
  if (wasm !== undefined && isPair(wasm)) quieten(wasm.simd, wasm.scalar);
  const steps = choose(kind, wasm, source, makers, reason);
  let step = steps.next();
  while (!step.done) {
    try {
      step = steps.next(await compile(step.value, source));
    } catch (error) {
      step = steps.throw(error);
    }
  }
  return step.value;
}

/**
 * Like `loadWith`, without waiting: binaries must be given as modules or bytes, or the host must be able to read files.
 *
 * @throws StreamfoldError `bad_argument` also for a promise or response, and where the host cannot read the binaries
 *   synchronously, unless JavaScript will do
 */
export function loadWithSync<Made>(
  options: LoadOptions | undefined,
  source: WasmSource,
  makers: Makers<Made>,
  reason?: string,
): Made {
  const { kind, wasm } = checkOptions(options, makers.kinds);
  const mayDoWithout = makers.js !== undefined && (kind === "js" || kind === "auto");
  if (wasm === undefined && source.openSync === undefined && !mayDoWithout) {
    throw usageError("bad_argument", "loadEngineSync needs the option wasm here: this host cannot read files");
  }
  for (const binary of wasm === undefined ? [] : isPair(wasm) ? [wasm.simd, wasm.scalar] : [wasm]) {
    if (isPromise(binary) || isResponse(binary)) {
      throw usageError("bad_argument", "loadEngineSync takes modules and bytes only, not promises or responses");
    }
  }
  const steps = choose(kind, wasm, source, makers, reason);
  let step = steps.next();
  while (!step.done) {
    try {
      step = steps.next(compileSync(step.value, source));
    } catch (error) {
      step = steps.throw(error);
    }
  }
  return step.value;
}

function checkOptions(
  options: LoadOptions | undefined,
  kinds: readonly RequestedKind[],
): { kind: RequestedKind; wasm: WasmInput | undefined } {
  if (options === undefined) return { kind: "auto", wasm: undefined };
  expectOptions(options, "kind", "wasm");
  const { kind = "auto" } = options;
  if (!kinds.includes(kind)) throw usageError("bad_argument", `kind must be one of ${kinds.join(", ")}`);
  const { wasm } = options;
  if (wasm !== undefined && (wasm === null || typeof wasm !== "object")) throw notABinary();
  return { kind, wasm };
}

/** A binary that is not needed in the end may fail to arrive without anybody having waited for it. */
function quieten(...binaries: (MaybePromise<WasmBinary> | undefined)[]): void {
  for (const binary of binaries) if (isPromise(binary)) binary.then(undefined, () => {});
}

/** The choice itself, once for both ways of waiting: yields what it needs compiled, goes on when that fails. */
function* choose<Made>(
  kind: RequestedKind,
  wasm: WasmInput | undefined,
  source: WasmSource,
  makers: Makers<Made>,
  reason: string | undefined,
): Generator<Request, Made, WebAssembly.Module> {
  const asked = reason ?? `"${kind}" was asked for`;
  if (kind === "js") return makers.js!(asked);
  const obstacles: string[] = [];
  for (const build of BUILDS[kind]) {
    if (typeof WebAssembly !== "object") {
      obstacles.push("WebAssembly is not available");
      break;
    }
    if (build === "simd" && !simdSupported()) {
      obstacles.push("the host does not support WebAssembly SIMD");
      continue;
    }
    try {
      const module = yield request(build, wasm, source);
      return makers.wasm(module, `wasm-${build}`, chosen(kind, build, obstacles, asked));
    } catch (error) {
      if (error instanceof StreamfoldError && error.code === "bad_argument") throw error;
      obstacles.push(`${build}: ${explain(error)}`);
      // A binary does not tell which build it is: a single one counts as the best that was asked for and runs here.
      if (wasm !== undefined && !isPair(wasm)) break;
    }
  }
  const why = obstacles.join("; ");
  if (kind === "auto" && makers.js !== undefined) return makers.js(why);
  throw usageError("engine_lost", `the engine "${kind}" cannot be loaded: ${why}`);
}

function request(build: WasmBuild, wasm: WasmInput | undefined, source: WasmSource): Request {
  if (wasm === undefined) return { build, key: source };
  if (!isPair(wasm)) return { build, key: wasm, given: wasm };
  const given = wasm[build];
  if (given === undefined) throw new Error("no such binary was given");
  return { build, key: given, given };
}

function chosen(kind: RequestedKind, build: WasmBuild, obstacles: string[], asked: string): string {
  if (kind === `wasm-${build}`) return asked;
  if (obstacles.length > 0) return obstacles.join("; ");
  return build === "simd" ? "WebAssembly with SIMD runs here" : "WebAssembly runs here";
}

async function compile(wanted: Request, source: WasmSource): Promise<WebAssembly.Module> {
  const known = compiled.get(wanted.key)?.[wanted.build];
  if (known) return known;
  const binary = await (wanted.given ?? source.open(wanted.build));
  if (binary instanceof WebAssembly.Module) return binary;
  if (isResponse(binary)) return remember(wanted, await compileResponse(binary));
  return remember(wanted, await WebAssembly.compile(bytesOf(binary)));
}

function compileSync(wanted: Request, source: WasmSource): WebAssembly.Module {
  const known = compiled.get(wanted.key)?.[wanted.build];
  if (known) return known;
  if (wanted.given === undefined && source.openSync === undefined) {
    throw new Error("this host cannot read the binary synchronously");
  }
  const binary = (wanted.given as WasmBinary | undefined) ?? source.openSync!(wanted.build);
  if (binary instanceof WebAssembly.Module) return binary;
  return remember(wanted, new WebAssembly.Module(bytesOf(binary)));
}

/** Compiles while the body arrives where the server names the media type, which streaming compilation insists on. */
async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (response.ok === false) throw new Error(`the request for the binary was answered with status ${response.status}`);
  const type = response.headers?.get("content-type") ?? "";
  if (typeof WebAssembly.compileStreaming === "function" && /^application\/wasm\s*$/i.test(type)) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

function remember(wanted: Request, module: WebAssembly.Module): WebAssembly.Module {
  const modules = compiled.get(wanted.key) ?? {};
  modules[wanted.build] = module;
  compiled.set(wanted.key, modules);
  return module;
}

function explain(error: unknown): string {
  if (typeof WebAssembly.CompileError === "function" && error instanceof WebAssembly.CompileError) {
    return `compilation was refused: ${error.message}`;
  }
  return error instanceof Error ? error.message : String(error);
}

function isPromise(value: unknown): value is PromiseLike<WasmBinary> {
  return typeof (value as PromiseLike<WasmBinary> | undefined)?.then === "function";
}

/** By shape, because responses may come from another realm or from a fetch of the user's own. */
function isResponse(value: unknown): value is Response {
  return typeof (value as Response | undefined)?.arrayBuffer === "function";
}

/** Some engines compile typed arrays and buffers, but no DataView. */
function bytesOf(value: unknown): BufferSource {
  if (value instanceof Uint8Array) return value as Uint8Array<ArrayBuffer>;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer as ArrayBuffer, value.byteOffset, value.byteLength);
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return value as ArrayBuffer;
  throw notABinary();
}

function isPair(wasm: object): wasm is { simd?: MaybePromise<WasmBinary>; scalar?: MaybePromise<WasmBinary> } {
  return "simd" in wasm || "scalar" in wasm;
}

function notABinary(): StreamfoldError {
  return usageError(
    "bad_argument",
    "wasm must be a WebAssembly.Module, bytes, a Response, a promise of these, or { simd, scalar }",
  );
}
