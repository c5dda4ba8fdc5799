#!/usr/bin/env node
/**
 * A gateway: one upstream connection, any number of clients. Upstream bytes are passed on as they come and folded on the
 * way; a client that joins late gets one `start` per stream, made from the snapshot's bytes, and goes on live.
 */
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { loadEngine } from "streamfold";

const BLANK_LINE = "\n\n";

/** Folds what `relay` is given and serves it at every path. `close()` ends the server. */
export async function createGateway(engine) {
  const reducer = engine.createReducer({
    protocol: "agentue",
    transport: "sse",
    onError: (error) => console.error(error.message),
  });
  const clients = new Set();
  let rest = Buffer.alloc(0);
  let ended = false;

  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    for (const streamId of reducer.streamIds()) response.write(catchUp(reducer, streamId));
    if (ended) return response.end();
    clients.add(response);
    return response.on("close", () => clients.delete(response));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /** Takes upstream bytes, cut anywhere. Only whole events are folded and passed on, so a snapshot ends where the relay goes on. */
    relay(chunk) {
      rest = Buffer.concat([rest, chunk]);
      const end = rest.lastIndexOf(BLANK_LINE) + BLANK_LINE.length;
      if (end < BLANK_LINE.length) return;
      const whole = rest.subarray(0, end);
      rest = rest.subarray(end);
      reducer.push(whole);
      for (const client of clients) client.write(whole);
    },
    end() {
      ended = true;
      for (const client of clients) client.end();
      return reducer.finish();
    },
    close() {
      reducer.close();
      server.close();
    },
  };
}

/** A stream's model as a `start` event (AgentUE §6), with its `end` when it has one. The snapshot's bytes are copied once. */
function catchUp(reducer, streamId) {
  const seq = reducer.seq({ streamId });
  const id = JSON.stringify(streamId);
  const end = reducer.status({ streamId }) === "ended" ? `data: {"op":"end","seq":${seq},"stream_id":${id}}\n\n` : "";
  return reducer.withSnapshotBytes(
    (model) =>
      Buffer.concat([
        Buffer.from(`data: {"op":"start","seq":${seq},"stream_id":${id},"model":`),
        model,
        Buffer.from(`}\n\n${end}`),
      ]),
    { streamId },
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { readFileSync } = await import("node:fs");
  const { setImmediate: breathe } = await import("node:timers/promises");
  const { followStream } = await import("./browser-client.mjs");

  const engine = await loadEngine();
  const gateway = await createGateway(engine);
  const recording = readFileSync(new URL("support-session.sse", import.meta.url));
  const early = followStream(gateway.url);
  let late;
  for (let at = 0; at < recording.length; at += 4000) {
    gateway.relay(recording.subarray(at, at + 4000));
    // The second client joins in the middle.
    if (late === undefined && at > recording.length / 2) late = followStream(gateway.url);
    await breathe();
  }
  const { streams } = gateway.end();
  const [first, second] = await Promise.all([early, late]);
  console.log(`gateway: ${streams.length} streams folded on ${engine.kind}`);
  for (const [name, { bytes, result }] of Object.entries({ early: first, late: second })) {
    console.log(`${name} client: ${bytes} bytes, body ${result.status}, ${result.streams.length} streams`);
  }
  const same = JSON.stringify(first.models) === JSON.stringify(second.models);
  console.log(`both clients hold ${same ? "the same models" : "different models"}`);
  gateway.close();
  engine.close();
  process.exitCode = same ? 0 : 1;
}
