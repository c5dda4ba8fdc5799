// What is to be told of an unresolved reference (AgentUE §3.4): its key, and the biz of the model it stands in.
import { equalBytes } from "../../memory/copy";
import { findMember, valueEnd, valueStart } from "../../codec/json/members";
import { rootSlot, slotSpan } from "../../document/index";
import { skipTrusted } from "../../text/trusted";
import { stringEnd } from "../../text/scan";
import * as name from "../names";
import { B_DOCUMENT, S_BLOCKS_HOLE, S_META_HOLE, S_SHELL } from "./state";

/** String contents that the last call has found. */
export let foundText: usize = 0;
export let foundLength: u32 = 0;

function found(start: usize, end: usize): void {
  foundText = start + 1;
  foundLength = <u32>(end - start) - 2;
}

/** Finds the key of a reference block. No patch reaches such a block, so its document is one span. */
export function findReferenceKey(block: usize): void {
  findMember(slotSpan(rootSlot(load<u32>(block, B_DOCUMENT))), name.NAME_REF, 3);
  found(valueStart, valueEnd);
}

/** Finds the biz of the model, among the members of its shell. */
export function findBiz(s: usize): void {
  const shell = <usize>load<u32>(s, S_SHELL), meta = shell + load<u32>(s, S_META_HOLE), blocks = shell + load<u32>(s, S_BLOCKS_HOLE);
  let p = shell + 1;
  while (true) {
    const key = p + 1, n = <u32>(stringEnd(key) - key), value = key + n + 2;
    const end = value == meta || value == blocks ? value : skipTrusted(value);
    if (n == 3 && equalBytes(key, name.NAME_BIZ, 3)) { found(value, end); return; }
    p = end + 1;
  }
}
