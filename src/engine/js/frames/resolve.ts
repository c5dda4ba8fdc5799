import { R_ARRAY, R_MISSING, R_NON_EMPTY_STRING, R_OBJECT } from "../../../../assembly/abi/codes.js";
import type { Bytes } from "../../../bytes.js";
import { decodeUtf8, encodeUtf8 } from "../../../codec/text.js";
import type { Fault } from "../../../errors.js";
import { own } from "../../../json/object.js";
import { missingText } from "../../../json/ranges.js";
import { isNonEmptyString, isObject } from "../reduce/agentue/kinds.js";
import { Group, restore } from "./group.js";
import { judgeFrame } from "./judge.js";
import { elementSpans } from "./spans.js";
import { BLOCK_DEPTH, readText } from "./text.js";

/** A group, and the index of its first frame. */
interface Placed {
  group: Group;
  first: number;
}

/** See `EngineCore.resolveFrames`. */
export function resolveFrames(model: Uint8Array): Bytes | Fault {
  const read = readText(model, BLOCK_DEPTH, true);
  if ("code" in read) return read;
  if (!isObject(read.value)) return { code: "bad_model", reason: R_OBJECT, path: "" };
  const blocks = own(read.value, "blocks");
  if (!Array.isArray(blocks)) {
    return { code: "bad_model", reason: blocks === undefined ? R_MISSING : R_ARRAY, path: "/blocks" };
  }
  const groups = new Map<string, Placed>();
  const frames = new Map<number, Placed>();
  const fault = gather(blocks, groups, frames);
  return fault ?? write(read.text, frames);
}

/** Makes the groups of a model's frames: whole, and with ids that nobody else has. */
function gather(
  blocks: readonly unknown[],
  groups: Map<string, Placed>,
  frames: Map<number, Placed>,
): Fault | undefined {
  const ids = new Map<string, number>();
  for (let i = 0; i < blocks.length; i++) {
    const fault = gatherBlock(blocks[i], i, ids, groups, frames);
    if (fault !== undefined) return { ...fault, path: `/blocks/${i}${fault.path ?? ""}` };
  }
  for (const [subject, { group, first }] of groups) {
    const path = `/blocks/${first}`;
    if (!group.isFull) {
      return { code: "missing_frames", path, subject, detail: missingText(group.total, group.numbers()) };
    }
    const other = ids.get(subject);
    if (other !== undefined && !frames.has(other)) {
      return { code: "duplicate_id", path: `${path}/block_id`, subject };
    }
  }
  return undefined;
}

function gatherBlock(
  block: unknown,
  index: number,
  ids: Map<string, number>,
  groups: Map<string, Placed>,
  frames: Map<number, Placed>,
): Fault | undefined {
  if (!isObject(block)) return { code: "bad_block", reason: R_OBJECT, path: "" };
  const isFrame = own(block, "type") === "frame" && own(block, "ref") === undefined;
  const frame = isFrame ? judgeFrame(block) : undefined;
  if (frame !== undefined && "code" in frame) return frame;
  const id = own(block, "id");
  if (!isNonEmptyString(id)) {
    return { code: "bad_block", reason: id === undefined ? R_MISSING : R_NON_EMPTY_STRING, path: "/id" };
  }
  if (ids.has(id)) return { code: "duplicate_id", path: "/id" };
  ids.set(id, index);
  if (frame === undefined) return undefined;
  let placed = groups.get(frame.blockId);
  if (placed === undefined) {
    placed = { group: new Group(frame), first: index };
    groups.set(frame.blockId, placed);
  }
  frames.set(index, placed);
  const fault = placed.group.add(frame);
  return fault === undefined ? undefined : { ...fault, subject: frame.blockId };
}

/** The text with each block in the place of its first frame; another frame goes with what separates it from its forerunner. */
function write(text: string, frames: ReadonlyMap<number, Placed>): Bytes | Fault {
  const parts: string[] = [];
  let from = 0;
  const spans = elementSpans(text, "blocks");
  for (let i = 0; i < spans.length; i++) {
    const placed = frames.get(i);
    if (placed === undefined) continue;
    const isFirst = placed.first === i;
    parts.push(text.slice(from, Math.max(from, isFirst ? spans[i]!.from : spans[i - 1]!.to)));
    from = spans[i]!.to;
    if (!isFirst) continue;
    const block = restore(placed.group);
    if ("code" in block) return { ...block, path: `/blocks/${i}/data${block.path ?? ""}` };
    parts.push(decodeUtf8(block)!);
  }
  parts.push(text.slice(from));
  return encodeUtf8(parts.join(""));
}
