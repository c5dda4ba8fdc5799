import type { ChangeSet, Engine, Transport } from "../../src/engine/contract.js";
import { type Checkpoint, readCheckpoint } from "../support/checkpoint.js";
import { engine, type ReducerKind } from "../support/engines.js";
import { type Entry, Fold, type Options, thrown } from "../support/fold.js";

/** One thing done to a reducer. Bytes are written as one code unit a byte, so that a script can be printed. */
export type Action =
  | { do: "bytes"; bytes: string; cuts: readonly number[] }
  | { do: "apply"; json: string; as: "text" | "object" }
  | { do: "pause" | "release" | "snapshot"; streamId: string }
  | { do: "resume"; streamId: string; skip?: boolean }
  | { do: "materialize"; json: string; streamId: string; id?: string }
  | { do: "load"; json: string; seq: number | undefined; streamId: string }
  | { do: "changes"; streamId: string; since: number | undefined }
  | { do: "migrate"; step: number }
  | { do: "reconnect" | "finish" | "reset" };

/** Bytes as one action; `cuts` are places in them in rising order. */
export function bytesAction(bytes: Uint8Array, cuts: readonly number[]): Action {
  return { do: "bytes", bytes: Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""), cuts };
}

export interface Script {
  transport: Transport;
  options: Options;
  listen: boolean;
  actions: readonly Action[];
}

/** How a script is run: on which engine, where checkpoints go, and whether chunks are cut. */
export interface Way {
  kind: ReducerKind;
  /** Kinds that `migrate` goes through, counted from `kind`. */
  kinds: readonly ReducerKind[];
  uncut?: boolean;
  /** Where engines come from, when not from test/support. */
  engine?: (kind: ReducerKind) => Engine;
}

/** Runs a script and writes down everything observable after each action, one line for each. */
export function observe(script: Script, way: Way): string[] {
  const load = way.engine ?? engine;
  let fold = new Fold(load(way.kind), script.transport, script.options, script.listen);
  let at = way.kinds.indexOf(way.kind);
  const lines: string[] = [];
  const exact = isBinary(script.transport);
  // How much of its last chunk a failed connection has read depends on where the chunk was cut.
  let failed = false;
  try {
    for (const action of script.actions) {
      const told = fold.log.length;
      const said = fold.sentences.length;
      let result: unknown;
      if (action.do === "migrate") {
        at = (at + action.step) % way.kinds.length;
        result = plain(readCheckpoint(fold.reducer.checkpoint()), script.transport);
        fold = fold.migrate(load(way.kinds[at] as ReducerKind));
      } else result = act(fold, action, way.uncut === true);
      failed ||= fold.failure !== undefined;
      lines.push(
        JSON.stringify([
          action.do,
          result,
          fold.log.slice(told).map((entry) => comparable(entry, exact)),
          fold.sentences.slice(said),
          state(fold, failed),
        ]),
      );
    }
  } finally {
    fold.reducer.close();
  }
  return lines;
}

function isBinary(transport: Transport): boolean {
  return transport === "msgpack" || transport === "protobuf";
}

function act(fold: Fold, action: Exclude<Action, { do: "migrate" }>, uncut: boolean): unknown {
  const { reducer } = fold;
  switch (action.do) {
    case "bytes": {
      const bytes = Uint8Array.from(action.bytes, (c) => c.charCodeAt(0));
      let from = 0;
      let applied = 0;
      for (const to of [...(uncut ? [] : action.cuts), bytes.length]) {
        applied += fold.push(bytes.subarray(from, to));
        // A failed connection counts each further push as one more error, so that the number of chunks would show.
        if (fold.failure !== undefined) break;
        from = to;
      }
      return applied;
    }
    case "apply": {
      let applied = 0;
      const fault = thrown(() => {
        applied = fold.apply(action.as === "text" ? action.json : JSON.parse(action.json));
      });
      return [applied, fault];
    }
    case "pause":
      return thrown(() => reducer.pause({ streamId: action.streamId }));
    case "resume":
      return fold.resume(action.streamId, action.skip);
    case "release":
      return reducer.release({ streamId: action.streamId });
    case "snapshot":
      return JSON.stringify(reducer.snapshot({ streamId: action.streamId }));
    case "materialize":
      return withoutOffset(
        thrown(() =>
          reducer.materialize(action.json, { streamId: action.streamId, ...(action.id && { id: action.id }) }),
        ),
      );
    case "load": {
      const seq = action.seq === undefined ? {} : { seq: action.seq };
      return withoutOffset(thrown(() => reducer.load(action.json, { streamId: action.streamId, ...seq })));
    }
    case "changes":
      return inOrder(
        reducer.changes({
          streamId: action.streamId,
          ...(action.since === undefined ? {} : { since: action.since }),
        }),
      );
    case "reconnect":
      return void fold.reconnect();
    case "finish":
      return fold.finish();
    case "reset":
      reducer.reset();
      fold.failure = undefined;
      return undefined;
  }
}

