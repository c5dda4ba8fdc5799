#!/usr/bin/env node
/**
 * Writes the recorded streams of this folder from a fixed seed.
 *
 *   node examples/generate.mjs            writes the files
 *   node examples/generate.mjs --check    compares them with what would be written; exit code 1 on any difference
 */
import { readFileSync, writeFileSync } from "node:fs";
import { aguiRuns, brokenAguiMessages } from "./generate/agui.mjs";
import { brokenMessages } from "./generate/broken.mjs";
import { escapeNonAscii, stringify } from "./generate/json.mjs";
import { Random } from "./generate/random.mjs";
import { singleStream, supportSession } from "./generate/session.mjs";

const SEED = 20260117;
/** The streams that the NDJSON recording keeps. */
const NDJSON_STREAMS = ["message-1043", "message-1044"];

/** One event as JSON text; a few are written with `\u` escapes only, as producers in other languages do. */
function eventText(random, event) {
  const json = stringify(event);
  return random.chance(0.06) ? escapeNonAscii(json) : json;
}

/** Server-sent events with ids, comments, an `event` field and JSON spread over several data lines here and there. */
function serverSentEvents(random, events) {
  const lines = [": a recorded support session: several logical streams on one connection", "retry: 3000", ""];
  events.forEach((event, index) => {
    if (index % 8 === 0) lines.push(`id: ${index + 1}`);
    if (random.chance(0.004)) lines.push(": keep-alive");
    if (random.chance(0.01)) lines.push("event: patch");
    const json = eventText(random, event);
    // White space between members may be any, so an event may be cut into data lines behind a comma of the envelope.
    const cut = random.chance(0.005) ? json.indexOf(',"seq"') + 1 : 0;
    if (cut > 0) lines.push(`data: ${json.slice(0, cut)}`, `data: ${json.slice(cut)}`);
    else lines.push(`data: ${json}`);
    lines.push("");
  });
  return Buffer.from(`${lines.join("\n")}\n`);
}

function ndjson(random, events) {
  return Buffer.from(events.map((event) => `${eventText(random, event)}\n`).join(""));
}

/** AG-UI over server-sent events, as its producers write it. */
function aguiEvents(random, events) {
  return Buffer.from(events.map((event) => `data: ${eventText(random, event)}\n\n`).join(""));
}

/** Above each message a comment names what a verifier has to report for it: code and path. */
function broken(messages) {
  const parts = [": every message below a comment breaks the rule that the comment names\n\n"];
  for (const [code, path, message] of messages) {
    if (code !== undefined) parts.push(`: ${code}${path === undefined ? "" : ` ${path}`}\n`);
    const raw = typeof message === "string" || Buffer.isBuffer(message);
    parts.push("data: ", raw ? message : stringify(message), "\n\n");
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** Every recorded file: name -> bytes. */
function recordings() {
  const session = supportSession(new Random(SEED));
  return {
    "support-session.sse": serverSentEvents(new Random(SEED + 1), session),
    "recorded.ndjson": ndjson(
      new Random(SEED + 2),
      session.filter((event) => NDJSON_STREAMS.includes(event.stream_id)),
    ),
    "single-stream.sse": serverSentEvents(new Random(SEED + 3), singleStream(new Random(SEED + 4))),
    "broken.sse": broken(brokenMessages()),
    "research.agui.sse": aguiEvents(new Random(SEED + 5), aguiRuns(new Random(SEED + 6))),
    "broken.agui.sse": broken(brokenAguiMessages()),
  };
}

function read(url) {
  try {
    return readFileSync(url);
  } catch {
    return Buffer.alloc(0);
  }
}

const check = process.argv.includes("--check");
for (const [name, bytes] of Object.entries(recordings())) {
  const url = new URL(name, import.meta.url);
  const same = read(url).equals(bytes);
  if (check && !same) {
    console.error(`examples/${name} differs from what examples/generate.mjs writes; run it without --check`);
    process.exitCode = 1;
  }
  if (!check && !same) writeFileSync(url, bytes);
}
