import * as codes from "../../assembly/abi/codes.js";
import type { Transport } from "./contract.js";

/** The wires as the core and checkpoints have them: `TRANSPORT_` of assembly/abi/codes.ts. */
export const TRANSPORT_IDS: Readonly<Record<Transport, number>> = {
  sse: codes.TRANSPORT_SSE,
  ndjson: codes.TRANSPORT_NDJSON,
  json: codes.TRANSPORT_JSON,
  msgpack: codes.TRANSPORT_MSGPACK,
  protobuf: codes.TRANSPORT_PROTOBUF,
};
