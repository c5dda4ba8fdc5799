// White-box entry: re-exports the lowest rooms of the core for the tests beside it.
export * from "../../assembly/memory/heap";
export * from "../../assembly/memory/bytes";
export * from "../../assembly/memory/copy";
export * from "../../assembly/text/utf8";
export * from "../../assembly/text/scan";
export * from "../../assembly/text/escape";
export * from "../../assembly/text/number";
export * from "../../assembly/text/hash";
export * from "../../assembly/text/validate";
export * from "../../assembly/text/fault";
export * from "../../assembly/text/minify";
export * from "../../assembly/text/replace-utf8";
export * from "../../assembly/document/index";
export { editDocument } from "../../assembly/document/undo-log";
export * from "../../assembly/patch/index";
