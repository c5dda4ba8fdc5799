// The index of a track: items, names and steps, found by hash. `t` is the address of the track. What changes a track goes
// through the journal, for which the caller has made room (`STEP_ROOM` for any one of these functions).
import { alloc, free } from "../../memory/heap";
import { copyExact, equalBytes } from "../../memory/copy";
import { hashBytes } from "../../text/hash";
import { change, CONDEMNED, GONE, MADE, noteBlock } from "./journal";
import { forgetItems } from "./recall";
import {
  E_BITS, E_HASH, E_LENGTH, ENTRY_NAME, ENTRY_STEP, I_ID, I_NEXT, I_OWNER, isMarked, KIND, kindOf, MAY_GO, N_STEPS, N_TEXT, N_USES, PARENT,
  STEP_LINKS, STEP_NAME, STEP_OWNER, STEP_SIZE, T_CAPACITY, T_ENTRIES, T_INDEX, T_ITEMS, T_LAST, T_STEPS, T_TRACKED,
} from "./track-layout";

/** Records that a function of this room writes at most, with those it calls. */
export const STEP_ROOM: u32 = 64;

const FIRST_CAPACITY: u32 = 16;

export function mark(entry: usize, marks: u32): void { change(entry + E_BITS, load<u32>(entry, E_BITS) | marks); }
export function unmark(entry: usize, marks: u32): void { change(entry + E_BITS, load<u32>(entry, E_BITS) & ~marks); }
/** Changes the count of names that the limit `items` speaks of. */
export function countNames(t: usize, by: u32): void { change(t + T_TRACKED, load<u32>(t, T_TRACKED) + by); }

// ---------------------------------------------------------------- lists: {first, last}; members hold {previous, next} at their offset `at`

/** Puts a member behind the last one. */
export function link(list: usize, member: usize, at: usize): void {
  const last = <usize>load<u32>(list, 4);
  change(member + at, <u32>last);
  change(member + at + 4, 0);
  change(last ? last + at + 4 : list, <u32>member);
  change(list + 4, <u32>member);
}

/** Takes a member out. */
export function unlink(list: usize, member: usize, at: usize): void {
  const previous = <usize>load<u32>(member + at), next = <usize>load<u32>(member + at, 4);
  change(previous ? previous + at + 4 : list, <u32>next);
  change(next ? next + at : list + 4, <u32>previous);
}

/** Puts a member behind the last one of a list that nothing leaves: members hold {next} at `at`. */
export function push(list: usize, member: usize, at: usize): void {
  const last = <usize>load<u32>(list, 4);
  change(last ? last + at : list, <u32>member);
  change(list + 4, <u32>member);
}

// ---------------------------------------------------------------- index

@inline function hashOf(kind: u32, p: usize, n: u32): u32 { return hashBytes(p, n) + kind * 0x9e3779b1; }
@inline function textOf(kind: u32): usize { return kind == ENTRY_NAME ? N_TEXT : I_ID; }

function lookUp(t: usize, kind: u32, p: usize, n: u32, hash: u32): usize {
  const index = <usize>load<u32>(t, T_INDEX);
  if (!index) return 0;
  const mask = load<u32>(t, T_CAPACITY) - 1, text = textOf(kind);
  for (let i = hash & mask; ; i = (i + 1) & mask) {
    const entry = <usize>load<u32>(index + (i << 2));
    if (!entry) return 0;
    if (load<u32>(entry, E_HASH) == hash && (load<u32>(entry, E_BITS) & KIND) == kind && load<u32>(entry, E_LENGTH) == n
      && equalBytes(entry + text, p, n)) return entry;
  }
  return 0;
}

function freeSlot(index: usize, mask: u32, hash: u32): usize {
  let i = hash & mask;
  while (load<u32>(index + (i << 2))) i = (i + 1) & mask;
  return index + (i << 2);
}