/** Each change with its members by name: engines need not agree on their order. */
function inOrder({ changes, ...rest }: ChangeSet): unknown {
  const sorted = changes?.map((change) =>
    Object.fromEntries(Object.entries(change).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
  return { ...rest, changes: sorted };
}

function state(fold: Fold, failed: boolean): unknown {
  const { reducer } = fold;
  const { memory: _, ...counted } = reducer.stats();
  const stats = failed ? { ...counted, bytes: 0 } : counted;
  const streams = fold.streams().map((stream) => {
    const { memory: __, ...own } = reducer.stats({ streamId: stream.streamId });
    return [stream, own, awaited(fold, stream.streamId)];
  });
  return [streams, stats, reducer.lastEventId ?? null, reducer.retry ?? null];
}

/** What the stream waits for; how models are numbered is an engine's own affair. */
function awaited({ reducer }: Fold, streamId: string): unknown {
  const reference = reducer.unresolved({ streamId });
  if (reference === undefined) return null;
  const { generation: _, ...told } = reference;
  const same = reducer.unresolved({ streamId, id: told.id });
  if (same?.ref !== told.ref || same.generation !== reference.generation)
    throw new Error("unresolved() contradicts itself");
  return told;
}

/** Offsets are compared where the connection failed, and over binary wires; where a stream's fault lies in a text is only a help. */
function comparable(entry: Entry, exact: boolean): unknown {
  return entry.kind === "error" && entry.error.scope === "stream" && !exact
    ? { ...entry, error: withoutOffset(entry.error) }
    : entry;
}

function withoutOffset<T extends { byteOffset?: number } | undefined>(error: T): T {
  if (error === undefined) return error;
  const { byteOffset: _, ...rest } = error;
  return rest as T;
}

/** What two engines must save alike; how they spell the partial message is their own affair. */
function plain({ partial: _, streams, flags, ...rest }: Checkpoint, transport: Transport): unknown {
  return [
    // Whether a byte order mark may still come is no question outside of SSE.
    { ...rest, flags: transport === "sse" ? flags : flags & ~1 },
    streams.map(({ queue, ...stream }) => [stream, queue.map(({ byteOffset: __, ...message }) => message)]),
  ];
}

/** The first action after which two runs differ, and the text around the place; or undefined. */
export function difference(
  a: readonly string[],
  b: readonly string[],
): { index: number; a: string; b: string } | undefined {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [one, other] = [a[index] ?? "(nothing)", b[index] ?? "(nothing)"];
    if (one === other) continue;
    let at = 0;
    while (one[at] === other[at]) at++;
    const around = (line: string): string => `${at > 200 ? "…" : ""}${line.slice(Math.max(0, at - 200), at + 400)}`;
    return { index, a: around(one), b: around(other) };
  }
  return undefined;
}

/** Drops actions for as long as `fails` stays true: in the end no single action can be left out. */
export function minimize(script: Script, fails: (smaller: Script) => boolean): Script {
  let { actions } = script;
  for (let size = Math.max(1, actions.length >> 1); ; ) {
    let shorter = false;
    for (let from = 0; from < actions.length; ) {
      const fewer = [...actions.slice(0, from), ...actions.slice(from + size)];
      if (fails({ ...script, actions: fewer })) {
        actions = fewer;
        shorter = true;
      } else from += size;
    }
    if (size > 1) size >>= 1;
    else if (!shorter) return { ...script, actions };
  }
}
