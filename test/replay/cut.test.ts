import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/engine/contract.js";
import { createReplay } from "../../src/replay/index.js";
import { append, end, modelOf, start } from "../contract/base.js";
import { finished, started, textContent, textStart } from "../support/agui-events.js";
import { carried } from "../support/binary.js";
import { concat, latin1, utf8 } from "../support/bytes.js";
import { engine, KINDS } from "../support/engines.js";
import { thrown } from "../support/fold.js";
import { MIXED, message, replayOf, sse } from "./logs.js";

const LOGS = {
  agentue: [
    start(modelOf({ id: "a", type: "t", content: "" })),
    append(2, "a", "é\u{1f600}"),
    append(3, "a", "x"),
    append(4, "a", "y"),
    end(5),
  ],
  "ag-ui": [started(), textStart("m"), textContent("m", "é"), { type: "TEXT_MESSAGE_END", messageId: "m" }, finished()],
} as const;

const SPELLINGS: Record<string, { transport: Transport; spell(event: object): Uint8Array }> = {
  sse: { transport: "sse", spell: (event) => utf8(`data: ${JSON.stringify(event)}\n\n`) },
  "sse with CRLF": { transport: "sse", spell: (event) => utf8(`:c\r\ndata: ${JSON.stringify(event)}\r\n\r\n`) },
  "sse with CR": { transport: "sse", spell: (event) => utf8(`data: ${JSON.stringify(event)}\r\r`) },
  ndjson: { transport: "ndjson", spell: (event) => utf8(`${JSON.stringify(event)}\n`) },
  msgpack: { transport: "msgpack", spell: (event) => carried("msgpack", JSON.stringify(event))! },
  protobuf: { transport: "protobuf", spell: (event) => carried("protobuf", JSON.stringify(event))! },
};

describe.each(KINDS)("logs cut anywhere on %s", (kind) => {
  for (const [name, { transport, spell }] of Object.entries(SPELLINGS)) {
    for (const protocol of ["agentue", "ag-ui"] as const) {
      if (transport === "protobuf" && protocol === "agentue") continue;
      it(`${protocol} over ${name}: a place at every byte, and truncation is no success`, () => {
        const bytes = concat(LOGS[protocol].map(spell));
        for (let cut = 0; cut <= bytes.length; cut++) {
          const label = `cut at ${cut} of ${bytes.length}`;
          const part = bytes.subarray(0, cut);
          const replay = createReplay(engine(kind), { protocol, transport, interval: 1 });
          replay.append(part);
          const reducer = engine(kind).createReducer({ protocol, transport });
          reducer.push(part);
          for (const finishes of [false, true]) {
            if (finishes) {
              const result = replay.finish();
              expect(result, label).toEqual(reducer.finish());
              if (cut < bytes.length - 4) expect(result.status, label).toBe("truncated");
              if (cut === bytes.length) expect(result.status).toBe("complete");
              expect(replay.status).toBe(result.status);
              // said again, and nothing comes any more
              expect(replay.finish()).toBe(result);
              expect(thrown(() => replay.append(part))?.code).toBe("bad_argument");
            } else expect(replay.status).toBe("open");
            const { events } = reducer.stats();
            for (let eventIndex = 0; eventIndex < events; eventIndex++) {
              const consumer = engine(kind).createReducer({ protocol, transport });
              consumer.push(replay.resumeFrom({ eventIndex }));
              const models = ({ run: _, ...model }: Record<string, unknown> = {}): unknown => model;
              expect(models(consumer.snapshot()), `${label}, event ${eventIndex}`).toEqual(models(reducer.snapshot()));
              const status = consumer.finish().status;
              if (cut < bytes.length - 4) expect(status, label).toBe("truncated");
              consumer.close();
            }
          }
          replay.close();
          reducer.close();
        }
      });
    }
  }

  it("ends behind the message that fails its connection, and keeps what came before", () => {
    for (const interval of [1, 1_000_000]) {
      const replay = replayOf(kind, MIXED.slice(0, 4), { interval });
      const before = replay.snapshotAt(99);
      const error = thrown(() =>
        replay.append(concat([message(append(3, "a", "x")), latin1("data: {]\n\n"), message(append(4, "a", "y"))])),
      );
      expect(error).toMatchObject({ code: "bad_json" });
      expect(thrown(() => replay.append(message(append(4, "a", "y"))))).toMatchObject({ code: "bad_json" });
      expect(replay.snapshotAt(2)).toEqual(before);
      const consumer = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
      consumer.push(replay.resumeFrom({ eventIndex: 0 }));
      expect(consumer.seq()).toBe(3);
      expect(consumer.snapshot()).toEqual(replay.snapshotAt(99));
      expect(replay.finish().status).toBe("truncated");
      consumer.push(replay.resumeFrom({ eventIndex: 2 }));
      expect(consumer.snapshot()).toEqual(replay.snapshotAt(99));
      consumer.close();
      replay.close();
    }
  });

  it("passes over messages that cannot be read where that is asked for", () => {
    const replay = replayOf(kind, [], { undecodable: "skip", interval: 1 });
    replay.append(
      concat([sse(MIXED.slice(0, 3)), latin1("data: {]\n\n"), latin1("data: \xff\n\n"), message(append(3, "a", "2"))]),
    );
    const consumer = engine(kind).createReducer({ protocol: "agentue", transport: "sse" });
    consumer.push(replay.resumeFrom({ eventIndex: 0 }));
    expect(consumer.snapshot()).toEqual(replay.snapshotAt(3));
    expect(replay.stats()).toMatchObject({ events: 6, applied: 4 });
    consumer.close();
    replay.close();
  });
});
