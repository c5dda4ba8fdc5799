import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkRooms, importsOf, readRooms } from "./support/rooms.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

describe("the tree", () => {
  it("keeps to the rank table of ARCHITECTURE.md", () => {
    expect(checkRooms(ROOT)).toEqual([]);
  });
});

describe("tracked files", () => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(path.join(ROOT, file)));
  const texts = tracked
    .map((file): [string, Buffer] => [file, readFileSync(path.join(ROOT, file))])
    .filter(([, bytes]) => !bytes.subarray(0, 8000).includes(0))
    .map(([file, bytes]): [string, string] => [file, bytes.toString("utf8")]);

  /** `file:line` of every match. */
  function places(pattern: RegExp, files = texts): string[] {
    return files.flatMap(([file, text]) =>
      text.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}`] : [])),
    );
  }

  it("are there to be read", () => {
    expect(tracked).toContain("package.json");
  });

  it("name no folder of somebody's machine", () => {
    const homes = [["work", "farm", "Users"].join("|"), "home/[a-z]+"].join("|");
    expect(places(new RegExp(`(^|[^A-Za-z0-9_.])/(${homes})/`))).toEqual([]);
  });

  it("name no package registry", () => {
    const hosts = [
      ["registry", "(npmjs|yarnpkg|npmmirror)"],
      ["npm", "pkg", "github"],
      ["deb", "debian", "org"],
    ];
    expect(places(new RegExp(hosts.map((parts) => parts.join("\\.")).join("|"), "i"))).toEqual([]);
  });

  it("hold no build output", () => {
    expect(tracked.filter((file) => /(^|\/)(dist|build|node_modules|coverage)\/|\.wasm$|\.tgz$/.test(file))).toEqual(
      [],
    );
  });

  it("skip and focus no test", () => {
    const tests = texts.filter(([file]) => /^test\/.*\.ts$/.test(file));
    expect(places(/\b(?:it|test|describe|bench)\.(?:skip|only|todo|fails)\b/, tests)).toEqual([]);
  });
});

describe("the checker", () => {
  const TABLE = [
    "# Rooms",
    "",
    "| Room | Rank | May also import | Holds |",
    "| --- | --- | --- | --- |",
    "| `assembly/abi` | 0 | | numbers |",
    "| `assembly/memory` | 1 | | |",
    "| `assembly/index.ts` | 7 | | |",
    "| `src/errors.ts` | 0 | | |",
    "| `src/engine/wasm` | 2 | | |",
    "| `src/engine/js` | 2 | | |",
    "| `src/engine/load` | 3 | | |",
    "| `src/stream/` | 6 | | |",
    "| `src/agentue` | 6 | `src/stream` | |",
    "",
  ].join("\n");
  const SOUND: Record<string, string> = {
    "ARCHITECTURE.md": TABLE,
    "assembly/abi/codes.ts": "export const OK = 0;\n",
    "assembly/memory/arena.ts": 'import { OK } from "../abi/codes";\nexport const FINE = OK;\n',
    "assembly/index.ts": 'export { FINE } from "./memory/arena";\n',
    "src/errors.ts": 'import { OK } from "../assembly/abi/codes.js";\nexport const fine = OK;\n',
    "src/engine/wasm/index.ts": 'export { fine } from "../../errors.js";\n',
    "src/engine/js/index.ts": 'import {\n  fine,\n} from "../../errors.js";\nexport const js = fine;\n',
    "src/engine/load/load.ts": 'import { js } from "../js/index.js";\nexport const load = js;\n',
    "src/stream/index.ts": "export const stream = 1;\n",
    "src/agentue/index.ts": 'export { stream } from "../stream/index.js";\n',
  };

  function check(changes: Record<string, string>): string[] {
    const root = mkdtempSync(path.join(tmpdir(), "streamfold-rooms-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const [file, text] of Object.entries({ ...SOUND, ...changes })) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), text);
    }
    return checkRooms(root);
  }

  it("accepts a sound tree", () => {
    expect(check({})).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ["an upward import", { "src/errors.ts": 'import "./engine/load/load.js";\n' }, /src\/errors\.ts.*rank 0.*rank 3/],
    [
      "an upward import over several lines",
      { "src/errors.ts": 'import {\n  load,\n} from "./engine/load/load.js";\nexport const x = load;\n' },
      /rank 0.*rank 3/,
    ],
    [
      "an upward type import",
      { "src/errors.ts": 'export type { load } from "./engine/load/load.js";\n' },
      /rank 0.*rank 3/,
    ],
    ["an upward dynamic import", { "src/errors.ts": 'void import("./engine/load/load.js");\n' }, /rank 0.*rank 3/],
    ["an upward import in assembly/", { "assembly/abi/codes.ts": 'import "../memory/arena";\n' }, /rank 0.*rank 1/],
    ["rooms of one rank", { "src/stream/index.ts": 'import "../agentue/index.js";\n' }, /rank 6.*rank 6/],
    ["an engine that imports the other", { "src/engine/wasm/index.ts": 'import "../js/index.js";\n' }, /engines never/],
    [
      "an engine that imports the other by an exception in the table",
      {
        "ARCHITECTURE.md": TABLE.replace("`src/engine/wasm` | 2 | ", "`src/engine/wasm` | 2 | `src/engine/js` "),
        "src/engine/wasm/index.ts": 'import "../js/index.js";\n',
      },
      /engines never/,
    ],
    [
      "src/ that reaches past the ABI",
      { "src/errors.ts": 'import "../assembly/memory/arena.js";\n' },
      /assembly\/abi alone/,
    ],
    ["assembly/ that imports src/", { "assembly/index.ts": 'import "../src/errors";\n' }, /never imports src/],
    ["a Node module in the library", { "src/stream/index.ts": 'import "node:fs";\n' }, /Node modules are not/],
    ["a package in the library", { "src/stream/index.ts": 'import "commander";\n' }, /packages are not/],
    [
      "an import of a test",
      { "src/stream/index.ts": 'import "../../test/x.js";\n', "test/x.ts": "" },
      /imports a test/,
    ],
    [
      "a benchmark that imports a test",
      { "bench/run.ts": 'import "../test/x.js";\n', "test/x.ts": "" },
      /imports a test/,
    ],
    ["an import of nothing", { "src/stream/index.ts": 'import "./nowhere.js";\n' }, /no such file/],
    ["a room without a row", { "src/hub/hub.ts": "" }, /src\/hub\/hub\.ts: its room does not stand/],
    ["a file without a row", { "src/extra.ts": "" }, /src\/extra\.ts: its room does not stand/],
    [
      "a row without a room",
      { "ARCHITECTURE.md": `${TABLE.trimEnd()}\n| \`src/hub\` | 7 | | |\n` },
      /src\/hub does not exist/,
    ],
    [
      "a row without a rank",
      { "ARCHITECTURE.md": TABLE.replace("`src/stream/` | 6", "`src/stream/` | ?") },
      /has no rank/,
    ],
    ["a long file", { "src/errors.ts": "//\n".repeat(601) }, /601 lines, over 600/],
    ["a very long file", { "src/errors.ts": `// Long on purpose.\n${"//\n".repeat(900)}` }, /901 lines; only tables/],
    ["a document without a table", { "ARCHITECTURE.md": "# Rooms\n" }, /no rank table/],
  ])("catches %s", (_name, changes, message) => {
    expect(check(changes).join("\n")).toMatch(message);
  });

  it("accepts a long file that says why", () => {
    expect(check({ "src/errors.ts": `// Long: one state machine.\n${"//\n".repeat(800)}` })).toEqual([]);
    expect(check({ "src/errors.ts": `// A table of powers.\n${"//\n".repeat(2000)}` })).toEqual([]);
  });

  it("reads rows and exceptions of the table alone", () => {
    expect(readRooms(TABLE).at(-1)).toEqual({ path: "src/agentue", rank: 6, alsoImports: ["src/stream"] });
    expect(readRooms(TABLE)).toHaveLength(9);
  });

  it("does not take an example in a doc comment for an import", () => {
    expect(importsOf('/**\n * import { x } from "./y.js";\n */\nexport const a = 1;\n')).toEqual([]);
  });
});
