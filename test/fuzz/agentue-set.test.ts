import { describe, expect, it } from "vitest";
import type { Reducer, Transport } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import { engine, KINDS, openCore } from "../support/engines.js";
import { Fold, type Options } from "../support/fold.js";
import { Rng } from "../support/rng.js";
import { messageOf } from "../support/transcoding.js";
import { rounds } from "./clock.js";

const TRANSPORTS = ["sse", "ndjson", "msgpack"] as const satisfies readonly Transport[];

/** Blocks of one shape, a reference, and meta with the fields that the protocol asks something of. */
const block = (id: string, n: number): string =>
  `{"id":"${id}","type":"tool","content":"text ${n}","result":{"total":${n},"twice":1,"source":{"fresh":false,"list":[1,2],"a long name":null},"twice":2},"parent_id":null}`;
const MODEL = `{"version":"1.1","biz":"b","meta":{"task_id":"t","error":null,"stats":{"tokens":1,"by":{"large":2}},"ui":{"open":true,"width":3}},"blocks":[${[
  ...[block("b1", 1), block("b2", 22), block("b3", 333)],
  '{"id":"r","ref":"key"}',
].join()}]}`;

/** Masks below `block` and `meta`; each is split at `.` for its slot. */
const MASKS: readonly string[] = [
  "content|result|result.total|result.twice|result.source|result.source.fresh|result.source.list|result.source.a long name|result.missing|result.source.x.y",
  "type|parent_id|group_id|id|ref|content.x|result.total.x|result.|.result|result..total|nothing|__proto__",
].flatMap((line) => line.split("|"));
const META_MASKS: readonly string[] =
  "stats|stats.tokens|stats.by|stats.by.large|ui|ui.open|ui.width|ui.missing|error|error.code|task_id|trace_id|task_id.x".split(
    "|",
  );

const VALUES: readonly string[] =
  '0|-1|1.50e3|1234567|12345678901234567|true|false|null|""|"text"|"a text of more than sixteen bytes"|"\\n"|"\\u0041"|"é\\ud83d"|{}|[]|{"total":7,"source":{"fresh":1}}|{"a":1,"a":2}|[1,[2]]|[[[[[[1]]]]]]'.split(
    "|",
  );

/** Other events, which change what a patch finds. */
const OTHERS: readonly string[] = [
  '"op":"append","mask":"block.content","block":{"id":"b1","content":" more"}',
  '"op":"set","block":{"id":"b2","type":"tool","content":"new","result":{"source":{"fresh":2},"total":9}}',
  '"op":"set","block":{"id":"r","type":"tool","content":"here","result":{"total":0}}',
  '"op":"set","block":{"id":"b4","type":"tool","result":{"total":0,"source":{}}}',
  '"op":"error","mask":"meta.error","meta":{"error":{"code":"c","message":"m"}}',
];

/** A patch of one field; now and then with something about it that is not ordinary. */
function patch(rng: Rng, seq: string): string {
  const isMeta = rng.chance(0.25);
  const mask = rng.pick(isMeta ? META_MASKS : MASKS);
  const value = rng.pick(VALUES);
  const names = rng.chance(0.04) ? rng.pick(MASKS).split(".") : mask.split(".");
  const nest = names.reduceRight(
    (inner, name, index) => `"${name}":${index === names.length - 1 ? inner : `{${inner}}`}`,
    value,
  );
  const id = rng.chance(0.05) ? "none" : rng.pick(["b1", "b2", "b3", "b4", "r"]);
  const more = rng.chance(0.05) ? ',"also":1' : "";
  const slot = isMeta ? `"meta":{${nest}${more}}` : `"block":{"id":"${id}",${nest}${more}}`;
  const members = [`"seq":${seq}`, `"mask":"${isMeta ? "meta" : "block"}.${mask}"`, slot];
  const extra = rng.pick([
    "",
    "",
    "",
    '"event_type":"state.patch"',
    '"ts":12',
    '"ts":1.5',
    '"event_type":1',
    '"unknown":0',
    '"seq":3',
    '"stream_id":""',
    '"stream_id":"s"',
  ]);
  if (extra !== "") members.splice(rng.int(4), 0, extra);
  if (rng.chance(0.05)) members.reverse();
  return `{"op":"set",${members.join()}}`;
}

/** The same event with a blank behind its opening brace: it is not in the ordinary spelling any more. Bytes have no other one. */
const respelled = (text: string): string => text.replace("{", "{ ");

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** What both folds have to say alike; `since`: what has changed after this version. */
function facts({ reducer, applied, log }: Fold, since: number | undefined) {
  const { bytes: _bytes, memory: _memory, ...stats } = reducer.stats();
  const told = log.filter((entry) => entry.kind !== "event");
  return {
    model: decode(reducer.snapshotBytes()),
    stats,
    changes: since === undefined ? undefined : reducer.changes({ since }),
    seq: reducer.seq(),
    applied,
    // Texts of other lengths lie at other offsets.
    reports: JSON.stringify(told, (name, value) => (name === "byteOffset" ? undefined : value)),
  };
}

describe.each(KINDS)("patches of a field on %s", (kind) => {
  it("mean the same in the ordinary spelling, which is taken the quick way, as in another", () => {
    const { core, engine: counted } = openCore(kind);
    let accepted = 0;
    rounds(1, 30, (seed) => {
      const rng = new Rng(seed);
      const transport = rng.pick(TRANSPORTS);
      const limits = rng.pick([{}, {}, { depth: 7 }, { modelBytes: MODEL.length + 60 }, { numberLength: 16 }]);
      const options: Options = {
        onViolation: "skip-event",
        sequence: rng.pick(["dedupe", "strict", "off"] as const),
        limits,
      };
      const quick = new Fold(counted, transport, options, false);
      // Whoever hears of events gets them from the long way.
      const long = new Fold(engine(kind), transport, options, true);
      const forks: { fork: Reducer; text: string }[] = [];
      let seq = 1;
      for (const fold of [quick, long]) fold.push(messageOf(transport, `{"op":"start","seq":1,"model":${MODEL}}`));
      for (let n = 0; n < 40; n++) {
        const next = rng.chance(0.9)
          ? String(seq + 1)
          : rng.pick([String(seq), String(seq + 3), `${seq + 1}.0`, "1e3", "9007199254740993"]);
        const text = rng.chance(0.15) ? `{"seq":${seq + 1},${rng.pick(OTHERS)}}` : patch(rng, next);
        const since = quick.reducer.stats().version;
        quick.push(messageOf(transport, text));
        long.push(messageOf(transport, respelled(text)));
        const read = rng.chance(0.3) ? since : undefined;
        const label = `seed ${seed}, ${transport}, ${JSON.stringify(options)}: ${text}`;
        expect(facts(quick, read), label).toEqual(facts(long, read));
        if (quick.failure !== undefined) break;
        if (quick.reducer.stats().version > since) accepted++;
        seq = quick.reducer.seq() ?? seq;
        if (rng.chance(0.05)) {
          // A fork shares texts with the model that goes on, and stays what it was.
          const fork = quick.reducer.fork();
          forks.push({ fork, text: decode(fork.snapshotBytes()) });
        }
      }
      for (const { fork, text } of forks) {
        expect(decode(fork.snapshotBytes()), `seed ${seed}: a fork`).toBe(text);
        fork.close();
      }
      for (const { reducer } of [quick, long]) reducer.close();
    });
    // Some of what is accepted meets a protocol field, or makes something that was not there.
    if (kind !== "js") expect(coreCounters(core).quickDeltas / accepted).toBeGreaterThan(0.3);
    counted.close();
  });
});
