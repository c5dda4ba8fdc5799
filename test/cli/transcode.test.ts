import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { append, end, modelWith, ndjson, START, sse, start } from "../reducer/wire.js";
import { jsonOfMsgpack, msgpackOf } from "../support/binary.js";
import { concat } from "../support/bytes.js";
import { KINDS } from "../support/engines.js";
import { canonical } from "../support/exact-json.js";
import { binaryCli, cli, scratchFolder } from "./cli.js";

const file = scratchFolder();

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const SINGLE = [START, append(2, ", world"), end(3)];
const PACKED = concat(SINGLE.map((event) => msgpackOf(JSON.stringify(event))));
const MODEL = `${JSON.stringify(modelWith("Hello, world"))}\n`;

const RUN = [
  { type: "RUN_STARTED", threadId: "t", runId: "r" },
  { type: "TEXT_MESSAGE_CHUNK", messageId: "m", delta: "hi" },
  { type: "RUN_FINISHED", threadId: "t", runId: "r" },
];

describe.each(KINDS)("streamfold transcode --engine %s", (kind) => {
  const engine = ["--engine", kind];

  it("writes every wire of a protocol, and reads it by its file's name", async () => {
    const agui = ["--protocol", "ag-ui", ...engine];
    const from = file("run.ndjson", ndjson(...RUN));
    const model = await cli(["reduce", from, ...agui]);
    for (const [to, names] of [
      ["sse", ["out.sse"]],
      ["ndjson", ["out.jsonl"]],
      ["msgpack", ["out.msgpack", "out.MP"]],
      ["protobuf", ["out.pb", "out.agui.pb"]],
    ] as const) {
      const run = await binaryCli(["transcode", from, "--to", to, ...agui]);
      expect(run).toMatchObject({ code: 0, stderr: "" });
      for (const name of names) expect(await cli(["reduce", file(name, run.stdout), ...agui])).toEqual(model);
      const checked = await cli(["verify", "-", "--from", to, ...agui], [run.stdout]);
      expect(checked).toMatchObject({ code: 0, stderr: "" });
      expect(checked.stdout).toMatch(/^3 events: 3 applied, .* complete\n$/);
    }
  });

  it("takes a binary standard input, cut anywhere", async () => {
    const pieces = Array.from(PACKED, (byte) => Uint8Array.of(byte));
    const fine = { code: 0, stderr: "" };
    expect(await cli(["reduce", "-", "--from", "msgpack", ...engine], pieces)).toEqual({ ...fine, stdout: MODEL });
    const there = await cli(["transcode", "-", "--from", "msgpack", "--to", "sse", ...engine], pieces);
    expect(there).toEqual({ ...fine, stdout: text(sse(...SINGLE)) });
    const back = await binaryCli(["transcode", "--to", "msgpack", ...engine], [there.stdout]);
    expect(back).toMatchObject(fine);
    expect([...back.stdout]).toEqual([...PACKED]);
  });

  it("writes AG-UI as AgentUE", async () => {
    const from = file("run.ndjson", ndjson(...RUN));
    const run = await cli([
      "transcode",
      from,
      "--protocol",
      "ag-ui",
      "--to",
      "sse",
      "--to-protocol",
      "agentue",
      ...engine,
    ]);
    expect(run).toMatchObject({ code: 0, stderr: "" });
    const model = await cli(["reduce", "-", "--from", "sse", "--sequence", "strict", ...engine], [run.stdout]);
    expect(model).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(model.stdout).blocks).toEqual([
      { id: "state", type: "state", state: {} },
      { id: "message:m", type: "text", role: "assistant", status: "complete", content: "hi" },
    ]);
    const wrong = await cli(["transcode", from, "--protocol", "ag-ui", "--to", "protobuf", "--to-protocol", "agentue"]);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
  });

  it("keeps the model of the recorded sessions", async () => {
    for (const [name, protocol, to] of [
      ["research.agui.sse", "ag-ui", "protobuf"],
      ["support-session.sse", "agentue", "msgpack"],
      ["single-stream.sse", "agentue", "msgpack"],
    ] as const) {
      const options = ["--protocol", protocol, ...engine];
      const run = await binaryCli(["transcode", example(name), "--to", to, ...options]);
      expect(run.code).toBe(0);
      const [before, after] = [
        await cli(["reduce", example(name), ...options]),
        await cli(["reduce", "-", "--from", to, ...options], [run.stdout]),
      ];
      expect(after).toMatchObject({ code: 0, stderr: "" });
      // Doubles are what every reader sees of numbers that a wire cannot spell.
      expect(JSON.parse(after.stdout)).toEqual(JSON.parse(before.stdout));
    }
  });

  it("leaves out what is refused, and says so", async () => {
    const body = ndjson(START, { op: "jump", seq: 2 }, append(3, "!"), end(4));
    const run = await cli(["transcode", "--from", "ndjson", "--to", "ndjson", ...engine], [body]);
    expect(run.code).toBe(1);
    expect(run.stdout).toBe(text(ndjson(START)));
    expect(run.stderr).toMatch(/^error: unknown_op: .*\ntruncated: .*\n$/);
    const passed = await cli(["transcode", "--from", "ndjson", "--to", "ndjson", "--no-enforce", ...engine], [body]);
    expect(passed).toEqual({ code: 0, stdout: text(body), stderr: "" });
  });

  it("writes what came before the connection failed, and reads no further", async () => {
    const run = await cli(
      ["transcode", "--from", "ndjson", "--to", "sse", ...engine],
      [`${text(ndjson(START))}{]\n`, ndjson(append(2, "!"))],
    );
    expect(run.code).toBe(1);
    expect(run.stdout).toBe(text(sse(START)));
    expect(run.stderr).toMatch(/^error: bad_json: .*\ntruncated: .*\n$/);
  });

  it("tells losses, cuts and what has no form in one line each", async () => {
    const odd = text(ndjson({ ...START, model: { ...START.model, x: "\ud83d" } })).replace('"1.1"', '"1.1","n":1e400');
    const unwritten = await cli(["transcode", "--from", "ndjson", "--to", "msgpack", ...engine], [odd, ndjson(end(2))]);
    expect(unwritten.code).toBe(1);
    expect(unwritten.stderr).toMatch(/^error: limit: .*\n$/);
    const lossy = await binaryCli(
      ["transcode", "--from", "ndjson", "--to", "msgpack", ...engine],
      [odd.replace("1e400", "1"), ndjson(end(2))],
    );
    expect(lossy.code).toBe(0);
    expect(lossy.stderr).toMatch(/^warning: .*surrogate.* \[event 0\]\n$/);
    const cut = await binaryCli(
      ["transcode", "--from", "msgpack", "--to", "msgpack", ...engine],
      [PACKED.subarray(0, -1)],
    );
    expect(cut).toMatchObject({ code: 1, stderr: expect.stringMatching(/^truncated: .*\n$/) });
    const one = await cli(["transcode", file("one.json", JSON.stringify(START)), "--to", "sse", ...engine]);
    expect(one).toEqual({ code: 0, stdout: text(sse(START)), stderr: "note: one event has no end\n" });
  });
});

