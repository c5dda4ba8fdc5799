// A copy of the track of a run. An entry and its copy have the same place in the index, which is how the copies find each other.
import { alloc } from "../../memory/heap";
import { entrySize } from "./entries";
import { laneSize, ownerPlace } from "./lanes";
import {
  E_HASH, ENTRY_NAME, ENTRY_STEP, I_GENERATION, I_LANE, I_LINKS, I_NEXT, I_NEXT_CALL, I_OWNER, I_SECOND_LINKS, I_TARGET, kindOf, L_ITEM, L_KIND, L_LINKS,
  L_OWNER, N_LANE, N_LINKS, N_NEXT, PARENT, STEP_LINKS, STEP_NAME, STEP_OWNER, T_ACTIVE, T_CALLS, T_CAPACITY, T_ENTRIES, T_INDEX, T_ITEMS, T_LANE_KINDS,
  T_LANES, T_MINTED, T_MINTED_MESSAGE, T_MINTED_SPAN, T_OPENINGS, T_PENDING, T_PHASE, T_REASONING, T_SPANS, T_STEPS, T_SUBAGENTS, T_TEXTS, T_TOOLS, T_TRACKED,
} from "./track-layout";

let source: usize = 0;
let target: usize = 0;
let mask: u32 = 0;

/** Makes the empty track `t` a copy of `other`, without what its items remember of the model. False = out of memory: what was made so far hangs on `t`. */
export function forkTrack(t: usize, other: usize): bool {
  const capacity = load<u32>(other, T_CAPACITY);
  if (capacity && !copyEntries(t, other, capacity)) return false;
  copyWord(t, other, T_PHASE);
  copyWord(t, other, T_ENTRIES);
  copyWord(t, other, T_TRACKED);
  copyWord(t, other, T_OPENINGS);
  copyWord(t, other, T_MINTED);
  copyWord(t, other, T_MINTED_SPAN);
  copyWord(t, other, T_MINTED_MESSAGE);
  if (!capacity) return true;
  relate();
  copyChain(t, other, T_ITEMS, I_NEXT);
  copyChain(t, other, T_CALLS, I_NEXT_CALL);
  copyChain(t, other, T_SUBAGENTS, N_NEXT);
  copyList(t, other, T_TEXTS, I_LINKS);
  copyList(t, other, T_TOOLS, I_LINKS);
  copyList(t, other, T_REASONING, I_LINKS);
  copyList(t, other, T_SPANS, I_SECOND_LINKS);
  copyList(t, other, T_STEPS, STEP_LINKS);
  copyList(t, other, T_ACTIVE, N_LINKS);
  copyList(t, other, T_PENDING, I_SECOND_LINKS);
  return copyLanes(t, other);
}

@inline function copyWord(t: usize, other: usize, at: usize): void { store<u32>(t + at, load<u32>(other + at)); }

function copyEntries(t: usize, other: usize, capacity: u32): bool {
  source = <usize>load<u32>(other, T_INDEX);
  target = alloc(capacity << 2);
  if (!target) return false;
  mask = capacity - 1;
  memory.fill(target, 0, capacity << 2);
  store<u32>(t, <u32>target, T_INDEX);
  store<u32>(t, capacity, T_CAPACITY);
  for (let i: usize = 0, end = <usize>capacity << 2; i < end; i += 4) {
    const entry = <usize>load<u32>(source + i);
    if (!entry) continue;
    const size = entrySize(entry), copy = alloc(size);
    if (!copy) return false;
    memory.copy(copy, entry, size);
    store<u32>(target + i, <u32>copy);
  }
  return true;
}

// The copy of an entry; of the parent agent, and of nothing, that itself.
function counterpart(entry: usize): usize {
  if (entry <= <usize>PARENT) return entry;
  let i = load<u32>(entry, E_HASH) & mask;
  while (load<u32>(source + (<usize>i << 2)) != <u32>entry) i = (i + 1) & mask;
  return <usize>load<u32>(target + (<usize>i << 2));
}

@inline function redirect(place: usize): void { store<u32>(place, <u32>counterpart(load<u32>(place))); }

// Lets the copies name each other where the entries do, but for lists and lanes.
function relate(): void {
  for (let slot = target, end = target + ((<usize>mask + 1) << 2); slot < end; slot += 4) {
    const copy = <usize>load<u32>(slot);
    if (!copy) continue;
    const kind = kindOf(copy);
    if (kind == ENTRY_NAME) store<u32>(copy, 0, N_LANE);
    else if (kind == ENTRY_STEP) {
      redirect(copy + STEP_OWNER);
      redirect(copy + STEP_NAME);
    } else {
      redirect(copy + I_OWNER);
      store<u32>(copy, 0, I_TARGET);
      store<u32>(copy, 0, I_GENERATION);
      store<u32>(copy, 0, I_LANE);
    }
  }
}

// A list whose members hold {previous, next} at `at`.
function copyList(t: usize, other: usize, list: usize, at: usize): void {
  let last: usize = 0;
  for (let entry = <usize>load<u32>(other + list); entry; entry = load<u32>(entry + at, 4)) {
    const copy = counterpart(entry);
    store<u32>(copy + at, <u32>last);
    store<u32>(last ? last + at + 4 : t + list, <u32>copy);
    last = copy;
  }
  if (last) store<u32>(last + at, 0, 4);
  store<u32>(t + list, <u32>last, 4);
}

// A list whose members hold {next} at `at`.
function copyChain(t: usize, other: usize, list: usize, at: usize): void {
  let last: usize = 0;
  for (let entry = <usize>load<u32>(other + list); entry; entry = load<u32>(entry + at)) {
    const copy = counterpart(entry);
    store<u32>(last ? last + at : t + list, <u32>copy);
    last = copy;
  }
  if (last) store<u32>(last + at, 0);
  store<u32>(t + list, <u32>last, 4);
}

function copyLanes(t: usize, other: usize): bool {
  let last: usize = 0;
  for (let lane = <usize>load<u32>(other, T_LANES); lane; lane = load<u32>(lane + L_LINKS, 4)) {
    const size = laneSize(lane), copy = alloc(size);
    if (!copy) return false;
    memory.copy(copy, lane, size);
    redirect(copy + L_OWNER);
    redirect(copy + L_ITEM);
    store<u32>(copy + L_LINKS, <u32>last);
    store<u32>(copy + L_LINKS, 0, 4);
    store<u32>(last ? last + L_LINKS + 4 : t + T_LANES, <u32>copy);
    store<u32>(t + T_LANES, <u32>copy, 4);
    last = copy;
    const owner = load<u32>(copy, L_OWNER);
    store<u32>(ownerPlace(t, owner), <u32>copy);
    store<u32>(<usize>load<u32>(copy, L_ITEM), <u32>copy, I_LANE);
    if (owner == PARENT) continue;
    const kind = t + T_LANE_KINDS + (<usize>load<u32>(copy, L_KIND) << 3);
    store<u32>(kind, load<u32>(kind) + 1);
    store<u32>(kind, load<u32>(kind, 4) + <u32>copy, 4);
  }
  return true;
}
