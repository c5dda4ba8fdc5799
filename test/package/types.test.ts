import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackage, type Project, ROOT } from "./project.js";

let project: Project;
beforeAll(() => {
  project = installPackage();
});
afterAll(() => project?.remove());

/** Uses every subpath; the marked lines fail to compile only where the types really resolved. */
const USE = `
import { encodeEvent, type Engine, loadEngine, loadEngineSync, negotiate, type Reducer, StreamfoldError } from "streamfold";
import * as js from "streamfold/js";
import * as slim from "streamfold/slim";
import * as agentue from "streamfold/agentue";
import { type AGUIEvent, type AGUIModel, type CustomEvent as AGUICustomEvent, createProducer, prepareRunInput } from "streamfold/agui";
import * as stream from "streamfold/stream";
import { createReplay, type Replay, type ReplayCursor } from "streamfold/replay";

export const engine: Engine = loadEngineSync({ kind: "wasm" });
export const later: Promise<Engine> = loadEngine({ kind: "auto" });
export const plain: Engine = js.loadEngineSync({ kind: "js" });
const small = slim.loadEngineSync({ kind: "wasm" }).createReducer({ protocol: "agentue", transport: "sse" });
export const draws: Promise<{ status: string }> = stream.reduceBody(small.fork(), new Response().body!);
agentue.createResolver(small, { load: async () => new Uint8Array(0), onError() {} }).close();
// @ts-expect-error: the slim build has no MessagePack
small.snapshotBytes({ format: "msgpack" });
// @ts-expect-error: nor AG-UI
slim.loadEngineSync().createReducer({ protocol: "ag-ui", transport: "sse" });
// @ts-expect-error: nor a JavaScript engine
slim.loadEngineSync({ kind: "js" });
export const reducer: Reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
export const applied: number = reducer.push(new Uint8Array(1));
export const code: string = new Error() instanceof StreamfoldError ? "yes" : "no";
const { input } = prepareRunInput({ threadId: "t", runId: "r", messages: [{ id: "u", role: "user", content: "hi" }], state: undefined });
const agui = engine.createReducer({
  protocol: "ag-ui",
  transport: "sse",
  input,
  middleware: { CUSTOM: (event: AGUICustomEvent) => (event.name === "x" ? undefined : event) },
  onEvent(event: AGUIEvent) {
    if (event.type === "TOOL_CALL_ARGS") agui.partialArgs<{ query?: string }>(event.toolCallId)?.query;
  },
});
export const status: string | undefined = agui.snapshot<AGUIModel<{ done: number }>>()?.run.status;
const cursor: ReplayCursor = { seq: 5 };
const replay: Replay = createReplay(engine, { protocol: "agentue", transport: "sse" });
// of the wires that a server names one is chosen
const wire = negotiate("*/*", { protocol: "ag-ui", transports: ["sse", "msgpack"] });
if (wire) engine.createTranscoder({ protocol: "ag-ui", from: "sse", to: wire.transport });
// what Response, Blob and WebSocket.send take: bytes over a plain ArrayBuffer
export const owned: Uint8Array<ArrayBuffer>[] = [
  replay.resumeFrom(cursor, { to: "msgpack" }),
  reducer.snapshotBytes(),
  reducer.checkpoint(),
  engine.createTranscoder({ protocol: "agentue", from: "sse", to: "ndjson" }).finish(),
  engine.frameBlock({ id: "a", type: "text" }, { maxBytes: 1000 }),
  engine.createFrameAssembler().take("a"),
  engine.createDocument({}).bytes(),
  encodeEvent({ op: "ping", seq: 1 }, { transport: "sse" }),
  agentue.createEmitter({ transport: "sse" }).end(),
  createProducer({ transport: "sse" }).start(),
];
// @ts-expect-error: a message has a role
prepareRunInput({ threadId: "t", runId: "r", messages: [{ id: "u", content: "hi" }] });
// @ts-expect-error: push returns a number
export const wrong: string = reducer.push(new Uint8Array(1));
// @ts-expect-error: there is no such transport
engine.createReducer({ protocol: "agentue", transport: "pigeon" });
// @ts-expect-error: there is no such export
agentue.nothing;
// @ts-expect-error: there is no such export
stream.nothing;
// @ts-expect-error: the JavaScript entry has no WebAssembly
js.loadEngineSync({ kind: "wasm-simd" });
`;

/** The types of Node that this repository has. */
const TYPES = path.join(ROOT, "node_modules", "@types");

/** Runs tsc over one file that uses the package, with the package's declarations checked too. */
function typecheck(file: string, options: Record<string, unknown>): string {
  const config = `tsconfig.${path.extname(file).slice(1)}-${options.module}-${options.lib ? "node" : "page"}.json`;
  const base = { target: "es2022", lib: ["es2022", "dom"], types: [], strict: true, noEmit: true, skipLibCheck: false };
  project.write({
    [file]: USE,
    [config]: JSON.stringify({ compilerOptions: { ...base, ...options }, files: [file] }),
  });
  const tsc = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", config], {
    cwd: project.folder,
    encoding: "utf8",
  });
  return `${stdout}exit ${status}`;
}

describe("types resolve", () => {
  it.each([
    ["use.mts", { module: "node16", moduleResolution: "node16" }],
    ["use.cts", { module: "node16", moduleResolution: "node16" }],
    ["use.mts", { module: "nodenext", moduleResolution: "nodenext" }],
    ["use.cts", { module: "nodenext", moduleResolution: "nodenext" }],
    ["use.ts", { module: "esnext", moduleResolution: "bundler" }],
    // a server's project knows the types of Node and none of a page
    [
      "use.mts",
      { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022"], types: ["node"], typeRoots: [TYPES] },
    ],
  ])("for %s with %o", (file, options) => {
    expect(typecheck(file, options)).toBe("exit 0");
  });

  it("and a file that uses them wrongly is refused", () => {
    const file = "wrong.mts";
    project.write({
      [file]: 'import { loadEngineSync } from "streamfold";\nexport const engine: string = loadEngineSync();\n',
      "tsconfig.wrong.json": JSON.stringify({
        compilerOptions: { module: "nodenext", lib: ["es2022", "dom"], types: [], strict: true, noEmit: true },
        files: [file],
      }),
    });
    const tsc = path.join(ROOT, "node_modules", "typescript", "bin", "tsc");
    const { stdout } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.wrong.json"], {
      cwd: project.folder,
      encoding: "utf8",
    });
    expect(stdout).toMatch(/^wrong\.mts\(2,14\): error TS2322/);
  });
});
