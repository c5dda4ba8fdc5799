import { AbstractAgent } from "@ag-ui/client";
import { Observable } from "rxjs";
import type { AguiEvent } from "./agui-events.js";

/** What the official client makes of a stream. */
export interface ClientResult {
  verdict: "accepted" | "refused";
  error: string | undefined;
  messages: unknown;
  state: unknown;
  warnings: string[];
}

type Run = ReturnType<InstanceType<typeof AbstractAgent>["run"]>;

/** Gives the events one by one, each after the one before has been applied: what is queued behind a fatal event is lost otherwise. */
class Replay extends AbstractAgent {
  readonly #events: readonly AguiEvent[];

  constructor(events: readonly AguiEvent[], state: unknown) {
    super({ threadId: "t", initialState: state as object });
    this.#events = events;
  }

  run(): Run {
    return new Observable((subscriber) => {
      const next = (index: number): void => {
        if (subscriber.closed) return;
        if (index === this.#events.length) subscriber.complete();
        else {
          subscriber.next(structuredClone(this.#events[index]));
          setImmediate(next, index + 1);
        }
      };
      setImmediate(next, 0);
    }) as unknown as Run;
  }
}

/** Runs events through the pipeline of `@ag-ui/client`; what it writes to the console is kept from it. */
export async function officialClient(events: readonly AguiEvent[]): Promise<ClientResult> {
  const warnings: string[] = [];
  const { warn, error: complain } = console;
  console.warn = (...parts: unknown[]) => void warnings.push(parts.map(String).join(" "));
  console.error = () => {};
  try {
    const agent = new Replay(events, {});
    let failure: unknown;
    try {
      await agent.runAgent({ runId: "r1" });
    } catch (error) {
      failure = error;
    }
    return {
      verdict: failure === undefined ? "accepted" : "refused",
      error: failure === undefined ? undefined : failure instanceof Error ? failure.message : String(failure),
      messages: structuredClone(agent.messages),
      state: structuredClone(agent.state as unknown),
      warnings,
    };
  } finally {
    console.warn = warn;
    console.error = complain;
  }
}
