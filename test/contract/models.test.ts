import {
  acceptance,
  acceptedStart,
  append,
  end,
  failure,
  MODEL,
  modelOf,
  ping,
  refusal,
  refusedStart,
  set,
  start,
} from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §3 and docs/semantics.md §3 step 5 (model, block, error object).

const V = { version: "1.1", biz: "chat", meta: {}, blocks: [] };
const without = (name: keyof typeof V): Record<string, unknown> =>
  Object.fromEntries(Object.entries(V).filter(([key]) => key !== name));
const withMeta = (meta: unknown): unknown => ({ ...V, meta });
const withBlocks = (...blocks: unknown[]): unknown => ({ ...V, blocks });

const MEMBERS: Case[] = [
  acceptedStart("the smallest model", V),
  acceptedStart("version 1.0", { ...V, version: "1.0" }),
  acceptedStart("unknown members are kept", { x: 1, ...V, y: { z: [null] } }),
  acceptedStart("members in another order", { blocks: [{ type: "t", id: "b" }], meta: {}, biz: "x", version: "1.1" }),
  acceptedStart(
    "repeated members",
    '{"version":1,"biz":"","version":"1.1","meta":0,"blocks":[],"biz":"b","meta":{"a":1,"a":2}}',
  ),
  refusedStart("version missing", without("version"), "bad_model", "/model/version"),
  refusedStart("biz missing", without("biz"), "bad_model", "/model/biz"),
  refusedStart("meta missing", without("meta"), "bad_model", "/model/meta"),
  refusedStart("blocks missing", without("blocks"), "bad_model", "/model/blocks"),
  refusedStart("everything missing: version first", {}, "bad_model", "/model/version"),
  ...[1, 1.1, null, "", "1", "1.2", "2.0", "1.10", " 1.1", ["1.1"]].map((version) =>
    refusedStart(`version ${JSON.stringify(version)}`, { ...V, version }, "bad_model", "/model/version"),
  ),
  ...[1, null, "", [], {}].map((biz) =>
    refusedStart(`biz ${JSON.stringify(biz)}`, { ...V, biz }, "bad_model", "/model/biz"),
  ),
  ...[1, null, "m", []].map((meta) =>
    refusedStart(`meta ${JSON.stringify(meta)}`, { ...V, meta }, "bad_model", "/model/meta"),
  ),
  ...[1, null, "b", {}].map((blocks) =>
    refusedStart(`blocks ${JSON.stringify(blocks)}`, { ...V, blocks }, "bad_model", "/model/blocks"),
  ),
  refusedStart(
    "the order of judging is fixed, not that of the document",
    { blocks: 1, meta: 1, biz: 1, version: 1 },
    "bad_model",
    "/model/version",
  ),
  refusedStart("biz before meta", { blocks: 1, meta: 1, biz: 1, version: "1.0" }, "bad_model", "/model/biz"),
  refusedStart(
    "meta's members before blocks",
    { ...V, blocks: 1, meta: { stats: 1 } },
    "bad_model",
    "/model/meta/stats",
  ),
  refusedStart(
    "a repeated member: its last value is judged",
    '{"version":"1.1","biz":"b","meta":{},"blocks":[],"version":"2"}',
    "bad_model",
    "/model/version",
  ),
];

