import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

/** One row of the rank table in ARCHITECTURE.md. */
export interface Room {
  /** Folder, or single file, relative to the root. */
  path: string;
  rank: number;
  /** Rooms this one may import although its rank alone would not let it. */
  alsoImports: string[];
}

/** One broken rule, as `file: what is wrong`. */
export type Violation = string;

/** The rooms outside which Node's own modules are not imported. */
const NODE_ROOMS = [/^src\/entry\/(slim-)?node\.ts$/, /^src\/cli\//, /^src\/store\/file/];
/** Packages are bundled into programs only; the library has no runtime dependency. */
const PACKAGE_ROOMS = [/^src\/cli\//];
const TREES = ["src", "assembly"];
const SIZED_TREES = ["src", "assembly", "bench", "test", "examples"];
const LINES = 600;
const LINES_OF_TABLES = 900;

/**
 * Reads the rank table: the Markdown table whose header starts with `| Room | Rank | May also import |`. A row counts when
 * its first cell is one path in backticks; paths in backticks in the third cell are exceptions.
 */
export function readRooms(markdown: string): Room[] {
  const lines = markdown.split("\n");
  const header = lines.findIndex((line) => /^\|\s*Room\s*\|\s*Rank\s*\|\s*May also import\s*\|/.test(line));
  if (header < 0) return [];
  const rooms: Room[] = [];
  for (const line of lines.slice(header + 1)) {
    if (!line.startsWith("|")) break;
    const [, first = "", rank = "", also = ""] = line.split("|").map((cell) => cell.trim());
    const name = /^`([^`]+)`$/.exec(first);
    if (!name) continue;
    rooms.push({
      path: name[1].replace(/\/(\*\*?)?$/, ""),
      rank: Number.parseInt(rank, 10),
      alsoImports: [...also.matchAll(/`([^`]+)`/g)].map((match) => match[1].replace(/\/(\*\*?)?$/, "")),
    });
  }
  return rooms;
}

