import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SlimEngine } from "../../src/engine/slim-contract.js";
import { loadSlimCore } from "../../src/engine/load-slim.js";
import * as main from "../../src/entry/node.js";
import * as browser from "../../src/entry/slim-browser.js";
import * as node from "../../src/entry/slim-node.js";
import { failing, failingAsync } from "../reducer/expect-error.js";
import { append, end, modelWith, ndjson, START, sse } from "../reducer/wire.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

const binary = (name: string) => readFileSync(new URL(`../../dist/${name}.wasm`, import.meta.url));
const SIMD = binary("streamfold.slim.simd");

function works(engine: SlimEngine): void {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "ndjson" });
  expect(reducer.push(ndjson(START))).toBe(1);
  expect(reducer.snapshot()).toEqual(START.model);
  engine.close();
}

describe("the slim entries", () => {
  it("have the same names, and the error class of all others", () => {
    const names = ["DEFAULT_LIMITS", "MAXIMUM_LIMITS", "StreamfoldError", "loadEngine", "loadEngineSync"];
    for (const entry of [node, browser]) {
      expect(Object.keys(entry).sort()).toEqual(names);
      expect(entry.StreamfoldError).toBe(main.StreamfoldError);
    }
  });

  it.each(["wasm-simd", "wasm-scalar"] as const)("load %s when asked for it", async (kind) => {
    const engine = await node.loadEngine({ kind });
    expect([engine.kind, engine.reason]).toEqual([kind, `"${kind}" was asked for`]);
    works(engine);
    works(node.loadEngineSync({ kind }));
  });

  it("choose SIMD by themselves, and take binaries from the caller", async () => {
    for (const kind of ["auto", "wasm"] as const) expect(node.loadEngineSync({ kind }).kind).toBe("wasm-simd");
    works(await browser.loadEngine({ wasm: SIMD }));
    works(browser.loadEngineSync({ kind: "wasm-scalar", wasm: { scalar: binary("streamfold.slim") } }));
    // the full engine needs what the small core has not
    for (const wasm of [SIMD, { simd: SIMD, scalar: binary("streamfold.slim") }]) {
      const error = failing(() => main.loadEngineSync({ kind: "wasm", wasm }), "engine_lost");
      expect(error.message).toContain("streamfold/slim");
      const auto = main.loadEngineSync({ wasm });
      expect(auto.kind).toBe("js");
      expect(auto.reason).toContain("streamfold/slim");
    }
    // the full core knows all that is asked of it
    works(browser.loadEngineSync({ wasm: binary("streamfold.simd") }));
  });

  it("fetch the small binaries in a browser", async () => {
    const asked: string[] = [];
    vi.stubGlobal("fetch", async (url: URL) => {
      asked.push(url.pathname.split("/").at(-1)!);
      return new Response(SIMD, { headers: { "content-type": "application/wasm" } });
    });
    works(await browser.loadEngine());
    expect(asked).toEqual(["streamfold.slim.simd.wasm"]);
  });

  it("have no JavaScript engine: without WebAssembly there is none", async () => {
    for (const { loadEngine, loadEngineSync } of [node, browser]) {
      failing(() => loadEngineSync({ kind: "js" as never }), "bad_argument");
      await failingAsync(loadEngine({ kind: "js" as never }), "bad_argument");
    }
    await failingAsync(browser.loadEngine({ wasm: new Uint8Array([0, 0x61, 0x73, 0x6d]) }), "engine_lost");
    failing(() => browser.loadEngineSync(), "bad_argument");
    vi.stubGlobal("WebAssembly", undefined);
    for (const kind of ["auto", "wasm", "wasm-simd", "wasm-scalar"] as const) {
      expect(failing(() => node.loadEngineSync({ kind }), "engine_lost").message).toContain("not available");
      await failingAsync(node.loadEngine({ kind }), "engine_lost");
    }
  });

  it("tell why a binary cannot be had", async () => {
    const offline = { open: () => Promise.reject(new Error("offline")) };
    expect((await failingAsync(loadSlimCore(undefined, offline), "engine_lost")).message).toContain("offline");
  });

  it("let the environment choose among their kinds", () => {
    vi.stubEnv("STREAMFOLD_ENGINE", "wasm-scalar");
    expect(node.loadEngineSync().kind).toBe("wasm-scalar");
    vi.stubEnv("STREAMFOLD_ENGINE", "js");
    expect(failing(() => node.loadEngineSync(), "bad_argument").message).toContain("STREAMFOLD_ENGINE");
  });
});

