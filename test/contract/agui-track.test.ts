import { describe, expect, it } from "vitest";
import {
  type AguiEvent,
  activity,
  finished,
  messagesSnapshot,
  run,
  runError,
  spanStart,
  started,
  stepStarted,
  subagentFinished,
  subagentStarted,
  tagged,
  text,
  textChunk,
  textContent,
  textEnd,
  textStart,
  thoughtChunk,
  thoughtStart,
  tool,
  toolChunk,
  toolEnd,
  toolResult,
  toolStart,
} from "../support/agui-events.js";
import { modelText, readCheckpoint, withModel } from "../support/checkpoint.js";
import { engine, KINDS } from "../support/engines.js";
import { Fold, thrown } from "../support/fold.js";
import { mutated } from "../support/mutated.js";
import { Rng } from "../support/rng.js";

// docs/semantics-agui.md §12: what no engine writes is `bad_checkpoint` on every engine.

const BUSY: readonly AguiEvent[] = [
  started({ protocolVersion: "1.1", parentRunId: "p" }),
  stepStarted("s"),
  stepStarted("s", { subagentRunId: "x" }),
  subagentStarted("x"),
  subagentStarted("y"),
  subagentFinished("y"),
  spanStart("r"),
  thoughtStart("r"),
  textStart("m"),
  toolStart("c", "f", { parentMessageId: "m" }),
  ...tool("d", ["1"]),
  toolResult("t", "d", "x"),
  activity("v", {}),
  textChunk({ messageId: "k", delta: "x", role: "user", name: "n" }),
  ...tagged("x", [toolChunk({ toolCallId: "l", toolCallName: "g", parentMessageId: "u" })]),
  ...tagged("z", [thoughtChunk({ messageId: "q", delta: "?" })]),
];
const interrupts = [{ id: "i", reason: "ask" }];

/** What brings a stream to each of its states. */
const SCRIPTS: Readonly<Record<string, readonly AguiEvent[]>> = {
  busy: BUSY,
  idle: [],
  finished: run(text("m", ["x"]), tool("c", [""])),
  named: [
    started(),
    ...tool("c", ["1"]),
    finished({ outcome: { type: "success", pendingToolCallIds: ["c", "b"] }, result: [1] }),
  ],
  interrupted: [
    started(),
    ...text("m", ["x"]),
    finished({ outcome: { type: "interrupt", interrupts }, usage: [{ inputTokens: 1 }] }),
  ],
  cancelled: run(text("m", ["x"])).map((event) =>
    event.type === "RUN_FINISHED" ? { ...event, outcome: { type: "cancelled" } } : event,
  ),
  failed: [...BUSY, runError("no", { code: "c" })],
  "failed before a run": [runError("no")],
  rejected: [...BUSY, textStart("m")],
  "rejected before a run": [textStart("m")],
  "rejected after a run": [...run(text("m", ["x"])), finished()],
  thinking: [
    started(),
    { type: "THINKING_START" },
    { type: "THINKING_TEXT_MESSAGE_START" },
    { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "x" },
  ],
  "owners of a snapshot": [
    started(),
    messagesSnapshot([{ id: "a", role: "assistant", content: "", subagentRunId: "o" }]),
  ],
};

const checkpoints = Object.entries(SCRIPTS).flatMap(([name, events]) =>
  [false, true].map((cut): [string, Uint8Array] => {
    const fold = new Fold(engine(KINDS[0] as never), "json", { protocol: "ag-ui" });
    for (const event of events) fold.push(new TextEncoder().encode(JSON.stringify(event)));
    if (cut) fold.reducer.finish();
    const bytes = fold.reducer.checkpoint();
    fold.reducer.close();
    return [`${name}${cut ? ", cut" : ""}`, bytes];
  }),
);
const checkpointOf = (name: string): Uint8Array => new Map(checkpoints).get(name)!;

/** What goes on with whatever has been restored. */
const AFTER: readonly AguiEvent[] = [
  textContent("m", "+"),
  textChunk({ delta: "+" }),
  toolChunk({ delta: "+" }),
  { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "+" },
  textStart("n", { subagentRunId: "x" }),
  { type: "TOOL_CALL_ARGS", toolCallId: "c", delta: "+" },
  toolEnd("c"),
  textEnd("m"),
  finished(),
  started(),
];

