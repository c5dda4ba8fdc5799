import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { prepareRunInput, type RunAgentInput } from "../../src/agui/index.js";
import type { Transport, Warning } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { utf8 } from "../support/bytes.js";
import { type Chunking, ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { publishedAgui } from "../support/shared.js";

// The official streams of AG-UI 1.1: every key of `expect`, with the overrides for TypeScript and without those for other clients.

interface Expectation {
  outcome: "completed" | "failed";
  errorContains?: string;
  warnings?: string[];
  noWarnings?: true;
  messageCount?: number;
  messages?: unknown[];
  state?: unknown;
  eventTypes?: string[];
  eventTypesAbsent?: string[];
  eventPaths?: Record<string, unknown>;
  eventAbsentPaths?: string[];
  request?: Record<string, unknown>;
  requestAbsentPaths?: string[];
  runError?: string;
}

interface Fixture {
  name: string;
  client?: { maxProtocolVersion?: string };
  input?: { messages?: unknown[]; state?: unknown };
  stream: { type: string }[];
  expect: Expectation;
  expectOverrides?: { typescript?: Partial<Expectation> };
}

const folder = publishedAgui("streams");
const KEYS = new Set(
  (
    "outcome errorContains warnings noWarnings messageCount messages state eventTypes eventTypesAbsent eventPaths eventAbsentPaths " +
    "request requestAbsentPaths runError"
  ).split(" "),
);

function fixtures(where: string): Fixture[] {
  return readdirSync(where)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(path.join(where, name), "utf8")) as Fixture);
}

const CHUNKINGS: readonly Chunking[] = [WHOLE, ONE_BYTE, randomCuts(7), randomCuts(8)];

describe.skipIf(folder === undefined)("official streams", () => {
  const all = folder === undefined ? [] : fixtures(folder);

  it("are all there, and say nothing that is not looked at", () => {
    expect(all).toHaveLength(68);
    for (const { name, expect: expected } of all) {
      expect(
        Object.keys(expected).filter((key) => !KEYS.has(key)),
        name,
      ).toEqual([]);
    }
  });

  describe.each(KINDS)("%s", (kind) => {
    it.each(all.map((fixture) => [fixture.name, fixture] as const))("%s", (_name, fixture) => {
      const expected = { ...fixture.expect, ...fixture.expectOverrides?.typescript };
      const request = checkRequest(fixture, expected);
      for (const transport of ["sse", "ndjson"] as const) {
        for (const chunking of CHUNKINGS) {
          check(run(kind, fixture, transport, chunking), expected, request, `${transport}, ${chunking.name}`);
        }
      }
    });
  });
});

function baseline(fixture: Fixture) {
  return { threadId: "thread", runId: "run", messages: [], ...fixture.input };
}

/** What would be sent, and its warnings. */
function checkRequest(fixture: Fixture, expected: Expectation): string[] {
  const prepared = prepareRunInput(baseline(fixture) as RunAgentInput, fixture.client ?? {});
  if (expected.request !== undefined) expect(prepared.input).toMatchObject(expected.request);
  for (const absent of expected.requestAbsentPaths ?? []) {
    expect(at(prepared.input, absent), absent).toBeUndefined();
  }
  return prepared.warnings.map(({ message }) => message);
}

interface Seen {
  events: Record<string, unknown>[];
  warnings: Warning[];
  errors: StreamfoldError[];
  snapshot: { messages: unknown[]; state: unknown; run: { status: string; error?: { message: string } } };
  truncated: boolean;
}

function run(kind: (typeof KINDS)[number], fixture: Fixture, transport: Transport, chunking: Chunking): Seen {
  const seen: Omit<Seen, "snapshot" | "truncated"> = { events: [], warnings: [], errors: [] };
  const reducer = engine(kind).createReducer({
    protocol: "ag-ui",
    transport,
    ...fixture.client,
    input: baseline(fixture),
    onEvent: (event) => void seen.events.push(event as Record<string, unknown>),
    onWarning: (warning) => void seen.warnings.push(warning),
    onError: (error) => void seen.errors.push(error),
  });
  const body = fixture.stream.map((event) =>
    transport === "sse" ? `data: ${JSON.stringify(event)}\n\n` : `${JSON.stringify(event)}\n`,
  );
  for (const chunk of chunking.split(utf8(body.join("")))) reducer.push(chunk);
  const result = reducer.finish();
  const snapshot = reducer.snapshot<Seen["snapshot"]>()!;
  reducer.close();
  return { ...seen, snapshot, truncated: result.status === "truncated" };
}

function check(seen: Seen, expected: Expectation, request: string[], label: string): void {
  const plain = (text: string) => text.replaceAll("\\", "");
  const messages = seen.errors.map((error) => plain(error.message));
  if (expected.outcome === "failed") {
    expect(seen.errors.length, label).toBe(1);
    expect(seen.snapshot.run.status, label).toBe("rejected");
    expect(messages[0], label).toContain(plain(expected.errorContains ?? ""));
  } else {
    expect(messages, label).toEqual([]);
    expect(["finished", "interrupted", "cancelled", "failed"], label).toContain(seen.snapshot.run.status);
    expect(seen.truncated, label).toBe(false);
  }
  const warnings = [...seen.warnings.map(({ message }) => message), ...request];
  for (const text of expected.warnings ?? []) {
    expect(
      warnings.some((warning) => warning.includes(text)),
      `${label}: ${text} in ${JSON.stringify(warnings)}`,
    ).toBe(true);
  }
  if (expected.noWarnings) expect(warnings, label).toEqual([]);
  if (expected.messageCount !== undefined) expect(seen.snapshot.messages.length, label).toBe(expected.messageCount);
  if (expected.messages !== undefined) expect(seen.snapshot.messages, label).toMatchObject(expected.messages);
  if ("state" in expected) expect(seen.snapshot.state, label).toEqual(expected.state);
  const types = seen.events.map(({ type }) => type);
  if (expected.eventTypes !== undefined) expect(types, label).toEqual(expected.eventTypes);
  for (const type of expected.eventTypesAbsent ?? []) expect(types, label).not.toContain(type);
  for (const [place, value] of Object.entries(expected.eventPaths ?? {})) {
    expect(at(seen.events, place), `${label}: ${place}`).toEqual(value);
  }
  for (const place of expected.eventAbsentPaths ?? [])
    expect(at(seen.events, place), `${label}: ${place}`).toBeUndefined();
  if (expected.runError !== undefined) {
    expect(seen.events.find(({ type }) => type === "RUN_ERROR")?.message, label).toBe(expected.runError);
  }
}

function at(value: unknown, place: string): unknown {
  return place
    .split(".")
    .reduce<unknown>((found, step) => (found as Record<string, unknown> | undefined)?.[step], value);
}