const META: Case[] = [
  ...(["task_id", "trace_id"] as const).flatMap((name) => [
    acceptedStart(`meta.${name} string`, withMeta({ [name]: "" })),
    acceptedStart(`meta.${name} null`, withMeta({ [name]: null })),
    ...[1, true, [], {}].map((value) =>
      refusedStart(
        `meta.${name} ${JSON.stringify(value)}`,
        withMeta({ [name]: value }),
        "bad_model",
        `/model/meta/${name}`,
      ),
    ),
  ]),
  acceptedStart("meta.stats object", withMeta({ stats: { a: [] } })),
  acceptedStart("meta.stats null", withMeta({ stats: null })),
  ...[1, "s", []].map((stats) =>
    refusedStart(`meta.stats ${JSON.stringify(stats)}`, withMeta({ stats }), "bad_model", "/model/meta/stats"),
  ),
  acceptedStart("meta.error null", withMeta({ error: null })),
  acceptedStart(
    "meta.error with all members and an unknown one",
    withMeta({ error: { code: "", message: "", detail: null, trace_id: "t", more: [1] } }),
  ),
  acceptedStart("unknown meta members of any type", withMeta({ a: 1, b: null, c: [[]], d: { error: 5, stats: 1 } })),
  ...[1, "e", [], true].map((error) =>
    refusedStart(`meta.error ${JSON.stringify(error)}`, withMeta({ error }), "bad_model", "/model/meta/error"),
  ),
  refusedStart("meta.error empty", withMeta({ error: {} }), "bad_model", "/model/meta/error/code"),
  refusedStart(
    "meta.error without message",
    withMeta({ error: { code: "c" } }),
    "bad_model",
    "/model/meta/error/message",
  ),
  refusedStart(
    "meta.error.code null",
    withMeta({ error: { message: "m", code: null } }),
    "bad_model",
    "/model/meta/error/code",
  ),
  refusedStart(
    "meta.error.message a number",
    withMeta({ error: { message: 1, code: "c" } }),
    "bad_model",
    "/model/meta/error/message",
  ),
  refusedStart(
    "meta.error.detail a number",
    withMeta({ error: { code: "c", message: "m", detail: 1 } }),
    "bad_model",
    "/model/meta/error/detail",
  ),
  refusedStart(
    "meta.error.trace_id an object",
    withMeta({ error: { code: "c", message: "m", trace_id: {} } }),
    "bad_model",
    "/model/meta/error/trace_id",
  ),
  refusedStart(
    "meta.error: members in the fixed order",
    withMeta({ error: { trace_id: 1, detail: 1, message: 1, code: 1 } }),
    "bad_model",
    "/model/meta/error/code",
  ),
  refusedStart(
    "meta.error: detail before trace_id",
    withMeta({ error: { trace_id: 1, detail: 1, message: "", code: "" } }),
    "bad_model",
    "/model/meta/error/detail",
  ),
  refusedStart(
    "meta's members in the fixed order",
    withMeta({ stats: 1, trace_id: 1, task_id: 1, error: 1 }),
    "bad_model",
    "/model/meta/error",
  ),
  refusedStart(
    "meta: task_id before trace_id",
    withMeta({ stats: 1, trace_id: 1, task_id: 1 }),
    "bad_model",
    "/model/meta/task_id",
  ),
  refusedStart("meta: trace_id before stats", withMeta({ stats: 1, trace_id: 1 }), "bad_model", "/model/meta/trace_id"),
  refusedStart(
    "meta: a repeated member counts with its last value",
    '{"version":"1.1","biz":"b","blocks":[],"meta":{"task_id":"t","x":1,"task_id":5}}',
    "bad_model",
    "/model/meta/task_id",
  ),
  acceptedStart(
    "meta.error: a repeated member counts with its last value",
    '{"version":"1.1","biz":"b","blocks":[],"meta":{"error":{"code":1,"message":"m","code":"c"}}}',
  ),
];

const INLINE: [name: string, block: unknown, path: string][] = [
  ["a number", 1, ""],
  ["null", null, ""],
  ["an array", [], ""],
  ["a string", "b", ""],
  ["without members", {}, "/id"],
  ["without id", { type: "t" }, "/id"],
  ["with an empty id", { id: "", type: "t" }, "/id"],
  ["with a numeric id", { id: 1, type: "t" }, "/id"],
  ["with a null id", { type: "t", id: null }, "/id"],
  ["without type", { id: "b" }, "/type"],
  ["with an empty type", { id: "b", type: "" }, "/type"],
  ["with a null type", { id: "b", type: null }, "/type"],
  ["with a numeric type", { id: "b", type: 5 }, "/type"],
  ["with id before type", { type: 1, id: 1 }, "/id"],
  ["with a numeric parent_id", { id: "b", type: "t", parent_id: 4 }, "/parent_id"],
  ["with an object as group_id", { id: "b", type: "t", group_id: {} }, "/group_id"],
  ["with parent_id before group_id", { group_id: 1, parent_id: 1, id: "b", type: "t" }, "/parent_id"],
  ["with type before parent_id", { parent_id: 1, id: "b", type: 1 }, "/type"],
];

