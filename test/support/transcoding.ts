import { MsgpackFault, readMsgpackPrefix } from "../../src/codec/msgpack/index.js";
import type { Engine, Protocol, Transcoder, TranscoderOptions, Transport } from "../../src/engine/contract.js";
import { StreamfoldError } from "../../src/errors.js";
import { readSpelled, stringify } from "../../src/json/exact.js";
import { jsonOfMsgpack, jsonOfProtobuf, msgpackOf, protobufOf } from "./binary.js";
import { concat, utf8 } from "./bytes.js";
import { type ErrorRecord, errorRecord, Fold, type Options, type WarningRecord } from "./fold.js";

/** Everything that a transcoder has done. */
export interface Transcript {
  output: Uint8Array;
  warnings: WarningRecord[];
  errors: ErrorRecord[];
  status: Transcoder["status"];
  stats: Record<string, number>;
}

export type Wanted = Omit<TranscoderOptions, "onWarning" | "onError">;

export const FROM: Readonly<Record<Protocol, readonly Transport[]>> = {
  agentue: ["sse", "ndjson", "json", "msgpack"],
  "ag-ui": ["sse", "ndjson", "json", "msgpack", "protobuf"],
};
export const TO: Readonly<Record<Protocol, readonly TranscoderOptions["to"][]>> = {
  agentue: FROM.agentue.filter((wire) => wire !== "json"),
  "ag-ui": FROM["ag-ui"].filter((wire) => wire !== "json"),
};

/**
 * Transcodes a body. Each chunk is a copy that is overwritten afterwards, so that an engine that keeps the caller's bytes is found out; a connection that has
 * failed gets no more of them.
 */
export function transcode(engine: Engine, options: Wanted, chunks: readonly Uint8Array[]): Transcript {
  const warnings: WarningRecord[] = [];
  const errors: ErrorRecord[] = [];
  const parts: Uint8Array[] = [];
  const transcoder = engine.createTranscoder({
    ...options,
    onWarning: ({ message: _, ...warning }) => void warnings.push(defined(warning)),
    onError: (error) => void errors.push(errorRecord(error)),
  });
  const take = (call: () => Uint8Array): boolean => {
    try {
      parts.push(call());
      return true;
    } catch (error) {
      if (!(error instanceof StreamfoldError) || error.scope !== "connection") throw error;
      return false;
    }
  };
  for (const chunk of chunks) {
    const copy = chunk.slice();
    const goesOn = take(() => transcoder.push(copy));
    copy.fill(0x7b);
    if (!goesOn) break;
  }
  take(() => transcoder.finish());
  const { memory: _, bytes: __, ...stats } = transcoder.stats();
  const { status } = transcoder;
  transcoder.close();
  return { output: concat(parts), warnings, errors, status, stats };
}

/** The members by name, without those that are undefined: engines need not agree on their order. */
function defined<T extends object>(value: T): T {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1))) as T;
}

const MESSAGE: Record<Transport, (json: string) => Uint8Array> = {
  sse: (json) => utf8(`data: ${json}\n\n`),
  ndjson: (json) => utf8(`${json}\n`),
  json: utf8,
  msgpack: msgpackOf,
  protobuf: protobufOf,
};

/** One message of a wire; throws where it has no form there. */
export function messageOf(wire: Transport, json: string): Uint8Array {
  return MESSAGE[wire](json);
}

/** The JSON text that a reader of a wire sees of an event: what the wire carries, in canonical spelling. */
export function seenOn(wire: Transport, json: string): string {
  if (wire === "msgpack") return jsonOfMsgpack(msgpackOf(json));
  if (wire === "protobuf") return jsonOfProtobuf(protobufOf(json));
  const orders = new Map<object, string[]>();
  const spellings = new Map();
  return stringify(readSpelled(json, orders, spellings), orders, spellings);
}

/** The events of a body, as canonical JSON texts. */
export function eventsIn(wire: Transport, output: Uint8Array): string[] {
  const texts: string[] = [];
  if (wire === "sse" || wire === "ndjson") {
    const separator = wire === "sse" ? "\n\n" : "\n";
    const lines = new TextDecoder("utf-8", { fatal: true }).decode(output).split(separator);
    if (lines.pop() !== "") throw new Error("the last message has no end");
    return lines.map((line) => (wire === "sse" ? line.slice("data: ".length) : line));
  }
  const view = new DataView(output.buffer, output.byteOffset, output.byteLength);
  for (let at = 0; at < output.length; ) {
    const rest = output.subarray(at);
    const size = wire === "protobuf" ? 4 + view.getUint32(at) : firstMsgpack(rest);
    const message = rest.subarray(0, size);
    texts.push(wire === "protobuf" ? jsonOfProtobuf(message) : jsonOfMsgpack(message));
    at += size;
  }
  return texts;
}

function firstMsgpack(bytes: Uint8Array): number {
  const message = readMsgpackPrefix(bytes, { depth: 4096, replace: false });
  if (message instanceof MsgpackFault) throw new Error(`${message.code} at ${message.offset}`);
  return message.end;
}

/** What the body comes to: every stream with its model, as exact text or, where the order of members does not count, as a value. */
export function modelsIn(
  engine: Engine,
  protocol: Protocol,
  wire: Transport,
  chunks: readonly Uint8Array[],
  ordered = true,
  options: Options = {},
): unknown {
  const fold = new Fold(engine, wire, { ...options, protocol }, false);
  for (const chunk of chunks) fold.push(chunk);
  const models = fold.streams().map(({ version: _, model = "null", ...stream }) => ({
    ...stream,
    model: ordered ? model : (JSON.parse(model) as unknown),
  }));
  const { status } = fold.finish();
  fold.reducer.close();
  return { models, errors: fold.errors, status };
}

/** Errors without what is only a help: where a stream's fault lies in the wire. */
export const placedFaults = (errors: Transcript["errors"]): object[] =>
  errors.map(({ byteOffset, ...error }) => (error.scope === "stream" ? error : { ...error, byteOffset }));
