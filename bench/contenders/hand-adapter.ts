import type { AguiEvent, Operation } from "../agui/fixtures.js";
import { MutableRun } from "../agui/mutable-run.js";
import type { EventObject } from "./encoders.js";
import type { TranscodeContender, Transcoding } from "./transcoders.js";
import { sseReadings } from "./transcoders.js";

type Json = Record<string, unknown>;

/**
 * AG-UI as AgentUE by hand, object by object, as a program would write it that knows its producer: a model is kept for the values that patches need, nothing is checked, and
 * only what the benchmark's runs hold is known. It says what docs/adapter.md says of them.
 */
class HandAdapter {
  readonly #run = new MutableRun({});
  readonly #send: (event: EventObject) => void;
  readonly #steps = new Map<string, number>();
  #seq = 1;
  #count = 0;
  #ids: Json = {};

  constructor(send: (event: EventObject) => void) {
    this.#send = send;
  }

  take(event: AguiEvent): void {
    const { messageId, toolCallId } = event as unknown as { messageId: string; toolCallId: string };
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        this.#run.text(messageId, event.delta as string);
        this.#append(`message:${messageId}`, "content", event.delta);
        return;
      case "TOOL_CALL_ARGS":
        this.#run.args(toolCallId, event.delta as string);
        this.#append(`tool:${toolCallId}`, "arguments", event.delta);
        return;
      case "STATE_DELTA":
        this.#run.apply(event);
        for (const operation of event.delta as Operation[]) this.#setState(operation.path);
        return;
    }
    this.#run.apply(event);
    this.#other(event, messageId, toolCallId);
  }

  finish(): void {
    this.#emit({ op: "end", seq: this.#seq++ });
  }

  #other(event: AguiEvent, messageId: string, toolCallId: string): void {
    switch (event.type) {
      case "RUN_STARTED":
        this.#ids = { thread_id: event.threadId, run_id: event.runId };
        this.#emit({ op: "start", seq: this.#seq++, model: this.#model() });
        break;
      case "RUN_FINISHED": {
        const run = { ...this.#ids, status: "finished", outcome: { type: "success" } };
        this.#emit({ op: "set", seq: this.#seq++, mask: "meta.run", meta: { run } });
        break;
      }
      case "TEXT_MESSAGE_START":
        this.#set({ id: `message:${messageId}`, type: "text", role: event.role, status: "streaming", content: "" });
        break;
      case "REASONING_MESSAGE_START":
        this.#set({
          id: `message:${messageId}`,
          type: "reasoning",
          role: "reasoning",
          status: "streaming",
          content: "",
        });
        break;
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
        this.#setField(`message:${messageId}`, "status", "complete");
        break;
      case "TOOL_CALL_START":
        this.#set({
          id: `tool:${toolCallId}`,
          type: "tool",
          status: "streaming",
          parent_id: `message:${event.parentMessageId as string}`,
          name: event.toolCallName,
          arguments: "",
        });
        break;
      case "TOOL_CALL_END":
        this.#setField(`tool:${toolCallId}`, "status", "called");
        break;
      case "TOOL_CALL_RESULT":
        this.#set({
          id: `message:${messageId}`,
          type: "tool_result",
          role: "tool",
          status: "complete",
          parent_id: `tool:${toolCallId}`,
          content: event.content,
        });
        this.#setField(`tool:${toolCallId}`, "status", "complete");
        break;
      case "STATE_SNAPSHOT":
        this.#setField("state", "state", event.snapshot);
        break;
      case "STEP_STARTED":
        this.#steps.set(event.stepName as string, ++this.#count);
        this.#set({ id: `step:${this.#count}`, type: "step", status: "running", name: event.stepName });
        break;
      case "STEP_FINISHED":
        this.#setField(`step:${this.#steps.get(event.stepName as string)}`, "status", "complete");
        break;
      case "REASONING_START":
        this.#steps.set(messageId, ++this.#count);
        this.#set({ id: `span:${this.#count}`, type: "reasoning_span", status: "running", span_id: messageId });
        break;
      case "REASONING_END":
        this.#setField(`span:${this.#steps.get(messageId)}`, "status", "complete");
        break;
    }
  }

  #model(): Json {
    const meta = { run: { ...this.#ids, status: "running" }, stats: null, error: null };
    return { version: "1.1", biz: "ag-ui", meta, blocks: [{ id: "state", type: "state", state: {} }] };
  }

  #append(id: string, field: string, text: unknown): void {
    this.#emit({ op: "append", seq: this.#seq++, mask: `block.${field}`, block: { id, [field]: text } });
  }

  #set(block: Json): void {
    this.#emit({ op: "set", seq: this.#seq++, block });
  }

  #setField(id: string, field: string, value: unknown): void {
    this.#emit({ op: "set", seq: this.#seq++, mask: `block.${field}`, block: { id, [field]: value } });
  }

  /** The nearest field above an array. */
  #setState(path: string): void {
    let value = this.#run.model().state as Json;
    let mask = "block.state";
    const holder: Json = {};
    let at = holder;
    let last = "state";
    for (const name of path.slice(1).split("/")) {
      if (Array.isArray(value) || typeof value !== "object" || value === null) break;
      value = value[name] as Json;
      mask += `.${name}`;
      const inner: Json = {};
      at[last] = inner;
      at = inner;
      last = name;
    }
    at[last] = value;
    this.#emit({ op: "set", seq: this.#seq++, mask, block: { id: "state", ...holder } });
  }

  #emit(event: Json): void {
    this.#send(event as EventObject);
  }
}

/** One adapter by hand behind each way to read server-sent events; `JSON.stringify` writes. */
export function handAdapters(): TranscodeContender[] {
  return sseReadings().map(({ name, open }) => ({
    name: `${name} + adapter by hand + JSON.stringify`,
    side: "js",
    open(): Transcoding {
      const reading = open();
      let text = "";
      const adapter = new HandAdapter((event) => {
        text += `data: ${JSON.stringify(event)}\n\n`;
      });
      const use = (event: EventObject): void => adapter.take(event as AguiEvent);
      const take = (): Uint8Array => {
        const bytes = Buffer.from(text);
        text = "";
        return bytes;
      };
      return {
        push(chunk) {
          reading.push(chunk, use);
          return take();
        },
        finish() {
          adapter.finish();
          return take();
        },
        close() {},
      };
    },
  }));
}
