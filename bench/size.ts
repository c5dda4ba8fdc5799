/**
 * `npm run size`: what a user downloads. For every JavaScript entry of the package, with the chunks it pulls in: raw size
 * as built, minified, and minified + gzip; for every WebAssembly build: raw and gzip. Fails when the larger WebAssembly
 * build and the glue of an entry together exceed the budget.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

/**
 * Larger WebAssembly build + glue (which holds the whole JavaScript engine), both gzipped, in bytes. AgentUE alone took 59 KB; the schema,
 * verification and reduction of AG-UI and JSON Patch, each on both engines, brought it to 133 KB; MessagePack and protobuf, read and written on both
 * engines, the fast roads over them, the transcoder, encoders and negotiation to 191 KB; storage frames, forks, streams that wait for references and the
 * adapter to AgentUE, on both engines, to 223 KB; tokens that go from wire to wire by templates, judged or not, to 226 KB; patches of one value on a road of their own, over which short
 * texts are written where they stand, to 233 KB; forms, which take a third off an AgentUE token that has one, to 236 KB; text that is judged
 * 64 bytes at a time, and rows by the shape of others, to 239 KB; patches of one value where they lie on a binary wire, and short texts there without loops, to
 * 242 KB; parts of the glue that are handed over so that the slim build can do without them, to 243 KB. A bundler leaves 4 KB of encoders and negotiation out
 * where they are not used.
 */
const BUDGET = 246 * 1024;

/**
 * The same for `streamfold/slim`: what a browser downloads that reduces AgentUE over text wires and does nothing else. It is the size that the package had when it
 * could do no more. Its core is built with less inlining (asconfig.json): that saves 3.4 KB, and lets tokens, patches and loads take 3 to 8 % longer than in the full
 * build with SIMD, up to 12 % without.
 */
const SLIM_BUDGET = 60 * 1024;

const DIST = new URL("../dist/", import.meta.url);
const ENTRIES = ["node", "browser", "js", "slim-node", "slim-browser", "agentue", "agui", "stream", "replay"];
const BINARIES = ["streamfold.wasm", "streamfold.simd.wasm", "streamfold.slim.wasm", "streamfold.slim.simd.wasm"];

interface Size {
  name: string;
  raw: number;
  minified?: number;
  gzip: number;
}

const gzip = (bytes: Uint8Array): number => gzipSync(bytes, { level: 9 }).length;

/** Bundles one built entry with its chunks, as a user's bundler would. */
async function bundle(entry: string, minify: boolean): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(DIST),
    entryPoints: [entry],
    bundle: true,
    minify,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*"],
    write: false,
    // imports for the order of evaluation only, which "sideEffects": false lets go
    logOverride: { "ignored-bare-import": "silent" },
  });
  return outputFiles[0].contents;
}

async function measureEntry(name: string): Promise<Size> {
  const entry = `esm/${name}.js`;
  const minified = await bundle(entry, true);
  return { name: entry, raw: (await bundle(entry, false)).length, minified: minified.length, gzip: gzip(minified) };
}

function measureBinary(name: string): Size {
  const bytes = readFileSync(new URL(name, DIST));
  return { name, raw: bytes.length, gzip: gzip(bytes) };
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

function row(name: string, raw: string, minified: string, zipped: string): string {
  return `${name.padEnd(24)}${raw.padStart(12)}${minified.padStart(12)}${zipped.padStart(12)}`;
}

const entries: Size[] = [];
for (const name of ENTRIES) entries.push(await measureEntry(name));
const binaries = BINARIES.map(measureBinary);

console.log(row("", "raw", "minified", "gzip"));
for (const size of [...entries, ...binaries]) {
  const minified = size.minified === undefined ? "" : kilobytes(size.minified);
  console.log(row(size.name, kilobytes(size.raw), minified, kilobytes(size.gzip)));
}

/** Says what the larger of some binaries and an entry come to; a budget that is exceeded fails the program. */
function judge(name: string, entry: string, isOurs: (binary: string) => boolean, budget: number): void {
  const core = Math.max(...binaries.filter((size) => isOurs(size.name)).map((size) => size.gzip));
  const glue = entries.find((size) => size.name === `esm/${entry}.js`)!.gzip;
  const total = core + glue;
  console.log(`${name}, gzip: ${kilobytes(core)} + ${kilobytes(glue)} = ${kilobytes(total)} of ${kilobytes(budget)}`);
  if (total <= budget) return;
  console.error(`size: over the budget by ${total - budget} bytes`);
  process.exitCode = 1;
}

console.log();
judge("slim core + glue", "slim-browser", (binary) => binary.includes(".slim."), SLIM_BUDGET);
judge("core + glue", "node", (binary) => !binary.includes(".slim."), BUDGET);
