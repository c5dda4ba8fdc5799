// The tokens, or the patch of one value, that a chunk begins with where nothing of an earlier one is under way. Servers that pass each event on as it comes have
// no other chunks: without the questions of the pipeline's loop such a call takes a sixth less.
import { TRANSPORT_JSON, TRANSPORT_MSGPACK, TRANSPORT_SSE } from "../../abi/codes";
import { OPT_REPORTS, OPT_TRANSPORT } from "../../abi/layout";
import { prefixAtStart } from "../../frame/length-prefix";
import { lineAtStart } from "../../frame/line";
import { msgpackAtStart } from "../../frame/msgpack";
import { sseAtEventStart, sseCommitId } from "../../frame/sse";
import { F_OFFSET, putSentinel } from "../../frame/state";
import { add, C_BYTES, C_FAILURE, C_FEEDING, C_FINISHED, C_FRAME, C_OPTIONS, C_REPORTS_LEFT, C_STATE, option } from "../layout";
import { allowsSets, foldSet } from "./agentue-set";
import { foldAguiBinary, foldedBinary } from "./agui-binary";
import { allowsBrackets, foldBracket } from "./agui-bracket";
import { allowsDeltas, foldDelta } from "./agui-delta";
import { allowsAguiTokens, foldAguiTokens, foldedAguiTokens } from "./agui-token";
import { foldBinaryPatch } from "./binary-patch";
import { foldAppends, foldedAppends } from "./msgpack-append";
import { allowsTokens, foldedTokens, foldTokens } from "./token";
import { haveTemplates, selectTextTemplates } from "./trie";
import { foldWhole } from "./whole";
import { isBinary, runOf, wireOf } from "../roads";

/** Tokens of the binary wires that were folded, or passed on, where they lay. */
export let binaryTokens: u32 = 0;

/** Counts such tokens. */
@inline export function noteBinary(n: u32): void { binaryTokens += n; }

/** Tokens, and patches of one value, that were folded before their call had begun. */
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
// Whether it may have tokens, and patches of one value.
let tokens: bool = false;
let patches: bool = false;
// Whether events that only open or close something are folded, too.
let brackets: bool = false;

/** Whether tokens of a connection may be folded without parsing, as far as its options say. */
export function mayFoldTokens(c: usize): bool {
  return runOf(c) ? allowsAguiTokens(c) : allowsTokens(c);
}

/** The options of a connection, 0 = of none, are those of the rooms below. What a transcoder writes needs the call begun. */
export function prepareOpening(c: usize): void {
  connection = 0;
  if (!c || wireOf(c)) return;
  transport = load<u8>(c + C_OPTIONS, OPT_TRANSPORT);
  binary = isBinary(transport);
  agui = runOf(c) != 0;
  tokens = mayFoldTokens(c);
  patches = agui ? allowsDeltas(c) : allowsSets(c);
  brackets = runOf(c) != 0 && transport != TRANSPORT_JSON && allowsBrackets(c);
  if (tokens || patches || brackets) connection = c;
}

/**
 * Folds what the chunk of `n` bytes at `p` begins with, before the call has begun; returns the bytes it takes. It reports nothing. `last`: nothing of the
 * message comes behind the chunk where messages are whole.
 */
export function foldOpening(c: usize, p: usize, n: u32, last: bool): u32 {
  openingEvents = 0;
  tried = 0;
  if (c != connection || load<u32>(c, C_STATE) | load<u8>(c, C_FINISHED) | load<u8>(c, C_FEEDING) | load<u8>(c, C_FAILURE)) return 0;
  const f = c + C_FRAME, end = p + n;
  let q = p;
  if (binary) {
    if (transport == TRANSPORT_MSGPACK ? !msgpackAtStart(f) : !prefixAtStart(f)) return 0;
    putSentinel(end);
    if (tokens) {
      q = agui ? foldAguiBinary(c, p, end, transport) : foldAppends(c, p, end);
      openingEvents = agui ? foldedBinary : foldedAppends;
      noteBinary(openingEvents);
      openedTokens += openingEvents;
    }
  } else {
    if (transport == TRANSPORT_SSE ? !sseAtEventStart(f) : !lineAtStart(f)) return 0;
    putSentinel(end);
    if (tokens) selectTextTemplates(transport, agui);
    if (transport == TRANSPORT_JSON) {
      if (last && foldWhole(c, p, end, tokens && haveTemplates(), patches)) {
        q = end;
        openingEvents = 1;
        openedTokens++;
      }
    } else if (tokens && haveTemplates()) {
      q = agui ? foldAguiTokens(c, p, end) : foldTokens(c, p, end);
      openingEvents = agui ? foldedAguiTokens : foldedTokens;
      openedTokens += openingEvents;
    }
  }
  if (q == p && brackets) q = foldOneBracket(c, p, end);
  if (q == p && patches && transport != TRANSPORT_JSON) q = foldPatch(c, p, end);
  const taken = <u32>(q - p);
  if (!taken) {
    tried = p;
    return 0;
  }
  if (transport == TRANSPORT_SSE) sseCommitId(f);
  add(c, C_BYTES, taken);
  add(f, F_OFFSET, taken);
  // session_feed_more goes on with the allowance of the call
  store<u32>(c, option(c, OPT_REPORTS), C_REPORTS_LEFT);
  return taken;
}

@inline function foldOneBracket(c: usize, p: usize, end: usize): usize {
  const q = foldBracket(c, p, end, transport);
  if (!q) return p;
  openingEvents = 1;
  openedTokens++;
  return q;
}

// Folds one patch at `p`; the address behind it, `p` when there is none.
@inline function foldPatch(c: usize, p: usize, end: usize): usize {
  let q: usize = 0;
  if (binary) q = foldBinaryPatch(c, p, end, transport);
  else q = agui ? foldDelta(c, p, end, transport == TRANSPORT_SSE) : foldSet(c, p, end, transport == TRANSPORT_SSE);
  if (!q) return p;
  openingEvents = 1;
  openedTokens++;
  return q;
}
