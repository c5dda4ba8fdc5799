/** Seconds this file may run: its own short default inside `npm test`, STREAMFOLD_FUZZ_SECONDS otherwise. */
export function seconds(short: number): number {
  const asked = process.env.STREAMFOLD_FUZZ_SECONDS;
  return asked === undefined || asked === "" ? short : Number(asked);
}

/** The first seed: fixed inside `npm test`, another one each time for longer runs, or STREAMFOLD_FUZZ_SEED. */
export function firstSeed(): number {
  const asked = process.env.STREAMFOLD_FUZZ_SEED;
  if (asked !== undefined && asked !== "") return Number(asked);
  return process.env.STREAMFOLD_FUZZ_SECONDS ? Date.now() % 1_000_000_000 : 1;
}

/** Calls `round` with one seed after the other until the time is up; at least `least` times. */
export function rounds(short: number, least: number, round: (seed: number) => void): number {
  const end = Date.now() + seconds(short) * 1000;
  const first = firstSeed();
  let count = 0;
  while (count < least || Date.now() < end) round(first + count++);
  return count;
}
