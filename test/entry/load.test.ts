import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine } from "../../src/engine/contract.js";
import { loadCore, loadCoreSync, type WasmBuild, type WasmSource } from "../../src/engine/load.js";
import * as browser from "../../src/entry/browser.js";
import * as js from "../../src/entry/js.js";
import * as node from "../../src/entry/node.js";
import { failing, failingAsync } from "../reducer/expect-error.js";
import { ndjson, START } from "../reducer/wire.js";
import { KINDS, WASM_KINDS } from "../support/engines.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const NO_SOURCE: WasmSource = { open: () => Promise.reject(new Error("no binary here")) };
const BROKEN = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 99]);

function works(engine: Engine): void {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson" });
  expect(reducer.push(ndjson(START))).toBe(1);
  expect(reducer.snapshot()).toEqual(START.model);
  engine.close();
}

describe("every entry", () => {
  it("has the same names", () => {
    const names = [
      "DEFAULT_LIMITS",
      "MAXIMUM_LIMITS",
      "StreamfoldError",
      "createEncoder",
      "diff",
      "encodeEvent",
      "encodeEvents",
      "encodeSse",
      "loadEngine",
      "loadEngineSync",
      "mediaTypeOf",
      "negotiate",
      "prepareRunInput",
      "transportOfMediaType",
    ];
    for (const entry of [node, browser, js]) expect(Object.keys(entry).sort()).toEqual(names);
    expect(browser.StreamfoldError).toBe(node.StreamfoldError);
    expect(js.StreamfoldError).toBe(node.StreamfoldError);
  });

  it("refuses options that are not valid", async () => {
    for (const options of [null, "js", { kind: "quantum" }, { kind: null }] as never[]) {
      for (const { loadEngine, loadEngineSync } of [node, browser, js]) {
        failing(() => loadEngineSync(options), "bad_argument");
        await failingAsync(loadEngine(options), "bad_argument");
      }
    }
    for (const wasm of [null, "streamfold.wasm", 5, {}, { simd: 5 }, []] as never[]) {
      for (const { loadEngine, loadEngineSync } of [node, browser]) {
        failing(() => loadEngineSync({ kind: "wasm", wasm }), "bad_argument");
        await failingAsync(loadEngine({ kind: "wasm", wasm }), "bad_argument");
      }
    }
  });
});

describe("streamfold/js", () => {
  it("gives the JavaScript engine and says so", async () => {
    const engine = await js.loadEngine();
    expect([engine.kind, engine.reason]).toEqual(["js", "this entry holds the JavaScript engine alone"]);
    works(engine);
    works(js.loadEngineSync({ kind: "js" }));
  });

  it("has no other kind", () => {
    for (const kind of ["wasm", "wasm-simd", "wasm-scalar"] as never[]) {
      failing(() => js.loadEngineSync({ kind }), "bad_argument");
    }
  });
});

describe("the Node entry", () => {
  it.each(KINDS)("loads %s when asked for it", async (kind) => {
    const engine = await node.loadEngine({ kind });
    expect([engine.kind, engine.reason]).toEqual([kind, `"${kind}" was asked for`]);
    works(engine);
    works(node.loadEngineSync({ kind }));
  });

  it("lets the environment stand in for auto, and for nothing else", async () => {
    vi.stubEnv("STREAMFOLD_ENGINE", "js");
    const engine = await node.loadEngine();
    expect([engine.kind, engine.reason]).toEqual(["js", 'the environment variable STREAMFOLD_ENGINE asks for "js"']);
    expect(node.loadEngineSync({ kind: "auto" }).kind).toBe("js");
    expect(browser.loadEngineSync({ kind: "js" }).reason).toBe('"js" was asked for');
    expect(node.loadEngineSync({ kind: "js" }).reason).toBe('"js" was asked for');
    vi.stubEnv("STREAMFOLD_ENGINE", "turbo");
    expect(failing(() => node.loadEngineSync(), "bad_argument").message).toContain("STREAMFOLD_ENGINE");
    expect(node.loadEngineSync({ kind: "js" }).kind).toBe("js");
  });
});

