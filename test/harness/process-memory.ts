import { readdirSync, readFileSync } from "node:fs";

/**
 * Proportional memory of a process and all below it, in bytes: shared pages count in parts.
 * Undefined where the system does not tell it, as outside Linux.
 */
export function memoryOfTree(root: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  const own = memoryOf(root);
  if (own === undefined) return undefined;
  return childrenOf(root).reduce((sum, child) => sum + (memoryOfTree(child) ?? 0), own);
}

/** The highest process of `npm …` above this one, or the process itself. */
export function withNpm(pid: number): number {
  const shell = parentOf(pid);
  for (const candidate of [shell, parentOf(shell)]) {
    if (/^npm\b|\bnpm(-cli\.js)? /.test(read(`/proc/${candidate}/cmdline`).replaceAll("\0", " ")))
      return candidate;
  }
  return pid;
}

function memoryOf(pid: number): number | undefined {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function childrenOf(pid: number): number[] {
  return processes().filter((other) => parentOf(other) === pid);
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  const afterName = read(`/proc/${pid}/stat`).replace(/^.*\) /s, "");
  return Number(afterName.split(" ")[1] ?? 0);
}

/** Empty for a process that has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