// Room for one more entry; the index is at most three quarters full.
function indexRoom(t: usize): bool {
  const capacity = load<u32>(t, T_CAPACITY), old = <usize>load<u32>(t, T_INDEX);
  if ((load<u32>(t, T_ENTRIES) + 1) * 4 <= capacity * 3) return true;
  const grown = capacity ? capacity << 1 : FIRST_CAPACITY;
  const index = alloc(grown << 2);
  if (!index) return false;
  noteBlock(index, MADE, grown << 2);
  memory.fill(index, 0, grown << 2);
  for (let slot = old, end = old + (capacity << 2); slot < end; slot += 4) {
    const entry = load<u32>(slot);
    if (entry) store<u32>(freeSlot(index, grown - 1, load<u32>(<usize>entry, E_HASH)), entry);
  }
  if (old) noteBlock(old, GONE, capacity << 2);
  change(t + T_INDEX, <u32>index);
  change(t + T_CAPACITY, grown);
  return true;
}

// A zeroed entry of `size` bytes, in the index; 0 = out of memory.
function newEntry(t: usize, bits: u32, size: u32, hash: u32): usize {
  if (!indexRoom(t)) return 0;
  const entry = alloc(size);
  if (!entry) return 0;
  noteBlock(entry, MADE, size);
  memory.fill(entry, 0, min<u32>(size, <u32>I_ID));
  store<u32>(entry, hash, E_HASH);
  store<u32>(entry, bits, E_BITS);
  change(freeSlot(load<u32>(t, T_INDEX), load<u32>(t, T_CAPACITY) - 1, hash), <u32>entry);
  change(t + T_ENTRIES, load<u32>(t, T_ENTRIES) + 1);
  return entry;
}

function newTextEntry(t: usize, kind: u32, p: usize, n: u32, hash: u32): usize {
  const text = textOf(kind);
  const entry = newEntry(t, kind, <u32>text + n + 1, hash);
  if (!entry) return 0;
  store<u32>(entry, n, E_LENGTH);
  store<u8>(entry + text - 1, 0x22);
  copyExact(entry + text, p, n);
  store<u8>(entry + text + n, 0x22);
  return entry;
}

/** Bytes of an entry. */
export function entrySize(entry: usize): u32 {
  const kind = load<u32>(entry, E_BITS) & KIND;
  return kind == ENTRY_STEP ? STEP_SIZE : <u32>textOf(kind) + load<u32>(entry, E_LENGTH) + 1;
}

/** Takes an entry out of the index and gives it back, past the journal; those behind it that it had displaced move up. */
export function dropEntry(t: usize, entry: usize): void {
  const index = <usize>load<u32>(t, T_INDEX), mask = load<u32>(t, T_CAPACITY) - 1;
  let hole = load<u32>(entry, E_HASH) & mask;
  while (load<u32>(index + (hole << 2)) != <u32>entry) hole = (hole + 1) & mask;
  for (let i = (hole + 1) & mask; ; i = (i + 1) & mask) {
    const other = <usize>load<u32>(index + (i << 2));
    if (!other) break;
    const home = load<u32>(other, E_HASH) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    store<u32>(index + (hole << 2), <u32>other);
    hole = i;
  }
  store<u32>(index + (hole << 2), 0);
  store<u32>(t, load<u32>(t, T_ENTRIES) - 1, T_ENTRIES);
  forgetItems();
  free(entry, entrySize(entry));
}

// ---------------------------------------------------------------- items

/** The item of that kind and id (canonical contents), 0 when the run has not named it. */
export function findItem(t: usize, kind: u32, p: usize, n: u32): usize {
  const last = <usize>load<u32>(t, T_LAST);
  if (last && load<u32>(last, E_LENGTH) == n && kindOf(last) == kind && equalBytes(last + I_ID, p, n)) return last;
  const item = lookUp(t, kind, p, n, hashOf(kind, p, n));
  if (item) store<u32>(t, <u32>item, T_LAST);
  return item;
}

