const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Bytes turned at once: a multiple of three whose digits `fromCharCode` takes as arguments. */
const STEP = 3 * 1024;

/** Base64 with padding (RFC 4648 §4) of the bytes [from, to). */
export function base64Of(bytes: Uint8Array, from: number, to: number): string {
  let out = "";
  for (let at = from; at < to; at += STEP) out += step(bytes, at, Math.min(to, at + STEP));
  return out;
}

function step(bytes: Uint8Array, from: number, to: number): string {
  const codes: number[] = [];
  for (let at = from; at < to; at += 3) {
    const left = to - at;
    const bits = (bytes[at]! << 16) | (left > 1 ? bytes[at + 1]! << 8 : 0) | (left > 2 ? bytes[at + 2]! : 0);
    codes.push(
      DIGITS.charCodeAt(bits >> 18),
      DIGITS.charCodeAt((bits >> 12) & 63),
      left > 1 ? DIGITS.charCodeAt((bits >> 6) & 63) : 0x3d,
      left > 2 ? DIGITS.charCodeAt(bits & 63) : 0x3d,
    );
  }
  return String.fromCharCode(...codes);
}
