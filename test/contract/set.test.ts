import { acceptance, modelOf, refusal, refusedStart, set, setBlock, setMeta, start } from "./base.js";
import { type Case, contract } from "./runner.js";

// AgentUE §5.2 and docs/semantics.md §3 steps 5 and 8: `set` with a mask.

const TOOL = { id: "tool", type: "tool", tool: { status: "run", args: { q: 1 } }, empty: null, n: 5 };

const PAYLOAD: Case[] = [
  ...refusal("block mask: no id", setBlock(2, "block.content", { content: "x" }), "missing_field", "/block/id"),
  ...refusal(
    "block mask: an empty id",
    setBlock(2, "block.content", { id: "", content: "x" }),
    "bad_block",
    "/block/id",
  ),
  ...refusal(
    "block mask: a numeric id",
    setBlock(2, "block.content", { id: 1, content: "x" }),
    "bad_block",
    "/block/id",
  ),
  ...refusal(
    "block mask: a null id",
    setBlock(2, "block.content", { content: "x", id: null }),
    "bad_block",
    "/block/id",
  ),
  ...refusal(
    "block mask: a ref in the payload",
    setBlock(2, "block.content", { id: "a", content: "x", ref: "k" }),
    "bad_block",
    "/block/ref",
  ),
  ...refusal(
    "block mask: a ref of any value in the payload",
    setBlock(2, "block.content", { ref: null, id: "a", content: "x" }),
    "bad_block",
    "/block/ref",
  ),
  ...refusal(
    "block mask: ref before a missing id",
    setBlock(2, "block.content", { content: "x", ref: 1 }),
    "bad_block",
    "/block/ref",
  ),
  ...refusal("block mask: id before a missing value", setBlock(2, "block.content", {}), "missing_field", "/block/id"),
  ...refusal(
    "block mask: a bad id before a missing value",
    setBlock(2, "block.content", { id: 0 }),
    "bad_block",
    "/block/id",
  ),
  ...refusal(
    "block mask: the value is missing",
    setBlock(2, "block.content", { id: "a" }),
    "missing_field",
    "/block/content",
  ),
  ...refusal(
    "block mask: the first step is missing",
    setBlock(2, "block.tool.status", { id: "tool" }),
    "missing_field",
    "/block/tool",
  ),
  ...refusal(
    "block mask: the last step is missing",
    setBlock(2, "block.tool.status", { id: "tool", tool: {} }),
    "missing_field",
    "/block/tool/status",
  ),
  ...refusal(
    "block mask: a step in the middle is missing",
    setBlock(2, "block.x.y.z", { id: "tool", x: {} }),
    "missing_field",
    "/block/x/y",
  ),
  ...refusal(
    "block mask: a step is a string",
    setBlock(2, "block.tool.status", { id: "tool", tool: "s" }),
    "bad_field",
    "/block/tool",
  ),
  ...refusal(
    "block mask: a step is null",
    setBlock(2, "block.tool.status", { id: "tool", tool: null }),
    "bad_field",
    "/block/tool",
  ),
  ...refusal(
    "block mask: a step is an array",
    setBlock(2, "block.tool.0", { id: "tool", tool: ["s"] }),
    "bad_field",
    "/block/tool",
  ),
  ...refusal(
    "block mask: a later step is no object",
    setBlock(2, "block.x.y.z", { id: "tool", x: { y: 1 } }),
    "bad_field",
    "/block/x/y",
  ),
  ...refusal(
    "block mask: steps are escaped in the pointer",
    setBlock(2, "block.a/b.~", { id: "tool", "a/b": {} }),
    "missing_field",
    "/block/a~1b/~0",
  ),
  ...refusal("meta mask: the value is missing", setMeta(2, "meta.x", {}), "missing_field", "/meta/x"),
  ...refusal("meta mask: a step is missing", setMeta(2, "meta.x.y", { y: 1 }), "missing_field", "/meta/x"),
  ...refusal("meta mask: a step is no object", setMeta(2, "meta.x.y", { x: 1 }), "bad_field", "/meta/x"),
  acceptance(
    "other members of the payload are ignored",
    setBlock(2, "block.content", { id: "a", type: 5, content: "x", parent_id: 9, junk: [] }),
    {
      block: { id: "a", type: "text", content: "x" },
    },
  ),
  acceptance("other members of the meta payload are ignored", setMeta(2, "meta.x", { x: 1, task_id: 5, error: 0 }), {
    meta: { x: 1 },
  }),
  acceptance(
    "a repeated member in the payload: the last value",
    '{"op":"set","seq":2,"mask":"block.x","block":{"id":"a","x":1,"x":{"y":2,"y":3}}}',
    {
      block: { id: "a", type: "text", content: "Hello", x: { y: 3 } },
    },
  ),
  acceptance(
    "a repeated step on the way: the last value",
    '{"op":"set","seq":2,"mask":"meta.x.y","meta":{"x":5,"x":{"y":1,"y":2}}}',
    { meta: { x: { y: 2 } } },
  ),
];

