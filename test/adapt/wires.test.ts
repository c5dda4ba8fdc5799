import { describe, expect, it } from "vitest";
import { concat } from "../support/bytes.js";
import { type Chunking, ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { same } from "../support/same.js";
import { eventsIn, FROM, messageOf, seenOn, TO, transcode } from "../support/transcoding.js";
import { CLEAN } from "../transcode/streams.js";
import { adapted } from "./adapted.js";

const CHUNKINGS: readonly Chunking[] = [WHOLE, ONE_BYTE, randomCuts(3), randomCuts(4)];
const BODY = CLEAN["ag-ui"];

describe.each(KINDS)("AG-UI of every wire as AgentUE on every wire (%s)", (kind) => {
  const pairs = FROM["ag-ui"].flatMap((from) => TO.agentue.map((to) => [from, to] as const));

  it.each(pairs)("%s to %s: the same events at every cut", (from, to) => {
    const messages = BODY.map((json) => messageOf(from, json));
    const seen = BODY.map((json) => JSON.parse(seenOn(from, json)));
    const wanted = adapted(engine("js"), seen, {}, "json").flat();
    expect(wanted.length).toBeGreaterThan(BODY.length / 2);
    for (const chunking of from === "json" ? [WHOLE] : CHUNKINGS) {
      const options = { protocol: "ag-ui", from, to, toProtocol: "agentue" } as const;
      const run = transcode(engine(kind), options, from === "json" ? messages : chunking.split(concat(messages)));
      same(
        eventsIn(to, run.output).map(ordered),
        wanted.map((json) => ordered(seenOn(to, json))),
        chunking.name,
      );
      same([run.errors, run.warnings, run.status], [[], [], "complete"], chunking.name);
    }
  });
});

/** Members sorted: over protobuf a state has another order. */
function ordered(json: string): unknown {
  return JSON.parse(json, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