describe("where WebAssembly is missing", () => {
  it("auto gives JavaScript and says why, the kinds that need it are refused", async () => {
    vi.stubGlobal("WebAssembly", undefined);
    const engine = await node.loadEngine();
    expect([engine.kind, engine.reason]).toEqual(["js", "WebAssembly is not available"]);
    works(engine);
    for (const kind of ["wasm", "wasm-simd", "wasm-scalar"] as const) {
      expect(failing(() => node.loadEngineSync({ kind }), "engine_lost").message).toContain("not available");
      await failingAsync(node.loadEngine({ kind }), "engine_lost");
    }
  });
});

describe("a binary that cannot be had or compiled", () => {
  it("is told: auto falls back, other kinds are refused", async () => {
    const refused = await loadCore({ wasm: BROKEN }, NO_SOURCE);
    expect(refused.kind).toBe("js");
    expect(refused.reason).toContain("compilation was refused");
    const missing = await loadCore(undefined, NO_SOURCE);
    expect(missing.kind).toBe("js");
    expect(missing.reason).toContain("no binary here");
    expect(loadCoreSync(undefined, NO_SOURCE).reason).toContain("synchronously");
    const failed = await loadCore({ wasm: Promise.reject(new Error("offline")) }, NO_SOURCE);
    expect(failed.reason).toContain("offline");
    const absent = await loadCore({ wasm: new Response("gone", { status: 404 }) }, NO_SOURCE);
    expect(absent.reason).toContain("404");
    for (const kind of ["wasm", "wasm-simd", "wasm-scalar"] as const) {
      expect((await failingAsync(loadCore({ kind, wasm: BROKEN }, NO_SOURCE), "engine_lost")).scope).toBe("usage");
      failing(() => loadCoreSync({ kind, wasm: BROKEN }, NO_SOURCE), "engine_lost");
      await failingAsync(loadCore({ kind }, NO_SOURCE), "engine_lost");
      failing(() => loadCoreSync({ kind }, NO_SOURCE), "bad_argument");
    }
  });

  it("nothing that has to be waited for is taken synchronously", () => {
    for (const wasm of [Promise.resolve(BROKEN), new Response(), { simd: Promise.resolve(BROKEN) }]) {
      for (const kind of ["auto", "wasm"] as const) {
        failing(() => loadCoreSync({ kind, wasm }, NO_SOURCE), "bad_argument");
      }
    }
  });
});

