import { R_LIMIT_OUTPUT } from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import type { AdaptOptions } from "../../../adapting.js";
import type { ModelChanges } from "../../reduce/agui/changes.js";
import { CHUNKS } from "../../reduce/agui/expansion.js";
import type { CallEntry, MessageEntry } from "../../reduce/agui/messages.js";
import type { AguiReducer } from "../../reduce/agui/reducer.js";
import {
  allBlocks,
  callBlock,
  callBlockId,
  callStatus,
  messageBlock,
  messageBlockId,
  messageStatus,
  runOf,
  STATE,
  stateBlock,
  statsOf,
} from "./blocks.js";
import type { BlockSource, Delivery } from "./delivery.js";
import { nest, targetsOf } from "./masks.js";
import { Spans } from "./spans.js";
import { Touched } from "./touched.js";

/** The ENDs that other events imply. */
const ENDS: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  "TEXT_MESSAGE_END",
  "TOOL_CALL_END",
  "REASONING_MESSAGE_END",
]);

/** More is to be said than may be. */
export const EXCEEDED = { code: "limit", reason: R_LIMIT_OUTPUT } as const;

/** Of a model with more bytes, or ids with more code units, the length is asked before anything is written. */
const LONG = 4 * 1024 * 1024;

/** Code units of an id so short that an append with it never says more than its event may. */
const ORDINARY_ID = 256;

type Named = Record<"id", string> & { [Name in "parent_id" | "group_id"]?: string };

/** What AG-UI events come to as AgentUE (docs/adapter.md). The reducer has folded them already. */
export class Adapter implements BlockSource {
  private readonly reducer: AguiReducer;
  private readonly delivery: Delivery;
  private readonly biz: string;
  private readonly touched = new Touched();
  private readonly spans = new Spans();

  constructor(reducer: AguiReducer, delivery: Delivery, { biz }: AdaptOptions) {
    this.reducer = reducer;
    this.delivery = delivery;
    this.biz = biz;
    delivery.blocks = this;
  }

  /** Where the accepted event tells its changes before `accepted` is called; `versions` counts them. */
  listen(versions: ModelChanges): ModelChanges {
    return this.touched.begin(versions, this.reducer.model.messages.length);
  }

  /**
   * A delta that the reducer has appended on its quick way, as CONTENT or ARGS.
   *
   * @param type of the event that came, perhaps a chunk
   * @param size bytes of its message
   * @returns false when more was to be said than may be
   */
  appended(event: JsonObject, type: string, size: () => number): boolean {
    const { delivery } = this;
    const { toolCallId, messageId, delta } = event;
    const id = (toolCallId ?? messageId) as string;
    const blockId = toolCallId === undefined ? `message:${id}` : `tool:${id}`;
    const field = toolCallId === undefined ? "content" : "arguments";
    delivery.eventType = type;
    delivery.allowance.refill();
    // A chunk may leave out an id that its append has.
    if (delivery.underWay && id.length <= ORDINARY_ID && delivery.writesTokens) {
      delivery.appendToken(blockId, field, delta as string);
      return true;
    }
    this.begin(size);
    if (delivery.underWay) delivery.append(blockId, field, delta as string);
    else this.start();
    return delivery.allowance.end();
  }

  /**
   * An event was accepted.
   *
   * @param events what it expands to
   * @param size bytes of its message
   * @returns false when more was to be said than may be
   */
  accepted(event: JsonObject, events: readonly JsonObject[], size: () => number): boolean {
    const { delivery, reducer } = this;
    delivery.exact = reducer.model.exact;
    delivery.eventType = event.type as string;
    delivery.allowance.refill();
    this.begin(size);
    this.sayAccepted(event, events);
    return delivery.allowance.end();
  }

  /** Begins with what an event comes to. */
  private begin(size?: () => number): void {
    const { delivery, reducer } = this;
    delivery.allowance.begin(size);
    delivery.mayBeLong = reducer.model.size.save().bytes > LONG;
  }

