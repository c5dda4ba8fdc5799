// `append` (AgentUE §5.3): the traffic that everything here is built for. A known block and field cost an id compare, a field compare and a copy.
import * as code from "../../abi/codes";
import { HAS_LOOSE_ESCAPE } from "../../text/scan";
import { canonicalEscapes } from "../../text/escape";
import { canonicalize } from "../../text/minify";
import { codeUnits, startsWithLowSurrogate } from "../../text/units";
import { setAccount } from "../../memory/heap";
import { equalBytes } from "../../memory/copy";
import { chainAppend, chainAppendPlain, chainAppendShort, chainBytes, chainOf, chainUnits } from "../../document/chain";
import { documentEpoch, documentOwn, documentSize } from "../../document/index";
import { appendElements, editBegin, editCommit, editRollback, elementCount, expandSlot, memberSlot, putMember, rootSlot, keyOf, slotKind } from "../../document/index";
import { depthOf } from "../../codec/json/members";
import { CHANGE_APPEND, CHANGE_ELEMENTS, CHANGE_FIELD, nextVersion } from "../change-log";
import { fail, failWhole, pathName, pathReset } from "../fault";
import * as name from "../names";
import { extendAppend, noteAppend, noteChange, rememberAppend } from "./changes";
import { checkBlock } from "./check";
import { scratch } from "./content";
import { envelopeDepth, F_BLOCK, fieldEnd, fieldStart, K_ESCAPED, memberKind } from "./envelope";
import { patchEnd, patchId, patchIdLength, patchStart } from "./judge";
import { isInFrames, notePatch } from "./frames";
import { maskEnd, maskPath } from "./mask";
import { failMaskLimit, isTooDeep, isTooLarge, pathOfMask } from "./patch";
import { failInFrames, insertBlock } from "./set";
import {
  B_CHAIN, B_DOCUMENT, B_EPOCH, B_FIELD, B_FIELD_LENGTH, B_FIELD_WORD, B_FLAGS, B_STAMP, findBlock, IS_REFERENCE, noteSize, REFERENCES_ALLOWED, S_FLAGS, S_LOG, S_SIZE,
} from "./state";

/** Appends that went straight to a remembered text chain. */
export let hotAppends: u32 = 0;

/** Applies the judged `append`. All or nothing. */
export function applyAppend(s: usize): bool {
  const block = findBlock(s, patchId, patchIdLength);
  if (!block) return isInFrames(s, patchId, patchIdLength) ? failInFrames() : insertPayload(s);
  const d = documentOwn(block + B_DOCUMENT), n = <u32>(maskEnd - maskPath);
  if (!d) return failWhole(code.E_OUT_OF_MEMORY);
  if (load<u8>(patchStart) == 0x22) {
    if (load<u32>(block, B_CHAIN) && load<u32>(block, B_EPOCH) == documentEpoch(d) && load<u32>(block, B_FIELD_LENGTH) == n
      && equalBytes(load<u32>(block, B_FIELD), maskPath, n)) {
      hotAppends++;
      return appendText(s, block, d, load<u32>(block, B_CHAIN));
    }
  }
  return appendToField(s, block, d, n);
}

/** Whether the text chain of that field of the block is remembered. `word` is the name as one word, 0 when it is longer. */
@inline export function hasHotField(block: usize, word: u64, field: usize, n: u32): bool {
  return load<u32>(block, B_CHAIN) != 0 && load<u32>(block, B_EPOCH) == documentEpoch(load<u32>(block, B_DOCUMENT))
    && (word ? load<u64>(block, B_FIELD_WORD) == word : load<u32>(block, B_FIELD_LENGTH) == n && equalBytes(load<u32>(block, B_FIELD), field, n));
}

/**
 * Appends the string contents [p, end), in which the scan has `seen` these flags and `counted` so many code units (0: not), to the remembered
 * field; `payer` is the account of the stream. False: a limit or the end of memory is in reach; nothing was touched, and no fault is set.
 */
