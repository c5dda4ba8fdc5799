import type { Engine, Reducer, Transport } from "../../src/engine/contract.js";
import type { Side } from "../contenders/contender.js";
import type { EventObject } from "../contenders/encoders.js";
import { engineName } from "../contenders/engines.js";
import type { Reading } from "../contenders/installed.js";
import { msgpackLibraries } from "../contenders/msgpack.js";
import { type EventMessage, eventOf, officialProto, protobufjs } from "../contenders/protobuf.js";
import type { AguiEvent, AguiModel } from "./fixtures.js";
import { type Apply, MutableRun, mutableApply } from "./mutable-run.js";

/** Something that folds the bytes of one AG-UI connection. */
export interface AguiFolder {
  push(chunk: Uint8Array): void;
  model(): AguiModel;
  /** The state as compact JSON in a buffer of the caller. */
  stateBytes(): Uint8Array;
  close(): void;
}

export interface AguiContender {
  name: string;
  side: Side;
  /** @param state what the state is before the first event */
  open(transport: Transport, state: unknown): AguiFolder;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class EngineFolder implements AguiFolder {
  readonly #reducer: Reducer;

  constructor(engine: Engine, transport: Transport, state: unknown) {
    this.#reducer = engine.createReducer({ protocol: "ag-ui", transport });
    if (state !== undefined) this.#reducer.load(encoder.encode(JSON.stringify({ messages: [], state })));
    if (transport === "json") this.push(encoder.encode('{"type":"RUN_STARTED","threadId":"t","runId":"r"}'));
  }

  push(chunk: Uint8Array): void {
    this.#reducer.push(chunk);
  }

  model(): AguiModel {
    const { messages, state } = this.#reducer.snapshot<AguiModel>()!;
    return { messages, state };
  }

  stateBytes(): Uint8Array {
    return this.#reducer.snapshotBytes();
  }

  close(): void {
    this.#reducer.close();
  }
}

/** An engine of ours, with everything checked that it checks. */
export function aguiEngine(engine: Engine): AguiContender {
  return {
    name: engineName(engine.kind),
    side: engine.kind === "js" ? "js" : "wasm",
    open: (transport, state) => new EngineFolder(engine, transport, state),
  };
}

/** Common end of the contenders that read events as objects: a `MutableRun`. */
abstract class RunFolder implements AguiFolder {
  readonly run: MutableRun;

  constructor(state: unknown, apply?: Apply) {
    this.run = new MutableRun(state, apply);
  }

  abstract push(chunk: Uint8Array): void;

  model(): AguiModel {
    return this.run.model();
  }

  stateBytes(): Uint8Array {
    return encoder.encode(JSON.stringify(this.run.model()));
  }

  close(): void {}
}

/** Text wires by `JSON.parse`. */
class HandFolder extends RunFolder {
  readonly #transport: Transport;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(transport: Transport, state: unknown, apply: Apply) {
    super(state, apply);
    this.#transport = transport;
  }

  push(chunk: Uint8Array): void {
    if (this.#transport === "json") {
      this.run.apply(JSON.parse(decoder.decode(chunk)) as AguiEvent);
      return;
    }
    let text = this.#decoder.decode(chunk, { stream: true });
    if (this.#rest !== "") text = this.#rest + text;
    let start = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", start)) {
      if (text.startsWith("data: ", start)) this.run.apply(JSON.parse(text.slice(start + 6, end)) as AguiEvent);
      start = end + 2;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }
}

/** A binary wire by a library that gives events. */
class ReadingFolder extends RunFolder {
  readonly #reading: Reading<EventObject>;
  readonly #use = (event: EventObject): void => this.run.apply(event as AguiEvent);

  constructor(reading: Reading<EventObject>) {
    super(undefined);
    this.#reading = reading;
  }

  push(chunk: Uint8Array): void {
    this.#reading.push(chunk, this.#use);
  }
}

/** protobufjs gives messages: what comes often goes into the model without an event between. */
class MessageFolder extends RunFolder {
  readonly #reading: Reading<EventMessage>;
  readonly #use = (message: EventMessage): void => {
    switch (message.event) {
      case "textMessageContent": {
        const { messageId, delta } = message.textMessageContent;
        this.run.text(messageId, delta);
        break;
      }
      case "toolCallArgs": {
        const { toolCallId, delta } = message.toolCallArgs;
        this.run.args(toolCallId, delta);
        break;
      }
      default:
        this.run.apply(eventOf(message) as AguiEvent);
    }
  };

  constructor(reading: Reading<EventMessage>) {
    super(undefined);
    this.#reading = reading;
  }

  push(chunk: Uint8Array): void {
    this.#reading.push(chunk, this.#use);
  }
}

/** The libraries of a binary wire that are installed, each with the same mutable model. */
export function binaryLibraries(wire: "msgpack" | "protobuf"): AguiContender[] {
  if (wire === "msgpack")
    return msgpackLibraries().map(({ name, open }) => ({
      name: `${name} + mutable reducer`,
      side: "js",
      open: () => new ReadingFolder(open()),
    }));
  const contenders: AguiContender[] = [];
  const messages = protobufjs();
  if (messages !== undefined)
    contenders.push({
      name: "protobufjs + mutable reducer",
      side: "js",
      open: () => new MessageFolder(messages.open()),
    });
  const events = officialProto();
  if (events !== undefined)
    contenders.push({
      name: "@ag-ui/proto + mutable reducer",
      side: "js",
      open: () => new ReadingFolder(events.open()),
    });
  return contenders;
}

function hand(name: string, apply: Apply): AguiContender {
  return { name, side: "js", open: (transport, state) => new HandFolder(transport, state, apply) };
}

/** `JSON.parse` and a mutable apply: the strongest program that goes the usual way. */
export const byHand: AguiContender = hand("JSON.parse + mutable reducer", mutableApply);

/**
 * The JSON Patch libraries, each in its fastest form that changes the document in place; those that are not installed are left out.
 * They are no part of the package: a checkout has them.
 */
export async function patchLibraries(): Promise<AguiContender[]> {
  const found = await Promise.allSettled([
    import("fast-json-patch").then(({ default: { applyPatch } }) =>
      hand(
        "JSON.parse + fast-json-patch, in place",
        (state, operations) => applyPatch(state, operations, false, true).newDocument,
      ),
    ),
    import("rfc6902").then(({ applyPatch }) =>
      hand("JSON.parse + rfc6902, in place", (state, operations) => {
        for (const failure of applyPatch(state, operations)) if (failure !== null) throw failure;
        return state;
      }),
    ),
    import("json-joy/lib/json-patch/index.js").then(({ applyPatch }) =>
      hand(
        "JSON.parse + json-joy, in place",
        (state, operations) => applyPatch(state, operations, { mutate: true }).doc,
      ),
    ),
  ]);
  return found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}
