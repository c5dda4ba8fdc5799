import { concat, utf8 } from "./bytes.js";

/** A field of a protobuf message: its number, its wire type, and what stands behind the tag (of type 2: behind the length). */
export interface Field {
  number: number;
  type: number;
  payload: Uint8Array;
}

/** A varint of an integer (negative ones in two's complement of 64 bits), in at least so many bytes; more than ten are malformed. */
export function varint(value: number | bigint, least = 1): Uint8Array {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  } while (rest > 0n || out.length < least);
  out[out.length - 1] = (out.at(-1) as number) & 127;
  return Uint8Array.from(out);
}

export function bytesField(number: number, payload: Uint8Array): Field {
  return { number, type: 2, payload };
}

export function stringField(number: number, text: string): Field {
  return bytesField(number, utf8(text));
}

export function numberField(number: number, value: number): Field {
  return { number, type: 0, payload: varint(value) };
}

/** A group of fields, with the tag that ends it. */
export function groupField(number: number, inner: readonly Field[]): Field {
  return { number, type: 3, payload: concat([...inner.map((field) => putField(field)), varint((number << 3) | 4)]) };
}

/** The bytes of a field; its tag and length in at least so many bytes each. */
export function putField({ number, type, payload }: Field, least = 1): Uint8Array {
  const tag = varint((number << 3) | type, least);
  return concat(type === 2 ? [tag, varint(payload.length, least), payload] : [tag, payload]);
}
