import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

function run(script: string, ...args: string[]) {
  return runWith({}, script, ...args);
}

function runWith(env: Record<string, string>, script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`examples/${script}`, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

describe("the demonstration", () => {
  it("folds the recording on both engines and says what it found", () => {
    const { status, stdout, stderr } = run("demo.mjs");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain("both engines give the same models");
    for (const id of ["message-1042", "message-1043", "agent/research", "客服-7", "message-1044", "message-1045"])
      expect(stdout).toContain(`\n${id}  ended at seq `);
    expect(stdout).toMatch(/^ {2}blocks .*\d+ reasoning/m);
    expect(stdout).toContain("reference   attachment-5 -> blob:message-1042/5");
    expect(stdout).toContain("error upstream_unavailable");
    expect(stdout).toMatch(/^wasm-\w+ +[\d.]+ ms +[\d.]+ million events\/s +\d+ MB\/s$/m);
    expect(stdout).toMatch(/^js +[\d.]+ ms/m);
    expect(stdout).toMatch(/times as fast as js here/);
    expect(stdout).not.toContain("\u001b");
  });

  it("hands arguments to the command line, exit code included", () => {
    const verified = run("demo.mjs", "verify", "examples/broken.sse");
    expect(verified.status).toBe(1);
    expect(verified.stdout).toContain("unknown_op");
    const fine = run("demo.mjs", "verify", "examples/support-session.sse");
    expect(fine.status).toBe(0);
    expect(run("demo.mjs", "no-such-command").status).toBe(2);
  });

  it("takes file names from where npm was called", () => {
    const npm = { npm_lifecycle_event: "start", INIT_CWD: `${root}examples` };
    const { status, stdout } = runWith(npm, "demo.mjs", "verify", "support-session.sse");
    expect(stdout).toMatch(/complete\n$/);
    expect(status).toBe(0);
    // Other scripts, such as the tests, may have been called from anywhere.
    expect(runWith({ ...npm, npm_lifecycle_event: "test" }, "demo.mjs", "verify", "support-session.sse").status).toBe(
      2,
    );
  });
});

describe("AG-UI as AgentUE", () => {
  it("shows a recording as blocks, without reasoning, with titles", () => {
    const { status, stdout, stderr } = run("agui-as-agentue.mjs");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^tool +tool:call-1 {2}complete {2}Calls compare_invoices$/m);
    expect(stdout).toMatch(/^activity +message:plan /m);
    expect(stdout).not.toMatch(/^reasoning/m);
    expect(stdout).toMatch(/^complete: run finished, \d+ bytes, seq \d+$/m);
  });

  it("says when the input is cut off", () => {
    const cut = run("agui-as-agentue.mjs", "examples/single-stream.sse");
    expect(cut.status).toBe(1);
    expect(cut.stdout).toMatch(/^truncated: run rejected, /m);
  });
});

describe("the gateway", () => {
  it("gives a late client the same models as an early one", () => {
    const { status, stdout, stderr } = run("gateway.mjs");
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain("both clients hold the same models");
    const [, early, late] = /early client: (\d+) bytes[\s\S]*late client: (\d+) bytes/.exec(stdout)!;
    expect(Number(late)).toBeLessThan(Number(early));
    expect(stdout.match(/body complete, 6 streams/g)).toHaveLength(2);
  });
});
