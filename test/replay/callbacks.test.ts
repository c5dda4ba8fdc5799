import { describe, expect, it } from "vitest";
import { createReplay } from "../../src/replay/index.js";
import { failing } from "../reducer/expect-error.js";
import { append, end, modelWith, START, sse } from "../reducer/wire.js";
import { utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";

describe.each(KINDS)("a replay and its callbacks, %s", (kind) => {
  it("knows that its connection has failed when it materializes, too", () => {
    const replay = createReplay(engine(kind), { protocol: "agentue", transport: "sse", materialize: () => undefined });
    replay.append(sse(START, append(2, "!")));
    failing(() => replay.append(utf8("data: {]\n\n")), "bad_json");
    const before = replay.stats().bytes;
    failing(() => replay.append(sse(append(3, "lost"))), "bad_json");
    expect(replay.stats().bytes).toBe(before);
    replay.reconnect();
    replay.append(sse(append(3, "?"), end(4)));
    expect(replay.snapshotAt(3)).toEqual(modelWith("Hello!?"));
    const reducer = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
    reducer.push(replay.resumeFrom({ eventIndex: 0 }));
    expect(reducer.finish().status).toBe("complete");
    expect(reducer.snapshot()).toEqual(modelWith("Hello!?"));
    reducer.close();
    replay.close();
  });

  it("takes no chunk and no end from inside of a listener", () => {
    const codes: unknown[] = [];
    const inside = (call: () => unknown): void => {
      codes.push(failing(call, "reentrant").code);
    };
    const replay = createReplay(engine(kind), {
      protocol: "agentue",
      transport: "sse",
      onWarning() {
        inside(() => replay.append(sse(append(3, "nested"))));
        inside(() => replay.finish());
        inside(() => replay.trim(1));
      },
    });
    replay.append(sse(START, append(2, "!"), append(2, "!")));
    expect(codes).toHaveLength(3);
    replay.append(sse(append(3, "?"), end(4)));
    expect(replay.finish().status).toBe("complete");
    expect(replay.snapshotAt(4)).toEqual(modelWith("Hello!?"));
    replay.close();
  });

  it("reads all of a chunk that the log has, whatever a listener throws", () => {
    let thrown = 0;
    const replay = createReplay(engine(kind), {
      protocol: "agentue",
      transport: "sse",
      interval: 1,
      materialize: () => undefined,
      onWarning() {
        thrown++;
        throw new Error("a listener");
      },
    });
    const long = "x".repeat(70_000);
    const events = [START, append(2, long), append(2, "again"), append(3, long), append(4, "!"), end(5)];
    expect(() => replay.append(sse(...events))).toThrow("a listener");
    expect(thrown).toBe(1);
    expect(replay.seq()).toBe(5);
    expect(replay.finish().status).toBe("complete");
    expect(replay.snapshotAt(5)).toEqual(modelWith(`Hello${long}${long}!`));
    replay.close();
  });
});