  private sayAccepted(event: JsonObject, events: readonly JsonObject[]): void {
    const { delivery, spans, reducer } = this;
    const type = event.type as string;
    if (type === "RUN_STARTED") {
      spans.clear();
      if (delivery.underWay) delivery.end();
      this.start();
      return;
    }
    const span = spans.take(event, reducer.model.messages.length);
    if (!delivery.underWay || span?.kind === "forgotten" || this.touched.everything) {
      this.start();
      // a model may have no form on the wire
      if (type === "RUN_ERROR" && delivery.underWay) this.sendError();
      return;
    }
    const first = CHUNKS.has(type) ? events.findIndex((one) => !ENDS.has(one.type)) : events.length - 1;
    const main = first < 0 ? events.length : first;
    for (const implied of events.slice(0, main)) if (!this.isNew(implied)) this.sendStatus(implied);
    if (span !== undefined) {
      if (span.kind === "whole") delivery.set(span.block);
      else delivery.setField(span.block.id as string, "status", span.block.status);
      return;
    }
    const one = events[main];
    if (one !== undefined) this.say(one, events[main + 1]);
  }

  /** A violation has rejected the stream. False as above. */
  rejected(code: string): boolean {
    this.delivery.eventType = "";
    this.begin();
    this.close({ code, message: "the event stream was refused" });
    return this.delivery.allowance.end();
  }

  /** An event was to say too much, and the stream goes on: the delivery, if one is under way, ends with that. */
  cut(): void {
    const { delivery } = this;
    if (!delivery.underWay) return;
    this.begin();
    delivery.allowance.lift();
    delivery.error({ code: "limit", message: "an event was too large to be sent" });
    delivery.end();
  }

  /** The body has ended; `whole`: and its last run, too. False as above. */
  finish(whole: boolean): boolean {
    const { delivery } = this;
    delivery.eventType = "";
    this.begin();
    if (delivery.underWay && whole) delivery.end();
    else if (delivery.underWay || !delivery.begun) {
      this.close({ code: "truncated", message: "the event stream was cut off" });
    }
    return delivery.allowance.end();
  }

  /** Begins anew, as just made. */
  reset(): void {
    this.delivery.reset();
    this.spans.reset();
  }

  /** Another body begins. */
  beginBody(): void {
    this.delivery.begun = false;
  }

  private close(error: JsonObject): void {
    const { delivery } = this;
    const { allowance } = delivery;
    delivery.begun = true;
    if (delivery.underWay) {
      allowance.lift();
      this.sendRun();
    } else {
      if (!allowance.isCut) this.start();
      allowance.lift();
    }
    // a model may have no form on the wire
    if (!delivery.underWay) return;
    delivery.error(error);
    delivery.end();
  }

  model(): JsonObject {
    const { model, track, run } = this.reducer;
    return {
      version: "1.1",
      biz: this.biz,
      meta: { run: runOf(run), stats: statsOf(run), error: null },
      blocks: allBlocks(model, track, this.spans.between()),
    };
  }

  block(id: string): JsonObject | undefined {
    const { model, track } = this.reducer;
    const { messages } = model;
    if (id === STATE) return stateBlock(model);
    const colon = id.indexOf(":");
    const name = id.slice(colon + 1);
    switch (id.slice(0, colon)) {
      case "message": {
        const entry = messages.find(name);
        return entry && messageBlock(messages, track, entry);
      }
      case "tool": {
        const call = messages.findCall(name);
        return call && callBlock(messages, track, call);
      }
      default:
        return this.spans.find(id);
    }
  }

  /** Whether what an implied END names is new with the event, whose block then says all of it. */
  private isNew(implied: JsonObject): boolean {
    const call = this.callOf(implied);
    if (call !== undefined) return call === this.touched.call;
    const entry = this.messageOf(implied);
    return entry !== undefined && entry === this.touched.message;
  }

  private start(): void {
    const { delivery } = this;
    if (delivery.allowance.isWaiting) return;
    const model = this.model();
    // Each call names its message and its owner: together they may be far longer than what they came from.
    let names = 0;
    for (const { id, parent_id: parent, group_id: group } of model.blocks as Named[]) {
      names += id.length + (parent?.length ?? 0) + (group?.length ?? 0);
    }
    if (names > LONG) delivery.mayBeLong = true;
    delivery.start(model);
    // the texts were flattened
    this.reducer.model.messages.settle();
  }

  private sendRun(): void {
    this.delivery.setMeta("run", runOf(this.reducer.run));
  }

  private sendError(): void {
    const { message, code = "run_error" } = this.reducer.run.error as { message: string; code?: string };
    this.delivery.error({ code, message });
  }

