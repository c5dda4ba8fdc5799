import { describe, expect, it } from "vitest";
import {
  compact,
  createCompactor,
  createProducer,
  nextRunInput,
  pendingToolCalls,
  prepareRunInput,
  readCapabilities,
  readRunInput,
  runTools,
  sumUsage,
  usageByModel,
} from "../../src/agui/index.js";
import { failing } from "../reducer/expect-error.js";

const INPUT = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };

/** Functions that take options, and the name of one. */
const TAKES: Record<string, [call: (options: never) => unknown, name: string]> = {
  createProducer: [(options) => createProducer(options), "transport"],
  createCompactor: [(options) => createCompactor(options), "maxDelta"],
  readRunInput: [(options) => readRunInput(INPUT, options), "contentType"],
  readCapabilities: [(options) => readCapabilities({}, options), "onFault"],
  prepareRunInput: [(options) => prepareRunInput(INPUT, options), "maxProtocolVersion"],
  sumUsage: [(options) => sumUsage([], options), "atLeast"],
  usageByModel: [(options) => usageByModel([], options), "atLeast"],
};

describe("options of agents and their clients", () => {
  it.each(Object.entries(TAKES))("%s refuses what is no option, none at all, or cannot be read", (_, [call, name]) => {
    const thrower = Object.defineProperty({ transport: "sse" }, name, {
      enumerable: true,
      get: () => {
        throw new Error("of the caller");
      },
    });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const options of [{ transport: "sse", maxDelat: 1 }, null, 5, thrower, proxy]) {
      failing(() => call(options as never), "bad_argument");
    }
  });

  it("names the one that there is not", async () => {
    const ended = { run: { status: "finished", threadId: "t", pendingToolCallIds: [] }, messages: [], state: {} };
    const snapshot = ended as never;
    const misspelt: Record<string, () => unknown> = {
      maxProtcolVersion: () => prepareRunInput(INPUT, { maxProtcolVersion: "0.0.39" } as never),
      atleast: () => sumUsage([], { atleast: true } as never),
      parentRunID: () => nextRunInput(snapshot, { runId: "s", parentRunID: "r" } as never),
    };
    for (const [name, call] of Object.entries(misspelt))
      expect(failing(call, "bad_argument").message).toContain(`there is no option "${name}"`);
    const tools = { snapshot, tools: {} };
    await expect(runTools({ ...tools, onerror: () => {} } as never)).rejects.toMatchObject({ code: "bad_argument" });
    await expect(runTools({ ...tools, onError: undefined, signal: undefined } as never)).resolves.toEqual([]);
    expect(nextRunInput(snapshot, { runId: "s", parentRunId: "r", messages: [], answers: {} }).input.runId).toBe("s");
    // what an application keeps in an object of its own class is no option
    class Options {
      atLeast = true;
      kept = 1;
    }
    expect(sumUsage([], new Options())).toEqual({});
  });

  it("nextRunInput needs a model and what the run begins with", () => {
    failing(() => nextRunInput(undefined as never, { runId: "r" }), "bad_argument");
    failing(() => nextRunInput({} as never, { runId: "r" }), "bad_argument");
    failing(() => nextRunInput({ run: { status: "finished" } } as never, null as never), "bad_argument");
  });

  const REVOKED = (() => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  })();

  const OTHERS: Record<string, unknown> = { nothing: undefined, null: null, "a number": 5, "a revoked proxy": REVOKED };
  const rows = (more: Record<string, unknown> = {}) => Object.entries({ ...OTHERS, ...more });

  it.each(rows({ "no run": { run: null }, "half a run": { run: {} } }))(
    "a snapshot is a model: %s",
    async (_, value) => {
      failing(() => pendingToolCalls(value as never), "bad_argument");
      failing(() => nextRunInput(value as never, { runId: "r" }), "bad_argument");
      const ran = runTools({ snapshot: value as never, tools: {} });
      await expect(ran).rejects.toMatchObject({ code: "bad_argument" });
      await expect(runTools(value as never)).rejects.toMatchObject({ code: "bad_argument" });
    },
  );

  it.each(rows({ "an object": {}, "a list of null": [null] }))("usages are a list of usages: %s", (_, value) => {
    failing(() => sumUsage(value as never), "bad_argument");
    failing(() => usageByModel(value as never), "bad_argument");
    failing(() => sumUsage([], null as never), "bad_argument");
  });

  it.each(rows({ "an object": {} }))("a log is iterable: %s", (_, value) => {
    failing(() => compact(value as never), "bad_argument");
  });

  it.each([
    ["null", null],
    ["a revoked proxy", REVOKED],
  ])("what a producer is given can be read: %s", (_, value) => {
    const producer = createProducer({ transport: "sse" });
    failing(() => producer.start(value as never), "bad_argument");
    producer.start({ threadId: "t", runId: "r" });
    failing(() => producer.finish(value as never), "bad_argument");
    failing(() => producer.cancel(value as never), "bad_argument");
    failing(() => producer.fail("x", value as never), "bad_argument");
    producer.finish();
  });
});
