import { describe, expect, it } from "vitest";
import type { Protocol, Transport } from "../../src/engine/contract.js";
import { concat } from "../support/bytes.js";
import { type Chunking, ONE_BYTE, randomCuts, WHOLE } from "../support/chunking.js";
import { engine, KINDS } from "../support/engines.js";
import { same } from "../support/same.js";
import { eventsIn, FROM, messageOf, modelsIn, seenOn, TO, transcode } from "../support/transcoding.js";
import { CLEAN } from "./streams.js";

const CHUNKINGS: readonly Chunking[] = [WHOLE, ONE_BYTE, randomCuts(3), randomCuts(4)];
const PROTOCOLS: readonly Protocol[] = ["agentue", "ag-ui"];

/** The chunks of a body; each message of "json" is one. */
const cut = (wire: Transport, messages: readonly Uint8Array[], chunking: Chunking): readonly Uint8Array[] =>
  wire === "json" ? messages : chunking.split(concat(messages));

describe.each(KINDS)("every wire to every wire (%s)", (kind) => {
  describe.each(PROTOCOLS)("%s", (protocol) => {
    const pairs = FROM[protocol].flatMap((from) => TO[protocol].map((to) => [from, to] as const));

    it.each(pairs)("%s to %s: the events as the wire spells them, at every cut, and the same model", (from, to) => {
      const messages = CLEAN[protocol].map((json) => messageOf(from, json));
      const wanted = CLEAN[protocol].map((json) => messageOf(to, seenOn(from, json)));
      for (const enforce of [true, false]) {
        for (const chunking of from === "json" ? [WHOLE] : CHUNKINGS) {
          const label = `${chunking.name}, enforce ${enforce}`;
          const run = transcode(engine(kind), { protocol, from, to, enforce }, cut(from, messages, chunking));
          same(run.output, concat(wanted), label);
          same([run.errors, run.warnings, run.status], [[], [], "complete"], label);
          same([run.stats.events, run.stats.applied], [wanted.length, wanted.length], label);
        }
      }
      const models = modelsIn(engine(kind), protocol, from, messages, to !== "protobuf");
      same(modelsIn(engine(kind), protocol, to, wanted, to !== "protobuf"), models, "models");
      expect(models).toMatchObject({ errors: [], status: "complete" });
    });

    it("any to any to any keeps the events", () => {
      for (const from of FROM[protocol]) {
        const messages = CLEAN[protocol].map((json) => messageOf(from, json));
        for (const by of TO[protocol]) {
          const first = transcode(engine(kind), { protocol, from, to: by }, cut(from, messages, WHOLE));
          for (const to of TO[protocol]) {
            const second = transcode(engine(kind), { protocol, from: by, to }, [first.output]);
            const wanted = CLEAN[protocol].map((json) => seenOn(to, seenOn(by, seenOn(from, json))));
            same(eventsIn(to, second.output), wanted, `${from} to ${by} to ${to}`);
            same([second.errors, second.warnings], [[], []], `${from} to ${by} to ${to}`);
          }
        }
      }
    });
  });

  it("what enforcement strips of objects with integer-like names is gone, and the others keep their order", () => {
    const came = '{"10":1,"type":"CUSTOM","name":"n","20":[2],"value":{"b":1,"2":2,"a":{"z":0,"1":{}}},"x":3}';
    const left = '{"type":"CUSTOM","name":"n","value":{"b":1,"2":2,"a":{"z":0,"1":{}}}}';
    const started = '{"type":"RUN_STARTED","threadId":"t","runId":"r"}';
    for (const from of ["ndjson", "msgpack"] as const) {
      for (const to of ["sse", "ndjson", "msgpack"] as const) {
        const run = transcode(engine(kind), { protocol: "ag-ui", from, to }, [
          messageOf(from, started),
          messageOf(from, came),
        ]);
        const label = `${from} to ${to}`;
        same(eventsIn(to, run.output), [seenOn(to, started), seenOn(to, left)], label);
        same([run.errors, run.warnings.map(({ code }) => code)], [[], new Array(3).fill("unknown_property")], label);
      }
    }
  });

  it("texts come out canonical: compact, shortest escapes, numbers as they were spelled, members in their order", () => {
    const state =
      ' { "b" : 1.50e+1 , "10":-0.0, "2" : [ 1e2, 1E400,0.10 ,12345678901234567890, 1.0 ],"\\u0061\\/":"\\u00e9\\u000A\\ud83d\\uD83D\\ude00" ,"\\u0031":{}} ';
    const canonical =
      '{"b":1.50e+1,"10":-0.0,"2":[1e2,1E400,0.10,12345678901234567890,1.0],"a/":"é\\n\\ud83d😀","1":{}}';
    const event = (value: string, space = "") => `{${space}"type":"CUSTOM",${space}"name":"n","value":${value}}`;
    for (const enforce of [true, false]) {
      for (const extra of ["", ',"future":{"a":1.0}']) {
        const json = event(state, " \t").replace(/\}$/, `${extra}}`);
        const bodies = ['{"type":"RUN_STARTED","threadId":"t","runId":"r","timestamp":1.0}', json];
        const run = transcode(
          engine(kind),
          { protocol: "ag-ui", from: "ndjson", to: "ndjson", enforce },
          bodies.map((text) => messageOf("ndjson", text)),
        );
        const kept = enforce ? canonicalEvent(canonical) : canonicalEvent(canonical).replace(/\}$/, `${extra}}`);
        expect(eventsIn("ndjson", run.output)).toEqual([bodies[0], kept]);
      }
      const model = `{"version":"1.1","biz":"x","meta":{"m":${state}},"blocks":[]}`;
      const start = `{"seq": 1.0, "op":"start","ts":1e3,"model":${model}}`;
      const run = transcode(engine(kind), { protocol: "agentue", from: "ndjson", to: "sse", enforce }, [
        messageOf("ndjson", start),
      ]);
      expect(eventsIn("sse", run.output)).toEqual([
        `{"seq":1.0,"op":"start","ts":1e3,"model":{"version":"1.1","biz":"x","meta":{"m":${canonical}},"blocks":[]}}`,
      ]);
    }
    function canonicalEvent(value: string): string {
      return event(value);
    }
  });

  it("members keep their places over binary wires, integer-like names too", () => {
    const value = '{"b":1,"10":{"2":[{"1":0,"a":{},"0":1}],"x":0},"9":""}';
    for (const enforce of [true, false]) {
      const { output } = transcode(engine(kind), { protocol: "ag-ui", from: "ndjson", to: "protobuf", enforce }, [
        messageOf("ndjson", '{"type":"RUN_STARTED","threadId":"t","runId":"r"}'),
        messageOf("ndjson", `{"type":"STATE_SNAPSHOT","snapshot":${value}}`),
      ]);
      expect(eventsIn("protobuf", output)[1]).toContain(`"snapshot":${value}`);
      const back = transcode(engine(kind), { protocol: "ag-ui", from: "protobuf", to: "ndjson", enforce }, [output]);
      expect(eventsIn("ndjson", back.output)[1]).toContain(`"snapshot":${value}`);
    }
    for (const to of ["msgpack", "ndjson"] as const) {
      for (const enforce of [true, false]) {
        const agui = transcode(engine(kind), { protocol: "ag-ui", from: "msgpack", to, enforce }, [
          messageOf("msgpack", '{"type":"RUN_STARTED","threadId":"t","runId":"r"}'),
          messageOf("msgpack", `{"type":"STATE_SNAPSHOT","snapshot":${value}}`),
        ]);
        expect(eventsIn(to, agui.output)[1]).toContain(`"snapshot":${value}`);
        const model = `{"version":"1.1","biz":"x","meta":{"m":${value}},"blocks":[]}`;
        const agentue = transcode(engine(kind), { protocol: "agentue", from: "ndjson", to, enforce }, [
          messageOf("ndjson", `{"op":"start","seq":1,"model":${model}}`),
        ]);
        expect(eventsIn(to, agentue.output)[0]).toContain(`"model":${model}`);
      }
    }
  });
});
