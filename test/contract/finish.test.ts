import { expect } from "vitest";
import { latin1, utf8 } from "../support/bytes.js";
import type { Fold } from "../support/fold.js";
import { append, call, end, modelOf, ping, set, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// docs/semantics.md §1 (end of the body) and §7.

const X = { id: "x", type: "t", content: "" };
const json = (event: unknown): string => JSON.stringify(event);
const START = json(start(modelOf(X)));
const END = json(end(2));
const stream = (status: "open" | "ended" | "refused", content = "", seq = 2) =>
  [{ status, seq, model: modelOf({ ...X, content }) }] as const;

/** An SSE or NDJSON body, cut at every byte, and what `finish` makes of it. */
function body(
  name: string,
  transport: "sse" | "ndjson",
  wire: string,
  rest: Omit<Case, "name" | "steps" | "transports">,
): Case[] {
  return [{ name: `${transport}: ${name}`, transports: [transport], everyCut: true, steps: [latin1(wire)], ...rest }];
}

const TAILS: Case[] = [
  ...body("terminated", "sse", `data: ${START}\n\ndata: ${END}\n\n`, {
    applied: 2,
    finish: "complete",
    streams: stream("ended"),
  }),
  ...body("the last blank line is missing", "sse", `data: ${START}\n\ndata: ${END}\n`, {
    applied: 2,
    finish: "complete",
    streams: stream("ended"),
  }),
  ...body("the last line has no terminator", "sse", `data: ${START}\n\ndata: ${END}`, {
    applied: 2,
    finish: "complete",
    streams: stream("ended"),
  }),
  ...body("the tail has several data lines", "sse", `data: ${START}\n\ndata: {"op":"end",\ndata: "seq":\ndata:2}`, {
    applied: 2,
    finish: "complete",
    streams: stream("ended"),
  }),
  ...body("the tail sets id", "sse", `data: ${START}\n\nid: 9\ndata: ${END}\n`, {
    applied: 2,
    finish: "complete",
    lastEventId: "9",
  }),
  ...body("the tail's id stands in its unterminated last line", "sse", `data: ${START}\n\ndata: ${END}\nid: 9`, {
    applied: 2,
    finish: "complete",
    lastEventId: "9",
  }),
  ...body("the tail is cut inside of its JSON", "sse", `data: ${START}\n\nid: 9\ndata: ${END.slice(0, -1)}`, {
    applied: 1,
    finish: "truncated",
    streams: stream("open", "", 1),
    lastEventId: undefined,
  }),
  ...body("the tail is malformed", "sse", `data: ${START}\n\ndata: {]\n`, { applied: 1, finish: "truncated" }),
  ...body(
    "the tail holds ill-formed UTF-8",
    "sse",
    `data: ${START}\n\ndata: {"op":"ping","seq":1,"event_type":"\xff"}\n`,
    { applied: 1, finish: "truncated" },
  ),
  ...body("the tail holds no data line", "sse", `data: ${START}\n\ndata: ${END}\n\nid: 9\nretry: 5\n: c\nevent`, {
    applied: 2,
    finish: "complete",
    lastEventId: undefined,
    retry: 5,
  }),
  ...body("the tail is half a field name", "sse", `data: ${START}\n\ndata: ${END}\n\ndat`, {
    applied: 2,
    finish: "complete",
  }),
  ...body("the tail is blank", "sse", `data: ${START}\n\ndata: ${END}\n\ndata\ndata: \ndata:\t`, {
    applied: 2,
    finish: "complete",
  }),
  ...body("cut behind the end event everything is whole", "sse", `data: ${START}\n\ndata: ${END}\n\ndata: {`, {
    applied: 2,
    finish: "truncated",
    streams: stream("ended"),
  }),
  ...body("a stream is still open", "sse", `data: ${START}\n\n`, { applied: 1, finish: "truncated" }),
  ...body("the tail violates the protocol", "sse", `data: ${START}\n\ndata: {"op":"nope","seq":1}`, {
    applied: 1,
    errors: [{ code: "unknown_op", path: "/op", streamId: "", eventIndex: 1 }],
    finish: "truncated",
    streams: stream("refused", "", 1),
  }),
  ...body("the tail has no route", "sse", `data: ${START}\n\ndata: ${END}\n\ndata: []`, {
    applied: 2,
    errors: [{ code: "not_an_event", eventIndex: 2 }],
  }),
  ...body("an empty body", "sse", "", { applied: 0, finish: "truncated", streams: [] }),
  ...body("only comments", "sse", ": x\n\n: y", { applied: 0, finish: "truncated", streams: [] }),
  ...body("terminated", "ndjson", `${START}\n${END}\n`, { applied: 2, finish: "complete", streams: stream("ended") }),
  ...body("the last LF is missing", "ndjson", `${START}\n${END}`, {
    applied: 2,
    finish: "complete",
    streams: stream("ended"),
  }),
  ...body("the last LF is missing behind a CR", "ndjson", `${START}\r\n${END}\r`, {
    applied: 2,
    finish: "complete",
    streams: stream("ended"),
  }),
  ...body("the tail is cut", "ndjson", `${START}\n${END.slice(0, -1)}`, {
    applied: 1,
    finish: "truncated",
    streams: stream("open", "", 1),
  }),
  ...body("the tail is a number that is whole", "ndjson", `${START}\n${END}\n5`, {
    applied: 2,
    errors: [{ code: "not_an_event", eventIndex: 2 }],
  }),
  ...body("the tail is white space", "ndjson", `${START}\n${END}\n \r\t`, { applied: 2, finish: "complete" }),
  ...body("the tail has text behind it", "ndjson", `${START}\n${END} x`, { applied: 1, finish: "truncated" }),
].map(finishing);

/** Cases without a stated status only end the body. */
function finishing(one: Case): Case {
  if (one.finish !== undefined) return one;
  return { ...one, steps: [...one.steps, call("finish", (fold) => void fold.finish())] };
}

const DISCARD: Case[] = [
  ...body("discard: a whole tail is dropped", "sse", `data: ${START}\n\ndata: ${END}\n`, {
    options: { unterminatedTail: "discard" },
    applied: 1,
    finish: "truncated",
    streams: stream("open", "", 1),
  }),
  ...body("discard: terminated", "sse", `data: ${START}\n\ndata: ${END}\n\n`, {
    options: { unterminatedTail: "discard" },
    applied: 2,
    finish: "complete",
  }),
  ...body("discard: no data line", "sse", `data: ${START}\n\ndata: ${END}\n\nid: 5`, {
    options: { unterminatedTail: "discard" },
    applied: 2,
    finish: "complete",
  }),
  ...body("discard: a whole tail is dropped", "ndjson", `${START}\n${END}`, {
    options: { unterminatedTail: "discard" },
    applied: 1,
    finish: "truncated",
    streams: stream("open", "", 1),
  }),
  ...body("discard: white space", "ndjson", `${START}\n${END}\n  `, {
    options: { unterminatedTail: "discard" },
    applied: 2,
    finish: "complete",
  }),
];

const REPLACE: Case[] = [
  ...body(
    "replace: ill-formed bytes of the tail",
    "sse",
    `data: ${START}\n\ndata: {"op":"end","seq":2,"event_type":"\xff"}`,
    {
      options: { utf8: "replace" },
      applied: 2,
      warnings: [{ code: "utf8_replaced", eventIndex: 1 }],
      finish: "complete",
    },
  ),
];

const AGAIN: Case[] = [
  {
    name: "finish tells every stream in the order of opening",
    steps: [
      start(modelOf(X), { stream_id: "q" }),
      start(modelOf(X), { stream_id: "p" }),
      set(2, { id: 5 }, { stream_id: "q" }),
      end(2, { stream_id: "p" }),
      call("finish", (fold, label) => {
        const wanted = {
          status: "truncated",
          streams: [
            { streamId: "q", status: "refused" },
            { streamId: "p", status: "ended" },
          ],
        };
        expect(fold.finish(), label).toEqual(wanted);
        expect(fold.finish(), label).toEqual(wanted);
      }),
    ],
    applied: 3,
    errors: [{ code: "bad_block", path: "/block/id", eventIndex: 2 }],
  },
  {
    name: "a push after finish begins a new body: positions and partial bytes are forgotten, streams are not",
    transports: ["ndjson"],
    steps: [
      utf8(`${START}\n{"half":`),
      call("finish", (fold, label) => expect(fold.finish().status, label).toBe("truncated")),
      utf8(`${json(append(2, "x", "a"))}\n{"op":"nope","seq":1}\n`),
      call("finish", (fold, label) => expect(fold.finish().status, label).toBe("truncated")),
      utf8(`${START}\n${END}\n`),
    ],
    applied: 4,
    errors: [{ code: "unknown_op", path: "/op", eventIndex: 1 }],
    finish: "complete",
    streams: [{ status: "ended", seq: 2, version: 3, model: modelOf(X) }],
  },
  {
    name: "a body cut off is forgotten by the next one",
    transports: ["sse"],
    steps: [
      utf8(`data: ${START}\n\ndata: ${END}\n\ndata: {`),
      call("finish", (fold, label) => expect(fold.finish().status, label).toBe("truncated")),
      utf8(": x\n"),
    ],
    applied: 2,
    finish: "complete",
  },
  {
    name: "an event used as a tail is applied once",
    transports: ["sse"],
    steps: [
      utf8(`data: ${START}\n\ndata: ${json(append(2, "x", "a"))}`),
      call("finish", (fold) => void fold.finish()),
      call("again", (fold) => void fold.finish()),
    ],
    applied: 2,
    streams: stream("open", "a"),
    finish: "truncated",
  },
  {
    name: "a failure stays over finish and the next push",
    transports: ["sse"],
    steps: [
      utf8(`data: ${START}\n\ndata: ${END}\n\ndata: {]\n\n`),
      call("finish, push", (fold, label) => {
        // every stream has ended, but what came after the fault was cut off
        expect(fold.finish().status, label).toBe("truncated");
        expect(fold.failure?.code, label).toBe("bad_json");
        // Fold.push throws unless the very same failure comes again
        fold.push(utf8(`data: ${START}\n\n`));
        expect(fold.reducer.status(), label).toBe("ended");
      }),
      call("reconnect", (fold) => fold.reconnect()),
      utf8(`data: ${json(start(modelOf(X), { stream_id: "new" }))}\n\n`),
    ],
    applied: 3,
    errors: [{ code: "bad_json", eventIndex: 2 }],
  },
  {
    name: "reconnect forgets partial bytes, a pending LF and positions",
    transports: ["sse"],
    steps: [
      utf8(`data: ${START}\n\nid: 4\ndata: {"op":`),
      call("reconnect", (fold) => fold.reconnect()),
      utf8(`data: ${json(ping(1))}\r`),
      call("reconnect", (fold) => fold.reconnect()),
      utf8(`\ndata: ${json(append(2, "x", "a"))}\n\ndata: {]\n\n`),
    ],
    applied: 2,
    errors: [{ code: "bad_json", eventIndex: 1, byteOffset: 1 + 6 + json(append(2, "x", "a")).length + 2 + 7 }],
    lastEventId: undefined,
    streams: stream("open", "a"),
  },
  {
    name: "reset forgets everything",
    steps: [
      start(modelOf(X)),
      append(2, "x", "a"),
      call("reset", (fold, label) => {
        resetFold(fold);
        expect(fold.reducer.streamIds(), label).toEqual([]);
        expect(fold.reducer.stats(), label).toMatchObject({ events: 0, bytes: 0, applied: 0, streams: 0, blocks: 0 });
        expect(fold.finish().status, label).toBe("truncated");
      }),
      { op: "ping", seq: 1 },
      start(modelOf(X)),
    ],
    applied: 1,
    errors: [{ code: "no_model", eventIndex: 0 }],
    streams: [{ status: "open", seq: 1, version: 1, model: modelOf(X) }],
  },
  {
    name: "reset forgets lastEventId and retry",
    transports: ["sse"],
    steps: [utf8(`id: 5\nretry: 9\ndata: ${START}\n\n`), call("reset", (fold) => resetFold(fold)), utf8(": x\n")],
    applied: 0,
    lastEventId: undefined,
    retry: undefined,
    streams: [],
  },
];

/** Resets the reducer and forgets what was seen of it, as its own counters do. */
function resetFold(fold: Fold): void {
  fold.reducer.reset();
  fold.applied = 0;
  fold.log.length = 0;
}

contract("finish", [...TAILS, ...DISCARD, ...REPLACE, ...AGAIN]);
