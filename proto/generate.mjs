#!/usr/bin/env node
/**
 * Writes what follows from the table of the AG-UI event model and from its protobuf messages.
 *
 *   node proto/generate.mjs            writes the files
 *   node proto/generate.mjs --check    compares them with what would be written; exit code 1 on any difference
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { readProto } from "./read-proto.mjs";
import { readTable } from "./read-table.mjs";
import { writeCore } from "./write-core.mjs";
import { writeProtobufCore, writeProtobufSchema } from "./write-protobuf.mjs";
import { writeEventTypes, writeNumbers, writeSchema } from "./write-schema.mjs";
import { writeTypes } from "./write-types.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Every generated file: path from the root -> text. */
export function outputs() {
  const table = readTable(readFileSync(new URL("agui-schema.txt", import.meta.url), "utf8"));
  const proto = readProto(readFileSync(new URL("ag_ui.proto", import.meta.url), "utf8"));
  return {
    "src/schema/agui.generated.ts": writeSchema(table),
    "src/schema/event-types.generated.ts": writeEventTypes(table),
    "src/agui/types.generated.ts": writeTypes(table),
    "assembly/abi/agui.ts": writeNumbers(table),
    "assembly/reduce/agui/schema-table.generated.ts": writeCore(table),
    "assembly/codec/protobuf/table.generated.ts": writeProtobufCore(proto),
    "src/codec/protobuf/table.generated.ts": writeProtobufSchema(proto),
  };
}

function main(check) {
  const stale = [];
  for (const [file, text] of Object.entries(outputs())) {
    const target = path.join(ROOT, file);
    if (existsSync(target) && readFileSync(target, "utf8") === text) continue;
    stale.push(file);
    if (check) continue;
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  if (check && stale.length > 0) {
    process.stderr.write(`out of date: ${stale.join(", ")}; run node proto/generate.mjs\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--check"));
