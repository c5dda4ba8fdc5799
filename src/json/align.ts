/** Positions of equal elements, rising on both sides. */
export type Pair = readonly [left: number, right: number];

/** Most insertions and deletions that are searched for a shortest script; memory is 4 bytes times its square, time at most it times the lengths. */
const MOST_EDITS = 512;

/**
 * A long common subsequence of two lists: the longest where few edits lie between them (Myers 1986), else one through the elements that
 * each list holds once. Time and memory stay linear in the lengths.
 *
 * @returns pairs in rising order; what lies between them was removed on the left and inserted on the right
 */
export function align(left: readonly number[], right: readonly number[]): Pair[] {
  const pairs: Pair[] = [];
  alignRange(left, right, [0, 0], [left.length, right.length], true, pairs);
  return pairs;
}

function alignRange(
  left: readonly number[],
  right: readonly number[],
  from: Pair,
  to: Pair,
  anchors: boolean,
  pairs: Pair[],
): void {
  let [l, r] = from;
  let [lEnd, rEnd] = to;
  while (l < lEnd && r < rEnd && left[l] === right[r]) pairs.push([l++, r++]);
  while (l < lEnd && r < rEnd && left[lEnd - 1] === right[rEnd - 1]) {
    lEnd--;
    rEnd--;
  }
  if (l < lEnd && r < rEnd) {
    const a = left.slice(l, lEnd);
    const b = right.slice(r, rEnd);
    const found = shortestScript(a, b);
    if (found !== undefined) {
      for (const [i, j] of found) pairs.push([l + i, r + j]);
    } else if (anchors) {
      let start: Pair = [l, r];
      for (const [i, j] of uniquePairs(a, b)) {
        const at: Pair = [l + i, r + j];
        alignRange(left, right, start, at, false, pairs);
        pairs.push(at);
        start = [at[0] + 1, at[1] + 1];
      }
      alignRange(left, right, start, [lEnd, rEnd], false, pairs);
    }
  }
  for (; lEnd < to[0]; lEnd++, rEnd++) pairs.push([lEnd, rEnd]);
}

/** Myers' greedy algorithm; undefined when more than `MOST_EDITS` edits are needed. */
function shortestScript(a: readonly number[], b: readonly number[]): Pair[] | undefined {
  const most = Math.min(MOST_EDITS, a.length + b.length);
  // furthest[k + most] is how far in `a` the diagonal k has come.
  const furthest = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice(most - d, most + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[most + k - 1]! < furthest[most + k + 1]!);
      let x = down ? furthest[most + k + 1]! : furthest[most + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[most + k] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(trace, d, a.length, b.length);
    }
  }
  return undefined;
}

/** `trace[d]` holds the diagonals -d … d+1 as they were before step d. */
function backtrack(trace: readonly Int32Array[], edits: number, x: number, y: number): Pair[] {
  const pairs: Pair[] = [];
  for (let d = edits; d > 0; d--) {
    const before = trace[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && before[k - 1 + d]! < before[k + 1 + d]!);
    const startX = before[(down ? k + 1 : k - 1) + d]!;
    const startY = startX - (down ? k + 1 : k - 1);
    const edgeX = down ? startX : startX + 1;
    while (x > edgeX) pairs.push([--x, --y]);
    x = startX;
    y = startY;
  }
  while (x > 0 && y > 0) pairs.push([--x, --y]);
  return pairs.reverse();
}

/** Elements that stand once on either side, the longest run of them that rises on both (patience diff). */
function uniquePairs(a: readonly number[], b: readonly number[]): Pair[] {
  const left = places(a);
  const right = places(b);
  const tails: number[] = [];
  const chosen: { pair: Pair; previous: number }[] = [];
  const tailOf: number[] = [];
  for (const [element, i] of left) {
    const j = right.get(element);
    if (i < 0 || j === undefined || j < 0) continue;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle]! < j) low = middle + 1;
      else high = middle;
    }
    tails[low] = j;
    tailOf[low] = chosen.length;
    chosen.push({ pair: [i, j], previous: low > 0 ? tailOf[low - 1]! : -1 });
  }
  const pairs: Pair[] = [];
  for (let at = tailOf.at(-1) ?? -1; at >= 0; at = chosen[at]!.previous) pairs.push(chosen[at]!.pair);
  return pairs.reverse();
}

/** Where each element stands, in rising order; -1 for one that stands there more than once. */
function places(list: readonly number[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const [i, element] of list.entries()) found.set(element, found.has(element) ? -1 : i);
  return found;
}
