import { describe, expect, it } from "vitest";
import { append, end, modelWith, ndjson, START, sse, start } from "../reducer/wire.js";
import { KINDS } from "../support/engines.js";
import { cli, scratchFolder } from "./cli.js";

const file = scratchFolder();

const SINGLE = [START, append(2, ", world"), end(3)];
const MODEL = `${JSON.stringify(modelWith("Hello, world"))}\n`;

describe.each(KINDS)("streamfold reduce --engine %s", (kind) => {
  const engine = ["--engine", kind];

  it("prints the model of a file, framed as its name says", async () => {
    const files = [
      file("single.sse", sse(...SINGLE)),
      file("single.ndjson", ndjson(...SINGLE)),
      file("single.jsonl", ndjson(...SINGLE)),
      file("UPPER.SSE", sse(...SINGLE)),
    ];
    for (const name of files) {
      expect(await cli(["reduce", name, ...engine])).toEqual({ code: 0, stdout: MODEL, stderr: "" });
    }
  });

  it("takes standard input as SSE unless told", async () => {
    const fine = { code: 0, stdout: MODEL, stderr: "" };
    expect(await cli(["reduce", ...engine], [sse(...SINGLE)])).toEqual(fine);
    expect(await cli(["reduce", "-", "--from", "ndjson", ...engine], [ndjson(...SINGLE)])).toEqual(fine);
  });

  it("takes a json file as one event", async () => {
    const run = await cli(["reduce", file("event.json", JSON.stringify(START, null, 2)), ...engine]);
    expect(run.stdout).toBe(`${JSON.stringify(START.model)}\n`);
    // One event is no body: what is not ended is said and no failure.
    expect(run).toMatchObject({ code: 0, stderr: "note: the unnamed stream is open, without an end\n" });
    const refused = await cli(["reduce", "--from", "json", ...engine], [JSON.stringify({ ...START, x: 1 })]);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    const pieces = await cli(["reduce", "--from", "json", ...engine], ['{"op":"end",', '"seq":1}']);
    expect(pieces).toMatchObject({ code: 1, stdout: "" });
    expect(pieces.stderr).toMatch(/^error: no_model: .*\nnote: no stream was opened\n$/);
  });

  it("keeps every digit and the order of members, pretty or not", async () => {
    const model =
      '{"version":"1.1","meta":{"n":9007199254740993,"e":[],"o":{},"s":"a\\"},{[:,"},"biz":"x","blocks":[]}';
    const body = ndjson(`{"op":"start","seq":1,"model":${model}}`, end(2));
    const plain = await cli(["reduce", "--from", "ndjson", ...engine], [body]);
    if (kind === "js") expect(plain.stdout).toContain("9007199254740993");
    else expect(plain.stdout).toBe(`${model}\n`);
    const pretty = await cli(["reduce", "--from", "ndjson", "--pretty", ...engine], [body]);
    expect(pretty.stdout).toContain(
      '\n    "n": 9007199254740993,\n    "e": [],\n    "o": {},\n    "s": "a\\"},{[:,"\n  }',
    );
    expect(JSON.parse(pretty.stdout)).toEqual(JSON.parse(plain.stdout));
    expect(pretty.stdout).toBe(
      `${JSON.stringify(JSON.parse(plain.stdout), null, 2).replace("9007199254740992", "9007199254740993")}\n`,
    );
  });

  it("prints several streams as an object, one when it is asked for", async () => {
    const body = sse(start("b"), start("a"), append(2, "!", "a"), end(3, "a"), end(2, "b"));
    const all = { b: START.model, a: modelWith("Hello!") };
    const run = await cli(["reduce", ...engine], [body]);
    expect(run).toEqual({ code: 0, stdout: `${JSON.stringify(all)}\n`, stderr: "" });
    expect(await cli(["reduce", "--all-streams", ...engine], [body])).toEqual(run);
    const one = await cli(["reduce", "--stream", "a", ...engine], [body]);
    expect(one).toEqual({ code: 0, stdout: `${JSON.stringify(all.a)}\n`, stderr: "" });
    const lone = await cli(["reduce", "--all-streams", ...engine], [sse(...SINGLE)]);
    expect(JSON.parse(lone.stdout)).toEqual({ "": modelWith("Hello, world") });
    const missing = await cli(["reduce", "--stream", "c", ...engine], [body]);
    expect(missing).toEqual({ code: 1, stdout: "", stderr: 'error: there is no stream "c"\n' });
    const unnamed = await cli(["reduce", "--stream", "", ...engine], [body]);
    expect(unnamed).toEqual({ code: 1, stdout: "", stderr: "error: there is no unnamed stream\n" });
  });

  it("prints what there is of a refused stream, and the reason", async () => {
    const body = sse(START, append(2, "!"), { op: "jump", seq: 3 }, append(4, "?"), end(5));
    const run = await cli(["reduce", ...engine], [body]);
    expect(run.code).toBe(1);
    expect(run.stdout).toBe(`${JSON.stringify(modelWith("Hello!"))}\n`);
    expect(run.stderr).toMatch(
      /^error: unknown_op: .*\/op.*\ntruncated: the unnamed stream is refused, without an end\n$/,
    );
  });

  it("prints what there is before the connection failed, and reads no further", async () => {
    const run = await cli(["reduce", "--from", "ndjson", ...engine], [ndjson(START), "{]\n", ndjson(append(2, "!"))]);
    expect(run.code).toBe(1);
    expect(run.stdout).toBe(`${JSON.stringify(START.model)}\n`);
    expect(run.stderr).toMatch(/^error: bad_json: .*\ntruncated: .*\n$/);
  });

  it("tells a body that was cut inside a message", async () => {
    const run = await cli(["reduce", ...engine], [sse(...SINGLE), 'data: {"op":"st']);
    expect(run).toEqual({ code: 1, stdout: MODEL, stderr: "truncated: the input ends inside a message\n" });
    expect(await cli(["reduce", "--all-streams", ...engine], [""])).toMatchObject({ code: 1, stdout: "{}\n" });
  });

  it("judges the asked-for stream alone", async () => {
    const body = sse(start("a"), start("b"), { op: "jump", seq: 2, stream_id: "b" }, end(2, "a"));
    const a = await cli(["reduce", "--stream", "a", ...engine], [body]);
    expect(a.code).toBe(0);
    expect(a.stderr).toMatch(/^error: unknown_op.*\ntruncated: stream "b" is refused, without an end\n$/);
    expect((await cli(["reduce", "--stream", "b", ...engine], [body])).code).toBe(1);
  });

  it("warns of skipped events, refuses them when told to", async () => {
    const body = sse(START, append(1, "!"), end(2));
    const run = await cli(["reduce", ...engine], [body]);
    expect(run).toMatchObject({ code: 0, stdout: `${JSON.stringify(START.model)}\n` });
    expect(run.stderr).toMatch(/^warning: .* \[event 1\]\n$/);
    expect((await cli(["reduce", "--sequence", "strict", ...engine], [body])).stderr).toContain("stale_seq");
    expect((await cli(["reduce", "--sequence", "off", ...engine], [body])).stdout).toContain("Hello!");
  });

  it("refuses a message over --max-message", async () => {
    for (const from of ["sse", "ndjson", "json"]) {
      const body = from === "sse" ? sse(START) : from === "json" ? JSON.stringify(START) : ndjson(START);
      const run = await cli(["reduce", "--from", from, "--max-message", "20", ...engine], [body]);
      expect(run).toMatchObject({ code: 1, stdout: "" });
      expect(run.stderr).toContain("too_large");
    }
  });

  it("says which wires there are when no event was found, and says again at the end that it is the other protocol", async () => {
    for (const command of ["reduce", "verify", "transcode"]) {
      const to = command === "transcode" ? ["--to", "ndjson"] : [];
      const run = await cli([command, ...to, ...engine], [ndjson(START)]);
      expect(run.code).toBe(1);
      const told = command === "verify" ? run.stdout : run.stderr;
      expect(told).toContain("bytes read as sse; other wires are read with --from ndjson, json, msgpack or protobuf");
      expect((await cli([command, ...to, ...engine], [])).stderr).not.toContain("--from");
      const other = Array.from({ length: 12 }, () => ({ type: "RUN_STARTED", threadId: "t", runId: "r" }));
      const wrong = await cli([command, ...to, ...engine], [sse(...other)]);
      const lines = (command === "verify" ? wrong.stdout : wrong.stderr).trimEnd().split("\n");
      expect(lines.slice(-2).filter((line) => line.includes("read with --protocol ag-ui"))).toHaveLength(1);
      expect(lines.filter((line) => line.includes("read with --protocol ag-ui"))).toHaveLength(2);
    }
  });

  it("refuses what is beyond a --limit", async () => {
    const limits = ["--limit", "numberLength=20", "--limit", "depth=3"];
    const deep = await cli(["reduce", "--from", "ndjson", ...limits, ...engine], [ndjson(START, { op: [[[[1]]]] })]);
    expect(deep.code).toBe(1);
    expect(deep.stderr).toContain("error: too_deep");
    const long = `{"op":${"1".repeat(21)}}\n`;
    const run = await cli(["reduce", "--from", "ndjson", ...limits, ...engine], [long]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toContain("numberLength");
  });

  it("escapes what could command a terminal", async () => {
    const run = await cli(["reduce", ...engine], [sse(START, { "op\u001b[2J\n": 1 })]);
    expect(run.stderr).toContain("op\\u001b[2J\\u000a");
    expect(run.stderr.trimEnd().split("\n")).toHaveLength(2);
  });
});
