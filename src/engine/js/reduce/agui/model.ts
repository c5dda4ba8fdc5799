import { R_LIMIT_DEPTH, R_LIMIT_MODEL } from "../../../../../assembly/abi/codes.js";
import { type JsonObject, own } from "../../../../json/object.js";
import type { PatchTarget } from "../../../../json/patch.js";
import { utf8Length } from "../../../../json/text.js";
import { copyTree, isContainer, jsonLength } from "../../../../json/tree.js";
import type { Limits } from "../../../../limits.js";
import { depthOf } from "../../codec/clone.js";
import { Size } from "../../codec/size.js";
import type { Source } from "../agentue/operations.js";
import { MessageList } from "./messages.js";

/** Levels of the snapshot, its root being level 1. */
export const STATE_LEVEL = 2;
export const MESSAGE_LEVEL = 3;
export const MEMBER_LEVEL = 4;
export const CALL_LEVEL = 5;
export const CALL_MEMBER_LEVEL = 6;

/** The messages and the state that events have made, held within limits of depth and bytes. */
export class Model {
  messages = new MessageList();
  readonly state: PatchTarget;
  readonly size: Size;
  /** Whether it may hold an `ExactNumber`. */
  exact: boolean;
  private readonly limits: Limits;
  /** A fork holds the value of the state, too. */
  private stateShared = false;

  /** @param bound at least as many bytes as the state has */
  constructor(limits: Limits, state: unknown = {}, bound = 2, exact = false) {
    this.limits = limits;
    this.state = { value: state };
    this.exact = exact;
    this.size = new Size(limits.modelBytes, bound + EMPTY, () => this.bytes());
  }

  /** A model of its own with the same values, which either one copies before it changes them. */
  fork(): Model {
    const fork = new Model(this.limits, this.state.value, 0, this.exact);
    fork.messages = this.messages.fork();
    fork.size.restore(this.size.save());
    fork.stateShared = this.stateShared = true;
    return fork;
  }

  /** Another value takes the place of the state. */
  setState(value: unknown): void {
    this.stateShared = false;
    this.state.value = value;
  }

  /** The state, whose value is about to be changed. */
  claimState(): PatchTarget {
    if (this.stateShared) {
      this.stateShared = false;
      this.state.value = copyTree(this.state.value);
    }
    return this.state;
  }

  /**
   * Makes room for a value that is about to be put somewhere, or says why there is none.
   *
   * @param value what may be too deep; a scalar never is
   * @param level of the value in the snapshot
   * @param growth the bytes that the change adds exactly
   * @param bound at least as many
   * @returns the reason of a `limit`, 0 when all is well
   */
  admit(value: unknown, level: number, source: Source, growth: () => number, bound = source.bytes): number {
    if (isContainer(value) && this.isTooDeep(value, level, source)) return R_LIMIT_DEPTH;
    return this.size.admit(bound, growth) ? 0 : R_LIMIT_MODEL;
  }

  isTooDeep(value: unknown, level: number, source: Source): boolean {
    const { depth } = this.limits;
    // A message of our own making has at most four levels, or three more than what the event brings for it.
    if (level + 3 + source.nesting <= depth) return false;
    return level - 1 + depthOf(value) > depth;
  }

  /** Bytes of a value as compact JSON. */
  lengthOf(value: unknown): number {
    return jsonLength(value);
  }

  /** Bytes that `name: value` adds to an object or changes in it. */
  memberGrowth(object: JsonObject, name: string, value: unknown): number {
    const before = own(object, name);
    const length = this.lengthOf(value);
    if (before !== undefined) return length - this.lengthOf(before);
    return length + this.lengthOf(name) + 1 + (Object.keys(object).length > 0 ? 1 : 0);
  }

  private bytes(): number {
    return this.lengthOf({ messages: this.messages.values(), state: this.state.value });
  }
}

/** Bytes of the snapshot around messages and state: names, brackets, commas. */
const EMPTY = 32;

/** Bytes that an addition adds to a text: two lone halves, six bytes each, become one character of four. */
export function textGrowth(current: string, addition: string): number {
  const length = utf8Length(JSON.stringify(addition)) - 2;
  const joins =
    (current.charCodeAt(current.length - 1) & 0xfc00) === 0xd800 && (addition.charCodeAt(0) & 0xfc00) === 0xdc00;
  return joins ? length - 8 : length;
}

/** At least as many bytes as a text adds: a control character or a lone half is written as six. */
export function textBound(addition: string): number {
  return 6 * addition.length;
}
