import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

interface Manifest {
  name: string;
  version: string;
  type: string;
  sideEffects: boolean;
  main: string;
  module: string;
  types: string;
  engines: { node: string };
  bin: Record<string, string>;
  exports: Record<string, unknown>;
  files: string[];
  scripts: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies: Record<string, string>;
}
const manifest = JSON.parse(read("package.json")) as Manifest;
const lock = JSON.parse(read("package-lock.json")) as {
  name: string;
  version: string;
  packages: Record<string, { version: string; license?: string; engines?: { node?: string }; resolved?: string }>;
};

interface Target {
  file: string;
  /** Subpath and conditions that lead to the file. */
  way: string[];
}

function targets(node: unknown, way: string[]): Target[] {
  if (typeof node === "string") return [{ file: node, way }];
  return Object.entries(node as Record<string, unknown>).flatMap(([key, value]) => targets(value, [...way, key]));
}
const exported = Object.entries(manifest.exports).flatMap(([subpath, node]) => targets(node, [subpath]));

describe("package.json exports", () => {
  it("name the public subpaths", () => {
    expect(Object.keys(manifest.exports).sort()).toEqual(
      [
        ".",
        "./agentue",
        "./agui",
        "./js",
        "./package.json",
        "./replay",
        "./slim",
        "./stream",
        "./streamfold.simd.wasm",
        "./streamfold.slim.simd.wasm",
        "./streamfold.slim.wasm",
        "./streamfold.wasm",
      ].sort(),
    );
  });

  it("lead to files that the build makes", () => {
    const named = [
      ...exported.map((target) => target.file),
      manifest.main,
      manifest.module,
      manifest.types,
      manifest.bin.streamfold,
    ];
    for (const file of named) expect(existsSync(path.join(ROOT, file)), file).toBe(true);
  });

  it("nest types, before the code, in every condition of every module format", () => {
    const code = exported.filter((target) => /\.c?js$/.test(target.file));
    expect(code.length).toBe(18);
    for (const { file, way } of code) {
      const format = way.find((key) => key === "import" || key === "require");
      expect(path.extname(file), way.join(" > ")).toBe(format === "import" ? ".js" : ".cjs");
      const siblings = exported.filter((target) => target.way.slice(0, -1).join() === way.slice(0, -1).join());
      expect(siblings.map((target) => target.way.at(-1))).toEqual(["types", "default"]);
      expect(siblings[0].file).toMatch(
        format === "import" ? /^\.\/dist\/types\/.*\.d\.ts$/ : /^\.\/dist\/cjs\/types\/.*\.d\.ts$/,
      );
    }
  });

  it("put conditions that fit more hosts last", () => {
    expect(Object.keys(manifest.exports["."] as object)).toEqual(["node", "default"]);
  });

  it("are covered by `files`", () => {
    const covered = (file: string): boolean =>
      file === "package.json" || manifest.files.some((entry) => file === entry || file.startsWith(`${entry}/`));
    for (const { file } of exported) expect(covered(path.posix.normalize(file)), file).toBe(true);
    expect(covered(path.posix.normalize(manifest.bin.streamfold))).toBe(true);
    // A trailing `*.md` stands for the texts of a folder.
    for (const entry of manifest.files)
      expect(existsSync(path.join(ROOT, entry.replace(/\*\.md$/, ""))), entry).toBe(true);
  });
});

