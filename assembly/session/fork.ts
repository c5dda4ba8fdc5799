// A stream of one connection as the only one of another (docs/semantics.md §12).
import { STATUS_ENDED } from "../abi/codes";
import { setAccount } from "../memory/heap";
import { bytesAppend, RUN_LEN, RUN_PTR } from "../memory/bytes";
import { forkState } from "../reduce/agentue/fork";
import { S_STATUS } from "../reduce/agentue/state";
import { forkAgui } from "../reduce/agui/fork";
import { C_FIRST, T_FLAGS, T_QUEUE, T_QUEUED, T_QUEUED_BYTES, T_STATE } from "./layout";
import { noteEnding, openStream } from "./streams";
import { runOf, runOfStream } from "./roads";

/**
 * Gives the fresh connection `c` a fork of stream `from` of another one, under the id of `n` bytes: its model, whose text both hold from now on, its place in the
 * timeline, its counters, its pause and its queue. False = out of memory: the caller closes the connection; the other one is as it was.
 */
export function forkStream(c: usize, from: usize, id: usize, n: u32): bool {
  const run = runOf(c), t = run ? <usize>load<u32>(c, C_FIRST) : openStream(c, id, n);
  if (!t) return false;
  const account = setAccount(t);
  const done = (run ? forkAgui(run, runOfStream(from)) : forkState(t + T_STATE, from + T_STATE)) && forkQueue(t, from);
  setAccount(account);
  if (done && load<u8>(t + T_STATE, S_STATUS) == STATUS_ENDED) noteEnding(c, t);
  return done;
}

function forkQueue(t: usize, from: usize): bool {
  const queue = from + T_QUEUE, length = load<u32>(queue, RUN_LEN);
  if (length && !bytesAppend(t + T_QUEUE, load<u32>(queue, RUN_PTR), length)) return false;
  store<u32>(t, load<u32>(from, T_QUEUED), T_QUEUED);
  store<u32>(t, load<u32>(from, T_QUEUED_BYTES), T_QUEUED_BYTES);
  store<u8>(t, load<u8>(from, T_FLAGS), T_FLAGS);
  return true;
}
