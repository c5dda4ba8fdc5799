import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { prepareRunInput, type RunAgentInput } from "../../src/agui/index.js";
import type { Transport, Warning } from "../../src/engine/contract.js";
import type { StreamfoldError } from "../../src/errors.js";
import { engine, type KINDS } from "../support/engines.js";
import { publishedAgui } from "../support/shared.js";

// The official streams of AG-UI 1.1: every key of `expect`, with the overrides for TypeScript and without those for other clients.

export interface Expectation {
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

export interface Fixture {
  name: string;
  client?: { maxProtocolVersion?: string };
  input?: { messages?: unknown[]; state?: unknown };
  stream: { type: string }[];
  expect: Expectation;
  expectOverrides?: { typescript?: Partial<Expectation> };
}

const folder = publishedAgui("streams");
/** Every key that is looked at. */
export const KEYS = new Set(
  (
    "outcome errorContains warnings noWarnings messageCount messages state eventTypes eventTypesAbsent eventPaths eventAbsentPaths " +
    "request requestAbsentPaths runError"
  ).split(" "),
);

/** All of them; none where the published material is not there. */
export const FIXTURES: readonly Fixture[] = folder === undefined ? [] : fixtures(folder);

/** What a fixture wants of a TypeScript client. */
export const expectationOf = (fixture: Fixture): Expectation => ({
  ...fixture.expect,
  ...fixture.expectOverrides?.typescript,
});

function fixtures(where: string): Fixture[] {
  return readdirSync(where)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(path.join(where, name), "utf8")) as Fixture);
}

/** What a run begins with. */
export function baseline(fixture: Fixture) {
  return { threadId: "thread", runId: "run", messages: [], ...fixture.input };
}

/** What would be sent, and its warnings. */
export function checkRequest(fixture: Fixture, expected: Expectation): string[] {
  const prepared = prepareRunInput(baseline(fixture) as RunAgentInput, fixture.client ?? {});
  if (expected.request !== undefined) expect(prepared.input).toMatchObject(expected.request);
  for (const absent of expected.requestAbsentPaths ?? []) {
    expect(at(prepared.input, absent), absent).toBeUndefined();
  }
  return prepared.warnings.map(({ message }) => message);
}

export interface Seen {
  events: Record<string, unknown>[];
  warnings: Warning[];
  errors: StreamfoldError[];
  snapshot: { messages: unknown[]; state: unknown; run: { status: string; error?: { message: string } } };
  truncated: boolean;
}

/** Folds the body of a fixture. */
export function run(
  kind: (typeof KINDS)[number],
  fixture: Fixture,
  transport: Transport,
  chunks: readonly Uint8Array[],
): Seen {
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
  for (const chunk of chunks) reducer.push(chunk);
  const result = reducer.finish();
  const snapshot = reducer.snapshot<Seen["snapshot"]>()!;
  reducer.close();
  return { ...seen, snapshot, truncated: result.status === "truncated" };
}

/** Compares what was seen with what the fixture wants. */
export function check(seen: Seen, expected: Expectation, request: string[], label: string): void {
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
