// `start` (AgentUE §5.1) and stored models: a whole new model is built beside the old one and takes its place when nothing can fail any more.
import * as code from "../../abi/codes";
import { alloc } from "../../memory/heap";
import { bytesClear, RUN_LEN, RUN_PTR } from "../../memory/bytes";
import { copyForward } from "../../memory/copy";
import { documentSize } from "../../document/index";
import { firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";
import { freeLog, nextVersion, noteStart } from "../change-log";
import { fail, failWhole, pathName, pathReset } from "../fault";
import { SCRATCH_SHELL as SHELL, scratchReserve } from "../scratch";
import * as name from "../names";
import { modelMeta, modelMetaEnd, modelReferences } from "./check";
import { newDocument, newMeta, withoutRepeats } from "./content";
import { FACT_END, FACT_FLAGS, FACT_HASH, FACT_ID, FACT_ID_END, FACT_REF, MAY_REPEAT } from "./facts";
import { frameFlags, setBlockFlags } from "./frames";
import { maxModel } from "./limits";
import { foundAt, foundBlocks, modelIsIrregular, modelMemberAt, modelMembers } from "./model-scan";
import {
  B_FLAGS, freeModel, IS_REFERENCE, moveModel, placeBlock, recordSize, REFERENCES_ALLOWED, roomForBlocks, S_BLOCKS_HOLE, S_FLAGS, S_LOG, S_META,
  S_META_HOLE, S_MODEL, S_SHELL, S_SHELL_LENGTH, S_SIZE, STATE_SIZE,
} from "./state";

// Models that streams have got so far.
let models: u32 = 0;

// STATE_SIZE bytes
const BUILT: usize = memory.data(168, 16);

/**
 * Replaces the model of the state by the canonical model text at `p` that `checkModel` has just accepted. False: too large for
 * `maxModel` bytes (`inEvent`: the fault points at `/model`, else at the root) or out of memory; the old model stays.
 */
export function replaceModel(s: usize, p: usize, inEvent: bool): bool {
  memory.fill(BUILT, 0, STATE_SIZE);
  const size = build(p);
  if (size == NO_MEMORY || size > <u64>maxModel) {
    freeModel(BUILT);
    if (size == NO_MEMORY) return failWhole(code.E_OUT_OF_MEMORY);
    pathReset();
    if (inEvent) pathName(name.NAME_MODEL, 5);
    return fail(code.E_LIMIT, code.R_LIMIT_MODEL);
  }
  store<u32>(BUILT, <u32>size, S_SIZE);
  freeModel(s);
  moveModel(BUILT, s);
  store<u32>(s, ++models, S_MODEL);
  const flags = load<u8>(s, S_FLAGS) & ~REFERENCES_ALLOWED;
  store<u8>(s, modelReferences ? flags | REFERENCES_ALLOWED : flags, S_FLAGS);
  nextVersion(s + S_LOG);
  noteStart(s + S_LOG);
  return true;
}

const NO_MEMORY: u64 = ~0;

// Builds shell, meta and blocks in BUILT; the size of the model or NO_MEMORY.
function build(p: usize): u64 {
  if (!buildShell(p)) return NO_MEMORY;
  const meta = newMeta(modelMeta, modelMetaEnd);
  if (!meta) return NO_MEMORY;
  store<u32>(BUILT, <u32>meta, S_META);
  let records: u32 = 0;
  for (let i: u32 = 0; i < foundBlocks; i++) {
    const found = foundAt(i);
    records += recordSize(load<u32>(found, FACT_ID_END) - load<u32>(found, FACT_ID) - 2);
  }
  if (!roomForBlocks(BUILT, foundBlocks, records)) return NO_MEMORY;
  let size = <u64>load<u32>(BUILT, S_SHELL_LENGTH) + documentSize(meta) + 2 + (foundBlocks ? foundBlocks - 1 : 0);
  for (let i: u32 = 0; i < foundBlocks; i++) {
    const found = foundAt(i);
    const document = newDocument(load<u32>(found), load<u32>(found, FACT_END), (load<u32>(found, FACT_FLAGS) & MAY_REPEAT) != 0, false);
    if (!document) return NO_MEMORY;
    const id = <usize>load<u32>(found, FACT_ID) + 1;
    const block = placeBlock(BUILT, id, load<u32>(found, FACT_ID_END) - <u32>id - 1, load<u32>(found, FACT_HASH), document, load<u32>(found, FACT_REF) ? IS_REFERENCE : 0);
    setBlockFlags(BUILT, block, load<u32>(block, B_FLAGS) | frameFlags(load<u32>(found)));
    size += documentSize(document);
    if (size > <u64>maxModel) return size;
  }
  return size;
}

// The model's own members in their order, with holes for the values of meta and blocks.
function buildShell(p: usize): bool {
  bytesClear(SHELL);
  if (modelIsIrregular) {
    p = withoutRepeats(p);
    if (!p) return false;
    let q = firstMember(p);
    while (q) {
      q = readMember(q);
      if (!addToShell(keyStart, keyLength, valueStart, valueEnd)) return false;
    }
  } else {
    for (let i: u32 = 0; i < modelMembers; i++) {
      const member = modelMemberAt(i);
      if (!addToShell(load<u32>(member), load<u32>(member, 4), load<u32>(member, 8), load<u32>(member, 12))) return false;
    }
  }
  const length = load<u32>(SHELL, RUN_LEN) + 1;
  store<u8>(<usize>load<u32>(SHELL, RUN_PTR) + length - 1, 0x7d);
  const shell = alloc(length + 16);
  if (!shell) return false;
  copyForward(shell, load<u32>(SHELL, RUN_PTR), length);
  store<u32>(BUILT, <u32>shell, S_SHELL);
  store<u32>(BUILT, length, S_SHELL_LENGTH);
  return true;
}

function addToShell(key: usize, keySize: u32, start: usize, end: usize): bool {
  const hole = keySize == 4 && load<u32>(key) == 0x6174656d ? S_META_HOLE
    : keySize == 6 && load<u32>(key) == 0x636f6c62 && load<u16>(key, 4) == 0x736b ? S_BLOCKS_HOLE : 0;
  const size = hole ? 0 : <u32>(end - start);
  if (!scratchReserve(SHELL, keySize + 8 + size)) return false;
  const out = <usize>load<u32>(SHELL, RUN_PTR);
  let n = load<u32>(SHELL, RUN_LEN);
  store<u8>(out + n, n ? 0x2c : 0x7b);
  store<u8>(out + n, 0x22, 1);
  copyForward(out + n + 2, key, keySize);
  n += 2 + keySize;
  store<u16>(out + n, 0x3a22);
  n += 2;
  if (hole) store<u32>(BUILT + hole, n);
  else copyForward(out + n, start, size);
  store<u32>(SHELL, n + size, RUN_LEN);
  return true;
}

/** Gives everything back that hangs on the state. */
export function freeState(s: usize): void {
  freeModel(s);
  freeLog(s + S_LOG);
}
