import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { append, end, ndjson, START, sse, start } from "../reducer/wire.js";
import { KINDS } from "../support/engines.js";
import { cli } from "./cli.js";

const BROKEN = fileURLToPath(new URL("../../examples/broken.sse", import.meta.url));

describe.each(KINDS)("streamfold verify --engine %s", (kind) => {
  const engine = ["--engine", kind];

  it("finds nothing in a sound stream", async () => {
    const run = await cli(["verify", ...engine], [sse(START, append(2, "!"), end(3))]);
    expect(run).toEqual({
      code: 0,
      stdout: "3 events: 3 applied, 0 skipped, 0 violations, 0 warnings, 1 stream, complete\n",
      stderr: "",
    });
  });

  it("says once which protocol the events look like", async () => {
    const agui = ndjson(
      { type: "RUN_STARTED", threadId: "t", runId: "r" },
      { type: "RUN_FINISHED", threadId: "t", runId: "r" },
    );
    const agentue = ndjson(START, end(2));
    for (const [body, more, looks] of [
      [agui, [], /^note: .*--protocol ag-ui$/],
      [agentue, ["--protocol", "ag-ui"], /^note: .*--protocol agentue$/],
    ] as const) {
      const options = ["--from", "ndjson", ...more, ...engine];
      const hints = (text: string) => text.split("\n").filter((line) => line.startsWith("note: "));
      const checked = await cli(["verify", ...options], [body]);
      expect(hints(checked.stdout)).toEqual([expect.stringMatching(looks)]);
      const folded = await cli(["reduce", ...options], [body]);
      expect(hints(folded.stderr)).toEqual(hints(checked.stdout));
      const written = await cli(["transcode", "--to", "sse", ...options], [body]);
      expect(hints(written.stderr)).toEqual(hints(checked.stdout));
      expect([checked.code, folded.code, written.code]).toEqual([1, 1, 1]);
    }
  });

  it("goes on behind each violation and prints a line for each", async () => {
    const events = [start("a"), { op: "jump", seq: 2, stream_id: "a" }, "{", "[]", append(2, "!", "a"), { op: 5 }];
    const body = ndjson(...events, end(3, "a"));
    const run = await cli(["verify", "--from", "ndjson", ...engine], [body]);
    expect(run.code).toBe(1);
    expect(run.stderr).toBe("");
    const lines = run.stdout.trimEnd().split("\n");
    const starts = events.map((_, index) => ndjson(...events.slice(0, index)).length);
    expect(lines.slice(0, -1).map((text) => text.split("  ").slice(0, 5))).toEqual([
      ["event 1", `byte ${starts[1]}`, 'stream "a"', "unknown_op", "/op"],
      ["event 2", `byte ${starts[2]! + 1}`, "bad_json", "The message is not well-formed JSON"],
      [
        "event 3",
        `byte ${starts[3]}`,
        "not_an_event",
        "The message cannot be routed as an event: it must be an object",
      ],
      [
        "event 5",
        `byte ${starts[5]}`,
        "bad_field",
        "/op",
        "A member has a value that it must not have: it must be a string",
      ],
    ]);
    expect(lines.at(-1)).toBe("7 events: 3 applied, 0 skipped, 4 violations, 0 warnings, 1 stream, complete");
  });

  it("warnings alone are no failure", async () => {
    const run = await cli(["verify", ...engine], [sse(START, append(1, "!"), append(1, "?"), end(2))]);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(
      /^event 1 {2}duplicate_seq {2}\/seq {2}warning: .*\n4 events: 2 applied, 2 skipped, 0 violations, 1 warning/,
    );
  });

  it("a body that is cut off is a failure", async () => {
    const run = await cli(["verify", ...engine], [sse(start("a"), start("b"), end(2, "b"))]);
    expect(run).toEqual({
      code: 1,
      stdout:
        'end of input  truncated  stream "a" is open, without an end\n' +
        "3 events: 3 applied, 0 skipped, 0 violations, 0 warnings, 2 streams, truncated\n",
      stderr: "",
    });
  });

  it("judges a json input, which is one event, for violations only", async () => {
    const run = await cli(["verify", "--from", "json", ...engine], [JSON.stringify(START)]);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(
      /^end of input {2}truncated {2}the unnamed stream is open, without an end\n1 event: 1 applied/,
    );
    expect((await cli(["verify", "--from", "json", ...engine], [JSON.stringify(end(1))])).code).toBe(1);
    expect((await cli(["verify", "--from", "json", ...engine], ["{"])).code).toBe(1);
  });

  it("says once that a member is missing", async () => {
    const run = await cli(["verify", "--from", "ndjson", ...engine], [ndjson(START, { op: "ping" }, end(2))]);
    expect(run.stdout.split("\n")[0]).toMatch(/ {2}missing_field {2}\/seq {2}The event lacks a member$/);
  });

  it("reports every one of very many violations", async () => {
    const run = await cli(["verify", "--from", "ndjson", ...engine], [ndjson(START), "{}\n".repeat(20_000)]);
    expect(run.stdout.split("\n").filter((text) => text.includes("missing_field"))).toHaveLength(20_000);
  });

  it("finds in the broken example what its comments say", async () => {
    const wanted = readFileSync(BROKEN, "latin1")
      .split("\n")
      .flatMap((text) => (/^: [a-z_0-9]+( \/\S*)?$/.test(text) ? [text.slice(2)] : []));
    expect(wanted.length).toBeGreaterThan(10);
    const run = await cli(["verify", BROKEN, ...engine]);
    const found = run.stdout
      .split("\n")
      .filter((text) => text.startsWith("event "))
      .map((text) => {
        const columns = text.split("  ").filter((column) => !/^(event|byte|stream) /.test(column));
        return columns[1]?.startsWith("/") ? `${columns[0]} ${columns[1]}` : columns[0];
      });
    expect(found).toEqual(wanted);
    expect(run.code).toBe(1);
  });
});
