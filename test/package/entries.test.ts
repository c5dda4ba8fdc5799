import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage, type Project } from "./project.js";

let project: Project;
beforeAll(() => {
  project = installPackage();
});
afterAll(() => project?.remove());

const SUBPATHS = [
  "streamfold",
  "streamfold/js",
  "streamfold/slim",
  "streamfold/agentue",
  "streamfold/agui",
  "streamfold/stream",
  "streamfold/replay",
];
const KINDS = ["wasm-simd", "wasm-scalar", "js"];

const EVENTS = [
  { op: "start", seq: 1, model: { version: "1.1", biz: "chat", meta: {}, blocks: [] } },
  { op: "set", seq: 2, block: { id: "answer", type: "text", content: "" } },
  { op: "append", seq: 3, mask: "block.content", block: { id: "answer", content: "Grüße, " } },
  { op: "append", seq: 4, mask: "block.content", block: { id: "answer", content: "世界" } },
  { op: "end", seq: 5 },
];
const STREAM = EVENTS.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const MODEL = {
  version: "1.1",
  biz: "chat",
  meta: {},
  blocks: [{ id: "answer", type: "text", content: "Grüße, 世界" }],
};

/** Folds the stream, cut into pieces of 7 bytes, and says what came out. */
const REDUCE = `
function reduce(engine) {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
  const bytes = new TextEncoder().encode(${JSON.stringify(STREAM)});
  let applied = 0;
  for (let at = 0; at < bytes.length; at += 7) applied += reducer.push(bytes.subarray(at, at + 7));
  const { status } = reducer.finish();
  const snapshot = reducer.snapshot();
  const text = new TextDecoder().decode(reducer.snapshotBytes());
  reducer.close();
  engine.close();
  return { kind: engine.kind, applied, status, snapshot, parsed: JSON.parse(text) };
}
/** Pushes a message that is no JSON and returns what is thrown. */
function failure(engine) {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
  try {
    reducer.push(new TextEncoder().encode("data: {]\\n\\n"));
  } catch (error) {
    return error;
  } finally {
    reducer.close();
    engine.close();
  }
}
`;

const FORMATS = [
  {
    format: "ES module",
    name: "check.mjs",
    load: (names: Record<string, string>) =>
      Object.entries(names)
        .map(([name, specifier]) => `import * as ${name} from ${JSON.stringify(specifier)};\n`)
        .join(""),
  },
  {
    format: "CommonJS",
    name: "check.cjs",
    load: (names: Record<string, string>) =>
      Object.entries(names)
        .map(([name, specifier]) => `const ${name} = require(${JSON.stringify(specifier)});\n`)
        .join(""),
  },
];

/** Runs a program in the project, with code generation from strings switched off, and parses what it prints. */
function evaluate(name: string, source: string, flags: string[] = []): unknown {
  project.write({ [name]: source });
  return JSON.parse(project.node(["--disallow-code-generation-from-strings", ...flags, name]));
}

