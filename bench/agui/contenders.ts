import type { Engine, Reducer, Transport } from "../../src/engine/contract.js";
import type { Side } from "../contenders/contender.js";
import { engineName } from "../contenders/engines.js";
import type { AguiEvent, AguiModel, Operation } from "./fixtures.js";

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

/** Applies operations to a value in place, or gives another. */
type Apply = (state: unknown, operations: Operation[]) => unknown;

/** A mutable apply by hand: it checks less than RFC 6902 asks, and cannot roll back. */
function mutableApply(state: unknown, operations: Operation[]): unknown {
  for (let index = 0; index < operations.length; index++) {
    const { path, value } = operations[index]!;
    let at = state as Record<string, unknown>;
    let from = 1;
    for (let next = path.indexOf("/", from); next >= 0; next = path.indexOf("/", from)) {
      at = at[unescapeToken(path.slice(from, next))] as Record<string, unknown>;
      from = next + 1;
    }
    const last = unescapeToken(path.slice(from));
    if (!(last in at)) throw new Error(`no member ${last}`);
    at[last] = value;
  }
  return state;
}

function unescapeToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

/** The hand-tuned reducer of an AG-UI program: `JSON.parse`, a Map, `+=`. It checks next to nothing. */
class HandFolder implements AguiFolder {
  readonly #messages = new Map<string, { id: string; role: string; content: string }>();
  readonly #transport: Transport;
  readonly #decoder = new TextDecoder();
  readonly #apply: Apply;
  #state: unknown;
  #rest = "";

  constructor(transport: Transport, state: unknown, apply: Apply) {
    this.#transport = transport;
    this.#state = state === undefined ? {} : structuredClone(state);
    this.#apply = apply;
  }

  push(chunk: Uint8Array): void {
    if (this.#transport === "json") {
      this.#fold(JSON.parse(decoder.decode(chunk)) as AguiEvent);
      return;
    }
    let text = this.#decoder.decode(chunk, { stream: true });
    if (this.#rest !== "") text = this.#rest + text;
    let start = 0;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n", start)) {
      if (text.startsWith("data: ", start)) this.#fold(JSON.parse(text.slice(start + 6, end)) as AguiEvent);
      start = end + 2;
    }
    this.#rest = start === 0 ? text : text.slice(start);
  }

  #fold(event: AguiEvent): void {
    switch (event.type) {
      case "TEXT_MESSAGE_CONTENT": {
        const message = this.#messages.get(event.messageId as string);
        if (message === undefined) throw new Error("no such message");
        message.content += event.delta as string;
        break;
      }
      case "TEXT_MESSAGE_START": {
        const id = event.messageId as string;
        this.#messages.set(id, { id, role: (event.role as string | undefined) ?? "assistant", content: "" });
        break;
      }
      case "STATE_DELTA":
        this.#state = this.#apply(this.#state, event.delta as Operation[]);
        break;
      case "STATE_SNAPSHOT":
        this.#state = event.snapshot;
        break;
    }
  }

  model(): AguiModel {
    return { messages: [...this.#messages.values()], state: this.#state };
  }

  stateBytes(): Uint8Array {
    return encoder.encode(JSON.stringify({ messages: [...this.#messages.values()], state: this.#state }));
  }

  close(): void {}
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
