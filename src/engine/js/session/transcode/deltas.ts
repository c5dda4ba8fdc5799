import { type JsonObject, own } from "../../../../json/object.js";
import { isObject } from "../../../../json/tree.js";
import { parseMask } from "../../reduce/agentue/mask.js";
import type { Delta, DeltaRules, Held } from "./halves.js";

/** What an AgentUE delta is appended to. */
interface Field {
  readonly stream: string;
  readonly block: string;
  readonly field: string;
}

/** `append` to a string field of a block (AgentUE §5.3). */
export const AGENTUE_DELTAS: DeltaRules<Field> = {
  deltaOf(event): Delta<Field> | undefined {
    if (event.op !== "append") return undefined;
    const { mask } = event;
    const block = own(event, "block");
    if (typeof mask !== "string" || !isObject(block)) return undefined;
    const { fault, slot, segments } = parseMask(mask);
    const id = own(block, "id");
    if (fault !== 0 || slot !== "block" || segments.length !== 1 || typeof id !== "string") return undefined;
    const field = segments[0]!;
    if (typeof own(block, field) !== "string") return undefined;
    return { holder: block, name: field, key: { stream: streamOf(event), block: id, field } };
  },

  find(held, { stream, block, field }) {
    return held.findIndex(({ key }) => key.stream === stream && key.block === block && key.field === field);
  },

  passes: () => false,

  lengthOf: ({ stream, block, field }) => stream.length + block.length + field.length,

  without(held, event) {
    const { op } = event;
    const stream = streamOf(event);
    if (op === "start" || op === "end" || op === "error") return held.filter(({ key }) => key.stream !== stream);
    const block = op === "set" ? own(event, "block") : undefined;
    if (!isObject(block)) return [...held];
    const id = own(block, "id");
    // A mask speaks of one field, also when it goes on below it.
    const { fault, slot, segments } = parseMask(typeof event.mask === "string" ? event.mask : "");
    const field = fault === 0 && slot === "block" ? segments[0] : undefined;
    return held.filter(
      ({ key }) => key.stream !== stream || key.block !== id || (field !== undefined && key.field !== field),
    );
  },
};

function streamOf(event: JsonObject): string {
  const id = own(event, "stream_id");
  return typeof id === "string" ? id : "";
}

/** What an AG-UI delta continues: members that are missing are undefined. */
interface Item {
  /** Texts, calls and reasoning have ids of their own. */
  readonly family: string;
  readonly owner: string | undefined;
  readonly id: string | undefined;
}

const DELTA_EVENT = /_(?:CONTENT|ARGS|CHUNK)$/;
const END_EVENT = /(?:MESSAGE|CALL)_END$/;
const RUN_EVENT = /^RUN_/;
/** The first letters of TOOL_CALL events. */
const CALLS = "TO";

/** CONTENT, ARGS and CHUNK events. A chunk without an id continues what its owner's last delta belonged to. */
export const AGUI_DELTAS: DeltaRules<Item> = {
  deltaOf(event): Delta<Item> | undefined {
    const { type } = event;
    if (typeof type !== "string" || typeof own(event, "delta") !== "string" || !DELTA_EVENT.test(type))
      return undefined;
    return { holder: event, name: "delta", key: itemOf(event, type) };
  },

  find: findItem,

  lengthOf: ({ owner = "", id = "" }) => owner.length + id.length,

  passes: ({ family, owner }, other) => family === other.family && owner === other.owner,

  without(held, event) {
    const { type } = event;
    if (typeof type !== "string") return [...held];
    if (RUN_EVENT.test(type)) return [];
    const place = END_EVENT.test(type) ? findItem(held, itemOf(event, type)) : -1;
    return held.filter((_, i) => i !== place);
  },
};

function findItem(held: readonly Held<Item>[], { family, owner, id }: Item): number {
  const named = id === undefined ? -1 : held.findIndex(({ key }) => key.family === family && key.id === id);
  if (named >= 0) return named;
  return held.findIndex(
    ({ key, passed }) =>
      !passed && key.family === family && key.owner === owner && (id === undefined || key.id === undefined),
  );
}

function itemOf(event: JsonObject, type: string): Item {
  const family = type.slice(0, 2);
  const id = own(event, family === CALLS ? "toolCallId" : "messageId");
  const owner = own(event, "subagentRunId");
  return {
    family,
    owner: typeof owner === "string" ? owner : undefined,
    id: typeof id === "string" ? id : undefined,
  };
}
