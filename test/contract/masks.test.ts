import { acceptance, end, ping, refusal, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §5 and docs/semantics.md §3 step 4: which slots an op must and must not carry, and the grammar of masks.

const MASK = { mask: "block.x" };
const META = { meta: { x: 1 } };
const BLOCK = { block: { id: "a", type: "text", x: "1" } };
const MODEL_SLOT = { model: {} };

const SLOTS: Case[] = [
  // start
  ...refusal("start without model", { op: "start", seq: 2 }, "missing_field", "/model"),
  ...refusal("start with mask", start(undefined, MASK), "bad_field", "/mask"),
  ...refusal("start with meta", start(undefined, META), "bad_field", "/meta"),
  ...refusal("start with block", start(undefined, BLOCK), "bad_field", "/block"),
  ...refusal("start with mask before a missing model", { op: "start", seq: 2, ...MASK }, "bad_field", "/mask"),
  ...refusal(
    "start with an ill-formed mask: its presence is judged first",
    { op: "start", seq: 2, mask: "x" },
    "bad_field",
    "/mask",
  ),
  ...refusal(
    "start with meta before block, whatever their order",
    { block: {}, meta: {}, op: "start", seq: 2, ...MODEL_SLOT },
    "bad_field",
    "/meta",
  ),
  ...refusal(
    "start with meta before the faults of its model",
    { op: "start", seq: 2, ...MODEL_SLOT, meta: {} },
    "bad_field",
    "/meta",
  ),
  ...refusal("start without model before meta", { op: "start", seq: 2, ...META }, "missing_field", "/model"),
  // set without mask
  ...refusal("set without block", { op: "set", seq: 2 }, "missing_field", "/block"),
  ...refusal("set without mask but with model", { op: "set", seq: 2, ...MODEL_SLOT, ...BLOCK }, "bad_field", "/model"),
  ...refusal("set without mask but with meta", { op: "set", seq: 2, ...META, ...BLOCK }, "bad_field", "/meta"),
  ...refusal("set without mask: meta before a missing block", { op: "set", seq: 2, ...META }, "bad_field", "/meta"),
  ...refusal(
    "set without mask: model before meta",
    { op: "set", seq: 2, ...META, ...MODEL_SLOT },
    "bad_field",
    "/model",
  ),
  // set meta.<path>
  ...refusal("set meta.x without meta", { op: "set", seq: 2, mask: "meta.x" }, "missing_field", "/meta"),
  ...refusal("set meta.x with block only", { op: "set", seq: 2, mask: "meta.x", ...BLOCK }, "missing_field", "/meta"),
  ...refusal("set meta.x with block", { op: "set", seq: 2, mask: "meta.x", ...META, ...BLOCK }, "bad_field", "/block"),
  ...refusal(
    "set meta.x with model",
    { op: "set", seq: 2, mask: "meta.x", ...MODEL_SLOT, ...META },
    "bad_field",
    "/model",
  ),
  // set block.<path>
  ...refusal("set block.x without block", { op: "set", seq: 2, ...MASK }, "missing_field", "/block"),
  ...refusal("set block.x with meta", { op: "set", seq: 2, ...MASK, ...META, ...BLOCK }, "bad_field", "/meta"),
  ...refusal("set block.x with meta and without block", { op: "set", seq: 2, ...MASK, ...META }, "bad_field", "/meta"),
  ...refusal("set block.x with model", { op: "set", seq: 2, ...MASK, ...MODEL_SLOT, ...BLOCK }, "bad_field", "/model"),
  // append
  ...refusal("append without mask", { op: "append", seq: 2, ...BLOCK }, "missing_field", "/mask"),
  ...refusal("append without block", { op: "append", seq: 2, ...MASK }, "missing_field", "/block"),
  ...refusal(
    "append without mask before everything else",
    { op: "append", seq: 2, ...MODEL_SLOT, ...META },
    "missing_field",
    "/mask",
  ),
  ...refusal("append with model", { op: "append", seq: 2, ...MASK, ...MODEL_SLOT, ...BLOCK }, "bad_field", "/model"),
  ...refusal("append with meta", { op: "append", seq: 2, ...MASK, ...META, ...BLOCK }, "bad_field", "/meta"),
  // error
  ...refusal(
    "error without mask",
    { op: "error", seq: 2, meta: { error: { code: "c", message: "m" } } },
    "missing_field",
    "/mask",
  ),
  ...refusal("error without meta", { op: "error", seq: 2, mask: "meta.error" }, "missing_field", "/meta"),
  ...refusal(
    "error with model",
    { op: "error", seq: 2, mask: "meta.error", ...MODEL_SLOT, meta: {} },
    "bad_field",
    "/model",
  ),
  ...refusal(
    "error with block",
    { op: "error", seq: 2, mask: "meta.error", meta: { error: { code: "c", message: "m" } }, block: {} },
    "bad_field",
    "/block",
  ),
  ...refusal(
    "error with block before the faults of its payload",
    { op: "error", seq: 2, mask: "meta.error", meta: {}, block: {} },
    "bad_field",
    "/block",
  ),
  // ping, end
  ...["ping", "end"].flatMap((op) => [
    ...refusal(`${op} with mask`, { op, seq: 2, ...MASK }, "bad_field", "/mask"),
    ...refusal(`${op} with an ill-formed mask`, { op, seq: 2, mask: "" }, "bad_field", "/mask"),
    ...refusal(`${op} with model`, { op, seq: 2, ...MODEL_SLOT }, "bad_field", "/model"),
    ...refusal(`${op} with meta`, { op, seq: 2, ...META }, "bad_field", "/meta"),
    ...refusal(`${op} with block`, { op, seq: 2, ...BLOCK }, "bad_field", "/block"),
    ...refusal(
      `${op} with all slots: mask first`,
      { block: {}, meta: {}, model: {}, mask: "meta.x", op, seq: 2 },
      "bad_field",
      "/mask",
    ),
  ]),
];

const ILL_FORMED = [
  "",
  ".",
  "block",
  "meta",
  "block.",
  "meta.",
  ".block.x",
  "block..x",
  "block.x.",
  "block.x..y",
  "blocks.x",
  "Block.x",
  "model.x",
  "block/x",
  " block.x",
  "event.x",
  "x",
];
const PROTECTED = ["block.id", "block.id.x", "block.ref", "block.ref.x", "block.ref.x.y"];

const GRAMMAR: Case[] = [
  ...ILL_FORMED.flatMap((mask) => [
    ...refusal(
      `set with the ill-formed mask ${JSON.stringify(mask)}`,
      { op: "set", seq: 2, mask, ...BLOCK },
      "bad_mask",
      "/mask",
    ),
    ...refusal(
      `append with the ill-formed mask ${JSON.stringify(mask)}`,
      { op: "append", seq: 2, mask, ...BLOCK },
      "bad_mask",
      "/mask",
    ),
    ...refusal(
      `error with the ill-formed mask ${JSON.stringify(mask)}`,
      { op: "error", seq: 2, mask, ...META },
      "bad_mask",
      "/mask",
    ),
  ]),
  ...PROTECTED.flatMap((mask) => [
    ...refusal(
      `set with the protected mask ${mask}`,
      { op: "set", seq: 2, mask, block: { id: "a", ref: "x" } },
      "bad_mask",
      "/mask",
    ),
    ...refusal(
      `append with the protected mask ${mask}`,
      { op: "append", seq: 2, mask, block: { id: "a" } },
      "bad_mask",
      "/mask",
    ),
  ]),
  ...refusal(
    "set: a bad mask before the other slots",
    { op: "set", seq: 2, mask: "block.id", ...MODEL_SLOT, ...META },
    "bad_mask",
    "/mask",
  ),
  ...refusal(
    "append with a mask of two segments",
    { op: "append", seq: 2, mask: "block.tool.status", block: { id: "tool", tool: { status: "x" } } },
    "bad_mask",
    "/mask",
  ),
  ...refusal(
    "append with a meta mask",
    { op: "append", seq: 2, mask: "meta.x", meta: { x: "y" } },
    "bad_mask",
    "/mask",
  ),
  ...refusal(
    "error with another meta mask",
    { op: "error", seq: 2, mask: "meta.errors", meta: { errors: {} } },
    "bad_mask",
    "/mask",
  ),
  ...refusal(
    "error with a mask below meta.error",
    { op: "error", seq: 2, mask: "meta.error.code", meta: { error: { code: "c", message: "m" } } },
    "bad_mask",
    "/mask",
  ),
  ...refusal(
    "error with a block mask",
    { op: "error", seq: 2, mask: "block.error", meta: { error: { code: "c", message: "m" } } },
    "bad_mask",
    "/mask",
  ),
  acceptance(
    "a mask with escapes",
    '{"op":"append","seq":2,"mask":"bl\\u006fck.\\u0063ontent","block":{"id":"a","content":"!"}}',
    {
      block: { id: "a", type: "text", content: "Hello!" },
    },
  ),
  acceptance(
    "ref below another member is an ordinary name",
    { op: "set", seq: 2, mask: "block.x.ref", block: { id: "a", x: { ref: 1 } } },
    {
      block: { id: "a", type: "text", content: "Hello", x: { ref: 1 } },
    },
  ),
  acceptance(
    "names that only begin like protected ones",
    { op: "set", seq: 2, mask: "block.identity", block: { id: "a", identity: 1 } },
    {
      block: { id: "a", type: "text", content: "Hello", identity: 1 },
    },
  ),
  acceptance(
    "meta.id and meta.ref are ordinary names",
    { op: "set", seq: 2, mask: "meta.ref.id", meta: { ref: { id: 5 } } },
    {
      meta: { ref: { id: 5 } },
    },
  ),
  acceptance(
    "segments of any characters but the dot",
    { op: "set", seq: 2, mask: "block.é /~中😀\n", block: { id: "a", "é /~中😀\n": 1 } },
    {
      block: { id: "a", type: "text", content: "Hello", "é /~中😀\n": 1 },
    },
  ),
  acceptance("a segment of white space", { op: "set", seq: 2, mask: "meta. ", meta: { " ": 1 } }, { meta: { " ": 1 } }),
  acceptance(
    "a segment named __proto__",
    '{"op":"set","seq":2,"mask":"meta.__proto__.x","meta":{"__proto__":{"x":1}}}',
    {
      model:
        '{"version":"1.1","biz":"chat","meta":{"task_id":"task","nothing":null,"count":1,"open":{"deep":{"x":1}},"__proto__":{"x":1}},"blocks":[{"id":"a","type":"text","content":"Hello"},{"id":"list","type":"list","items":[1]},{"id":"tool","type":"tool","tool":{"status":"run","args":{"q":1}},"empty":null,"n":5},{"id":"r","ref":"key"}]}',
    },
  ),
  acceptance(
    "segments that look like indices name members",
    { op: "set", seq: 2, mask: "block.tool.0", block: { id: "tool", tool: { "0": "x" } } },
    {
      block: { id: "tool", type: "tool", tool: { status: "run", args: { q: 1 }, "0": "x" }, empty: null, n: 5 },
    },
  ),
  acceptance(
    "a long mask",
    { op: "set", seq: 2, mask: `meta.${"s".repeat(2000)}`, meta: { ["s".repeat(2000)]: 1 } },
    { meta: { ["s".repeat(2000)]: 1 } },
  ),
];

const CONTROL: Case[] = [
  {
    name: "ping and end without slots",
    steps: [start(), ping(1, { ts: 1 }), end(1)],
    applied: 3,
    streams: [{ status: "ended", seq: 1, version: 1 }],
    finish: "complete",
  },
];

contract("masks", [...SLOTS, ...GRAMMAR, ...CONTROL]);
