import { describe, expect, it } from "vitest";
import { cost } from "../support/cost.js";
import { documentText, escaped } from "./support/documents.js";
import { BUILDS, Probe } from "./support/probe.js";

function load(probe: Probe, text: string): number {
  const d = probe.call("documentNew");
  const { p, n } = probe.put(text);
  expect(probe.call("documentSetText", d, p, n)).toBe(1);
  return d;
}

function chainAt(probe: Probe, d: number, key: string): number {
  const node = probe.call("expandSlot", d, probe.call("rootSlot", d));
  const { p, n } = probe.put(key);
  return probe.call("chainOf", d, probe.call("memberSlot", node, p, n));
}

function append(probe: Probe, d: number, chain: number, text: string): void {
  const { p, n } = probe.put(escaped(text));
  expect(probe.call("chainAppend", d, chain, p, n, text.length)).toBe(1);
}

describe.each(BUILDS)("text chains (%s)", (kind) => {
  it("join halves wherever they meet, and only there", () => {
    const probe = new Probe(kind);
    const cases = [
      ["\ud83d", "\ude00"],
      ["x\ud83d", "\ude00y"],
      ["", "\ud83d", "\ude00"],
      ["a".repeat(300), "\ud83d", "", "\ude00", "\ude00"],
      ["\ud83d\ud83d", "\ude00\ud83d", "\ude00"],
      ["\\ud83d", "\ude00"],
      ["\\", "\\ude00"],
      ["\ud83d", "\\ude00"],
      ["\ude00", "\ud83d"],
      ["\ud83d", `\ude00${"z".repeat(5000)}`],
      ["\ud83d", "\\n\ude00"],
      ["", "room for more \ud83d", "\ude00", "\ud83d", "\ude00 and on"],
    ];
    for (const parts of cases) {
      for (const mode of ["plain", "edit", "forked", "rollback", "late rollback"]) {
        const d = load(probe, JSON.stringify({ t: parts[0] }));
        const chain = chainAt(probe, d, "t");
        let whole = parts[0]!;
        let fork = 0;
        if (mode === "edit" || mode === "rollback") probe.raw.editBegin!(d);
        let kept = whole;
        for (const [i, part] of parts.slice(1).entries()) {
          if (mode === "late rollback" && i === 1) {
            // the piece that an earlier append made is written to in place
            probe.raw.editBegin!(d);
            kept = whole;
          }
          if (mode === "forked") {
            if (fork !== 0) probe.call("documentFree", fork);
            fork = probe.call("documentFork", d);
          }
          const before = whole;
          append(probe, d, chain, part);
          whole += part;
          if (fork !== 0) expect(documentText(probe, fork)).toBe(JSON.stringify({ t: before }));
        }
        if (mode === "rollback" || (mode === "late rollback" && parts.length > 2)) {
          probe.raw.editRollback!(d);
          whole = kept;
        } else if (mode === "edit") probe.raw.editCommit!(d);
        expect(documentText(probe, d)).toBe(JSON.stringify({ t: whole }));
        expect(probe.call("chainUnits", chain)).toBe(whole.length);
        expect(probe.call("chainBytes", chain)).toBe(Buffer.byteLength(escaped(whole)));
        probe.call("documentFree", d);
        if (fork !== 0) probe.call("documentFree", fork);
      }
    }
  });

  it("do not grow when halves keep arriving one by one", () => {
    const probe = new Probe(kind);
    const d = load(probe, '{"t":""}');
    const chain = chainAt(probe, d, "t");
    for (let i = 0; i < 5000; i++) append(probe, d, chain, i % 2 === 0 ? "\ud83d" : "\ude00");
    expect(documentText(probe, d)).toBe(JSON.stringify({ t: "😀".repeat(2500) }));
    expect(probe.call("documentHeld", d)).toBeLessThan(1.3 * 10_000 + 500);
  });

  it("give the text from any byte on", () => {
    const probe = new Probe(kind);
    const d = load(probe, '{"t":"begin "}');
    const chain = chainAt(probe, d, "t");
    let whole = "begin ";
    for (let i = 0; i < 400; i++) {
      const part = `${[..."é中\n😀x"].slice(0, i % 6).join("")}${i} `;
      append(probe, d, chain, part);
      whole += part;
    }
    const bytes = Buffer.from(escaped(whole));
    for (let from = 0; from <= bytes.length; from += from < bytes.length - 300 ? 97 : 1) {
      const out = probe.room(bytes.length);
      const end = probe.call("chainSlice", chain, from, out);
      expect(Buffer.compare(Buffer.from(probe.slice(out, end)), bytes.subarray(from))).toBe(0);
    }
    const out = probe.room(16);
    expect(probe.call("chainSlice", chain, bytes.length + 1, out)).toBe(out);
  });

  it("are strings only, and keep their address while text is appended", () => {
    const probe = new Probe(kind);
    const d = load(probe, '{"n":1,"o":{},"t":"x"}');
    expect(chainAt(probe, d, "n")).toBe(0);
    expect(probe.global("documentFault")).toBe(0);
    expect(chainAt(probe, d, "o")).toBe(0);
    const chain = chainAt(probe, d, "t");
    expect(chainAt(probe, d, "t")).toBe(chain);
    const epoch = probe.call("documentEpoch", d);
    for (let i = 0; i < 3000; i++) append(probe, d, chain, "word ");
    expect(probe.call("documentEpoch", d)).toBe(epoch);
    expect(chainAt(probe, d, "t")).toBe(chain);
  });

  it("say through the epoch when addresses may be stale", () => {
    const probe = new Probe(kind);
    const d = load(probe, '{"t":"x","u":1}');
    const chain = chainAt(probe, d, "t");
    expect(chain).not.toBe(0);
    const root = probe.call("rootSlot", d);
    const changes = (act: () => void): boolean => {
      const before = probe.call("documentEpoch", d);
      act();
      return probe.call("documentEpoch", d) !== before;
    };
    const slot = (key: string): number => {
      const { p, n } = probe.put(key);
      return probe.call("memberSlot", probe.call("expandSlot", d, root), p, n);
    };
    const replace = (key: string): void => {
      const value = probe.put('"new"');
      expect(probe.call("replaceSlot", d, probe.call("expandSlot", d, root), slot(key), value.p, value.n)).not.toBe(0);
    };
    expect(changes(() => replace("u"))).toBe(false);
    expect(changes(() => replace("t"))).toBe(true);
    expect(
      changes(() => {
        probe.raw.editBegin!(d);
        replace("u");
        probe.raw.editRollback!(d);
      }),
    ).toBe(true);
    expect(changes(() => expect(probe.call("compact", d)).toBe(1))).toBe(true);
    expect(changes(() => probe.put("1") && probe.call("documentSetText", d, probe.put("1").p, 1))).toBe(true);
  });

  it("share their bytes with forks until the last holder goes", () => {
    const probe = new Probe(kind);
    const base = probe.call("liveBytes");
    const d = load(probe, '{"t":""}');
    const chain = chainAt(probe, d, "t");
    append(probe, d, chain, "0123456789".repeat(2000));
    const alone = probe.call("liveBytes") - base;
    const forks = Array.from({ length: 20 }, () => probe.call("documentFork", d));
    expect(probe.call("liveBytes") - base - alone).toBeLessThan(20 * 700);
    expect(probe.call("documentHeld", forks[0]!)).toBeGreaterThan(20_000);
    append(probe, d, chain, "original");
    for (const [i, fork] of forks.entries()) append(probe, fork, chainAt(probe, fork, "t"), `fork ${i}`);
    probe.call("documentFree", d);
    forks.forEach((fork, i) => {
      expect(documentText(probe, fork)).toBe(JSON.stringify({ t: `${"0123456789".repeat(2000)}fork ${i}` }));
      probe.call("documentFree", fork);
    });
    // the scratch area of the splitter stays
    expect(probe.call("liveBytes") - base).toBeLessThan(70_000);
  });

  it("hold 2,000 texts of 20 KB that grew by 4 bytes in at most 1.25 bytes of memory per byte", () => {
    const probe = new Probe(kind);
    const streams = 2000;
    const length = 20_480;
    const before = probe.call("heldBytes");
    const open = Array.from({ length: streams }, (_, i) => {
      const d = load(probe, `{"id":"block-${i}","type":"text","content":""}`);
      return [d, chainAt(probe, d, "content")] as const;
    });
    const { p } = probe.put("tok ");
    const chainAppend = probe.raw.chainAppend!;
    for (let done = 0; done < length; done += 4) for (const [d, chain] of open) chainAppend(d, chain, p, 4, 4);
    const text = streams * (length + 40);
    const held = open.reduce((sum, [d]) => sum + probe.call("documentHeld", d), 0);
    expect(documentText(probe, open[7]![0]).length).toBe(length + '{"id":"block-7","type":"text","content":""}'.length);
    expect(held / text).toBeLessThan(1.15);
    expect((probe.call("heldBytes") - before) / text).toBeLessThan(1.25);
  });

  it("append at the same cost to short and to long texts", () => {
    const probe = new Probe(kind);
    const d = load(probe, '{"t":""}');
    const chain = chainAt(probe, d, "t");
    const { p } = probe.put("twelve bytes");
    const chainAppend = probe.raw.chainAppend!;
    const round = (): number =>
      cost(() => {
        for (let i = 0; i < 20_000; i++) chainAppend(d, chain, p, 12, 12);
      });
    const rounds = (): number => Math.min(...Array.from({ length: 5 }, round));
    round();
    const early = rounds();
    for (let i = 0; i < 1_000_000; i++) chainAppend(d, chain, p, 12, 12);
    const late = rounds();
    expect(probe.call("chainBytes", chain)).toBeGreaterThan(12_000_000);
    // linear cost would be fifty times as much
    expect(late).toBeLessThan(10 * Math.max(early, 1));
  });
});
