import os from "node:os";
import type { Machine } from "./results.js";

/** The machine and runtime that the figures belong to. */
export function describeMachine(): Machine {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? "unknown",
    cores: cpus.length,
    memory: os.totalmem(),
    os: `${os.type()} ${os.arch()}`,
    node: process.versions.node,
    v8: process.versions.v8,
  };
}

export function machineLine({ cpu, cores, memory, os: system, node, v8 }: Machine): string {
  return `${cpu}, ${cores} cores, ${(memory / 2 ** 30).toFixed(1)} GiB, ${system}, Node ${node} (V8 ${v8})`;
}
