// Lanes: pending chunk streams, one at most per owner (docs/semantics-agui.md §5). `t` is the address of the track; changes go through the journal.
import { alloc, free } from "../../memory/heap";
import { copyExact } from "../../memory/copy";
import { change, GONE, MADE, noteBlock } from "./journal";
import { findName, link, release, unlink } from "./entries";
import {
  I_LANE, L_FIRST, L_ITEM, L_KIND, L_LINKS, L_OWNER, L_SECOND, L_TEXTS, N_LANE, PARENT, T_LANE_KINDS, T_LANES, T_PARENT_LANE,
} from "./track-layout";

/** Where an owner remembers its lane. */
@inline export function ownerPlace(t: usize, owner: u32): usize { return owner == PARENT ? t + T_PARENT_LANE : <usize>owner + N_LANE; }

/** The lane of the owner that a tag (canonical contents; 0: none) names, 0 when nothing is pending there. */
export function laneOfTag(t: usize, tag: usize, n: u32): usize {
  if (!load<u32>(t, T_LANES)) return 0;
  if (!tag) return load<u32>(t, T_PARENT_LANE);
  const name = findName(t, tag, n);
  return name ? <usize>load<u32>(name, N_LANE) : 0;
}

/** Lanes of that kind that are not the parent agent's. */
export function lanesOfKind(t: usize, kind: u32): u32 { return load<u32>(t + T_LANE_KINDS + (<usize>kind << 3)); }

/** The only lane of that kind, when `lanesOfKind` is 1: the sum of all their addresses is its own. */
export function onlyLane(t: usize, kind: u32): usize { return load<u32>(t + T_LANE_KINDS + (<usize>kind << 3), 4); }

function countLane(t: usize, lane: usize, count: u32, address: u32): void {
  if (load<u32>(lane, L_OWNER) == PARENT) return;
  const place = t + T_LANE_KINDS + (<usize>load<u32>(lane, L_KIND) << 3);
  change(place, load<u32>(place) + count);
  change(place + 4, load<u32>(place, 4) + address);
}

/**
 * Opens a lane for an owner that has none; it takes over one use of the owner. `first`, `second`: JSON strings, 0 = absent.
 * `false` = out of memory.
 */
export function openLane(t: usize, kind: u32, owner: u32, item: usize, first: usize, firstLength: u32, second: usize, secondLength: u32): bool {
  const size = <u32>L_TEXTS + firstLength + secondLength;
  const lane = alloc(size);
  if (!lane) return false;
  noteBlock(lane, MADE, size);
  store<u32>(lane, kind, L_KIND);
  store<u32>(lane, owner, L_OWNER);
  store<u32>(lane, <u32>item, L_ITEM);
  store<u32>(lane, firstLength, L_FIRST);
  store<u32>(lane, secondLength, L_SECOND);
  copyExact(lane + L_TEXTS, first, firstLength);
  copyExact(lane + L_TEXTS + firstLength, second, secondLength);
  link(t + T_LANES, lane, L_LINKS);
  change(ownerPlace(t, owner), <u32>lane);
  change(item + I_LANE, <u32>lane);
  countLane(t, lane, 1, <u32>lane);
  return true;
}

/** Closes a lane; its texts stay readable until the event is accepted. */
export function closeLane(t: usize, lane: usize): void {
  const owner = load<u32>(lane, L_OWNER);
  unlink(t + T_LANES, lane, L_LINKS);
  change(ownerPlace(t, owner), 0);
  change(<usize>load<u32>(lane, L_ITEM) + I_LANE, 0);
  countLane(t, lane, <u32>-1, 0 - <u32>lane);
  release(owner);
  noteBlock(lane, GONE, laneSize(lane));
}

/** Bytes of a lane. */
export function laneSize(lane: usize): u32 { return <u32>L_TEXTS + load<u32>(lane, L_FIRST) + load<u32>(lane, L_SECOND); }

/** Gives the memory of all lanes back, past the journal. */
export function freeLanes(t: usize): void {
  let lane = <usize>load<u32>(t, T_LANES);
  while (lane) {
    const next = <usize>load<u32>(lane, L_LINKS + 4);
    free(lane, laneSize(lane));
    lane = next;
  }
}