describe.each(FORMATS)("installed, loaded as $format", ({ name, load }) => {
  it.each(KINDS)("folds a stream with the %s engine", (kind) => {
    const source = `${load({ main: "streamfold" })}${REDUCE}
console.log(JSON.stringify(reduce(main.loadEngineSync({ kind: "${kind}" }))));`;
    expect(evaluate(name, source)).toEqual({ kind, applied: 5, status: "complete", snapshot: MODEL, parsed: MODEL });
  });

  it.each(["wasm-simd", "wasm-scalar"])("folds a stream with the slim %s build", (kind) => {
    const source = `${load({ slim: "streamfold/slim" })}${REDUCE}
console.log(JSON.stringify(reduce(slim.loadEngineSync({ kind: "${kind}" }))));`;
    expect(evaluate(name, source)).toEqual({ kind, applied: 5, status: "complete", snapshot: MODEL, parsed: MODEL });
  });

  it("chooses the fastest engine by itself, at once and asynchronously", () => {
    const source = `${load({ main: "streamfold" })}${REDUCE}
const now = main.loadEngineSync();
main.loadEngine().then((later) => console.log(JSON.stringify([now.kind, reduce(later).kind])));`;
    expect(evaluate(name, source)).toEqual(["wasm-simd", "wasm-simd"]);
  });

  it("folds a stream through streamfold/js where WebAssembly is missing", () => {
    const source = `delete globalThis.WebAssembly;
${load({ js: "streamfold/js" })}${REDUCE}
console.log(JSON.stringify(reduce(js.loadEngineSync({ kind: "js" }))));`;
    expect(evaluate(name, source)).toEqual({
      kind: "js",
      applied: 5,
      status: "complete",
      snapshot: MODEL,
      parsed: MODEL,
    });
  });

  it("has one StreamfoldError whatever subpath it came through", () => {
    const source = `${load({ main: "streamfold", js: "streamfold/js", slim: "streamfold/slim" })}${REDUCE}
const errors = [failure(main.loadEngineSync({ kind: "wasm" })), failure(main.loadEngineSync({ kind: "js" })), failure(js.loadEngineSync({ kind: "js" })), failure(slim.loadEngineSync())];
console.log(JSON.stringify(errors.map((error) => [error.code, error instanceof main.StreamfoldError, error instanceof js.StreamfoldError, error instanceof Error])));`;
    expect(evaluate(name, source)).toEqual(Array(4).fill(["bad_json", true, true, true]));
  });

  it.each(SUBPATHS)("%s exports something and does nothing when imported", (subpath) => {
    const loaded = name.endsWith(".cjs") ? `Promise.resolve(require("${subpath}"))` : `import("${subpath}")`;
    const source = `
const written = [];
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write;
  stream.write = (text) => written.push(String(text));
  stream.restore = () => { stream.write = write; };
}
const globals = Object.getOwnPropertyNames(globalThis).length;
const resources = process.getActiveResourcesInfo().length;
const events = new Set(process.eventNames());
${loaded}.then((library) => {
  for (const stream of [process.stdout, process.stderr]) stream.restore();
  console.log(JSON.stringify({
    exports: Object.keys(library).length > 0,
    written,
    globals: Object.getOwnPropertyNames(globalThis).length - globals,
    resources: process.getActiveResourcesInfo().length - resources,
    listeners: process.eventNames().filter((name) => !events.has(name)).length,
  }));
});`;
    expect(evaluate(name, source)).toEqual({ exports: true, written: [], globals: 0, resources: 0, listeners: 0 });
  });

  it("finds the WebAssembly files by their subpaths", () => {
    const source = `${load({ modules: "node:module", fs: "node:fs", main: "streamfold", slim: "streamfold/slim" })}${REDUCE}
const find = modules.createRequire(${name.endsWith(".cjs") ? "__filename" : "import.meta.url"}).resolve;
const kinds = [];
for (const [kind, file] of [["wasm-scalar", "streamfold.wasm"], ["wasm-simd", "streamfold.simd.wasm"]]) {
  const wasm = fs.readFileSync(find("streamfold/" + file));
  kinds.push([WebAssembly.Module.imports(new WebAssembly.Module(wasm)).length, reduce(main.loadEngineSync({ kind, wasm })).applied]);
  const part = fs.readFileSync(find("streamfold/" + file.replace("streamfold", "streamfold.slim")));
  kinds.push([WebAssembly.Module.imports(new WebAssembly.Module(part)).length, reduce(slim.loadEngineSync({ kind, wasm: part })).applied]);
}
console.log(JSON.stringify(kinds));`;
    expect(evaluate(name, source)).toEqual(Array(4).fill([0, 5]));
  });
});

