import { LOSS_SURROGATE, R_WIRE_RANGE } from "../../../../../assembly/abi/codes.js";
import type { Bytes } from "../../../../bytes.js";
import type { Losses } from "../../../../codec/losses.js";
import { concatenate } from "../../../../codec/output.js";
import { ResultPool } from "../../../../codec/result-pool.js";
import { encodeUtf8 } from "../../../../codec/text.js";
import type { Fault } from "../../../../errors.js";
import { stringify, writeJson } from "../../../../json/exact.js";
import type { JsonObject } from "../../../../json/object.js";
import { LOSSES } from "../../../../warnings.js";
import type { TranscodeOptions } from "../../../contract.js";
import type { Pipeline } from "../pipeline.js";
import { BinaryOutlet, type WhyNot } from "./binary.js";
import { AGENTUE_DELTAS, AGUI_DELTAS } from "./deltas.js";
import { type DeltaRules, Halves } from "./halves.js";
import { PLAIN, presentOrders, readSpelledText, type Spelled } from "./spelled.js";

/** An event on its way: in the form of the other wire, or why it has none. */
type Draft = { readonly losses: number } | { readonly text: string } | { readonly fault: WhyNot };

/** Whom an event belongs to, for what is said of it. */
export interface Route {
  streamId?: string;
  seq?: number;
}

/** Code units that are kept as a string: the strings of a runtime have an end, at half a gigabyte or less. */
const PIECE = 1 << 22;

const UNNAMED: Route = { streamId: "" };

/**
 * What a transcoder writes: events on another wire (docs/transcoding.md). An event is drafted before it is applied, since the model takes over what it
 * holds, and goes out once it is accepted.
 */
export class Outlet {
  /** Objects go out as they come, without being judged. */
  readonly passes: boolean;
  /** What reading the message in hand has lost. */
  readonly read: Losses = { bits: 0 };
  private readonly to: TranscodeOptions["to"];
  private readonly pipeline: Pipeline;
  /** Undefined for text wires, which carry halves as they are. */
  private readonly binary: BinaryOutlet | undefined;
  private readonly halves: Halves | undefined;
  private readonly pool: ResultPool | undefined;
  private draft: Draft | undefined = undefined;
  private draftedType: unknown;
  /** `LOSS_` bits that have been told. */
  private told = 0;
  private text = "";
  /** What was written before `text`. */
  private pieces: Uint8Array[] = [];

  constructor({ to, enforce, pool, adapt }: TranscodeOptions, pipeline: Pipeline) {
    this.passes = !enforce;
    this.pool = pool ? new ResultPool() : undefined;
    this.to = to;
    this.pipeline = pipeline;
    const rules = pipeline.options.protocol === "ag-ui" && adapt === undefined ? AGUI_DELTAS : AGENTUE_DELTAS;
    this.binary = to === "sse" || to === "ndjson" ? undefined : new BinaryOutlet(to);
    this.halves = this.binary === undefined ? undefined : new Halves(rules as DeltaRules<unknown>);
  }

  get writesText(): boolean {
    return this.halves === undefined;
  }

  /** Sends the text of an event of our own making on a text wire. */
  sendText(json: string): void {
    this.append(this.frame(json));
    if (this.read.bits !== 0) this.tell(this.read.bits, UNNAMED);
  }

  /**
   * Sends an event of our own making at once.
   *
   * @param exact whether it may hold an `ExactNumber`
   * @returns whether it has a form on the wire
   */
  send(event: JsonObject, exact: boolean): boolean {
    if (this.writesText) {
      this.sendText(writeJson(event, exact));
      return true;
    }
    this.draftEvent(event, PLAIN);
    const sent = !("fault" in this.draft!);
    this.commit(UNNAMED);
    return sent;
  }

  /** Drafts the message in hand as it came: `event` is its tree, of which `text`, where there is one, may say more. */
  draftMessage(event: JsonObject, text: string | undefined): void {
    const { orders } = this.pipeline;
    const read = text === undefined ? undefined : readSpelledText(text);
    if (read !== undefined) this.draftEvent(read.event, read.spelled);
    else this.draftEvent(event, text === undefined && orders.size > 0 ? { ...PLAIN, orders } : PLAIN);
  }

