import {
  custom,
  finished,
  raw,
  run,
  started,
  text,
  textChunk,
  textContent,
  textEnd,
  textStart,
} from "../support/agui-events.js";
import { agui, assistant, refused } from "./agui.js";

type Event = Record<string, unknown>;

agui("AG-UI middleware", [
  {
    name: "I15: an event may be changed before it is judged",
    options: {
      middleware: {
        TEXT_MESSAGE_CONTENT: (event) => ({ ...(event as Event), delta: String((event as Event).delta).toUpperCase() }),
      },
    },
    steps: run(text("m", ["abc", "é"])),
    messages: [assistant("m", "ABCÉ")],
    events: run(text("m", ["ABC", "É"])),
  },
  {
    name: "I15: middleware sees what the boundary has made, with chunks as they came and unknown members",
    options: {
      middleware: {
        "*": (event) => {
          const { type, future } = event as Event;
          return [event, custom(`saw ${type} ${future}`)];
        },
      },
    },
    steps: [started(), { type: "THINKING_START", rawEvent: null }, textChunk({ messageId: "m", future: 1 })],
    applied: 6,
    warnings: [
      { code: "legacy_event", path: "/type", subject: "THINKING_START" },
      { code: "legacy_null", path: "/rawEvent" },
      { code: "unknown_property", path: "/future", eventType: "TEXT_MESSAGE_CHUNK" },
    ],
    events: [
      started(),
      custom("saw RUN_STARTED undefined"),
      { type: "REASONING_START", messageId: "thinking-r-1" },
      custom("saw REASONING_START undefined"),
      textStart("m", { role: "assistant" }),
      textEnd("m"),
      custom("saw TEXT_MESSAGE_CHUNK 1"),
    ],
  },
  {
    name: "I17: an event may become several, or none",
    options: {
      middleware: {
        CUSTOM: (event) => (event as Event).value as never,
        RAW: () => undefined,
        STATE_SNAPSHOT: () => null,
      },
    },
    steps: run(custom("x", text("m", ["a", "b"])), custom("y", []), raw(1), [{ type: "STATE_SNAPSHOT", snapshot: 5 }]),
    applied: 6,
    messages: [assistant("m", "ab")],
    state: {},
    types: run(text("m", ["a", "b"])).map(({ type }) => type),
    status: "finished",
    inspect(fold) {
      if (fold.reducer.stats().skipped !== 3) throw new Error(`skipped ${fold.reducer.stats().skipped}`);
    },
  },
  {
    name: "I15: what middleware returns is enforced",
    options: { middleware: { CUSTOM: () => ({ ...textStart("m"), extra: 1 }) }, onViolation: "skip-event" },
    steps: [started(), custom("x"), textEnd("m")],
    warnings: [{ code: "unknown_property", path: "/extra", eventType: "TEXT_MESSAGE_START", eventIndex: 1 }],
    messages: [assistant("m", "")],
  },
  {
    name: "I15: middleware names old types by what they have become, and unknown ones by their names",
    options: {
      middleware: {
        REASONING_START: () => custom("span"),
        REASONING_END: () => undefined,
        FUTURE_EVENT: () => custom("future"),
        THINKING_START: () => custom("never called"),
      },
    },
    steps: run([{ type: "THINKING_START" }, { type: "FUTURE_EVENT" }]),
    events: run(custom("span"), custom("future")),
    warnings: [{ code: "legacy_event", path: "/type" }],
  },
  {
    name: "an event for all goes to the entry that names it",
    options: { middleware: { "*": (event) => [event, raw("any")], CUSTOM: (event) => [event, raw("named")] } },
    steps: [started(), custom("x"), finished()],
    applied: 5,
    atomic: false,
    errors: [{ code: "bad_order", eventIndex: 2, message: "The run has already finished" }],
    types: ["RUN_STARTED", "RAW", "CUSTOM", "RAW", "RUN_FINISHED"],
    events: [started(), raw("any"), custom("x"), raw("named"), finished()],
  },
  ...refused(
    "what middleware makes is judged like what came",
    [textStart("m")],
    custom("x"),
    { code: "bad_event", path: "/delta" },
    {
      options: { middleware: { CUSTOM: () => ({ ...textContent("m", ""), delta: 5 }) } },
      messages: [assistant("m", "")],
    },
  ),
  ...refused(
    "what middleware throws refuses the stream",
    [textStart("m")],
    custom("x"),
    { code: "middleware_failed", message: "the middleware for 'CUSTOM' has thrown" },
    {
      options: {
        middleware: {
          CUSTOM: () => {
            throw new Error("mine");
          },
        },
      },
      messages: [assistant("m", "")],
    },
  ),
  ...[5, "x", true, [raw(), 5], () => raw(), { type: "RAW", event: 5n }, { type: "RAW", event: Number.NaN }].flatMap(
    (made, i) =>
      refused(
        `what middleware makes must be an event: ${i}`,
        [],
        custom("x"),
        { code: "middleware_failed", message: "the middleware for 'CUSTOM' has given something that is no event" },
        { options: { middleware: { CUSTOM: () => made } } },
      ),
  ),
]);
