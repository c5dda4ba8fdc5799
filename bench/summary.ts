import type { Results, RowResult } from "./results.js";

/** Rows that stand for the others, in the words of somebody who has not seen them; what WebAssembly loses is among them. */
const SUMMARY: readonly (readonly [id: string, label: string])[] = [
  ["fold/one/50-blocks/odd/8-shapes", "AgentUE tokens over SSE, one event per chunk"],
  ["fold/64k/50-blocks/odd/8-shapes", "AgentUE tokens over SSE, 64 KiB chunks"],
  ["fold/64k/64-streams/odd/8-shapes", "64 interleaved AgentUE streams, 64 KiB chunks"],
  ["fold/one/50-blocks/odd/mixed", "AgentUE with 15 % set and tool events, one per chunk"],
  ["ag-ui/fold/one/20-messages/odd", "AG-UI tokens over SSE, one event per chunk"],
  ["ag-ui/fold/64k/20-messages/odd", "AG-UI tokens over SSE, 64 KiB chunks"],
  ["ag-ui/delta/100k", "AG-UI STATE_DELTA on a state of 100 KB"],
  ["ag-ui/pipeline/text-2000", "AG-UI run against the official client's pipeline"],
  ["snapshot/copy/22k", "snapshot as JSON bytes, 22 KB"],
  ["load/100k", "load of a stored model, 100 KB"],
  ["msgpack/agentue/64k/50-blocks", "AgentUE tokens over MessagePack, 64 KiB chunks"],
  ["msgpack/ag-ui/one/mixed", "AG-UI mixed run over MessagePack, one event per chunk"],
  ["protobuf/64k/text", "AG-UI tokens over protobuf, 64 KiB chunks"],
  ["transcode/ag-ui/sse-protobuf/tokens/enforced", "SSE to protobuf, every event judged"],
  ["transcode/ag-ui/sse-msgpack/mixed/enforced", "SSE to MessagePack, a mixed run, every event judged"],
  ["adapter/sse/tokens/64k", "AG-UI to AgentUE, SSE to SSE"],
  ["memory/streams", "memory of 2,000 open streams"],
  ["snapshot/value/22k", "snapshot as a JavaScript value, 22 KB"],
  ["objects/apply", "events that are objects already"],
  ["cold-start/100", "a process that folds 100 events and ends"],
];

export interface SummaryRow {
  label: string;
  row: RowResult;
}

/** Those of the rows above that were measured. */
export function summary(results: Results): SummaryRow[] {
  return SUMMARY.flatMap(([id, label]) => {
    const row = results.rows.find((each) => each.id === id && each.error === undefined);
    return row === undefined ? [] : [{ label, row }];
  });
}
