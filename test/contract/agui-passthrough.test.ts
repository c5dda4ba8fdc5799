import { custom, finished, raw, run, started, text } from "../support/agui-events.js";
import { agui, assistant, refused } from "./agui.js";

agui("AG-UI passthrough", [
  {
    name: "X1: RAW changes nothing and is delivered as it came",
    steps: run(text("m", ["x"]), raw({ type: "RUN_FINISHED", deep: [null, { a: 1 }] }, { source: "vendor" })),
    messages: [assistant("m", "x")],
    state: {},
    events: [...run(text("m", ["x"]), raw({ type: "RUN_FINISHED", deep: [null, { a: 1 }] }, { source: "vendor" }))],
  },
  {
    name: "X3: a CUSTOM of any name is delivered without a warning",
    steps: run(custom("never heard of", { __x: null }), custom("", 5), custom("ag-ui:reserved", [])),
    events: run(custom("never heard of", { __x: null }), custom("", 5), custom("ag-ui:reserved", [])),
    messages: [],
  },
  {
    name: "B5: rawEvent is delivered and has no meaning",
    steps: run(text("m", ["x"]).map((event) => ({ ...event, rawEvent: { type: "RUN_ERROR", messageId: "other" } }))),
    messages: [assistant("m", "x")],
    status: "finished",
  },
  {
    name: "X6: payloads keep their digits, their order and their names",
    steps: [started(), '{"type":"CUSTOM","name":"n","value":{"b":1,"a":"\\u0000","10":2}}', finished()],
    events: [started(), custom("n", { b: 1, a: "\u0000", 10: 2 }), finished()].map((event) =>
      event.type === "CUSTOM" ? { ...event } : event,
    ),
  },
  ...refused(
    "X1: the event of RAW is required",
    [],
    { type: "RAW", source: "x" },
    { code: "bad_event", path: "/event" },
  ),
  ...refused(
    "X3: the value of CUSTOM is required",
    [],
    { type: "CUSTOM", name: "x" },
    { code: "bad_event", path: "/value" },
  ),
]);