/** What an engine makes of a checkpoint: the code of its fault, or what it saves again and how the fold goes on. */
function verdict(kind: (typeof KINDS)[number], bytes: Uint8Array, items: number): string {
  const fold = new Fold(engine(kind), "json", { protocol: "ag-ui", onViolation: "skip-event", limits: { items } });
  try {
    const fault = thrown(() => fold.reducer.restore(bytes));
    if (fault !== undefined) return fault.code;
    const saved = readCheckpoint(fold.reducer.checkpoint()).streams;
    for (const event of AFTER) fold.push(new TextEncoder().encode(JSON.stringify(event)));
    const { reducer, log } = fold;
    return JSON.stringify([
      saved,
      log,
      new TextDecoder().decode(reducer.snapshotBytes()),
      readCheckpoint(reducer.checkpoint()).streams,
    ]);
  } finally {
    fold.reducer.close();
  }
}

/** The one verdict of all engines. */
function agreed(bytes: Uint8Array, label: string, items = 100): string {
  const [first, ...others] = KINDS.map((kind) => verdict(kind, bytes, items));
  for (const other of others) if (other !== first) expect(other, label).toBe(first);
  return first as string;
}

const WORDS = [
  "",
  "m",
  "c",
  "d",
  "k",
  "l",
  "r",
  "q",
  "x",
  "y",
  "z",
  "user",
  "reasoning",
  "running",
  "finished",
  "rejected",
  "failed",
  "success",
];
const OTHERS = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  99,
  -1,
  -0,
  1.5,
  999_999_999,
  1e9,
  2 ** 32 - 2,
  2 ** 32 - 1,
  2 ** 53,
  null,
  true,
  false,
  [],
  {},
  ["m"],
  ["c"],
  ...WORDS,
];

/** Members that a run may have, in its own order or not. */
const RUN_MEMBERS: Readonly<Record<string, unknown>> = {
  threadId: "t",
  runId: "r",
  parentRunId: "p",
  protocolVersion: "1.1",
  outcome: { type: "success" },
  result: 1,
  error: { message: "m" },
  usage: [],
};

/** The end of a model's text, from its run on, with a number of the track spelled as no engine does, or with a member twice. */
function respelled(rng: Rng, json: string): string {
  const places = rng.chance(0.7)
    ? [...json.matchAll(/(?<="track":.*[[,:])\d+(?=[\],}])/g)]
    : [
        ...json.matchAll(
          /"(?:phase|steps|calls|lanes|named|status|runId|thinking|message)":(?:"[^"]*"|\d|null|\[\]),?/g,
        ),
      ];
  const { index, 0: text } = rng.pick(places);
  const other = /^\d/.test(text)
    ? rng.pick([`${text}e0`, `${text}.0`, `${text}E+0`, `-${text}`, `${text}0e-1`])
    : `${text.replace(/,$/, "")},${text}`;
  return json.slice(0, index) + other + json.slice(index + text.length);
}

