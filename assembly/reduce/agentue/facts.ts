// What judging a block needs to know of it, gathered in one pass over its members.
import { clearForward, equalBytes } from "../../memory/copy";
import { firstMember, keyLength, keyStart, readMember, valueEnd, valueStart } from "../../codec/json/members";

// Facts, 48 B; addresses of values (0: no such member):
//   0 start | 4 end | 8 id | 12 end of id | 16 hash of the id | 20 type | 24 ref | 28 parent_id | 32 group_id
//  36 key of the first member that is neither id nor ref | 40 its length | 44 flags
export const FACT_END: usize = 4, FACT_ID: usize = 8, FACT_ID_END: usize = 12, FACT_HASH: usize = 16, FACT_TYPE: usize = 20;
export const FACT_REF: usize = 24, FACT_PARENT: usize = 28, FACT_GROUP: usize = 32, FACT_OTHER: usize = 36, FACT_OTHER_LENGTH: usize = 40;
export const FACT_FLAGS: usize = 44;
export const FACTS_SIZE: u32 = 48;
/** A name may stand twice. */
export const MAY_REPEAT: u32 = 1;
export const NO_OBJECT: u32 = 2;

/** Up to this many names are compared pair by pair. */
const FEW: u32 = 16;
const NAMES: usize = memory.data(16 * 8, 8);
let names: u32 = 0;
/** What length and first byte the names have: as a rule no two have the same. */
let sorts: u32 = 0;

/** Begins the facts of the value at `p`. */
export function beginFacts(facts: usize, p: usize): void {
  clearForward(facts, FACTS_SIZE);
  store<u32>(facts, <u32>p);
  names = 0;
  sorts = 0;
}

/** Notes the member `key` with the value [start, end). */
export function noteMember(facts: usize, key: usize, n: u32, start: usize, end: usize): void {
  noteName(facts, key, n);
  let field: usize = 0;
  switch (n) {
    case 2:
      if (load<u16>(key) == 0x6469) {
        store<u32>(facts, <u32>start, FACT_ID);
        store<u32>(facts, <u32>end, FACT_ID_END);
        return;
      }
      break;
    case 3:
      if (load<u16>(key) == 0x6572 && load<u8>(key, 2) == 0x66) {
        store<u32>(facts, <u32>start, FACT_REF);
        return;
      }
      break;
    case 4: if (load<u32>(key) == 0x65707974) field = FACT_TYPE; break;
    case 8: if (load<u64>(key) == 0x64695f70756f7267) field = FACT_GROUP; break;
    case 9: if (load<u64>(key) == 0x695f746e65726170 && load<u8>(key, 8) == 0x64) field = FACT_PARENT; break;
  }
  if (field) store<u32>(facts + field, <u32>start);
  if (!load<u32>(facts, FACT_OTHER)) {
    store<u32>(facts, <u32>key, FACT_OTHER);
    store<u32>(facts, n, FACT_OTHER_LENGTH);
  }
}

function noteName(facts: usize, key: usize, n: u32): void {
  if (load<u32>(facts, FACT_FLAGS) & MAY_REPEAT) return;
  if (names == FEW) { store<u32>(facts, MAY_REPEAT, FACT_FLAGS); return; }
  const sort: u32 = 1 << ((n + (<u32>load<u8>(key) << 2)) & 31);
  if (sorts & sort) for (let i: u32 = 0; i < names; i++) {
    const entry = NAMES + (i << 3);
    if (load<u32>(entry, 4) == n && equalBytes(load<u32>(entry), key, n)) { store<u32>(facts, MAY_REPEAT, FACT_FLAGS); return; }
  }
  store<u32>(NAMES + (names << 3), <u32>key);
  store<u32>(NAMES + (names << 3), n, 4);
  names++;
  sorts |= sort;
}

const FACTS: usize = memory.data(48, 8);

/** The facts of the canonical block object [p, end). The next call invalidates them. */
export function readFacts(p: usize, end: usize): usize {
  beginFacts(FACTS, p);
  store<u32>(FACTS, <u32>end, FACT_END);
  let q = firstMember(p);
  while (q) {
    q = readMember(q);
    noteMember(FACTS, keyStart, keyLength, valueStart, valueEnd);
  }
  return FACTS;
}
