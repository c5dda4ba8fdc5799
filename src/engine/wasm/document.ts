import { E_OUT_OF_MEMORY } from "../../../assembly/abi/codes.js";
import * as layout from "../../../assembly/abi/layout.js";
import type { Bytes } from "../../bytes.js";
import { type Fault, usageError } from "../../errors.js";
import { parseWithBigInt } from "../../json/exact.js";
import type { DocumentLimits, EngineDocument } from "../contract.js";
import type { Core } from "./instance.js";
import { readFault } from "./reports.js";
import { call, KEPT_BYTES, stage } from "./staging.js";
import { decode, encodeContents } from "./text.js";

/** One document that lives in linear memory. */
export class WasmDocument implements EngineDocument {
  readonly #core: Core;
  readonly handle: number;
  readonly #onClose: (document: WasmDocument) => void;
  #version = 0;

  private constructor(core: Core, handle: number, onClose: (document: WasmDocument) => void) {
    this.#core = core;
    this.handle = handle;
    this.#onClose = onClose;
  }

  /** See `EngineCore.createDocument`; `onClose` is called by `close`. */
  static open(
    core: Core,
    text: Uint8Array,
    limits: DocumentLimits,
    onClose: (document: WasmDocument) => void,
  ): WasmDocument | Fault {
    core.enter();
    stage(core, text);
    const view = new DataView(core.bytes().buffer, core.input, layout.DOC_SIZE);
    view.setUint32(layout.DOC_DEPTH, limits.depth, true);
    view.setUint32(layout.DOC_NUMBER_LENGTH, limits.numberLength, true);
    view.setUint32(layout.DOC_BYTES, limits.bytes, true);
    view.setUint32(layout.DOC_OPERATIONS, limits.operations, true);
    const handle = call(core, () => core.exports.document_open(text.length));
    const fault = handle === 0 ? faultOf(core, undefined) : undefined;
    if (text.length > KEPT_BYTES) core.exports.staging_release();
    return fault ?? new WasmDocument(core, handle, onClose);
  }

  patch(operations: Uint8Array): Fault | undefined {
    const core = this.#core;
    core.enter();
    const n = operations.length;
    if (n <= layout.INPUT_CAPACITY) core.putInput(operations);
    else stage(core, operations);
    let code: number;
    try {
      code = core.exports.document_patch(this.handle, n);
    } catch (error) {
      return core.fail(error);
    }
    // the path of a fault may lie in the staging area
    const fault = code === 0 ? undefined : faultOf(core, code);
    if (n > KEPT_BYTES) core.exports.staging_release();
    if (fault === undefined) this.#version++;
    return fault;
  }

  get(pointer: string, integers: "number" | "bigint"): unknown {
    const text = this.#find(pointer, decode);
    if (text === undefined) return undefined;
    return integers === "bigint" ? parseWithBigInt(text) : JSON.parse(text);
  }

  bytes(pointer: string): Bytes | undefined {
    return this.#find(pointer, (view) => new Uint8Array(view));
  }

  size(): number {
    this.#core.enter();
    return call(this.#core, () => this.#core.exports.document_size(this.handle)) >>> 0;
  }

  version(): number {
    return this.#version;
  }

  close(): void {
    this.#onClose(this);
  }

  #find<T>(pointer: string, read: (view: Uint8Array) => T): T | undefined {
    const core = this.#core;
    core.enter();
    const text = encodeContents(pointer);
    if (text.length <= layout.INPUT_CAPACITY) core.putInput(text);
    else stage(core, text);
    const n = call(core, () => core.exports.document_find(this.handle, text.length));
    if (n === layout.DOC_NOTHING) return undefined;
    if (n === layout.DOC_NO_MEMORY) throw usageError("out_of_memory");
    const from = core.exports.document_value() >>> 0;
    const value = read(core.bytes().subarray(from, from + n));
    if (n > KEPT_BYTES) core.exports.result_release();
    return value;
  }
}

/** The fault record; `code` undefined: its own. */
function faultOf(core: Core, code: number | undefined): Fault {
  const view = new DataView(core.bytes().buffer, core.exports.fault_pointer() >>> 0, layout.FAULT_SIZE);
  const id = code ?? view.getUint32(layout.FAULT_CODE, true);
  if (id === E_OUT_OF_MEMORY) throw usageError("out_of_memory");
  const fault = readFault(core);
  const operation = view.getUint32(layout.FAULT_OP_INDEX, true);
  if (operation !== 0xffff_ffff) fault.opIndex = operation;
  return fault;
}
