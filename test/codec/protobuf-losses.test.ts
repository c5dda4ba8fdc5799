import { describe, expect, it } from "vitest";
import {
  LOSS_EMPTY as EMPTY,
  LOSS_MEMBER as MEMBER,
  LOSS_NUMBER as NUMBER,
  LOSS_PART as PART,
  LOSS_SURROGATE as SURROGATE,
} from "../../assembly/abi/codes.js";
import { writeProtobuf } from "../../src/codec/protobuf/write.js";
import { ExactNumber, parseExact, stringify } from "../../src/json/exact.js";
import { BUILDS } from "../core/support/probe.js";
import { CoreProtobuf } from "../core/support/protobuf.js";
import { type Exact, exactDecimal, readExact } from "../support/exact-json.js";
import { Rng } from "../support/rng.js";
import { EVENT_TYPES, type Event, randomEvent, toHex } from "./support/protobuf.js";

const state = (value: string): string => `{"type":"STATE_SNAPSHOT","snapshot":${value}}`;
const content = (more: string): string => `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"d"${more}}`;
const message = (members: string): string => `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1",${members}}]}`;
const parts = (list: string): string => message(`"role":"user","content":[${list}]`);
const finished = (more: string): string => `{"type":"RUN_FINISHED","threadId":"t","runId":"r"${more}}`;
const suspended = (more: string): string => `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"${more}}`;
const input = (more: string): string =>
  `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[],"tools":[],"context":[],"resume":[]${more}}}`;

