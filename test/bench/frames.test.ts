import { describe, expect, it } from "vitest";
import { framePayloads, frameTrial } from "../../bench/cases/frame.js";
import { loadEngines } from "../../bench/contenders/engines.js";
import { engineFraming, type Framing, PLAIN } from "../../bench/contenders/frames.js";
import { verify, WrongAnswer } from "../../bench/measure.js";

const engines = loadEngines().flatMap(({ engine }) => (engine === undefined ? [] : [engine]));

describe.each([...engines.map(engineFraming), PLAIN])("frames: $name", (framing) => {
  it.each(["text", "tool"] as const)("cuts and joins blocks of %s", (kind) => {
    const payloads = framePayloads(kind, 300_000, 2);
    for (const what of ["cut", "join"] as const) verify(frameTrial([framing], what, payloads));
  });
});

it("a wrong answer is found", () => {
  const payloads = framePayloads("tool", 200_000, 1);
  const short: Framing = {
    ...PLAIN,
    cut: (block, maxBytes) => PLAIN.cut(block, 2 * maxBytes),
    join: (frames) => PLAIN.join(frames).subarray(1),
  };
  for (const what of ["cut", "join"] as const)
    expect(() => verify(frameTrial([short], what, payloads))).toThrow(WrongAnswer);
});
