import { describe, expect, it } from "vitest";
import { enforceShape } from "../../src/schema/enforce.js";

const judge = (declaration: unknown) => {
  const value = structuredClone(declaration);
  const { fault, removals } = enforceShape(value, "AgentCapabilities", { unknownEnum: "fatal" });
  return { value, fault, removals };
};

describe("AG-UI capabilities", () => {
  it("N1, N6: every group may be absent, and says what it says", () => {
    for (const declaration of [
      {},
      { tools: { supported: false } },
      { state: {}, multimodal: { input: { pdf: true } } },
    ]) {
      expect(judge(declaration)).toEqual({ value: declaration, fault: undefined, removals: [] });
    }
  });

  it("N5: identity.metadata and custom are open", () => {
    const declaration = { identity: { name: "a", metadata: { x: { y: null } } }, custom: { "vendor.any": [1] } };
    expect(judge(declaration)).toEqual({ value: declaration, fault: undefined, removals: [] });
  });

  it("N7: unknown members do not invalidate a declaration", () => {
    const { value, fault, removals } = judge({ future: 1, state: { deltas: true, future: {} } });
    expect(value).toEqual({ state: { deltas: true } });
    expect(fault).toBeUndefined();
    expect(removals.map(({ path }) => path)).toEqual(["/future", "/state/future"]);
  });

  it("N7: a malformed member makes a declaration unusable", () => {
    expect(judge({ execution: { maxIterations: -1 } }).fault).toMatchObject({ path: "/execution/maxIterations" });
    expect(judge({ tools: { items: [{ name: "f" }] } }).fault).toMatchObject({ path: "/tools/items/0/description" });
    expect(judge({ tools: true }).fault).toMatchObject({ path: "/tools" });
  });
});
