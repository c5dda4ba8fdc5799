#!/usr/bin/env node
/**
 * A gateway: one upstream connection, any number of clients. Upstream bytes are folded as they come and passed on event by
 * event; a client that joins late gets one `start` per stream, made from the snapshot's bytes, and goes on live. It does not
 * resume by `Last-Event-ID`: a client that comes back joins late.
 */
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";
import { DEFAULT_LIMITS, loadEngine } from "streamfold";

/** Two line ends in a row: LF, CRLF or CR, where the CR of a CRLF is no line end of its own. */
const BLANK_LINE = /(?:\r\n|\n|\r(?!\n)){2}/g;
/** Most bytes of an event that is still coming: its data, and as much again for its other fields and comments. */
const MOST_PENDING = 2 * DEFAULT_LIMITS.messageBytes;
/** A client that has not taken this many bytes yet is let go. */
const MOST_UNSENT = 64 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/** Folds what `relay` is given and serves it at every path. */
export async function createGateway(engine, log = console.error) {
  const reducer = engine.createReducer({
    protocol: "agentue",
    transport: "sse",
    onError: (error) => log(error.message),
  });
  const clients = new Set();
  /** The event that is still coming. The reducer holds it, too, and no model shows any of it. */
  let pending = NOTHING;
  /** Where `pending` begins on the wire, as `byteOffset` counts. */
  let offset = 0;
  let ended = false;

  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.flushHeaders();
    for (const streamId of reducer.streamIds()) response.write(catchUp(reducer, streamId));
    if (ended) return response.end();
    clients.add(response);
    return response.on("close", () => clients.delete(response));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

  function send(bytes) {
    if (bytes.length === 0) return;
    for (const client of clients) {
      if (client.writableLength > MOST_UNSENT) client.destroy();
      else client.write(bytes);
    }
  }

  /** Sends the whole events of `bytes`; the rest is pending. */
  function sendWhole(bytes) {
    const end = endOfEvents(bytes);
    send(bytes.subarray(0, end));
    pending = bytes.subarray(end);
    offset += end;
  }

  function stop() {
    ended = true;
    pending = NOTHING;
    for (const client of clients) client.end();
    clients.clear();
  }

  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    /**
     * Takes upstream bytes, cut anywhere. Clients get whole events only, so the snapshot of one that joins ends where the
     * relay goes on. Returns false once the upstream connection has failed: the sound events before the fault are sent, then
     * the clients' bodies end.
     */
    relay(chunk) {
      if (ended) return false;
      const bytes = Buffer.concat([pending, chunk]);
      try {
        reducer.push(chunk);
      } catch (error) {
        // Only a failed connection (onError has logged it) or a failed engine comes here; the latter has no position.
        if (error.scope !== "connection") log(error.message);
        sendWhole(bytes.subarray(0, Math.max(0, (error.byteOffset ?? 0) - offset)));
        stop();
        return false;
      }
      sendWhole(bytes);
      if (pending.length <= MOST_PENDING) return true;
      log("the upstream sends an event without an end");
      stop();
      return false;
    },
    /** After a failure or the end: the next bytes are those of a new upstream connection. Models stay. */
    reconnect() {
      reducer.reconnect();
      pending = NOTHING;
      offset = 0;
      ended = false;
    },
    /** The upstream body has ended. Its tail goes out as well: closed when it was a whole event, else as it is, cut off. */
    end() {
      if (!ended) {
        const { applied } = reducer.stats();
        try {
          reducer.finish();
          send(reducer.stats().applied > applied ? Buffer.concat([pending, Buffer.from("\n\n")]) : pending);
        } catch (error) {
          if (error.scope !== "connection") log(error.message);
        }
        stop();
      }
      return reducer.finish();
    },
    close() {
      stop();
      reducer.close();
      server.close();
    },
  };
}

/** Where the last whole event of these bytes ends. */
function endOfEvents(bytes) {
  let end = 0;
  for (const blank of bytes.toString("latin1").matchAll(BLANK_LINE)) end = blank.index + blank[0].length;
  return end;
}

/**
 * A stream's model as a `start` event (AgentUE §6), with its `end` when it has one. Nothing for a refused stream: what comes for
 * it is not folded here either, until its next `start`. The snapshot's bytes are copied once.
 */
function catchUp(reducer, streamId) {
  const status = reducer.status({ streamId });
  if (status === "refused") return "";
  const seq = reducer.seq({ streamId }) ?? 0;
  const id = JSON.stringify(streamId);
  const end = status === "ended" ? `data: {"op":"end","seq":${seq},"stream_id":${id}}\n\n` : "";
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
