import { R_OBJECT } from "../../../../../assembly/abi/codes.js";
import type { Fault } from "../../../../errors.js";
import { equalValues } from "../../../../json/equal.js";
import type { JsonObject } from "../../../../json/object.js";
import { isObject } from "../../../../json/tree.js";
import type { BlockHook } from "../../../adapting.js";
import { cloneValue } from "../../codec/clone.js";
import { copyValue } from "../../codec/value.js";
import { judgeInline } from "../../reduce/agentue/validate.js";
import type { Outlet } from "../transcode/outlet.js";
import type { Allowance } from "./allowance.js";
import { Delivery } from "./delivery.js";

/** Where a hook's work comes from and what becomes of its mistakes. */
interface HookOptions {
  hook: BlockHook;
  /** Levels that a block may have. */
  depth: number;
  report(fault: Fault): void;
}

/**
 * A delivery whose blocks a hook of the application sees and may replace or leave out (docs/adapter.md §10). What went out of each block is kept: what goes out next is
 * how the block that the hook gives differs from it.
 */
export class HookedDelivery extends Delivery {
  private readonly options: HookOptions;
  /** Blocks as they went out, in no order that counts. */
  private readonly sent = new Map<string, JsonObject>();
  /** The places of all blocks, those that are left out too. */
  private readonly places = new Map<string, number>();
  /** The last place of a block that went out. */
  private lastPlace = -1;

  constructor(outlet: Outlet, streamId: string, allowance: Allowance, options: HookOptions) {
    super(outlet, streamId, allowance);
    this.options = options;
  }

  override reset(): void {
    super.reset();
    this.forget();
  }

  override start(model: JsonObject): void {
    this.forget();
    const blocks: JsonObject[] = [];
    for (const block of model.blocks as JsonObject[]) {
      this.places.set(block.id as string, this.places.size);
      const given = this.ask(block);
      if (given !== undefined) blocks.push(this.keep(given));
    }
    super.start({ ...model, blocks });
    if (!this.underWay) this.forget();
  }

  override set(block: JsonObject): void {
    const id = block.id as string;
    if (!this.places.has(id)) this.places.set(id, this.places.size);
    this.change(id, this.ask(block));
  }

  override setField(id: string): void {
    this.again(id);
  }

  override append(id: string): void {
    this.again(id);
  }

  override get writesTokens(): boolean {
    return false;
  }

  private again(id: string): void {
    const block = this.blocks!.block(id);
    if (block !== undefined) this.change(id, this.ask(block));
  }

  /** What goes out where a block is another one than before. */
  private change(id: string, block: JsonObject | undefined): void {
    const before = this.sent.get(id);
    if (before === undefined && block === undefined) return;
    const isNew = before === undefined;
    if (block === undefined || (isNew && (this.places.get(id) as number) < this.lastPlace)) {
      // AgentUE knows no removal, and nothing that comes in between
      this.start(this.blocks!.model());
      return;
    }
    this.keep(block);
    if (isNew || Object.keys(before).some((name) => !Object.hasOwn(block, name))) {
      super.set(block);
      return;
    }
    const changed = Object.keys(block).filter(
      (name) => !Object.hasOwn(before, name) || !equalValues(before[name], block[name]),
    );
    // names that no mask can say
    if (changed.some((name) => name === "" || name.includes("."))) {
      super.set(block);
      return;
    }
    for (const name of changed) {
      const was = before[name];
      const is = block[name];
      const grew = typeof was === "string" && typeof is === "string" && is.startsWith(was);
      if (grew) super.append(id, name, is.slice(was.length));
      else super.setField(id, name, is);
    }
  }

  private keep(block: JsonObject): JsonObject {
    const id = block.id as string;
    this.sent.set(id, block);
    this.lastPlace = Math.max(this.lastPlace, this.places.get(id) as number);
    return block;
  }

  private report(fault: Fault, subject: string): void {
    const { eventType } = this;
    this.options.report({ ...fault, subject, ...(eventType !== "" && { eventType }) });
  }

  private forget(): void {
    this.sent.clear();
    this.places.clear();
    this.lastPlace = -1;
  }

  /** What the hook makes of a block; undefined: it does not go out. */
  private ask(block: JsonObject): JsonObject | undefined {
    const { hook, depth } = this.options;
    const report = (fault: Fault): void => this.report(fault, block.id as string);
    let given: unknown;
    try {
      given = hook(cloneValue(block, "number") as JsonObject, { eventType: this.eventType });
    } catch (cause) {
      report({ code: "middleware_failed", detail: "the block hook has thrown for '{subject}'", cause });
      return undefined;
    }
    if (given === undefined || given === null) return undefined;
    const copy = copyValue(given, depth);
    if ("code" in copy) {
      report({
        code: "middleware_failed",
        detail: "JSON cannot express what the block hook has given for '{subject}'",
      });
      return undefined;
    }
    const { value } = copy;
    if (!isObject(value)) {
      report({ code: "bad_block", reason: R_OBJECT, path: "" });
      return undefined;
    }
    const fault = Object.hasOwn(value, "ref") || value.id !== block.id ? anotherBlock(value) : judgeInline(value);
    if (fault === undefined) return value;
    report(fault);
    return undefined;
  }
}

/** A hook may give neither a reference nor a block of another id. */
function anotherBlock(block: JsonObject): Fault {
  return { code: "bad_block", path: Object.hasOwn(block, "ref") ? "/ref" : "/id" };
}
