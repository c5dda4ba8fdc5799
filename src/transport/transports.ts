import type { Protocol, Transport } from "../engine/contract.js";

const AGENTUE: readonly Transport[] = ["sse", "ndjson", "json", "msgpack"];
const AG_UI: readonly Transport[] = [...AGENTUE, "protobuf"];

/** The wires that a protocol has. */
export function transportsOf(protocol: Protocol): readonly Transport[] {
  return protocol === "ag-ui" ? AG_UI : AGENTUE;
}

/** Whether `name` is a wire of the protocol. */
export function isTransport(name: string, protocol: Protocol): name is Transport {
  return (transportsOf(protocol) as readonly string[]).includes(name);
}
