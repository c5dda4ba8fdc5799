import type { EngineKind, OnDeltaFailure, Protocol, Sequence, Transport, UnknownEnum } from "../entry/node.js";

/** What the commands that read a stream have in common, as commander names it. */
export interface ReadingOptions {
  protocol: Protocol;
  from?: Transport;
  engine: "auto" | "wasm" | EngineKind;
  maxMessage: number;
  sequence?: Sequence;
  onDeltaFailure?: OnDeltaFailure;
  unknownEnum?: UnknownEnum;
  maxProtocolVersion?: string;
}

/** The options of the protocol that were given: a reducer refuses those of the other one. */
export function protocolOptions(options: ReadingOptions) {
  const { protocol, sequence, onDeltaFailure, unknownEnum, maxProtocolVersion } = options;
  return {
    protocol,
    ...(sequence !== undefined && { sequence }),
    ...(onDeltaFailure !== undefined && { onDeltaFailure }),
    ...(unknownEnum !== undefined && { unknownEnum }),
    ...(maxProtocolVersion !== undefined && { maxProtocolVersion }),
  };
}