/** Specifiers of every import, re-export and dynamic import, types included. */
export function importsOf(source: string): string[] {
  const patterns = [
    /^[ \t]*(?:import|export)\b[^;'"]*?\bfrom\s*["']([^"']+)["']/gm,
    /^[ \t]*import\s*["']([^"']+)["']/gm,
    /\bimport\s*\(\s*["']([^"']+)["']/g,
  ];
  return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map((match) => match[1]));
}

const within = (file: string, room: string): boolean => file === room || file.startsWith(`${room}/`);

function walk(root: string, folder: string): string[] {
  if (!existsSync(path.join(root, folder))) return [];
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => statSync(path.join(root, name)).isFile())
    .sort();
}

function resolveRelative(root: string, from: string, specifier: string): string | undefined {
  const target = path.posix.join(path.posix.dirname(from), specifier);
  const base = target.replace(/\.(js|ts)$/, "");
  return [`${base}.ts`, `${base}/index.ts`, target].find((file) => {
    const full = path.join(root, file);
    return existsSync(full) && statSync(full).isFile();
  });
}

/** The room of a file: the longest row that holds it. */
function roomOf(rooms: Room[], file: string): Room | undefined {
  return rooms.filter((room) => within(file, room.path)).sort((a, b) => b.path.length - a.path.length)[0];
}

/** Why `from` may not import `to`, or undefined when it may. Both lie in src/ or assembly/. */
function forbidden(rooms: Room[], from: string, to: string): string | undefined {
  const here = roomOf(rooms, from);
  const there = roomOf(rooms, to);
  if (!here || !there || here === there) return undefined;
  if (within(from, "src") && within(to, "assembly")) {
    return within(to, "assembly/abi") ? undefined : "src/ may import assembly/abi alone from assembly/";
  }
  if (within(from, "assembly") && within(to, "src")) return "assembly/ never imports src/";
  const engines = ["src/engine/wasm", "src/engine/js"];
  if (engines.some((engine) => within(from, engine)) && engines.some((engine) => within(to, engine))) {
    return "the engines never import each other";
  }
  if (here.alsoImports.some((room) => within(to, room))) return undefined;
  if (there.rank < here.rank) return undefined;
  return `${here.path} (rank ${here.rank}) may not import ${there.path} (rank ${there.rank})`;
}

function checkImports(root: string, rooms: Room[], file: string): Violation[] {
  const found: Violation[] = [];
  for (const specifier of importsOf(readFileSync(path.join(root, file), "utf8"))) {
    const report = (reason: string): void => void found.push(`${file}: imports ${specifier}: ${reason}`);
    if (specifier.startsWith("node:")) {
      if (within(file, "src") && !NODE_ROOMS.some((room) => room.test(file)))
        report("Node modules are not for this room");
      continue;
    }
    if (!specifier.startsWith(".")) {
      if (within(file, "assembly")) report("assembly/ imports no packages");
      else if (within(file, "src") && !PACKAGE_ROOMS.some((room) => room.test(file)))
        report("packages are not for this room");
      continue;
    }
    const target = resolveRelative(root, file, specifier);
    if (!target) {
      if (/\.(js|ts)$|\/[^./]+$/.test(specifier)) report("there is no such file");
      continue;
    }
    if (within(target, "test")) report("nothing outside test/ imports a test");
    else if (TREES.some((tree) => within(file, tree))) {
      if (!TREES.some((tree) => within(target, tree))) report("it lies outside src/ and assembly/");
      const reason = forbidden(rooms, file, target);
      if (reason) report(reason);
    }
  }
  return found;
}

function checkLength(root: string, file: string): Violation[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  if (lines <= LINES) return [];
  const head = text.split("\n", 5).filter((line) => /^\s*(\/\/|\/\*|\*)/.test(line));
  if (
    lines > LINES_OF_TABLES &&
    !/\.generated\.\w+$/.test(file) &&
    !head.some((line) => /\b(tables?|generated)\b/i.test(line))
  ) {
    return [`${file}: ${lines} lines; only tables and generated files may exceed ${LINES_OF_TABLES}`];
  }
  if (/\.generated\.\w+$/.test(file) || head.some((line) => /\b(long|lines|tables?|generated)\b/i.test(line)))
    return [];
  return [`${file}: ${lines} lines, over ${LINES}, and no comment in its first 5 lines says why it is long`];
}

/** Checks the tree under `root` against the table in its ARCHITECTURE.md; an empty answer means every rule holds. */
export function checkRooms(root: string): Violation[] {
  const rooms = readRooms(readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8"));
  if (rooms.length === 0) return ["ARCHITECTURE.md: holds no rank table"];
  const found: Violation[] = [];
  for (const room of rooms) {
    if (!Number.isInteger(room.rank)) found.push(`ARCHITECTURE.md: ${room.path} has no rank`);
    if (!existsSync(path.join(root, room.path))) found.push(`ARCHITECTURE.md: ${room.path} does not exist`);
    if (rooms.some((other) => other !== room && other.path === room.path)) {
      found.push(`ARCHITECTURE.md: ${room.path} stands there twice`);
    }
  }
  for (const tree of TREES) {
    for (const file of walk(root, tree).filter((name) => name.endsWith(".ts"))) {
      if (!roomOf(rooms, file)) found.push(`${file}: its room does not stand in ARCHITECTURE.md`);
      found.push(...checkImports(root, rooms, file));
    }
  }
  for (const file of walk(root, "bench").filter((name) => name.endsWith(".ts"))) {
    found.push(...checkImports(root, rooms, file));
  }
  for (const tree of SIZED_TREES) {
    for (const file of walk(root, tree).filter((name) => /\.(ts|tsx|mjs)$/.test(name)))
      found.push(...checkLength(root, file));
  }
  return found;
}
