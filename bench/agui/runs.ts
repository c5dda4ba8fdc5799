import { delta } from "../fixtures.js";
import { seededRandom } from "../random.js";
import { type AguiEvent, Patches, setByHand, stateOf, type TextRun } from "./fixtures.js";

const NAMES = ["search_articles", "read_file", "run_query"];

/** The text of one call's arguments, a JSON object in token-sized pieces, written down as it goes out. */
class Arguments {
  text = "";
  #lines = 0;
  readonly #random: () => number;
  readonly #odd: number;

  constructor(random: () => number, odd: number) {
    this.#random = random;
    this.#odd = odd;
  }

  /** Every eighth piece or so ends a member and begins the next. */
  next(): string {
    const piece =
      this.text === ""
        ? '{"query":"'
        : this.#random() < 0.12
          ? `","line ${++this.#lines}":"`
          : JSON.stringify(delta(this.#random, this.#odd)).slice(1, -1);
    this.text += piece;
    return piece;
  }

  end(): string {
    this.text += '"}';
    return '"}';
  }
}

/**
 * One run of tool calls whose arguments grow side by side, each in a message of its own.
 *
 * @param calls how many are open at once
 * @param odd share of deltas that hold an escape or a character outside of ASCII, quotes of the JSON text not counted
 */
export function toolRun(events: number, calls: number, odd: number, seed: number): TextRun {
  const random = seededRandom(seed);
  const ids = Array.from({ length: calls }, (_, index) => `call_${seed}_${index}`);
  const texts = ids.map(() => new Arguments(random, odd));
  const run = { threadId: "thread_1", runId: `run_${seed}` };
  const list: AguiEvent[] = [{ type: "RUN_STARTED", ...run }];
  const nameOf = (index: number) => NAMES[index % NAMES.length]!;
  ids.forEach((toolCallId, index) => {
    list.push({ type: "TOOL_CALL_START", toolCallId, toolCallName: nameOf(index) });
    list.push({ type: "TOOL_CALL_ARGS", toolCallId, delta: texts[index]!.next() });
  });
  let at = 0;
  while (list.length < events - 2 * calls - 1) {
    if (calls > 1 && random() < 0.3) at = Math.floor(random() * calls);
    list.push({ type: "TOOL_CALL_ARGS", toolCallId: ids[at]!, delta: texts[at]!.next() });
  }
  ids.forEach((toolCallId, index) => {
    list.push({ type: "TOOL_CALL_ARGS", toolCallId, delta: texts[index]!.end() });
    list.push({ type: "TOOL_CALL_END", toolCallId });
  });
  list.push({ type: "RUN_FINISHED", ...run });
  return {
    events: list,
    expected: {
      messages: ids.map((id, index) => ({
        id,
        role: "assistant",
        toolCalls: [{ id, type: "function", function: { name: nameOf(index), arguments: texts[index]!.text } }],
      })),
      state: {},
    },
  };
}

/** Events of each kind in one turn of a mixed run. */
const TURN = { reasoning: 6, text: 40, args: 20, deltas: 4 };
/** Events of one turn, its beginnings and ends included. */
export const TURN_EVENTS = TURN.reasoning + TURN.text + TURN.args + TURN.deltas + 11;

/**
 * One run of turns, as an agent takes them: it thinks, speaks, calls a tool, gets the result and changes the state of about 5 KB. A little
 * under half of the events are text.
 *
 * @param odd share of deltas that hold an escape or a character outside of ASCII
 */
export function mixedRun(turns: number, odd: number, seed: number): TextRun {
  const random = seededRandom(seed);
  const state = stateOf(5000, seed + 1);
  const patches = new Patches(state, seed + 2, false);
  const run = { threadId: "thread_1", runId: `run_${seed}` };
  // the event keeps its own value: later events change the state
  const list: AguiEvent[] = [
    { type: "RUN_STARTED", ...run },
    { type: "STATE_SNAPSHOT", snapshot: structuredClone(state) },
  ];
  const messages: Record<string, unknown>[] = [];
  const pieces = (count: number) => Array.from({ length: count }, () => delta(random, odd));
  for (let turn = 0; turn < turns; turn++) {
    const id = (kind: string) => `${kind}_${seed}_${turn}`;
    const step = { stepName: `turn ${turn}` };
    list.push({ type: "STEP_STARTED", ...step });

    const span = { messageId: id("span") };
    const thought = { messageId: id("thought") };
    const thoughts = pieces(TURN.reasoning);
    list.push({ type: "REASONING_START", ...span });
    list.push({ type: "REASONING_MESSAGE_START", ...thought, role: "reasoning" });
    for (const piece of thoughts) list.push({ type: "REASONING_MESSAGE_CONTENT", ...thought, delta: piece });
    list.push({ type: "REASONING_MESSAGE_END", ...thought });
    list.push({ type: "REASONING_END", ...span });

    const answer = { messageId: id("msg") };
    const words = pieces(TURN.text);
    list.push({ type: "TEXT_MESSAGE_START", ...answer, role: "assistant" });
    for (const piece of words) list.push({ type: "TEXT_MESSAGE_CONTENT", ...answer, delta: piece });
    list.push({ type: "TEXT_MESSAGE_END", ...answer });

    const call = { toolCallId: id("call") };
    const name = NAMES[turn % NAMES.length]!;
    const args = new Arguments(random, odd);
    list.push({ type: "TOOL_CALL_START", ...call, toolCallName: name, parentMessageId: answer.messageId });
    for (let piece = 1; piece < TURN.args; piece++) list.push({ type: "TOOL_CALL_ARGS", ...call, delta: args.next() });
    list.push({ type: "TOOL_CALL_ARGS", ...call, delta: args.end() });
    list.push({ type: "TOOL_CALL_END", ...call });
    const content = pieces(8).join("");
    list.push({ type: "TOOL_CALL_RESULT", messageId: id("result"), ...call, content });

    for (let count = 0; count < TURN.deltas; count++) {
      const operation = patches.next();
      setByHand(state, operation);
      list.push({ type: "STATE_DELTA", delta: [operation] });
    }
    list.push({ type: "STEP_FINISHED", ...step });

    messages.push(
      { id: thought.messageId, role: "reasoning", content: thoughts.join("") },
      {
        id: answer.messageId,
        role: "assistant",
        content: words.join(""),
        toolCalls: [{ id: call.toolCallId, type: "function", function: { name, arguments: args.text } }],
      },
      { id: id("result"), ...call, role: "tool", content },
    );
  }
  list.push({ type: "RUN_FINISHED", ...run });
  return { events: list, expected: { messages, state } };
}
