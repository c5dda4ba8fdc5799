import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type Case, runCase, withRatios } from "../../bench/case.js";
import { runChild } from "../../bench/child.js";
import { coldStart } from "../../bench/cold-start.js";
import { CORPUS, select } from "../../bench/corpus.js";
import { WrongAnswer } from "../../bench/measure.js";
import type { MemoryOutput } from "../../bench/memory.js";
import type { Results } from "../../bench/results.js";
import { summarize } from "../../bench/statistics.js";
import { END_MARK, START_MARK } from "../../bench/table.js";

const folder = mkdtempSync(path.join(os.tmpdir(), "streamfold-bench-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

function bench(...args: string[]) {
  return spawnSync(process.execPath, [cli, "bench", ...args], { encoding: "utf8" });
}

describe("the corpus", () => {
  it("has rows with different names, and a case for each claim", () => {
    const ids = CORPUS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const prefix of [
      "fold/one/",
      "fold/64k/",
      "slim/",
      "snapshot/copy/",
      "snapshot/view/",
      "snapshot/value/",
      "load/",
      "patch/",
      "fork/",
      "replay/",
      "growth/",
      "memory/",
      "objects/",
      "cold-start/",
      "scale/",
      "ag-ui/fold/",
      "ag-ui/delta/",
      "ag-ui/state/",
      "ag-ui/pipeline/",
      "encode/",
      "produce/",
      "msgpack/agentue/",
      "msgpack/ag-ui/",
      "msgpack/snapshot/",
      "msgpack/load/",
      "protobuf/one/",
      "protobuf/64k/",
      "transcode/ag-ui/",
      "transcode/agentue/",
      "ag-ui/partial/",
    ]) {
      expect(ids.some((id) => id.startsWith(prefix))).toBe(true);
    }
    expect(ids.filter((id) => id.startsWith("fold/"))).toHaveLength(26);
  });

  it("is chosen from by id and by title", () => {
    expect(select(/^load\//)).toHaveLength(2);
    expect(select(/64 streams, ASCII/)).toHaveLength(4);
    expect(select(undefined)).toHaveLength(CORPUS.length);
    expect(select(/nothing like it/)).toEqual([]);
  });
});

describe("a row", () => {
  const base: Case = {
    id: "x",
    group: "g",
    title: "t",
    unit: "us",
    target: { kind: "ratio-at-least", value: 5 },
    run: () => ({ contenders: [] }),
  };

  it("whose contender is wrong has an error and no figures", () => {
    const wrong: Case = {
      ...base,
      run() {
        throw new WrongAnswer("somebody", 3);
      },
    };
    const row = runCase(wrong, { mode: "quick", engines: [], patchLibraries: [], officialClient: false });
    expect(row.error).toBe("somebody gives a wrong answer for payload 3");
    expect(row).toMatchObject({ contenders: [] });
    expect(row.met).toBeUndefined();
  });

  it("says whether each library was beaten by as much as was expected, or nothing where one did not take part", () => {
    const each = (name: string, side: "wasm" | "js", median: number) => ({ name, side, ...summarize([median]) });
    const all = [each("core", "wasm", 10), each("one + model", "js", 60), each("two + model", "js", 30)];
    const met = (contenders: typeof all, over: Record<string, number>) =>
      runCase(
        { ...base, target: { kind: "ratio-to-each", over }, run: () => ({ contenders }) },
        { mode: "quick", engines: [], patchLibraries: [], officialClient: false },
      ).met;
    expect(met(all, { one: 6, two: 3 })).toBe(true);
    expect(met(all, { one: 6, two: 4 })).toBe(false);
    expect(met(all.slice(0, 2), { one: 6, two: 4 })).toBeUndefined();
    const outcome = { contenders: all, ratio: { value: 3, wasm: "core", js: "two + model" } };
    expect(withRatios(outcome, ["one", "two", "three"])).toEqual({
      ...outcome,
      figure: { value: 3, text: "6.00x one, 3.00x two" },
    });
    expect(withRatios(outcome, ["three"])).toEqual(outcome);
  });

  it("says whether the target was met", () => {
    const ratio = { value: 6, wasm: "a", js: "b" };
    expect(
      runCase(
        { ...base, run: () => ({ contenders: [], ratio }) },
        { mode: "quick", engines: [], patchLibraries: [], officialClient: false },
      ).met,
    ).toBe(true);
  });
});

describe("tasks of child processes", () => {
  it("fold and compare in a fresh process", () => {
    for (const mode of ["js", "baseline"] as const) {
      const { correct, milliseconds } = coldStart({ mode, events: 50 });
      expect(correct).toBe(true);
      expect(milliseconds).toBeGreaterThan(0);
    }
  });

  it("weigh in a process of their own", () => {
    const weighed = runChild<MemoryOutput>("memory", { mode: "byte parser on Uint8Array", streams: 5, textBytes: 400 });
    expect(weighed).toMatchObject({ text: 2000, live: 0, held: 0 });
    const core = runChild<MemoryOutput>("memory", { mode: "wasm-simd", streams: 100, textBytes: 4000 });
    expect(core.text).toBe(400_000);
    expect(core.live).toBeGreaterThan(core.text);
    expect(core.held).toBeGreaterThanOrEqual(core.live);
    expect(() => runChild("memory", { mode: "no such engine", streams: 5, textBytes: 400 })).toThrow(/no such engine/);
    expect(() => runChild("no such task", null)).toThrow(/no such task/);
  });
});

describe("the program", () => {
  it("measures what the filter names and writes results, chart and table", () => {
    const json = path.join(folder, "out", "results.json");
    const svg = path.join(folder, "results.svg");
    const readme = path.join(folder, "README.md");
    writeFileSync(readme, `${START_MARK}\n${END_MARK}\n`);
    const { status, stdout, stderr } = bench(
      "--quick",
      "--filter",
      "^(fold/64k/1-block/ascii/1-shape|cold-start/100)$",
      "--json",
      json,
      "--svg",
      svg,
      "--readme",
      readme,
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain(`Node ${process.versions.node}`);
    const results = JSON.parse(readFileSync(json, "utf8")) as Results;
    expect(results.rows.map(({ id }) => id)).toEqual(["fold/64k/1-block/ascii/1-shape", "cold-start/100"]);
    expect(results.machine.node).toBe(process.versions.node);
    expect(results.engines.map(({ kind }) => kind)).toEqual(["wasm-simd", "wasm-scalar", "js"]);
    const [fold, cold] = results.rows;
    expect(fold!.contenders.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "streamfold wasm-simd",
        "streamfold js",
        "TextDecoder + JSON.parse",
        "byte parser on Uint8Array",
      ]),
    );
    for (const { median, samples } of fold!.contenders) {
      expect(median).toBeGreaterThan(0);
      expect(samples).toBeGreaterThanOrEqual(8);
    }
    expect(fold!.ratio!.value).toBeGreaterThan(1);
    expect(cold!.contenders.map(({ samples }) => samples)).toEqual([3, 3, 3, 3]);
    expect(readFileSync(svg, "utf8")).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
    expect(readFileSync(readme, "utf8")).toContain("| 1 block, ASCII, 1 shape |");
    const again = path.join(folder, "again.svg");
    expect(bench("--from", json, "--svg", again).status).toBe(0);
    expect(readFileSync(again, "utf8")).toBe(readFileSync(svg, "utf8"));
  });

  it("times the refusal of models only when all of their text has been read", () => {
    const json = path.join(folder, "validate.json");
    const { status, stderr } = bench("--quick", "--filter", "^scale/validate$", "--json", json);
    expect(stderr).toBe("");
    expect(status).toBe(0);
    const [row] = (JSON.parse(readFileSync(json, "utf8")) as Results).rows;
    const ranked = row!.contenders.filter(({ side }) => side === "wasm").map(({ name }) => name);
    expect(ranked).toEqual(["streamfold wasm-simd, JSON text", "streamfold wasm-scalar, JSON text"]);
    expect(row!.contenders).toHaveLength(7);
    expect(row!.ratio).toBeUndefined();
  });

  it("fails for a filter without match, for wrong usage and for a file that is not there", () => {
    expect(bench("--quick", "--filter", "no such row").status).toBe(1);
    expect(bench("--no-such-option").status).toBe(2);
    expect(bench("--filter", "(").status).toBe(2);
    expect(bench("--from", path.join(folder, "missing.json")).status).toBe(1);
  });
});
