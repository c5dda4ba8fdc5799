import { finished, run, runError, started, stateDelta, stateSnapshot } from "../support/agui-events.js";
import { agui, refused } from "./agui.js";

const failed = (path: string, opIndex: number, reason: string) => ({
  code: "delta_failed",
  path,
  opIndex,
  eventType: "STATE_DELTA",
  message: `Failed to apply state patch: ${reason}`,
});

agui("AG-UI state", [
  {
    name: "G1, U1: a snapshot replaces the state with any JSON value",
    steps: run(stateSnapshot({ a: 1, b: { c: 1 } }), stateSnapshot({ b: { d: 1 } })),
    state: { b: { d: 1 } },
  },
  ...[null, false, 0, "", [], {}].map((value) => ({
    name: `U1: the state may be ${JSON.stringify(value)}`,
    steps: run(stateSnapshot({ a: 1 }), stateSnapshot(value)),
    state: JSON.stringify(value),
    events: [started(), stateSnapshot({ a: 1 }), stateSnapshot(value), finished()],
  })),
  {
    name: "U1: numbers keep their digits and members their order",
    steps: [
      started(),
      '{"type":"STATE_SNAPSHOT","snapshot":{"b":12345678901234567890.10,"1":[1e400,-0],"__proto__":{"x":1},"a":1}}',
    ],
    state: '{"b":12345678901234567890.10,"1":[1e400,-0],"__proto__":{"x":1},"a":1}',
  },
  {
    name: "G4, C13: before any snapshot the state is {}",
    steps: run(stateDelta([{ op: "add", path: "/a", value: 1 }])),
    state: { a: 1 },
  },
  {
    name: "G4: before any snapshot the state is that of the input",
    options: { input: { state: { n: [1] } } },
    steps: run(stateDelta([{ op: "add", path: "/n/-", value: 2 }])),
    state: { n: [1, 2] },
  },
  {
    name: "G3: operations apply in order, on what the others before left",
    steps: run(
      stateSnapshot({ list: [1, 2], a: { b: 1 } }),
      stateDelta([
        { op: "test", path: "/a/b", value: 1 },
        { op: "add", path: "/list/1", value: "x" },
        { op: "move", from: "/list/0", path: "/first" },
        { op: "copy", from: "/list", path: "/a/c" },
        { op: "replace", path: "/list/0", value: "y" },
        { op: "remove", path: "/a/b" },
        { op: "add", path: "/a/c/-", value: null },
      ]),
    ),
    state: { list: ["y", 2], a: { c: ["x", 2, null] }, first: 1 },
    version: 4,
  },
  {
    name: "G3: an empty patch is accepted and changes nothing",
    steps: run(stateSnapshot([1]), stateDelta([])),
    state: [1],
  },
  {
    name: "G3: a patch may replace the whole state",
    steps: run(
      stateDelta([
        { op: "replace", path: "", value: [1] },
        { op: "add", path: "/-", value: 2 },
      ]),
    ),
    state: [1, 2],
  },
  {
    name: "G9, G10: a patch that does not apply leaves the state as it was and says where",
    steps: run(
      stateSnapshot({ a: 1 }),
      stateDelta([
        { op: "replace", path: "/a", value: 2 },
        { op: "replace", path: "/missing/deep", value: 3 },
      ]),
    ),
    state: { a: 1 },
    status: "finished",
    warnings: [{ ...failed("/missing/deep", 1, "there is no value"), eventIndex: 2 }],
    types: ["RUN_STARTED", "STATE_SNAPSHOT", "STATE_DELTA", "RUN_FINISHED"],
  },
  ...(
    [
      ["test", [{ op: "test", path: "/a", value: 2 }], "/a", "the values are not equal"],
      ["remove", [{ op: "remove", path: "/b" }], "/b", "there is no value"],
      ["move", [{ op: "move", from: "/b", path: "/c" }], "/b", "there is no value"],
      ["move into itself", [{ op: "move", from: "/o", path: "/o/x" }], "/o/x", "a value cannot be moved into itself"],
      ["copy", [{ op: "copy", from: "/b", path: "/c" }], "/b", "there is no value"],
      ["add below a number", [{ op: "add", path: "/a/x", value: 1 }], "/a/x", "the parent is neither"],
      ["add beyond an array", [{ op: "add", path: "/l/2", value: 1 }], "/l/2", "the array index is out of range"],
      ["add with a wrong index", [{ op: "add", path: "/l/01", value: 1 }], "/l/01", "the array index is not valid"],
    ] as const
  ).map(([name, patch, path, reason]) => ({
    name: `G9: a failing ${name} is a warning`,
    steps: run(stateSnapshot({ a: 1, o: {}, l: [0] }), stateDelta([{ op: "add", path: "/z", value: 1 }, ...patch])),
    state: { a: 1, o: {}, l: [0] },
    warnings: [failed(path, 1, reason)],
    status: "finished" as const,
  })),
  {
    name: "G9: repeated members that a failing patch came upon count once, then and later",
    steps: [
      started(),
      '{"type":"STATE_SNAPSHOT","snapshot":{"a":{"x":1,"y":[],"x":2},"b":{"c":1,"c":2}}}',
      '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a/z/q","value":1}]}',
      '{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a/z","value":1},{"op":"remove","path":"/b/d"}]}',
    ],
    state: { a: { x: 2, y: [] }, b: { c: 2 } },
    warnings: [failed("/a/z/q", 0, "there is no value"), failed("/b/d", 1, "there is no value")],
  },
  {
    name: "G9: prototypes are not reached through a patch",
    steps: run(
      stateDelta([{ op: "add", path: "/__proto__/polluted", value: 1 }]),
      stateDelta([{ op: "add", path: "/constructor/prototype/polluted", value: 1 }]),
    ),
    state: {},
    warnings: [failed("/__proto__/polluted", 0, ""), failed("/constructor/prototype/polluted", 0, "")],
    inspect() {
      if ("polluted" in {}) throw new Error("a prototype was polluted");
    },
  },
  {
    name: "G9: failures are not merged",
    steps: run(stateDelta([{ op: "remove", path: "/a" }]), stateDelta([{ op: "remove", path: "/a" }])),
    warnings: [failed("/a", 0, ""), failed("/a", 0, "")],
  },
  {
    name: "G11: the next snapshot counts, whatever was skipped before",
    steps: run(
      stateSnapshot({ a: 1 }),
      stateDelta([{ op: "remove", path: "/b" }]),
      stateDelta([{ op: "replace", path: "/a", value: 2 }]),
      stateSnapshot({ fresh: true }),
      stateDelta([{ op: "add", path: "/n", value: 1 }]),
    ),
    state: { fresh: true, n: 1 },
    warnings: [failed("/b", 0, "")],
  },
  {
    name: "O11, U6: the state outlives its run and its failure",
    steps: [...run(stateSnapshot({ a: 1 })), started(), stateDelta([{ op: "add", path: "/b", value: 2 }]), runError()],
    state: { a: 1, b: 2 },
  },
  {
    name: "W13: state events of a subagent apply to the one state",
    steps: run(
      stateSnapshot({ a: 1 }, { subagentRunId: "s" }),
      stateDelta([{ op: "add", path: "/b", value: 2 }], { subagentRunId: "z" }),
    ),
    state: { a: 1, b: 2 },
  },
]);

