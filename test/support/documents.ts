import { expect } from "vitest";
import type { DocumentLimits, EngineKind, JsonDocument } from "../../src/engine/contract.js";
import { type ErrorCode, errorScope, StreamfoldError } from "../../src/errors.js";
import { text, utf8 } from "./bytes.js";
import { engine } from "./engines.js";
import { canonical } from "./exact-json.js";

/** What a refused call must say; a position that is not stated must not be there. */
export interface ExpectedFault {
  code: ErrorCode;
  /** Stands in the message. */
  reason?: string;
  path?: string;
  opIndex?: number;
  byteOffset?: number;
}

/** A document of JSON text on the shared engine of a kind. */
export function openText(kind: EngineKind, json: string, limits?: Partial<DocumentLimits>): JsonDocument {
  return engine(kind).createDocument(utf8(json), limits === undefined ? undefined : { limits });
}

/** The document's bytes as text. */
export function textOf(document: JsonDocument): string {
  return text(document.bytes());
}

/** Runs a call that must be refused with exactly this. */
export function refused(call: () => unknown, wanted: ExpectedFault, label = ""): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown, `${label}: nothing was thrown`).toBeInstanceOf(StreamfoldError);
  const error = thrown as StreamfoldError;
  const { code, path, opIndex, byteOffset } = error;
  const { reason, ...positions } = wanted;
  expect({ code, path, opIndex, byteOffset }, `${label}: ${error.message}`).toEqual({
    path: undefined,
    opIndex: undefined,
    byteOffset: undefined,
    ...positions,
  });
  expect(error.scope, label).toBe(errorScope(code));
  if (reason !== undefined) expect(error.message, label).toContain(`: ${reason}`);
}

/** Patches a document, given as bytes, that must come to `wanted`; checks everything that a patch changes. */
export function patched(document: JsonDocument, patch: unknown, wanted: string, label: string): void {
  const { version } = document;
  document.patch(patch);
  expect(canonical(textOf(document)), label).toBe(canonical(wanted));
  expect(document.size, `${label}: size`).toBe(document.bytes().length);
  expect(document.version, `${label}: version`).toBe(version + 1);
}

/** Patches a document with what must be refused; nothing may have changed, not even the order of members. */
export function unpatched(document: JsonDocument, patch: unknown, wanted: ExpectedFault, label: string): void {
  const before = textOf(document);
  const { version, size } = document;
  refused(() => document.patch(patch), wanted, label);
  expect(textOf(document), `${label}: bytes`).toBe(before);
  expect({ version: document.version, size: document.size }, label).toEqual({ version, size });
}

/** Whether `JSON.parse` loses nothing of a text: no digits and no repeated names. */
export function survivesParse(json: string): boolean {
  return canonical(JSON.stringify(JSON.parse(json))) === canonical(json);
}
