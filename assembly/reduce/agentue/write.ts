// The model of a stream as compact JSON.
import { copyExact } from "../../memory/copy";
import { documentWrite } from "../../document/index";
import { B_DOCUMENT, S_BLOCKS, S_BLOCKS_HOLE, S_COUNT, S_META, S_META_HOLE, S_SHELL, S_SHELL_LENGTH } from "./state";

/** Writes the model, exactly S_SIZE bytes, and returns the end. */
export function writeModel(s: usize, dst: usize): usize {
  const shell = <usize>load<u32>(s, S_SHELL), meta = load<u32>(s, S_META_HOLE), blocks = load<u32>(s, S_BLOCKS_HOLE);
  const metaFirst = meta < blocks, first = metaFirst ? meta : blocks, second = metaFirst ? blocks : meta;
  dst = copyPart(shell, 0, first, dst);
  dst = metaFirst ? documentWrite(load<u32>(s, S_META), dst) : writeBlocks(s, dst);
  dst = copyPart(shell, first, second, dst);
  dst = metaFirst ? writeBlocks(s, dst) : documentWrite(load<u32>(s, S_META), dst);
  return copyPart(shell, second, load<u32>(s, S_SHELL_LENGTH), dst);
}

function copyPart(p: usize, from: u32, to: u32, dst: usize): usize {
  copyExact(dst, p + from, to - from);
  return dst + (to - from);
}

function writeBlocks(s: usize, dst: usize): usize {
  const count = load<u32>(s, S_COUNT), blocks = <usize>load<u32>(s, S_BLOCKS);
  store<u8>(dst++, 0x5b);
  for (let i: u32 = 0; i < count; i++) {
    if (i) store<u8>(dst++, 0x2c);
    dst = documentWrite(load<u32>(<usize>load<u32>(blocks + (i << 2)), B_DOCUMENT), dst);
  }
  store<u8>(dst++, 0x5d);
  return dst;
}
