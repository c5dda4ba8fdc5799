import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Indenter } from "../../src/cli/pretty.js";
import { START, sse } from "../reducer/wire.js";
import { cli } from "./cli.js";

const folder = mkdtempSync(path.join(tmpdir(), "streamfold-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("usage", () => {
  it.each([
    [[]],
    [["fold"]],
    [["transcode"]],
    [["reduce", "a.sse", "b.sse"]],
    [["reduce", "--nonsense"]],
    [["reduce", "--protocol", "mcp"]],
    [["reduce", "--protocol", "ag-ui", "--sequence", "off"]],
    [["reduce", "--on-delta-failure", "warn"]],
    [["reduce", "--protocol", "ag-ui", "--max-protocol-version", "draft"]],
    [["reduce", "--from", "protobuf"]],
    [["reduce", "--from", "cbor"]],
    [["reduce", "--to", "protobuf"]],
    [["reduce", "--to", "msgpack", "--pretty"]],
    [["transcode", "--to", "json"]],
    [["transcode", "--to", "protobuf"]],
    [["transcode", "--to", "msgpack", "--stream", "a"]],
    [["transcode", "--protocol", "ag-ui", "--to", "sse", "--sequence", "off"]],
    [["reduce", "--engine", "quantum"]],
    [["reduce", "--sequence", "loose"]],
    [["reduce", "--stream", "a", "--all-streams"]],
    [["reduce", "--max-message", "0"]],
    [["reduce", "--max-message", "lots"]],
    [["reduce", "--limit", "blocks"]],
    [["reduce", "--limit", "blocks=0"]],
    [["reduce", "--limit", "blocks=1e3"]],
    [["reduce", "--limit", "blocks=16000001"]],
    [["reduce", "--limit", "blocks=1", "--limit", "stones=1"]],
    [["verify", "--limit", "messageBytes=100"]],
    [["verify", "--pretty"]],
    [["frame"]],
    [["frame", "--max-bytes", "0"]],
    [["frame", "--max-bytes", "64k"]],
    [["frame", "--max-bytes", "100", "--protocol", "agentue"]],
    [["frame", "a.json", "b.json", "--max-bytes", "100"]],
    [["unframe", "--max-bytes", "100"]],
    [["reduce", "notes.txt"]],
  ])("%j is refused with exit code 2", async (args) => {
    const run = await cli(args, [sse(START)]);
    expect(run.code).toBe(2);
    expect(run.stdout).toBe("");
    expect(run.stderr).not.toBe("");
  });

  it("names what is wrong with an input in one line", async () => {
    const locked = path.join(folder, "locked.sse");
    writeFileSync(locked, "");
    chmodSync(locked, 0);
    const wanted: [string, RegExp][] = [
      [path.join(folder, "missing.sse"), /^error: cannot read .*missing\.sse: there is no such file\n$/],
      [folder, /^error: cannot read .*: it is a directory\n$/],
    ];
    // Root reads everything.
    if (process.getuid?.() !== 0) wanted.push([locked, /^error: cannot read .*: permission denied\n$/]);
    for (const [name, message] of wanted) {
      for (const command of [["reduce"], ["verify"], ["transcode", "--to", "sse"]]) {
        const run = await cli([...command, name, "--from", "sse"]);
        expect(run).toMatchObject({ code: 2, stdout: "" });
        expect(run.stderr).toMatch(message);
        expect(await cli([...command, name])).toEqual(run);
      }
    }
    const missing = await cli(["reduce", path.join(folder, "missing.txt")]);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^error: cannot read .*missing\.txt: there is no such file\n$/);
    const silent = path.join(folder, "notes.txt");
    writeFileSync(silent, "");
    expect((await cli(["verify", silent])).stderr).toMatch(/^error: the name .*notes\.txt does not tell the transport/);
  });

  it("helps and tells its version on stdout", async () => {
    expect(await cli(["--version"])).toEqual({ code: 0, stdout: "1.2.3\n", stderr: "" });
    const help = await cli(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const command of ["reduce", "transcode", "verify", "bench"]) expect(help.stdout).toContain(command);
    expect((await cli(["reduce", "--help"])).stdout).toContain("--all-streams");
  });

  it("says where the benchmark is when it is not there", async () => {
    const run = await cli(["bench", "--quick", "--filter", "x"]);
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toMatch(/^error: bench\.js is not beside this program.*\n$/);
  });
});

describe("the indenter", () => {
  const VALUES = [
    [],
    {},
    [[], {}, [[]]],
    { a: { b: [] }, "": { "": {} } },
    'quotes " and \\ and \\" [{,:}]',
    [1, "é\n", null, { x: [true, -0.5e-3] }],
  ];

  it("writes as JSON.stringify with two spaces does, wherever the text is cut", () => {
    for (const value of VALUES) {
      const compact = Buffer.from(JSON.stringify(value));
      for (let cut = 0; cut <= compact.length; cut++) {
        const indenter = new Indenter();
        const out = [indenter.indent(compact.subarray(0, cut)), indenter.indent(compact.subarray(cut))];
        expect(Buffer.concat(out).toString()).toBe(JSON.stringify(value, null, 2));
      }
    }
  });
});
