#!/usr/bin/env node
/**
 * Builds the package: the WebAssembly binaries, the ESM and CommonJS bundles, the declarations and the programs.
 *
 *   node build.mjs               install what is missing, then build everything
 *   node build.mjs --if-needed   the same, but only the parts whose sources changed
 *   node build.mjs --wasm        the WebAssembly binaries and the white-box probe only
 *   node build.mjs --install     dependencies only
 *   node build.mjs --gen-check   build what is needed, then check that generated files match their generators
 *
 * Runs on a fresh clone: until the dependencies stand, only Node's own modules are used. Messages go to stderr, so the
 * output of a program started after the build stays clean. A lock in build/ serialises concurrent runs, and every output
 * is renamed into place, so a reader never sees half a file.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = path.dirname(fileURLToPath(import.meta.url));
const BUILD = path.join(ROOT, "build");
const STAMP = path.join(BUILD, "stamp.json");
const LOCK = path.join(BUILD, "lock");

/** A missing entry or a part that does not build is an error. */
const STRICT = true;

/** Public entries: name of the bundle -> source. The names appear in package.json "exports". */
const ENTRIES = {
  node: "src/entry/node.ts",
  browser: "src/entry/browser.ts",
  js: "src/entry/js.ts",
  "slim-node": "src/entry/slim-node.ts",
  "slim-browser": "src/entry/slim-browser.ts",
  agentue: "src/agentue/index.ts",
  agui: "src/agui/index.ts",
  stream: "src/stream/index.ts",
  replay: "src/replay/index.ts",
};
const CORE = "assembly/index.ts";
const SLIM = "assembly/slim.ts";
/** What the slim build leaves out, and how. */
const LEAVE_OUT = "assembly/leave-out.mjs";
const PROBE = "test/core/probe.as.ts";
const CLI = "src/cli/main.ts";
const BENCH = "bench/run.ts";
const SIZE = "bench/size.ts";

/** Scripts that write generated files; each takes `--check` and then only compares. `owns` are the files it writes. */
const GENERATORS = [
  { script: "examples/generate.mjs", owns: [] },
  {
    script: "proto/generate.mjs",
    owns: [
      "src/schema/agui.generated.ts",
      "src/schema/event-types.generated.ts",
      "src/agui/types.generated.ts",
      "assembly/abi/agui.ts",
      "assembly/reduce/agui/schema-table.generated.ts",
      "assembly/codec/protobuf/table.generated.ts",
      "src/codec/protobuf/table.generated.ts",
    ],
  },
];

/** Files every part depends on besides its own sources. */
const TOOLING = ["build.mjs", "package.json", "package-lock.json"];

const say = (text) => process.stderr.write(`build: ${text}\n`);

class BuildError extends Error {}

function fail(text) {
  throw new BuildError(text);
}

/** Runs a program with its output on stderr; throws a BuildError when it does not exit with 0. */
function run(label, program, args) {
  const child = spawnSync(program, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  if (child.error) fail(`${label}: ${child.error.message}`);
  if (child.status !== 0) fail(`${label} failed with ${child.signal ?? `exit code ${child.status}`}`);
}

/** The same without waiting. */
function runBeside(label, program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: ["ignore", 2, 2] });
    child.on("error", (error) => reject(new BuildError(`${label}: ${error.message}`)));
    child.on("close", (code, signal) =>
      code === 0 ? resolve() : reject(new BuildError(`${label} failed with ${signal ?? `exit code ${code}`}`)),
    );
  });
}

// ---------------------------------------------------------------------------------------------------------- files

const absolute = (file) => path.join(ROOT, file);
const present = (file) => existsSync(absolute(file));

/** Files under `folder`, relative to the root with forward slashes, sorted. A folder that is not there has none. */
function walk(folder) {
  if (!present(folder)) return [];
  return readdirSync(absolute(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath ?? entry.path, entry.name)).replaceAll("\\", "/"))
    .sort();
}

/** Hash of names and contents, so a checkout that only touches times rebuilds nothing. */
function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(absolute(file)))
      .update("\0");
  return hash.digest("hex");
}