describe("tracks of AG-UI checkpoints", () => {
  it.each(checkpoints)("%s: is restored as it was saved", (name, bytes) => {
    const [saved] = JSON.parse(agreed(bytes, name)) as [unknown];
    expect(saved).toEqual(JSON.parse(JSON.stringify(readCheckpoint(bytes).streams)));
  });

  it.each<[string, string, string, string]>([
    ["an opening without a number", "busy", '[0,"m",null,1,3]', '[0,"m",null,1,0]'],
    ["a number that wraps round", "busy", '[0,"m",null,1,3]', '[0,"m",null,1,4294967294]'],
    ["a number of ten digits", "busy", '[0,"m",null,1,3]', '[0,"m",null,1,1000000000]'],
    ["two openings with one number", "busy", '[0,"m",null,1,3]', '[0,"m",null,1,4]'],
    ["a number spelled otherwise", "busy", '[0,"m",null,1,3]', '[0,"m",null,1,3e0]'],
    ["a phase spelled otherwise", "busy", '"phase":1', '"phase":1.0'],
    ["more ids than can be minted", "thinking", '"thinking":[2,1,2]', '"thinking":[4294967295,1,2]'],
    ["one id for a span and a message", "thinking", '"thinking":[2,1,2]', '"thinking":[2,2,2]'],
    ["a call that nobody has started", "busy", '"calls":[["c",false]', '"calls":[["nobody",false]'],
    ["an open call that was not started", "busy", '"calls":[["c",false],', '"calls":['],
    ["a lane of a call that was not started", "busy", ',["l",false]]', "]"],
    ["a role that no chunk has", "busy", '"user","n"', '"tool","n"'],
    ["an empty list of named calls", "finished", '"named":null', '"named":[]'],
    ["calls that the outcome does not name", "named", '"named":["c","b"]', '"named":["b","c"]'],
    ["a missing list of named calls", "named", '"named":["c","b"]', '"named":null'],
    ["a run without runId", "busy", '"runId":"r",', ""],
    ["a run without threadId", "finished", '"threadId":"t",', ""],
    ["a finished run without outcome", "finished", '"outcome":{"type":"success"},', ""],
    ["another outcome than the status", "cancelled", '"status":"cancelled"', '"status":"finished"'],
    ["an outcome beside an error", "failed", '"error":', '"outcome":{"type":"success"},"error":'],
    ["something named before a run", "idle", '"items":[]', '"items":[[0,"m",null,0]]'],
    ["a version before a run", "idle", '"status"', '"protocolVersion":"1.1","status"'],
    ["a member twice", "busy", '"phase":1', '"phase":1,"phase":1'],
    ["a member of the run twice", "busy", '"status":"running"', '"status":"running","status":"running"'],
    ["a track twice", "idle", '"track":', '"track":{},"track":'],
  ])("%s is bad_checkpoint", (_, name, from, to) => {
    const bytes = checkpointOf(name);
    const model = modelText(bytes);
    expect(model).toContain(from);
    expect(agreed(withModel(bytes, model.replace(from, to)), to)).toBe("bad_checkpoint");
  });

  it("have one verdict on all engines, and what is taken is what an engine would have saved", () => {
    const taken = { text: 0, value: 0 };
    const rounds = 1500;
    for (let seed = 1; seed <= rounds; seed++) {
      const rng = new Rng(seed);
      const [name, bytes] = rng.pick(checkpoints);
      const model = modelText(bytes);
      const isText = rng.chance(0.2);
      let changed: string;
      if (isText) {
        const at = model.indexOf(',"run":');
        changed = model.slice(0, at) + respelled(rng, model.slice(at));
      } else {
        const { messages, state, run: shown, track } = JSON.parse(model) as Record<string, object>;
        let parts: unknown = { run: shown, track };
        for (let count = rng.between(1, 2); count > 0; count--) parts = mutated(rng, parts, OTHERS);
        const { run: other } = parts as { run?: Record<string, unknown> };
        if (rng.chance(0.3) && typeof other === "object" && other !== null) {
          const [member, value] = rng.pick(Object.entries(RUN_MEMBERS));
          other[member] = value;
        }
        changed = JSON.stringify({ messages, state, ...(parts as object) });
      }
      const label = `seed ${seed}, ${name}: ${changed}`;
      const answer = agreed(withModel(bytes, changed), label, rng.chance(0.1) ? rng.between(1, 14) : 100);
      if (answer === "bad_checkpoint") continue;
      taken[isText ? "text" : "value"]++;
      const [[saved]] = JSON.parse(answer) as [[{ model: string }]];
      const wanted = JSON.parse(changed) as { run: object; track: object };
      const { run: savedRun, track: savedTrack } = JSON.parse(saved.model) as { run: object; track: object };
      expect({ run: savedRun, track: savedTrack }, label).toEqual({ run: wanted.run, track: wanted.track });
    }
    expect(taken.value).toBeGreaterThan(rounds / 10);
    expect(taken.value).toBeLessThan(rounds / 2);
    expect(taken.text).toBe(0);
  });
});
