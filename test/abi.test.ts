import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ABI_VERSION } from "../assembly/abi/codes.js";

const EXPORTS: Record<string, number> = {
  abi_version: 0,
  argument_fact: 1,
  assembler_add: 2,
  assembler_choose: 2,
  assembler_close: 1,
  assembler_continue: 1,
  assembler_counter: 2,
  assembler_drop: 1,
  assembler_feed: 2,
  assembler_finish: 1,
  assembler_list: 1,
  assembler_materialize: 3,
  assembler_numbers: 1,
  assembler_open: 0,
  assembler_text: 1,
  assembler_text_length: 1,
  document_close: 1,
  document_find: 2,
  document_open: 1,
  document_patch: 2,
  document_size: 1,
  document_value: 0,
  engine_counter: 1,
  engine_held: 0,
  engine_init: 3,
  engine_live: 0,
  fault_pointer: 0,
  frame_id: 2,
  frame_join: 1,
  frame_open: 2,
  frame_plan: 0,
  frame_resolve: 1,
  frame_resolved_length: 0,
  frame_size: 0,
  frame_text: 0,
  frame_text_length: 0,
  frame_write: 0,
  id_reserve: 1,
  input_pointer: 0,
  report_length: 0,
  report_pointer: 0,
  result_pointer: 0,
  result_release: 0,
  session_adapt: 4,
  session_apply: 3,
  session_apply_held: 2,
  session_argument_text: 3,
  session_baseline: 2,
  session_checkpoint: 1,
  session_close: 1,
  session_continue: 1,
  session_drop_held: 1,
  session_fail_held: 1,
  session_failure: 1,
  session_feed: 3,
  session_feed_more: 3,
  session_finish: 1,
  session_fork: 4,
  session_is_complete: 1,
  session_last_event_id: 1,
  session_open: 0,
  session_reconnect: 1,
  session_reset: 1,
  session_restore: 2,
  session_retry: 1,
  session_state: 1,
  session_stats: 1,
  session_stream_ids: 1,
  staging_release: 0,
  staging_reserve: 1,
  stream_changes: 3,
  stream_load: 5,
  stream_materialize: 4,
  stream_pause: 2,
  stream_release: 2,
  stream_resume: 3,
  stream_seq: 2,
  stream_snapshot: 3,
  wire_length: 0,
  wire_pointer: 0,
  stream_stats: 2,
  stream_status: 2,
  stream_unresolved: 3,
  stream_version: 2,
};

/** What the slim builds have not: AG-UI, documents, storage frames, what a transcoder writes. */
const LEFT_OUT =
  /^(argument_fact|assembler_.*|document_.*|frame_.*|session_(adapt|apply_held|argument_text|baseline|drop_held|fail_held)|wire_.*)$/;
const SLIM_EXPORTS = Object.fromEntries(Object.entries(EXPORTS).filter(([name]) => !LEFT_OUT.test(name)));

describe.each([
  ["streamfold.wasm", EXPORTS],
  ["streamfold.simd.wasm", EXPORTS],
  ["streamfold.slim.wasm", SLIM_EXPORTS],
  ["streamfold.slim.simd.wasm", SLIM_EXPORTS],
])("ABI of %s", (file, named) => {
  const module = new WebAssembly.Module(readFileSync(new URL(`../dist/${file}`, import.meta.url)));

  it("imports nothing", () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
  });

  it("exports memory and exactly the named functions", () => {
    const exported = WebAssembly.Module.exports(module);
    const functions = exported.filter(({ kind }) => kind === "function").map(({ name }) => name);
    expect(functions.sort()).toEqual(Object.keys(named).sort());
    expect(exported.filter(({ kind }) => kind !== "function")).toEqual([{ name: "memory", kind: "memory" }]);
  });

  it("keeps the number of parameters of each", () => {
    const { exports } = new WebAssembly.Instance(module);
    const arity = Object.fromEntries(
      Object.keys(named).map((name) => [name, (exports[name] as (...args: number[]) => number).length]),
    );
    expect(arity).toEqual(named);
  });

  it("says its version", () => {
    const { exports } = new WebAssembly.Instance(module);
    expect((exports.abi_version as () => number)()).toBe(ABI_VERSION);
  });
});

it("pins 45 functions for the slim builds", () => {
  expect(Object.keys(SLIM_EXPORTS)).toHaveLength(45);
});

it.each(["streamfold", "streamfold.slim"])("tells the builds of %s apart: only one of them needs SIMD", (name) => {
  const bytes = (file: string) => readFileSync(new URL(`../dist/${file}`, import.meta.url));
  expect(bytes(`${name}.wasm`).equals(bytes(`${name}.simd.wasm`))).toBe(false);
});