const WRITTEN: readonly [json: string, bits: number][] = [
  [content(""), 0],
  [content(',"subagentRunId":"s","timestamp":5,"rawEvent":null,"metadata":{}'), EMPTY],
  [content(',"timestamp":1.0,"rawEvent":{"x":null},"metadata":{"":[]}'), 0],
  // numbers
  [content(',"timestamp":-0'), NUMBER],
  [content(',"timestamp":-5'), 0],
  ['{"type":"RUN_ERROR","message":"m","usage":[{"inputTokens":-0.0}]}', NUMBER],
  [state("0"), 0],
  [state("-0"), NUMBER],
  [state("-0.0e5"), NUMBER],
  [state("[1.0,0.1,100e-2,5e-324,0.30000000000000004,1e21,1e23,1e300]"), 0],
  [state("0.1000000000000000000001"), NUMBER],
  [state("9007199254740992"), 0],
  [state("9007199254740993"), NUMBER],
  [state("1700000000000000000"), 0],
  // readers pad it with zeros
  [state("1152921504606846976"), NUMBER],
  [state("1152921504606847000"), 0],
  [state("1.23456789012345e20"), 0],
  [state("18446744073709551615"), NUMBER],
  [state("1e-400"), NUMBER],
  [state("1e400"), NUMBER],
  [state('{"a":[[{"b":-1e400}]]}'), NUMBER],
  // strings
  [content(',"name2":1').replace("d", "\\ud83d\\ude00"), MEMBER],
  ['{"type":"TEXT_MESSAGE_CONTENT","messageId":"\\ud83d\\ude00","delta":"\\ud7ff"}', 0],
  ['{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\\ud83d"}', SURROGATE],
  [state('{"\\udc00":1}'), SURROGATE],
  [state(`["${"x".repeat(300)}\\udc00"]`), SURROGATE],
  [finished(',"outcome":{"type":"\\ud800"}'), SURROGATE],
  [finished(',"outcome":{"type":"success","pendingToolCallIds":["\\ud800"]}'), SURROGATE],
  // members without a field
  [content(',"extra":null'), MEMBER],
  [content(',"__proto__":1'), MEMBER],
  [content(',"role":"user"'), MEMBER],
  [finished(',"interrupts":[]'), MEMBER],
  [finished(',"pendingToolCallIds":null'), MEMBER],
  [suspended(',"interruptIds":["i"]'), MEMBER],
  ['{"type":"STATE_DELTA","delta":[{"op":"add","path":"","value":null}]}', 0],
  ['{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a","value":1,"why":1}]}', MEMBER],
  ['{"type":"ACTIVITY_DELTA","messageId":"m","activityType":"a","patch":[{"op":"add","path":"","from":null}]}', EMPTY],
  [message('"role":"assistant","toolCalls":[{"id":"t","type":"function","function":{"name":"n","arguments":""}}]'), 0],
  [
    message(
      '"role":"assistant","toolCalls":[{"id":"t","type":"function","function":{"name":"","arguments":"","x":1}}]',
    ),
    MEMBER,
  ],
  [input(""), 0],
  [input(',"state":null,"forwardedProps":{}'), EMPTY],
  [input(',"state":{"x":null},"x":1'), MEMBER],
  // lists without elements, nulls
  [content(',"subagentRunId":null'), EMPTY],
  ['{"type":"CUSTOM","name":"n","value":null}', 0],
  ['{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":null}', EMPTY],
  ['{"type":"MESSAGES_SNAPSHOT","messages":[]}', 0],
  ['{"type":"MESSAGES_SNAPSHOT","messages":null}', EMPTY],
  ['{"type":"STATE_DELTA","delta":[]}', 0],
  ['{"type":"ACTIVITY_DELTA","messageId":"m","activityType":"a","patch":[]}', 0],
  ['{"type":"RUN_ERROR","message":"","usage":[]}', EMPTY],
  ['{"type":"RUN_ERROR","message":"","usage":[{}]}', 0],
  ['{"type":"RUN_ERROR","message":"","usage":[{"model":null}]}', EMPTY],
  [message('"role":"assistant","toolCalls":[]'), EMPTY],
  [message('"role":"user","content":[]'), 0],
  [message('"role":"tool","content":[],"toolCallId":"c"'), 0],
  [message('"role":"narrator","content":[]'), EMPTY],
  [message('"role":"narrator","content":{}'), 0],
  [message('"role":"activity","activityType":"a","content":{"n":-0}'), NUMBER],
  [message('"role":"user","content":null'), EMPTY],
  ['{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[]}', 0],
  ['{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"a","content":{},"replace":null}', EMPTY],
  // outcomes
  [finished(',"outcome":{"type":"cancelled"}'), 0],
  [finished(',"outcome":null,"result":null,"usage":null'), EMPTY],
  [finished(',"outcome":{"type":""}'), EMPTY],
  [finished(',"outcome":{"type":"success","pendingToolCallIds":["c"]}'), 0],
  [finished(',"outcome":{"type":"success","pendingToolCallIds":[]}'), EMPTY],
  [finished(',"outcome":{"type":"success","pendingToolCallIds":null}'), EMPTY],
  [finished(',"outcome":{"type":"success","interrupts":[]}'), MEMBER],
  [finished(',"outcome":{"type":"success","interruptIds":["i"]}'), MEMBER],
  [finished(',"outcome":{"type":"interrupt","interrupts":[]}'), 0],
  [finished(',"outcome":{"type":"interrupt","interrupts":null}'), EMPTY],
  [finished(',"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","x":1}]}'), MEMBER],
  [finished(',"outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","metadata":{"a":1e400}}]}'), NUMBER],
  [finished(',"outcome":{"type":"new","pendingToolCallIds":["c"]}'), MEMBER],
  [finished(',"outcome":{"type":"new","why":"x"}'), MEMBER],
  [suspended(',"outcome":{"type":"suspended","interruptIds":["i"]}'), 0],
  [suspended(',"outcome":{"type":"suspended","interruptIds":[]}'), EMPTY],
  [suspended(',"outcome":{"type":"success","pendingToolCallIds":[]}'), MEMBER],
  // parts
  [parts('{"type":"text","text":"t","id":"i","metadata":{}}'), 0],
  [parts('{"type":"text","text":"t","metadata":null}'), EMPTY],
  [parts('{"type":"text","text":"t","source":1}'), MEMBER],
  [parts('{"type":"image","source":{"type":"url","value":"u"}}'), 0],
  [parts('{"type":"image","source":{"type":"url","value":"u","mimeType":null}}'), EMPTY],
  [parts('{"type":"image","source":{"type":"url","value":"u","provider":"p"}}'), MEMBER],
  [parts('{"type":"image","source":null}'), EMPTY],
  [parts('{"type":"image","source":{"type":"new"}}'), PART],
  [parts('{"type":"image","source":{"value":"u"}}'), PART],
  [parts('{"type":"new"}'), PART],
  [parts('{"text":"t"},5,null,[],"s"'), PART],
  [parts('{"type":"new"},{"type":"text","text":"\\ud800","x":-0}'), PART | SURROGATE | MEMBER],
  [parts('{"type":"binary"}'), PART],
  // of a name that stands twice the last value counts
  [content(',"subagentRunId":null,"subagentRunId":"s"'), 0],
  [content(',"subagentRunId":"s","subagentRunId":null'), EMPTY],
  [content(',"timestamp":1,"timestamp":2,"type":"TEXT_MESSAGE_CONTENT"'), 0],
  [content(',"extra":1,"extra":2'), MEMBER],
  [parts('{"type":"text","text":"t","type":"text"}'), 0],
];

/** The retired part is read as another one, so only what of it is gone counts. */
const RETIRED: readonly [json: string, bits: number][] = [
  [parts('{"type":"binary","data":"d","mimeType":"m","filename":"f","id":"i"}'), 0],
  [parts('{"type":"binary","data":"d","data":"e","mimeType":""}'), 0],
  [parts('{"type":"binary","url":"u","mimeType":"","filename":null,"id":null}'), 0],
  [parts('{"type":"binary","url":"u","mimeType":null}'), EMPTY],
  [parts('{"type":"binary","data":"d","url":"u"}'), MEMBER],
  [parts('{"type":"binary","data":"","id":"i"}'), MEMBER],
  [parts('{"type":"binary","id":"i","extra":1}'), MEMBER],
  [parts('{"type":"binary","id":"\\ud800","filename":-0}'), SURROGATE | NUMBER],
];