/** A new item that belongs to `owner`, whose use passes to it; there is none of that kind and id. 0 = out of memory. */
export function newItem(t: usize, kind: u32, p: usize, n: u32, owner: u32): usize {
  const item = newTextEntry(t, kind, p, n, hashOf(kind, p, n));
  if (!item) return 0;
  store<u32>(item, owner, I_OWNER);
  push(t + T_ITEMS, item, I_NEXT);
  countNames(t, 1);
  return item;
}

/** Gives an item another owner, whose use passes to it. */
export function setOwner(item: usize, owner: u32): void {
  const old = load<u32>(item, I_OWNER);
  change(item + I_OWNER, owner);
  release(old);
}

// ---------------------------------------------------------------- names

/** The name with that text, 0 when nothing has it. */
export function findName(t: usize, p: usize, n: u32): usize { return lookUp(t, ENTRY_NAME, p, n, hashOf(ENTRY_NAME, p, n)); }

/** The name with that text, made where there is none, with one more use. 0 = out of memory. */
export function useName(t: usize, p: usize, n: u32): u32 {
  const hash = hashOf(ENTRY_NAME, p, n);
  let name = lookUp(t, ENTRY_NAME, p, n, hash);
  if (!name) name = newTextEntry(t, ENTRY_NAME, p, n, hash);
  if (name) useAgain(<u32>name);
  return <u32>name;
}

/** The owner a tag (0: none) names, with one more use. 0 = out of memory. */
export function useOwner(t: usize, tag: usize, n: u32): u32 { return tag ? useName(t, tag, n) : PARENT; }

/** One more use of an owner. */
export function useAgain(owner: u32): void {
  if (owner != PARENT) change(<usize>owner + N_USES, load<u32>(<usize>owner, N_USES) + 1);
}

/** One use less of an owner or a name. */
export function release(owner: u32): void {
  if (owner == PARENT) return;
  const name = <usize>owner, uses = load<u32>(name, N_USES) - 1;
  change(name + N_USES, uses);
  if (!uses) condemn(name);
}

function condemn(entry: usize): void {
  if (isMarked(entry, MAY_GO)) return;
  mark(entry, MAY_GO);
  noteBlock(entry, CONDEMNED, 0);
}

// ---------------------------------------------------------------- steps

function stepHash(name: usize, owner: u32): u32 {
  return load<u32>(name, E_HASH) + (owner == PARENT ? 1 : load<u32>(<usize>owner, E_HASH)) * 0x85ebca6b;
}

/** The open step of that name and owner, 0 when there is none. */
export function findStep(t: usize, name: usize, owner: u32): usize {
  const index = <usize>load<u32>(t, T_INDEX), mask = load<u32>(t, T_CAPACITY) - 1, hash = stepHash(name, owner);
  for (let i = hash & mask; ; i = (i + 1) & mask) {
    const entry = <usize>load<u32>(index + (i << 2));
    if (!entry) return 0;
    if (load<u32>(entry, E_HASH) == hash && (load<u32>(entry, E_BITS) & KIND) == ENTRY_STEP
      && load<u32>(entry, STEP_NAME) == <u32>name && load<u32>(entry, STEP_OWNER) == owner) return entry;
  }
  return 0;
}

/** Opens a step, which takes over one use of its name and of its owner; `false` = out of memory. */
export function openStep(t: usize, name: usize, owner: u32): bool {
  const step = newEntry(t, ENTRY_STEP, STEP_SIZE, stepHash(name, owner));
  if (!step) return false;
  store<u32>(step, owner, STEP_OWNER);
  store<u32>(step, <u32>name, STEP_NAME);
  change(name + N_STEPS, load<u32>(name, N_STEPS) + 1);
  link(t + T_STEPS, step, STEP_LINKS);
  countNames(t, 1);
  return true;
}

/** Closes an open step and forgets it. */
export function closeStep(t: usize, step: usize): void {
  const name = <usize>load<u32>(step, STEP_NAME);
  change(name + N_STEPS, load<u32>(name, N_STEPS) - 1);
  unlink(t + T_STEPS, step, STEP_LINKS);
  countNames(t, <u32>-1);
  release(load<u32>(step, STEP_OWNER));
  release(<u32>name);
  condemn(step);
}

