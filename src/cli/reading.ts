import {
  type EngineKind,
  type Limits,
  type OnDeltaFailure,
  type Protocol,
  type Sequence,
  StreamfoldError,
  type Transport,
  type UnknownEnum,
} from "../entry/node.js";
import { EXIT, type Io, line, write } from "./io.js";
import { MOST_REPORTS } from "./trouble.js";

/** What all commands that read something have in common, as commander names it. */
export interface ChoosingOptions {
  engine: "auto" | "wasm" | EngineKind;
}

/** What the commands that read a stream have in common, as commander names it. */
export interface ReadingOptions extends ChoosingOptions {
  protocol: Protocol;
  from?: Transport;
  maxMessage: number;
  limit: Partial<Limits>;
  sequence?: Sequence;
  onDeltaFailure?: OnDeltaFailure;
  unknownEnum?: UnknownEnum;
  maxProtocolVersion?: string;
}

/** The limits that hold for a command. */
export function limitsOf({ limit, maxMessage }: ReadingOptions): Partial<Limits> {
  return { ...limit, reports: MOST_REPORTS, messageBytes: maxMessage };
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

/** The exit code of a command whose input was refused, which stderr is told; anything else, a mistake of the user's included, is thrown on. */
export async function refusal(error: unknown, io: Io): Promise<number> {
  if (!(error instanceof StreamfoldError) || error.scope === "usage") throw error;
  await write(io.stderr, line(`error: ${error.code}: ${error.message}`));
  return EXIT.refused;
}
