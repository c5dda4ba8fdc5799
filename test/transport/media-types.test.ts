import { AGUI_MEDIA_TYPE } from "@ag-ui/proto";
import { describe, expect, it } from "vitest";
import { createEncoder, mediaTypeOf, type Transport, transportOfMediaType } from "../../src/index.js";
import { failing } from "../reducer/expect-error.js";

const TABLE: [Transport, string, ...string[]][] = [
  ["sse", "text/event-stream"],
  ["ndjson", "application/x-ndjson", "application/ndjson", "application/jsonl"],
  ["json", "application/json"],
  ["msgpack", "application/vnd.msgpack", "application/msgpack", "application/x-msgpack"],
  ["protobuf", "application/vnd.ag-ui.event+proto"],
];

describe("media types", () => {
  it.each(TABLE)("of %s", (transport, written, ...others) => {
    expect(mediaTypeOf(transport)).toBe(written);
    expect(createEncoder({ transport }).mediaType).toBe(written);
    for (const name of [written, ...others]) {
      for (const header of [
        name,
        name.toUpperCase(),
        ` ${name}\t`,
        `${name};charset=utf-8`,
        `${name} ; charset="UTF-8"; x=1`,
        `${name};`,
      ])
        expect(transportOfMediaType(header), header).toBe(transport);
    }
  });

  it("M3: name the protobuf wire as the reference does", () => {
    expect(mediaTypeOf("protobuf")).toBe(AGUI_MEDIA_TYPE);
  });

  it.each([
    null,
    undefined,
    "",
    ";",
    "text/plain",
    "text/event-streams",
    "event-stream",
    "application/json+x",
    "text/event-stream, application/json",
    "*/*",
    "constructor",
    "__proto__",
  ])("are none for %j", (header) => {
    expect(transportOfMediaType(header)).toBeUndefined();
  });

  it("are asked for by the name of a wire", () => {
    for (const name of ["websocket", "toString", "", undefined])
      failing(() => mediaTypeOf(name as Transport), "unsupported_transport");
  });
});