/** Bits and bytes of the JavaScript writer; undefined when it refuses. */
function writtenByJs(json: string): { bits: number; bytes: Uint8Array } | undefined {
  const losses = { bits: 0 };
  const writing = writeProtobuf(parseExact(json) as Event, losses);
  return "bytes" in writing ? { bits: losses.bits, bytes: writing.bytes } : undefined;
}

/** Whether `again` says what `before` says: no more than defaults of members that were missing are added, and the order of members is free. */
function saysTheSame(before: Exact, again: Exact): boolean {
  if (before.kind === "number")
    return again.kind === "number" && exactDecimal(before.text) === exactDecimal(again.text);
  if (before.kind === "array") {
    if (again.kind !== "array" || before.items.length !== again.items.length) return false;
    return before.items.every((item, i) => saysTheSame(item, again.items[i]!));
  }
  if (before.kind !== "object") return JSON.stringify(before) === JSON.stringify(again);
  if (again.kind !== "object") return false;
  const members = [...again.members].every(([name, value]) => before.members.has(name) || isDefault(name, value));
  return (
    members &&
    [...before.members].every(([name, value]) => {
      const found = again.members.get(name);
      return found !== undefined && saysTheSame(value, found);
    })
  );
}

function isDefault(name: string, value: Exact): boolean {
  if (value.kind === "string") return value.value === (name === "op" ? "add" : "");
  return value.kind === "array" && value.items.length === 0;
}

const ODD_NUMBERS = ["-0", "1e400", "0.1000000000000000000001", "9007199254740993", "1e-400", "0.10000000000000000"];

/** The event with some of it replaced by what is lost, or is nearly lost. */
function spoil(rng: Rng, value: unknown, isRoot = true): unknown {
  const chance = (odds: number): boolean => !isRoot && rng.chance(odds);
  if (typeof value === "number") return chance(0.2) ? new ExactNumber(rng.pick(ODD_NUMBERS)) : value;
  if (typeof value === "string") return chance(0.02) ? `${value}\ud800` : value;
  if (typeof value !== "object" || value === null) return value;
  if (chance(0.01)) return rng.pick([null, [], {}]);
  if (Array.isArray(value)) return chance(0.05) ? [] : value.map((element) => spoil(rng, element, false));
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    name === "type" ? member : rng.chance(0.02) ? null : spoil(rng, member, false),
  ]);
  if (rng.chance(0.03)) entries.splice(rng.int(entries.length + 1), 0, [rng.pick(["extra", "interrupts", "value"]), 1]);
  return Object.fromEntries(entries);
}

describe.each(BUILDS)("what protobuf loses (%s)", (kind) => {
  const core = new CoreProtobuf(kind);

  /** Writes on both engines, compares, and answers the bits and what is read again; undefined when the wire cannot carry it. */
  function write(json: string): { bits: number; text: string } | undefined {
    const bytes = core.write(json);
    const js = writtenByJs(json);
    if (!(bytes instanceof Uint8Array)) {
      expect(js, json).toBeUndefined();
      return undefined;
    }
    const bits = core.writeLosses;
    expect(js!.bits, json).toBe(bits);
    expect(toHex(js!.bytes), json).toBe(toHex(bytes));
    return { bits, text: core.read(bytes).text! };
  }

  it.each(WRITTEN)("is told of %s", (json, bits) => {
    const written = write(json)!;
    expect(written.bits).toBe(bits);
    expect(saysTheSame(readExact(json), readExact(written.text))).toBe(bits === 0);
    // of this event only
    expect(write('{"type":"STEP_STARTED","stepName":"s"}')).toMatchObject({ bits: 0 });
  });

  it.each(RETIRED)("is told of the retired part of %s", (json, bits) => {
    expect(write(json)).toMatchObject({ bits });
  });

  it("is told of every kind of event alike, and of those that are read as others only", () => {
    const rng = new Rng(51);
    const seen = new Map<number, number>();
    let refused = 0;
    for (const type of EVENT_TYPES) {
      for (let i = 0; i < 150; i++) {
        const event = randomEvent(rng, type);
        const json = stringify(i % 3 === 0 ? event : spoil(rng, event));
        const written = write(json);
        if (written === undefined) {
          refused++;
          continue;
        }
        expect(saysTheSame(readExact(json), readExact(written.text)), json).toBe(written.bits === 0);
        for (let bit = 1; bit <= PART; bit <<= 1) if (written.bits & bit) seen.set(bit, (seen.get(bit) ?? 0) + 1);
        if (written.bits === 0) seen.set(0, (seen.get(0) ?? 0) + 1);
      }
    }
    for (const bit of [0, NUMBER, SURROGATE, MEMBER, EMPTY]) expect(seen.get(bit)).toBeGreaterThan(50);
    expect(refused).toBeLessThan(1500);
  });
});