describe.runIf(WASM_KINDS.length > 0)("the binaries", () => {
  const FILES: Record<WasmBuild, Uint8Array> = WASM_KINDS.length > 0 ? readBinaries() : ({} as never);

  function readBinaries(): Record<WasmBuild, Uint8Array> {
    const read = (name: string): Uint8Array => readFileSync(new URL(`../../dist/${name}`, import.meta.url));
    return { simd: read("streamfold.simd.wasm"), scalar: read("streamfold.wasm") };
  }

  /** A fresh source, so that no module of another test is remembered. */
  const source = (): WasmSource => ({
    open: (build) => Promise.resolve(FILES[build] as Uint8Array<ArrayBuffer>),
    openSync: (build) => FILES[build] as Uint8Array<ArrayBuffer>,
  });

  it("auto takes SIMD where it is supported", async () => {
    const core = await loadCore(undefined, source());
    expect([core.kind, core.reason]).toEqual(["wasm-simd", "WebAssembly with SIMD runs here"]);
    expect(loadCoreSync({ kind: "wasm" }, source()).kind).toBe("wasm-simd");
  });

  it("auto takes the scalar build when the SIMD one fails, and says why", async () => {
    const core = await loadCore({ wasm: { simd: BROKEN, scalar: FILES.scalar as Uint8Array<ArrayBuffer> } }, NO_SOURCE);
    expect(core.kind).toBe("wasm-scalar");
    expect(core.reason).toMatch(/^simd: compilation was refused: /);
    const only = await loadCore({ kind: "wasm", wasm: { scalar: FILES.scalar as Uint8Array<ArrayBuffer> } }, NO_SOURCE);
    expect(only.kind).toBe("wasm-scalar");
  });

  it.each(["simd", "scalar"] as const)("%s comes as module, bytes, response or a promise of one", async (build) => {
    const bytes = FILES[build].slice();
    const type = { headers: { "content-type": "application/wasm" } };
    const forms = (): NonNullable<node.LoadOptions["wasm"]>[] => [
      new WebAssembly.Module(bytes),
      bytes,
      bytes.buffer,
      new DataView(bytes.buffer),
      new Response(bytes, type),
      new Response(bytes),
      Promise.resolve(new Response(bytes, type)),
      Promise.resolve(bytes),
    ];
    for (const form of forms()) {
      const core = await loadCore({ kind: `wasm-${build}`, wasm: form }, NO_SOURCE);
      expect(core.kind).toBe(`wasm-${build}`);
      core.close();
    }
    for (const form of forms()) {
      const core = await loadCore({ kind: "wasm", wasm: { [build]: form } }, NO_SOURCE);
      expect(core.kind).toBe(`wasm-${build}`);
      core.close();
    }
    for (const form of forms().slice(0, 4)) {
      const core = loadCoreSync({ kind: `wasm-${build}`, wasm: form }, NO_SOURCE);
      expect(core.kind).toBe(`wasm-${build}`);
      core.close();
    }
  });

  it("a single one is enough for auto, and is tried once", async () => {
    const core = await loadCore({ wasm: FILES.simd.slice() }, NO_SOURCE);
    expect(core.kind).toBe("wasm-simd");
    const used = new Response(BROKEN);
    expect((await loadCore({ wasm: used }, NO_SOURCE)).reason).toMatch(/^simd: compilation was refused: [^;]*$/);
  });

  it("a binary that is not needed may fail to arrive", async () => {
    const unheard = vi.fn();
    process.on("unhandledRejection", unheard);
    const core = await loadCore(
      { wasm: { simd: FILES.simd.slice(), scalar: Promise.reject(new Error("offline")) } },
      NO_SOURCE,
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off("unhandledRejection", unheard);
    expect(core.kind).toBe("wasm-simd");
    expect(unheard).not.toHaveBeenCalled();
  });

  it("are compiled once per source", async () => {
    const compile = vi.spyOn(WebAssembly, "compile");
    const own = source();
    const opened = vi.spyOn(own, "openSync");
    for (let i = 0; i < 3; i++) (await loadCore(undefined, own)).close();
    loadCoreSync(undefined, own).close();
    expect(compile).toHaveBeenCalledTimes(1);
    expect(opened).not.toHaveBeenCalled();
    const bytes = FILES.scalar.slice();
    for (let i = 0; i < 3; i++) (await loadCore({ kind: "wasm-scalar", wasm: bytes }, NO_SOURCE)).close();
    expect(compile).toHaveBeenCalledTimes(2);
  });

  it("are fetched by the browser entry, from beside the package", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (url: URL) => {
      asked.push(url.pathname.split("/").slice(-2).join("/"));
      return new Response(readFileSync(url), { headers: { "content-type": "application/wasm" } });
    });
    works(await browser.loadEngine({ kind: "wasm-scalar" }));
    const engine = await browser.loadEngine();
    expect(engine.kind).toBe("wasm-simd");
    works(engine);
    expect(asked).toEqual(["dist/streamfold.wasm", "dist/streamfold.simd.wasm"]);
    const waiting = browser.loadEngineSync();
    expect(waiting.kind).toBe("wasm-simd");
    failing(() => browser.loadEngineSync({ kind: "wasm" }), "bad_argument");
    works(browser.loadEngineSync({ kind: "wasm-simd", wasm: FILES.simd.slice() }));
  });
});
