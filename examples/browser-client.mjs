/**
 * Client code as it runs in a browser, a worker or Node: the body of a fetch goes into a reducer, and each chunk's
 * changes say what to draw again.
 */
import { loadEngine } from "streamfold";
import { reduceBody } from "streamfold/stream";

/**
 * Follows a gateway to the end of its body.
 *
 * @param url where the events come from
 * @param draw called for every stream that a chunk has changed: `(streamId, changes)`; `changes` is undefined when all is new
 */
export async function followStream(url, draw = () => {}) {
  const engine = await loadEngine();
  const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
  const drawn = new Map();
  let bytes = 0;
  try {
    const response = await fetch(url, { headers: { accept: "text/event-stream" } });
    const result = await reduceBody(reducer, response.body, {
      onChunk(_applied, chunk) {
        bytes += chunk.byteLength;
        for (const streamId of reducer.streamIds()) {
          const { version, changes } = reducer.changes({ streamId, since: drawn.get(streamId) ?? 0 });
          if (version !== drawn.get(streamId)) draw(streamId, changes);
          drawn.set(streamId, version);
        }
      },
    });
    const models = Object.fromEntries(
      reducer.streamIds().map((streamId) => [streamId, reducer.snapshot({ streamId })]),
    );
    return { bytes, result, models };
  } finally {
    reducer.close();
    engine.close();
  }
}
