import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { ReducerOptions } from "../../src/engine/contract.js";
import { loadEngineSync } from "../../src/entry/node.js";
import { cli } from "../cli/cli.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const file = (name: string): string => `${root}examples/${name}`;

interface Report {
  code: string;
  path?: string;
}

interface Snapshot {
  messages: { id: string; role: string; content?: unknown; toolCalls?: { function: { arguments: string } }[] }[];
  state: Record<string, unknown>;
  run: { status: string; open: Record<string, unknown[]>; pendingToolCallIds: string[] };
}

/** Folds a recording as `verify` does: everything is reported and reading goes on. */
function fold(name: string, chunk: number, options: Partial<ReducerOptions> = {}) {
  const reports: Report[] = [];
  const report = ({ code, path }: Report) => void reports.push(path === undefined ? { code } : { code, path });
  const types = new Set<string>();
  const reducer = loadEngineSync({ kind: "js" }).createReducer({
    protocol: "ag-ui",
    transport: "sse",
    onViolation: "skip-event",
    undecodable: "skip",
    onEvent: (event) => void types.add((event as { type: string }).type),
    onError: report,
    onWarning: report,
    ...options,
  });
  const bytes = new Uint8Array(readFileSync(file(name)));
  for (let at = 0; at < bytes.length; at += chunk) reducer.push(bytes.subarray(at, at + chunk));
  return { reports, types, result: reducer.finish(), stats: reducer.stats(), snapshot: reducer.snapshot<Snapshot>()! };
}

describe("research.agui.sse", () => {
  const { reports, types, result, stats, snapshot } = fold("research.agui.sse", 65_536);

  it("breaks no rule and is complete", () => {
    expect(reports).toEqual([]);
    expect(result).toEqual({ status: "complete", streams: [{ streamId: "", status: snapshot.run.status }] });
    expect(stats).toMatchObject({ skipped: 0, dropped: 0, errors: 0, warnings: 0 });
    expect(stats.applied).toBe(stats.events);
    expect(stats.events).toBeGreaterThan(1500);
  });

  it("means the same in small chunks, and refuses nothing with the default options", () => {
    expect(fold("research.agui.sse", 997).snapshot).toEqual(snapshot);
    expect(fold("research.agui.sse", 65_536, { onViolation: "refuse-stream" }).snapshot).toEqual(snapshot);
  });

  it("holds messages of every kind, nothing is left open, and one call waits for its answer", () => {
    expect(new Set(snapshot.messages.map(({ role }) => role))).toEqual(
      new Set(["user", "assistant", "tool", "reasoning", "activity"]),
    );
    expect(Object.values(snapshot.run.open).flat()).toEqual([]);
    // A tool of the frontend, which the next run answers.
    expect(snapshot.run.pendingToolCallIds).toEqual(["call-refund"]);
    const calls = snapshot.messages.flatMap(({ toolCalls }) => toolCalls ?? []);
    expect(calls.length).toBeGreaterThan(3);
    for (const call of calls) expect(() => JSON.parse(call.function.arguments)).not.toThrow();
    expect(types.size).toBeGreaterThan(20);
  });
});

describe("broken.agui.sse", () => {
  const named = [...readFileSync(file("broken.agui.sse"), "utf8").matchAll(/^: ([a-z][a-z_]+)(?: (\/\S*))?$/gm)].map(
    ([, code, path]) => (path === undefined ? { code } : { code, path }),
  );

  it("breaks the rules that its comments name, in their order, and nothing else", () => {
    const { reports, result } = fold("broken.agui.sse", 65_536);
    expect(reports).toEqual(named);
    expect(new Set(named.map(({ code }) => code)).size).toBeGreaterThan(9);
    expect(result.status).toBe("complete");
  });

  it("verify finds on the command line what the comments say", async () => {
    const run = await cli(["verify", "--protocol", "ag-ui", file("broken.agui.sse")]);
    const found = run.stdout
      .split("\n")
      .filter((text) => text.startsWith("event "))
      .map((text) => {
        const [code, path] = text.split("  ").filter((column) => !/^(event|byte) \d/.test(column));
        return path?.startsWith("/") ? { code, path } : { code };
      });
    expect(found).toEqual(named);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(/15 violations, 8 warnings, 1 stream, complete\n$/);
  });
});

