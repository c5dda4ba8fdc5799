import { ExactNumber } from "./json.mjs";
import { paragraph, thought, tokens } from "./text.mjs";

const FIRST_MOMENT = 1_767_600_000_000;

/** The events of one logical stream, numbered as they are added. */
class Recording {
  constructor(streamId) {
    this.streamId = streamId;
    this.seq = 0;
    this.events = [];
  }

  /** Adds an event whose seq is the next one; `rest` holds the members after the envelope's head. */
  add(op, rest = {}) {
    this.seq += 1;
    return this.push(op, rest);
  }

  /** A ping repeats the latest seq (AgentUE §5.5). */
  ping() {
    return this.push("ping", { ts: FIRST_MOMENT + this.seq * 40 });
  }

  push(op, rest) {
    const event = { op, seq: this.seq };
    if (this.streamId !== "") event.stream_id = this.streamId;
    this.events.push(Object.assign(event, rest));
    return this;
  }

  append(field, eventType, block) {
    return this.add("append", { mask: `block.${field}`, event_type: eventType, block });
  }

  set(path, value, id) {
    const slot = {};
    const steps = path.split(".");
    let at = slot;
    for (const step of steps.slice(1, -1)) at = at[step] = {};
    at[steps.at(-1)] = value;
    return steps[0] === "meta"
      ? this.add("set", { mask: path, meta: slot })
      : this.add("set", { mask: path, block: { id, ...slot } });
  }
}

/** One block grown token by token; the first delta inserts it, and deltas after it repeat `type` only now and then. */
function grow(recording, random, { id, type, field = "content", eventType, extra = {} }, text) {
  let first = true;
  for (const delta of tokens(random, text)) {
    const block = first ? { id, type, ...extra } : random.chance(0.9) ? { id, type } : { id };
    block[field] = delta;
    recording.append(field, eventType, block);
    first = false;
    if (random.chance(0.01)) recording.ping();
  }
}

const TOOLS = [
  ["lookup_order", () => ({ order: new ExactNumber("9007199254740993"), status: "shipped", items: 3 })],
  [
    "lookup_payment",
    () => ({ amount: new ExactNumber("1249.50"), transaction: new ExactNumber("18446744073709551615") }),
  ],
  [
    "search_articles",
    (random) => ({ hits: random.integer(1, 40), best: "Rückerstattung in 3 Schritten", score: 0.8125 }),
  ],
  ["track_parcel", () => ({ parcel: new ExactNumber("1234567890123456789012"), at: "京都", delayed: false })],
];

function toolCall(recording, random, turn, number) {
  const [name, result] = random.pick(TOOLS);
  const id = `tool-${turn}-${number}`;
  const query = {
    query: paragraph(random, 1).slice(0, 60).toWellFormed(),
    limit: random.integer(1, 50),
    strict: random.chance(0.5),
  };
  recording.add("set", {
    event_type: "tool.start",
    block: {
      id,
      type: "tool",
      parent_id: `answer-${turn}`,
      group_id: `turn-${turn}`,
      tool: { name, status: "pending" },
      arguments: "",
      log: [],
    },
  });
  const text = JSON.stringify(query);
  for (let at = 0; at < text.length; ) {
    const length = random.integer(2, 9);
    recording.append("arguments", "tool.arguments.delta", { id, arguments: text.slice(at, at + length) });
    at += length;
  }
  recording.set("block.tool.status", "running", id);
  for (let step = random.integer(1, 4); step > 0; step--) {
    recording.append("log", "tool.log", {
      id,
      log: [{ level: random.pick(["info", "debug"]), ms: random.integer(1, 900), text: `step ${step}` }],
    });
  }
  recording.set("block.tool.result", result(random), id);
  recording.set("block.tool.timing.total_ms", random.integer(20, 4000), id);
  recording.set("block.tool.status", "completed", id);
}

function stats(recording, random, turn) {
  recording.set("meta.stats", {
    status: "running",
    turn,
    tokens: recording.seq * 3,
    cost: random.integer(1, 900) / 1000,
  });
}

