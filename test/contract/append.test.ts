import { acceptance, append, modelOf, refusal, set, setBlock, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §5.3 and docs/semantics.md §3 steps 5 and 8: `append`.

function appendTo(field: string, block: Record<string, unknown>, seq = 2): Record<string, unknown> {
  return { op: "append", seq, mask: `block.${field}`, block };
}

const PAYLOAD: Case[] = [
  ...refusal("no id", appendTo("content", { content: "x" }), "missing_field", "/block/id"),
  ...refusal("an empty id", appendTo("content", { id: "", content: "x" }), "bad_block", "/block/id"),
  ...refusal("a numeric id", appendTo("content", { id: 5, content: "x" }), "bad_block", "/block/id"),
  ...refusal(
    "a ref in the payload",
    appendTo("content", { id: "a", content: "x", ref: "k" }),
    "bad_block",
    "/block/ref",
  ),
  ...refusal("a ref before everything else", appendTo("content", { ref: 1 }), "bad_block", "/block/ref"),
  ...refusal("the value is missing", appendTo("content", { id: "a" }), "missing_field", "/block/content"),
  ...[1, null, true, {}].flatMap((value) =>
    refusal(
      `the value is ${JSON.stringify(value)}`,
      appendTo("content", { id: "a", content: value }),
      "bad_field",
      "/block/content",
    ),
  ),
  ...refusal(
    "the value of a payload that would be inserted is malformed",
    appendTo("content", { id: "new", content: 1 }),
    "bad_field",
    "/block/content",
  ),
  acceptance(
    "other members of the payload are ignored",
    appendTo("content", { id: "a", type: 5, parent_id: 1, content: "!", x: 1 }),
    {
      block: { id: "a", type: "text", content: "Hello!" },
    },
  ),
];

const TEXT: Case[] = [
  acceptance("a string grows", append(2, "a", ", world"), {
    block: { id: "a", type: "text", content: "Hello, world" },
  }),
  acceptance("an empty delta", append(2, "a", ""), { block: { id: "a", type: "text", content: "Hello" } }),
  acceptance(
    "an id with escapes",
    '{"op":"append","seq":2,"mask":"block.content","block":{"id":"\\u0061","content":"\\u0021"}}',
    {
      block: { id: "a", type: "text", content: "Hello!" },
    },
  ),
  acceptance(
    "every escape",
    '{"op":"append","seq":2,"mask":"block.content","block":{"id":"a","content":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\\u007f\\u2028\\u00e9\\u4e2d\\ud83d\\ude00"}}',
    {
      block: { id: "a", type: "text", content: 'Hello"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é中😀' },
    },
  ),
  acceptance("a type that grows", appendTo("type", { id: "a", type: "ual" }), {
    block: { id: "a", type: "textual", content: "Hello" },
  }),
  acceptance("an absent field takes the string", appendTo("note", { id: "a", note: "n" }), {
    block: { id: "a", type: "text", content: "Hello", note: "n" },
  }),
  acceptance("a null field takes the string", appendTo("empty", { id: "tool", empty: "e" }), {
    block: { id: "tool", type: "tool", tool: { status: "run", args: { q: 1 } }, empty: "e", n: 5 },
  }),
  acceptance("an absent parent_id takes the string", appendTo("parent_id", { id: "a", parent_id: "p" }), {
    block: { id: "a", type: "text", content: "Hello", parent_id: "p" },
  }),
  acceptance(
    "a field named __proto__",
    '{"op":"append","seq":2,"mask":"block.__proto__","block":{"id":"a","__proto__":"x"}}',
    {
      model:
        '{"version":"1.1","biz":"chat","meta":{"task_id":"task","nothing":null,"count":1,"open":{"deep":{"x":1}}},"blocks":[{"id":"a","type":"text","content":"Hello","__proto__":"x"},{"id":"list","type":"list","items":[1]},{"id":"tool","type":"tool","tool":{"status":"run","args":{"q":1}},"empty":null,"n":5},{"id":"r","ref":"key"}]}',
    },
  ),
  {
    name: "many deltas in turn over two blocks",
    steps: [
      start(modelOf({ id: "x", type: "t", content: "" }, { id: "y", type: "t" })),
      ...Array.from({ length: 300 }, (_, i) => append(2 + i, i % 3 === 0 ? "y" : "x", `${i} é`)),
    ],
    applied: 301,
    streams: [
      {
        status: "open",
        seq: 301,
        version: 301,
        model: modelOf(
          { id: "x", type: "t", content: deltas((i) => i % 3 !== 0) },
          { id: "y", type: "t", content: deltas((i) => i % 3 === 0) },
        ),
      },
    ],
  },
  {
    name: "appends between sets of the same field",
    steps: [
      start(modelOf({ id: "x", type: "t", content: "1" })),
      append(2, "x", "2"),
      setBlock(3, "block.content", { id: "x", content: "a" }),
      append(4, "x", "b"),
      set(5, { id: "x", type: "t", content: "A" }),
      append(6, "x", "B"),
      append(7, "x", "C"),
    ],
    applied: 7,
    streams: [{ status: "open", seq: 7, model: modelOf({ id: "x", type: "t", content: "ABC" }) }],
  },
  {
    name: "a large delta after small ones",
    steps: [
      start(modelOf({ id: "x", type: "t", content: "" })),
      append(2, "x", "ab"),
      append(3, "x", "z".repeat(20_000)),
      append(4, "x", "c"),
    ],
    applied: 4,
    streams: [{ status: "open", model: modelOf({ id: "x", type: "t", content: `ab${"z".repeat(20_000)}c` }) }],
  },
];

function deltas(wanted: (i: number) => boolean): string {
  return Array.from({ length: 300 }, (_, i) => (wanted(i) ? `${i} é` : "")).join("");
}

const LISTS: Case[] = [
  acceptance("an array grows", appendTo("items", { id: "list", items: [2, "x", { y: [] }] }), {
    block: { id: "list", type: "list", items: [1, 2, "x", { y: [] }] },
  }),
  acceptance("an empty array is appended", appendTo("items", { id: "list", items: [] }), {
    block: { id: "list", type: "list", items: [1] },
  }),
  acceptance("an absent field takes the array", appendTo("more", { id: "list", more: [[]] }), {
    block: { id: "list", type: "list", items: [1], more: [[]] },
  }),
  {
    name: "arrays grow from nothing",
    steps: [
      start(modelOf({ id: "x", type: "t", items: [] })),
      appendTo("items", { id: "x", items: [] }, 2),
      appendTo("items", { id: "x", items: [1] }, 3),
      appendTo("items", { id: "x", items: [[2], null] }, 4),
      appendTo("items", { id: "x", items: ["é", 1e21] }, 5),
    ],
    applied: 5,
    streams: [{ status: "open", seq: 5, model: modelOf({ id: "x", type: "t", items: [1, [2], null, "é", 1e21] }) }],
  },
];

const MISMATCH: Case[] = [
  ...refusal(
    "an array to a string",
    appendTo("content", { id: "a", content: ["x"] }),
    "type_mismatch",
    "/block/content",
  ),
  ...refusal("a string to an array", appendTo("items", { id: "list", items: "x" }), "type_mismatch", "/block/items"),
  ...refusal("a string to a number", appendTo("n", { id: "tool", n: "x" }), "type_mismatch", "/block/n"),
  ...refusal("a string to an object", appendTo("tool", { id: "tool", tool: "x" }), "type_mismatch", "/block/tool"),
  ...refusal("an array to an object", appendTo("tool", { id: "tool", tool: [] }), "type_mismatch", "/block/tool"),
  ...refusal("an array to type", appendTo("type", { id: "a", type: ["x"] }), "type_mismatch", "/block/type"),
  ...refusal(
    "an empty array to a string",
    appendTo("content", { id: "a", content: [] }),
    "type_mismatch",
    "/block/content",
  ),
  ...refusal(
    "parent_id takes an array",
    appendTo("parent_id", { id: "a", parent_id: [] }),
    "bad_field",
    "/block/parent_id",
  ),
  ...refusal(
    "group_id takes an array",
    appendTo("group_id", { id: "a", group_id: ["g"] }),
    "bad_field",
    "/block/group_id",
  ),
];

const INSERT: Case[] = [
  acceptance(
    "a missing block is inserted as it came",
    appendTo("content", { id: "new", type: "text", content: "x", extra: { y: 1 } }),
    {
      block: { id: "new", type: "text", content: "x", extra: { y: 1 } },
    },
  ),
  acceptance("a missing block with an array", appendTo("items", { items: [1], type: "l", id: "new" }), {
    block: { items: [1], type: "l", id: "new" },
  }),
  acceptance("a missing block whose type is the field", appendTo("type", { id: "new", type: "t" }), {
    block: { id: "new", type: "t" },
  }),
  ...refusal("a missing block without type", append(2, "nobody", "x"), "bad_block", "/block/type"),
  ...refusal(
    "a missing block with an empty type",
    appendTo("content", { id: "new", type: "", content: "x" }),
    "bad_block",
    "/block/type",
  ),
  ...refusal(
    "a missing block with a malformed parent_id",
    appendTo("content", { id: "new", type: "t", content: "x", parent_id: 1 }),
    "bad_block",
    "/block/parent_id",
  ),
  ...refusal(
    "a missing block with a malformed group_id",
    appendTo("content", { group_id: [], id: "new", type: "t", content: "x" }),
    "bad_block",
    "/block/group_id",
  ),
  ...refusal(
    "a missing block whose type is an array",
    appendTo("type", { id: "new", type: ["t"] }),
    "bad_block",
    "/block/type",
  ),
  {
    name: "an inserted block grows further",
    steps: [
      start(modelOf()),
      appendTo("content", { id: "n", type: "t", content: "1" }, 2),
      append(3, "n", "2"),
      appendTo("content", { id: "n", type: "ignored", content: "3" }, 4),
    ],
    applied: 4,
    streams: [{ status: "open", model: modelOf({ id: "n", type: "t", content: "123" }) }],
  },
];

const HALVES: Case[] = [
  {
    name: "surrogate halves that meet become one character",
    steps: [
      start(modelOf({ id: "x", type: "t", content: "a" })),
      '{"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"\\ud83d"}}',
      '{"op":"append","seq":3,"mask":"block.content","block":{"id":"x","content":"\\ude00b"}}',
    ],
    applied: 3,
    streams: [{ status: "open", model: modelOf({ id: "x", type: "t", content: "a😀b" }) }],
  },
  {
    name: "halves in the wrong order stay halves",
    steps: [
      start(modelOf({ id: "x", type: "t", content: "" })),
      '{"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"\\ude00"}}',
      '{"op":"append","seq":3,"mask":"block.content","block":{"id":"x","content":"\\ud83d"}}',
      '{"op":"append","seq":4,"mask":"block.content","block":{"id":"x","content":"\\ud83d"}}',
      '{"op":"append","seq":5,"mask":"block.content","block":{"id":"x","content":"\\ude00\\ude00"}}',
    ],
    applied: 5,
    streams: [{ status: "open", model: modelOf({ id: "x", type: "t", content: "\ude00\ud83d\ud83d\ude00\ude00" }) }],
  },
  {
    name: "an empty delta between two halves",
    steps: [
      start(modelOf({ id: "x", type: "t", content: "" })),
      '{"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"\\ud83d"}}',
      append(3, "x", ""),
      '{"op":"append","seq":4,"mask":"block.content","block":{"id":"x","content":"\\ude00"}}',
    ],
    applied: 4,
    streams: [{ status: "open", model: modelOf({ id: "x", type: "t", content: "😀" }) }],
  },
  {
    name: "a half in the model meets a half in a delta",
    steps: [
      '{"op":"start","seq":1,"model":{"version":"1.1","biz":"chat","meta":{},"blocks":[{"id":"x","type":"t","content":"\\ud83d"}]}}',
      '{"op":"append","seq":2,"mask":"block.content","block":{"id":"x","content":"\\ude00"}}',
    ],
    applied: 2,
    streams: [{ status: "open", model: modelOf({ id: "x", type: "t", content: "😀" }) }],
  },
  {
    name: "a half in an array element stays alone",
    steps: [
      start(modelOf({ id: "x", type: "t", items: ["\ud83d"] })),
      appendTo("items", { id: "x", items: ["\ude00"] }),
    ],
    applied: 2,
    streams: [{ status: "open", model: modelOf({ id: "x", type: "t", items: ["\ud83d", "\ude00"] }) }],
  },
];

contract("append", [...PAYLOAD, ...TEXT, ...LISTS, ...MISMATCH, ...INSERT, ...HALVES]);