describe.each(KINDS)("streamfold reduce --to msgpack --engine %s", (kind) => {
  const args = (...more: string[]) => ["reduce", "--to", "msgpack", "--engine", kind, ...more];

  it("writes one model, or a map of them", async () => {
    const body = sse(start("b"), start("a"), append(2, "!", "a"), end(3, "a"), end(2, "b"));
    const models = { b: START.model, a: modelWith("Hello!") };
    const one = await binaryCli(args("--stream", "a"), [body]);
    expect(one).toMatchObject({ code: 0, stderr: "" });
    expect([...one.stdout]).toEqual([...msgpackOf(JSON.stringify(models.a))]);
    const all = await binaryCli(args(), [body]);
    expect(all).toMatchObject({ code: 0, stderr: "" });
    expect([...all.stdout]).toEqual([...msgpackOf(JSON.stringify(models))]);
    expect((await cli(args("--stream", "c"), [body])).stderr).toBe('error: there is no stream "c"\n');
  });

  it("writes maps and names of every size", async () => {
    const names = Array.from({ length: 17 }, (_, i) => "é".repeat(i * i * 4 + 1));
    const body = sse(...names.flatMap((name) => [start(name), end(2, name)]));
    const run = await binaryCli(args("--all-streams"), [body]);
    const wanted = JSON.stringify(Object.fromEntries(names.map((name) => [name, START.model])));
    expect(canonical(jsonOfMsgpack(run.stdout))).toBe(canonical(wanted));
    expect((await binaryCli(args("--all-streams"), [""])).stdout).toEqual(Buffer.of(0x80));
  });

  it("cannot write a number beyond the range of a double", async () => {
    const body = sse(JSON.stringify(START).replace('"meta":{}', '"meta":{"n":1e400}'), end(2));
    const run = await cli(args(), [body]);
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(run.stderr).toMatch(/^error: bad_msgpack: .*\n$/);
  });
});

it("the recorded sessions hold numbers that no double spells as they do", () => {
  expect(readFileSync(example("support-session.sse"), "utf8")).toMatch(/18446744073709551615/);
});
