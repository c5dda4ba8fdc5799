import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Reducer, ReducerOptions } from "../../src/engine/contract.js";
import { loadEngineSync } from "../../src/entry/node.js";

interface Report {
  code: string;
  path?: string;
}

const engine = loadEngineSync({ kind: "js" });

function bytesOf(name: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../../examples/${name}`, import.meta.url)));
}

/** Folds a recording as `verify` does: everything is reported and reading goes on. */
function fold(name: string, options: Partial<ReducerOptions> = {}, chunk = 65_536) {
  const reports: Report[] = [];
  const report = ({ code, path }: Report) => void reports.push(path === undefined ? { code } : { code, path });
  const reducer = engine.createReducer({
    protocol: "agentue",
    transport: name.endsWith(".ndjson") ? "ndjson" : "sse",
    onViolation: "skip-event",
    undecodable: "skip",
    onError: report,
    onWarning: report,
    onGap: ({ op, streamId }) => void reports.push({ code: `gap before ${op}`, path: streamId }),
    ...options,
  });
  const bytes = bytesOf(name);
  for (let at = 0; at < bytes.length; at += chunk) reducer.push(bytes.subarray(at, at + chunk));
  return { reducer, reports, result: reducer.finish() };
}

function models(reducer: Reducer): Record<string, unknown> {
  return Object.fromEntries(
    reducer.streamIds().map((streamId) => [streamId, reducer.snapshot({ streamId, integers: "bigint" })]),
  );
}

describe("the generator", () => {
  it("would write exactly the committed files", () => {
    const script = fileURLToPath(new URL("../../examples/generate.mjs", import.meta.url));
    expect(() => execFileSync(process.execPath, [script, "--check"], { stdio: "pipe" })).not.toThrow();
  });
});

describe.each(["support-session.sse", "single-stream.sse", "recorded.ndjson"])("%s", (name) => {
  it.each(["dedupe", "strict"] as const)("breaks no rule and is complete (sequence %s)", (sequence) => {
    const { reports, result, reducer } = fold(name, { sequence });
    expect(reports).toEqual([]);
    expect(result.status).toBe("complete");
    expect(result.streams.every(({ status }) => status === "ended")).toBe(true);
    expect(reducer.stats()).toMatchObject({ skipped: 0, dropped: 0, errors: 0, warnings: 0 });
    expect(reducer.stats().applied).toBe(reducer.stats().events);
  });

  it("means the same in small chunks", () => {
    expect(models(fold(name, {}, 997).reducer)).toEqual(models(fold(name).reducer));
  });
});

describe("support-session.sse", () => {
  const { reducer } = fold("support-session.sse");
  const all = models(reducer) as Record<string, { meta: Record<string, unknown>; blocks: Record<string, unknown>[] }>;
  const blocks = Object.values(all).flatMap((model) => model.blocks);

  it("is of the promised size", () => {
    expect(reducer.stats().events).toBeGreaterThan(5000);
    expect(reducer.stats().events).toBeLessThan(8000);
    expect(Object.keys(all)).toHaveLength(6);
    expect(reducer.retry).toBe(3000);
    expect(Number(reducer.lastEventId)).toBeGreaterThan(5000);
  });

  it("holds every kind of block and state", () => {
    expect(new Set(blocks.map(({ type }) => type))).toEqual(
      new Set(["text", "reasoning", "tool", "artifact", "frame", undefined]),
    );
    expect(blocks.filter(({ ref }) => ref !== undefined)).toHaveLength(6);
    const failed = Object.entries(all).filter(([, { meta }]) => meta.error !== null);
    expect(failed).toHaveLength(1);
    expect(failed[0]![1].meta.error).toMatchObject({ code: "upstream_unavailable" });
    expect(all["message-1043"]!.meta.progress).toEqual({ turns: { done: 5 } });
  });

  it("holds text that is hard to carry", () => {
    const text = blocks.map(({ content }) => content ?? "").join("");
    for (const part of [
      "预计三到五个工作日",
      "👩‍💻👨🏽‍🔧",
      "re\u0301sume\u0301",
      "𠮷野家",
      "🇪🇺",
      "قريبًا",
      "\\",
      '"retry"',
    ])
      expect(text).toContain(part);
    expect(text).not.toMatch(/\p{Surrogate}/u);
    const wire = new TextDecoder().decode(bytesOf("support-session.sse"));
    expect(wire.match(/\\ud8[0-9a-f]{2}"/g)!.length).toBeGreaterThan(10);
    expect(wire).toMatch(/^data: .*\ndata: /m);
    const results = blocks.map(({ tool }) => (tool as { result?: Record<string, unknown> } | undefined)?.result);
    const integers = results
      .flatMap((result) => Object.values(result ?? {}))
      .flatMap((value) => (typeof value === "object" ? Object.values(value ?? {}) : [value]));
    expect(integers.filter((value) => typeof value === "bigint").length).toBeGreaterThan(3);
    for (const value of integers)
      if (typeof value === "bigint")
        expect([9007199254740993n, 18446744073709551615n, 1234567890123456789012n]).toContain(value);
  });

  it("has tool calls whose arguments became whole", () => {
    const tools = blocks.filter(({ type }) => type === "tool");
    expect(tools.length).toBeGreaterThan(20);
    for (const { arguments: args, tool, log } of tools) {
      expect(Object.keys(JSON.parse(args as string))).toEqual(["query", "limit", "strict"]);
      expect(tool).toMatchObject({ status: "completed", timing: { total_ms: expect.any(Number) } });
      expect((log as unknown[]).length).toBeGreaterThan(0);
    }
  });

  it("is where the NDJSON recording comes from", () => {
    const part = models(fold("recorded.ndjson").reducer);
    expect(Object.keys(part)).toHaveLength(2);
    for (const [streamId, model] of Object.entries(part)) expect(model).toEqual(all[streamId]);
  });
});

describe("single-stream.sse", () => {
  it("is one unnamed stream with a model of version 1.0", () => {
    const { reducer } = fold("single-stream.sse");
    expect(reducer.streamIds()).toEqual([""]);
    expect(reducer.snapshot({ integers: "bigint" })).toMatchObject({
      version: "1.0",
      blocks: [
        { id: "answer" },
        { id: "stage", stage: "done" },
        { id: "list", items: ["first", 9007199254740993n, null, ["nested"]] },
      ],
    });
  });
});

describe("broken.sse", () => {
  it("breaks the rules that its comments name, in their order, and nothing else", () => {
    const { reports, result } = fold("broken.sse");
    const text = new TextDecoder().decode(bytesOf("broken.sse"));
    const named = [...text.matchAll(/^: ([a-z][a-z0-9_]+)(?: (\/\S*))?$/gm)].map(([, code, path]) =>
      path === undefined ? { code } : { code, path },
    );
    expect(reports).toEqual(named);
    expect(new Set(named.map(({ code }) => code)).size).toBeGreaterThan(15);
    expect(result.status).toBe("complete");
  });
});