describe("the command line on AG-UI", () => {
  it("reduce prints the model, on every engine the same", async () => {
    const { snapshot } = fold("research.agui.sse", 65_536);
    const printed = await Promise.all(
      ["wasm-simd", "wasm-scalar", "js"].map((kind) =>
        cli(["reduce", "--protocol", "ag-ui", "--engine", kind, file("research.agui.sse")]),
      ),
    );
    for (const { code, stdout, stderr } of printed) {
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toBe(printed[0]?.stdout);
      expect(JSON.parse(stdout)).toEqual(snapshot);
    }
  });

  it("verify accepts the recording", async () => {
    const { code, stdout } = await cli(["verify", "--protocol", "ag-ui", file("research.agui.sse")]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+ events: \d+ applied, 0 skipped, 0 violations, 0 warnings, 1 stream, complete\n$/);
  });

  const RUN = '{"type":"RUN_STARTED","threadId":"t","runId":"r"}';
  const DELTA = '{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/a/b","value":1}]}';

  it("--on-delta-failure says what a patch that does not apply means", async () => {
    const reduce = (rule: string) =>
      cli(["reduce", "--protocol", "ag-ui", "--from", "ndjson", "--on-delta-failure", rule], [`${RUN}\n${DELTA}\n`]);
    expect(JSON.parse((await reduce("warn")).stdout)).toMatchObject({ state: {}, run: { status: "truncated" } });
    expect(JSON.parse((await reduce("upsert")).stdout)).toMatchObject({ state: { a: { b: 1 } } });
    const failed = await reduce("fail");
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain("delta_failed");
  });

  it("a run that is cut off is no success", async () => {
    const { code, stdout } = await cli(["verify", "--protocol", "ag-ui", "--from", "ndjson"], [`${RUN}\n`]);
    expect(code).toBe(1);
    expect(stdout).toContain("truncated");
  });
});

describe("the agent and its client", () => {
  const agents: ChildProcessWithoutNullStreams[] = [];
  afterEach(() => {
    for (const agent of agents.splice(0)) agent.kill();
  });

  /** Starts the agent on a free port; the address that it says. */
  function startAgent(...args: string[]): Promise<string> {
    const agent = spawn(process.execPath, ["examples/agui-agent.mjs", "--port", "0", ...args], { cwd: root });
    agents.push(agent);
    return new Promise((resolve, reject) => {
      agent.stdout.on("data", (text: Buffer) => {
        const found = /http:\S+/.exec(text.toString());
        if (found !== null) resolve(found[0]);
      });
      agent.on("exit", (code) => reject(new Error(`the agent has ended with ${code}`)));
    });
  }

  function runClient(url: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const client = spawn(process.execPath, ["examples/agui-client.mjs", url], { cwd: root });
    const collected = [client.stdout, client.stderr].map((stream) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => void parts.push(part));
      return () => Buffer.concat(parts).toString();
    });
    return new Promise((resolve) =>
      client.on("close", (code) => {
        const [stdout, stderr] = collected.map((text) => text()) as [string, string];
        resolve({ code, stdout, stderr });
      }),
    );
  }

  it("reconcile a whole run", async () => {
    const { code, stdout, stderr } = await runClient(await startAgent());
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain("[run] started thread=thread_demo run=run_1");
    expect(stdout).toContain("[message] Parsing request…Searching…Producing plan.");
    expect(stdout).toContain('[state] after delta {"todos":["parse input","call tool"],"done":1}');
    expect(stdout).toContain('[tool] arguments so far {"query":"a2a"}');
    const [, state] = /\[end\] complete, the run is finished; final state: (.*)/.exec(stdout) as unknown as [
      string,
      string,
    ];
    expect((JSON.parse(state) as { done: number }).done).toBe(1);
  });

  it("go on after a patch that does not apply, with a warning that says where", async () => {
    const { code, stdout, stderr } = await runClient(await startAgent("--path", "/missing/deep"));
    expect(code).toBe(0);
    expect(stderr).toContain("Failed to apply state patch: there is no value at this pointer");
    expect(stderr).toMatch(/path: '\/missing\/deep', opIndex: 0/);
    expect(stdout).toContain('final state: {"todos":["parse input","call tool"],"done":0}');
    expect(stdout).toContain("[end] complete, the run is finished");
  });
});