@inline export function appendHot(s: usize, block: usize, p: usize, end: usize, seen: u32, counted: u32, payer: usize): bool {
  const chain = <usize>load<u32>(block, B_CHAIN), d = <usize>load<u32>(block, B_DOCUMENT);
  if (isTooLarge(s, <u32>(end - p))) return false;
  if (seen & HAS_LOOSE_ESCAPE) {
    const out = scratch(<u32>(end - p) + 16);
    if (!out) return false;
    end = canonicalEscapes(p, end, out);
    p = out;
  }
  const size = <u32>(end - p), from = chainUnits(chain), units = !seen ? size : counted ? counted : codeUnits(p, end);
  let joined = false, byte = chainBytes(chain);
  if (!chainAppendShort(d, chain, p, size, units)) {
    const account = setAccount(payer), done = chainAppend(d, chain, p, size, units);
    setAccount(account);
    if (!done) return false;
    joined = chainBytes(chain) != byte + size;
  }
  store<u32>(s, load<u32>(s, S_SIZE) + chainBytes(chain) - byte, S_SIZE);
  nextVersion(s + S_LOG);
  if (joined || !extendAppend(s, block, from + units)) {
    const account = setAccount(payer);
    noteAppend(s, CHANGE_APPEND, block, load<u32>(block, B_FIELD), load<u32>(block, B_FIELD_LENGTH), from, from + units, joined ? byte - 6 : byte, joined);
    setAccount(account);
    // only now is it known to speak of this field
    rememberAppend(s, block);
  }
  return true;
}

/**
 * `appendHot` for `n` bytes of canonical contents of `units` code units at `p` that hold no `\u`. A field that is remembered under another name than `word`
 * is no reason to look further.
 */
@inline export function appendPlain(s: usize, block: usize, word: u64, p: usize, n: u32, units: u32, payer: usize): bool {
  const chain = <usize>load<u32>(block, B_CHAIN), d = <usize>load<u32>(block, B_DOCUMENT);
  if (!chain) return false;
  if (load<u32>(block, B_EPOCH) != documentEpoch(d)) return false;
  if (load<u64>(block, B_FIELD_WORD) != word) return false;
  if (isTooLarge(s, n)) return false;
  if (!chainAppendPlain(d, chain, p, n, units) && !appendLong(d, chain, p, n, units, payer)) return false;
  store<u32>(s, load<u32>(s, S_SIZE) + n, S_SIZE);
  nextVersion(s + S_LOG);
  const to = chainUnits(chain);
  if (!extendAppend(s, block, to)) noteHot(s, block, to - units, to, chainBytes(chain) - n, payer);
  return true;
}

function appendLong(d: usize, chain: usize, p: usize, n: u32, units: u32, payer: usize): bool {
  const account = setAccount(payer), done = chainAppend(d, chain, p, n, units);
  setAccount(account);
  return done;
}

function noteHot(s: usize, block: usize, from: u32, to: u32, byte: u32, payer: usize): void {
  const account = setAccount(payer);
  noteAppend(s, CHANGE_APPEND, block, load<u32>(block, B_FIELD), load<u32>(block, B_FIELD_LENGTH), from, to, byte, false);
  setAccount(account);
  rememberAppend(s, block);
}

// The payload of an append to a block that is not there must be a complete inline block.
function insertPayload(s: usize): bool {
  pathReset();
  pathName(name.NAME_BLOCK, 5);
  let p = fieldStart(F_BLOCK), end = fieldEnd(F_BLOCK);
  if (memberKind == K_ESCAPED) {
    const out = scratch(<u32>(end - p) + 80);
    if (!out) return failWhole(code.E_OUT_OF_MEMORY);
    end = canonicalize(p, out);
    p = out;
  }
  return checkBlock(p, end, (load<u8>(s, S_FLAGS) & REFERENCES_ALLOWED) != 0) && insertBlock(s, p, end);
}

function appendText(s: usize, block: usize, d: usize, chain: usize): bool {
  let p = patchStart + 1;
  let end = patchEnd - 1;
  if (memberKind == K_ESCAPED) {
    const out = scratch(<u32>(end - p) + 16);
    if (!out) return failWhole(code.E_OUT_OF_MEMORY);
    end = canonicalEscapes(p, end, out);
    p = out;
  }
  let joined = load<u8>(p) == 0x5c && startsWithLowSurrogate(p, end);
  const n = <u32>(end - p), before = documentSize(d), from = chainUnits(chain), units = codeUnits(p, end);
  let byte = chainBytes(chain);
  if (isTooLarge(s, n)) {
    // a joined character is eight bytes shorter than its halves: only the result tells
    editBegin(d);
    const fits = joined && chainAppend(d, chain, p, n, units) && !isTooLarge(s, documentSize(d) - before);
    if (!fits) { editRollback(d); return failMaskLimit(code.R_LIMIT_MODEL); }
    editCommit(d);
  } else if (!chainAppend(d, chain, p, n, units)) return failWhole(code.E_OUT_OF_MEMORY);
  if (joined) {
    joined = chainBytes(chain) != byte + n;
    if (joined) byte -= 6;
  }
  noteSize(s, d, before);
  nextVersion(s + S_LOG);
  noteAppend(s, CHANGE_APPEND, block, maskPath, <u32>(maskEnd - maskPath), from, from + units, byte, joined);
  return true;
}

