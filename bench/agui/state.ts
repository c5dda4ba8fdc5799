import { type Case, measureTrial, runningEngines } from "../case.js";
import { type Contender, sink, type Trial, WrongAnswer } from "../measure.js";
import { sameJson } from "../same-json.js";
import { type AguiContender, type AguiFolder, aguiEngine, byHand } from "./contenders.js";
import { deltaBytes, type Operation, Patches, setByHand, stateOf } from "./fixtures.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Patches of one sample. */
const PATCHES = 200;

/** Deltas on one state that every contender takes in the same order, each at its own pace. */
class Deltas {
  readonly initial: Record<string, unknown>;
  readonly #slabs: Uint8Array[][] = [];
  readonly #operations: Operation[][] = [];
  readonly #patches: Patches;

  constructor(bytes: number, seed: number, skew: boolean) {
    this.initial = stateOf(bytes, seed);
    this.#patches = new Patches(this.initial, seed + 1, skew);
  }

  slab(number: number): Uint8Array[] {
    while (this.#slabs.length <= number) {
      const operations = Array.from({ length: PATCHES }, () => this.#patches.next());
      this.#operations.push(operations);
      this.#slabs.push(operations.map(deltaBytes));
    }
    return this.#slabs[number]!;
  }

  /** The state after so many slabs. */
  after(slabs: number): unknown {
    const state = structuredClone(this.initial);
    for (const operations of this.#operations.slice(0, slabs)) {
      for (const operation of operations) setByHand(state, operation);
    }
    return state;
  }
}

function deltaContender(entry: AguiContender, deltas: Deltas[]): Contender & { finish(): void } {
  const lives = deltas.map((): { folder: AguiFolder | undefined; used: number } => ({ folder: undefined, used: 0 }));
  return {
    name: entry.name,
    side: entry.side,
    prepare(payload) {
      const live = lives[payload]!;
      live.folder ??= entry.open("json", deltas[payload]!.initial);
      const { folder } = live;
      const chunks = deltas[payload]!.slab(live.used++);
      return {
        run() {
          for (let index = 0; index < chunks.length; index++) folder.push(chunks[index]!);
        },
        answer: () => folder.model().state,
        close() {},
      };
    },
    finish() {
      lives.forEach(({ folder, used }, payload) => {
        if (folder === undefined) return;
        if (!sameJson(folder.model().state, deltas[payload]!.after(used))) throw new WrongAnswer(entry.name, payload);
        folder.close();
      });
    },
  };
}

function deltaCase(id: string, title: string, bytes: number, target: number, skew = false): Case {
  return {
    id: `ag-ui/delta/${id}`,
    group: "AG-UI state deltas, one event per call",
    title: `STATE_DELTA of one operation, ${title} state`,
    unit: "ns/event",
    target: { kind: "ratio-at-least", value: target },
    run(context) {
      const count = bytes > 1e6 ? 2 : 8;
      const deltas = Array.from({ length: count }, (_, number) => new Deltas(bytes, 12_000 + number, skew));
      const entries = [...runningEngines(context).map(aguiEngine), byHand, ...context.patchLibraries];
      const contenders = entries.map((entry) => deltaContender(entry, deltas));
      const trial: Trial = {
        contenders,
        payloads: count,
        verified: count,
        expected: (payload) => {
          deltas[payload]!.slab(0);
          return deltas[payload]!.after(1);
        },
        ops: PATCHES,
      };
      const outcome = measureTrial(trial, "ns/event", context.mode, context.mode === "quick" ? { iterations: 2 } : {});
      for (const contender of contenders) contender.finish();
      return outcome;
    },
  };
}

function loadCase(id: string, title: string, bytes: number, target: number): Case {
  return {
    id: `ag-ui/state/load/${id}`,
    group: "AG-UI state, as a whole",
    title: `STATE_SNAPSHOT of ${title} from bytes`,
    unit: "us",
    target: { kind: "ratio-at-least", value: target },
    run(context) {
      const count = 8;
      const states = Array.from({ length: count }, (_, number) => stateOf(bytes, 13_000 + number));
      const wires = states.map((snapshot) => encoder.encode(JSON.stringify({ type: "STATE_SNAPSHOT", snapshot })));
      const contenders = [...runningEngines(context).map(aguiEngine), byHand].map(
        ({ name, side, open }): Contender => ({
          name,
          side,
          prepare(payload) {
            const folder = open("json", undefined);
            const wire = wires[payload]!;
            return { run: () => folder.push(wire), answer: () => folder.model().state, close: () => folder.close() };
          },
        }),
      );
      const trial: Trial = {
        contenders,
        payloads: count,
        verified: count,
        expected: (payload) => states[payload],
        ops: 1,
      };
      return measureTrial(trial, "us", context.mode, bytes > 1e6 ? { rounds: [5, 40], iterations: 1 } : {});
    },
  };
}

/** The state's bytes after some patches, copied out: a snapshot for the next hop. */
const snapshotCase: Case = {
  id: "ag-ui/state/snapshot/100k",
  group: "AG-UI state, as a whole",
  title: "snapshot of a 100 KB state as bytes, 10 patches after the last",
  unit: "us",
  target: { kind: "ratio-at-least", value: 20 },
  run(context) {
    const count = 8;
    const states = Array.from({ length: count }, (_, number) => stateOf(100_000, 14_000 + number));
    const contenders = [...runningEngines(context).map(aguiEngine), byHand].map(({ name, side, open }): Contender => {
      return {
        name,
        side,
        // a fresh folder: ten patches after the state came in whole
        prepare(payload) {
          const folder = open("json", states[payload]!);
          const patches = new Patches(states[payload]!, 77, false);
          for (let index = 0; index < 10; index++) folder.push(deltaBytes(patches.next()));
          return {
            run() {
              sink.value = folder.stateBytes();
            },
            answer: () => (JSON.parse(decoder.decode(folder.stateBytes())) as { state: unknown }).state,
            close: () => folder.close(),
          };
        },
      };
    });
    const trial: Trial = {
      contenders,
      payloads: count,
      verified: count,
      expected(payload) {
        const state = structuredClone(states[payload]!);
        const patches = new Patches(states[payload]!, 77, false);
        for (let index = 0; index < 10; index++) setByHand(state, patches.next());
        return state;
      },
      ops: 1,
    };
    return measureTrial(trial, "us", context.mode);
  },
};

/** Linear memory of one state: after it came in, and after many patches. */
function memoryCase(id: string, title: string, patches: number, target: number): Case {
  return {
    id: `ag-ui/state/memory/${id}`,
    group: "AG-UI state, memory",
    title,
    unit: "B/B",
    target: { kind: "figure-at-most", value: target },
    run(context) {
      const engine = runningEngines(context).find(({ kind }) => kind.startsWith("wasm"));
      if (engine === undefined) throw new Error("no WebAssembly engine runs here");
      let worst = 0;
      for (const bytes of [100_000, 2_000_000]) {
        const state = stateOf(bytes, 15_000);
        const before = engine.memory().live;
        const folder = aguiEngine(engine).open("json", state);
        const source = new Patches(state, 15_001, false);
        const count = context.mode === "quick" ? Math.min(patches, 20_000) : patches;
        for (let index = 0; index < count; index++) {
          const operation = source.next();
          setByHand(state, operation);
          folder.push(deltaBytes(operation));
        }
        const held = engine.memory().live - before;
        if (!sameJson(folder.model().state, state)) throw new WrongAnswer(aguiEngine(engine).name, 0);
        worst = Math.max(worst, held / JSON.stringify(state).length);
        folder.close();
      }
      const name = aguiEngine(engine).name;
      return {
        contenders: [{ name, side: "wasm", median: worst, p25: worst, p75: worst, min: worst, max: worst, samples: 1 }],
        figure: { value: worst, text: `${worst.toFixed(2)} bytes per byte of JSON (the worse of 100 KB and 2 MB)` },
      };
    },
  };
}

/** The state of a run: deltas, whole states, snapshots, memory. */
export const aguiStateCases: Case[] = [
  deltaCase("5k", "5 KB", 5_000, 4),
  deltaCase("100k", "100 KB", 100_000, 4),
  deltaCase("2m", "2 MB", 2_000_000, 1.5),
  deltaCase("2m-skewed", "2 MB (90 % on 1 % of the items)", 2_000_000, 2.5, true),
  loadCase("100k", "100 KB", 100_000, 8),
  loadCase("2m", "2 MB", 2_000_000, 8),
  snapshotCase,
  memoryCase("loaded", "bytes held per byte of JSON after a state came in", 0, 1.25),
  memoryCase("patched", "bytes held per byte of JSON after 100,000 patches", 100_000, 2.5),
];
