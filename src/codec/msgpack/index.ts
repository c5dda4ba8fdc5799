export { MsgpackFault, type MsgpackReason } from "./fault.js";
export { type MsgpackMessage, type MsgpackOptions, readMsgpack, readMsgpackPrefix } from "./read.js";
export { MsgpackSplitter } from "./split.js";
export { writeMsgpack } from "./write.js";
