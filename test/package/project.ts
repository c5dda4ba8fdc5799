import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A project outside this repository that has the packed package installed. */
export interface Project {
  folder: string;
  /** The installed package. */
  installed: string;
  /** Its files, relative to `installed`, with forward slashes. */
  files: string[];
  /** Writes files into the project. */
  write(files: Record<string, string>): void;
  /** Runs Node in the project and returns what it prints; throws with its stderr when it fails. */
  node(args: string[], input?: string): string;
  remove(): void;
}

function npm(args: string[], cwd: string): string {
  const script = process.env.npm_execpath;
  const [program, lead] = script?.endsWith(".js") ? [process.execPath, [script]] : ["npm", []];
  return execFileSync(program, [...lead, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Environment without what npm and the test runner set for their children. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_|VITEST|VITE_|TEST$|MODE$|DEV$|PROD$)/.test(name),
  );
  return Object.fromEntries(kept);
}

/** Packs the repository as it is built and installs the archive, offline, into a new project. */
export function installPackage(): Project {
  const folder = mkdtempSync(path.join(tmpdir(), "streamfold-package-"));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  npm(["pack", "--pack-destination", folder, ...flags], ROOT);
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (!archive) throw new Error("npm pack wrote no archive");
  writeFileSync(path.join(folder, "package.json"), '{ "name": "consumer", "private": true }\n');
  npm(["install", "--offline", "--no-save", "--no-package-lock", ...flags, `./${archive}`], folder);
  const installed = path.join(folder, "node_modules", "streamfold");
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => statSync(path.join(installed, name)).isFile())
    .sort();
  return {
    folder,
    installed,
    files,
    write(sources) {
      for (const [name, text] of Object.entries(sources)) {
        mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        writeFileSync(path.join(folder, name), text);
      }
    },
    node(args, input = "") {
      return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: cleanEnvironment(), input });
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
