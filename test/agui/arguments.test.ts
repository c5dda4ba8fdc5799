import { describe, it } from "vitest";
import { createCompactor, createProducer, nextRunInput, readCapabilities, readRunInput } from "../../src/agui/index.js";
import { failing } from "../reducer/expect-error.js";

const INPUT = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };

/** Functions that take options, and the name of one. */
const TAKES: Record<string, [call: (options: never) => unknown, name: string]> = {
  createProducer: [(options) => createProducer(options), "transport"],
  createCompactor: [(options) => createCompactor(options), "maxDelta"],
  readRunInput: [(options) => readRunInput(INPUT, options), "contentType"],
  readCapabilities: [(options) => readCapabilities({}, options), "onFault"],
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

  it("nextRunInput needs a model and what the run begins with", () => {
    failing(() => nextRunInput(undefined as never, { runId: "r" }), "bad_argument");
    failing(() => nextRunInput({} as never, { runId: "r" }), "bad_argument");
    failing(() => nextRunInput({ run: { status: "finished" } } as never, null as never), "bad_argument");
  });
});
