import { describe, expect, it } from "vitest";
import { FIXTURES } from "../conformance/agui-corpus.js";
import { brokenContract } from "../support/adapter-contract.js";
import { engine, KINDS } from "../support/engines.js";

describe.skipIf(FIXTURES.length === 0).each(KINDS)("official streams as AgentUE (%s)", (kind) => {
  it.each(FIXTURES.map((fixture) => [fixture.name, fixture] as const))("%s", (_, { stream, input, client }) => {
    const options = {
      ...(input !== undefined && { input }),
      ...(client?.maxProtocolVersion !== undefined && { maxProtocolVersion: client.maxProtocolVersion }),
    };
    for (const onViolation of ["refuse-stream", "skip-event"] as const) {
      expect(brokenContract(engine(kind), stream, { ...options, onViolation })).toBeUndefined();
    }
  });
});
