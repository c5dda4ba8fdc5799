import { describe, expect, it } from "vitest";
import { KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";
import { consume, modelsOf, randomLog, reducerOf, replayOf } from "./random-log.js";

describe.each(KINDS)("resume on %s", (kind) => {
  it.each(["agentue", "ag-ui"] as const)("of %s at every event is the full replay", (protocol) => {
    for (let seed = 1; seed <= 40; seed++) {
      const rng = new Rng(seed);
      const log = randomLog(rng, protocol);
      const replay = replayOf(log, kind, rng);
      const whole = reducerOf(kind, protocol, log.wire, log.options);
      const { to } = log;
      const label = `seed ${seed}, ${log.wire} to ${to}`;
      const expected = reducerOf(kind, protocol, log.wire, log.options);
      for (const { bytes } of log.messages) expected.push(bytes);
      const total = expected.stats().events;
      for (let index = 0; index < log.messages.length; index++) {
        whole.push(log.messages[index]!.bytes);
        const { events } = whole.stats();
        if (events === 0) continue;
        const at = { eventIndex: events - 1 };
        for (const streamId of whole.streamIds()) {
          expect(replay.snapshotAt(at, { streamId }), `${label}, event ${index}`).toEqual(whole.snapshot({ streamId }));
        }
        if (log.messages.length > 20 && !rng.chance(0.4)) continue;
        const bytes = replay.resumeFrom(at, { to });
        const consumer = consume(kind, protocol, to, bytes, `${label}, event ${index} of ${total}`);
        expect(modelsOf(consumer, protocol), `${label}, event ${index}`).toEqual(modelsOf(expected, protocol));
        consumer.close();
      }
      const latest = consume(kind, protocol, to, replay.resumeLatest({ to }), `${label}, latest`);
      expect(modelsOf(latest, protocol), label).toEqual(modelsOf(expected, protocol));
      for (const one of [latest, whole, expected, replay]) one.close();
    }
  });
});
