// The members of messages and calls as they stand in a document, as text or in nodes: one look at each, and a table of slots by name.
import { firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";
import { containerNode, elementCount, elementSlot, entryCount, entrySlot, isArrayNode, keyLengthOf, keyOf, rootSlot, slotKind, slotSpan } from "../../document/index";
import { skipTrusted } from "../../text/trusted";
import { documentOf } from "../../reduce/agui/messages";
import { nameId } from "../../reduce/agui/schema";
import { N_ERROR, N_FUNCTION, N_TOOL_CALLS } from "../../reduce/agui/schema-table.generated";

const NAMES: u32 = N_ERROR + 1;
const OF_MESSAGE: usize = memory.data(50 * 8, 8), OF_CALL: usize = memory.data(50 * 8, 8), OF_FUNCTION: usize = memory.data(50 * 8, 8);

@inline function slotIn(table: usize, name: u32): usize { return table + (<usize>name << 3); }

/** Copies of the slots (document/layout) of a member (`F_` or `N_` id), zeroed where there is none; good until the document changes or the next one is read. */
export function ofMessage(name: u32): usize { return slotIn(OF_MESSAGE, name); }
export function ofCall(name: u32): usize { return slotIn(OF_CALL, name); }
export function ofFunction(name: u32): usize { return slotIn(OF_FUNCTION, name); }

function keep(table: usize, name: u32, p: u32, n: u32): void {
  if (name >= NAMES) return;
  store<u32>(slotIn(table, name), p);
  store<u32>(slotIn(table, name), n, 4);
}

// Of members that stand there twice the last one counts.
function read(table: usize, slot: usize): void {
  memory.fill(table, 0, NAMES << 3);
  const node = containerNode(slot);
  if (node) {
    const count = entryCount(node);
    for (let i: u32 = 0; i < count; i++) {
      const entry = entrySlot(node, i);
      if (entry) keep(table, nameId(keyOf(entry), keyLengthOf(entry)), load<u32>(entry), load<u32>(entry, 4));
    }
    return;
  }
  const text = slotSpan(slot);
  if (!text || load<u8>(text) != 0x7b) return;
  for (let p = firstMember(text); p; ) {
    p = readMember(p);
    keep(table, nameId(keyStart, keyLength), <u32>valueStart, <u32>(valueEnd - valueStart));
  }
}

/** Reads message `m`. */
export function readMessage(m: usize): void { read(OF_MESSAGE, rootSlot(documentOf(m))); }

// A slot of a call where the list is text.
const ELEMENT: usize = memory.data(8, 8);
let nextElement: usize = 0;
let place: u32 = 0;

/** Begins with the calls of the message that was read; `nextCall` goes on. */
export function firstCall(): void {
  const list = ofMessage(N_TOOL_CALLS);
  place = 0;
  nextElement = 0;
  if (!load<u32>(list) || slotKind(list) != 0x5b) return;
  const text = slotSpan(list);
  if (text) nextElement = load<u8>(text, 1) == 0x5d ? 0 : text + 1;
}

/** Reads the next call of the message; false = there is none. */
export function nextCall(): bool {
  const list = ofMessage(N_TOOL_CALLS), node: usize = load<u32>(list) ? containerNode(list) : 0;
  if (node) {
    if (!isArrayNode(node) || place >= elementCount(node)) return false;
    readCallAt(elementSlot(node, place++));
    return true;
  }
  if (!nextElement) return false;
  const end = skipTrusted(nextElement);
  store<u32>(ELEMENT, <u32>nextElement);
  store<u32>(ELEMENT, <u32>(end - nextElement), 4);
  nextElement = load<u8>(end) == 0x2c ? end + 1 : 0;
  place++;
  readCallAt(ELEMENT);
  return true;
}

function readCallAt(slot: usize): void {
  read(OF_CALL, slot);
  const made = ofCall(N_FUNCTION);
  if (load<u32>(made)) read(OF_FUNCTION, made);
  else memory.fill(OF_FUNCTION, 0, NAMES << 3);
}

/** Reads the call number `i` of the message that was read. */
export function readCall(i: u32): void {
  const list = ofMessage(N_TOOL_CALLS), node: usize = load<u32>(list) ? containerNode(list) : 0;
  firstCall();
  if (node) place = i;
  else for (; i; i--) nextCall();
  nextCall();
}
