import { describe, expect, it } from "vitest";
import { readCapabilities } from "../../src/agui/index.js";
import type { StreamfoldError } from "../../src/errors.js";

describe("a declaration of capabilities", () => {
  it("N1, N5, N6: says what it says, and nothing else; what is the agent's own is kept", () => {
    for (const declaration of [
      {},
      { tools: { supported: false }, state: {} },
      { identity: { name: "a", metadata: { x: { y: null } } }, custom: { "acme.any": [1] } },
      {
        execution: { maxIterations: 3 },
        tools: { items: [{ name: "f", description: "", parameters: { type: "object" } }] },
      },
    ]) {
      const read = readCapabilities(declaration);
      expect(read).toEqual({ capabilities: declaration, warnings: [] });
      expect(read?.capabilities).not.toBe(declaration);
    }
  });

  it("N7: unknown members are removed with a warning", () => {
    const read = readCapabilities({ future: 1, state: { deltas: true, future: {} } });
    expect(read?.capabilities).toEqual({ state: { deltas: true } });
    expect(read?.warnings.map(({ code, path }) => [code, path])).toEqual([
      ["unknown_property", "/future"],
      ["unknown_property", "/state/future"],
    ]);
  });

  it("N3, N7: a malformed one cannot be used, and throws nothing", () => {
    const faults: unknown[] = [];
    const onFault = ({ code, path }: StreamfoldError) => void faults.push([code, path]);
    for (const declaration of [
      { state: { deltas: "yes" } },
      { execution: { maxIterations: -1 } },
      { custom: [] },
      { identity: null },
      [],
      null,
      () => 1,
    ])
      expect(readCapabilities(declaration, { onFault })).toBeUndefined();
    expect(readCapabilities(null)).toBeUndefined();
    expect(faults).toEqual([
      ["bad_event", "/state/deltas"],
      ["bad_event", "/execution/maxIterations"],
      ["bad_event", "/custom"],
      ["bad_event", "/identity"],
      ["bad_event", ""],
      ["bad_event", ""],
      ["not_json", ""],
    ]);
  });
});