const VALUES: Case[] = [
  ...[null, true, 0, "", "text", [], [1, [2]], {}, { deep: { er: [{}] } }].map((value) =>
    acceptance(
      `block field becomes ${JSON.stringify(value)}`,
      setBlock(2, "block.content", { id: "a", content: value }),
      {
        block: { id: "a", type: "text", content: value },
      },
    ),
  ),
  ...[null, false, 1, "x", [], {}].map((value) =>
    acceptance(`meta field becomes ${JSON.stringify(value)}`, setMeta(2, "meta.open", { open: value }), {
      meta: { open: value },
    }),
  ),
  acceptance("a new block field", setBlock(2, "block.fresh", { id: "a", fresh: 1 }), {
    block: { id: "a", type: "text", content: "Hello", fresh: 1 },
  }),
  acceptance("a new meta field", setMeta(2, "meta.fresh", { fresh: 1 }), { meta: { fresh: 1 } }),
  acceptance("a nested field", setBlock(2, "block.tool.status", { id: "tool", tool: { status: "done" } }), {
    block: { ...TOOL, tool: { status: "done", args: { q: 1 } } },
  }),
  acceptance("a field nested twice", setBlock(2, "block.tool.args.q", { id: "tool", tool: { args: { q: [2] } } }), {
    block: { ...TOOL, tool: { status: "run", args: { q: [2] } } },
  }),
  acceptance("missing steps become objects", setBlock(2, "block.x.y.z", { id: "a", x: { y: { z: 1 } } }), {
    block: { id: "a", type: "text", content: "Hello", x: { y: { z: 1 } } },
  }),
  acceptance("only the value at the path is taken", setBlock(2, "block.x.y", { id: "a", x: { y: 1, z: 2 } }), {
    block: { id: "a", type: "text", content: "Hello", x: { y: 1 } },
  }),
  acceptance("a null step becomes an object", setBlock(2, "block.empty.x", { id: "tool", empty: { x: 1 } }), {
    block: { id: "tool", type: "tool", tool: { status: "run", args: { q: 1 } }, empty: { x: 1 }, n: 5 },
  }),
  acceptance("a null meta step becomes an object", setMeta(2, "meta.nothing.x.y", { nothing: { x: { y: 1 } } }), {
    meta: { nothing: { x: { y: 1 } } },
  }),
  acceptance("a nested meta field", setMeta(2, "meta.open.deep.y", { open: { deep: { y: 2 } } }), {
    meta: { open: { deep: { x: 1, y: 2 } } },
  }),
  {
    name: "members keep their place, new ones go to the end",
    steps: [
      start(modelOf({ z: 1, id: "b", y: { q: 1, p: 2 }, type: "t" })),
      setBlock(2, "block.y.q", { id: "b", y: { q: 9 } }),
      setBlock(3, "block.x", { id: "b", x: 1 }),
    ],
    applied: 3,
    streams: [{ status: "open", model: modelOf({ z: 1, id: "b", y: { q: 9, p: 2 }, type: "t", x: 1 }) }],
  },
  {
    name: "integer-like members beside others",
    steps: [
      start(modelOf({ id: "b", type: "t", b: 1, "10": 1, "9": 1, a: 1 })),
      setBlock(2, "block.2", { id: "b", "2": 1 }),
    ],
    applied: 2,
    streams: [{ status: "open", model: modelOf({ id: "b", type: "t", b: 1, "2": 1, "10": 1, "9": 1, a: 1 }) }],
  },
];

