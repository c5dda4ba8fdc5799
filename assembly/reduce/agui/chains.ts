// Text under append: the content of a message and the arguments of a call, and where they are remembered.
import { chainOf, documentEpoch, elementSlot, expandSlot, isArrayNode, memberSlot, rootSlot, slotKind, slotSpan } from "../../document/index";
import { C_CHAIN, C_EPOCH, C_MESSAGE, C_PLACE } from "./calls";
import { ARGUMENTS, CONTENT, FUNCTION, ID, TOOL_CALLS } from "./fragments";
import { documentOf, M_CHAIN, M_EPOCH, ownDocument } from "./messages";

/** Why there is no chain: memory is exhausted. */
export const NO_CHAIN_MEMORY: u32 = 0;
/** The member is not there. */
export const NO_CHAIN_MEMBER: u32 = 1;
/** It is no string. */
export const NO_CHAIN_TEXT: u32 = 2;
export let chainFault: u32 = NO_CHAIN_MEMORY;

/** The chain of a message's `content`, remembered from now on; 0: `chainFault` says why. */
@inline export function contentChain(m: usize): usize {
  const chain = <usize>load<u32>(m, M_CHAIN);
  return chain && load<u32>(m, M_EPOCH) == documentEpoch(documentOf(m)) ? chain : findContent(m);
}

function findContent(m: usize): usize {
  const d = ownDocument(m), root: usize = d ? expandSlot(d, rootSlot(d)) : 0;
  chainFault = NO_CHAIN_MEMORY;
  if (!root) return 0;
  const chain = chainAt(d, memberSlot(root, CONTENT, 7));
  store<u32>(m, <u32>chain, M_CHAIN);
  store<u32>(m, documentEpoch(d), M_EPOCH);
  return chain;
}

function chainAt(d: usize, slot: usize): usize {
  if (!slot) { chainFault = NO_CHAIN_MEMBER; return 0; }
  if (slotKind(slot) != 0x22) { chainFault = NO_CHAIN_TEXT; return 0; }
  chainFault = NO_CHAIN_MEMORY;
  return chainOf(d, slot);
}

/** The node of the call at `place` of a message's `toolCalls`; 0 = out of memory. */
export function callNode(m: usize, place: u32): usize {
  const d = ownDocument(m), root: usize = d ? expandSlot(d, rootSlot(d)) : 0;
  const list: usize = root ? expandMember(d, root, TOOL_CALLS, 9) : 0;
  const slot = list && isArrayNode(list) ? elementSlot(list, place) : 0;
  return slot ? expandSlot(d, slot) : 0;
}

/** The text of the id of the call at `place`, its quotes included; 0 = out of memory. */
export function callIdAt(m: usize, place: u32): usize {
  const call = callNode(m, place), slot: usize = call ? memberSlot(call, ID, 2) : 0;
  // ids are never touched, so they stay spans
  return slot ? slotSpan(slot) : 0;
}

/** The node of a member that is a container; 0 = it is none, or out of memory. */
export function expandMember(d: usize, node: usize, key: usize, n: u32): usize {
  const slot = memberSlot(node, key, n);
  return slot ? expandSlot(d, slot) : 0;
}

/** The chain of the arguments of the call at `place`; 0 = out of memory. */
export function argumentsAt(m: usize, place: u32): usize {
  const call = callNode(m, place), d = documentOf(m);
  const made: usize = call ? expandMember(d, call, FUNCTION, 8) : 0;
  return made ? chainAt(d, memberSlot(made, ARGUMENTS, 9)) : 0;
}

/** The chain of a call's arguments, remembered from now on; 0 = out of memory. */
@inline export function argumentsChain(c: usize): usize {
  const chain = <usize>load<u32>(c, C_CHAIN);
  return chain && load<u32>(c, C_EPOCH) == documentEpoch(documentOf(load<u32>(c, C_MESSAGE))) ? chain : findArguments(c);
}

function findArguments(c: usize): usize {
  const m = <usize>load<u32>(c, C_MESSAGE), chain = argumentsAt(m, load<u32>(c, C_PLACE));
  store<u32>(c, <u32>chain, C_CHAIN);
  store<u32>(c, documentEpoch(documentOf(m)), C_EPOCH);
  return chain;
}
