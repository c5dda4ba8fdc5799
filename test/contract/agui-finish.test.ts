import { finished, run, runError, started, text, textChunk, textContent, textStart } from "../support/agui-events.js";
import { latin1, utf8 } from "../support/bytes.js";
import { agui, assistant, refused } from "./agui.js";
import { call } from "./base.js";

const finish = call("finish", (fold) => void fold.finish());

agui("AG-UI: the end of the body", [
  {
    name: "K3, L9: a body that ends in a run leaves it truncated, with what it delivered, and ends nothing",
    steps: [started(), textStart("m"), textContent("m", "x"), finish],
    status: "truncated",
    version: 4,
    messages: [assistant("m", "x")],
    types: ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"],
    run: { outcome: undefined, open: { messages: ["m"], toolCalls: [], reasoning: [], steps: [], subagents: [] } },
    finish: "truncated",
  },
  { name: "K3: a body without a run is truncated", steps: [], status: "idle", finish: "truncated" },
  ...[finished(), finished({ outcome: { type: "cancelled" } }), runError()].map((event, i) => ({
    name: `K3: a terminal event completes the body: ${i}`,
    steps: [started(), event],
    finish: "complete" as const,
  })),
  {
    name: "K3, L7: of several runs in a body each is complete or the last is cut off",
    steps: [...run(text("m", ["x"])), started({ runId: "2" })],
    finish: "truncated",
    status: "running",
  },
  {
    name: "a run that was cut off may go on, and is running again",
    steps: [started(), textStart("m"), finish, textContent("m", "x")],
    status: "running",
    version: 4,
    messages: [assistant("m", "x")],
  },
  {
    name: "a run is cut off once, and a run that is not running is not cut off",
    steps: [finish, started(), finish, finish, call("reconnect", (fold) => fold.reconnect()), finished(), finish],
    status: "finished",
    version: 3,
  },
  {
    name: "a run that has gone on behind the end of the body is not cut off by what follows",
    steps: [started(), finish, call("apply", (fold) => void fold.apply(textStart("m"))), textContent("other", "x")],
    options: { onViolation: "skip-event" },
    applied: 2,
    errors: [{ code: "bad_order", path: "/messageId", message: "No active text message" }],
    status: "running",
    version: 3,
    atomic: false,
  },
  {
    name: "a run that has gone on behind the end of the body is cut off by the next end",
    steps: [started(), finish, call("apply", (fold) => void fold.apply(textStart("m"))), finish],
    applied: 2,
    status: "truncated",
    version: 4,
  },
  {
    name: "K4, L10: reconnect truncates the run, and chunk streams stay pending",
    steps: [
      started(),
      textChunk({ messageId: "m", delta: "a" }),
      call("reconnect", (fold) => fold.reconnect()),
      textChunk({ delta: "b" }),
    ],
    status: "running",
    version: 4,
    messages: [assistant("m", "ab")],
    atomic: false,
  },
  {
    name: "K5: after a cut a new run may start, and what was pending ends first",
    steps: [started(), textChunk({ messageId: "m", delta: "a" }), finish, started({ runId: "2" })],
    status: "running",
    version: 4,
    types: ["RUN_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END", "RUN_STARTED"],
    run: { runId: "2", open: { messages: [], toolCalls: [], reasoning: [], steps: [], subagents: [] } },
  },
  ...refused("O9: a rejected stream is not truncated", [textStart("m")], textStart("m"), {
    code: "bad_order",
    path: "/messageId",
  })
    .slice(0, 1)
    .map((one) => ({ ...one, finish: "truncated" as const })),
]);

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

agui("AG-UI over SSE", [
  {
    name: "L5, L6: the whole grammar of SSE is read, and event, id and retry mean nothing",
    transports: ["sse"],
    steps: [
      utf8(
        `\ufeff: hello\r\nevent: message\r\nid: 7\r\nretry: 5\r\ndata: ${JSON.stringify(started())}\r\n\r\n: ping\r\r` +
          `data: {"type":"TEXT_MESSAGE_START",\rdata:"messageId":"m"}\r\r\n\ndata: [DONE]\n\n`,
      ),
    ],
    applied: 2,
    messages: [assistant("m", "")],
    lastEventId: undefined,
    retry: undefined,
    everyCut: true,
  },
  {
    name: "L3: data of several lines is one event",
    transports: ["sse"],
    steps: [utf8('data: {"type":"RUN_STARTED",\ndata: "threadId":"t",\ndata:"runId":"r"}\n\n')],
    applied: 1,
    status: "running",
  },
  {
    name: "L9: a last event without its blank line counts",
    transports: ["sse"],
    steps: [utf8(`${event(started())}data: ${JSON.stringify(finished())}`), finish],
    applied: 2,
    status: "finished",
    finish: "complete",
  },
  {
    name: "K3: a last event that was cut apart truncates the run",
    transports: ["sse", "ndjson"].slice(0, 1) as ["sse"],
    steps: [utf8(`${event(started())}data: {"type":"RUN_FIN`), finish],
    applied: 1,
    status: "truncated",
    version: 2,
    finish: "truncated",
  },
  ...[
    { name: "no JSON", message: latin1("data: nope\n\n"), code: "bad_json" as const },
    { name: "no object", message: latin1("data: [1]\n\n"), code: "not_an_event" as const },
    { name: "ill-formed UTF-8", message: latin1('data: {"type":"\xff"}\n\n'), code: "invalid_utf8" as const },
  ].map(({ name, message, code }) => ({
    name: `I7: a message that is ${name} fails the connection`,
    transports: ["sse"] as const,
    steps: [utf8(event(started())), message],
    applied: 1,
    errors: [{ code, eventIndex: 1 }],
    status: "running" as const,
    run: { error: undefined },
  })),
]);
