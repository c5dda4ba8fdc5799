import { describe, expect, it } from "vitest";
import type { FoldContender } from "../../bench/contenders/contender.js";
import { engineContender, loadEngines } from "../../bench/contenders/engines.js";
import { LINE_BASELINES, MESSAGE_BASELINES } from "../../bench/contenders/lines.js";
import {
  type AgentueEvent,
  type FoldShape,
  foldPayload,
  jsonLines,
  jsonMessages,
  rechunk,
} from "../../bench/fixtures.js";

const SHAPE: FoldShape = { events: 300, blocks: 3, streams: 1, odd: 0.15, shapes: 8, mixed: 0.15 };
const encoder = new TextEncoder();

function fold(contender: FoldContender, chunks: Uint8Array[], streamIds: Iterable<string>): Map<string, unknown> {
  const folder = contender.open();
  for (const chunk of chunks) folder.push(chunk);
  const models = new Map([...streamIds].map((id) => [id, structuredClone(folder.value(id))]));
  folder.close();
  return models;
}

const engines = loadEngines().flatMap(({ engine }) => (engine === undefined ? [] : [engine]));

describe.each([...engines.map((engine) => engineContender(engine, "ndjson")), ...LINE_BASELINES])(
  "lines of JSON: $name",
  (contender) => {
    it.each([1, 3])("folds what the fixtures say at every chunk size, %i streams", (streams) => {
      const { events, expected } = foldPayload({ ...SHAPE, streams }, 5);
      const lines = jsonLines(events);
      for (const chunks of [lines, ...[1, 7, 4096, 65_536].map((size) => rechunk(lines, size))])
        expect(fold(contender, chunks, expected.keys())).toEqual(expected);
    });

    it("takes CRLF, blank lines and white space around an event", () => {
      const { events, expected } = foldPayload(SHAPE, 6);
      const texts = events.map((event) => JSON.stringify(event));
      const forms = [`${texts.join("\r\n")}\r\n`, `\n${texts.join("\n\n \t\r\n")}\n\n`, ` ${texts.join(" \n ")}\n`];
      for (const form of forms) {
        const bytes = encoder.encode(form);
        for (const size of [13, 65_536]) expect(fold(contender, rechunk([bytes], size), [""])).toEqual(expected);
      }
    });
  },
);

describe.each([...engines.map((engine) => engineContender(engine, "json")), ...MESSAGE_BASELINES])(
  "one JSON text a chunk: $name",
  (contender) => {
    it.each([1, 3])("folds what the fixtures say, %i streams", (streams) => {
      const { events, expected } = foldPayload({ ...SHAPE, streams }, 7);
      expect(fold(contender, jsonMessages(events), expected.keys())).toEqual(expected);
    });

    it("takes white space in and around an event", () => {
      const { events, expected } = foldPayload(SHAPE, 8);
      const chunks = events.map((event: AgentueEvent) => encoder.encode(` ${JSON.stringify(event, null, 2)}\r\n`));
      expect(fold(contender, chunks, [""])).toEqual(expected);
    });
  },
);