describe("the command line file", () => {
  it("starts as a program", () => {
    const file = path.join(ROOT, manifest.bin.streamfold);
    expect(readFileSync(file, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
    expect(statSync(file).mode & 0o111).not.toBe(0);
  });
});

describe("package.json", () => {
  it("promises a module without side effects and runtime dependencies", () => {
    expect(manifest).toMatchObject({ name: "streamfold", type: "module", sideEffects: false });
    expect(Object.keys(manifest.dependencies ?? {})).toEqual([]);
  });

  it("supports a Node that every development dependency supports, and type-checks against it", () => {
    expect(manifest.engines.node).toBe(">=20");
    const [major] = process.versions.node.split(".").map(Number);
    expect(major).toBeGreaterThanOrEqual(20);
    expect(manifest.devDependencies["@types/node"]).toMatch(/^20\./);
    for (const name of Object.keys(manifest.devDependencies)) {
      const range = lock.packages[`node_modules/${name}`].engines?.node ?? ">=0";
      expect(allowsMajor20(range), `${name} wants Node ${range}`).toBe(true);
    }
  });

  it("names programs in its scripts that exist", () => {
    const programs = Object.values(manifest.scripts).flatMap((script) =>
      [...script.matchAll(/\bnode (\S+\.m?js)/g)].map((match) => match[1]),
    );
    expect(programs.length).toBeGreaterThan(0);
    for (const program of programs) expect(existsSync(path.join(ROOT, program)), program).toBe(true);
    for (const [, name] of manifest.scripts.check.matchAll(/npm (?:run )?(\S+)/g))
      expect(manifest.scripts).toHaveProperty(name);
  });

  it("bundles for the language level that the type check assumes", () => {
    const target = /"target": "(\w+)"/.exec(read("tsconfig.json"))?.[1].toLowerCase();
    expect(read("build.mjs")).toContain(`target: "${target}"`);
  });
});

/** Whether a range of Node versions, as the packages here write them, lets some 20.x in. */
function allowsMajor20(range: string): boolean {
  return range.split("||").some((part) => {
    const match = /^\s*(>=|\^|~)?\s*v?(\d+)/.exec(part);
    if (!match) return true;
    return match[1] === ">=" ? Number(match[2]) <= 20 : Number(match[2]) === 20;
  });
}

describe("the lock file", () => {
  it("is in step with package.json", () => {
    expect([lock.name, lock.version]).toEqual([manifest.name, manifest.version]);
    for (const [name, version] of Object.entries(manifest.devDependencies)) {
      expect(version, `${name} is not pinned`).toMatch(/^\d+\.\d+\.\d+$/);
      expect(lock.packages[`node_modules/${name}`].version, name).toBe(version);
    }
  });

  it("holds no addresses", () => {
    expect(Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
  });
});

describe("docs/dependencies.md", () => {
  const rows = [...read("docs/dependencies.md").matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];

  it("lists every dependency and nothing else", () => {
    const wanted = [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.devDependencies)];
    expect(rows.map((row) => row[1]).sort()).toEqual(wanted.sort());
  });

  it("gives each its licence and a reason", () => {
    for (const [, name, licence, reason] of rows) {
      expect(lock.packages[`node_modules/${name}`].license, name).toBe(licence.trim());
      expect(reason.trim().length, name).toBeGreaterThan(20);
    }
  });

  it("marks what is bundled, and the package carries those licences", () => {
    const marked = rows.filter((row) => row[3].includes("*Bundled.*")).map((row) => row[1]);
    const carried = [...read("dist/THIRD-PARTY-LICENSES.txt").matchAll(/^(\S+) \d+\.\d+\.\d+ \(.+\)$/gm)].map(
      (match) => match[1],
    );
    expect(carried).toEqual(marked.sort());
  });
});

describe("the gate", () => {
  it("runs the suite last and is executable", () => {
    const script = read(".ci/run");
    expect(script.trimEnd().split("\n").at(-2)).toMatch(/^npm test /);
    expect(statSync(path.join(ROOT, ".ci/run")).mode & 0o111).not.toBe(0);
    for (const [, name] of script.matchAll(/^npm run (\S+)/gm)) expect(manifest.scripts).toHaveProperty(name);
    execFileSync("bash", ["-n", ".ci/run"], { cwd: ROOT });
  });

  it("lets no variable of the caller's leave engines out", () => {
    const lines = read(".ci/run").split("\n");
    const unset = lines.findIndex((line) => /^unset .*\bSTREAMFOLD_TEST_ENGINES\b/.test(line));
    expect(unset).toBeGreaterThan(-1);
    expect(unset).toBeLessThan(lines.findIndex((line) => line.startsWith("npm test")));
  });
});