/** Writes through a temporary name in the same folder; an unchanged file is left alone. */
function place(file, content, mode) {
  const target = absolute(file);
  const bytes = Buffer.from(content);
  if (existsSync(target) && readFileSync(target).equals(bytes)) {
    if (mode !== undefined) chmodSync(target, mode);
    return file;
  }
  mkdirSync(path.dirname(target), { recursive: true });
  const temporary = `${target}.${process.pid}.tmp`;
  writeFileSync(temporary, bytes, mode === undefined ? {} : { mode });
  renameSync(temporary, target);
  return file;
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

// ----------------------------------------------------------------------------------------------------------- lock

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Takes the lock file, waiting for a living holder and clearing away a dead one. Returns the function that lets go. */
function takeLock() {
  mkdirSync(BUILD, { recursive: true });
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += 100) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    let holder = 0;
    let age = 0;
    try {
      holder = Number(readFileSync(LOCK, "utf8"));
      age = Date.now() - statSync(LOCK).mtimeMs;
    } catch {
      continue;
    }
    // An empty lock is one whose holder has not written its id yet, or died before it could.
    if (holder > 0 ? !isAlive(holder) : age > 5000) {
      rmSync(LOCK, { force: true });
      continue;
    }
    if (waited === 1000) say(`waiting for another build (process ${holder})`);
    Atomics.wait(sleeper, 0, 0, 100);
  }
  const release = () => {
    try {
      if (readFileSync(LOCK, "utf8") === String(process.pid)) unlinkSync(LOCK);
    } catch {}
  };
  process.once("exit", release);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  return release;
}

// -------------------------------------------------------------------------------------------------------- install

/** Whether node_modules holds what the lock file names: compared by version, not by time. */
function isInstalled() {
  const wanted = readJson(absolute("package-lock.json"))?.packages;
  const found = readJson(absolute("node_modules/.package-lock.json"))?.packages;
  if (wanted === undefined) fail("package-lock.json is missing or broken");
  if (found === undefined) return false;
  for (const [name, entry] of Object.entries(wanted)) {
    if (name === "" || entry.link) continue;
    if (found[name] === undefined ? !entry.optional : found[name].version !== entry.version) return false;
  }
  return true;
}

function install() {
  if (isInstalled()) return;
  say("installing dependencies (npm ci)");
  const args = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  if (npm?.endsWith(".js")) run("npm ci", process.execPath, [npm, ...args]);
  else if (process.platform === "win32") run("npm ci", "cmd.exe", ["/d", "/s", "/c", "npm", ...args]);
  else run("npm ci", "npm", args);
  say("dependencies are installed");
}

// ------------------------------------------------------------------------------------------------------ WebAssembly

/** The two builds of a root are compiled side by side: a compiler uses one processor. */
function compileBoth(source, name, targets = "", options = []) {
  return Promise.all([
    compile(source, `${targets}scalar`, `${name}.wasm`, options),
    compile(source, `${targets}simd`, `${name}.simd.wasm`, options),
  ]);
}

