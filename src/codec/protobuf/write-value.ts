import { ExactNumber } from "../../json/exact.js";
import type { BackwardBytes } from "./bytes.js";

/** Tags: kinds of a Value, an element or entry, key and value of an entry. */
const NULL = 0x08;
const NUMBER = 0x11;
const STRING = 0x1a;
const BOOL = 0x20;
const STRUCT = 0x2a;
const LIST = 0x32;
const ENTRY = 0x0a;
const KEY = 0x0a;
const VALUE = 0x12;

interface Container {
  readonly value: Readonly<Record<string, unknown>> | readonly unknown[];
  /** Names of an object's members. */
  readonly names: readonly string[] | undefined;
  /** Elements that are still to be written, the last ones first. */
  left: number;
  /** Bytes when it began. */
  readonly before: number;
}

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof ExactNumber);

function opened(value: object, before: number): Container {
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  return { value: value as Container["value"], names, left: names?.length ?? (value as unknown[]).length, before };
}

/**
 * Writes a JSON value as a field that holds a google.protobuf.Value or, `asStruct`, an object as a Struct. Does not recurse.
 * As in `JSON.stringify`, members that are undefined are left out and numbers that are not finite are null.
 */
export function writeValue(out: BackwardBytes, tag: number, root: unknown, asStruct = false): void {
  const open: Container[] = [];
  let value = root;
  for (;;) {
    let before = out.size;
    if (isContainer(value)) open.push(opened(value, before));
    else writeScalar(out, value);
    let isDone = !isContainer(value);
    for (;;) {
      if (isDone) {
        const outer = open.at(-1);
        if (outer === undefined) {
          out.close(tag, before);
          return;
        }
        if (outer.names === undefined) out.close(ENTRY, before);
        else {
          out.close(VALUE, before);
          const name = outer.names[outer.left]!;
          if (name !== "") out.string(KEY, name);
          out.close(ENTRY, before);
        }
      }
      const top = open.at(-1)!;
      const next = takeLast(top);
      if (next !== undefined) {
        value = next;
        break;
      }
      open.pop();
      before = top.before;
      if (open.length === 0 && asStruct) {
        out.close(tag, before);
        return;
      }
      out.close(top.names === undefined ? LIST : STRUCT, before);
      isDone = true;
    }
  }
}

/** The last element or member that was not yet written; undefined when there is none. */
function takeLast(container: Container): unknown {
  while (container.left > 0) {
    container.left--;
    const { value, names, left } = container;
    if (names === undefined) return (value as readonly unknown[])[left] ?? null;
    const member = (value as Readonly<Record<string, unknown>>)[names[left]!];
    if (member !== undefined) return member;
  }
  return undefined;
}

function writeScalar(out: BackwardBytes, value: unknown): void {
  if (typeof value === "string") {
    out.string(STRING, value);
    return;
  }
  if (typeof value === "boolean") {
    out.varint(value ? 1 : 0);
    out.varint(BOOL);
    return;
  }
  const number = value instanceof ExactNumber ? Number(value.text) : value;
  if (typeof number === "number" && (value instanceof ExactNumber || Number.isFinite(number))) {
    out.double(number);
    out.varint(NUMBER);
    return;
  }
  out.varint(0);
  out.varint(NULL);
}
