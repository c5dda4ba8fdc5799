import type { Bytes } from "../bytes.js";
import type { Reducer } from "../engine/contract.js";
import type { ReferenceAt } from "./options.js";
import type { Output } from "./output.js";
import type { Recording } from "./recording.js";

const encoder = new TextEncoder();

/**
 * What a delivery begins with for streams as a reducer holds them (AgentUE §6): a `start` with the model and the seq that it covers, and for a stream that
 * has ended its `end`.
 */
export function beginStreams(
  output: Output,
  { options }: Recording,
  reducer: Reducer,
  streamIds: readonly string[],
): void {
  const { lastEventId } = reducer;
  for (const streamId of streamIds) {
    const status = reducer.status({ streamId });
    if (status === "none") continue;
    const head = `"seq":${reducer.seq({ streamId }) ?? 0}${streamId === "" ? "" : `,"stream_id":${JSON.stringify(streamId)}`}`;
    const { materialize } = options;
    const fork = materialize === undefined ? undefined : materialized(reducer, streamId, materialize);
    try {
      const start = (fork ?? reducer).withSnapshotBytes((model) => join(`{"op":"start",${head},"model":`, model, "}"), {
        streamId,
      });
      output.event(start, lastEventId);
    } finally {
      fork?.close();
    }
    if (status === "ended") output.event(encoder.encode(`{"op":"end",${head}}`), lastEventId);
  }
}

function join(before: string, middle: Uint8Array, after: string): Bytes {
  const head = encoder.encode(before);
  const tail = encoder.encode(after);
  const all = new Uint8Array(head.length + middle.length + tail.length);
  all.set(head);
  all.set(middle, head.length);
  all.set(tail, head.length + middle.length);
  return all;
}

/** Puts the bodies that the application gives in the place of references; returns the reducer that holds them, to be closed, or none. */
function materialized(
  reducer: Reducer,
  streamId: string,
  materialize: (reference: ReferenceAt) => unknown,
): Reducer | undefined {
  const model = reducer.snapshot<{ blocks: { id: string; ref?: string }[] }>({ streamId });
  const bodies = (model?.blocks ?? []).flatMap(({ id, ref }) => {
    const body = ref === undefined ? undefined : materialize({ streamId, id, ref });
    return body === undefined || body === null ? [] : [body];
  });
  if (bodies.length === 0) return undefined;
  const fork = reducer.fork({ streamId });
  try {
    for (const body of bodies) fork.materialize(body, { streamId });
    return fork;
  } catch (error) {
    fork.close();
    throw error;
  }
}
