#!/usr/bin/env node
/**
 * Folds the recorded support session on both engines, compares the models and prints what they hold. Arguments go to
 * the command line instead: `npm start -- verify examples/broken.sse`.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

const CHUNK = 64 * 1024;
/** Folds of each engine before the clock counts: compilers of the runtime take their time. */
const WARM_UP = 12;
const ROUNDS = 41;
const RECORDING = new URL("support-session.sse", import.meta.url);

if (process.argv.length > 2) {
  const cli = new URL("../dist/cli.js", import.meta.url);
  // `npm start` runs in the folder of the package; file names are meant from where it was called.
  if (process.env.npm_lifecycle_event === "start" && process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
  process.argv[1] = fileURLToPath(cli);
  await import(cli.href);
} else {
  const { loadEngine } = await import("../dist/esm/node.js");
  process.exitCode = demo(await loadEngine(), await loadEngine({ kind: "js" }));
}

function chunksOf(bytes) {
  const chunks = [];
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(bytes.subarray(at, at + CHUNK));
  return chunks;
}

/** Folds the recording once; the caller closes the reducer. */
function fold(engine, chunks) {
  const reducer = engine.createReducer({ protocol: "agentue", transport: "sse" });
  const start = performance.now();
  for (const chunk of chunks) reducer.push(chunk);
  const result = reducer.finish();
  return { reducer, result, milliseconds: performance.now() - start };
}

/** Median of several folds of each engine when they are warm. The engines take turns, and the turn to begin. */
function time(engines, chunks) {
  const times = engines.map(() => []);
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? [...engines.keys()] : [...engines.keys()].reverse();
    order.forEach((index) => {
      const engine = engines[index];
      const { reducer, milliseconds } = fold(engine, chunks);
      reducer.close();
      if (round >= 0) times[index].push(milliseconds);
    });
  }
  return times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1]);
}

function modelsOf(reducer) {
  const ids = reducer.streamIds();
  return Object.fromEntries(ids.map((streamId) => [streamId, reducer.snapshot({ streamId, integers: "bigint" })]));
}

/** Prints the summary; returns the exit code. */
function demo(engine, javascript) {
  const bytes = readFileSync(RECORDING);
  const chunks = chunksOf(bytes);
  const { reducer, result } = fold(engine, chunks);
  const reference = fold(javascript, chunks);
  const models = modelsOf(reducer);
  const same = isDeepStrictEqual(models, modelsOf(reference.reducer));
  const { events } = reducer.stats();

  console.log(
    `streamfold: ${events} events, ${(bytes.length / 1e6).toFixed(2)} MB of server-sent events in chunks of 64 KiB`,
  );
  console.log(`engine ${engine.kind} (${engine.reason}), compared with engine ${javascript.kind}\n`);
  for (const [streamId, model] of Object.entries(models)) printStream(reducer, streamId, model);
  console.log(
    `body ${result.status}; last event id ${reducer.lastEventId}; both engines give ${same ? "the same models" : "DIFFERENT MODELS"}\n`,
  );
  reducer.close();
  reference.reducer.close();

  const engines = engine.kind === javascript.kind ? [engine] : [engine, javascript];
  const times = time(engines, chunks);
  engines.forEach((each, index) => {
    const perSecond = (amount) => (amount / times[index]) * 1000;
    const rate = `${(perSecond(events) / 1e6).toFixed(2).padStart(7)} million events/s`;
    console.log(
      `${each.kind.padEnd(12)} ${times[index].toFixed(2).padStart(7)} ms ${rate} ${(perSecond(bytes.length) / 1e6).toFixed(0).padStart(6)} MB/s`,
    );
  });
  if (engines.length > 1)
    console.log(
      `${engine.kind} is ${(times[1] / times[0]).toFixed(1)} times as fast as ${javascript.kind} here (median of ${ROUNDS} folds)`,
    );
  engine.close();
  javascript.close();
  return same ? 0 : 1;
}

function printStream(reducer, streamId, model) {
  const types = {};
  for (const block of model.blocks) types[block.type ?? "reference"] = (types[block.type ?? "reference"] ?? 0) + 1;
  const references = model.blocks.filter((block) => block.ref !== undefined);
  const answer = model.blocks.findLast((block) => block.type === "text");
  const { error, stats } = model.meta;
  console.log(
    `${streamId || "(unnamed)"}  ${reducer.status({ streamId })} at seq ${reducer.seq({ streamId })}, model ${model.version}, biz ${model.biz}`,
  );
  console.log(
    `  blocks      ${Object.entries(types)
      .map(([type, count]) => `${count} ${type}`)
      .join(", ")}`,
  );
  if (answer) console.log(`  ${answer.id.padEnd(11)} ${excerpt(answer.content)}`);
  for (const { id, ref } of references) console.log(`  reference   ${id} -> ${ref}`);
  console.log(`  meta        ${error ? `error ${error.code}: ${error.message}` : `stats ${JSON.stringify(stats)}`}\n`);
}

/** The beginning of a text on one line, cut between characters as a reader sees them. */
function excerpt(text) {
  const line = text.replace(/\s+/g, " ");
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  return characters.length > 84 ? `${characters.slice(0, 84).join("")}…` : line;
}
