import { describe, expect, it } from "vitest";
import { Patches, stateOf } from "../../bench/agui/fixtures.js";
import type { Reducer } from "../../src/engine/contract.js";
import { coreCounters } from "../../src/engine/wasm/engine.js";
import { started } from "../support/agui-events.js";
import { utf8 } from "../support/bytes.js";
import { openCore, WASM_KINDS } from "../support/engines.js";
import { Rng } from "../support/rng.js";

type Json = Record<string, unknown>;
interface Item extends Json {
  tags: unknown[];
}
interface State extends Json {
  sections: Record<string, { items: Item[] }>;
}

const PATCHES = 6000;
/** Every so often an event of another kind comes between, and the state is compared. */
const OTHERS = 40;
const LOOK = 500;

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe.each(WASM_KINDS)("long lives of a state on %s", (kind) => {
  // below 16 KiB texts are written over, above they go to the log
  it.each([3000, 60_000])(
    "of %i bytes are those of a plain object, within bounds, and leave no byte behind",
    (bytes) => {
      const { core, engine } = openCore(kind);
      const rng = new Rng(bytes);
      const twin = stateOf(bytes, 5) as State;
      const source = new Patches(structuredClone(twin), 6, false);
      const sections = Object.values(twin.sections);
      const open = (): Reducer => engine.createReducer({ protocol: "ag-ui", transport: "json" });
      open().close();
      const begin = engine.memory().live;
      const reducer = open();
      const push = (...delta: unknown[]): void => {
        reducer.push(utf8(JSON.stringify({ type: "STATE_DELTA", delta })));
      };
      reducer.load(utf8(JSON.stringify({ messages: [], state: twin })));
      reducer.push(utf8(JSON.stringify(started())));
      const forks: { fork: Reducer; text: string }[] = [];
      let most = 0;
      for (let round = 1; round <= PATCHES; round++) {
        if (round % OTHERS !== 0) {
          const { path, value } = source.next();
          const [, , name, , index, field] = path.split("/") as [string, string, string, string, string, string];
          const put = rng.chance(0.05) ? { is: value } : value;
          twin.sections[name]!.items[Number(index)]![field] = put;
          push({ op: "replace", path, value: put });
        } else {
          const at = rng.int(sections.length);
          const { items } = sections[at]!;
          const i = rng.int(items.length);
          const path = `/sections/section ${at}/items/${i}`;
          const whole = { id: `new ${round}`, title: "", done: true, count: 0, score: 0, tags: [round], owner: null };
          if (rng.chance(0.5)) {
            items.splice(i, 0, whole);
            items.pop();
            push(
              { op: "add", path, value: whole },
              { op: "remove", path: `/sections/section ${at}/items/${items.length}` },
            );
          } else {
            items[i]!.tags = structuredClone(items[0]!.tags);
            push({ op: "copy", from: `/sections/section ${at}/items/0/tags`, path: `${path}/tags` });
          }
          // taken back as a whole, with what it has written
          push({ op: "replace", path: `${path}/count`, value: "lost" }, { op: "remove", path: "/nothing" });
          most = Math.max(most, engine.memory().live - begin - 6 * JSON.stringify(twin).length);
        }
        if (round % LOOK === 0) {
          expect(JSON.parse(decode(reducer.snapshotBytes())).state).toEqual(twin);
          for (const { fork, text } of forks.splice(0)) {
            expect(decode(fork.snapshotBytes())).toBe(text);
            fork.close();
          }
          if (rng.chance(0.5)) {
            const fork = reducer.fork();
            forks.push({ fork, text: decode(fork.snapshotBytes()) });
          }
        }
      }
      expect(coreCounters(core).quickDeltas).toBeGreaterThan(PATCHES * 0.9);
      // state and fork hold up to two and a half times their text, or twice and 4 KiB; the log of changes is 24 KiB
      expect(most).toBeLessThan(40_000);
      reducer.close();
      for (const { fork } of forks) fork.close();
      expect(engine.memory().live).toBe(begin);
      engine.close();
    },
  );

  it("texts that an edit has written do not grow into room that is not theirs", () => {
    const { engine } = openCore(kind);
    const reducer = engine.createReducer({ protocol: "ag-ui", transport: "json" });
    const push = (...delta: unknown[]): void => {
      reducer.push(utf8(JSON.stringify({ type: "STATE_DELTA", delta })));
    };
    reducer.load(utf8(JSON.stringify({ messages: [], state: { a: 1, b: 2, c: 3 } })));
    reducer.push(utf8(JSON.stringify(started())));
    // Block-wise copies of 16 bytes leave nothing behind the text: on fresh memory NULs follow.
    const sixteen = "fourteen bytes";
    push({ op: "replace", path: "/a", value: sixteen }, { op: "replace", path: "/b", value: sixteen });
    push({ op: "replace", path: "/b", value: `${sixteen} and more` });
    push({ op: "replace", path: "/c", value: "a text that goes behind the others" });
    push({ op: "replace", path: "/a", value: `${sixteen}, too` });
    push({ op: "replace", path: "/b", value: 1 });
    push({ op: "replace", path: "/b", value: sixteen });
    const state = { a: `${sixteen}, too`, b: sixteen, c: "a text that goes behind the others" };
    expect(JSON.parse(decode(reducer.snapshotBytes())).state).toEqual(state);
    engine.close();
  });

  it("pointers of every length lead where they say, and are told as they are", () => {
    const { core, engine } = openCore(kind);
    const reducer = engine.createReducer({ protocol: "ag-ui", transport: "json" });
    const lengths = Array.from({ length: 200 }, (_, i) => i + 1);
    const state = { of: Object.fromEntries(lengths.map((n) => ["k".repeat(n), { list: [0, 1, { leaf: 0 }] }])) };
    reducer.load(utf8(JSON.stringify({ messages: [], state })));
    reducer.push(utf8(JSON.stringify(started())));
    for (const n of lengths) {
      const path = `/of/${"k".repeat(n)}/list/2/leaf`;
      const since = reducer.changes().version;
      reducer.push(utf8(JSON.stringify({ type: "STATE_DELTA", delta: [{ op: "replace", path, value: n }] })));
      (state.of["k".repeat(n)]!.list[2] as { leaf: number }).leaf = n;
      expect(JSON.stringify(reducer.changes({ since }))).toContain(`${path}"`);
    }
    expect(coreCounters(core).quickDeltas).toBe(lengths.length);
    expect(JSON.parse(decode(reducer.snapshotBytes())).state).toEqual(state);
    engine.close();
  });
});