describe("the entry for browsers", () => {
  it.each([
    ["esm/browser.js", "streamfold.simd.wasm"],
    ["cjs/browser.cjs", "streamfold.simd.wasm"],
    ["esm/slim-browser.js", "streamfold.slim.simd.wasm"],
    ["cjs/slim-browser.cjs", "streamfold.slim.simd.wasm"],
  ])("%s folds a stream with WebAssembly handed to it", (file, binary) => {
    const source = `import * as browser from "./node_modules/streamfold/dist/${file}";
import { readFileSync } from "node:fs";
${REDUCE}
const wasm = readFileSync("node_modules/streamfold/dist/${binary}");
browser.loadEngine({ kind: "wasm-simd", wasm }).then((engine) => console.log(JSON.stringify(reduce(engine).snapshot)));`;
    expect(evaluate("browser.mjs", source)).toEqual(MODEL);
  });

  it("reaches no module of Node's", () => {
    const reached = ["browser", "slim-browser"].flatMap((entry) => [
      ...reachable(`dist/esm/${entry}.js`),
      ...reachable(`dist/cjs/${entry}.cjs`),
    ]);
    expect(reached.filter(([, text]) => /["']node:/.test(text)).map(([file]) => file)).toEqual([]);
  });
});

/** A file of the package with every file it imports, however far. */
function reachable(entry: string): Map<string, string> {
  const found = new Map<string, string>();
  const queue = [entry];
  for (const file of queue) {
    if (found.has(file)) continue;
    const text = readFileSync(path.join(project.installed, file), "utf8");
    found.set(file, text);
    for (const [, specifier] of text.matchAll(/(?:\bfrom\s*|\bimport\s*|\brequire\()["'](\.[^"']+)["']/g)) {
      queue.push(path.posix.join(path.posix.dirname(file), specifier));
    }
  }
  return found;
}

describe("streamfold/slim", () => {
  it.each(["dist/esm/slim-browser.js", "dist/cjs/slim-browser.cjs"])("%s reaches the small binaries alone", (entry) => {
    const named = [...reachable(entry)].flatMap(([, text]) => [...text.matchAll(/streamfold[\w.]*\.wasm/g)]);
    expect([...new Set(named.map(([file]) => file))].sort()).toEqual([
      "streamfold.slim.simd.wasm",
      "streamfold.slim.wasm",
    ]);
  });
});

describe("streamfold/js", () => {
  it.each(["dist/esm/js.js", "dist/cjs/js.cjs"])("%s reaches nothing that knows WebAssembly", (entry) => {
    const reached = [...reachable(entry)];
    expect(reached.length).toBeGreaterThan(0);
    expect(reached.filter(([, text]) => /\bWebAssembly\.|\.wasm\b/.test(text)).map(([file]) => file)).toEqual([]);
    const main = [...reachable(entry.replace("js.", "node."))];
    expect(main.some(([, text]) => /\bWebAssembly\.|\.wasm\b/.test(text))).toBe(true);
  });
});

describe("the package", () => {
  it("holds what is meant to be published and nothing else", () => {
    const meant = [
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
      /^(ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$/,
      /^docs\/[\w-]+\.md$/,
      /^docs\/bench\/results\.svg$/,
      /^(assembly\/memory\/MEMORY|bench\/README)\.md$/,
      /^examples\/(browser-client|emitter|frames|gateway|references|agui-(agent|approval|as-agentue|client))\.mjs$/,
      /^dist\/streamfold(\.slim)?(\.simd)?\.wasm$/,
      /^dist\/(cli|bench)\.js$/,
      /^dist\/THIRD-PARTY-LICENSES\.txt$/,
      /^dist\/esm\/[\w-]+\.js$/,
      /^dist\/cjs\/[\w-]+\.cjs$/,
      /^dist\/(cjs\/)?types\/[\w/-]+(\.generated)?\.d\.ts$/,
      /^dist\/cjs\/types\/package\.json$/,
    ];
    expect(project.files.filter((file) => !meant.some((pattern) => pattern.test(file)))).toEqual([]);
    for (const pattern of meant)
      expect(
        project.files.some((file) => pattern.test(file)),
        String(pattern),
      ).toBe(true);
  });

  it("holds every file that its texts link to", () => {
    const texts = project.files.filter((file) => file.endsWith(".md"));
    const links = texts.flatMap((file) => {
      const text = readFileSync(path.join(project.installed, file), "utf8");
      const linked = [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)].map(([, target]) => target);
      return linked.map((target) => ({ file, target: path.posix.join(path.posix.dirname(file), target) }));
    });
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter(({ target }) => !project.files.includes(target))).toEqual([]);
  });

  it("makes no code from strings", () => {
    const code = project.files.filter((file) => /\.(c|m)?js$/.test(file));
    const makers = /\beval\s*\(|\bnew\s+Function\b|(?<![.\w])Function\s*\(/;
    expect(code.filter((file) => makers.test(readFileSync(path.join(project.installed, file), "utf8")))).toEqual([]);
  });

  it("uses no Buffer outside the entry for Node and the programs", () => {
    const reached = ["browser", "js", "agentue", "stream"].flatMap((entry) => [...reachable(`dist/esm/${entry}.js`)]);
    expect(reached.filter(([, text]) => /\bBuffer\b/.test(text)).map(([file]) => file)).toEqual([]);
  });

  it("brings the command", () => {
    const command = path.join(project.folder, "node_modules", ".bin", "streamfold");
    expect(existsSync(command)).toBe(true);
    project.write({ "stream.sse": STREAM });
    const output = project.node([command, "reduce", "stream.sse", "--protocol", "agentue", "--from", "sse"]);
    expect(JSON.parse(output)).toEqual(MODEL);
  });

  it("runs the benchmark as installed, child processes included", () => {
    const command = path.join(project.folder, "node_modules", ".bin", "streamfold");
    const output = project.node([command, "bench", "--quick", "--filter", "100 events, one", "--json", "bench.json"]);
    expect(output).toContain("wasm-simd: runs");
    expect(output).not.toContain("NOT TIMED");
    const { rows } = JSON.parse(readFileSync(path.join(project.folder, "bench.json"), "utf8"));
    expect(rows.map(({ contenders }: { contenders: unknown[] }) => contenders.length)).toEqual([4]);
  });
});
