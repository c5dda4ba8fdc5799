import { type FinishResult, type Protocol, StreamfoldError, type StreamStatus, type Transport } from "../entry/node.js";
import { TRANSPORTS } from "./input.js";
import { line } from "./io.js";

/** So many reports one chunk of the command line can hold at most: a message has two bytes or more. */
export const MOST_REPORTS = 65_536;

/** What a call gives whose failures `onError` has heard already; undefined when the connection has failed. */
export function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof StreamfoldError && error.scope === "connection") return undefined;
    throw error;
  }
}

/** A hint that stands so many lines above the end is out of sight. */
export const FAR = 10;

/** Collects the lines for stderr, and whether the exit code must tell. With one stream asked for, faults of others do not count. */
export class Trouble {
  any = false;
  #lines = "";
  #hint: string | undefined;
  /** Lines behind the hint. */
  #behind = 0;
  readonly #protocol: Protocol;
  readonly #only: string | undefined;

  constructor(protocol: Protocol, only?: string) {
    this.#protocol = protocol;
    this.#only = only;
  }

  error(error: StreamfoldError): void {
    const concerns = this.#only === undefined || error.scope !== "stream" || error.streamId === this.#only;
    if (concerns) this.fatal(`error: ${error.code}: ${error.message}`);
    else this.note(`error: ${error.code}: ${error.message}`);
    const hint = otherProtocol(this.#protocol, error);
    if (hint === undefined) return;
    this.note(hint);
    this.#hint = hint;
    this.#behind = 0;
  }

  /** The last lines: a hint that many others have pushed away is said again. */
  close(transport: Transport, read: { events: number; bytes: number }): void {
    const hint = otherWire(transport, read);
    if (hint !== undefined) this.note(hint);
    if (this.#hint !== undefined && this.#behind > FAR) this.note(this.#hint);
  }

  end(result: FinishResult, transport: Transport): void {
    const why = whyTruncated(result);
    if (why === undefined) return;
    const stream = result.streams.find(({ streamId }) => streamId === this.#only);
    if (transport === "json") this.note(`note: ${why}`);
    else if (this.#only !== undefined && stream !== undefined && hasEnded(stream.status))
      this.note(`truncated: ${why}`);
    else this.fatal(`truncated: ${why}`);
  }

  fatal(text: string): void {
    this.any = true;
    this.note(text);
  }

  note(text: string): void {
    this.#lines += line(text);
    this.#behind++;
  }

  take(): string {
    const lines = this.#lines;
    this.#lines = "";
    return lines;
  }
}

/** A hint for whoever reads one wire as another: bytes came, and no event. Undefined otherwise. */
export function otherWire(
  transport: Transport,
  { events, bytes }: { events: number; bytes: number },
): string | undefined {
  if (events > 0 || bytes === 0) return undefined;
  const others = TRANSPORTS.filter((one) => one !== transport);
  return `note: no event was found in ${bytes} bytes read as ${transport}; other wires are read with --from ${others.slice(0, -1).join(", ")} or ${others.at(-1)}`;
}

/** Members that every AG-UI event, or the first one of a run, has, and no AgentUE event. */
const AGUI_MEMBERS: ReadonlySet<string | undefined> = new Set(["/type", "/threadId", "/runId"]);

/** A hint for whoever reads one protocol as the other, with the first event of an input; undefined when nothing speaks for that. */
export function otherProtocol(protocol: Protocol, { code, path, eventIndex }: StreamfoldError): string | undefined {
  if (eventIndex !== 0) return undefined;
  if (protocol === "agentue" && code === "unknown_field" && AGUI_MEMBERS.has(path))
    return "note: this event looks like AG-UI, which is read with --protocol ag-ui";
  if (protocol === "ag-ui" && code === "bad_event" && path === "/type")
    return "note: this event has no type of AG-UI; AgentUE is read with --protocol agentue";
  return undefined;
}

/** The streams of a body that was not cut off are in one of these statuses; a run that failed has said so itself. */
const ENDED: ReadonlySet<StreamStatus> = new Set(["ended", "finished", "interrupted", "cancelled", "failed"]);

function hasEnded(status: StreamStatus): boolean {
  return ENDED.has(status);
}

/** Why a body counts as cut off, or undefined when it does not. */
export function whyTruncated(result: FinishResult): string | undefined {
  if (result.status === "complete") return undefined;
  if (result.streams.length === 0) return "no stream was opened";
  const cut = result.streams.filter(({ status }) => !hasEnded(status));
  if (cut.length === 0) return "the input ends inside a message";
  const shown = cut.slice(0, 10).map(({ streamId, status }) => `${nameOf(streamId)} is ${status}`);
  return `${shown.join(", ")}${cut.length > shown.length ? ` and ${cut.length - shown.length} more` : ""}, without an end`;
}

function nameOf(streamId: string): string {
  return streamId === "" ? "the unnamed stream" : `stream ${JSON.stringify(streamId)}`;
}

/** ` [stream "a", event 3]` */
export function place({ streamId, eventIndex }: { streamId?: string; eventIndex: number }): string {
  return ` [${streamId ? `stream ${JSON.stringify(streamId)}, ` : ""}event ${eventIndex}]`;
}