const STEPS: Case[] = [
  ...refusal("no such block", setBlock(2, "block.x", { id: "nobody", x: 1 }), "missing_block", "/block/id"),
  ...refusal(
    "a step in the block is a number",
    setBlock(2, "block.n.x", { id: "tool", n: { x: 1 } }),
    "type_mismatch",
    "/block/n",
  ),
  ...refusal(
    "a step in the block is a string",
    setBlock(2, "block.content.x", { id: "a", content: { x: 1 } }),
    "type_mismatch",
    "/block/content",
  ),
  ...refusal(
    "a step in the block is an array",
    setBlock(2, "block.items.0", { id: "list", items: { "0": 1 } }),
    "type_mismatch",
    "/block/items",
  ),
  ...refusal(
    "a later step in the block is no object",
    setBlock(2, "block.tool.status.x", { id: "tool", tool: { status: { x: 1 } } }),
    "type_mismatch",
    "/block/tool/status",
  ),
  ...refusal(
    "a step in meta is no object",
    setMeta(2, "meta.count.x", { count: { x: 1 } }),
    "type_mismatch",
    "/meta/count",
  ),
  ...refusal(
    "a later step in meta is no object",
    setMeta(2, "meta.open.deep.x.y", { open: { deep: { x: { y: 1 } } } }),
    "type_mismatch",
    "/meta/open/deep/x",
  ),
  ...refusal(
    "a step through type",
    setBlock(2, "block.type.x", { id: "a", type: { x: 1 } }),
    "type_mismatch",
    "/block/type",
  ),
  ...refusal(
    "a missing step of the payload before a missing block",
    setBlock(2, "block.x", { id: "nobody" }),
    "missing_field",
    "/block/x",
  ),
];

const RESULT: Case[] = [
  ...[null, "", 5, {}, []].flatMap((type) =>
    refusal(
      `block.type becomes ${JSON.stringify(type)}`,
      setBlock(2, "block.type", { id: "a", type }),
      "bad_field",
      "/block/type",
    ),
  ),
  ...(["parent_id", "group_id"] as const).flatMap((name) => [
    ...[5, false, {}, []].flatMap((value) =>
      refusal(
        `block.${name} becomes ${JSON.stringify(value)}`,
        setBlock(2, `block.${name}`, { id: "a", [name]: value }),
        "bad_field",
        `/block/${name}`,
      ),
    ),
    ...refusal(
      `block.${name} becomes an object on the way`,
      setBlock(2, `block.${name}.x`, { id: "a", [name]: { x: 1 } }),
      "bad_field",
      `/block/${name}`,
    ),
    acceptance(`block.${name} becomes a string`, setBlock(2, `block.${name}`, { id: "a", [name]: "p" }), {
      block: { id: "a", type: "text", content: "Hello", [name]: "p" },
    }),
    acceptance(`block.${name} becomes null`, setBlock(2, `block.${name}`, { id: "a", [name]: null }), {
      block: { id: "a", type: "text", content: "Hello", [name]: null },
    }),
  ]),
  acceptance("block.type becomes another type", setBlock(2, "block.type", { id: "a", type: "x" }), {
    block: { id: "a", type: "x", content: "Hello" },
  }),
  ...(["task_id", "trace_id"] as const).flatMap((name) => [
    ...[5, true, {}, []].flatMap((value) =>
      refusal(
        `meta.${name} becomes ${JSON.stringify(value)}`,
        setMeta(2, `meta.${name}`, { [name]: value }),
        "bad_field",
        `/meta/${name}`,
      ),
    ),
    acceptance(`meta.${name} becomes null`, setMeta(2, `meta.${name}`, { [name]: null }), { meta: { [name]: null } }),
    acceptance(`meta.${name} becomes a string`, setMeta(2, `meta.${name}`, { [name]: "x" }), { meta: { [name]: "x" } }),
  ]),
  ...refusal(
    "meta.task_id is a step",
    setMeta(2, "meta.task_id.x", { task_id: { x: 1 } }),
    "type_mismatch",
    "/meta/task_id",
  ),
  ...refusal(
    "meta.trace_id becomes an object on the way",
    setMeta(2, "meta.trace_id.x", { trace_id: { x: 1 } }),
    "bad_field",
    "/meta/trace_id",
  ),
  ...[5, "s", [], true].flatMap((stats) =>
    refusal(
      `meta.stats becomes ${JSON.stringify(stats)}`,
      setMeta(2, "meta.stats", { stats }),
      "bad_field",
      "/meta/stats",
    ),
  ),
  acceptance("meta.stats becomes an object on the way", setMeta(2, "meta.stats.a.b", { stats: { a: { b: 1 } } }), {
    meta: { stats: { a: { b: 1 } } },
  }),
  acceptance("meta.stats becomes null", setMeta(2, "meta.stats", { stats: null }), { meta: { stats: null } }),
  ...[5, "s", [], true].flatMap((error) =>
    refusal(
      `meta.error becomes ${JSON.stringify(error)}`,
      setMeta(2, "meta.error", { error }),
      "bad_field",
      "/meta/error",
    ),
  ),
  ...refusal(
    "meta.error becomes an empty object",
    setMeta(2, "meta.error", { error: {} }),
    "bad_field",
    "/meta/error/code",
  ),
  ...refusal(
    "meta.error without message",
    setMeta(2, "meta.error", { error: { code: "c" } }),
    "bad_field",
    "/meta/error/message",
  ),
  ...refusal(
    "meta.error with a malformed detail",
    setMeta(2, "meta.error", { error: { detail: 1, code: "c", message: "m" } }),
    "bad_field",
    "/meta/error/detail",
  ),
  ...refusal(
    "meta.error with a malformed trace_id",
    setMeta(2, "meta.error", { error: { code: "c", message: "m", trace_id: [] } }),
    "bad_field",
    "/meta/error/trace_id",
  ),
  ...refusal(
    "meta.error begins with one member only",
    setMeta(2, "meta.error.code", { error: { code: "c" } }),
    "bad_field",
    "/meta/error/message",
  ),
  ...refusal(
    "meta.error begins with a foreign member",
    setMeta(2, "meta.error.x", { error: { x: 1 } }),
    "bad_field",
    "/meta/error/code",
  ),
  acceptance(
    "meta.error is set without an error event",
    setMeta(2, "meta.error", { error: { code: "c", message: "m", x: 1 } }),
    { meta: { error: { code: "c", message: "m", x: 1 } } },
  ),
  acceptance("meta.error becomes null", setMeta(2, "meta.error", { error: null }), { meta: { error: null } }),
  {
    name: "members of an existing meta.error",
    options: { onViolation: "skip-event" },
    steps: [
      start({ version: "1.1", biz: "b", meta: { error: { code: "c", message: "m" } }, blocks: [] }),
      setMeta(2, "meta.error.code", { error: { code: "d" } }),
      setMeta(3, "meta.error.code", { error: { code: null } }),
      setMeta(3, "meta.error.detail", { error: { detail: null } }),
      setMeta(4, "meta.error.trace_id", { error: { trace_id: 1 } }),
      setMeta(4, "meta.error.x.y", { error: { x: { y: 1 } } }),
      setMeta(5, "meta.error.message.x", { error: { message: { x: 1 } } }),
    ],
    applied: 4,
    errors: [
      { code: "bad_field", path: "/meta/error/code", eventIndex: 2 },
      { code: "bad_field", path: "/meta/error/trace_id", eventIndex: 4 },
      { code: "type_mismatch", path: "/meta/error/message", eventIndex: 6 },
    ],
    streams: [
      {
        status: "open",
        seq: 4,
        model: {
          version: "1.1",
          biz: "b",
          meta: { error: { code: "d", message: "m", detail: null, x: { y: 1 } } },
          blocks: [],
        },
      },
    ],
  },
];

