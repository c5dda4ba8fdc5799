// Where the roads of messages part: which protocol, which kind of wire, whether events go out again. The build for AgentUE over text wires (agentue.ts) has one
// answer to each, known when it is compiled: what lies behind the others is not in it.
import { TRANSPORT_MSGPACK } from "../abi/codes";
import { OPT_PASS, OPT_TO } from "../abi/layout";
import { C_ADAPTER, C_OPTIONS, C_RUN, T_RUN } from "./layout";

/** Whether the core is built for AgentUE over text wires alone: `--use SLIM_BUILD=1` says so to the compiler (asconfig.json). */
// @ts-ignore: it is there or it is not
export const SLIM: bool = isDefined(SLIM_BUILD);

/** The AG-UI model of a connection, 0 = other protocol. */
@inline export function runOf(c: usize): usize { return SLIM ? 0 : <usize>load<u32>(c, C_RUN); }

/** The AG-UI model of a stream, 0 = other protocol. */
@inline export function runOfStream(t: usize): usize { return SLIM ? 0 : <usize>load<u32>(t, T_RUN); }

/** Whether it is a wire of bytes rather than text (`TRANSPORT_` id). */
@inline export function isBinary(transport: u32): bool { return !SLIM && transport >= <u32>TRANSPORT_MSGPACK; }

/** The wire that events go out on (`TRANSPORT_` id), 0 = nowhere: the connection is a reducer's. */
@inline export function wireOf(c: usize): u32 { return SLIM ? 0 : <u32>load<u8>(c + C_OPTIONS, OPT_TO); }

/** Whether events go out without being judged. */
@inline export function passesOn(c: usize): bool { return !SLIM && load<u8>(c + C_OPTIONS, OPT_PASS) != 0; }

/** What AG-UI needs that goes out as AgentUE (adapt/state), 0 = events go out as what they are. */
@inline export function adapterOf(c: usize): usize { return SLIM ? 0 : <usize>load<u32>(c, C_ADAPTER); }
