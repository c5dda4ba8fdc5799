import { describe, expect, it } from "vitest";
import { Rng } from "../support/rng.js";
import { mutate, randomString } from "./support/json-texts.js";
import { acceptsValue, BUILDS, bytesOf, dirtiness, Probe, textOf } from "./support/probe.js";

const fatal = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(fatal.decode(bytes));
    return true;
  } catch {
    return false;
  }
}

const scalar = (rng: Rng): unknown =>
  rng.pick([0, 7, -1, 12.5, 1e21, -0.001, 123456789012345, true, false, null, "", "text", randomString(rng)]);

/** Rows with the same keys and the same nesting, whose values differ. */
function rows(rng: Rng, count: number): unknown[] {
  const tags = rng.int(3);
  const key = rng.pick(["title", "é", "a key that is longer than one block of sixteen bytes"]);
  return Array.from({ length: count }, (_, id) => ({
    id,
    [key]: scalar(rng),
    owner: { name: scalar(rng), quota: scalar(rng), none: {} },
    tags: Array.from({ length: tags }, () => scalar(rng)),
    next: scalar(rng),
  }));
}

describe.each(BUILDS)("rows of one shape (%s)", (kind) => {
  const probe = new Probe(kind);

  const accepts = (bytes: Uint8Array, lineMode = 0) => acceptsValue(probe, bytes, lineMode);

  /** Makes the shape of these rows known. */
  function learn(list: string): void {
    for (let i = 0; i < 40; i++) expect(accepts(bytesOf(list))).toBe(true);
  }

  it("are judged as JSON.parse judges them, whole and mutated", () => {
    probe.raw.setValidateLimits!(4096, 1 << 20);
    const rng = new Rng(41);
    const wrong: string[] = [];
    let refused = 0;
    for (let round = 0; round < 1500; round++) {
      probe.rewind();
      const text = bytesOf(JSON.stringify(rows(rng, 2 + rng.int(12))));
      if (!accepts(text)) wrong.push(textOf(text));
      for (let i = 0; i < 4; i++) {
        const bytes = mutate(rng, text);
        const valid = isJson(bytes);
        if (!valid) refused++;
        // white space around the value is the caller's
        if (accepts(bytes) !== valid && !/^\s|\s$/.test(Buffer.from(bytes).toString("latin1"))) {
          wrong.push(JSON.stringify(Buffer.from(bytes).toString("latin1")));
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(refused).toBeGreaterThan(1000);
  });

  it("that change their shape from one to the next are judged by themselves", () => {
    learn('[{"a":1,"b":{"c":"x"}},{"a":2,"b":{"c":"y"}}]');
    const good = [
      '[{"a":1,"b":{"c":"x"}},{"a":2,"b":{"c":null}}]',
      '[{"a":1,"b":{"c":"x"}},{"a":2,"b":{"c":{}}}]',
      '[{"a":1,"b":{"c":"x"}},{"a":2,"b":{"c":"y"},"d":0}]',
      '[{"a":1,"b":{"c":"x"}},{},{"a":2}]',
      '[{"a":1,"b":{"c":"x"}},[{"a":1,"b":{"c":"x"}}],"a"]',
      '{"a":1,"b":{"c":"x"}}',
    ];
    for (const text of good) expect([text, accepts(bytesOf(text))]).toEqual([text, true]);
    const bad = [
      '[{"a":1,"b":{"c":"x"}},{"a":2,"b":{"c":"y"}]',
      '[{"a":1,"b":{"c":"x"}},{"a":2,"b":{"c":"y"}}',
      '[{"a":1,"b":{"c":"x"}}{"a":2,"b":{"c":"y"}}]',
      '[{"a":01,"b":{"c":"x"}}]',
      '[{"a":1.,"b":{"c":"x"}}]',
      '[{"a":tru,"b":{"c":"x"}}]',
      '[{"a":nul,"b":{"c":"x"}}]',
      '[{"a":falsy,"b":{"c":"x"}}]',
      '[{"a":,"b":{"c":"x"}}]',
      '[{"a":1,"b":{"c":"x\n"}}]',
      '[{"a":1,"b":{"c":"x}}]',
    ];
    for (const text of bad) expect([text, accepts(bytesOf(text))]).toEqual([text, false]);
  });

  it("are no rows where an empty one stands before them", () => {
    for (let i = 0; i < 40; i++) expect(accepts(bytesOf("[0,{},[1]]"))).toBe(true);
    const { p } = probe.put("{},[2]");
    expect(probe.call("skipValue", p, 0)).toBe(p + 2);
  });

  it("are held to limits that were not those of the row that was learned", () => {
    probe.raw.setValidateLimits!(512, 1024);
    learn('[{"a":1,"b":{"c":[7]}},{"a":2,"b":{"c":[8]}}]');
    const long = '[{"a":1,"b":{"c":[7]}},{"a":12345,"b":{"c":[8]}}]';
    probe.raw.setValidateLimits!(4, 1024);
    expect(accepts(bytesOf(long))).toBe(true);
    expect(probe.global("valueDepth")).toBe(4);
    probe.raw.setValidateLimits!(3, 1024);
    expect(accepts(bytesOf(long))).toBe(false);
    probe.raw.setValidateLimits!(512, 4);
    const { p, end } = probe.put(long);
    expect(probe.call("skipValue", p, 0)).toBe(end);
    expect(probe.global("longNumberAt")).toBe(p + long.indexOf("12345"));
    probe.raw.setValidateLimits!(512, 1024);
  });

  it("tell of escapes and white space as other values do", () => {
    learn('[{"a":"x","b":1},{"a":"y","b":2}]');
    const texts: [string, number][] = [
      ['[{"a":"x","b":1},{"a":"\\n\\"","b":2}]', 0],
      ['[{"a":"x","b":1},{"a":"\\u0041","b":2}]', 1],
      ['[{"a":"x","b":1},{"a":"1\\/2","b":2}]', 1],
      ['[{"a":"x","b":1},{"a":"y", "b":2}]', 1],
    ];
    for (const [text, dirty] of texts) expect([text, dirtiness(probe, text)]).toEqual([text, dirty]);
    for (let i = 0; i < 40; i++) accepts(bytesOf('[{"\\u0041":"x"},{"\\u0041":"y"}]'));
    expect(dirtiness(probe, '[{"\\u0041":"z"}]')).toBe(1);
  });

  it("with line ends between their members are not learned for texts of one line", () => {
    const text = bytesOf('[{"a":1,\n"b":2},{"a":1,\n"b":3}]');
    for (let i = 0; i < 40; i++) expect(accepts(text)).toBe(true);
    expect(accepts(text, 1)).toBe(false);
  });

  it("are not learned from a key that is no UTF-8", () => {
    const row = [...bytesOf('{"a')].concat([0xed, 0xa0, 0x80], [...bytesOf('":1}')]);
    const text = Uint8Array.from([0x5b, ...row, 0x2c, ...row, 0x5d]);
    for (let i = 0; i < 40; i++) expect(accepts(text)).toBe(false);
  });

  it("are learned with keys in any script", () => {
    learn('[{"名前":1,"é":"x"},{"名前":2,"é":"y"}]');
    const text = bytesOf('[{"名前":1,"é":"x"},{"名前":2,"é":"y"}]');
    for (let at = 0; at < text.length; at++) {
      if (text[at]! < 0x80) continue;
      const bytes = Uint8Array.from(text);
      bytes[at] = 0xff;
      expect(accepts(bytes)).toBe(false);
    }
  });

  it("may be too large to be kept", () => {
    const wide = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`k${i}`, i]));
    const named = { ["n".repeat(100)]: 1 };
    const wordy = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}${"n".repeat(40)}`, i]));
    for (const row of [wide, named, wordy]) {
      const text = JSON.stringify([row, row, row]);
      learn(text);
      expect(accepts(bytesOf(text.replace(/\}\]$/, ":}]")))).toBe(false);
    }
    const deep = `${'{"a":'.repeat(20)}1${"}".repeat(20)}`;
    learn(`[${deep},${deep}]`);
    expect(accepts(bytesOf(`[${deep},${deep}}]`))).toBe(false);
  });
});