describe("a slim engine", () => {
  const engine = node.loadEngineSync();
  const create = (options: object) => () =>
    engine.createReducer({ protocol: "agentue", transport: "sse", ...options } as never);

  it("refuses the protocol, the wires and the options that it has not", () => {
    for (const transport of ["msgpack", "protobuf", "pigeon"]) {
      const { message } = failing(create({ transport }), "unsupported_transport");
      expect(message).toContain('"agentue" has "sse", "ndjson", "json"');
    }
    for (const protocol of ["ag-ui", "other", undefined]) {
      expect(failing(create({ protocol }), "bad_argument").message).toContain('protocol must be "agentue"');
    }
    for (const options of [{ middleware: {} }, { input: {} }, { eventTypes: [] }, { to: "sse" }, { sicne: 1 }]) {
      failing(create(options), "bad_argument");
    }
    failing(create({ limits: { depth: 0 } }), "bad_argument");
    expect(engine.memory().live).toBe(0);
  });

  it("refuses models in MessagePack, before anything is touched", () => {
    const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
    const msgpack = { format: "msgpack" } as never;
    reducer.push(sse(START));
    const { message } = failing(() => reducer.snapshotBytes(msgpack), "unsupported_transport");
    expect(message).toContain('there is "json"');
    failing(() => reducer.withSnapshotBytes(() => 0, msgpack), "unsupported_transport");
    failing(() => reducer.load(new Uint8Array([0x80]), msgpack), "unsupported_transport");
    expect(reducer.push(sse(append(2, "!")))).toBe(1);
    expect(reducer.snapshot()).toEqual(modelWith("Hello!"));
    reducer.close();
  });

  it("takes values as it takes bytes, in turn", () => {
    const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
    expect(reducer.apply(START)).toBe(1);
    expect(reducer.push(sse(append(2, "!")))).toBe(1);
    expect(reducer.apply(append(3, "?"))).toBe(1);
    failing(() => reducer.apply({ op: "append", seq: 4n }), "not_json");
    reducer.load(reducer.snapshot(), { streamId: "copy", seq: 3 });
    expect(reducer.apply(JSON.stringify(end(4)))).toBe(1);
    for (const streamId of ["", "copy"]) expect(reducer.snapshot({ streamId })).toEqual(modelWith("Hello!?"));
    reducer.close();
  });

  it("tells the warnings of AgentUE in the words of the full engine", () => {
    const body = new Uint8Array([...sse(START, append(1, "x"), append(2, "\u0001")), 0x0a]);
    body[body.indexOf(0x01)] = 0xff;
    const told = [engine, main.loadEngineSync({ kind: "wasm" })].map((one) => {
      const messages: string[] = [];
      const options = { protocol: "agentue", transport: "sse", utf8: "replace" } as const;
      const reducer = one.createReducer({ ...options, onWarning: ({ message }) => void messages.push(message) });
      reducer.push(sse(START, append(1, "x")));
      const bytes = sse(append(2, "~"));
      bytes[bytes.indexOf(0x7e)] = 0xff;
      reducer.push(bytes);
      reducer.close();
      return messages;
    });
    expect(told[0]).toHaveLength(2);
    expect(told[0]).toEqual(told[1]);
  });

  it("gives all memory back, and closes its reducers with it", () => {
    const own = node.loadEngineSync();
    const reducer = own.createReducer({ protocol: "agentue", transport: "sse" });
    reducer.push(sse(START, append(2, "!"), append(3, "?"), append(4, ".")));
    const fork = reducer.fork();
    expect(own.memory().live).toBeGreaterThan(0);
    reducer.close();
    fork.close();
    expect(own.memory().live).toBe(0);
    const open = own.createReducer({ protocol: "agentue", transport: "json" });
    own.close();
    failing(() => open.push(new Uint8Array(1)), "closed");
    failing(() => own.createReducer({ protocol: "agentue", transport: "json" }), "closed");
    expect(own.memory()).toEqual({ live: 0, held: 0 });
  });
});