  /** Drafts an event; `commit` lets it go out. Nothing else changes until then. */
  draftEvent(event: JsonObject, spelled: Spelled): void {
    const { halves } = this;
    this.draftedType = event.type;
    if (halves === undefined) {
      this.draft = { text: this.lineOf(event, spelled) };
      return;
    }
    const joined = halves.look(event);
    if (joined === undefined) {
      this.draft = this.bytesOf(event, spelled);
      return;
    }
    const { holder, name, text } = joined;
    const came = holder[name];
    holder[name] = text;
    this.draft = this.bytesOf(event, spelled);
    holder[name] = came;
  }

  private lineOf(event: JsonObject, spelled: Spelled): string {
    const json =
      spelled === PLAIN
        ? writeJson(event, this.pipeline.text === undefined && this.pipeline.source.exact)
        : stringify(event, presentOrders(spelled.orders), spelled.spellings);
    return this.frame(json);
  }

  private frame(json: string): string {
    return this.to === "sse" ? `data: ${json}\n\n` : `${json}\n`;
  }

  private bytesOf(event: JsonObject, { orders }: Spelled): Draft {
    return this.binary!.draft(event, orders.size > 0 ? presentOrders(orders) : undefined, this.told);
  }

  /** The event that was drafted goes out: says what it loses, or that it has no form. */
  commit(route: Route): void {
    const draft = this.draft!;
    this.draft = undefined;
    if ("fault" in draft) {
      this.leaveOut(draft.fault, route);
      return;
    }
    if ("text" in draft) {
      this.append(draft.text);
      this.tell(this.read.bits, route);
      return;
    }
    this.binary!.commit();
    this.tell(this.read.bits | draft.losses, route);
    if (this.halves!.settle()) this.tell(LOSS_SURROGATE, route);
  }

  /** The event has no form on the wire. */
  private leaveOut(why: WhyNot, route: Route): void {
    const { pipeline } = this;
    if (why === "unknown") {
      pipeline.protocol.leftOut?.(this.draftedType as string);
      return;
    }
    const fault: Fault = { ...route, eventIndex: pipeline.index, ...pipeline.start(), code: "bad_event" };
    if (why === "range") Object.assign(fault, { code: "limit", reason: R_WIRE_RANGE });
    pipeline.report(fault);
  }

  /** Says of each kind of loss once that it happens. */
  private tell(losses: number, { streamId, seq }: Route): void {
    const untold = losses & ~this.told;
    if (untold === 0) return;
    this.told |= untold;
    for (const [bit, [subject]] of LOSSES.entries()) {
      if ((untold >> bit) & 1) this.pipeline.warn({ code: "lossy", subject }, streamId, seq);
    }
  }

  /** The body has ended: what is written from here on belongs to no message. */
  beginEnd(): void {
    this.read.bits = 0;
    this.pipeline.beginEnd();
  }

  /** No half will find its other one any more. */
  end(): void {
    if (!this.halves?.clear()) return;
    this.tell(LOSS_SURROGATE, {});
  }

  /** What was written since the last call. */
  take(): Bytes {
    if (this.binary !== undefined) return this.binary.take(this.pool);
    const { pieces, pool, text } = this;
    this.text = "";
    const last = pool === undefined ? encodeUtf8(text) : pool.utf8(text);
    if (pieces.length === 0) return last;
    this.pieces = [];
    return concatenate([...pieces, last]);
  }

  private append(text: string): void {
    this.text += text;
    if (this.text.length < PIECE) return;
    this.pieces.push(encodeUtf8(this.text));
    this.text = "";
  }

  /** Begins anew. */
  reset(): void {
    this.halves?.clear();
    this.binary?.clear();
    this.draft = undefined;
    this.told = 0;
    this.text = "";
    this.pieces = [];
  }
}
