import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { utf8 } from "../support/bytes.js";
import { KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { binaryCli, cli } from "./cli.js";

const folder = mkdtempSync(path.join(tmpdir(), "streamfold-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const full = path.join(folder, name);
  writeFileSync(full, content);
  return full;
}

const BLOCK = `{ "id":"b", "type":"text", "content":"${"é\\n😀 \\u00e9".repeat(500)}" }`;

describe.each(KINDS)("streamfold frame and unframe --engine %s", (kind) => {
  const engine = ["--engine", kind];

  it("restore each other byte for byte, up to the line end, in any order", async () => {
    const block = file("block.json", `${BLOCK}\n`);
    const frames = await cli(["frame", block, "--max-bytes", "1000", ...engine]);
    expect(frames).toMatchObject({ code: 0, stderr: "" });
    const lines = frames.stdout.split("\n").slice(0, -1);
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) expect(utf8(line).length).toBeLessThanOrEqual(1000);
    const shuffled = new Rng(5).shuffle(lines).map((line) => `${line}\n`);
    const again = await binaryCli(["unframe", ...engine], shuffled);
    expect(again).toMatchObject({ code: 0, stderr: "" });
    expect(again.stdout.toString()).toBe(`${BLOCK}\n`);
    expect((await cli(["unframe", file("frames.any", frames.stdout), ...engine])).stdout).toBe(`${BLOCK}\n`);
    expect((await cli(["frame", "-", "--max-bytes", "1000000", ...engine], [BLOCK])).stdout.split("\n").length).toBe(2);
  });

  it("say in one line what is refused, and print nothing else", async () => {
    const wanted: [string[], string, number, RegExp][] = [
      [["frame", "--max-bytes", "1000"], "[]", 1, /^error: bad_block: .*\n$/],
      [["frame", "--max-bytes", "1000"], '{"id":"b"', 1, /^error: bad_json: .* \[byte 9\]\n$/],
      [["frame", "--max-bytes", "20"], '{"id":"b","type":"t"}', 2, /^error: .*maxBytes must be at least \d+\n$/],
      [["unframe"], "{}\n", 1, /^error: bad_block: .*\n$/],
      [["unframe"], "\n", 1, /^error: missing_frames: .*\n$/],
    ];
    for (const [args, input, code, message] of wanted) {
      const run = await cli([...args, ...engine], [input]);
      expect(run).toMatchObject({ code, stdout: "" });
      expect(run.stderr).toMatch(message);
    }
  });
});