async function compile(source, target, outFile, options) {
  const temporary = path.join(BUILD, `${path.basename(outFile)}.${process.pid}.tmp.wasm`);
  const asc = absolute("node_modules/assemblyscript/bin/asc.js");
  const args = [asc, source, "--target", target, "--outFile", temporary, ...options];
  try {
    await runBeside(`asc ${source} (${target})`, process.execPath, args);
    const binary = readFileSync(temporary);
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(binary));
    if (imports.length > 0)
      fail(`${outFile} reaches ${imports.map(({ module, name }) => `${module}.${name}`).join(", ")}`);
    return place(outFile, binary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

const buildCore = () => compileBoth(CORE, "dist/streamfold");
const buildSlim = () => compileBoth(SLIM, "dist/streamfold.slim", "slim-", ["--transform", `./${LEAVE_OUT}`]);
const buildProbe = () => compileBoth(PROBE, "build/probe");

// ---------------------------------------------------------------------------------------------------------- bundles

/** `import.meta.url` for a CommonJS file, made from `__filename` without a module that a browser bundler would miss. */
const CJS_META_URL =
  'const streamfoldModuleUrl = new URL("file:///" + ' +
  '(typeof __filename === "string" ? __filename : "").replace(/\\\\/g, "/").replace(/^\\//, "")' +
  ".replace(/[%?#]/g, encodeURIComponent)).href;";

/** `require` for bundled CommonJS packages inside an ES module program. */
const ESM_REQUIRE =
  'import { createRequire as streamfoldCreateRequire } from "node:module";\n' +
  "const require = streamfoldCreateRequire(import.meta.url);";

/**
 * Libraries: ES modules with shared chunks, so a class such as StreamfoldError exists once whatever subpath it came
 * through; then every one of those files turned into CommonJS, which keeps the chunks shared there too. All files of a
 * format stand in one folder two levels under the package root, as the sources of the entries do, so
 * `new URL("../../dist/streamfold.wasm", import.meta.url)` is the same place from a source, a bundle and a chunk.
 */
async function buildLibrary(esbuild) {
  const entryPoints = Object.fromEntries(Object.entries(ENTRIES).filter(([, source]) => present(source)));
  const result = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: "dist/esm",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    chunkNames: "chunk-[hash]",
    external: ["node:*"],
    logLevel: "warning",
    write: false,
    metafile: true,
  });
  const outputs = [];
  for (const file of result.outputFiles) {
    const name = path.basename(file.path);
    outputs.push(place(`dist/esm/${name}`, file.contents));
    const usesUrl = file.text.includes("import.meta.url");
    const { code } = await esbuild.transform(file.text, {
      format: "cjs",
      platform: "node",
      target: "es2022",
      define: { "import.meta.url": "streamfoldModuleUrl" },
      banner: usesUrl ? `"use strict";\n${CJS_META_URL}` : '"use strict";',
    });
    const linked = code.replace(/require\("(\.\/[\w-]+)\.js"\)/g, 'require("$1.cjs")');
    outputs.push(place(`dist/cjs/${name.replace(/\.js$/, ".cjs")}`, linked));
  }
  return { outputs, metafile: result.metafile };
}

/**
 * In programs, imports of a public entry stay imports of the built library, so there is one copy of every class.
 * A file under `strictFolder` may import nothing else from outside that folder.
 */
function libraryStaysOutside(outfile, strictFolder) {
  const library = path.posix.relative(path.posix.dirname(outfile), "dist/esm");
  const specifier = (name) => `${library.startsWith(".") ? "" : "./"}${library}/${name}.js`;
  const bySource = new Map(Object.entries(ENTRIES).map(([name, source]) => [absolute(source), specifier(name)]));
  bySource.set(absolute("src/index.ts"), specifier("node"));
  return {
    name: "library-stays-outside",
    setup(build) {
      build.onResolve({ filter: /^\.\.?\// }, (args) => {
        const target = path.resolve(args.resolveDir, args.path).replace(/\.js$/, ".ts");
        const candidates = [target, `${target}.ts`, path.join(target, "index.ts")];
        const source = candidates.find((file) => bySource.has(file));
        if (source) return { path: bySource.get(source), external: true };
        const folder = strictFolder && path.join(ROOT, strictFolder, path.sep);
        if (folder && args.importer.startsWith(folder) && !target.startsWith(folder)) {
          return { errors: [{ text: `${strictFolder} may import public entries only, not ${args.path}` }] };
        }
        return undefined;
      });
    },
  };
}

/** A Node program in one file, library outside, packages inside: it runs as installed, where dev dependencies are missing. */
async function buildProgram(esbuild, source, outfile, { strictFolder, executable } = {}) {
  const result = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: ESM_REQUIRE },
    // the benchmark loads its rivals where they are installed: they are no part of the package
    external: ["esbuild", "@ag-ui/*", "rxjs", "fast-json-patch", "partial-json", "rfc6902", "json-joy/*"],
    plugins: [libraryStaysOutside(outfile, strictFolder)],
    logLevel: "warning",
    write: false,
    metafile: true,
  });
  let { text } = result.outputFiles[0];
  if (executable && !text.startsWith("#!")) text = `#!/usr/bin/env node\n${text}`;
  return { outputs: [place(outfile, text, executable ? 0o755 : undefined)], metafile: result.metafile };
}

