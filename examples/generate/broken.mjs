const model = (blocks, version = "1.1") => ({ version, biz: "chat", meta: {}, blocks });
const text = (id, content) => ({ id, type: "text", content });

/**
 * A short stream with many different violations: `[what a verifier reports, path or undefined, message]`. Messages are
 * values, or texts where the text itself is at fault; `code` is undefined for messages that are fine.
 */
export function brokenMessages() {
  const open = [text("answer", "Hello"), { id: "later", ref: "blob:1" }, { id: "count", type: "number", value: 5 }];
  const start = (id, blocks, version) => ({ op: "start", seq: 1, stream_id: id, model: model(blocks, version) });
  const patch = (seq, mask, block) => ({ op: "set", seq, stream_id: "a", mask, block });
  return [
    [undefined, undefined, start("a", open)],
    [
      undefined,
      undefined,
      { op: "append", seq: 2, stream_id: "a", mask: "block.content", block: { id: "answer", content: ", world" } },
    ],
    ["bad_json", undefined, '{"op":"append","seq":3,"stream_id":"a",}'],
    ["invalid_utf8", undefined, Buffer.from('{"op":"ping","seq":2,"stream_id":"a\xff"}', "latin1")],
    ["too_deep", undefined, `{"op":"ping","seq":2,"ts":${"[".repeat(600)}${"]".repeat(600)}}`],
    ["not_an_event", undefined, "[1,2,3]"],
    ["not_an_event", "/stream_id", { op: "ping", seq: 2, stream_id: 7 }],
    ["unknown_op", "/op", { op: "replace", seq: 3, stream_id: "a", block: text("answer", "") }],
    ["unknown_field", "/cursor", { op: "ping", seq: 2, stream_id: "a", cursor: "c-9" }],
    ["missing_field", "/seq", { op: "set", stream_id: "a", block: text("b", "") }],
    [
      "missing_field",
      "/block/content",
      { op: "append", seq: 3, stream_id: "a", mask: "block.content", block: { id: "answer" } },
    ],
    ["bad_field", "/seq", { op: "ping", seq: -1, stream_id: "a" }],
    ["bad_field", "/block", { op: "end", seq: 3, stream_id: "a", block: text("b", "") }],
    ["bad_field", "/meta/task_id", { op: "set", seq: 3, stream_id: "a", mask: "meta.task_id", meta: { task_id: 5 } }],
    ["bad_mask", "/mask", patch(3, "block..content", { id: "answer", content: "" })],
    ["bad_mask", "/mask", patch(3, "block.id", { id: "other" })],
    ["bad_model", "/model/version", start("b", [], "2.0")],
    ["bad_block", "/model/blocks/0/type", start("b", [{ id: "x" }])],
    ["duplicate_id", "/model/blocks/1/id", start("b", [text("x", "1"), text("x", "2")])],
    [
      "bad_block",
      "/block/content",
      { op: "set", seq: 3, stream_id: "a", block: { id: "later", ref: "blob:2", content: "both" } },
    ],
    ["missing_block", "/block/id", patch(3, "block.content", { id: "nobody", content: "" })],
    [
      "unresolved_reference",
      "/block",
      {
        op: "append",
        seq: 3,
        stream_id: "a",
        mask: "block.content",
        block: { id: "later", type: "text", content: "x" },
      },
    ],
    [
      "type_mismatch",
      "/block/value",
      { op: "append", seq: 3, stream_id: "a", mask: "block.value", block: { id: "count", value: "1" } },
    ],
    [
      "limit",
      undefined,
      `{"op":"set","seq":3,"stream_id":"a","block":{"id":"pi","type":"number","value":3.${"14159265".repeat(150)}}}`,
    ],
    [
      "no_model",
      undefined,
      { op: "append", seq: 1, stream_id: "b", mask: "block.content", block: text("x", "too early") },
    ],
    [
      "duplicate_seq",
      "/seq",
      { op: "append", seq: 2, stream_id: "a", mask: "block.content", block: { id: "answer", content: ", world" } },
    ],
    [
      undefined,
      undefined,
      { op: "append", seq: 3, stream_id: "a", mask: "block.content", block: { id: "answer", content: "!" } },
    ],
    [undefined, undefined, { op: "end", seq: 4, stream_id: "a" }],
    ["after_end", undefined, { op: "ping", seq: 4, stream_id: "a" }],
  ];
}
