import { describe, expect, it } from "vitest";
import type { Report } from "../../src/engine/contract.js";
import { createJsEngine } from "../../src/engine/js/engine.js";
import { append, options, snapshotText, sse, start } from "./support.js";

describe("the engine", () => {
  it("says what it is and holds no memory of its own", () => {
    const engine = createJsEngine("no WebAssembly here");
    expect([engine.kind, engine.reason, engine.memory()]).toEqual(["js", "no WebAssembly here", { live: 0, held: 0 }]);
    expect(createJsEngine().reason).not.toBe("");
    engine.close();
  });

  it("makes sessions that share nothing, however many", () => {
    const engine = createJsEngine();
    const sessions = Array.from({ length: 10 }, (_, i) =>
      (i % 2 === 0 ? engine.createSession : engine.createObjectSession)(options()),
    );
    for (const [i, session] of sessions.entries()) {
      const reports: Report[] = [];
      expect(session.streamIds()).toEqual([]);
      expect(session.push(sse(start(), append(2, `text ${i}`)), reports)).toBe(2);
      expect(session.applyValue!(append(3, "!"), reports)).toBe(1);
      expect(reports).toEqual([]);
    }
    for (const [i, session] of sessions.entries()) {
      expect(snapshotText(session)).toContain(`"content":"text ${i}!"`);
      expect(session.stats()).toMatchObject({ events: 3, applied: 3, streams: 1 });
      session.close();
      expect(session.streamIds()).toEqual([]);
    }
  });
});
