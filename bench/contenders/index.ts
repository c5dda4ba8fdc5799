import { bufferSlice } from "./buffer-slice.js";
import { byteParser } from "./byte-parser.js";
import { chunkArray } from "./chunk-array.js";
import type { FoldContender } from "./contender.js";
import { eventsourceParser } from "./eventsource-parser.js";
import { textDecoder } from "./text-decoder.js";

/** The ways of plain JavaScript to fold an event stream, each in its best form. */
export const BASELINES: readonly FoldContender[] = [
  textDecoder,
  bufferSlice,
  chunkArray,
  byteParser,
  eventsourceParser,
];