agui("AG-UI state: onDeltaFailure", [
  ...refused(
    "G9: with fail a patch that does not apply refuses the stream",
    [stateSnapshot({ a: 1 })],
    stateDelta([
      { op: "replace", path: "/a", value: 2 },
      { op: "remove", path: "/b/c" },
    ]),
    { code: "delta_failed", path: "/b/c", opIndex: 1, message: "The delta cannot be applied" },
    { options: { onDeltaFailure: "fail" }, state: { a: 1 }, types: ["RUN_STARTED", "STATE_SNAPSHOT"] },
  ),
  {
    name: "upsert makes missing parents and members, and says so",
    options: { onDeltaFailure: "upsert" },
    steps: run(
      stateSnapshot({ a: 1 }),
      stateDelta([
        { op: "replace", path: "/x/y/z", value: 1 },
        { op: "remove", path: "/not/there" },
        { op: "replace", path: "/a", value: 2 },
      ]),
    ),
    state: { a: 2, x: { y: { z: 1 } } },
    warnings: [{ code: "delta_upserted", path: "/x/y/z", opIndex: 0, eventIndex: 2 }],
  },
  {
    name: "upsert cannot make every patch apply: then the state stays",
    options: { onDeltaFailure: "upsert" },
    steps: run(
      stateSnapshot({ a: 1 }),
      stateDelta([
        { op: "add", path: "/x/y", value: 1 },
        { op: "test", path: "/a", value: 2 },
      ]),
    ),
    state: { a: 1 },
    warnings: [failed("/a", 1, "the values are not equal")],
  },
  {
    name: "upsert is not tried where the patch applies",
    options: { onDeltaFailure: "upsert" },
    steps: run(stateDelta([{ op: "add", path: "/a", value: 1 }])),
    state: { a: 1 },
  },
]);