const REFERENCES: [name: string, block: unknown, path: string][] = [
  ["with an empty ref", { id: "b", ref: "" }, "/ref"],
  ["with a null ref", { id: "b", ref: null }, "/ref"],
  ["with a numeric ref", { id: "b", ref: 1 }, "/ref"],
  ["without id", { ref: "k" }, "/id"],
  ["with an empty id", { ref: "k", id: "" }, "/id"],
  ["with id before ref", { ref: 1, id: 1 }, "/id"],
  ["with type", { id: "b", ref: "k", type: "t" }, "/type"],
  ["with type in front", { type: "t", id: "b", ref: "k" }, "/type"],
  ["with parent_id and content: the first one", { content: "", id: "b", ref: "k", parent_id: null }, "/content"],
  ["with an unknown member", { id: "b", ref: "k", x: 1 }, "/x"],
  ["with ref before other members", { x: 1, id: "b", ref: 5 }, "/ref"],
  ["with a member whose name is escaped in the pointer", { id: "b", ref: "k", "~/": 1 }, "/~0~1"],
  ["with type null", { id: "b", ref: "k", type: null }, "/type"],
];

const BLOCKS: Case[] = [
  acceptedStart(
    "inline blocks with everything optional",
    withBlocks(
      { id: "b", type: "t", parent_id: null, group_id: "g" },
      { id: "c", type: "t", parent_id: "", group_id: null, x: [1] },
    ),
  ),
  acceptedStart("a parent that does not exist", withBlocks({ id: "b", type: "t", parent_id: "nobody" })),
  acceptedStart(
    "a frame block is an ordinary block",
    withBlocks({ id: "f", type: "frame", block_id: 5, seq: "x", total: -1 }),
  ),
  acceptedStart("references with the same key", withBlocks({ id: "b", ref: "k" }, { id: "c", ref: "k" })),
  ...INLINE.map(([name, block, path]) =>
    refusedStart(
      `an inline block ${name}`,
      withBlocks({ id: "ok", type: "t" }, block),
      "bad_block",
      `/model/blocks/1${path}`,
    ),
  ),
  ...REFERENCES.map(([name, block, path]) =>
    refusedStart(`a reference ${name}`, withBlocks(block), "bad_block", `/model/blocks/0${path}`),
  ),
  refusedStart(
    "a reference in a model of version 1.0",
    { ...V, version: "1.0", blocks: [{ id: "b", ref: "k" }] },
    "bad_block",
    "/model/blocks/0/ref",
  ),
  refusedStart(
    "a malformed reference in a model of version 1.0",
    { ...V, version: "1.0", blocks: [{ id: "b", ref: "k", x: 1 }] },
    "bad_block",
    "/model/blocks/0/x",
  ),
  refusedStart(
    "two blocks with one id",
    withBlocks({ id: "b", type: "t" }, { id: "c", type: "t" }, { id: "b", type: "u" }),
    "duplicate_id",
    "/model/blocks/2/id",
  ),
  refusedStart(
    "an inline block and a reference with one id",
    withBlocks({ id: "b", type: "t" }, { id: "b", ref: "k" }),
    "duplicate_id",
    "/model/blocks/1/id",
  ),
  refusedStart(
    "two spellings of one id",
    '{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"b","type":"t"},{"id":"\\u0062","type":"t"}]}',
    "duplicate_id",
    "/model/blocks/1/id",
  ),
  refusedStart(
    "a block's own fault before its id is compared",
    withBlocks({ id: "b", type: "t" }, { id: "b", type: 1 }),
    "bad_block",
    "/model/blocks/1/type",
  ),
  refusedStart(
    "block by block: a duplicate before a later malformed one",
    withBlocks({ id: "b", type: "t" }, { id: "b", type: "t" }, 5),
    "duplicate_id",
    "/model/blocks/1/id",
  ),
  refusedStart(
    "an index of two digits in the pointer",
    withBlocks(...Array.from({ length: 11 }, (_, i) => ({ id: `b${i}`, type: "t" })), null),
    "bad_block",
    "/model/blocks/11",
  ),
  acceptedStart(
    "a repeated ref that ends well",
    '{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"b","ref":5,"ref":"k"}]}',
  ),
  acceptedStart(
    "ids that only look alike",
    '{"version":"1.1","biz":"b","meta":{},"blocks":[{"id":"b","type":"t"},{"id":"B","type":"t"},{"id":"b ","type":"t"},{"id":"\\ud83d","type":"t"},{"id":"\\ude00","type":"t"},{"id":"\\u0000","type":"t"},{"id":"\\"","type":"t"},{"id":"\\\\","type":"t"},{"id":"__proto__","type":"t"},{"id":"constructor","type":"t"}]}',
  ),
];