function appendToField(s: usize, block: usize, d: usize, n: u32): bool {
  if (load<u32>(block, B_FLAGS) & IS_REFERENCE) {
    pathReset();
    pathName(name.NAME_BLOCK, 5);
    return fail(code.E_UNRESOLVED_REFERENCE, 0);
  }
  notePatch(s, block, maskPath, n);
  const root = expandSlot(d, rootSlot(d));
  if (!root) return failWhole(code.E_OUT_OF_MEMORY);
  const slot = memberSlot(root, maskPath, n);
  const kind = slot ? slotKind(slot) : 0x6e;
  if (kind == 0x6e) return fillField(s, block, d, root, n);
  if (kind != load<u8>(patchStart)) {
    pathOfMask(maskEnd);
    return fail(code.E_TYPE_MISMATCH, load<u8>(patchStart) == 0x22 ? code.R_STRING : code.R_ARRAY);
  }
  if (kind == 0x5b) return appendList(s, block, d, slot);
  const chain = chainOf(d, slot);
  if (!chain) return failWhole(code.E_OUT_OF_MEMORY);
  store<u32>(block, <u32>chain, B_CHAIN);
  store<u32>(block, <u32>keyOf(slot), B_FIELD);
  store<u32>(block, n, B_FIELD_LENGTH);
  store<u64>(block, n > 8 ? 0 : load<u64>(keyOf(slot)) << (64 - (n << 3)) >> (64 - (n << 3)), B_FIELD_WORD);
  store<u32>(block, 0, B_STAMP);
  store<u32>(block, documentEpoch(d), B_EPOCH);
  return appendText(s, block, d, chain);
}

// An absent or null field takes the value.
function fillField(s: usize, block: usize, d: usize, root: usize, n: u32): bool {
  if (load<u8>(patchStart) == 0x5b && isTextField(n)) {
    pathOfMask(maskEnd);
    return fail(code.E_BAD_FIELD, code.R_STRING_OR_NULL);
  }
  let p = patchStart, end = patchEnd;
  if (memberKind == K_ESCAPED) {
    const out = scratch(<u32>(end - p) + 16);
    if (!out) return failWhole(code.E_OUT_OF_MEMORY);
    store<u8>(out, 0x22);
    end = canonicalEscapes(p + 1, end - 1, out + 1);
    store<u8>(end++, 0x22);
    p = out;
  }
  const before = documentSize(d);
  editBegin(d);
  const slot = putMember(d, root, maskPath, n, p, <u32>(end - p));
  if (!slot) { editRollback(d); return failWhole(code.E_OUT_OF_MEMORY); }
  if (!checkListDepth(p, end) || !checkGrowth(s, before, documentSize(d))) { editRollback(d); return false; }
  editCommit(d);
  noteSize(s, d, before);
  nextVersion(s + S_LOG);
  noteChange(s, CHANGE_FIELD, block, maskPath, n);
  return true;
}

function appendList(s: usize, block: usize, d: usize, slot: usize): bool {
  const before = documentSize(d), list = expandSlot(d, slot);
  if (!list) return failWhole(code.E_OUT_OF_MEMORY);
  const from = elementCount(list);
  editBegin(d);
  if (!appendElements(d, slot, patchStart + 1, <u32>(patchEnd - patchStart - 2))) { editRollback(d); return failWhole(code.E_OUT_OF_MEMORY); }
  if (!checkListDepth(patchStart, patchEnd) || !checkGrowth(s, before, documentSize(d))) { editRollback(d); return false; }
  const to = elementCount(list);
  editCommit(d);
  noteSize(s, d, before);
  nextVersion(s + S_LOG);
  noteAppend(s, CHANGE_ELEMENTS, block, maskPath, <u32>(maskEnd - maskPath), from, to, 0, false);
  return true;
}

// The field stands at level 4 of the model, one deeper than in the event.
function checkListDepth(p: usize, end: usize): bool {
  return !isTooDeep(envelopeDepth + 1) || !isTooDeep(3 + depthOf(p, end)) || failMaskLimit(code.R_LIMIT_DEPTH);
}

function checkGrowth(s: usize, before: u32, after: u32): bool {
  return after <= before || !isTooLarge(s, after - before) || failMaskLimit(code.R_LIMIT_MODEL);
}

// parent_id and group_id: the fields that may be absent or null and must then become text
function isTextField(n: u32): bool {
  return (n == 9 && equalBytes(maskPath, name.NAME_PARENT_ID, 9)) || (n == 8 && equalBytes(maskPath, name.NAME_GROUP_ID, 8));
}