/** A conversation of `turns` turns: reasoning, tool calls, an answer with sources, an attachment by reference. */
function conversation(random, { streamId, biz = "support", turns, sentences, question, failing = false }) {
  const recording = new Recording(streamId);
  recording.add("start", {
    ts: FIRST_MOMENT,
    model: {
      version: "1.1",
      biz,
      meta: {
        task_id: `task-${streamId}`,
        trace_id: null,
        error: null,
        stats: { status: "queued", turn: 0, tokens: 0, cost: 0 },
        locale: "en-GB",
      },
      blocks: [{ id: "question", type: "text", role: "user", content: question }],
    },
  });
  for (let turn = 1; turn <= turns; turn++) {
    const group = { group_id: `turn-${turn}` };
    grow(
      recording,
      random,
      { id: `reasoning-${turn}`, type: "reasoning", eventType: "reasoning.delta", extra: group },
      thought(random, 2),
    );
    stats(recording, random, turn);
    for (let number = 1; number <= random.integer(1, 2); number++) toolCall(recording, random, turn, number);
    const attachment = `attachment-${turn}`;
    recording.add("set", {
      event_type: "artifact.reference",
      block: { id: attachment, ref: `blob:${streamId}/${turn}` },
    });
    const answer = {
      id: `answer-${turn}`,
      type: "text",
      eventType: "message.delta",
      extra: { role: "assistant", ...group },
    };
    grow(recording, random, answer, paragraph(random, sentences));
    recording.append("sources", "message.source", {
      id: `answer-${turn}`,
      sources: [{ title: "Refunds", url: "https://support.example/refunds" }],
    });
    recording.append("sources", "message.source", {
      id: `answer-${turn}`,
      sources: [
        { title: "配送", url: "https://support.example/delivery" },
        { title: "§3.2", url: null },
      ],
    });
    // The last turn's attachment stays a reference, so a reader of the model meets both forms.
    if (turn < turns) {
      recording.add("set", {
        event_type: "artifact.inline",
        block: {
          id: attachment,
          type: "artifact",
          name: `invoice-${turn}.pdf`,
          size: random.integer(10_000, 900_000),
          digest: { sha256: random.integer(1, 2 ** 31).toString(16) },
        },
      });
    }
    if (turn === 2)
      recording.add("set", {
        block: {
          id: `frame-${turn}`,
          type: "frame",
          block_id: "archive",
          seq: 0,
          total: 1,
          data: '{"id":"archive","type":"artifact"}',
        },
      });
    stats(recording, random, turn);
    recording.set("meta.progress.turns.done", turn);
  }
  if (failing) {
    recording.set("meta.stats", null);
    recording.add("error", {
      mask: "meta.error",
      event_type: "run.failed",
      meta: {
        error: {
          code: "upstream_unavailable",
          message: "The knowledge base did not answer within 30 s.",
          detail: null,
          trace_id: "4bf92f3577b34da6",
        },
      },
    });
  } else {
    recording.set("meta.stats", { status: "completed", turn: turns, tokens: recording.seq * 3, cost: 0.125 });
  }
  recording.add("end");
  return recording.events;
}

/** Interleaves the recordings; a stream keeps its own order and talks in bursts, as tokens of one producer do. */
function interleave(random, recordings) {
  const queues = recordings.map((events) => ({ events, at: 0 }));
  const merged = [];
  let live = queues;
  while (live.length > 0) {
    const queue = random.pick(live);
    for (let burst = random.integer(1, 12); burst > 0 && queue.at < queue.events.length; burst--)
      merged.push(queue.events[queue.at++]);
    live = live.filter(({ events, at }) => at < events.length);
  }
  return merged;
}

/** Every event of the recorded support session, in the order of the wire. */
export function supportSession(random) {
  const recordings = [
    conversation(random, {
      streamId: "message-1042",
      turns: 5,
      sentences: 6,
      question: "Why was I charged twice for invoice 2026-0117?",
    }),
    conversation(random, { streamId: "message-1043", turns: 5, sentences: 6, question: "Where is my parcel? 📦" }),
    conversation(random, {
      streamId: "agent/research",
      biz: "research",
      turns: 4,
      sentences: 8,
      question: "Compare the refund rules of both regions.",
    }),
    conversation(random, { streamId: "客服-7", turns: 4, sentences: 5, question: "我的订单什么时候到?" }),
    conversation(random, {
      streamId: "message-1044",
      turns: 2,
      sentences: 4,
      question: "The app shows an old balance.",
      failing: true,
    }),
    conversation(random, {
      streamId: "message-1045",
      turns: 4,
      sentences: 6,
      question: 'Please cancel "Keep drafts".',
    }),
  ];
  return interleave(random, recordings);
}

/** One unnamed stream with a model of version 1.0, as a single-model producer sends it (AgentUE §4.2, §3.5). */
export function singleStream(random) {
  const recording = new Recording("");
  recording.add("start", {
    model: { version: "1.0", biz: "chat", meta: { task_id: "task-1", error: null }, blocks: [] },
  });
  grow(recording, random, { id: "answer", type: "text", eventType: "message.delta" }, paragraph(random, 2));
  recording.ping();
  recording.add("set", { block: { id: "stage", type: "stage", stage: "checking" } });
  recording.set("block.stage", "done", "stage");
  recording.append("items", "list.delta", { id: "list", type: "list", items: ["first"] });
  recording.append("items", "list.delta", {
    id: "list",
    items: [new ExactNumber("9007199254740993"), null, ["nested"]],
  });
  recording.set("meta.stats", { status: "completed" });
  recording.add("end");
  return recording.events;
}
