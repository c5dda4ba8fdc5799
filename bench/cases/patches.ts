import { type BenchContext, type Case, measureTrial, type Outcome, runningEngines } from "../case.js";
import { bufferSlice } from "../contenders/buffer-slice.js";
import type { FoldContender, Folder } from "../contenders/contender.js";
import { engineContender } from "../contenders/engines.js";
import { textDecoder } from "../contenders/text-decoder.js";
import { type Contender, type Trial, WrongAnswer } from "../measure.js";
import { PatchedState } from "../patches.js";
import { sameJson } from "../same-json.js";

/** Patches of one sample. */
const PATCHES = 200;
const QUICK = { milliseconds: 300, iterations: 2 };

function feed(folder: Folder, chunks: Uint8Array[]): void {
  for (let index = 0; index < chunks.length; index++) folder.push(chunks[index]!);
}

function begin({ open }: FoldContender, start: Uint8Array): Folder {
  const folder = open();
  folder.push(start);
  return folder;
}

/** Patches of a state that go on from sample to sample, for contenders that take them at different times. */
class Slabs {
  readonly state: PatchedState;
  readonly first: Uint8Array[];
  readonly #waiting = new Map<number, { chunks: Uint8Array[]; left: number }>();
  readonly #takers: number;
  readonly #cut: (messages: Uint8Array[]) => Uint8Array[];

  constructor(state: PatchedState, takers: number, cut: (messages: Uint8Array[]) => Uint8Array[]) {
    this.state = state;
    this.#cut = cut;
    this.first = state.touch();
    this.#takers = takers;
  }

  /** Makes slab `number` unless it is there. */
  make(number: number): { chunks: Uint8Array[]; left: number } {
    let slab = this.#waiting.get(number);
    if (slab === undefined) {
      slab = { chunks: this.#cut(this.state.next(PATCHES)), left: this.#takers };
      this.#waiting.set(number, slab);
    }
    return slab;
  }

  /** Each taker takes each slab once; then it is forgotten. */
  take(number: number): Uint8Array[] {
    const slab = this.make(number);
    slab.left -= 1;
    if (slab.left === 0) this.#waiting.delete(number);
    return slab.chunks;
  }
}

/** A contender that keeps its states between the samples. */
interface Live extends Contender {
  /** @throws WrongAnswer when a state is not what its patches lead to */
  finish(): void;
}

function liveContender(entry: FoldContender, slabs: Slabs[]): Live {
  const { name, side } = entry;
  const lives = slabs.map((): { folder: Folder | undefined; used: number } => ({ folder: undefined, used: 0 }));
  return {
    name,
    side,
    prepare(payload) {
      const live = lives[payload]!;
      const source = slabs[payload]!;
      if (live.folder === undefined) {
        live.folder = begin(entry, source.state.start);
        feed(live.folder, source.first);
      }
      const folder = live.folder;
      const chunks = source.take(live.used++);
      return { run: () => feed(folder, chunks), answer: () => folder.value(""), close() {} };
    },
    finish() {
      lives.forEach(({ folder }, payload) => {
        if (folder === undefined) return;
        if (!sameJson(folder.value(""), slabs[payload]!.state.model)) throw new WrongAnswer(name, payload);
        folder.close();
      });
    },
  };
}

/** The best forms for one event per chunk: nothing is gained there by parsing whole chunks, or by finding appends in bytes. */
const BASELINES = [textDecoder, bufferSlice];

/** Patches on states whose blocks have all been patched once: nobody has first steps left to do. */
function patchCase(id: string, title: string, bytes: number, payloads: number): Case {
  return {
    id: `patch/${id}`,
    group: "Patches, one event per chunk",
    title: `a patch of a ${title} state`,
    unit: "ns/event",
    run(context) {
      const entries = [...runningEngines(context).map((engine) => engineContender(engine)), ...BASELINES];
      return measurePatches(
        context,
        entries,
        Array.from({ length: payloads }, (_, number) => new PatchedState(bytes, 8000 + number)),
      );
    },
  };
}

/**
 * Patches of states that go on from sample to sample.
 *
 * @param cut makes the chunks of a sample out of its messages
 */
export function measurePatches(
  context: BenchContext,
  entries: FoldContender[],
  states: PatchedState[],
  cut: (messages: Uint8Array[]) => Uint8Array[] = (messages) => messages,
): Outcome {
  const slabs = states.map((state) => new Slabs(state, entries.length, cut));
  const contenders = entries.map((entry) => liveContender(entry, slabs));
  const trial: Trial = {
    contenders,
    payloads: states.length,
    verified: states.length,
    expected(payload) {
      slabs[payload]!.make(0);
      return slabs[payload]!.state.model;
    },
    ops: PATCHES,
  };
  const outcome = measureTrial(trial, "ns/event", context.mode, context.mode === "quick" ? QUICK : {});
  for (const contender of contenders) contender.finish();
  return outcome;
}

/** The first patch of each block of a state that has just come in. */
const firstPatch: Case = {
  id: "patch/first/100k",
  group: "Patches, one event per chunk",
  title: "the first patch of a block, 100 KB state",
  unit: "ns/event",
  run(context) {
    const entries = [...runningEngines(context).map((engine) => engineContender(engine)), ...BASELINES];
    const payloads = Array.from({ length: 16 }, (_, number) => {
      const state = new PatchedState(100_000, 8500 + number);
      return { start: state.start, chunks: state.touch(), expected: state.model };
    });
    const contenders = entries.map(
      (entry): Contender => ({
        name: entry.name,
        side: entry.side,
        prepare(number) {
          const { start, chunks } = payloads[number]!;
          const folder = begin(entry, start);
          return { run: () => feed(folder, chunks), answer: () => folder.value(""), close: () => folder.close() };
        },
      }),
    );
    const trial: Trial = {
      contenders,
      payloads: payloads.length,
      verified: payloads.length,
      expected: (number) => payloads[number]!.expected,
      ops: payloads[0]!.chunks.length,
    };
    return measureTrial(trial, "ns/event", context.mode, context.mode === "quick" ? QUICK : {});
  },
};

/** `set` with a mask, at random places of small and large states. */
export const patchCases: Case[] = [
  patchCase("5k", "5 KB", 5_000, 16),
  patchCase("100k", "100 KB", 100_000, 16),
  // Ten of these states are alive at once, and in JavaScript each takes about five times its JSON.
  patchCase("2m", "2 MB", 2_000_000, 2),
  firstPatch,
];