/** Licence texts of the packages whose code went into published files. */
function placeLicences(metafiles) {
  const packages = new Set();
  for (const metafile of metafiles) {
    for (const input of Object.keys(metafile.inputs)) {
      const match = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (match) packages.add(match[1]);
    }
  }
  const texts = [...packages].sort().map((name) => {
    const folder = absolute(`node_modules/${name}`);
    const { version, license } = readJson(path.join(folder, "package.json"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) fail(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
  });
  const head = "Packages bundled into the programs of this package, with their licences.\n";
  return place("dist/THIRD-PARTY-LICENSES.txt", [head, ...texts].join(`\n${"-".repeat(80)}\n\n`));
}

async function buildBundles() {
  const esbuild = await import("esbuild");
  const results = [await buildLibrary(esbuild)];
  if (present(CLI))
    results.push(await buildProgram(esbuild, CLI, "dist/cli.js", { strictFolder: "src/cli", executable: true }));
  if (present(BENCH)) results.push(await buildProgram(esbuild, BENCH, "dist/bench.js"));
  const licences = placeLicences(results.map((result) => result.metafile));
  if (present(SIZE)) results.push(await buildProgram(esbuild, SIZE, "build/size.js"));
  return [...results.flatMap((result) => result.outputs), licences];
}

// ----------------------------------------------------------------------------------------------------- declarations

const SPECIFIER = /(\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)(["'])(\.{1,2}\/[^"']+)\2/g;

/** Where an emitted declaration stands in the package: src/ is the root, the shared numbers stand under abi/. */
const publishedPath = (file) => file.replace(/^src\//, "").replace(/^assembly\/abi\//, "abi/");

/**
 * Emits declarations for the entries, keeps those an entry reaches, and writes every relative specifier with the
 * extension that Node's resolution asks for. The CommonJS copy differs by its folder's package.json alone.
 */
function buildDeclarations() {
  const emitted = "build/declarations";
  rmSync(absolute(emitted), { recursive: true, force: true });
  const files = Object.values(ENTRIES).filter(present);
  const config = `build/tsconfig.${process.pid}.json`;
  writeFileSync(
    absolute(config),
    JSON.stringify({
      extends: "../tsconfig.build.json",
      compilerOptions: { rootDir: "..", outDir: "declarations" },
      files: files.map((file) => `../${file}`),
      include: [],
    }),
  );
  try {
    run("tsc (declarations)", process.execPath, [absolute("node_modules/typescript/bin/tsc"), "-p", config]);
  } finally {
    rmSync(absolute(config), { force: true });
  }

  const queue = files.map((file) => file.replace(/\.ts$/, ".d.ts"));
  const reached = new Set(queue);
  const texts = new Map();
  for (const file of queue) {
    const text = readFileSync(absolute(`${emitted}/${file}`), "utf8").replace(
      SPECIFIER,
      (_all, lead, quote, specifier) => {
        const base = path.posix.join(path.posix.dirname(file), specifier.replace(/\.(ts|js)$/, ""));
        const target = [`${base}.d.ts`, `${base}/index.d.ts`].find((candidate) => present(`${emitted}/${candidate}`));
        if (!target) fail(`${file} refers to ${specifier}, which has no declaration`);
        if (!reached.has(target)) {
          reached.add(target);
          queue.push(target);
        }
        const from = path.posix.dirname(publishedPath(file));
        const relative = path.posix.relative(from, publishedPath(target)).replace(/\.d\.ts$/, ".js");
        return `${lead}${quote}${relative.startsWith(".") ? relative : `./${relative}`}${quote}`;
      },
    );
    // A user's `lib` may be older than the symbols that make `using` work.
    const lib = /\bSymbol\.(asyncDispose|dispose)\b/.test(text) ? '/// <reference lib="esnext.disposable" />\n' : "";
    texts.set(publishedPath(file), lib + text);
  }
  const outputs = [];
  for (const [file, text] of texts)
    outputs.push(place(`dist/types/${file}`, text), place(`dist/cjs/types/${file}`, text));
  outputs.push(place("dist/cjs/types/package.json", '{ "type": "commonjs" }\n'));
  rmSync(absolute(emitted), { recursive: true, force: true });
  return outputs;
}

// ------------------------------------------------------------------------------------------------------------ parts

const typescript = (file) => file.endsWith(".ts") && !file.endsWith(".as.ts");

/** What is built, from which files, in which order. `needs` are the sources without which a part is not built. */
const PARTS = [
  {
    name: "core",
    wasm: true,
    needs: [CORE],
    inputs: () => [...walk("assembly").filter((file) => file.endsWith(".ts")), "asconfig.json"],
    build: buildCore,
  },
  {
    name: "slim",
    wasm: true,
    needs: [SLIM],
    inputs: () => [...walk("assembly"), "asconfig.json"],
    build: buildSlim,
  },
  {
    name: "probe",
    wasm: true,
    needs: [PROBE],
    optional: true,
    inputs: () => [
      ...walk("assembly").filter((file) => file.endsWith(".ts")),
      ...walk("test/core").filter((file) => file.endsWith(".as.ts")),
      "asconfig.json",
    ],
    build: buildProbe,
  },
  {
    name: "bundles",
    needs: [...Object.values(ENTRIES), CLI, BENCH, SIZE],
    inputs: () => ["src", "bench", "assembly/abi"].flatMap(walk).filter(typescript),
    build: buildBundles,
  },
  {
    name: "declarations",
    needs: Object.values(ENTRIES),
    inputs: () => [...["src", "assembly/abi"].flatMap(walk).filter(typescript), "tsconfig.json", "tsconfig.build.json"],
    build: buildDeclarations,
  },
];

/** Removes what a former build left in dist/ and no part of this one made. */
function sweep(stamp) {
  const made = new Set(Object.values(stamp).flatMap((part) => part.outputs));
  for (const file of walk("dist")) if (!made.has(file)) rmSync(absolute(file), { force: true });
}

async function build({ ifNeeded, wasmOnly }) {
  const stamp = readJson(STAMP) ?? {};
  const broken = [];
  let built = 0;
  for (const part of PARTS) {
    if (wasmOnly && !part.wasm) continue;
    const missing = part.needs.filter((file) => !present(file));
    if (missing.length > 0) {
      if (part.optional) continue;
      if (STRICT) fail(`${missing.join(", ")}: missing`);
      if (missing.length === part.needs.length) {
        say(`${part.name}: skipped, no source yet`);
        continue;
      }
      say(`${part.name}: without ${missing.join(", ")}`);
    }
    const hash = hashOf([...TOOLING, ...part.inputs()]);
    const former = stamp[part.name];
    if (ifNeeded && former?.hash === hash && former.outputs.every(present)) continue;
    const start = Date.now();
    try {
      const outputs = await part.build();
      stamp[part.name] = { hash, outputs: outputs.sort() };
      built++;
      say(`${part.name}: ${outputs.length} files in ${((Date.now() - start) / 1000).toFixed(1)} s`);
    } catch (error) {
      if (STRICT) throw error;
      broken.push(part.name);
      say(`${part.name}: ${error.message}`);
    }
  }
  if (built > 0) {
    if (!wasmOnly && broken.length === 0) sweep(stamp);
    place("build/stamp.json", `${JSON.stringify(stamp, null, 2)}\n`);
  }
}

/** Every generated file has one generator, and the generator would write what is there. */
function checkGenerated() {
  const owned = new Set(GENERATORS.flatMap((generator) => generator.owns));
  const found = ["src", "assembly", "bench", "test", "examples"]
    .flatMap(walk)
    .filter((file) => file.endsWith(".generated.ts"));
  const orphans = found.filter((file) => !owned.has(file));
  if (orphans.length > 0) fail(`no generator owns ${orphans.join(", ")}`);
  for (const { script, owns } of GENERATORS) {
    const lost = owns.filter((file) => !present(file));
    if (lost.length > 0) fail(`${script} has not written ${lost.join(", ")}`);
    if (!present(script) && !STRICT) {
      say(`${script}: not there yet`);
      continue;
    }
    run(`${script} --check`, process.execPath, [absolute(script), "--check"]);
  }
  say("generated files are up to date");
}

async function main(args) {
  const known = ["--if-needed", "--wasm", "--install", "--gen-check"];
  const unknown = args.filter((arg) => !known.includes(arg));
  if (unknown.length > 0) fail(`unknown option ${unknown.join(" ")}; known are ${known.join(" ")}`);
  const genCheck = args.includes("--gen-check");
  const release = takeLock();
  try {
    install();
    if (args.includes("--install")) return;
    await build({ ifNeeded: genCheck || args.includes("--if-needed"), wasmOnly: args.includes("--wasm") });
  } finally {
    release();
  }
  if (genCheck) checkGenerated();
}

main(process.argv.slice(2)).catch((error) => {
  say(error instanceof BuildError ? error.message : (error.stack ?? String(error)));
  process.exitCode = 1;
});