  /** @param next the CONTENT or ARGS of the chunk whose START the event is */
  private say(event: JsonObject, next: JsonObject | undefined): void {
    const { delivery, touched } = this;
    const { model, run } = this.reducer;
    switch (event.type) {
      case "TEXT_MESSAGE_START":
      case "REASONING_MESSAGE_START":
      case "TEXT_MESSAGE_CONTENT":
      case "REASONING_MESSAGE_CONTENT":
        this.sayMessage(event, next ?? event);
        break;
      case "TOOL_CALL_START":
      case "TOOL_CALL_ARGS":
        this.sayCall(event, next ?? event);
        break;
      case "TEXT_MESSAGE_END":
      case "REASONING_MESSAGE_END":
      case "TOOL_CALL_END":
        if (touched.metadata) this.sendMetadata(event);
        this.sendStatus(event);
        break;
      case "TOOL_CALL_RESULT":
        this.sendMessage(touched.message!);
        this.sendStatus({ toolCallId: event.toolCallId });
        break;
      case "STATE_SNAPSHOT":
        delivery.setField(STATE, STATE, model.state.value);
        break;
      case "STATE_DELTA":
        this.sendTargets(STATE, STATE, model.state.value);
        break;
      case "ACTIVITY_SNAPSHOT":
      case "ACTIVITY_DELTA":
        this.sayActivity(event);
        break;
      case "RUN_FINISHED":
      case "RUN_ERROR":
        this.sendRun();
        if (own(event, "usage") !== undefined) delivery.setMeta("stats", statsOf(run));
        if (event.type === "RUN_ERROR") this.sendError();
        break;
      default:
    }
  }

  private sayMessage(event: JsonObject, last: JsonObject): void {
    const { touched } = this;
    if (touched.message !== undefined) {
      this.sendMessage(touched.message);
      return;
    }
    const { id } = this.messageOf(event) ?? {};
    if (id === undefined) return;
    if (touched.text) this.delivery.append(`message:${id}`, "content", last.delta as string);
    if (touched.metadata) this.sendMetadata(event);
    if ((event.type as string).endsWith("_START")) this.sendStatus(event);
  }

  private sayCall(event: JsonObject, last: JsonObject): void {
    const { delivery, touched } = this;
    const { model, track } = this.reducer;
    const { messages } = model;
    if (touched.message !== undefined) this.sendMessage(touched.message);
    if (touched.call !== undefined) {
      delivery.set(callBlock(messages, track, touched.call));
      return;
    }
    const call = this.callOf(event);
    if (call === undefined) return;
    if (touched.name) delivery.setField(`tool:${call.id}`, "name", call.function.name);
    if (touched.text) delivery.append(`tool:${call.id}`, "arguments", last.delta as string);
    if (touched.metadata) this.sendMetadata(event);
    if (event.type === "TOOL_CALL_START") this.sendStatus(event);
  }

  private sayActivity(event: JsonObject): void {
    const { touched } = this;
    const entry = this.messageOf(event);
    if (entry === undefined) return;
    if (touched.message !== undefined) {
      this.sendMessage(entry);
      return;
    }
    this.sendTargets(`message:${entry.id}`, "content", entry.value.content);
    if (touched.metadata) this.sendMetadata(event);
  }

  private sendMessage(entry: MessageEntry): void {
    const { model, track } = this.reducer;
    this.delivery.set(messageBlock(model.messages, track, entry));
  }

  /** What a patch of `field` comes to. */
  private sendTargets(id: string, field: string, root: unknown): void {
    for (const { names, value } of targetsOf(root, this.touched.pointers)) {
      this.delivery.setField(id, field, nest(names, value), names);
    }
  }

  private sendMetadata(event: JsonObject): void {
    const call = this.callOf(event);
    const holder = call ?? this.messageOf(event);
    if (holder === undefined) return;
    const id = call === undefined ? `message:${holder.id}` : `tool:${holder.id}`;
    this.delivery.setField(id, "metadata", own(holder.value, "metadata"));
  }

  /** The status of the message or call that an event names. */
  private sendStatus(event: JsonObject): void {
    const { model, track } = this.reducer;
    const { messages } = model;
    const call = this.callOf(event);
    if (call !== undefined) {
      this.delivery.setField(callBlockId(messages, call), "status", callStatus(messages, track, call));
      return;
    }
    const entry = this.messageOf(event);
    if (entry === undefined) return;
    this.delivery.setField(messageBlockId(messages, entry), "status", messageStatus(messages, track, entry));
  }

  private callOf(event: JsonObject): CallEntry | undefined {
    const { toolCallId } = event;
    return toolCallId === undefined ? undefined : this.reducer.model.messages.findCall(toolCallId as string);
  }

  private messageOf(event: JsonObject): MessageEntry | undefined {
    const { messageId } = event;
    return messageId === undefined ? undefined : this.reducer.model.messages.find(messageId as string);
  }
}
