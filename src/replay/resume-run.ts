import type { Bytes } from "../bytes.js";
import type { Transport } from "../engine/contract.js";
import { StreamfoldError } from "../errors.js";
import { waysTo } from "./agui.js";
import { CheckpointView } from "./checkpoint-view.js";
import { write } from "./output.js";
import type { Recording } from "./recording.js";
import { writeRest } from "./rest.js";
import { type ReplayCursor, seek } from "./seek.js";
import { Walker } from "./walker.js";

const encoder = new TextEncoder();

/**
 * What brings a consumer of AG-UI to a place and on from there. Where no events lead to the place it is the whole log, or what is left of it.
 *
 * @param cursor undefined: the end of what has come, where nothing follows
 */
export function resumeRun(
  recording: Recording,
  cursor: ReplayCursor | undefined,
  { streamId = "", to }: { streamId: string | undefined; to: Transport | undefined },
): Bytes {
  if (streamId !== "") throw new StreamfoldError({ code: "no_model", streamId });
  for (let way = 0; ; way++) {
    let isLast = false;
    let isWhole = false;
    const bytes = write(recording, to, (output) => {
      let walker = cursor === undefined ? undefined : seek(recording, cursor, "");
      try {
        const { reducer } = walker ?? { reducer: recording.live };
        let ways = waysTo(new CheckpointView(reducer.checkpoint()).model());
        isWhole = ways.length === 0;
        if (isWhole) {
          walker?.close();
          walker = undefined;
          walker = new Walker(recording, undefined);
          if (recording.start !== undefined) ways = waysTo(recording.start.view.model());
        }
        isLast = way >= ways.length - 1;
        for (const event of ways[way] ?? []) output.event(encoder.encode(event), undefined);
        if (walker !== undefined) writeRest(output, recording, walker, undefined);
      } finally {
        walker?.close();
      }
    });
    if (isLast || (cursor === undefined && !isWhole) || isTaken(recording, to, bytes)) return bytes;
  }
}

/** Whether a consumer that knows nothing yet takes all of a delivery. */
function isTaken({ engine, options }: Recording, to: Transport | undefined, bytes: Uint8Array): boolean {
  const { input: _, ...judging } = options.judging;
  const consumer = engine.createReducer({ ...judging, transport: to ?? options.transport, onError() {} });
  try {
    consumer.push(bytes);
    return consumer.stats().errors === 0;
  } finally {
    consumer.close();
  }
}