const WHOLE_SET: Case[] = [
  ...INLINE.filter(([, block]) => typeof block === "object" && block !== null && !Array.isArray(block)).flatMap(
    ([name, block, path]) =>
      refusal(`set: an inline block ${name}`, set(2, block as Record<string, unknown>), "bad_block", `/block${path}`),
  ),
  ...REFERENCES.flatMap(([name, block, path]) =>
    refusal(`set: a reference ${name}`, set(2, block as Record<string, unknown>), "bad_block", `/block${path}`),
  ),
  acceptance("set: a new block goes to the end", set(2, { id: "new", type: "t", x: 1 }), {
    block: { id: "new", type: "t", x: 1 },
  }),
  acceptance("set: a block is replaced in its place", set(2, { id: "a", type: "other" }), {
    block: { id: "a", type: "other" },
  }),
  acceptance("set: a new reference", set(2, { id: "new", ref: "k" }), { block: { id: "new", ref: "k" } }),
  acceptance("set: an inline block becomes a reference", set(2, { id: "a", ref: "k" }), {
    block: { id: "a", ref: "k" },
  }),
  acceptance("set: a reference becomes an inline block", set(2, { id: "r", type: "text", content: "" }), {
    block: { id: "r", type: "text", content: "" },
  }),
  acceptance("set: a reference gets another key", set(2, { ref: "other", id: "r" }), {
    block: { ref: "other", id: "r" },
  }),
  acceptance("set: two spellings of one id", '{"op":"set","seq":2,"block":{"id":"\\u0061","type":"x"}}', {
    block: { id: "a", type: "x" },
  }),
];

const REPLACED: Case[] = [
  {
    name: "a second start replaces everything",
    steps: [start(), append(2, "a", "!"), start(modelOf({ id: "z", type: "t" }), { seq: 7 })],
    applied: 3,
    streams: [{ status: "open", seq: 7, version: 3, model: modelOf({ id: "z", type: "t" }) }],
  },
  {
    name: "a start may set seq back",
    steps: [start(modelOf(), { seq: 9 }), start(modelOf(), { seq: 2 }), set(3, { id: "b", type: "t" })],
    applied: 3,
    streams: [{ status: "open", seq: 3, version: 3, model: modelOf({ id: "b", type: "t" }) }],
  },
  ...refusal(
    "a malformed second start leaves the first model",
    start({ ...V, blocks: [{}] }, { seq: 5 }),
    "bad_block",
    "/model/blocks/0/id",
  ),
  ...refusal(
    "a second start with a duplicate id",
    start(modelOf({ id: "b", type: "t" }, { id: "b", type: "t" }), { seq: 5 }),
    "duplicate_id",
    "/model/blocks/1/id",
  ),
  {
    name: "a start after end and after error opens again",
    steps: [start(), failure(2, { code: "c", message: "m" }), end(3), start(MODEL, { seq: 3 }), ping(3)],
    applied: 5,
    streams: [{ status: "open", seq: 3, version: 3, model: MODEL }],
    finish: "truncated",
  },
];

contract("models", [...MEMBERS, ...META, ...BLOCKS, ...WHOLE_SET, ...REPLACED]);
