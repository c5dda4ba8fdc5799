import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { generateAgui, printed } from "./agui-script.js";
import { generate } from "./generate.js";
import { observe, type Script } from "./script.js";
import { allAgree, nameOf, WAYS } from "./ways.js";
import { MSGPACK, PROTOBUF } from "./wires.js";

const SESSIONS: Record<string, (rng: Rng) => Script> = {
  "AgentUE over MessagePack": (rng) => generate(rng, MSGPACK),
  "AG-UI over MessagePack": (rng) => generateAgui(rng, MSGPACK),
  "AG-UI over protobuf": (rng) => generateAgui(rng, PROTOBUF),
};

describe.each(Object.entries(SESSIONS))("differential fuzz of sessions of %s", (_, session) => {
  it(`all ways agree: ${WAYS.map(nameOf).join(" / ")}`, () => {
    allAgree(4, 50, session, printed);
  });

  it("the generator gives the same script for the same seed; most events are applied, and faults of the wire are met", () => {
    const codes = new Map<string, number>();
    let applied = 0;
    let events = 0;
    for (let seed = 1; seed <= 150; seed++) {
      const script = session(new Rng(seed));
      expect(printed(session(new Rng(seed)))).toEqual(printed(script));
      const { maxProtocolVersion: _, middleware: __, limits: ___, ...options } = script.options;
      const calm: Script = { ...script, options: { ...options, onViolation: "skip-event", undecodable: "skip" } };
      const lines = observe(calm, WAYS.at(-1) as (typeof WAYS)[number]);
      for (const [, code] of lines.join("").matchAll(/"error":\{"code":"(\w+)"/g)) {
        codes.set(code as string, (codes.get(code as string) ?? 0) + 1);
      }
      const stats = JSON.parse(lines.at(-1) as string).at(-1)[1] as { applied: number; events: number };
      applied += stats.applied;
      events += stats.events;
    }
    const fault = session(new Rng(1)).transport === "msgpack" ? "bad_msgpack" : "bad_protobuf";
    expect(codes.get(fault)).toBeGreaterThan(30);
    expect(events).toBeGreaterThan(1000);
    expect(applied / events).toBeGreaterThan(0.35);
  });
});