const WHOLE: Case[] = [
  {
    name: "a reference in a model of version 1.0 is refused when the model is known",
    options: { onViolation: "skip-event" },
    steps: [
      start({ version: "1.0", biz: "b", meta: {}, blocks: [] }),
      set(2, { id: "r", ref: "k" }),
      set(2, { id: "r", type: "t" }),
    ],
    applied: 2,
    errors: [{ code: "bad_block", path: "/block/ref", seq: 2, eventIndex: 1 }],
    streams: [
      { status: "open", seq: 2, model: { version: "1.0", biz: "b", meta: {}, blocks: [{ id: "r", type: "t" }] } },
    ],
  },
  {
    name: "a reference in a model of version 1.0 that is skipped as a repetition is not judged",
    steps: [start({ version: "1.0", biz: "b", meta: {}, blocks: [] }, { seq: 4 }), set(4, { id: "r", ref: "k" })],
    applied: 1,
    warnings: [{ code: "duplicate_seq", path: "/seq", streamId: "", seq: 4, eventIndex: 1 }],
    streams: [{ status: "open", seq: 4 }],
  },
  refusedStart(
    "a model with a reference of version 1.0 stays refused",
    {
      version: "1.0",
      biz: "b",
      meta: {},
      blocks: [
        { id: "x", type: "t" },
        { id: "r", ref: "k" },
      ],
    },
    "bad_block",
    "/model/blocks/1/ref",
  ),
  {
    name: "many blocks keep their order over replacements",
    steps: [
      start(modelOf(...Array.from({ length: 200 }, (_, i) => ({ id: `b${i}`, type: "t", i })))),
      ...[150, 3, 199, 0, 77].map((i, n) => set(2 + n, { id: `b${i}`, type: "u" })),
      set(7, { id: "new", type: "t" }),
    ],
    applied: 7,
    streams: [
      {
        status: "open",
        model: modelOf(
          ...Array.from({ length: 200 }, (_, i) =>
            [150, 3, 199, 0, 77].includes(i) ? { id: `b${i}`, type: "u" } : { id: `b${i}`, type: "t", i },
          ),
          { id: "new", type: "t" },
        ),
      },
    ],
  },
];

contract("set", [...PAYLOAD, ...VALUES, ...STEPS, ...RESULT, ...WHOLE]);
