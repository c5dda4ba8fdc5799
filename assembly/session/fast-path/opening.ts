// The tokens that a chunk begins with where nothing of an earlier one is under way. Servers that pass each event on as it comes have no other chunks:
// without the questions of the pipeline's loop such a call takes a sixth less.
import { TRANSPORT_JSON, TRANSPORT_MSGPACK, TRANSPORT_SSE } from "../../abi/codes";
import { OPT_TRANSPORT } from "../../abi/layout";
import { prefixAtStart } from "../../frame/length-prefix";
import { lineAtStart } from "../../frame/line";
import { msgpackAtStart } from "../../frame/msgpack";
import { sseAtEventStart, sseCommitId } from "../../frame/sse";
import { F_OFFSET, putSentinel } from "../../frame/state";
import { isBinary } from "../binary";
import { add, C_BYTES, C_FAILURE, C_FEEDING, C_FINISHED, C_FRAME, C_OPTIONS, C_RUN, C_STATE } from "../layout";
import { wireOf } from "../transcode/emit";
import { foldAguiBinary, foldedBinary } from "./agui-binary";
import { allowsAguiTokens, foldAguiTokens, foldedAguiTokens } from "./agui-token";
import { foldAppends, foldedAppends } from "./msgpack-append";
import { allowsTokens, foldedTokens, foldTokens } from "./token";
import { AGUI_SETS, haveTemplates, selectTemplates } from "./trie";

/** Tokens of the binary wires that were folded, or passed on, where they lay. */
export let binaryTokens: u32 = 0;

/** Counts such tokens. */
@inline export function noteBinary(n: u32): void { binaryTokens += n; }

/** Tokens that were folded before their call had begun. */
export let openedTokens: u32 = 0;

/** Events that the last call of `foldOpening` has folded. */
export let openingEvents: u32 = 0;
// Where it has looked and found none, 0 = nowhere.
let tried: usize = 0;

/** Where the call under way has looked for a token in vain, 0 = nowhere: there is no need to look again. */
@inline export function takeTried(): usize {
  const p = tried;
  tried = 0;
  return p;
}

// The connection that may, and how its events come.
let connection: usize = 0;
let transport: u32 = 0;
let binary: bool = false;
let agui: bool = false;

/** Whether tokens of a connection may be folded without parsing, as far as its options say. */
export function mayFoldTokens(c: usize): bool {
  const kind = <u32>load<u8>(c + C_OPTIONS, OPT_TRANSPORT);
  return kind != TRANSPORT_JSON && (load<u32>(c, C_RUN) ? allowsAguiTokens(c) : allowsTokens(c));
}

/** The options of a connection, 0 = of none, are those of the rooms below. What a transcoder writes needs the call begun. */
export function prepareOpening(c: usize): void {
  connection = 0;
  if (!c || !mayFoldTokens(c) || wireOf(c)) return;
  connection = c;
  transport = load<u8>(c + C_OPTIONS, OPT_TRANSPORT);
  binary = isBinary(transport);
  agui = load<u32>(c, C_RUN) != 0;
}

/** Folds the tokens that the chunk of `n` bytes at `p` begins with, before the call has begun; returns the bytes they take. They report nothing. */
export function foldOpening(c: usize, p: usize, n: u32): u32 {
  openingEvents = 0;
  tried = 0;
  if (c != connection || load<u32>(c, C_STATE) | load<u8>(c, C_FINISHED) | load<u8>(c, C_FEEDING) | load<u8>(c, C_FAILURE)) return 0;
  const f = c + C_FRAME, end = p + n;
  let q: usize = 0;
  if (binary) {
    if (transport == TRANSPORT_MSGPACK ? !msgpackAtStart(f) : !prefixAtStart(f)) return 0;
    putSentinel(end);
    q = agui ? foldAguiBinary(c, p, end, transport) : foldAppends(c, p, end);
    openingEvents = agui ? foldedBinary : foldedAppends;
    noteBinary(openingEvents);
  } else {
    if (transport == TRANSPORT_SSE ? !sseAtEventStart(f) : !lineAtStart(f)) return 0;
    selectTemplates(agui ? AGUI_SETS + transport : transport);
    if (!haveTemplates()) return 0;
    putSentinel(end);
    q = agui ? foldAguiTokens(c, p, end) : foldTokens(c, p, end);
    openingEvents = agui ? foldedAguiTokens : foldedTokens;
  }
  const taken = <u32>(q - p);
  if (!taken) {
    tried = p;
    return 0;
  }
  openedTokens += openingEvents;
  if (transport == TRANSPORT_SSE) sseCommitId(f);
  add(c, C_BYTES, taken);
  add(f, F_OFFSET, taken);
  return taken;
}
