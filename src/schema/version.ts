/** The protocol version of this package. */
export const OWN_VERSION: readonly number[] = [1, 1];

/** The numbers of a version (`"0.0.57"`: 0, 0, 57); undefined stays undefined, and null is something else than two or three numbers. */
export function parseVersion(version: unknown): readonly number[] | null | undefined {
  if (version === undefined) return undefined;
  return typeof version === "string" && /^\d+\.\d+(\.\d+)?$/.test(version) ? version.split(".").map(Number) : null;
}

/** Whether a version is not newer than another, number by number (AG-UI J8); an unknown one (undefined) is current. */
export function isAtMost(version: readonly number[] | undefined, other: readonly number[]): boolean {
  if (version === undefined) return false;
  for (let i = 0; i < Math.max(version.length, other.length); i++) {
    const difference = (version[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
