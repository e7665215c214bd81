import { readdirSync, readFileSync } from "node:fs";

/** Linux tells all programs so, whatever it counts in. */
const ticksPerSecond = 100;

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

/** Processor time of a process, all below it, and those of them that have ended, in seconds. */
export function cpuSecondsOfTree(root: number, isCounted: IsCounted = () => true): number | undefined {
  if (process.platform !== "linux") return undefined;
  const ticks = statOf(root).slice(11, 15).map(Number);
  if (ticks.length < 4) return undefined;
  const own = isCounted(commandLineOf(root)) ? ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond : 0;
  return childrenOf(root).reduce((sum, child) => sum + (cpuSecondsOfTree(child, isCounted) ?? 0), own);
}

type IsCounted = (commandLine: string) => boolean;

/** The highest process of `npm …` above this one, or the process itself. */
export function withNpm(pid: number): number {
  const shell = parentOf(pid);
  for (const candidate of [shell, parentOf(shell)]) {
    if (/^npm\b|\bnpm(-cli\.js)? /.test(commandLineOf(candidate))) return candidate;
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
  return Number(statOf(pid)[1] ?? 0);
}

function commandLineOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

/** The fields after the process's name. */
function statOf(pid: number): string[] {
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
}

/** Empty for a process that has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
